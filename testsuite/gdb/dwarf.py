#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""dwarf.py: llvm-dwarfdump --verify finds no fault that the plain link has not.

The flags are those with which LLVM 19's verifier ends: it looks for the function of a call site
for ever when the call stands in an inner block of gcc's (DWARF 5, or an extension to DWARF 4).
So there are no location lists in gcc's DWARF 5 but those of calls.c, where all calls stand outside.
Exit status: 0 passed, 1 failed, 77 skipped.
"""
import collections
import os
import re
import shutil
import subprocess
import sys
import tempfile

import run

DUMP = shutil.which('llvm-dwarfdump-19') or shutil.which('llvm-dwarfdump')
SOURCES = ['sample.c', 'sample.cpp', '../codec/sample.c', '../codec/sample.cpp', '../unwind/frames.cpp']
FLAGS = {'gcc': ['-g -O0', '-g -O2 -gdwarf-5 -fno-var-tracking', '-g -O2 -gdwarf-4 -gstrict-dwarf'],
         'clang-19': ['-g -O0', '-g -O2 -gdwarf-5', '-g -O2 -gdwarf-4']}
PROGRAMS = [(cc, s, f) for cc in FLAGS for s in SOURCES for f in FLAGS[cc]] + \
    [('gcc', '../unwind/calls.c', '-g -O2 -gdwarf-5')]


def complaints(prog):
    """(units, how often each fault is found)"""
    try:
        r = run.sh([DUMP, '--verify', prog], timeout=100)
    except subprocess.TimeoutExpired:
        return 0, collections.Counter(['the verifier does not end'])
    text = re.sub(r'0x[0-9a-fA-F]+', '0x', r.stdout + r.stderr)
    # a string of which another one is the end has no place of its own
    faults = [l for l in text.split('\n') if re.match(' *(error|warning)', l) and 'Aggregated' not in l
              and 'invalid string offset' not in l]
    return len(re.findall('^Verifying unit:', text, re.M)), collections.Counter(faults)


def compare(cc, source, flags):
    """The number of programs with new faults."""
    bad = 0
    with tempfile.TemporaryDirectory() as tmp:
        progs = run.link(cc, source, '-w ' + flags, tmp)
        units, usual = complaints(progs['plain'])
        for how in run.HOWS:
            n, faults = complaints(progs[how])
            new = faults - usual
            if n != units or not n or new:
                bad += 1
                print('FAIL %s %s %s, %s: %d units of %d' % (cc, source, flags, how, n, units))
                print('\n'.join('%d times: %s' % (k, l) for l, k in new.items()))
    print('%s %s %s: %d units, %d faults in the plain link' % (cc, source, flags, units, usual.total()), flush=True)
    return bad


def main():
    if not os.access(run.STAGE + '/bin/ldx', os.X_OK):
        print('skipped: no bin/ldx in %s: ./dev build first' % run.STAGE)
        return 77
    if not DUMP:
        print('skipped: no llvm-dwarfdump')
        return 77
    bad = sum(compare(*p) for p in PROGRAMS if shutil.which(p[0]))
    print('%d failures' % bad)
    return 1 if bad else 0


if __name__ == '__main__':
    sys.exit(main())
