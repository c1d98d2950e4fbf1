#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""run.py DRIVER SANITIZED [COUNT]: the codecs on what compilers emit, and on damaged tables.

Every sample is compiled by each compiler that is there, laid out by the driver
from two seeds (with COUNT, one), and checked by check.py and check_debug.py.  Then SANITIZED, the
driver built with sanitizers, reads COUNT objects with damaged tables: it may
refuse them with a message, and nothing else.
"""
import os
import random
import shutil
import struct
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
LLD = shutil.which('ld.lld-19') or shutil.which('ld.lld')
TABLES = ('.eh_frame', '.gcc_except_table', '.debug_')
FLAGS = ['-O2 -gdwarf-5', '-O0 -gdwarf-4', '-O2 -gdwarf-4 -ffunction-sections', '-O1 -gdwarf-2',
         '-O2 -gdwarf-3', '-O3 -gdwarf-5 -ffunction-sections -fPIC',
         '-O2 -gdwarf-5 -fno-asynchronous-unwind-tables', '-O2 -gdwarf-5 -gdwarf64']


def sh(cmd, **kw):
    return subprocess.run(cmd, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, **kw)


def samples(tmp):
    """(name, object) of each sample, compiler and set of flags that go together"""
    for src, compilers in (('sample.c', ('gcc', 'clang-19')), ('sample.cpp', ('g++', 'clang++-19'))):
        for cc in filter(shutil.which, compilers):
            for i, flags in enumerate(FLAGS):
                one, obj = f'{tmp}/one.o', f'{tmp}/{cc}-{i}-{src}.o'
                cmd = [cc, *flags.split(), '-c', f'{HERE}/{src}', '-o', one]
                if sh(cmd).returncode == 0 and sh([LLD, '-r', '--unique', '-o', obj, one]).returncode == 0:
                    yield f'{cc} {flags} {src}', obj


def check(driver, name, obj, seed):
    out, layout = obj + '.out', obj + '.map'
    r = subprocess.run([driver, obj, out, str(seed)], stdout=open(layout, 'w'),
                       stderr=subprocess.PIPE, text=True)
    if r.returncode:
        print(f'FAIL {name}: {r.stderr}')
        return False
    for tool in ('check.py', 'check_debug.py'):
        if tool == 'check_debug.py' and not shutil.which('llvm-dwarfdump-19'):
            continue
        c = sh([sys.executable, f'{HERE}/{tool}', obj, out, layout])
        if c.returncode:
            print(f'FAIL {name}, seed {seed}: {tool}\n{c.stdout}')
            return False
    return True


def table_ranges(data):
    """File ranges of the tables and of their relocations."""
    shoff, = struct.unpack_from('<Q', data, 40)
    num, strndx = struct.unpack_from('<HH', data, 60)
    heads = [struct.unpack_from('<IIQQQQIIQQ', data, shoff + 64 * i) for i in range(num)]
    out = []
    for h in heads:
        at = heads[strndx][4] + h[0]
        name = data[at:data.index(b'\0', at)].decode()
        if h[1] not in (0, 8) and h[5] and name.replace('.rela', '', 1).startswith(TABLES):
            out.append((h[4], h[5]))
    return out


def damage(rnd, data, ranges):
    data = bytearray(data)
    for _ in range(rnd.choice((1, 1, 2, 4))):
        start, size = rnd.choice(ranges)
        at = start + rnd.randrange(size)
        data[at] = rnd.choice((0, 1, 0x7f, 0x80, 0xff, data[at] ^ 1 << rnd.randrange(8),
                               rnd.randrange(256)))
    return bytes(data)


def damaged(driver, objs, count, tmp):
    rnd = random.Random(1)
    env = dict(os.environ, ASAN_OPTIONS='detect_leaks=0:exitcode=99', UBSAN_OPTIONS='exitcode=99')
    bad = refused = 0
    for i in range(count):
        data = open(rnd.choice(objs), 'rb').read()
        path = f'{tmp}/damaged.o'
        with open(path, 'wb') as f:
            f.write(damage(rnd, data, table_ranges(data)))
        try:
            r = sh([driver, path, f'{tmp}/out.o', '3'], env=env, timeout=20, errors='replace')
        except subprocess.TimeoutExpired:
            r = None
        if r is None or r.returncode not in (0, 1) or r.returncode and 'error: ' not in r.stdout:
            bad += 1
            keep = f'damaged-{i}.o'
            shutil.copy(path, keep)
            tail = r.stdout[-3000:] if r else 'hangs'
            print(f'FAIL damaged object {keep}: {tail}')
        refused += bool(r and r.returncode)
    print(f'{count} damaged objects, {refused} refused, {bad} failures')
    return bad == 0


def main():
    driver, sanitized = sys.argv[1:3]
    count, seeds = (int(sys.argv[3]), [1]) if len(sys.argv) > 3 else (400, [1, 2])
    ok = True
    with tempfile.TemporaryDirectory() as tmp:
        objs = []
        for name, obj in samples(tmp):
            ok &= all(check(driver, name, obj, seed) for seed in seeds)
            objs.append(obj)
        print(f'{len(objs)} samples')
        ok &= damaged(sanitized, objs, count, tmp)
    sys.exit(not ok)


main()
