#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""identity.py IDENTITY COMPILER...: every object of the compilers' libraries that is read and written is the same file.

IDENTITY is the program of identity.c.  The compilers are this machine's and Debian's cross compilers: 32 and 64 bits, both byte orders, addends in and beside the fields.
"""
import os, shutil, subprocess, sys

LIBRARIES = ['libc.a', 'libm.a', 'libstdc++.a', 'libgcc.a', 'libgcc_eh.a']


def library(compiler, name):
    """libm.a is a linker script where it is made of several archives: then these."""
    path = subprocess.run([compiler, '-print-file-name=' + name], capture_output=True, text=True).stdout.strip()
    if not os.path.isfile(path):
        return []
    with open(path, 'rb') as f:
        if f.read(7) == b'!<arch>':
            return [path]
    words = open(path).read().replace('(', ' ').replace(')', ' ').split()
    # cross packages name the place where the target would have them
    return [os.path.join(os.path.dirname(path), os.path.basename(w)) for w in words if w.endswith('.a')]


def main():
    absent = failed = False
    for compiler in sys.argv[2:]:
        if not shutil.which(compiler):
            print('skip %s: not installed' % compiler)
            absent = True
            continue
        found = [library(compiler, name) for name in LIBRARIES]
        for name, paths in zip(LIBRARIES, found):
            if not paths:
                print('skip %s: no %s' % (compiler, name))
                absent = True
        p = subprocess.run([sys.argv[1]] + sum(found, []), capture_output=True, text=True)
        print('%s: %s%s' % (compiler, p.stdout, p.stderr), end='', flush=True)
        failed |= p.returncode != 0
    return 1 if failed else 77 if absent else 0


sys.exit(main())
