#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""check.py IN.o OUT.o MAP: do OUT.o's unwind and exception tables say what IN.o's say?

MAP is what the driver printed: the layout.  Both objects are read here with
none of the codecs' code; each table becomes a list of facts about code labels,
and IN.o's facts, taken through the layout, must be OUT.o's.
"""
import bisect
import struct
import sys


# R_RISCV_ADD*, SET* and SUB*, with their bits; 0: ULEB128
TERMS = {33: ('add', 8), 34: ('add', 16), 35: ('add', 32), 36: ('add', 64), 53: ('set', 6),
         54: ('set', 8), 55: ('set', 16), 56: ('set', 32), 60: ('set', 0)}
MINUS = (37, 38, 39, 40, 52, 61)


class Obj:
    def __init__(self, path):
        d = self.d = open(path, 'rb').read()
        shoff, = struct.unpack_from('<Q', d, 40)
        num, strndx = struct.unpack_from('<HH', d, 60)
        heads = [struct.unpack_from('<IIQQQQIIQQ', d, shoff + 64 * i) for i in range(num)]
        names = self.bytes(heads[strndx])
        machine, = struct.unpack_from('<H', d, 18)
        self.sec = []
        for h in heads:
            name = names[h[0]:names.index(b'\0', h[0])].decode()
            self.sec.append({'name': name, 'type': h[1], 'head': h, 'data': self.bytes(h), 'rel': {},
                             'pair': {}})
        symtab = next(s for s in self.sec if s['type'] == 2)
        self.sym = [struct.unpack_from('<IBBHQQ', symtab['data'], i)
                    for i in range(0, len(symtab['data']), 24)]
        strs = self.sec[symtab['head'][6]]['data']
        self.symname = [strs[s[0]:strs.index(b'\0', s[0])].decode() for s in self.sym]
        for s in self.sec:
            if s['type'] == 4:
                to = self.sec[s['head'][7]]['rel']
                for i in range(0, len(s['data']), 24):
                    off, info, add = struct.unpack_from('<QQq', s['data'], i)
                    r = (info & 0xffffffff, info >> 32, add)
                    old = to.setdefault(off, r)
                    if machine == 243 and old[0] in TERMS and r[0] in MINUS:
                        self.sec[s['head'][7]]['pair'][off] = (old, r)

        for s in self.sec:
            self.fold(s)

    def fold(self, s):
        """Put differences of labels, which RISC-V has as relocations, into their fields."""
        data = bytearray(s['data'])
        for off, (plus, minus) in list(s['pair'].items()):
            (sec, to), (other, frm) = self.target(plus), self.target(minus)
            kind, size = TERMS[plus[0]]
            if sec != other or s['name'].startswith('.rodata'):
                continue
            x = to - frm
            del s['rel'][off]
            if size == 6:
                x |= data[off] & 0xc0
                size = 8
            if size:
                x += int.from_bytes(data[off:off + size // 8], 'little') if kind == 'add' else 0
                data[off:off + size // 8] = (x % 2 ** size).to_bytes(size // 8, 'little')
            while not size:
                more = data[off] & 0x80
                data[off] = x & 0x7f | more
                x >>= 7
                off += 1
                if not more:
                    assert x == 0, (s['name'], off)
                    break
        s['data'] = bytes(data)

    def bytes(self, h):
        return b'' if h[1] == 8 else self.d[h[4]:h[4] + h[5]]

    def target(self, rel):
        """A relocation as (section index, offset) or (name, addend)."""
        sym = self.sym[rel[1]]
        if 0 < sym[3] < 0xff00:
            return (sym[3], sym[4] + rel[2])
        return (self.symname[rel[1]], rel[2])


class Rd:
    def __init__(self, data, pos):
        self.d, self.p = data, pos

    def u(self, n):
        x = int.from_bytes(self.d[self.p:self.p + n], 'little')
        self.p += n
        return x

    def leb(self, signed=False):
        x = sh = 0
        while True:
            b = self.d[self.p]
            self.p += 1
            x |= (b & 127) << sh
            sh += 7
            if not b & 128:
                return x - (1 << sh) if signed and b & 64 else x

    def enc(self, e):
        f = e & 15
        if f in (1, 9):
            return self.leb(f == 9)
        n = {0: 8, 2: 2, 3: 4, 4: 8}[f & 7]
        x = self.u(n)
        return x - (1 << 8 * n) if f & 8 and x >> (8 * n - 1) else x


OPS = {5: 'uu', 6: 'u', 7: 'u', 8: 'u', 9: 'uu', 10: '', 11: '', 12: 'uu', 13: 'u', 14: 'u', 15: 'b',
       16: 'ub', 17: 'us', 18: 'us', 19: 's', 20: 'uu', 21: 'us', 22: 'ub', 0x2e: 'u', 0x2d: ''}


def rows(d, pos, end, loc, caf):
    """[(label, instruction bytes)]"""
    r, out = Rd(d, pos), []
    while r.p < end:
        at, op = r.p, r.u(1)
        if op >> 6 == 1:
            loc += (op & 63) * caf
        elif op in (2, 3, 4):
            loc += r.u(1 << op - 2) * caf
        elif op:
            for f in 'u' if op >> 6 == 2 else '' if op >> 6 == 3 else OPS[op]:
                n = r.leb(f == 's')
                if f == 'b':
                    r.p += n
            out.append((loc, bytes(d[at:r.p])))
    return out


def fdes(o):
    """[(code, start, end, cie, rows, lsda)] of every .eh_frame"""
    out = []
    for s in o.sec:
        if s['name'] != '.eh_frame':
            continue
        d, p, cies = s['data'], 0, {}
        while p < len(d):
            r = Rd(d, p)
            n = r.u(4)
            at = r.p
            ident = r.u(4)
            if n and not ident:
                cies[p] = cie(o, s, at, at + n)
            elif n:
                f = fde(o, s, cies[at - ident], r, at + n)
                if f:
                    out.append(f)
            p = at + n
    return out


def cie(o, s, at, end):
    r = Rd(s['data'], at + 4)
    c = {'ver': r.u(1), 'pers': None, 'enc': 0, 'lsda': 255}
    aug = s['data'][r.p:s['data'].index(b'\0', r.p)].decode()
    r.p += len(aug) + 1
    c['caf'], c['daf'], c['ra'], c['aug'] = r.leb(), r.leb(True), r.leb(), aug
    r.leb()
    for ch in aug[1:]:
        if ch == 'P':
            e = r.u(1)
            rel = s['rel'].get(r.p)
            c['pers'] = rel and o.target(rel)
            r.enc(e)
        elif ch in 'LR':
            c['lsda' if ch == 'L' else 'enc'] = r.u(1)
    c['insn'] = [i for _, i in rows(s['data'], r.p, end, 0, 1)]
    return c


def fde(o, s, c, r, end):
    rel = s['rel'].get(r.p)
    if not rel or not rel[0]:
        return None
    code, start = o.target(rel)
    r.enc(c['enc'])
    size = r.enc(c['enc'] & 7)
    lsda = None
    n = r.leb()
    if c['lsda'] != 255 and r.p in s['rel']:
        lsda = o.target(s['rel'][r.p])
    r.p += n
    body = rows(s['data'], r.p, end, start, c['caf'])
    key = tuple(str(c[k]) for k in ('ver', 'pers', 'caf', 'daf', 'ra', 'aug', 'insn'))
    return (code, start, start + size, key, body, lsda)


def exceptions(o, f):
    """[(start, end, pad section, pad, action chain with types)] of a function's LSDA"""
    if not f[5]:
        return None
    s = o.sec[f[5][0]]
    r = Rd(s['data'], f[5][1])
    base = (f[0], f[1])
    e = r.u(1)
    if e != 255:
        base = o.target(s['rel'][r.p])
        r.enc(e)
    tenc, ttbase = r.u(1), None
    if tenc != 255:
        ttbase = r.leb()
        ttbase += r.p
    cenc = r.u(1)
    end = r.leb()
    end += r.p
    out = []
    while r.p < end:
        a, n, lp, act = r.enc(cenc), r.enc(cenc), r.enc(cenc), r.leb()
        out.append((f[1] + a, f[1] + a + n, base[0] if lp else None, base[1] + lp if lp else None,
                    chain(o, s, end + act - 1, tenc, ttbase) if act else None))
    assert r.p == end
    return out


def chain(o, s, pos, tenc, ttbase):
    """The actions from pos on: (kind, what its type table entries refer to)."""
    out = []
    size = 0 if tenc == 255 else {0: 8, 2: 2, 3: 4, 4: 8}[tenc & 7]

    def entry(i):
        rel = s['rel'].get(ttbase - i * size)
        return rel and (rel[0], o.symname[rel[1]], o.target(rel)[1])

    while True:
        r = Rd(s['data'], pos)
        flt = r.leb(True)
        at = r.p
        step = r.leb(True)
        types = []
        if flt > 0:
            types = [entry(flt)]
        elif flt < 0:
            spec = Rd(s['data'], ttbase - flt - 1)
            while True:
                i = spec.leb()
                if not i:
                    break
                types.append(entry(i))
        out.append(((flt > 0) - (flt < 0), types))
        if not step:
            return out
        pos = at + step


def read_layout(path):
    """By section of IN.o the rows of numbers that the driver printed for it."""
    rows = {}
    for line in open(path):
        w = line.split()
        if len(w) == 7:
            v = [int(x) for x in w]
            rows.setdefault(v[0], []).append(v[1:])
    return rows


class Map:
    def __init__(self, path):
        self.m = read_layout(path)

    def at(self, sec, off, bind):
        if sec not in self.m:
            return off
        e = self.m[sec]
        k = bisect.bisect_right([x[0] for x in e], off) - 1
        x = e[k]
        n = x[1]
        if x[0] == off and (bind == 'end' or (k == len(e) - 1 and bind != 'fall')):
            return n
        n += x[2] + x[3]
        if x[0] == off and bind in ('entry', 'fall'):
            return n
        n += x[4]
        if x[0] == off and bind == 'branch':
            return n
        return n + x[5] + off - x[0]


def translate(m, fde, lsda, names, code_at):
    """IN's facts as they must be in OUT; sections by name, since indices differ."""
    code, start, end, key, body, _ = fde
    start1 = m.at(code, start, 'entry')
    if 'S' in key[5] and (code, start) not in code_at and (code, start + 1) in code_at:
        start1 = m.at(code, start + 1, 'entry') - 1     # glibc's __restore_rt
    out = [names[code], start1, m.at(code, end, 'fall') if end > start else start1, key,
           [(max(start1, m.at(code, a, 'end')), i) for a, i in body]]
    if lsda is None:
        return out, None
    sites = []
    for a, b, pcode, pad, act in lsda:
        a1 = start1 if a == start else max(start1, m.at(code, a, 'end'))
        sites.append((a1, max(a1, m.at(code, b, 'end')), pad is not None and names[pcode],
                      pad is not None and m.at(pcode, pad, 'branch'), act))
    return out, sites


def main():
    a, b, m = Obj(sys.argv[1]), Obj(sys.argv[2]), Map(sys.argv[3])
    fa, fb = fdes(a), fdes(b)
    ident = Map('/dev/null')
    code_at = {(s[3], s[4]) for s in a.sym if s[1] & 15 in (0, 2, 10)}
    na = [s['name'] for s in a.sec]
    nb = [s['name'] for s in b.sec]
    bad = nsites = 0

    def key(f):     # without the personality, which names sections by their indices
        return f[:3] + [f[3][0], f[3][2:], f[4]]

    if len(fa) != len(fb):
        sys.exit(f'{len(fa)} FDEs became {len(fb)}')
    for x, y in zip(fa, fb):
        fx, sx = translate(m, x, exceptions(a, x), na, code_at)
        fy, sy = translate(ident, y, exceptions(b, y), nb, ())
        nsites += len(sx or [])
        if key(fx) != key(fy) or sx != sy:
            bad += 1
            if bad < 4:
                print('want', key(fx), sx, '\ngot ', key(fy), sy)
    print(f'{len(fa)} FDEs, {sum(len(f[4]) for f in fa)} rows, {nsites} call sites, {bad} differences')
    sys.exit(bad != 0)


if __name__ == "__main__":
    main()
