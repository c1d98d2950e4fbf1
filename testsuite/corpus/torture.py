#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Run GCC testsuite execution tests without DejaGnu.

  torture.py --dir TESTSUITE [--cc CC] [--opts "-O0;-O2"] [--link "-B DIR/"] [--run "qemu-x -L ..."]
             [--cache DIR] [--jobs 2] [--timeout 30] SUBDIR-or-FILE...

Runs every test whose mode is `run` (gcc.c-torture/execute: all of them) with every
option set, honouring the common dg directives (dg-options, dg-additional-options,
dg-additional-sources, dg-skip-if / dg-require-* / target selectors evaluated for
this host).  Objects are cached under --cache, keyed by compiler, options and source,
so that a rerun with another linker only links and runs.  Prints one line a test:
PASS / FAIL (link, signal, exit status) / SKIP (does not compile or not for this target).
"""
import argparse, concurrent.futures as cf, hashlib, os, re, shlex, signal, subprocess, sys, tempfile, glob, shutil

ap = argparse.ArgumentParser(usage=__doc__)
ap.add_argument("--dir", required=True)
ap.add_argument("--cc", default="gcc")
ap.add_argument("--cxx", default="g++")
ap.add_argument("--fc", default="gfortran-12")
ap.add_argument("--opts", default="-O0;-O1;-O2;-O3 -g;-Os")
ap.add_argument("--link", default="")
ap.add_argument("--run", default="")
ap.add_argument("--cache", default="/tmp/torture-cache")
ap.add_argument("--jobs", type=int, default=2)
ap.add_argument("--timeout", type=float, default=30)
ap.add_argument("--keep", default="", help="keep executables here")
ap.add_argument("--shard", default="0/1", help="I/N: run every Nth test, starting at I")
ap.add_argument("--match", default="")
ap.add_argument(
    "--exclude",
    default="/(asan|hwasan|tsan|ubsan|gcov|guality|plugin|goacc|goacc-gomp|pch|compat|modules|lto|analyzer|simulate-thread|simulate|special)/",
    help="directories whose .exp file does more than compile, link and run",
)
ap.add_argument("what", nargs="+")
argv, it = [], iter(sys.argv[1:])
for a in it:  # let values begin with a dash
    argv.append(a + "=" + next(it, "") if a in ("--opts", "--link", "--run", "--cc", "--cxx", "--fc") else a)
o = ap.parse_args(argv)
HOST = subprocess.run([o.cc, "-dumpmachine"], stdout=subprocess.PIPE, universal_newlines=True).stdout.strip()
ARCH = HOST.split("-")[0]
CPU = open("/proc/cpuinfo").read().split("flags", 1)[-1].split("\n", 1)[0].split() if ARCH == "x86_64" else []

# effective targets that hold here; anything unknown is taken to hold, and the
# compile then decides (a test that does not compile is skipped)
FALSE = set(
    """ilp32 ia32 int16 avr mingw32 cygwin darwin aix solaris rtems vxworks simulator freestanding bare_metal
 keeps_null_pointer_checks ptr_eq_short size20plus_not no_trampolines lp64_not x32 llp64 nonpic_not dfp_fake
 vect_cmdline_needed powerpc* sparc* spu hppa* alpha* ia64* s390* m68k* arm*-*-* avr-*-* hurd* size16 int32plus_not
 default_packed short_enums signed_char_not unwrapped_not untyped_assembly_not offload_device openacc_nvidia_accel_selected
 avx512er avx512pf avx5124fmaps avx5124vnniw sse4a_no xop fma4 tbm 3dnow nodump""".split()
)
TRUE = set(
    """lp64 run-not-x int32 int32plus int128 size32plus ptr32plus fpic pie native tls tls_native tls_runtime pthread
 fopenmp_no label_values indirect_jumps trampolines alloca nonlocal_goto exceptions exceptions_enabled stdint_types c99_runtime
 weak_undefined hosted float128 float128_runtime x87 mmap stack_size big_endian_no little_endian signal fenv_exceptions fenv wchar
 c++11 c++14 c++17 c++98_only_no rtti stdlib lto fgraphite_no sse2 sse2_runtime sse sse3 ssse3 sse4 avx avx2 avx512f""".split()
)


def selector(s):
    """evaluate a target selector such as {{ x86_64-*-* i?86-*-* } && { ! ia32 }}"""
    s = s.strip()
    tok = re.findall(r"\{|\}|&&|\|\||!|[^\s{}!&|]+", s)
    pos = 0

    def atom(name):
        if name in ("target", "xfail"):
            return None
        if "*-*" in name or re.match(r"^[a-z0-9_?*\[\]]+-[^ ]*-", name):
            import fnmatch

            return fnmatch.fnmatch(
                HOST if HOST.count("-") == 3 else HOST.replace("-linux", "-unknown-linux"), name
            ) or fnmatch.fnmatch(ARCH + "-pc-linux-gnu", name)
        if name in FALSE:
            return False
        if name.startswith("avx512") and ARCH == "x86_64":
            return name in CPU or name.replace("avx512", "avx512_") in CPU or True
        return True

    def terms():
        """The value of terms up to a closing brace or the end; a plain list means any."""
        nonlocal pos
        v = None
        while pos < len(tok) and tok[pos] != "}":
            op = tok[pos] if tok[pos] in ("&&", "||") else None
            if op:
                pos += 1
            w = term()
            if op == "&&":
                v = v and w
            elif op or w is not None:
                v = v or w
        return True if v is None else v

    def term():
        nonlocal pos
        if pos >= len(tok):
            return True
        t = tok[pos]
        if t == "!":
            pos += 1
            return not term()
        if t == "{":
            pos += 1
            v = terms()
            pos += 1
            return v
        pos += 1
        return atom(t)

    try:
        return bool(terms())
    except IndexError:
        return True


def braces(s, i):
    """words of the directive that starts at s[i] == '{'"""
    d, j, words, cur, q = 0, i, [], "", False
    while j < len(s):
        c = s[j]
        if q:
            if c == "\\" and j + 1 < len(s):
                cur += s[j + 1]
                j += 1
            elif c == '"':
                q = False
                words.append(cur)
                cur = ""
            else:
                cur += c
        elif c == '"' and d == 1:
            q = True
        elif c == "{":
            d += 1
            if d > 1:
                cur += c
        elif c == "}":
            d -= 1
            if d == 0:
                if cur.strip():
                    words.append(cur.strip())
                return words, j
            cur += c
            if d == 1:
                words.append(cur.strip())
                cur = ""
        elif c.isspace() and d == 1:
            if cur.strip():
                words.append(cur.strip())
            cur = ""
        else:
            cur += c
        j += 1
    return words, j


def directives(text):
    for m in re.finditer(r"\{\s*dg-[a-z-]+", text):
        w, _ = braces(
            text[: text.find("\n", m.start()) if text.find("\n", m.start()) > 0 else None], m.start()
        )
        if w:
            yield w


def split(s):
    try:
        return shlex.split(s)
    except ValueError:
        return s.split()


def unbrace(s):
    return s[1:-1].strip() if s.startswith("{") and s.endswith("}") else s


class Test:
    def __init__(self, path):
        self.path = path
        self.rel = os.path.relpath(path, o.dir)
        text = open(path, errors="replace", encoding="latin-1").read()
        self.opts, self.add, self.src, self.libs = None, [], [], []
        self.skip = None
        self.xopts = []
        torture = "c-torture" in path or "fortran-torture" in path
        mode = "run" if torture else "compile"
        self.status = 0
        for w in directives(text):
            d, a = w[0], w[1:]
            if d == "dg-do":
                mode = a[0] if a else mode
                if (
                    len(a) > 1
                    and a[1].startswith("{")
                    and not selector(
                        re.sub(r"^target\b", "", unbrace(a[1]).strip())
                        if unbrace(a[1]).startswith("target")
                        else ("! {" + unbrace(a[1])[5:] + "}")
                        if unbrace(a[1]).startswith("xfail")
                        else unbrace(a[1])
                    )
                ):
                    self.skip = "target"
            elif d in ("dg-options", "dg-additional-options", "dg-torture-options"):
                if len(a) > 1 and not selector(re.sub(r"^target\b", "", unbrace(a[1]))):
                    continue
                if not a:
                    continue
                if d == "dg-options":
                    self.opts = split(unbrace(a[0]))
                elif d == "dg-additional-options":
                    self.add += split(unbrace(a[0]))
            elif d == "dg-additional-sources":
                self.src += unbrace(a[0]).split() if a else []
            elif d == "dg-skip-if":
                if (
                    len(a) > 1
                    and selector(unbrace(a[1]))
                    and (len(a) < 3 or unbrace(a[2]) in ("*", '"*"', "") or a[2] == '{ "*" }')
                ):
                    self.skip = "skip-if"
            elif d == "dg-require-effective-target":
                if a and not selector(unbrace(a[0])):
                    self.skip = "effective target " + a[0]
            elif d in ("dg-require-profiling", "dg-require-dll", "dg-require-cygwin"):
                self.skip = d
            elif d == "dg-shouldfail":
                self.status = 1
            elif d == "dg-final" and False:
                pass
        if "/builtins/" in path:
            if "/lib/" in path or path.endswith("-lib.c"):
                mode = "part of another test"
            else:
                self.src = [os.path.basename(path)[:-2] + "-lib.c", "lib/main.c"]
                self.add += "-fno-tree-dse -fno-tree-loop-distribute-patterns -fno-tracer -fno-ipa-ra -fno-inline-functions".split()
        if "/gomp/" in path:
            self.add.append("-fopenmp")
        if mode != "run":
            self.skip = "mode " + mode
        x = re.sub(r"\.\w+$", ".x", path)
        if os.path.exists(x):
            xt = open(x).read()
            m = re.findall(r'set\s+additional_flags\s+"([^"]*)"', xt)
            if m and "istarget" not in xt:
                self.xopts = split(m[-1])
            elif m and "i?86" in xt and ARCH == "x86_64":
                self.xopts = split(m[-1])
            if re.search(r"^\s*return 1", xt, re.M) and "istarget" not in xt and "if " not in xt:
                self.skip = ".x file"

    def objs(self, opt):
        """compile (or take from the cache); None if it does not compile"""
        cxx = self.path.endswith((".C", ".cc"))
        f90 = self.path.lower().endswith((".f90", ".f", ".f95", ".f03", ".f08"))
        drv = (o.cxx if cxx else o.fc if f90 else o.cc).split()
        fl = opt.split() + (self.opts or []) + self.add + self.xopts
        cf_ = [x for x in fl if not x.startswith(("-l", "-Wl,", "-static", "-shared", "-rdynamic"))]
        self_l = [
            x
            for x in fl
            if x.startswith(
                ("-l", "-Wl,", "-static", "-rdynamic", "-pthread", "-fopenmp", "-m", "-f", "-pie", "-no-pie")
            )
        ]
        out = []
        for s in [self.path] + [os.path.join(os.path.dirname(self.path), x) for x in self.src]:
            lang = ["-w"] if not f90 else ["-w", "-ffree-line-length-none"]
            if cxx and not any(x.startswith("-std") for x in cf_):
                lang.append("-std=gnu++17")
            h = hashlib.sha1(" ".join(drv + lang + cf_ + [s]).encode()).hexdigest()
            d = os.path.join(o.cache, h[:2])
            obj = os.path.join(d, h + ".o")
            if os.path.exists(obj + ".bad"):
                return None, self_l, drv
            if not os.path.exists(obj):
                os.makedirs(d, exist_ok=True)
                tmp = "%s.%d.tmp.o" % (obj, os.getpid())
                try:
                    p = subprocess.run(
                        drv
                        + lang
                        + cf_
                        + ["-I", os.path.dirname(self.path), "-c", s, "-o", tmp]
                        + (["-J", tempfile.gettempdir()] if f90 else []),
                        stdin=subprocess.DEVNULL,
                        stdout=subprocess.DEVNULL,
                        stderr=subprocess.DEVNULL,
                        timeout=120,
                    )
                    ok = p.returncode == 0 and os.path.exists(tmp)
                except subprocess.TimeoutExpired:
                    ok = False
                if not ok:
                    open(obj + ".bad", "w").close()
                    return None, self_l, drv
                os.replace(tmp, obj)
            out.append(obj)
        return out, self_l, drv


def one(t, opt, tmp):
    nm = "%s %s" % (t.rel, opt)
    if t.skip:
        return "SKIP: %s" % nm
    ob, ll, drv = t.objs(opt)
    if ob is None:
        return "SKIP: %s" % nm
    exe = os.path.join(tmp, hashlib.sha1(nm.encode()).hexdigest()[:16])
    try:
        try:
            p = subprocess.run(
                drv + shlex.split(opt) + o.link.split() + ob + ll + ["-lm", "-o", exe],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                timeout=120,
            )
        except subprocess.TimeoutExpired:
            return "FAIL: %s (link hangs)" % nm
        if p.returncode:
            return "FAIL: %s (link: %s)" % (
                nm,
                p.stdout.decode(errors="replace").strip().split("\n")[0][:200],
            )
        wd = tempfile.mkdtemp(dir=tmp)
        try:
            q = subprocess.Popen(
                o.run.split() + [exe],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                start_new_session=True,
                cwd=wd,
            )
            try:
                rc = q.wait(o.timeout)
            except subprocess.TimeoutExpired:
                os.killpg(q.pid, signal.SIGKILL)
                q.wait()
                return "FAIL: %s (timeout)" % nm
        finally:
            shutil.rmtree(wd, ignore_errors=True)
        if (rc != 0) != bool(t.status):
            return "FAIL: %s (%s)" % (nm, "signal %d" % -rc if rc < 0 else "exit %d" % rc)
        return "PASS: %s" % nm
    finally:
        if not o.keep and os.path.exists(exe):
            os.unlink(exe)


def tests():
    files = []
    for w in o.what:
        p = os.path.join(o.dir, w)
        if os.path.isdir(p):
            for dp, dn, fn in os.walk(p):
                dn.sort()
                files += [os.path.join(dp, f) for f in sorted(fn) if f.endswith((".c", ".C", ".f90", ".f"))]
        else:
            files += sorted(glob.glob(p))
    if o.exclude:
        files = [f for f in files if not re.search(o.exclude, f)]
    if o.match:
        files = [f for f in files if re.search(o.match, f)]
    i, n = map(int, o.shard.split("/"))
    found = [t for t in map(Test, files)]
    return [t for t in found if t.skip is None or not t.skip.startswith("mode")][i::n]


def main():
    tmp = o.keep or tempfile.mkdtemp(prefix="torture.")
    os.makedirs(tmp, exist_ok=True)
    cnt = {}
    try:
        with cf.ThreadPoolExecutor(o.jobs) as ex:
            for r in ex.map(
                lambda a: one(a[0], a[1], tmp), [(t, op) for t in tests() for op in o.opts.split(";")]
            ):
                print(r, flush=True)
                cnt[r[:4]] = cnt.get(r[:4], 0) + 1
    finally:
        if not o.keep:
            shutil.rmtree(tmp, ignore_errors=True)
    print("%d passed, %d failed, %d skipped" % (cnt.get("PASS", 0), cnt.get("FAIL", 0), cnt.get("SKIP", 0)))


if __name__ == "__main__":
    main()
