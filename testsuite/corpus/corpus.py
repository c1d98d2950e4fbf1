#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Build real programs with a linker under test and run their OWN test suites.

  corpus.py list
  corpus.py NAME... | all   [options]

Options
  --linker-dir DIR   DIR holds an executable `ld`: the linker under test.  Every
                     gcc/g++/cc/c++/clang link in the build (and in the tests)
                     gets `-B` of a shim directory whose `ld` logs the call and
                     runs DIR/ld.  Default: the system's ld ("plain").
  --tag TAG          name of this run (default: plain, or the name of DIR)
  --cc gcc|clang     compiler family (default gcc)
  --cflags STR       default "-O2 -g"
  --ldflags STR      extra link flags, e.g. "-static", "-no-pie"
  --no-shared        pass --disable-shared to the packages that have it
  --compare          let GNU ld make each link too, and compare the outputs, messages and status (testsuite/peers/link.py);
                     a difference fails.  Not where the recipe says COMPARE=no.
  --mode MODE        of --compare: edges (default), none ...
  --same PROGRAM     of --compare: what prints how two outputs differ
  --path-ld          also put the shim first on PATH as `ld` (for $(LD) users)
  --rerun            keep this tag's build if there is one, only run the tests again
                     (default: the plain build is kept, any other is built anew;
                     objects come from ccache)
  --relink           keep this tag's tree, delete what was linked and build again without
                     configure: the fastest way to try a changed linker
  --rebuild          throw away the plain build too
  --reparse          only read the last test log again (after a change of a recipe)
  --rebaseline       throw away the plain baseline of this configuration first
  --no-baseline      do not compare
  --expect-comment S fail unless every tested link left S in the output's .comment
  --expect-section S fail unless every linked executable has section S
  --env K=V          set in the environment of build and tests (repeatable)
  --test-env K=V     set in the environment of the tests only (repeatable)
  --jobs N           default 2
  --timeout S        per phase; default: the recipe's, times 5 when not plain
  --build-only       stop after the build
  --work DIR         default: $CORPUS_WORK or build/corpus
  --summary FILE     append one TSV line per corpus

Prints for each corpus the line `N passed, N failed, N skipped`, times, number of
links through the linker, and the difference from the plain baseline.
Exit 0: every corpus built and no test that the baseline passes failed or vanished.
"""
import argparse
import glob
import hashlib
import json
import os
import re
import resource
import shutil
import signal
import subprocess
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
TOP = os.path.dirname(os.path.dirname(HERE))
SAME = TOP + "/build/testsuite/same/same"
LINK = TOP + "/testsuite/peers/link.py"
WORK = os.path.join(TOP, "build", "corpus")
COMPILE_ONLY = "-c|-S|-E|-M|-MM|-fsyntax-only|--version|-v|-V|-dumpversion|-dumpmachine|-dumpspecs"

LD_SHIM = r'''#!/bin/sh
# logs one line per link, then runs the linker under test
o=a.out k=exe p=
for a do
  [ "$p" = -o ] && o=$a
  case $a in
    -o?*) o=${a#-o} ;;
    -shared|-Bshareable) k=so ;;
    -r|-i|--relocatable|-Ur) k=rel ;;
    -v|--version|-V|--help) k=ver ;;
  esac
  p=$a
done
ld="@LD@"
if [ "$ld" = /usr/bin/ld ]; then     # the plain baseline of a cross compiler: its own ld
  case " $* " in
    *" -maarch64linux "*|*" -m aarch64linux "*) ld=/usr/bin/aarch64-linux-gnu-ld ;;
    *" -melf64lriscv "*|*" -m elf64lriscv "*) ld=/usr/bin/riscv64-linux-gnu-ld ;;
    *" -melf32btsmip "*|*" -m elf32btsmip "*) ld=/usr/bin/mips-linux-gnu-ld ;;
    *" -melf32ltsmip "*|*" -m elf32ltsmip "*) ld=/usr/bin/mipsel-linux-gnu-ld ;;
  esac
fi
"$ld" "$@"
rc=$?
case $o in /*) ;; *) o=$PWD/$o ;; esac
echo "$rc $k $o" >>"@LOG@" 2>/dev/null
if [ $rc -ne 0 ]; then
  case $o in *conftest*|*/a.out|*/ac_*) ;; *) echo "$rc: cd $PWD && @LD@ $*" >>"@LOG@.failed" 2>/dev/null ;; esac
fi
exit $rc
'''
CC_SHIM = r'''#!/bin/sh
for a do case $a in @CO@) exec @CCACHE@ @REAL@ "$@" ;; esac; done
exec @REAL@ -B@DIR@/ "$@"
'''


def say(*a):
    print(*a, flush=True)


def slug(s):
    return re.sub(r"[^A-Za-z0-9.+-]+", "_", s).strip("_")


class Recipe:
    """A recipe is a POSIX sh file with variables SRC, DEPS, TIMEOUT, PARSE, FLAKY,
    SHARED, FEATURES and functions prep, build, runtests (and results)."""

    def __init__(self, path):
        self.path = path
        self.name = os.path.basename(path)[:-3]
        out = (
            subprocess.run(
                [
                    "sh",
                    "-c",
                    '. "$1"; for v in SRC DEPS TIMEOUT TTIMEOUT PARSE FLAKY FEATURES AS_USER SRCPART COMPARE; do '
                    'eval "printf \'%s\\0%s\\0\' $v \\"\\$$v\\""; done',
                    "sh",
                    path,
                ],
                stdout=subprocess.PIPE,
                check=True,
                env=dict(os.environ, CORPUS=HERE),
            )
            .stdout.decode()
            .split("\0")
        )
        self.v = dict(zip(out[0::2], out[1::2]))

    def __getattr__(self, k):
        return self.v.get(k, "")


def recipes():
    d = {}
    for f in sorted(glob.glob(HERE + "/recipes/*.sh")):
        r = Recipe.__new__(Recipe)
        d[os.path.basename(f)[:-3]] = f
    return d


def can_unshare():
    """An own mount name space: not in every container."""
    return bool(shutil.which("unshare")) and subprocess.call(["unshare", "-m", "true"], stderr=subprocess.DEVNULL) == 0


def run(cmd, cwd, env, log, timeout, isolate=False, mode="wb"):
    """Run in an own session (and own pid and net namespaces); kill it all on timeout."""
    if os.geteuid() == 0 and can_unshare():
        # a device that is a mount point cannot be unlinked: some programs, run as root with
        # `-o /dev/null`, remove it (tcc does; GNU ld does once it is an ordinary file)
        guard = (
            'for d in null zero full tty random urandom; do mount --bind /dev/$d /dev/$d; done 2>/dev/null; '
        )
        if isolate:
            cmd = [
                "unshare",
                "-n",
                "-p",
                "-f",
                "--kill-child",
                "--mount-proc",
                "sh",
                "-c",
                guard + 'ip link set lo up 2>/dev/null || ifconfig lo up 2>/dev/null; exec "$@"',
                "sh",
            ] + cmd
        else:
            cmd = ["unshare", "-m", "sh", "-c", guard + 'exec "$@"', "sh"] + cmd
    t, c0 = time.monotonic(), cputime()
    with open(log, mode) as f:
        p = subprocess.Popen(
            cmd,
            cwd=cwd,
            env=env,
            stdin=subprocess.DEVNULL,
            stdout=f,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
        try:
            rc = p.wait(timeout)
        except subprocess.TimeoutExpired:
            os.killpg(p.pid, signal.SIGKILL)
            p.wait()
            rc = "TIMEOUT"
        except KeyboardInterrupt:
            os.killpg(p.pid, signal.SIGKILL)
            raise
    return rc, Secs(time.monotonic() - t, cputime() - c0)


class Secs(float):
    """wall-clock seconds that remember the CPU seconds (user + system, all children)"""

    def __new__(cls, wall, cpu=0.0):
        s = float.__new__(cls, wall)
        s.cpu = cpu
        return s


def cputime():
    r = resource.getrusage(resource.RUSAGE_CHILDREN)
    return r.ru_utime + r.ru_stime


def download(package, where):
    """Download the source of a Debian package; the name of its .dsc file."""
    for spec in (package, package + "/bookworm", package + "/stable"):
        p = subprocess.run(
            ["apt-get", "source", "-qq", "--print-uris", spec],
            cwd=where,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            universal_newlines=True,
        )
        m = re.search(r"(\S+\.dsc) \d+", p.stdout)
        if not m:
            # already downloaded files are not printed; look for the newest .dsc
            c = sorted(glob.glob(os.path.join(where, glob.escape(package) + "_*.dsc")))
            name = os.path.basename(c[-1]) if c else None
        else:
            name = m[1]
        q = subprocess.run(
            ["apt-get", "source", "-qq", "--download-only", spec],
            cwd=where,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        if q.returncode == 0 and name and os.path.exists(os.path.join(where, name)):
            return name
    raise SystemExit("cannot fetch source package " + package)


def unpack(where, dsc, to):
    subprocess.run(
        ["dpkg-source", "--no-check", "-q", "-x", dsc, to],
        cwd=where,
        check=True,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )


# ---------------------------------------------------------------- parsers
def parse_automake(tree, log):
    """.trs files of automake's parallel harness; else PASS:/FAIL: lines of the log"""
    res = []
    for dp, dn, fn in os.walk(tree):
        for f in fn:
            if f.endswith(".trs"):
                rel = os.path.relpath(os.path.join(dp, f), tree)[:-4]
                n = 0
                tr = [
                    l.split(":", 2)[2].strip()
                    for l in open(os.path.join(dp, f), errors="replace")
                    if l.startswith(":test-result:")
                ]
                for x in tr:
                    st, _, nm = x.partition(" ")
                    n += 1
                    res.append((st, rel if len(tr) == 1 else "%s %d %s" % (rel, n, nm)))
    return res or parse_lines(tree, log)


def parse_lines(tree, log):
    res = []
    for l in open(log, errors="replace"):
        m = re.match(r"\s*(PASS|FAIL|SKIP|XFAIL|XPASS|ERROR|UNRESOLVED|UNSUPPORTED)(?:ED)?:?\s+(\S.*)", l)
        if m:
            st = {"UNSUPPORTED": "SKIP", "UNRESOLVED": "FAIL"}.get(m[1], m[1])
            res.append((st, m[2].strip()))
    return res


def parse_tap(tree, log):
    """prove / Test::Harness: `name .... ok` lines; the summary report has the last word"""
    res = {}
    for l in open(log, errors="replace"):
        m = re.match(r"(\S+)\s+\(Wstat: ", l)
        if m:
            res[m[1]] = "FAIL"
            continue
        # with --jobs, standard error can stand before the name on the same line
        m = re.search(r"([\w/+-]+(?:\.[\w+-]+)*)\s\.{2,}\s*(ok|skipped|FAILED|Dubious|Failed|\d+/\d+ \?)", l)
        if m and res.get(m[1]) != "FAIL":
            res[m[1]] = {"ok": "PASS", "skipped": "SKIP"}.get(m[2], "FAIL")
    return [(s, n) for n, s in res.items()]


def parse_ctest(tree, log):
    res = []
    for l in open(log, errors="replace"):
        m = re.match(
            r"\s*\d+/\d+\s+Test\s+#\d+:\s+(\S+)\s+\.*\s*(\**)(Passed|Failed|Skipped|Timeout|Not Run|Exception|Disabled)?",
            l,
        )
        if m:
            st = "PASS" if m[3] == "Passed" else "SKIP" if m[3] in ("Skipped", "Disabled") else "FAIL"
            res.append((st, m[1]))
    return res


PARSERS = {"automake": parse_automake, "lines": parse_lines, "tap": parse_tap, "ctest": parse_ctest}


def uniq(res):
    """duplicate names get a running number, so that results compare as a map"""
    seen, out = {}, {}
    for st, nm in res:
        n = seen[nm] = seen.get(nm, 0) + 1
        out[nm if n == 1 else "%s #%d" % (nm, n)] = st
    return out


def norm(st):
    return {"XFAIL": "PASS", "PASS": "PASS", "SKIP": "SKIP"}.get(st, "FAIL")


# ---------------------------------------------------------------- steps
class Corpus:
    def __init__(self, rec, opt):
        self.r, self.opt = rec, opt
        self.work = opt.work
        self.src = os.path.join(self.work, "src", rec.name)

    def conf(self):
        o = self.opt
        s = "-".join([o.cc, slug(o.cflags), slug(o.ldflags)] + (["noshared"] if o.no_shared else []))
        return re.sub("[-_]+", "-", s).strip("-")

    def fetch(self):
        r = self.r
        stamp = self.src + ".ok"
        if os.path.exists(stamp):
            return 0.0
        t = time.monotonic()
        self.deps()
        dl = os.path.join(self.work, "dl")
        os.makedirs(dl, exist_ok=True)
        shutil.rmtree(self.src, ignore_errors=True)
        os.makedirs(os.path.dirname(self.src), exist_ok=True)
        if r.SRC:
            dsc = download(r.SRC, dl)
            if r.SRCPART:  # a part of a huge source: these members of the upstream tarball, unpatched
                os.makedirs(self.src)
                orig = sorted(
                    f
                    for f in glob.glob(os.path.join(dl, glob.escape(r.SRC) + "_*.orig.tar.*"))
                    if not f.endswith(".asc")
                )[-1]
                subprocess.run(
                    ["tar", "-xf", orig, "-C", self.src, "--strip-components=1", "--wildcards"]
                    + r.SRCPART.split(),
                    check=True,
                )
            else:
                unpack(dl, dsc, self.src)
            self.version = dsc
        else:
            os.makedirs(self.src)
        rc, _ = run(
            ["sh", "-ec", '. "$1"; if command -v prep >/dev/null; then prep; fi', "sh", r.path],
            self.src,
            self.env("plain", None),
            self.src + ".prep.log",
            900,
        )
        if rc != 0:
            raise SystemExit("%s: prep failed, see %s.prep.log" % (r.name, self.src))
        open(stamp, "w").write((getattr(self, "version", "") or "") + "\n")
        return time.monotonic() - t

    def deps(self):
        need = self.r.DEPS.split()
        if not need:
            return
        p = subprocess.run(
            ["dpkg-query", "-W", "-f", "${Package} ${db:Status-Status}\n"] + need,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            universal_newlines=True,
        )
        have = {l.split()[0] for l in p.stdout.splitlines() if l.endswith(" installed")}
        miss = [n for n in need if n not in have]
        if miss:
            say("  installing", *miss)
            subprocess.run(
                ["apt-get", "install", "-y", "-qq", "--no-install-recommends"] + miss,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                env=dict(os.environ, DEBIAN_FRONTEND="noninteractive"),
            )

    def env(self, tag, bdir, tests=False):
        o = self.opt
        e = {
            k: v
            for k, v in os.environ.items()
            if k in ("PATH", "TERM", "CORPUS_WORK", "TMPDIR", "APT_CONFIG")
        }
        e.update(
            LC_ALL="C",
            TZ="UTC",
            HOME=os.path.join(self.work, "home"),
            LOGNAME="root",
            USER="root",
            SHELL="/bin/sh",
            CC="cc",
            CXX="c++",
            CFLAGS=o.cflags,
            CXXFLAGS=o.cflags,
            LDFLAGS=o.ldflags,
            JOBS=str(o.jobs),
            MAKEFLAGS="",
            NOSHARED="--disable-shared" if o.no_shared else "",
            CORPUS=HERE,
            WORK=self.work,
            RECIPE=self.r.name,
            TAG=tag,
            CCACHE_DIR=os.path.join(self.work, "ccache"),
            CCACHE_NOHASHDIR="1",
            CCACHE_BASEDIR=self.work,
            CCACHE_MAXSIZE="8G",
            CCACHE_COMPILERCHECK="mtime",
            CORPUS_CC=o.cc,
            VERBOSE="",
            FORCE_UNSAFE_CONFIGURE="1",
            DEBIAN_FRONTEND="noninteractive",
        )
        for n in ("CFLAGS", "CXXFLAGS", "LDFLAGS"):
            if not e[n]:
                del e[n]
        os.makedirs(e["HOME"], exist_ok=True)
        if bdir:
            e["PATH"] = bdir + "/bin:" + e.get("PATH", "/usr/bin:/bin:/usr/sbin:/sbin")
            e["LDDIR"] = bdir + "/lddir"
        for kv in o.env + (o.test_env if tests else []):
            k, _, v = kv.partition("=")
            e[k] = v
        return e

    def compares(self, tag):
        return self.opt.compare and tag != "plain" and self.r.COMPARE != "no"

    def comparing_linker(self, bdir, ld, put):
        """A linker that makes each link by GNU ld and by ld; what differs is in compared/links."""
        folder = bdir + "/compared"
        shutil.rmtree(folder, ignore_errors=True)
        os.makedirs(folder + "/kept")
        for f in folder + "/kept", folder:
            os.chmod(f, 0o777)
        with open(folder + "/run.json", "w") as f:
            json.dump({"mode": self.opt.mode, "ld": "/usr/bin/ld", "ldx": ld, "own": bdir + "/lddir", "same": self.opt.same,
                       "results": folder + "/links", "keep": folder + "/kept"}, f)
        put(folder + "/ld", '#!/bin/sh\nPEERS_RUN=%s/run.json exec /usr/bin/python3 %s "$@"\n' % (folder, LINK))
        return folder + "/ld"

    def compared(self, bdir):
        """The number of links that were compared, and what differs in them."""
        n, found = 0, []
        if not os.path.exists(bdir + "/compared/links"):
            return 0, []
        with open(bdir + "/compared/links", errors="replace") as f:
            for line in f:
                link = json.loads(line.partition("\t")[2])
                n += 1
                if link["differences"]:
                    found.append("%s: %s (%s)" % (link["out"], " | ".join(link["differences"][:3]), link["kept"]))
        return n, found

    def shims(self, bdir, ld, tag):
        o = self.opt
        shutil.rmtree(bdir + "/bin", ignore_errors=True)
        shutil.rmtree(bdir + "/lddir", ignore_errors=True)
        os.makedirs(bdir + "/bin")
        os.makedirs(bdir + "/lddir")

        def put(path, text):
            with open(path, "w") as f:
                f.write(text)
            os.chmod(path, 0o755)

        if self.compares(tag):
            ld = self.comparing_linker(bdir, ld, put)
        put(bdir + "/lddir/ld", LD_SHIM.replace("@LD@", ld).replace("@LOG@", bdir + "/links.log"))
        open(bdir + "/links.log", "a").close()
        os.chmod(bdir + "/links.log", 0o666)
        ccache = shutil.which("ccache") or ""
        gcc, gxx = ("/usr/bin/gcc", "/usr/bin/g++")
        cl, clx = ("/usr/bin/clang-19", "/usr/bin/clang++-19")
        cc, cxx = (gcc, gxx) if o.cc == "gcc" else (cl, clx)
        names = {
            "cc": cc,
            "c++": cxx,
            "gcc": gcc,
            "g++": gxx,
            "c99": cc + " -std=gnu99",
            "gcc-12": gcc,
            "g++-12": gxx,
            "x86_64-linux-gnu-gcc": gcc,
            "x86_64-linux-gnu-g++": gxx,
            "clang": cl,
            "clang++": clx,
            "clang-19": cl,
            "clang++-19": clx,
        }
        if o.cc == "clang":
            names.update({"gcc": cl, "g++": clx})
        for n, real in names.items():
            put(
                bdir + "/bin/" + n,
                CC_SHIM.replace("@CO@", COMPILE_ONLY)
                .replace("@CCACHE@", ccache)
                .replace("@REAL@", real)
                .replace("@DIR@", bdir + "/lddir"),
            )
        if o.path_ld:
            os.symlink(bdir + "/lddir/ld", bdir + "/bin/ld")

    def build(self, tag, ld):
        bdir = os.path.join(self.work, "build", self.conf(), tag, self.r.name)
        tree = bdir + "/tree"
        keep = tag == "plain" or self.opt.rerun or self.opt.reparse
        if os.path.exists(bdir + "/built") and self.opt.relink and tag != "plain":
            return self.relink(tag, ld, bdir, tree)
        if os.path.exists(bdir + "/built") and keep and not self.opt.rebuild:
            try:
                return bdir, Secs(*map(float, open(bdir + "/built").read().split())), True
            except (ValueError, IndexError):
                pass
        shutil.rmtree(bdir, ignore_errors=True)
        os.makedirs(bdir)
        self.shims(bdir, ld, tag)
        subprocess.run(["cp", "-a", self.src, tree], check=True)
        to = self.timeout(tag, "TIMEOUT", 900)
        rc, t = run(self.cmd("build"), tree, self.env(tag, bdir), bdir + "/build.log", to)
        if rc != 0:
            return bdir, None, False
        open(bdir + "/built", "w").write("%.1f %.1f\n" % (t, t.cpu))
        return bdir, t, False

    def relink(self, tag, ld, bdir, tree):
        """delete every linked output (and libtool's files that stand for them), make again"""
        for l in open(bdir + "/links.log", errors="replace"):
            p = l.rstrip("\n").split(" ", 2)
            if (
                len(p) < 3
                or p[1] not in ("exe", "so", "rel")
                or "conftest" in p[2]
                or not p[2].startswith(tree + "/")
            ):
                continue
            d, b = os.path.split(p[2])
            l = [p[2]]
            if os.path.basename(d) == ".libs":
                u = os.path.dirname(d)
                l += [os.path.join(u, re.sub(r"\.so.*", ".la", b)), os.path.join(u, b)]
            for f in l:
                if os.path.isfile(f):
                    os.unlink(f)
        open(bdir + "/links.log", "w").close()
        os.chmod(bdir + "/links.log", 0o666)
        self.shims(bdir, ld, tag)
        e = self.env(tag, bdir)
        e["RELINK"] = "1"
        rc, t = run(self.cmd("build"), tree, e, bdir + "/build.log", self.timeout(tag, "TIMEOUT", 900))
        if rc != 0:
            return bdir, None, False
        open(bdir + "/built", "w").write("%.1f %.1f\n" % (t, t.cpu))
        return bdir, t, False

    def timeout(self, tag, key, dflt):
        if self.opt.timeout:
            return self.opt.timeout
        t = int(self.r.v.get(key) or dflt)
        return t if tag == "plain" else 5 * t

    def cmd(self, fn):
        c = ["sh", "-c", ("set -e; " if fn == "build" else "") + '. "$1"; ' + fn, "sh", self.r.path]
        if self.r.AS_USER and fn == "runtests":
            u = self.r.AS_USER
            c = ["setpriv", "--reuid=" + u, "--regid=65534", "--clear-groups"] + c
        return c

    def test(self, tag, bdir):
        tree = bdir + "/tree"
        if not self.opt.reparse:
            for f in glob.glob(tree + "/**/*.trs", recursive=True):
                os.unlink(f)
        if self.r.AS_USER:
            subprocess.run(["chown", "-R", self.r.AS_USER, tree])
        if self.opt.reparse:
            old = open(bdir + "/tested").read().split()
            rc, t = old[1], Secs(float(old[0]), float((old + ["0"])[2]))
        else:
            rc, t = run(
                self.cmd("runtests"),
                tree,
                self.env(tag, bdir, True),
                bdir + "/test.log",
                self.timeout(tag, "TTIMEOUT", 900),
                isolate=True,
            )
        p = self.r.PARSE or "func"
        if p in PARSERS:
            res = PARSERS[p](tree, bdir + "/test.log")
        else:
            q = subprocess.run(
                ["sh", "-c", '. "$1"; results < "$2"', "sh", self.r.path, bdir + "/test.log"],
                cwd=tree,
                stdout=subprocess.PIPE,
                env=self.env(tag, bdir),
            )
            res = []
            for l in q.stdout.decode(errors="replace").splitlines():
                st, _, nm = l.strip().partition(" ")
                if st in ("PASS", "FAIL", "SKIP", "XFAIL", "XPASS", "ERROR"):
                    res.append((st, nm.strip()))
        res = uniq(res)
        if rc == "TIMEOUT":
            res["(the test run was stopped after its time limit)"] = "FAIL"
        with open(bdir + "/results.tmp", "w") as f:
            for nm in sorted(res):
                f.write("%s\t%s\n" % (norm(res[nm]), nm))
        os.replace(bdir + "/results.tmp", bdir + "/results")
        open(bdir + "/tested", "w").write("%.1f %s %.1f\n" % (t, rc, t.cpu))
        return {n: norm(s) for n, s in res.items()}, t, rc

    @staticmethod
    def load(f):
        d = {}
        for l in open(f, errors="replace"):
            st, _, nm = l.rstrip("\n").partition("\t")
            d[nm] = st
        return d

    def links(self, bdir):
        c = {"exe": 0, "so": 0, "rel": 0, "conf": 0, "fail": 0}
        outs = []
        for l in open(bdir + "/links.log", errors="replace"):
            p = l.rstrip("\n").split(" ", 2)
            if len(p) < 3 or p[1] == "ver":
                continue
            rc, k, o = p
            b = os.path.basename(o)
            if (
                "conftest" in o
                or "CMakeFiles" in o
                or "CMakeTmp" in o
                or "TryCompile" in o
                or "cmTC_" in o
                or "meson-private" in o
            ):
                c["conf"] += 1
                continue
            if rc != "0":
                c["fail"] += 1
                continue
            c[k] = c.get(k, 0) + 1
            if k in ("exe", "so"):
                outs.append(o)
        return c, outs

    def detect(self, outs, bdir):
        """were the outputs really made by the linker under test?"""
        o = self.opt
        bad, n = [], 0
        if not (o.expect_comment or o.expect_section):
            return None
        if outs and not any(map(os.path.exists, outs)):  # deleted after their test: link a probe
            subprocess.run(
                ["sh", "-c", 'echo "int main(void){return 0;}" >p.c && bin/cc p.c -o probe'],
                cwd=bdir,
                env=self.env(o.tag, bdir),
            )
            outs = [bdir + "/probe"]
        for f in sorted(set(outs)):
            if not os.path.exists(f):
                continue
            n += 1
            if o.expect_comment:
                p = subprocess.run(
                    ["readelf", "-p", ".comment", f], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
                )
                if o.expect_comment.encode() not in p.stdout:
                    bad.append(f)
                    continue
            if o.expect_section:
                p = subprocess.run(["readelf", "-SW", f], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
                if (" " + o.expect_section + " ").encode() not in p.stdout:
                    bad.append(f)
        return n, bad

    def one(self, tag, ld):
        bdir, bt, cached = self.build(tag, ld)
        if bt is None:
            return dict(bdir=bdir, ok=False)
        if self.opt.build_only:
            return dict(bdir=bdir, ok=True, bt=bt, cached=cached, res={}, tt=0, rc=0)
        res, tt, rc = self.test(tag, bdir)
        return dict(bdir=bdir, ok=True, bt=bt, cached=cached, res=res, tt=tt, rc=rc)

    def go(self):
        o, r = self.opt, self.r
        say("== %s (%s) tag %s" % (r.name, self.conf(), o.tag))
        ft = self.fetch()
        base = None
        pb = os.path.join(self.work, "build", self.conf(), "plain", r.name)
        if o.rebaseline:
            shutil.rmtree(pb, ignore_errors=True)
        if not o.no_baseline and o.tag != "plain":
            if not os.path.exists(pb + "/results"):
                sv = o.rebuild
                o.rebuild = False
                say("  making the plain baseline")
                b = self.one("plain", "/usr/bin/ld")
                o.rebuild = sv
                if not b["ok"]:
                    say("  the plain build FAILED, see %s/build.log" % b["bdir"])
                    return False
            base = self.load(pb + "/results")
        elif o.tag == "plain" and os.path.exists(pb + "/results"):
            base = self.load(pb + "/results")
            shutil.copy(pb + "/results", pb + "/results.prev")
        ld = os.path.join(o.linker_dir, "ld") if o.linker_dir else "/usr/bin/ld"
        x = self.one(o.tag, ld)
        if not x["ok"]:
            say("  BUILD FAILED with %s; log %s/build.log" % (ld, x["bdir"]))
            subprocess.run(["tail", "-n", "8", x["bdir"] + "/build.log"])
            if os.path.exists(x["bdir"] + "/links.log.failed"):
                say("  failed links: %s/links.log.failed" % x["bdir"])
            self.summary(ft, x, None, "BUILDFAIL")
            return False
        res = x["res"]
        n = {k: sum(1 for s in res.values() if s == k) for k in ("PASS", "FAIL", "SKIP")}
        lc, outs = self.links(x["bdir"])
        ok, why = True, []
        if base is not None:
            flaky = re.compile(r.FLAKY) if r.FLAKY else None
            reg = [t for t, s in base.items() if s == "PASS" and res.get(t) == "FAIL"]
            gone = [t for t, s in base.items() if t not in res]
            skp = [t for t, s in base.items() if s == "PASS" and res.get(t) == "SKIP"]
            new = [t for t in res if t not in base]
            fixed = [t for t, s in base.items() if s == "FAIL" and res.get(t) == "PASS"]
            for kind, l, bad in (
                ("REGRESSED", reg, 1),
                ("MISSING", gone, 1),
                ("NOW-SKIPPED", skp, 1),
                ("NEW", new, 0),
                ("FIXED", fixed, 0),
            ):
                for t in sorted(l):
                    fl = flaky and flaky.search(t)
                    why.append("  %s%s %s" % (kind, " (known flaky)" if fl else "", t))
                    if bad and not fl:
                        ok = False
        say(
            "  fetch %.0f s, build %.1f s (cpu %.0f)%s, test %.1f s (cpu %.0f, rc %s); links: %d exe, %d so, %d -r, %d failed, %d configure probes"
            % (
                ft,
                x["bt"],
                x["bt"].cpu,
                " (cached)" if x["cached"] else "",
                x["tt"],
                getattr(x["tt"], "cpu", 0),
                x["rc"],
                lc["exe"],
                lc["so"],
                lc["rel"],
                lc["fail"],
                lc["conf"],
            )
        )
        for l in why[:40]:
            say(l)
        if len(why) > 40:
            say("  ... %d more" % (len(why) - 40))
        d = self.detect(outs, x["bdir"])
        if d:
            say("  detection: %d outputs, %d without the mark %s" % (d[0], len(d[1]), " ".join(d[1][:5])))
            if d[1] or not d[0]:
                ok = False
        if self.compares(o.tag):
            n_links, differing = self.compared(x["bdir"])
            say("  %d links compared with GNU ld's, %d differ" % (n_links, len(differing)))
            for line in differing[:20]:
                say("    " + line)
            ok = ok and n_links and not differing
        if not res and not o.build_only:
            say("  NO TEST RESULTS PARSED")
            ok = False
        if lc["exe"] + lc["so"] == 0:
            say("  NOTE: no link went through the linker under test")
            ok = False
        verdict = (
            "no baseline"
            if base is None
            else "same as baseline"
            if ok and not why
            else "no regression"
            if ok
            else "DIFFERS FROM BASELINE"
        )
        say("  %s: %s" % (r.name, verdict if base is not None or ok else "BAD"))
        say("%d passed, %d failed, %d skipped" % (n["PASS"], n["FAIL"], n["SKIP"]))
        self.summary(ft, x, n, verdict, lc)
        return ok

    def summary(self, ft, x, n, verdict, lc=None):
        if not self.opt.summary:
            return
        with open(self.opt.summary, "a") as f:
            f.write(
                "\t".join(
                    str(v)
                    for v in [
                        self.r.name,
                        self.conf(),
                        self.opt.tag,
                        "%.0f" % ft,
                        "%.1f" % (x.get("bt") or -1),
                        x.get("cached"),
                        "%.1f" % x.get("tt", -1),
                        "%.0f" % getattr(x.get("bt"), "cpu", 0),
                        "%.0f" % getattr(x.get("tt"), "cpu", 0),
                        *([n["PASS"], n["FAIL"], n["SKIP"]] if n else ["", "", ""]),
                        verdict,
                        *([lc["exe"], lc["so"], lc["rel"], lc["fail"]] if lc else []),
                    ]
                )
                + "\n"
            )


def main():
    ap = argparse.ArgumentParser(usage=__doc__)
    ap.add_argument("names", nargs="+")
    ap.add_argument("--linker-dir")
    ap.add_argument("--tag")
    ap.add_argument("--cc", default="gcc", choices=["gcc", "clang"])
    ap.add_argument("--cflags", default="-O2 -g")
    ap.add_argument("--ldflags", default="")
    ap.add_argument("--no-shared", action="store_true")
    ap.add_argument("--compare", action="store_true")
    ap.add_argument("--mode", default="edges")
    ap.add_argument("--same", default=SAME)
    ap.add_argument("--path-ld", action="store_true")
    ap.add_argument("--rebuild", action="store_true")
    ap.add_argument("--rerun", action="store_true")
    ap.add_argument("--relink", action="store_true")
    ap.add_argument("--reparse", action="store_true")
    ap.add_argument("--rebaseline", action="store_true")
    ap.add_argument("--no-baseline", action="store_true")
    ap.add_argument("--build-only", action="store_true")
    ap.add_argument("--expect-comment")
    ap.add_argument("--expect-section")
    ap.add_argument("--env", action="append", default=[])
    ap.add_argument("--test-env", action="append", default=[])
    ap.add_argument("--jobs", type=int, default=2)
    ap.add_argument("--timeout", type=int)
    ap.add_argument("--work", default=os.environ.get("CORPUS_WORK") or WORK)
    ap.add_argument("--summary")
    argv, it = [], iter(sys.argv[1:])
    for a in it:  # let values begin with a dash
        argv.append(a + "=" + next(it, "") if a in ("--cflags", "--ldflags", "--env", "--test-env") else a)
    o = ap.parse_args(argv)
    o.work = os.path.abspath(o.work)
    if o.linker_dir:
        o.linker_dir = os.path.abspath(o.linker_dir)
        if not os.access(o.linker_dir + "/ld", os.X_OK):
            ap.exit(2, "no executable %s/ld\n" % o.linker_dir)
    o.tag = o.tag or (slug(os.path.basename(o.linker_dir)) if o.linker_dir else "plain")
    if o.linker_dir and o.tag == "plain":
        o.tag = "plain-lut"
    allr = recipes()
    if o.names[0] == "list":
        for n, f in allr.items():
            r = Recipe(f)
            say("%-18s %-16s %s" % (n, r.SRC, r.FEATURES))
        return 0
    todo = []
    for n in o.names:
        if n == "all":
            todo += list(allr)
        elif n in allr:
            todo.append(n)
        else:
            ap.exit(2, "unknown corpus %s\n" % n)
    good = bad = 0
    for n in todo:
        try:
            ok = Corpus(Recipe(allr[n]), o).go()
        except (SystemExit, subprocess.CalledProcessError, OSError) as e:
            say("  ERROR %s: %s" % (n, e))
            ok = False
        good, bad = good + bool(ok), bad + (not ok)
    if len(todo) > 1:
        say("packages: %d good, %d bad" % (good, bad))
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
