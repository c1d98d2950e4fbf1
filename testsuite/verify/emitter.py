#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""emitter.py EMITTER: code that a wrong emitter has inserted must not verify.

EMITTER is emitter.c: it says which of its wrong emitters changed something, and were found.
"""
import os
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE]
import verify  # noqa: E402

CASES = ["hold.c", "hold-vector.c", "step.s", "flags-live.s", "fork-raw.c"]
# Which of them must change something in some object: what memory, registers and vectors count by.
COUNTS = set(range(1, 6)) | {16, 17, 18, 20}
HOLDS = set(range(7, 14))
LEAST = {"edges": COUNTS | HOLDS | {19}, "threads": COUNTS | HOLDS, "atomic": COUNTS | HOLDS | {22, 23},
         "every": COUNTS | {14, 15, 19, 21}, "cover": {6, 16, 17, 21}}


def objects(tmp):
    source = os.path.join(tmp, "t.cpp")
    with open(source, "w") as f:
        f.write(verify.SRC)
    for name in [source] + [os.path.join(HERE, "../cases", c) for c in CASES]:
        obj = os.path.join(tmp, os.path.basename(name))
        subprocess.run(["g++" if name.endswith("cpp") else "gcc", "-O2", "-c", name, "-o", obj + ".o"], check=True)
        subprocess.run(["ld", "-r", obj + ".o", "-o", obj + ".r"], check=True)
        yield obj + ".r"


def main(emitter):
    bad = False
    with tempfile.TemporaryDirectory() as tmp:
        files = list(objects(tmp))
        for mode, least in LEAST.items():
            found = set()
            for f in files:
                p = subprocess.run([emitter, mode, f, os.path.join(tmp, "out")], capture_output=True, text=True)
                found |= {int(line.split()[1]) for line in p.stdout.splitlines() if line.startswith("found")}
                if p.returncode:
                    print("%s, %s: status %d\n%s%s" % (os.path.basename(f), mode, p.returncode, p.stdout, p.stderr[-500:]))
                    bad = True
            print("%s: found %s" % (mode, sorted(found)))
            if not least <= found:
                print("%s: %s changed nothing" % (mode, sorted(least - found)))
                bad = True
    return bad


sys.exit(main(sys.argv[1]))
