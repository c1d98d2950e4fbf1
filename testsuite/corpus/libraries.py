#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""libraries.py [N/M] [PACKAGE...]: is a program of a whole static library what GNU ld makes of it?

Each static library of a sample of Debian's -dev packages is linked whole: into a program with a main of its own, where
symbols may be undefined, and into a shared library.  GNU ld links it, ldx --instrument=none, and ldx edges with
--ldx-verify; all facts of the outputs are compared, the status and the messages, and what the program does where
nothing is undefined.  The packages (libraries.tsv, or those named) are fetched by apt and unpacked, not installed.

What differs, or is not instrumented, fails, unless known.tsv beside this file lists it.  A run continues where an earlier
one with the same ldx has ended.  Below --work (build/libraries): table.tsv has each link, packages/ what was fetched.

N/M: one of M parts.  --choose COUNT writes the sample in libraries.tsv anew, by --seed.
"""
import argparse
import collections
import fnmatch
import glob
import hashlib
import json
import os
import random
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
TOP = os.path.dirname(os.path.dirname(HERE))
sys.path[:0] = [TOP + "/testsuite", TOP + "/testsuite/peers"]
import likeness  # noqa: E402
import link  # noqa: E402

SAMPLE = HERE + "/libraries.tsv"
KNOWN = HERE + "/known.tsv"
TIMEOUT = 900      # seconds, of a link that hangs
# GNU ld says where symbols are undefined: in one large object it looks for each place as long as it does in all small ones.
WARN, IGNORE, UNDEFINED = "-Wl,--warn-unresolved-symbols", "-Wl,--unresolved-symbols=ignore-all", b"undefined reference"
MOST_WARNINGS = 1000
LARGEST = 60 << 20  # bytes of an archive
LARGEST_PACKAGE = 20 << 20
# Of each, no more than a tenth of a sample: hundreds of packages alike.
FAMILIES = ("libghc-*", "lib*-ocaml-dev", "libboost*")
# Only sources: of these nothing is fetched.
SOURCES = ("librust-*", "golang-*")
MODES = ("none", "edges")
# What --ldx-verify says if all is well.
VERIFIED = r"ldx: verify: (ok: \d+ code sections|\d+ FDEs, |debug information: )"

Row = collections.namedtuple("Row", "package archive kind mode status detail")


# ---------------------------------------------------------------- packages
def fetched(package, folder):
    """The package's file; None: it is not there."""
    found = sorted(glob.glob("%s/%s_*.deb" % (folder, package)))
    return found[-1] if found else None


def fetch(packages, folder):
    """The files of the packages that apt still has, at once: apt takes seconds to begin."""
    os.makedirs(folder, exist_ok=True)
    new = [p for p in packages if not fetched(p, folder)]
    for some in [new] + [[p] for p in new]:
        if not all(fetched(p, folder) for p in some):
            subprocess.run(["apt-get", "-qq", "-o", "APT::Sandbox::User=root", "download", *some], cwd=folder,
                           stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def archives_in(deb):
    """The names of static libraries in a package."""
    r = subprocess.run(["dpkg-deb", "--fsys-tarfile", deb], stdout=subprocess.PIPE)
    listed = subprocess.run(["tar", "-tvf", "-"], input=r.stdout, stdout=subprocess.PIPE).stdout.decode(errors="replace")
    return [m[1] for m in (re.match(r"-\S+ +\S+ +\d+ +\S+ +\S+ \.?/?(\S+\.a)$", x) for x in listed.splitlines()) if m]


def candidates():
    """{name: size} of the packages that may have a static library, by apt's lists."""
    text = subprocess.run(["apt-cache", "dumpavail"], stdout=subprocess.PIPE).stdout.decode(errors="replace")
    found = {}
    for part in text.split("\n\n"):
        f = dict(re.findall(r"^(Package|Architecture|Size): (\S+)", part, re.M))
        name = f.get("Package", "")
        if name.endswith("-dev") and f["Architecture"] != "all" and not any(fnmatch.fnmatch(name, p) for p in SOURCES):
            found[name] = int(f["Size"])
    return found


def suitable(names, sizes, most):
    """The names, without large packages, and no more of a family than a tenth."""
    families = collections.Counter()
    for name in names:
        family = next((p for p in FAMILIES if fnmatch.fnmatch(name, p)), None)
        if sizes[name] <= LARGEST_PACKAGE and (not family or families[family] < most):
            families[family] += 1
            yield name


def choose(o):
    sizes, chosen = candidates(), []
    names = sorted(sizes)
    random.Random(o.seed).shuffle(names)
    names = list(suitable(names, sizes, o.choose // 10))
    while names and len(chosen) < o.choose:
        some, names = names[:25], names[25:]
        fetch(some, o.packages)
        for name in some:
            deb = fetched(name, o.packages)
            if deb and archives_in(deb):
                chosen.append(name)
            elif deb:
                os.remove(deb)
        print("%d packages" % len(chosen), flush=True)
    with open(SAMPLE) as f:
        others = [x for x in f if not x.endswith("\tsample\n")]
    with open(SAMPLE, "w") as f:
        f.writelines(x for x in others if x.startswith("#"))
        f.writelines(name + "\tsample\n" for name in chosen[:o.choose])
        f.writelines(x for x in others if not x.startswith("#"))


# ---------------------------------------------------------------- links
def symbols(archive):
    """The names that the archive defines, and those it refers to."""
    text = subprocess.run(["nm", "-P", archive], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL).stdout.decode(errors="replace")
    pairs = [x.split()[:2] for x in text.splitlines() if len(x.split()) > 1]
    return {p[0] for p in pairs if p[1] in "TWBDR"}, {p[0] for p in pairs if p[1] == "U"}


def commands(archive, main):
    """{kind: ways to link it, without the output; the first that GNU ld can do is taken}."""
    defined, wanted = symbols(archive)
    driver = "g++" if any(x.startswith("_Z") or x.startswith("__gxx") for x in wanted | defined) else "gcc"
    whole = ["-Wl,--whole-archive", archive, "-Wl,--no-whole-archive"]
    objects = [] if "main" in defined else [main]
    program = [driver, *objects, *whole, WARN, "-lm"]
    shared = [driver, "-shared", *whole]
    # most of Debian's static libraries are made for programs: their calls must not be to symbols that others may define
    return {"program": [program, program + ["-no-pie"]], "shared": [shared, shared + ["-Wl,-Bsymbolic"]]}


class Tool:
    """A linker that the compiler starts: GNU ld, or ldx."""

    def __init__(self, o, mode):
        self.words = ["-B" + o.bindir] if mode else []
        if mode == "edges":
            self.words.append("-Wl,--ldx-verify")
        self.env = dict(os.environ, LC_ALL="C")
        if mode:
            self.env["LDX_INSTRUMENT"] = mode

    def link(self, command, output):
        os.makedirs(os.path.dirname(output), exist_ok=True)
        return link.call(command + self.words + ["-o", output], self.env)


def behaviour(program, folder):
    """Its status and what it prints; None: it does not end."""
    with tempfile.TemporaryDirectory(dir=folder) as where:
        shutil.copy(program, folder + "/program")  # by the same name
        try:
            p = subprocess.run([folder + "/program"], cwd=where, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                               stderr=subprocess.STDOUT, timeout=60)
            return p.returncode, p.stdout
        except subprocess.TimeoutExpired:
            return None


def other_behaviour(ref, out, folder):
    """In what the programs behave otherwise, if GNU ld's behaves alike twice."""
    first = behaviour(ref, folder)
    if first is None or first != behaviour(ref, folder):
        return []
    second = behaviour(out, folder)
    return [] if first == second else ["it runs otherwise: %s instead of %s" % (second, first)]


def status_of(second, found):
    """The class of what was found."""
    text = second[2].decode(errors="replace")
    if second[0] == 124 and "no end after" in text:
        return "hangs"
    if "not verif" in text:
        return "not verified"
    if second[0] < 0 or re.search(r"ldx: .*(it crashed|it aborted|it was killed|failed: signal)", text):
        return "crash"
    if "not instrumented" in text:
        return "not instrumented"
    return "different" if found else "same"


def one_link(o, command, kind, mode, ref, first, folder):
    """(status, differences) of ldx's link beside GNU ld's."""
    out = os.path.join(folder, mode, "output")
    second = Tool(o, mode).link(command, out)
    found = link.differences({"same": likeness.SAME, "mode": mode}, ref, out, first, second)
    found = [x for x in found if not re.match(VERIFIED, x)]
    if kind == "program" and not found and IGNORE not in command and UNDEFINED not in first[2]:
        found = other_behaviour(ref, out, folder)
    return status_of(second, found), found


def link_archive(o, package, path, name):
    """The rows of one static library."""
    if os.path.getsize(path) > LARGEST:
        return [Row(package, name, "-", "-", "skipped", "larger than %d MB" % (LARGEST >> 20))]
    rows = []
    for kind, ways in commands(path, o.main).items():
        with tempfile.TemporaryDirectory(prefix="libraries-", dir=o.work) as folder:
            ref = os.path.join(folder, "ref", "output")
            for command in ways:
                first = Tool(o, None).link(command, ref)
                if WARN in command and first[2].count(UNDEFINED) > MOST_WARNINGS:
                    command = [IGNORE if x == WARN else x for x in command]
                    first = Tool(o, None).link(command, ref)
                if first[0] == 0:
                    break
            if first[0]:
                said = first[2].decode(errors="replace").splitlines() or ["status %d" % first[0]]
                rows.append(Row(package, name, kind, "-", "refused", said[0]))
                continue
            for mode in o.modes:
                begin = time.monotonic()
                status, found = one_link(o, command, kind, mode, ref, first, folder)
                rows.append(Row(package, name, kind, mode, status, " | ".join(found)))
                if found or time.monotonic() - begin > 60:
                    print("%s %s %s %s (%.0f s): %s%s" % (package, name, kind, mode, time.monotonic() - begin, status,
                                                          "".join("\n    " + x for x in found[:4])), flush=True)
                    print("    " + shlex.join(command), flush=True)
    return rows


def link_package(o, package):
    deb = fetched(package, o.packages)
    if not deb:
        return [Row(package, "-", "-", "-", "skipped", "apt does not have it")]
    root, rows = os.path.join(o.work, "unpacked", package), []
    shutil.rmtree(root, ignore_errors=True)
    os.makedirs(root)
    try:
        subprocess.run(["dpkg-deb", "-x", deb, root], check=True)
        for name in archives_in(deb):
            rows += link_archive(o, package, os.path.join(root, name), name)
    finally:
        if not o.keep:
            shutil.rmtree(root)
    return rows


# ---------------------------------------------------------------- results
def identity(o):
    """Of the ldx under test, and of what compares."""
    h = hashlib.sha1(",".join(o.modes).encode())
    for f in sorted(glob.glob(o.stage + "/lib/ldx/*.o")) + [o.stage + "/bin/ldx", likeness.SAME]:
        with open(f, "rb") as data:
            h.update(data.read())
    return h.hexdigest()


def results(o, package):
    """The rows of a package, of an earlier run if that had the same ldx."""
    path = os.path.join(o.work, "results", package + ".json")
    if os.path.exists(path) and not o.again:
        with open(path) as f:
            kept = json.load(f)
        if kept["identity"] == o.identity or o.report:
            return [Row(*r) for r in kept["rows"]]
    if o.report:
        return []
    rows = link_package(o, package)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path + ".new", "w") as f:
        json.dump({"identity": o.identity, "rows": rows}, f)
    os.rename(path + ".new", path)
    return rows


def read_known():
    """What may differ: (package, archive, kind, mode, what, reason)."""
    if not os.path.exists(KNOWN):
        return []
    with open(KNOWN) as f:
        return [x.rstrip("\n").split("\t") for x in f if x.strip() and not x.startswith("#")]


def reason(row, known):
    """Why this may be so, or None."""
    for package, archive, kind, mode, what, why in known:
        if fnmatch.fnmatch(row.package, package) and fnmatch.fnmatch(row.archive, archive) and \
                fnmatch.fnmatch(row.kind, kind) and fnmatch.fnmatch(row.mode, mode) and \
                all(re.search(what, x) for x in row.detail.split(" | ")):
            return why
    return None


def report(o, rows):
    known, count, listed, bad = read_known(), collections.Counter(), collections.Counter(), []
    with open(o.work + "/table.tsv", "w") as f:
        f.write("\t".join(Row._fields) + "\tlisted\n")
        for r in rows:
            why = reason(r, known) if r.status not in ("same", "refused", "skipped") else None
            f.write("\t".join(x.replace("\t", " ").replace("\n", " ") for x in r) + "\t" + (why or "") + "\n")
            count[r.status] += 1
            if why:
                listed[why] += 1
            elif r.status not in ("same", "refused", "skipped"):
                bad.append(r)
    for why, n in listed.items():
        print("known, %d times: %s" % (n, why))
    for r in bad:
        print("NOT LISTED: %s %s %s %s: %s: %s" % (*r[:5], r.detail[:300]))
    print("%d packages, %d static libraries; links: %s" % (
        len({r.package for r in rows}), len({(r.package, r.archive) for r in rows}),
        ", ".join("%d %s" % (n, s) for s, n in count.most_common())))
    print("%d links that known.tsv does not list; %s" % (len(bad), o.work + "/table.tsv"))
    return 1 if bad else 0


def parse():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("what", nargs="*", metavar="N/M or PACKAGE")
    p.add_argument("--stage", default=TOP + "/build/stage", help="the installed ldx")
    p.add_argument("--work", default=TOP + "/build/libraries")
    p.add_argument("--modes", default=",".join(MODES))
    p.add_argument("--choose", type=int, metavar="COUNT")
    p.add_argument("--seed", type=int, default=1)
    p.add_argument("--again", action="store_true", help="link also what this ldx has linked")
    p.add_argument("--keep", action="store_true", help="what is unpacked")
    p.add_argument("--report", action="store_true", help="only say what earlier runs have found")
    o = p.parse_args()
    o.stage, o.work, o.modes = os.path.abspath(o.stage), os.path.abspath(o.work), o.modes.split(",")
    o.packages = o.work + "/packages"
    return o


def sample(o):
    """The packages of this run."""
    parts = [w for w in o.what if re.fullmatch(r"\d+/\d+", w)]
    names = [w for w in o.what if w not in parts]
    if not names:
        with open(SAMPLE) as f:
            names = [x.split("\t")[0] for x in f if not x.startswith("#")]
    for part in parts:
        n, m = map(int, part.split("/"))
        names = names[n - 1::m]
    return names


def main():
    o = parse()
    os.makedirs(o.work, exist_ok=True)
    if o.choose:
        return choose(o)
    o.bindir = likeness.output(o.stage + "/bin/ldx", "--ldx-print=bindir")[0]
    o.identity = identity(o)
    o.main = o.work + "/main.o"
    subprocess.run(["gcc", "-x", "c", "-c", "-o", o.main, "-"], input=b"int main(void) { return 0; }\n", check=True)
    packages = sample(o)
    if not o.report:
        fetch(packages, o.packages)
    return report(o, [row for package in packages for row in results(o, package)])


if __name__ == "__main__":
    sys.exit(main())
