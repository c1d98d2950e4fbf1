#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""threads.py REWRITE: any number of threads makes the same object, of two megabytes of code."""
import hashlib, os, subprocess, sys, tempfile


def digest(rewrite, mode, threads, comb, out):
    subprocess.run([rewrite, mode, comb, out], check=True,
                   env=dict(os.environ, LDX_THREADS=str(threads)))
    with open(out, 'rb') as f:
        return hashlib.sha256(f.read()).hexdigest()


def main():
    rewrite, bad = sys.argv[1], 0
    libc = subprocess.run(['gcc', '-print-file-name=libc.a'], stdout=subprocess.PIPE, check=True,
                          text=True).stdout.strip()
    with tempfile.TemporaryDirectory(prefix='ldx-threads.') as d:
        comb, out = os.path.join(d, 'comb.o'), os.path.join(d, 'out.o')
        subprocess.run(['ld.lld-19', '-r', '--unique', '-z', 'muldefs', '-o', comb,
                        '--whole-archive', libc], check=True)
        for mode in ('none', 'functions', '1', 'blocks', 'edges'):
            one = digest(rewrite, mode, 1, comb, out)
            for threads in (2, 5):
                same = digest(rewrite, mode, threads, comb, out) == one
                print('%s, %d threads: %s' % (mode, threads, 'same' if same else 'DIFFERENT'))
                bad += not same
    return bad != 0


sys.exit(main())
