#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""check_debug.py IN.o OUT.o MAP: does OUT.o's debug information say what IN.o's does?

MAP is what the driver printed: the layout.  Both objects are linked and dumped by
llvm-dwarfdump.  Every address in IN.o's dump, taken through the layout by what
it means there, must stand in OUT.o's.
"""
import bisect
import os
import re
import subprocess
import sys
import tempfile

from check import read_layout

DUMP = os.environ.get('DWARFDUMP', 'llvm-dwarfdump-19')
LLD = os.environ.get('LLD', 'ld.lld-19')


def run(*cmd):
    try:
        return subprocess.run(cmd, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                              timeout=60)
    except subprocess.TimeoutExpired:
        sys.exit('timeout: ' + ' '.join(cmd))


def link(obj, tmp):
    """The linked file, and [(address, size, name, nth of that name)] of its code sections."""
    out, mapfile = tmp + '.exe', tmp + '.map'
    r = run(LLD, '-e', '0', '--unresolved-symbols=ignore-all', '--noinhibit-exec', '--no-relax',
            '-z', 'notext', '--image-base=0x10000000', '-Map=' + mapfile, '-o', out, obj)
    if not os.path.exists(out):
        sys.exit(r.stderr)
    secs, seen = [], {}
    for line in open(mapfile):
        w = re.match(r' *([0-9a-f]+) +[0-9a-f]+ +([0-9a-f]+) +\d+ +\S+:\((\.[^)]*)\)$', line)
        if w:
            name = w[3]
            secs.append((int(w[1], 16), int(w[2], 16), name))
    return out, secs


def section_indices(obj):
    """Section indices by name, in file order."""
    out = {}
    for line in run('readelf', '-SW', obj).stdout.splitlines():
        w = re.match(r' *\[ *(\d+)\] (\S+) +\S+ +[0-9a-f]+ [0-9a-f]+ ([0-9a-f]+)', line)
        if w:
            out.setdefault(w[2], []).append((int(w[1]), int(w[3], 16)))
    return out


class Layout:
    def __init__(self, path, a, b, obj):
        self.m = read_layout(path)
        index = section_indices(obj)
        nth = {}
        self.secs = []      # (address, size, section index, new address)
        newaddr = {}
        for addr, size, name in b:
            newaddr.setdefault(name, []).append(addr)
        for addr, size, name in a:
            k = nth.setdefault(name, 0)
            nth[name] += 1
            if name in index and k < len(index[name]) and index[name][k][0] in self.m:
                self.secs.append((addr, size, index[name][k][0], newaddr[name][k]))
        self.secs.sort()
        self.starts = [s[0] for s in self.secs]

    def at(self, addr, bind, end=None):
        """end: the range ends there, so the section is that of the byte before."""
        look = addr - 1 if end or bind in ('end', 'past') else addr
        k = bisect.bisect_right(self.starts, look) - 1
        while k >= 0 and self.secs[k][1] == 0 and k + 1 < len(self.secs) and 0:
            k -= 1
        if k < 0:
            return addr
        start, size, sec, new = self.secs[k]
        if look > start + size:
            return addr
        return new + self.off(sec, addr - start, bind)

    def off(self, sec, off, bind):
        e = self.m[sec]
        k = bisect.bisect_right([x[0] for x in e], off) - 1
        x = e[k]
        n = x[1]
        if x[0] == off and (bind == 'end' or (k == len(e) - 1 and bind != 'past')):
            return n
        n += x[2]
        if x[0] == off and bind == 'past':
            return n
        n += x[3]
        if x[0] == off and bind == 'entry':
            return n
        n += x[4]
        if x[0] == off and bind == 'branch':
            return n
        return n + x[5] + off - x[0]


def dump_lines(exe):
    """[(address, rest of the row)] of all line tables"""
    out = []
    for line in run(DUMP, '--debug-line', exe).stdout.splitlines():
        w = re.match(r'0x([0-9a-f]{16}) +(.*)$', line)
        if w:
            out.append((int(w[1], 16), w[2]))
    return out


HEX = re.compile(r'0x[0-9a-f]{16}')
BIND = [('DW_AT_low_pc', 'entry'), ('DW_AT_high_pc', 'past'), ('DW_AT_call_return_pc', 'end'),
        ('DW_AT_call_pc', 'at'), ('DW_AT_entry_pc', 'entry')]


def dump_info(exe, layout, shared=False):
    """The entries with their addresses, taken through the layout if there is one.

    shared: a call's return address as where code that is entered there begins, for
    units that have one entry of .debug_addr for both and no room for another.
    """
    out, where, tag, loc, low = [], '', '', False, None
    tr = layout.at if layout else lambda a, bind, end=None: a
    for line in run(DUMP, '--debug-info', exe).stdout.splitlines():
        w = re.match(r'0x[0-9a-f]+: +(\w+)', line)
        if w:
            tag, low = w[1], None
        w = re.search(r'DW_AT_\w+', line)
        if w:
            where = w[0]
        if 'file format' in line:
            continue
        line = re.sub(r'\(0x[0-9a-f]{8}(?=[:)]|$)', '(OFF', line)
        line = re.sub(r'indexed \(0x[0-9a-f]+\) (rangelist|loclist) = 0x[0-9a-f]+', r'LIST', line)
        line = re.sub(r'(DW_AT_(ranges|location|GNU_locviews)\s*\()0x[0-9a-f]{8,16}', r'\1LIST', line)
        line = re.sub('DW_OP_addr 0x[0-9a-f]+', 'DW_OP_addr', line)
        pair = re.search(r'\[(0x[0-9a-f]{16}), (0x[0-9a-f]{16})\)', line)
        if pair:
            a, b = int(pair[1], 16), int(pair[2], 16)
            is_range = where == 'DW_AT_ranges'
            if a == b:
                line = line.replace(pair[0], '[EMPTY)')
            else:
                start = '%x' % tr(a, 'entry') if is_range else 'LOC'
                line = line.replace(pair[0], '[%s, %x)' % (start, tr(b, 'past' if is_range else 'end')))
        else:
            for name, bind in BIND:
                if where == name and HEX.search(line):
                    a = int(HEX.search(line)[0], 16)
                    if tag == 'DW_TAG_GNU_call_site':
                        bind = 'end'
                    if name == 'DW_AT_call_return_pc' and shared:
                        bind = 'entry'
                    if name == 'DW_AT_low_pc':
                        low = a
                    if name == 'DW_AT_high_pc' and a == low:
                        line = HEX.sub('EMPTY', line)
                    else:
                        line = HEX.sub('%x' % tr(a, bind), line, 1)
        out.append(line)
    return out


def compare(what, a, b):
    bad = len(a) != len(b)
    if bad:
        print(f'{what}: {len(a)} became {len(b)}')
    for x, y in zip(a, b):
        if x != y:
            bad += 1
            if bad < 6:
                print(f'{what}: want {x}\n{" " * len(what)}   got {y}')
    print(f'{what}: {len(a)} compared, {bad} differences')
    return bad


def main():
    bad = 0
    with tempfile.TemporaryDirectory() as tmp:
        ea, sa = link(sys.argv[1], tmp + '/a')
        eb, sb = link(sys.argv[2], tmp + '/b')
        layout = Layout(sys.argv[3], sa, sb, sys.argv[1])
        want = []
        rows = dump_lines(ea)
        for i, (addr, row) in enumerate(rows):
            end = 'end_sequence' in row
            if i + 1 < len(rows) and rows[i + 1][0] == addr and 'end_seq' in rows[i + 1][1]:
                end = True
            want.append((layout.at(addr, 'end' if end else 'entry'), row))
        bad += compare('rows', want, dump_lines(eb))
        got = dump_info(eb, None)
        both = zip(dump_info(ea, layout), dump_info(ea, layout, True), got)
        bad += compare('entries', [y if z == y else x for x, y, z in both], got)
        ar = lambda e: [int(x, 16) for w in re.findall(r'\[(0x\w+), +(0x\w+)\)', run(DUMP, '--debug-aranges', e).stdout) for x in w]
        want = [layout.at(x, 'past' if i % 2 else 'entry') for i, x in enumerate(ar(ea))]
        bad += compare('aranges', want, ar(eb))
        if len(sys.argv) < 5:
            sys.exit(bad != 0)
        va, vb = (run(DUMP, '--verify', e).stdout for e in (ea, eb))
        errs = [sorted(re.findall(r'error: .*', v)) for v in (va, vb)]
        print('verify errors', len(errs[0]), len(errs[1]))
        if len(errs[1]) > len(errs[0]):
            print('\n'.join(errs[1][:5]))
            bad += 1
    sys.exit(bad != 0)


main()
