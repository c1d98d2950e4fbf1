# SPDX-License-Identifier: Apache-2.0
"""Writes static maps and profiles as ldx-map(5) and ldxprof(5) describe them."""
import struct

PAGE = 4096


def uleb(n):
    out = bytearray()
    while True:
        out.append(n & 127 | (128 if n > 127 else 0))
        n >>= 7
        if not n:
            return bytes(out)


def sleb(n):
    out = bytearray()
    while True:
        byte = n & 127
        n >>= 7
        if n in (0, -1) and (n == -1) == bool(byte & 64):
            out.append(byte)
            return bytes(out)
        out.append(byte | 128)


def fnv1a(data):
    h = 0xcbf29ce484222325
    for b in data:
        h = (h ^ b) * 0x100000001b3 & (1 << 64) - 1
    return h


class Map:
    """func() for each function, then data(); build is valid then."""

    def __init__(self, ncounters, mode=2):
        self.ncounters, self.mode = ncounters, mode
        self.body = self.zeroed = self.inputs = b""
        self.variables = b"\0"  # none
        self.strings, self.known = b"\0", {"": 0}
        self.nfuncs = self.nblocks = self.nedges = 0
        self.last_counter = -1

    def _string(self, s):
        if s not in self.known:
            self.known[s] = len(self.strings)
            self.strings += s.encode(errors="surrogateescape") + b"\0"
        return self.known[s]

    def func(self, name, address, size, blocks=(), file="", entry=None, reason="", edges=(), input=""):
        """A block: (offset, length, instructions, moved, counter or None), and if they stand apart the runs
        of its instructions: [(instructions, bytes behind them), ...].
        An edge: (1 + number of the block it leaves or 0, of the one it enters, flags, counter or None)."""
        r = b"".join(uleb(self._string(s)) for s in (name, ".text." + name, file))
        r += uleb(0) + uleb(size)
        r += uleb((1 if reason else 0) | (2 if entry is not None else 0))
        r += uleb(0 if entry is None else entry + 1) + uleb(self._string(reason)) + uleb(len(blocks))
        r += uleb(len(edges))
        end = moved = 0
        before, flow, r = self.last_counter, r, b""
        for offset, length, insns, at, counter, *runs in blocks:
            r += uleb(offset - end) + uleb(length) + uleb(insns) + sleb(at - moved)
            r += uleb((0 if counter is None else 1) | (8 if runs else 0)) + self._counter(counter)
            if runs:
                r += uleb(len(runs[0])) + b"".join(uleb(n) for run in runs[0] for n in run)
            end, moved = offset + length, at
        for from_, to, flags, counter in edges:
            r += uleb(from_) + uleb(to) + uleb(flags | (0 if counter is None else 1)) + self._counter(counter)
        r = flow + self._flow(r, before, [b[4] for b in blocks] + [e[3] for e in edges])
        self.body += struct.pack("<Q", address) + r
        self.zeroed += bytes(8) + r
        self.inputs += uleb(1) + uleb(self._string(input))
        self.nfuncs += 1
        self.nblocks += len(blocks)
        self.nedges += len(edges)

    def _flow(self, records, before, counters):
        """The records of blocks and edges, behind their size and the range of their counters."""
        if not records:
            return b""
        counters = [c for c in counters if c is not None]
        head = uleb(len(records))
        if not counters:
            return head + uleb(0) + records
        low, high = min(counters), max(counters)
        return head + uleb(high - low + 1) + sleb(low - before - 1) + uleb(high - counters[-1]) + records

    def _counter(self, counter):
        if counter is None:
            return b""
        skipped, self.last_counter = counter - self.last_counter - 1, counter
        return sleb(skipped)

    def data(self):
        inputs = 88 + len(self.body)
        variables = inputs + len(self.inputs)
        strings = variables + len(self.variables)
        self.build = fnv1a(self.zeroed + self.inputs + self.variables + self.strings)
        return struct.pack("<IIQQQQQQQIIQQ", 0x38307061, 88, self.build, self.ncounters, self.nfuncs,
                           self.nblocks, self.nedges, strings, strings + len(self.strings), self.mode,
                           62, inputs, variables) + self.body + self.inputs + self.variables + self.strings


def slot(build, counters, ncounters=None, used=1, runs=1, lost=0, path=b"/p", size=None,
         flags=0, lost_threads=0, unfinished=0):
    n = len(counters) if ncounters is None else ncounters
    length = PAGE + (len(counters) * 8 + PAGE - 1) // PAGE * PAGE
    size = length if size is None else size
    head = struct.pack("<8Q1024s", used, 1, build, n, size, runs, lost, flags, path)
    head = (head + struct.pack("<2Q", lost_threads, unfinished)).ljust(PAGE, b"\0")
    return head + struct.pack("<%dQ" % len(counters), *counters).ljust(length - PAGE, b"\0")


def profile(build, slots, program=b"/p", command=b"p\0arg\0"):
    """slots: bytes as slot() makes them, or the counters of build."""
    body = b"".join(s if isinstance(s, bytes) else slot(build, s) for s in slots)
    return struct.pack("<8Q1024s2048s", 0x333066727078646C, build, PAGE + len(body), 0, 0, 0, 0, 0,
                       program, command).ljust(PAGE, b"\0") + body
