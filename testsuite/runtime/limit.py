#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""limit.py PLAIN PROG...: each PROG is started with ever less address space.  It may fail as PLAIN
does, when the dynamic linker has none left and says so; what runs ends well, and says the same."""
import resource
import subprocess
import sys

STEP = 4096


def run(prog, limit):
    r = subprocess.run(["./" + prog], capture_output=True, preexec_fn=lambda: resource.setrlimit(
        resource.RLIMIT_AS, (limit, limit)))
    return r.returncode, r.stdout, r.stderr


def least(prog, good):
    """The smallest limit under which prog does what it does without one."""
    lo, hi = 0, 1 << 30
    while hi - lo > STEP:
        mid = (lo + hi) // 2 // STEP * STEP
        lo, hi = (lo, mid) if run(prog, mid) == good else (mid, hi)
    return hi


good = run(sys.argv[1], resource.RLIM_INFINITY)
bad = 0
for prog in sys.argv[2:]:
    enough = least(prog, good)
    for limit in range(enough - 40 * STEP, enough + 20 * STEP, STEP):
        status, out, err = run(prog, limit)
        if status < 0 or limit >= enough and (status, out, err) != good:
            print("%s: status %d with %d kB; %d kB are enough" % (prog, status, limit >> 10, enough >> 10))
            bad += 1
sys.exit(bad != 0)
