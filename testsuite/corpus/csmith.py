#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Differential test with csmith's random programs.

  csmith.py --seeds A-B --opts="-O0;-O2" --link "-B DIR/" --cache DIR [--cc CC] [--run EMU]

Each program is compiled once for each option (objects are cached), linked plainly and
with --link, run both ways; the printed checksums and exit statuses must be equal.
Programs that do not end within the limit when linked plainly are skipped.
Prints PASS / FAIL / SKIP lines and `N passed, N failed, N skipped`.
"""
import argparse, concurrent.futures as cf, os, shlex, signal, subprocess, sys, tempfile, shutil

ap = argparse.ArgumentParser(usage=__doc__)
ap.add_argument("--seeds", default="1-100")
ap.add_argument("--opts", default="-O0;-O2;-O3")
ap.add_argument("--link", default="")
ap.add_argument("--cache", required=True)
ap.add_argument("--cc", default="gcc")
ap.add_argument("--run", default="")
ap.add_argument("--limit", type=float, default=3)
ap.add_argument("--lut-limit", type=float, default=60)
ap.add_argument("--jobs", type=int, default=2)
ap.add_argument("--gen", default="")
argv, it = [], iter(sys.argv[1:])
for a in it:
    argv.append(a + "=" + next(it, "") if a in ("--opts", "--link", "--run", "--cc", "--gen") else a)
o = ap.parse_args(argv)
os.makedirs(o.cache, exist_ok=True)
slug = lambda s: "".join(c if c.isalnum() else "_" for c in s)


def sh(cmd, limit, **k):
    p = subprocess.Popen(cmd, stdin=subprocess.DEVNULL, start_new_session=True, **k)
    try:
        out = p.communicate(timeout=limit)[0]
        return p.returncode, out
    except subprocess.TimeoutExpired:
        os.killpg(p.pid, signal.SIGKILL)
        p.communicate()
        return "timeout", b""


def one(seed, opt):
    nm = "seed %d %s" % (seed, opt)
    src = "%s/s%d%s.c" % (o.cache, seed, slug(o.gen))
    base = "%s/%s%s" % (o.cache, slug(o.cc + opt), os.path.basename(src)[:-2])
    if not os.path.exists(src):
        rc, out = sh(
            ["csmith", "--seed", str(seed)] + shlex.split(o.gen),
            60,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )
        if rc != 0:
            return "SKIP: " + nm + " (generator)"
        with open(src + ".%d.tmp" % os.getpid(), "wb") as f:
            f.write(out)
        os.replace(src + ".%d.tmp" % os.getpid(), src)
    if not os.path.exists(base + ".ref"):
        rc, _ = sh(
            o.cc.split() + shlex.split(opt) + ["-w", "-I/usr/include/csmith", "-c", src, "-o", base + ".o"],
            120,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        ref = b"SKIP"
        if rc == 0:
            rc, _ = sh(
                o.cc.split() + shlex.split(opt) + [base + ".o", "-o", base + ".exe"],
                60,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
            )
            if rc == 0:
                rc, out = sh(
                    o.run.split() + [base + ".exe"],
                    o.limit,
                    stdout=subprocess.PIPE,
                    stderr=subprocess.DEVNULL,
                )
                if rc == 0:
                    ref = out
                os.unlink(base + ".exe")
        with open(base + ".ref", "wb") as f:
            f.write(ref)
    ref = open(base + ".ref", "rb").read()
    if ref == b"SKIP":
        return "SKIP: " + nm
    exe = "%s/x%d.%s.%s" % (tempfile.gettempdir(), os.getpid(), slug(opt), seed)
    try:
        rc, out = sh(
            o.cc.split() + shlex.split(opt) + shlex.split(o.link) + [base + ".o", "-o", exe],
            120,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
        )
        if rc != 0:
            return "FAIL: %s" % nm + "  # link: " + out.decode(errors="replace").split("\n")[0][:150]
        rc, out = sh(o.run.split() + [exe], o.lut_limit, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        if rc != 0 or out != ref:
            return "FAIL: %s" % nm + "  # %s, wanted %s got %s" % (rc, ref[:40], out[:40])
        return "PASS: " + nm
    finally:
        if os.path.exists(exe):
            os.unlink(exe)


a, _, b = o.seeds.partition("-")
cnt = {}
with cf.ThreadPoolExecutor(o.jobs) as ex:
    # one thread per seed, so that two never generate one file at the same time
    for rs in ex.map(lambda s: [one(s, op) for op in o.opts.split(";")], range(int(a), int(b or a) + 1)):
        for r in rs:
            print(r, flush=True)
            cnt[r[:4]] = cnt.get(r[:4], 0) + 1
print("%d passed, %d failed, %d skipped" % (cnt.get("PASS", 0), cnt.get("FAIL", 0), cnt.get("SKIP", 0)))
