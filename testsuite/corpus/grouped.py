#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Run GCC's execution tests in every mode of ldx, forty of them in one program.

  grouped.py --stage PREFIX [--modes "none stress blocks edges"] [--group 40] [--until HH:MM]
             [the options of torture.py] SUBDIR-or-FILE...

Each test is compiled once for each compiler's options; its main gets a name of its own and all
its other symbols become local, so that a program of many tests runs the one that is asked for.
Such a program is linked plainly and in each mode (--ldx-verify, --ldx-strict), and each test must
end in each as it does in the plain link.  A test with constructors, and one that does not pass in
the plain program of many, gets a program of its own.  Prints the failures and a line of totals.
"""
import argparse
import os
import random
import shlex
import shutil
import subprocess
import sys
import tempfile
import time

ap = argparse.ArgumentParser(usage=__doc__)
ap.add_argument("--stage", required=True)
ap.add_argument("--modes", default="none stress blocks edges")
ap.add_argument("--group", type=int, default=40)
ap.add_argument("--until", default="")
g, rest = ap.parse_known_args()
sys.argv[1:] = rest
import torture  # noqa: E402  it reads its own options when it is loaded

FLAGS = {"none": ["--instrument=none"], "stress": ["--instrument=none", "--ldx-stress=%d"],
         "functions": ["--instrument=functions"], "blocks": ["--instrument=blocks"],
         "edges": ["--instrument=edges"], "stressed": ["--instrument=edges", "--ldx-stress=%d"],
         "poison": ["--instrument=none", "--ldx-stress=poison:%d"],
         "poisoned": ["--instrument=edges", "--ldx-stress=poison:%d"]}
TABLE = """int %s;
static int (*const tests[])() = { %s };
int atoi(const char *);
int main(int argc, char **argv) { return argc < 2 ? 99 : tests[atoi(argv[1])](1, argv); }
"""


def sh(cmd, limit=120, **kw):
    try:
        r = subprocess.run(cmd, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                           timeout=limit, start_new_session=True, **kw)
        return r.returncode, r.stdout.decode(errors="replace")
    except subprocess.TimeoutExpired:
        return "timeout", ""


class Item:
    def __init__(self, test, opt, number, tmp):
        self.test, self.name, self.main = test, "%s %s" % (test.rel, opt), "ldx_test_%d" % number
        objects, self.link, self.cc = test.objs(opt)
        self.obj = os.path.join(tmp, self.main + ".o") if objects else None
        self.alone = False
        if not objects:
            return
        if len(objects) > 1:
            joined = self.obj + ".r"
            if sh(["ld", "-r"] + objects + ["-o", joined])[0]:
                self.obj = None
                return
            objects = [joined]
        symbols = sh(["nm", objects[0]])[1].split()
        sections = sh(["readelf", "-SW", objects[0]])[1]
        self.alone = "C" in symbols or any(s in sections for s in (".init_array", ".ctors", ".fini_array", ".dtors"))
        sh(["objcopy", "--redefine-sym", "main=" + self.main, "--keep-global-symbol=" + self.main, objects[0], self.obj])
        if self.main not in sh(["nm", self.obj])[1]:
            self.obj = None

    def run(self, exe, number, wd):
        env = dict(os.environ, LDX_PROFILE_FILE=os.path.join(wd, "profile"))
        return sh([exe, str(number)], torture.o.timeout, cwd=wd, env=env)[0]


class Matrix:
    def __init__(self, tmp):
        self.tmp, self.links, self.runs, self.tests, self.skipped, self.failed = tmp, 0, 0, 0, 0, 0
        self.bindir = sh([g.stage + "/bin/ldx", "--ldx-print=bindir"])[1].strip()

    def fail(self, what):
        self.failed += 1
        print("FAIL:", what, flush=True)

    def link(self, items, opt, mode, seed):
        exe = os.path.join(self.tmp, "prog-" + mode)
        table = os.path.join(self.tmp, "table.c")
        names = [i.main for i in items]
        with open(table, "w") as f:
            f.write(TABLE % ("(), ".join(names) + "()", ", ".join(names)))
        obj = os.path.join(self.tmp, "table.o")
        sh(["gcc", "-w", "-c", table, "-o", obj])
        more = sorted({w for i in items for w in i.link if not w.startswith(("-O", "-f", "-m")) or w == "-fopenmp"})
        cmd = items[0].cc + shlex.split(opt) + [obj] + [i.obj for i in items] + more + ["-lm", "-o", exe]
        if mode != "plain":
            flags = [f % seed if "%" in f else f for f in FLAGS[mode]] + ["--ldx-verify", "--ldx-strict"]
            cmd += ["-B" + self.bindir + "/"] + ["-Wl," + f for f in flags]
            self.links += 1
        status, said = sh(cmd)
        bad = status or (mode != "plain" and "ldx: verify: ok" not in said)
        return None if bad else exe, said

    def group(self, items, opt, seed):
        """Run them; return those that do not fit into a program with others."""
        exe, said = self.link(items, opt, "plain", seed)
        if not exe:
            if len(items) == 1:
                self.skipped += 1
            return items if len(items) > 1 else []
        wd = tempfile.mkdtemp(dir=self.tmp)
        plain = [i.run(exe, n, wd) for n, i in enumerate(items)]
        fit = [n for n, i in enumerate(items) if len(items) == 1 or (plain[n] == 0) == (i.test.status == 0)]
        for mode in g.modes.split():
            exe, said = self.link(items, opt, mode, seed)
            if not exe:
                self.fail("link of %s: %s: %s" % (", ".join(i.name for i in items[:3]), mode, said.strip()[:300]))
                if len(items) > 1:
                    return items
                continue
            for n in fit:
                self.runs += 1
                got = items[n].run(exe, n, wd)
                if got != plain[n]:
                    self.fail("%s: %s: %s, not %s (in %d)" % (items[n].name, mode, got, plain[n], len(items)))
        shutil.rmtree(wd, ignore_errors=True)
        self.tests += len(fit)
        return [i for n, i in enumerate(items) if n not in fit]

    def batch(self, tests, opt, seed):
        items = [Item(t, opt, n, self.tmp) for n, t in enumerate(tests) if not t.skip]
        items = [i for i in items if i.obj]
        self.skipped += len(tests) - len(items)
        by_driver = {}
        alone = [i for i in items if i.alone]
        for i in items:
            if not i.alone:
                by_driver.setdefault(tuple(i.cc), []).append(i)
        for group in by_driver.values():
            alone += self.group(group, opt, seed)
        for i in alone:
            self.group([i], opt, seed)
        for i in items:
            os.unlink(i.obj)

    def totals(self):
        return "%d tests, %d failures, %d skipped; %d links verified, %d runs compared" % (
            self.tests, self.failed, self.skipped, self.links, self.runs)


def main():
    tests = torture.tests()
    sets = [(opt, tests[i:i + g.group]) for opt in torture.o.opts.split(";") for i in range(0, len(tests), g.group)]
    random.Random(1).shuffle(sets)  # so that a run that is cut off is a fair sample
    tmp = tempfile.mkdtemp(prefix="grouped.")
    m = Matrix(tmp)
    try:
        for n, (opt, part) in enumerate(sets):
            if g.until and time.strftime("%H:%M") >= g.until:
                print("ended at %s: %d of %d groups" % (g.until, n, len(sets)))
                break
            m.batch(part, opt, n + 1)
            if n % 20 == 0:
                print("# %s %d of %d groups: %s" % (time.strftime("%H:%M:%S"), n + 1, len(sets), m.totals()), flush=True)
    finally:
        shutil.rmtree(tmp, ignore_errors=True)
    print(m.totals())
    sys.exit(m.failed != 0)


main()
