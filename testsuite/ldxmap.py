# SPDX-License-Identifier: Apache-2.0
"""Reads the static map and the profile of an instrumented program.

Written from ldx-map(5) and ldxprof(5) alone, sharing no code with ldx or ldxprof, so that the
tests do not repeat their mistakes.
"""
import functools
import os
import struct

PAGE = 4096
COVER = 4                           # mode: marks instead of counters
OPAQUE, ENTRY_COUNTER, CALLED = 1, 2, 4  # function flags
COUNTED, CALL, ENTRY, APART, HELD, BLOCK_NEXT = 1, 2, 4, 8, 16, 32  # block flags
UNKNOWN, FALL, EDGE_NEXT, EDGE_CALLS = 2, 4, 8, 16  # edge flags, beside COUNTED
MARKS = 1                           # slot flag


class Elf:
    """The few facts of an ELF file that the tests need.  order: of its bytes, as struct has it."""

    def __init__(self, path):
        self.path = path
        with open(path, "rb") as f:
            self.data = d = f.read()
        if d[:4] != b"\x7fELF":
            raise ValueError(path + ": not an ELF file")
        self.order, self.wide = "<>"[d[5] == 2], d[4] == 2
        self.type, self.machine = self.unpack("HH", 16)
        phoff, shoff = self.unpack("QQ", 32) if self.wide else self.unpack("II", 28)
        phes, phn, shes, shn, shstr = self.unpack("HHHHH", 54 if self.wide else 42)
        # type flags offset vaddr filesz memsz
        self.segments = []
        for i in range(phn):
            p = self.unpack("IIQQQQQQ" if self.wide else "IIIIIIII", phoff + i * phes)
            self.segments.append((p[0], p[1], p[2], p[3], p[5], p[6]) if self.wide else (p[0], p[6], p[1], p[2], p[4], p[5]))
        raw = [self.unpack("IIQQQQIIQQ" if self.wide else "10I", shoff + i * shes) for i in range(shn)] if shoff else []
        if raw and shn == 0:
            raise ValueError("extended section count")
        self.sections = {}
        self.names = [self._string(raw[shstr][4] + s[0]) if shstr else "" for s in raw]
        for name, s in zip(self.names, raw):
            self.sections.setdefault(name, s)
        self.raw_sections = raw

    def unpack(self, fields, off):
        return struct.unpack_from(self.order + fields, self.data, off)

    def _string(self, off):
        return self.data[off:self.data.index(b"\0", off)].decode(errors="replace")

    def section(self, name):
        """The bytes of a section, or None."""
        s = self.sections.get(name)
        if s is None:
            return None
        return self.data[s[4]:s[4] + s[5]] if s[1] != 8 else b""

    def text_size(self, wanted=lambda name: True):
        """Bytes of instructions in the sections whose name is wanted."""
        return sum(s[5] for n, s in zip(self.names, self.raw_sections) if s[2] & 4 and s[1] == 1 and wanted(n))

    def exec_base(self):
        return min((p[3] for p in self.segments if p[0] == 1 and p[1] & 1), default=0)

    def bytes_at(self, va, n):
        for t, _, off, v, filesz, _ in self.segments:
            if t == 1 and v <= va < v + filesz:
                return self.data[off + va - v:off + min(va - v + n, filesz)]
        return b""

    def is_rep(self, va):
        """A string instruction with a REP prefix: engines count its iterations differently."""
        rep = False
        for c in () if self.machine != 62 else self.bytes_at(va, 8):
            if c in (0xF2, 0xF3):
                rep = True
            elif c not in (0x66, 0x67) and c & 0xF0 != 0x40:
                return rep and (0xA4 <= c <= 0xA7 or 0xAA <= c <= 0xAF or 0x6C <= c <= 0x6F)
        return False

    def functions(self):
        """[(address, size, name)] from the symbol table."""
        out = []
        for s in self.raw_sections:
            if s[1] != 2:
                continue
            strings = self.raw_sections[s[6]][4]
            for o in range(s[4], s[4] + s[5], 24 if self.wide else 16):
                if self.wide:
                    name, info, _, shndx, value, size = self.unpack("IBBHQQ", o)
                else:
                    name, value, size, info, _, shndx = self.unpack("IIIBBH", o)
                if info & 15 in (2, 10) and shndx:
                    out.append((value, size, self._string(strings + name)))
        return out


class Block:
    """runs: [instructions one behind the other, bytes up to the next such]."""
    __slots__ = ("func", "offset", "length", "insns", "address", "flags", "counter", "runs")


class Func:
    __slots__ = ("address", "name", "section", "file", "input", "offset", "size", "flags", "entry", "reason", "blocks", "edges",
                 "marks", "callers")


class Edge:
    """from_, to: blocks, or None: outside."""
    __slots__ = ("from_", "to", "flags", "counter")


class Map:
    """funcs, each with its blocks; blocks, of all functions, numbered as in the file."""

    def __init__(self, elf):
        d = elf.section(".ldx.map")
        if d is None:
            raise ValueError(elf.path + ": no .ldx.map")
        (magic, self.header_size, self.build, self.ncounters, nfuncs, nblocks, nedges, strings, self.size, self.mode,
         self.machine, inputs, variables) = struct.unpack_from(elf.order + "IIQQQQQQQIIQQ", d, 0)
        if magic != 0x38307061:
            raise ValueError(elf.path + ": .ldx.map has a bad magic number")
        self.d, self.p, self.order = d, self.header_size, elf.order
        self.relaxed = self.machine == 243  # EM_RISCV: the last link writes distances
        self.funcs, self.blocks = [], []
        self.last_counter = -1
        for _ in range(nfuncs):
            self._func(strings)
        if len(self.blocks) != nblocks:
            raise ValueError("%s: %d blocks, the header says %d" % (elf.path, len(self.blocks), nblocks))
        if sum(len(f.edges) for f in self.funcs) != nedges:
            raise ValueError("%s: not the %d edges the header says" % (elf.path, nedges))
        if self.p != inputs:
            raise ValueError(elf.path + ": the table of inputs is not behind the functions")
        done = 0
        while done < nfuncs:
            n, name = self._uleb(), self._string(strings, self._uleb())
            for f in self.funcs[done:done + n]:
                f.input = name
            done += n
        if done != nfuncs:
            raise ValueError(elf.path + ": the table of inputs tells more functions than there are")
        if self.p != variables:
            raise ValueError(elf.path + ": the table of variables is not behind that of inputs")
        self.variables = [(self._string(strings, self._uleb()), self._string(strings, self._uleb()), self._uleb(), self._uleb())
                          for _ in range(self._uleb())]
        # (first cell, cells, kind, keys, sums)
        self.rules = [tuple(self._uleb() for _ in range(5)) for _ in range(self._uleb())] if self.variables else []
        if self.p != strings:
            raise ValueError(elf.path + ": the strings are not behind the table of variables")

    def _uleb(self):
        v = self.d[self.p]
        self.p += 1
        if v < 128:
            return v
        shift = 0
        while v >> shift > 127:
            shift += 7
            v += (self.d[self.p] - 1) << shift
            self.p += 1
        return v

    def _distance(self):
        if not self.relaxed:
            return self._sleb()
        self.p += 4
        return struct.unpack_from(self.order + "i", self.d, self.p - 4)[0]

    def _sleb(self):
        start = self.p
        v = self._uleb()
        return v - (1 << 7 * (self.p - start)) if self.d[self.p - 1] & 64 else v

    def _string(self, strings, off):
        o = strings + off
        return self.d[o:self.d.index(b"\0", o)].decode(errors="replace")

    def _func(self, strings):
        f = Func()
        f.marks = self.mode == COVER
        f.address, = struct.unpack_from(self.order + "Q", self.d, self.p)
        self.p += 8
        f.name, f.section, f.file = (self._string(strings, self._uleb()) for _ in range(3))
        f.offset, f.size, f.flags = self._uleb(), self._uleb(), self._uleb()
        entry = self._uleb()
        f.entry = entry - 1 if entry else None
        reason = self._uleb()
        f.reason = self._string(strings, reason) if f.flags & OPAQUE else ""
        f.blocks, f.edges = [], []
        at, moved = f.offset, 0
        nblocks, nedges = self._uleb(), self._uleb()
        f.callers = [self._uleb() for _ in range(self._uleb())] if f.flags & CALLED else []
        if nblocks or nedges:
            self._uleb()  # the bytes that follow
            if self._uleb():
                self._sleb(), self._uleb()
        for _ in range(nblocks):
            b = Block()
            b.func = f
            b.offset = at + self._uleb()
            b.length, b.insns = self._uleb(), self._uleb()
            moved += self._distance()
            b.address = f.address + moved
            b.flags = self._uleb()
            b.counter = self._counter(b.flags)
            b.runs = [[b.insns, 0]]
            if b.flags & APART:
                b.runs = [[self._uleb(), self._uleb()] for _ in range(self._uleb())]
            at = b.offset + b.length
            f.blocks.append(b)
            self.blocks.append(b)
        ends = [None] + f.blocks
        for _ in range(nedges):
            e = Edge()
            e.from_, e.to = ends[self._uleb()], ends[self._uleb()]
            e.flags = self._uleb()
            e.counter = self._counter(e.flags)
            f.edges.append(e)
        self.funcs.append(f)

    def _counter(self, flags):
        if not flags & COUNTED:
            return None
        self.last_counter += self._sleb() + 1
        return self.last_counter


@functools.lru_cache(12)
def _load(path, changed, map_type):
    elf = Elf(path)
    return elf, map_type(elf)


def load(path):
    """A program's (Elf, Map).  The last ones are kept; do not change them."""
    return _load(path, os.stat(path).st_mtime_ns, Map)


def mark(number, cells):
    return cells[number // 8] >> number % 8 * 8 & 255


def spread(f, cells):
    """What was executed, from marks and proofs."""
    known = {b: mark(b.counter, cells) for b in f.blocks if b.counter is not None}
    known.update((e.to, 0) for e in f.edges if e.to not in known)
    for e in f.edges:
        if e.counter is not None:
            for b in (e.from_, e.to):
                known[b] = known.get(b, 0) | mark(e.counter, cells)
    todo = [b for b in known if known[b]]
    while todo:
        b = todo.pop()
        for e in f.edges:
            if e.from_ is b and e.counter is None and not known[e.to]:
                known[e.to] = 1
                todo.append(e.to)
    return known


def solve(f, counters):
    """{block or edge: count} for all of function f whose counts follow from the counters.  Marks: {block: 0 or 1}."""
    if f.marks:
        return spread(f, counters)
    arcs = f.blocks + f.edges
    known = {a: counters[a.counter] for a in arcs if a.counter is not None}
    known.update((e, sum(counters[n] for n in f.callers)) for e in f.edges if e.flags & EDGE_CALLS)
    if not f.edges:
        return known
    # places are what flows between blocks and edges: 0 outside, 2n + 1 into block n, 2n + 2 out of it
    number = {b: 2 * n + 1 for n, b in enumerate(dict.fromkeys(f.blocks + [b for e in f.edges for b in (e.from_, e.to) if b]))}
    places = 2 * len(number) + 1
    number[None] = -1
    ends = [(n, n + 1) for n in range(1, 2 * len(f.blocks), 2)]
    ends += [(number[e.from_] + 1, max(number[e.to], 0)) for e in f.edges]
    joined = list(range(places))  # by what cannot be known

    def place(p):
        while joined[p] != p:
            p = joined[p]
        return p

    unknown = [e.flags & UNKNOWN for e in f.edges]
    if any(unknown):
        for (u, v), cut in zip(ends[len(f.blocks):], unknown):
            if cut and place(u) != place(v):
                joined[place(u)] = place(v)
        ends = [(place(u), place(v)) for u, v in ends]
    outside = place(0) if place(0) == 0 else None
    unknown = [0] * len(f.blocks) + unknown
    left, last, flow = ([0] * len(joined) for _ in range(3))  # at a place: unknown arcs, the sum of their numbers, what flows in
    at = dict.fromkeys(p for (u, v), cut in zip(ends, unknown) if not cut and u != v for p in (u, v))
    for n, (a, (u, v)) in enumerate(zip(arcs, ends)):
        if unknown[n] or u == v:
            continue
        if a in known:
            flow[u] -= known[a]
            flow[v] += known[a]
        else:
            for p in (u, v):
                left[p] += 1
                last[p] += n
    # the last arc at a place: as the map says, else an edge, and never another if not damaged
    todo = ([], [], [])

    def look_at(p):
        if left[p] == 1 and p != outside:
            n = last[p]
            edge, leaves = n >= len(f.blocks), ends[n][0] == p
            by_next = bool(arcs[n].flags & (EDGE_NEXT if edge else BLOCK_NEXT))
            todo[0 if leaves != by_next else 1 if edge and not by_next else 2].append((p, n))

    for p in at:
        look_at(p)
    while any(todo):
        p, n = next(filter(None, todo)).pop()
        a, (u, v) = arcs[n], ends[n]
        if a not in known:
            known[a] = count = flow[p] if p == u else -flow[p]
            flow[u] -= count
            flow[v] += count
            for q in (u, v):
                left[q] -= 1
                last[q] -= n
            look_at(v if p == u else u)
    add_frames(f, known, sum(flow[p] for p in at if p != outside))
    return known


def add_frames(f, known, frames):
    """Where more came than went, frames have stayed: once more, at least, for what counts in registers."""
    for x in known if frames > 0 else ():
        ends = (x.from_, x.to) if isinstance(x, Edge) else (x,)
        if all(b and b.flags & HELD for b in ends):
            known[x] += frames


def calls(f, counts, counters):
    """How often function f was entered, or None; counts are solve()'s."""
    if f.marks:
        return None
    if f.entry is not None:
        return counters[f.entry]
    for e in f.edges:
        if e.from_ is None and e.to is f.blocks[0]:
            return counts.get(e)
    return counts.get(f.blocks[0]) if f.blocks and f.blocks[0].offset == f.offset else None


SUM, OR, MAXIMUM, MINIMUM, FIRST, TABLE, TOOL = range(7)  # rules


def merge(cells, row, rule, table):
    """The cells of a row by a rule; a table: {keys: sums}, the first entry's keys are 0."""
    first, n, kind, keys, sums = rule
    for i in range(0, n, keys + sums) if kind == TABLE else ():
        entry = row[first + i:first + i + keys + sums]
        key = entry[:keys] if all(entry[:keys]) else (0,) * keys
        if any(entry[keys:]):
            table[key] = tuple(a + b for a, b in zip(table.get(key, (0,) * sums), entry[keys:]))
    for k in range(first, first + n) if kind != TABLE else ():
        a, b = cells[k], row[k]
        cells[k] = {SUM: a + b, OR: a | b, MAXIMUM: max(a, b), MINIMUM: min(a, b) or a or b, FIRST: a or b, TOOL: a or b}[kind]


class Profile:
    """The counters of a profile file: sums over the slots of each object.  tables: by build and first cell."""

    def __init__(self, path):
        with open(path, "rb") as f:
            d = f.read()
        order = "<>"[d[:1] != b"l"]
        magic, self.build, end = struct.unpack_from(order + "3Q", d, 0)
        if magic != 0x333066727078646C:
            raise ValueError(path + ": not a profile")
        self.objects, self.paths, self.runs, self.lost, self.lost_threads = {}, {}, {}, {}, {}
        self.unfinished = {}  # with those that run
        self.tables = {}
        at = PAGE
        while at < end:
            used, _, build, n, size, runs, lost, flags = struct.unpack_from(order + "8Q", d, at)
            if not build:  # it is being made
                at += size
                continue
            sums = self.objects.setdefault(build, [0] * n)
            self.paths[build] = d[at + 64:d.index(b"\0", at + 64)].decode(errors="replace")
            self.runs[build] = self.runs.get(build, 0) + runs
            self.lost[build] = self.lost.get(build, 0) + lost
            lost_threads, unfinished = struct.unpack_from(order + "2Q", d, at + 64 + 1024)
            self.unfinished[build] = self.unfinished.get(build, 0) + unfinished
            self.lost_threads[build] = self.lost_threads.get(build, 0) + lost_threads
            rules = []
            while len(rules) < 64 and any(struct.unpack_from(order + "5Q", d, at + 1104 + 40 * len(rules))):
                rules.append(struct.unpack_from(order + "5Q", d, at + 1104 + 40 * len(rules)))
            counters = rules[0][0] if rules else n
            for row in range(at + PAGE, at + size if used & 1 else 0, (n * 8 + PAGE - 1) // PAGE * PAGE):
                # marks are bytes
                for k, v in enumerate(struct.unpack_from(("<" if flags & MARKS else order) + "%dQ" % counters, d, row)):
                    sums[k] = sums[k] | v if flags & MARKS else sums[k] + v
                cells = struct.unpack_from(order + "%dQ" % n, d, row) if rules else ()
                for rule in rules:
                    merge(sums, cells, rule, self.tables.setdefault((build, rule[0]), {}) if rule[2] == TABLE else None)
            at += size
        self.counters = self.objects.get(self.build, [])
