#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The same command lines by the replaced linker and by ldx: links.py [-v] [--all] [--target CPU] [FILE.link...]

A file of links is a table of `key: value` lines between its sources, which begin with `--- NAME`; a line `---` ends
a source.  Lines with # are comments.  In this order it says:
  cpus    CPU ...: for these only (default: all); key.CPU,CPU: a line for these
  each    alternatives, separated by |, which commands know as $EACH
  make    a command that makes objects, archives and libraries that both linkers are given: once, without ldx
  link    a command that links: by each linker, in a folder of its own.  What stands behind -o is compared
  run     a command that runs a program, by the emulator of its CPU
  show    a command whose output must be the same for both; it must show something
  prints  all that the programs print
  status  of the last program
  has     what the shown lines match
  warns   what the messages of the plain link match
  fails   the plain link fails with a message that matches
  plain   with counters ldx installs the plain link, and its warning matches: both outputs have the same bytes
  never   the same in every mode; without counters there is no warning
  differs facts in which the outputs may differ, as an expression, and behind it `; ' and why

In commands $CC, $CXX and $LD link by the linker in question, $GCC by the plain one; $AS, $AR and $OBJCOPY are those of
the CPU, and $M is its emulation, which ld wants to know.  Compared are: exit status and messages of the links, without
the name of the linker; the facts of the outputs, as testsuite/same/same tells them; what the programs print, their
status; and what is shown.  Two links in the mode edges give the same bytes.
Ways: without counters and in the mode edges; with --all in every mode.
Exit status: 0 passed, 1 failed, 77 skipped.
"""
import argparse
import glob
import os
import re
import shutil
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
TOP = os.path.dirname(os.path.dirname(HERE))
sys.path[:0] = [os.path.dirname(HERE), os.path.join(os.path.dirname(HERE), "oracle")]
import oracle  # noqa: E402

HOST = "x86_64"
TRIPLES = dict(oracle.CPUS.values())
EMULATIONS = {HOST: "elf_x86_64", "aarch64": "aarch64linux", "riscv64": "elf64lriscv", "mips": "elf32btsmip",
              "mipsel": "elf32ltsmip", "mips64el": "elf64ltsmip"}
MODES = ["none", "edges"]
ALL_MODES = ["none", "functions", "cover", "blocks", "edges"]
KEYS = {"cpus", "each", "make", "link", "run", "show", "prints", "status", "has", "warns", "fails", "plain", "never", "differs"}


class Failure(Exception):
    pass


class Table:
    """A file of links."""

    def __init__(self, path, cpu):
        self.path, self.lines, self.sources = path, [], {}
        source = None
        for number, line in enumerate(open(path), 1):
            m = re.match(r"--- ?(\S*)$", line.rstrip("\n"))
            if m:
                source = m[1] or None
                if source:
                    self.sources[source] = ""
            elif source:
                self.sources[source] += line
            elif line.strip() and line[0] != "#":
                self.add(number, line.rstrip("\n"), cpu)

    def add(self, number, line, cpu):
        m = re.match(r"(\w+)(?:\.([\w,]+))?: (.*)", line)
        cpus = m[2].split(",") if m and m[2] else []
        if not m or m[1] not in KEYS or set(cpus) - {HOST, *TRIPLES}:
            raise SystemExit("%s:%d: no key: %s" % (self.path, number, line))
        if not cpus or cpu in cpus:
            self.lines.append((m[1], m[3]))

    def all(self, key):
        return [value for k, value in self.lines if k == key]


class Result:
    """What came of all commands of one way."""

    def __init__(self):
        self.status, self.said, self.printed, self.shown, self.ended = 0, "", "", [], 0


class Link:
    def __init__(self, o, table, alternative, number):
        self.o, self.t, self.each = o, table, alternative
        self.cpu = o.target or HOST
        self.name = os.path.splitext(os.path.basename(table.path))[0]
        self.work = os.path.join(oracle.work_dir(), "links", self.cpu, "%s-%d" % (self.name, number))
        self.tools = TRIPLES[o.target] + "-" if o.target else ""
        self.outputs = sorted({m for line in table.all("link") for m in re.findall(r"^(?!\$GCC).* -o (\S+)", line)})
        shutil.rmtree(self.work, ignore_errors=True)

    def title(self):
        return " ".join([self.name, self.cpu] + ([self.each] if self.each else []))

    def why(self, way):
        """What ldx is to say of why it installs the plain link."""
        return self.t.all("never") + (self.t.all("plain") if way != "none" else [])

    def environment(self, way):
        ld = self.tools + "ld.bfd" if way in ("made", "plain") else self.o.bindir + "/ld"
        by = "" if way in ("made", "plain") else " -B" + self.o.bindir
        env = {"PATH": os.environ["PATH"], "LC_ALL": "C", "HOME": "/nonexistent", "EACH": self.each, "LD": ld,
               "CC": self.tools + "gcc" + by, "CXX": self.tools + "g++" + by, "GCC": self.tools + "gcc",
               "AS": self.tools + "as", "AR": self.tools + "ar", "OBJCOPY": self.tools + "objcopy",
               "M": EMULATIONS[self.cpu]}
        env.update((k, v) for k, v in os.environ.items() if k in ("LDX_LINKER", "LDX_LIBDIR"))
        if way not in ("made", "plain"):
            strict = [] if self.why(way) else ["--ldx-strict"]
            env["LDX_OPTIONS"] = " ".join(["--instrument=" + way, "--ldx-verify", "--ldx-log=verified"] + strict)
        return env

    def sh(self, way, command, **more):
        if self.o.verbose:
            print("  %s $ %s" % (way, command))
        return subprocess.run(["sh", "-c", command], cwd=os.path.join(self.work, way), text=True, errors="replace",
                              env={**self.environment(way), **more}, capture_output=True, timeout=600,
                              stdin=subprocess.DEVNULL)

    def make(self):
        os.makedirs(self.work + "/made")
        for name, text in self.t.sources.items():
            with open(os.path.join(self.work, "made", name), "w") as f:
                f.write(text)
        for command in self.t.all("make"):
            r = self.sh("made", command)
            if r.returncode:
                raise Failure("%s: status %d\n%s" % (command, r.returncode, r.stderr[-2000:]))

    def messages(self, text):
        """What a linker said, without its name, and without the folder that only gcc's -B adds."""
        return "\n".join(re.sub(r"^\S*\bld(\.bfd)?: ", "ld: ", line) for line in text.splitlines()
                         if not re.match("attempt to open .*/ldx/bin/", line))

    def links(self, way):
        """Status and messages of all links; the first that fails is the last."""
        said, status = "", 0
        for command in self.t.all("link"):
            r = self.sh(way, command)
            said += self.messages(r.stdout + r.stderr) + "\n"
            if r.returncode:
                status = r.returncode
                break
        return status, said.strip("\n")

    def go(self, way):
        shutil.copytree(self.work + "/made", os.path.join(self.work, way), symlinks=True)
        r = Result()
        r.status, r.said = self.links(way)
        if r.status:
            return r
        cpu = "qemu-%s -L /usr/%s " % (self.o.target, TRIPLES[self.o.target]) if self.o.target else ""
        for command in self.t.all("run"):
            # the words of the shell that begin a command stay in front of the emulator
            p = self.sh(way, re.sub(r"(^|; )((?:\w+=\S+ )*)(?=\./)", r"\1\2" + cpu, command),
                        LDX_PROFILE_FILE="profile.%b")
            r.printed += p.stdout + p.stderr
            r.ended = p.returncode
        for command in self.t.all("show"):
            p = self.sh(way, command)
            r.shown.append("%s: %s" % (command, p.stdout))
        return r

    def check_plain(self, r):
        """Does the table say what the plain link is about?"""
        fails = self.t.all("fails")
        if bool(r.status) != bool(fails) or not all(re.search(x, r.said) for x in fails + self.t.all("warns")):
            raise Failure("plain link: status %d\n%s" % (r.status, r.said))
        if not r.status and not fails and self.t.all("prints") and r.printed.rstrip("\n") != "\n".join(self.t.all("prints")):
            raise Failure("plain: prints\n%s" % r.printed)
        if not r.status and r.ended != int((self.t.all("status") or ["0"])[0]):
            raise Failure("plain: status %d\n%s" % (r.ended, r.printed))
        shown = "\n".join(r.shown)
        for pattern in self.t.all("has"):
            if not re.search(pattern, shown):
                raise Failure("plain: %s is not shown:\n%s" % (pattern, shown))

    def compare(self, want, way, r):
        """The differences of a way to the plain link."""
        said = r.said
        for pattern in self.why(way):
            warned = [x for x in said.split("\n") if "not instrumented" in x]
            if way != "none" and not any(re.search(pattern, x) for x in warned):
                yield "messages", pattern, said
            said = "\n".join(x for x in said.split("\n") if x not in warned)
        for what, a, b in (("status of the link", want.status, r.status), ("messages", want.said, said),
                           ("output", want.printed, r.printed), ("status", want.ended, r.ended)):
            if a != b:
                yield what, a, b
        if r.status:
            left = [f for f in self.outputs if os.path.exists(os.path.join(self.work, way, f))]
            if left and not want.status:
                yield "a failed link has left an output", "", left[0]
            return
        for a, b in zip(want.shown, r.shown):
            if a != b:
                yield "shown", a, b
        for f in self.outputs:
            yield from self.compare_output(f, way)

    def compare_output(self, f, way):
        paths = [os.path.join(self.work, d, f) for d in ("plain", way)]
        if self.why(way):
            if open(paths[0], "rb").read() != open(paths[1], "rb").read():
                yield "bytes of " + f, "", ""
            return
        if self.o.same:
            r = subprocess.run([self.o.same] + ["--none"] * (way == "none") + paths, capture_output=True, text=True)
            known = [x.split("; ")[0] for x in self.t.all("differs")]
            lines = [x for x in r.stdout.splitlines() if not any(re.search(k, x) for k in known)]
            if lines or r.returncode not in (0, 1):
                yield "facts of " + f, "", "\n".join(lines + [r.stderr])

    def twice(self, way):
        """A second link of the same gives the same bytes."""
        made = {f: open(os.path.join(self.work, way, f), "rb").read() for f in self.outputs}
        self.links(way)
        for f, data in made.items():
            if open(os.path.join(self.work, way, f), "rb").read() != data:
                raise Failure("two links give another %s" % f)

    def test(self):
        self.make()
        want = self.go("plain")
        self.check_plain(want)
        wrong = []
        for way in [] if self.o.plain else ALL_MODES if self.o.all else MODES:
            r = self.go(way)
            wrong += ["%s: %s\n--- plain\n%s\n--- %s\n%s" % (way, what, str(a)[-1500:], way, str(b)[-1500:])
                      for what, a, b in self.compare(want, way, r)]
            if way == "edges" and not r.status:
                try:
                    self.twice(way)
                except Failure as e:
                    wrong.append(str(e))
        if wrong:
            raise Failure("\n".join(wrong))


def missing(o, table):
    """Why the file cannot be tried; None if it can."""
    cpus = " ".join(table.all("cpus")).split("; ")[0].split()
    if cpus and (o.target or HOST) not in cpus:
        return "for %s only" % " ".join(cpus)
    if o.target and not (shutil.which(TRIPLES[o.target] + "-gcc") and shutil.which("qemu-" + o.target)):
        return "no cross compiler or no emulator for " + o.target
    if any("$CXX" in x for x in table.all("make") + table.all("link")) and o.target and \
            not shutil.which(TRIPLES[o.target] + "-g++"):
        return "no C++ compiler for " + o.target
    for name in re.findall(r"-fuse-ld=(\w+)", " ".join(table.all("link"))):
        if not shutil.which("ld." + name):
            return "no ld." + name
    return None


def test_file(o, path):
    """(passed, failed, skipped)"""
    table = Table(path, o.target or HOST)
    why = missing(o, table)
    if why:
        print("skipped: %s: %s" % (os.path.basename(path), why))
        return 0, 0, 1
    bad = 0
    alternatives = [x.strip() for line in table.all("each") or [""] for x in line.split("|")]
    for i, each in enumerate(alternatives):
        link = Link(o, table, each, i)
        try:
            link.test()
            print("ok %s" % link.title())
            shutil.rmtree(link.work, ignore_errors=True)
        except (Failure, subprocess.TimeoutExpired, OSError) as e:
            bad += 1
            print("FAIL %s: %s (in %s)" % (link.title(), e, link.work))
    return len(alternatives) - bad, bad, 0


def main():
    ap = argparse.ArgumentParser(usage=__doc__)
    ap.add_argument("-v", "--verbose", action="store_true")
    ap.add_argument("--all", action="store_true", help="in every mode")
    ap.add_argument("--plain", action="store_true", help="check the tables themselves, without ldx")
    ap.add_argument("--target", choices=sorted(TRIPLES))
    ap.add_argument("--stage", default=os.environ.get("LDX_STAGE") or TOP + "/build/stage")
    ap.add_argument("--same", default=TOP + "/build/testsuite/same/same", help="the tool that compares facts")
    ap.add_argument("files", nargs="*", help="default: all")
    o = ap.parse_args()
    if not o.plain and not os.access(o.stage + "/bin/ldx", os.X_OK):
        print("skipped: no bin/ldx in %s: ./dev build first" % o.stage)
        return 77
    if not o.plain:
        o.bindir = subprocess.check_output([o.stage + "/bin/ldx", "--ldx-print=bindir"], text=True).strip()
    if not os.access(o.same, os.X_OK):
        print("the facts of the outputs are not compared: no", o.same)
        o.same = None
    sums = [sum(x) for x in zip(*(test_file(o, f) for f in o.files or sorted(glob.glob(HERE + "/*.link"))))]
    print("%d passed, %d failed, %d skipped" % tuple(sums))
    return 1 if sums[1] else 0 if sums[0] else 77


if __name__ == "__main__":
    sys.exit(main())
