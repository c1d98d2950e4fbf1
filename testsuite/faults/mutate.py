#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Feed malformed and odd ELF objects to a linker and classify what it does.

  mutate.py [options] -- LINKER [ARG...]        e.g.  mutate.py -- ./build/ld
            (default: bin/ldx of $LDX_STAGE; run as LINKER ARG... -o OUT INPUTS; with --r as LINKER -r ...)

Options
  --only RE       only cases whose name matches
  --random N      N random structure-aware mutations besides the fixed ones (default 300)
  --every N       only every N-th of the fixed cases
  --seed S        seed of the random ones (default 1)
  --r             also run every case with -r            --no-exec  skip the plain mode
  --so            also run every case with -shared
  --timeout S     a run longer than this is a hang (default 20)
  --mem MB        address-space limit (default 4096; 0: none, for sanitizer builds)
  --jobs N        default 2
  --keep DIR      keep the inputs (and a list.tsv) there
  --list          only print the cases
  --only-bad      print only the cases with a bad verdict
  --ref LINKER    run a reference linker too and show its verdict in the next column
  --usual LINKER  the linker that would link without ldx (default ld.bfd)
  --tsv FILE      write every verdict there
  --cxx CXX       compiler for the good object (default g++)

Verdicts
  error       exit status != 0, a message, no output file            (good for bad input)
  ok          exit status 0 and an output file                       (good for valid input)
  ok+warning  the same with a message
  plain       the same, and the message says that the plain link was installed; also for bad
              input that the plain linker takes
  CRASH       killed by a signal, or an assertion / internal error / sanitizer report
  HANG        no end within the limit
  LEFTOVER    failed, but left an output file
  MUTE        failed without a message
  UNNAMED     the message says where something is wrong, but not in which of the inputs
  NO-OUTPUT   exit status 0 but no output file
  ACCEPTED    `ok` for an input that must be rejected
  REJECTED    `error` for an input that is valid
  as-ld       would be one of these, but is the usual linker's own verdict, and of a crash its own
              words: ldx becomes that linker for a link with -r, and leaves to it what LLD refuses
CRASH to REJECTED are bad; the exit status is 1 when there is one.
"""
import argparse
import concurrent.futures as cf
import os
import random
import re
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from mutations import SRC, cases  # noqa: E402


CRASHMSG = re.compile(
    rb"AddressSanitizer|runtime error:|Assertion|assertion fail|internal error|terminate called|PLEASE submit a bug|UndefinedBehaviorSanitizer|LeakSanitizer|Stack dump|core dumped|BFD .* assertion",
    re.I,
)


class Runner:
    def __init__(self, o):
        self.o = o

    def limits(self):
        if self.o.mem:
            resource.setrlimit(resource.RLIMIT_AS, (self.o.mem << 20,) * 2)
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        resource.setrlimit(resource.RLIMIT_FSIZE, (8 << 30,) * 2)

    def run(self, cmd, cwd, pre=None, stdout=subprocess.DEVNULL):
        t = time.monotonic()
        with tempfile.TemporaryFile() as err:
            p = subprocess.Popen(
                cmd,
                cwd=cwd,
                stdin=subprocess.DEVNULL,
                stdout=stdout,
                stderr=err,
                start_new_session=True,
                preexec_fn=pre or self.limits,
            )
            try:
                rc = p.wait(self.o.timeout)
            except subprocess.TimeoutExpired:
                os.killpg(p.pid, signal.SIGKILL)
                p.wait()
                rc = None
            err.seek(0)
            msg = err.read(200000)
        return rc, msg, time.monotonic() - t

    @staticmethod
    def verdict(rc, msg, out_exists, exp):
        if rc is None:
            return "HANG"
        # what ldx says of a linker that crashed
        crashed = CRASHMSG.search(msg) and b"the linker failed: it crashed" not in msg
        # a wrapper script reports a signal as 128 + n
        if rc < 0 or rc in (128 + s for s in (4, 6, 7, 8, 11)) or crashed:
            return "CRASH"
        if rc:
            if out_exists:
                return "LEFTOVER"
            if not msg.strip():
                return "MUTE"
            return "REJECTED" if exp == "ok" else "error"
        if not out_exists:
            return "NO-OUTPUT"
        if b"not instrumented: rewriting failed: (" in msg:
            return "UNNAMED"
        if b"not instrumented" in msg:
            return "plain"
        if exp == "bad":
            return "ACCEPTED"
        return "ok+warning" if msg.strip() else "ok"


BAD = {"CRASH", "HANG", "LEFTOVER", "MUTE", "UNNAMED", "NO-OUTPUT", "ACCEPTED", "REJECTED"}


def files_cases(o, linker, tmp, good, R):
    """input and output files that are not what they should be; each returns (name, verdict, message)"""
    res = []
    ok_in = os.path.join(tmp, "good.o")
    nob = 65534
    isroot = os.geteuid() == 0
    link = ["-e", "main", "--unresolved-symbols=ignore-all"]

    def drop():
        R.limits()
        if isroot:
            os.setgroups([])
            os.setgid(nob)
            os.setuid(nob)

    def case(name, inp, out, exp, pre=None, setup=None, keepout=False, extra=()):
        if o.only and not re.search(o.only, name):
            return
        d = tempfile.mkdtemp(dir=tmp)
        os.chmod(d, 0o777)
        inp = [i.replace("@", d) for i in inp]
        out = out.replace("@", d)
        before = setup(d) if setup else None
        try:
            rc, msg, t = R.run(linker + link + list(extra) + ["-o", out] + inp, d, pre)
        except PermissionError:  # another user cannot reach the linker, as below /root
            print("skipped    exec   ", name)
            return
        exists = os.path.isfile(out) and not keepout
        v = R.verdict(rc, msg, exists if exp != "ok" else os.path.exists(out), exp)
        if keepout and v == "error" and os.path.exists(out) and open(out, "rb").read() != before:
            v = "LEFTOVER"  # the old output was damaged
        res.append((name, v, rc, msg))
        subprocess.run(["rm", "-rf", d])

    case("io/input-missing", ["@/nope.o"], "@/out", "bad")
    case("io/input-directory", ["@"], "@/out", "bad")
    case("io/input-dev-null", ["/dev/null"], "@/out", "any")
    case(
        "io/input-unreadable",
        ["@/u.o"],
        "@/out",
        "bad",
        drop,
        lambda d: (shutil.copy(ok_in, d + "/u.o"), os.chmod(d + "/u.o", 0)),
    )
    case(
        "io/input-dangling-link",
        ["@/l.o"],
        "@/out",
        "bad",
        None,
        lambda d: os.symlink("/nonexistent", d + "/l.o"),
    )
    case("io/input-twice", [ok_in, ok_in], "@/out", "any")
    case("io/lib-missing", [ok_in, "-lnonexistent"], "@/out", "bad")
    case("io/no-input", [], "@/out", "bad")
    case("io/response-file-missing", ["@@nope.rsp".replace("@@", "@")], "@/out", "any")
    case("io/output-dir-missing", [ok_in], "@/no/such/out", "bad")
    case("io/output-is-directory", [ok_in], "@/out", "bad", None, lambda d: os.mkdir(d + "/out"))
    case("io/output-dir-unwritable", [ok_in], "@/ro/out", "bad", drop, lambda d: os.mkdir(d + "/ro", 0o555))
    case("io/output-dev-full", [ok_in], "/dev/full", "bad")
    case("io/output-empty-name", [ok_in], "", "bad")

    def old(d):
        open(d + "/out", "wb").write(b"old output")
        os.chmod(d + "/out", 0o755)
        return b"old output"

    # an existing output must be gone or untouched after an error
    case("io/old-output-on-error", [ok_in, "@/nope.o"], "@/out", "bad", None, old, keepout=True)
    case(
        "io/file-size-limit",
        [ok_in],
        "@/out",
        "bad",
        lambda: (
            R.limits(),
            resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096)),
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN),
        ),
    )
    case(
        "io/open-files-limit-3",
        [ok_in],
        "@/out",
        "any",
        lambda: (R.limits(), resource.setrlimit(resource.RLIMIT_NOFILE, (4, 4))),
    )
    case(
        "io/address-space-64M",
        [ok_in],
        "@/out",
        "any",
        lambda: resource.setrlimit(resource.RLIMIT_AS, (64 << 20, 64 << 20)),
    )
    case("io/stdout-stderr-closed", [ok_in], "@/out", "any", lambda: (R.limits(), os.close(1)))
    if isroot and can_unshare() and (not o.only or re.search(o.only, "io/disk-full")):
        for size in (4, 16, 64, 256):
            # -o into a tiny tmpfs of an own mount name space
            sh = (
                'mount -t tmpfs -o size=%dk none "$1" || exit 77; shift; "$@"; rc=$?; if [ $rc -ne 0 ] && [ -e "$OUT" ]; then echo LEFTOVER >&2; fi; exit $rc'
                % size
            )
            d = tempfile.mkdtemp(dir=tmp)
            os.environ["OUT"] = d + "/out"
            big = os.path.join(tmp, "big.o")
            rc, msg, t = R.run(
                ["unshare", "-m", "sh", "-c", sh, "sh", d] + linker + link + ["-o", d + "/out", big], tmp
            )
            v = R.verdict(rc, msg, b"LEFTOVER" in msg, "bad")
            res.append(("io/disk-full-%dk" % size, "ok" if rc == 0 and size >= 256 else v, rc, msg))
    # killed in the middle: afterwards the output is absent, the old one, or complete
    if not o.only or re.search(o.only, "io/killed"):
        big = os.path.join(tmp, "big.o")
        d = tempfile.mkdtemp(dir=tmp)
        t0 = time.monotonic()
        rc, msg, t = R.run(linker + link + ["-o", d + "/full", big], d)
        if rc == 0:
            want = open(d + "/full", "rb").read()

            def stray():
                return [f for f in os.listdir(d) if f not in ("full", "k")]

            for sg in (signal.SIGKILL, signal.SIGTERM, signal.SIGINT):
                half = 0
                tries = 12
                for k in range(tries):
                    out = d + "/k"
                    open(out, "wb").write(b"old")
                    p = subprocess.Popen(
                        linker + link + ["-o", out, big],
                        cwd=d,
                        stdin=subprocess.DEVNULL,
                        stdout=subprocess.DEVNULL,
                        stderr=subprocess.DEVNULL,
                        start_new_session=True,
                    )
                    time.sleep(t * (k + 0.5) / tries)
                    try:
                        os.killpg(p.pid, sg)
                    except ProcessLookupError:
                        pass
                    p.wait()
                    if os.path.exists(out):
                        b = open(out, "rb").read()
                        if b != b"old" and b != want and os.access(out, os.X_OK):
                            half += 1
                        os.unlink(out)
                # after SIGKILL another process tidies up, a moment later
                left, end = stray(), time.monotonic() + 10
                while left and time.monotonic() < end:
                    time.sleep(0.01)
                    left = stray()
                for f in left:
                    shutil.rmtree(os.path.join(d, f)) if os.path.isdir(os.path.join(d, f)) else os.unlink(
                        os.path.join(d, f)
                    )
                # SIGKILL may come before that process is there: then only half an executable is wrong
                if sg != signal.SIGKILL:
                    half += len(left)
                res.append(
                    (
                        "io/killed-%s" % sg.name,
                        "LEFTOVER" if half else "error",
                        -sg,
                        b"%d of %d kills left a half-written executable; %d stray files"
                        % (half, tries, len(left)),
                    )
                )
        else:
            res.append(("io/killed", "REJECTED", rc, msg))
    return res


def can_unshare():
    """An own mount name space: not in every container."""
    return (
        bool(shutil.which("unshare"))
        and subprocess.call(["unshare", "-m", "true"], stderr=subprocess.DEVNULL) == 0
    )


def guard_devices():
    """As root, go on in an own mount name space where the devices are mount points, so
    that no linker under test can unlink them."""
    if os.geteuid() == 0 and can_unshare() and not os.environ.get("MUTATE_GUARDED"):
        os.environ["MUTATE_GUARDED"] = "1"
        os.execvp(
            "unshare",
            [
                "unshare",
                "-m",
                "sh",
                "-c",
                "for d in null zero full tty random urandom; do mount --bind /dev/$d /dev/$d; done 2>/dev/null; exec \"$@\"",
                "sh",
                sys.executable,
            ]
            + sys.argv,
        )


def main():
    guard_devices()
    ap = argparse.ArgumentParser(usage=__doc__)
    ap.add_argument("--only")
    ap.add_argument("--random", type=int, default=300)
    ap.add_argument("--every", type=int, default=1)
    ap.add_argument("--seed", type=int, default=1)
    ap.add_argument("--r", action="store_true")
    ap.add_argument("--so", action="store_true")
    ap.add_argument("--no-exec", action="store_true")
    ap.add_argument("--timeout", type=float, default=20)
    ap.add_argument("--mem", type=int, default=4096)
    ap.add_argument("--jobs", type=int, default=2)
    ap.add_argument("--keep")
    ap.add_argument("--list", action="store_true")
    ap.add_argument("--only-bad", action="store_true")
    ap.add_argument("--ref")
    ap.add_argument("--usual", default="ld.bfd")
    ap.add_argument("--tsv")
    ap.add_argument("--cxx", default="g++")
    ap.add_argument("linker", nargs=argparse.REMAINDER)
    o = ap.parse_args()
    linker = o.linker[1:] if o.linker[:1] == ["--"] else o.linker
    if not linker and not o.list:
        linker = [os.path.join(os.environ.get("LDX_STAGE", ""), "bin", "ldx")]
        if not os.access(linker[0], os.X_OK):
            print("skipped: no linker; ./dev build first")
            return 77
    if linker and "/" in linker[0]:
        linker[0] = os.path.abspath(linker[0])
    tmp = o.keep or tempfile.mkdtemp(prefix="mutate.")
    os.makedirs(tmp, exist_ok=True)
    os.chmod(tmp, 0o755)
    tmp = os.path.abspath(tmp)
    try:
        src = os.path.join(tmp, "good.cc")
        open(src, "w").write(SRC)
        subprocess.run([o.cxx, "-O1", "-g", "-fPIC", "-c", src, "-o", tmp + "/good.o"], check=True)
        with open(tmp + "/big.s", "w") as f:
            f.write(".globl main\nmain: ret\n.data\n")
            for k in range(200000):
                f.write(".quad main+%d\n" % k)
        subprocess.run(["as", "-o", tmp + "/big.o", tmp + "/big.s"], check=True)
        good = open(tmp + "/good.o", "rb").read()
        R = Runner(o)
        modes = (
            ([] if o.no_exec else [("exec", [])])
            + ([("-r", ["-r"])] if o.r else [])
            + ([("-shared", ["-shared"])] if o.so else [])
        )
        todo = [
            x
            for x in cases(good, random.Random(o.seed), o.random, tmp)
            if not o.only or re.search(o.only, x[0])
        ]
        todo = [x for k, x in enumerate(todo) if k % o.every == 0 or x[0].startswith("random/")]
        if o.list:
            for x in todo:
                print(x[1], x[0])
            print(len(todo), "cases")
            return 0
        # everything the good object needs, so that `ok` really means linked
        gcc = lambda n: subprocess.run(
            ["gcc", "-print-file-name=" + n], stdout=subprocess.PIPE, universal_newlines=True
        ).stdout.strip()
        pre = [
            "-dynamic-linker",
            "/lib64/ld-linux-x86-64.so.2",
            "-no-pie",
            gcc("crt1.o"),
            gcc("crti.o"),
            gcc("crtbegin.o"),
            "-L" + os.path.dirname(gcc("libc.so")),
            "-L" + os.path.dirname(gcc("libgcc.a")),
        ]
        post = [
            gcc("libstdc++.so"),
            "-lm",
            "-lc",
            "-lgcc",
            gcc("libgcc_s.so.1"),
            gcc("crtend.o"),
            gcc("crtn.o"),
        ]

        def one(k):
            name, exp, data = todo[k]
            f = os.path.join(tmp, "m%05d.o" % k)
            data = data.replace(b"@SELF@", f.encode())
            open(f, "wb").write(data)
            rows = []

            def link(ln, mn, margs):
                out = f + ".out" + mn
                if os.path.exists(out):
                    os.unlink(out)
                cmd = ln + margs + ["-o", out] + (pre + [f] + post if mn == "exec" else [f])
                e = exp
                if mn == "-r" and name.startswith(("archive/", "file/linker-script")) and e == "bad":
                    e = "any"
                rc, msg, t = R.run(cmd, tmp)
                v = R.verdict(rc, msg, os.path.exists(out), e)
                if os.path.exists(out):
                    os.unlink(out)
                return v, rc, msg, t

            for mn, margs in modes:
                row = [link(ln, mn, margs) for ln in [linker] + ([o.ref.split()] if o.ref else [])]
                v = row[0][0]
                if v in BAD:
                    usual = link(o.usual.split(), mn, margs)
                    said, own = ((rc, re.sub(rb"\S*ld\.bfd: ", b"", msg)) for _, rc, msg, _ in (usual, row[0]))
                    if usual[0] == v and (v != "CRASH" or said == own):
                        row[0] = ("as-ld",) + row[0][1:]
                rows.append((mn, row))
            if not o.keep:
                os.unlink(f)
            return k, rows

        tot, bad, tsv = {}, 0, open(o.tsv, "w") if o.tsv else None
        lst = open(tmp + "/list.tsv", "w") if o.keep else None

        def report(name, mn, exp, row):
            nonlocal bad
            v, rc, msg, t = row[0]
            tot[v] = tot.get(v, 0) + 1
            bad += v in BAD
            first = msg.decode(errors="replace").strip().split("\n")[0][:110]
            if not o.only_bad or v in BAD:
                print(
                    "%-10s %s%-7s %s  [%s] %s"
                    % (v, "%-10s " % row[1][0] if len(row) > 1 else "", mn, name, rc, first),
                    flush=True,
                )
            if tsv:
                tsv.write(
                    "\t".join([name, mn, exp, v, str(rc), "%.2f" % t, first] + [x[0] for x in row[1:]]) + "\n"
                )

        with cf.ThreadPoolExecutor(o.jobs) as ex:
            for k, rows in ex.map(one, range(len(todo))):
                if lst:
                    lst.write("m%05d.o\t%s\t%s\n" % (k, todo[k][1], todo[k][0]))
                for mn, row in rows:
                    report(todo[k][0], mn, todo[k][1], row)
        for name, v, rc, msg in files_cases(o, linker, tmp, good, R):
            report(name, "exec", "bad", [(v, rc, msg, 0)])
        print(
            "%d cases: %s" % (sum(tot.values()), ", ".join("%d %s" % (n, v) for v, n in sorted(tot.items())))
        )
        return 1 if bad else 0
    finally:
        if not o.keep:
            shutil.rmtree(tmp, ignore_errors=True)


if __name__ == "__main__":
    sys.exit(main())
