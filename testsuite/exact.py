# SPDX-License-Identifier: Apache-2.0
"""Are ldx's counts those of an emulator?  Block by block, with the null link as the plain program.

The null link (--instrument=none --ldx-map) is the program without counters.  Its map says where
each block stands in it, the profile of the instrumented program what ldx counted there.
"""
import bisect
import collections
import re
import typing

import ldxmap


class Mismatch(Exception):
    pass


# What --ldx-verify may leave unproved of one link of a case: references into unwind tables, words of tables of the program's own.
UNPROVED = 4


def verified(link, how):
    """The completed process of a link, whose verifier must have proved nearly all."""
    m = re.search(r"not verified: (\d+) references, (\d+) debug sections", link.stderr)
    if m and int(m[1]) + int(m[2]) > UNPROVED:
        raise Mismatch("%s: %s" % (how, m[0]))
    return link


class Compared(typing.NamedTuple):
    """How many blocks and edges were compared; {reason: blocks} of the program that were not."""
    blocks: int
    edges: int
    left: dict

    def __str__(self):
        return "compared %d of %d blocks%s and %d edges" % (
            self.blocks, self.blocks + sum(self.left.values()),
            "".join(" (%d %s)" % (n, why) for why, n in sorted(self.left.items())), self.edges)


SKIPPED, STRING, UNKNOWN = "skipped by name", "that begin with a string instruction", "without a count"


def same_blocks(ref, got):
    """The maps of two links of one input list the same blocks in the same order."""
    shape = [
        [(f.name, f.section, f.offset, [(b.offset, b.length) for b in f.blocks]) for f in m.funcs] for m in (ref, got)
    ]
    if len(shape[0]) != len(shape[1]):
        raise Mismatch("the maps have %d and %d functions" % (len(shape[0]), len(shape[1])))
    for a, b in zip(*shape):
        if a != b:
            raise Mismatch("the maps of two links differ in %s:\n%s\n%s" % (a[0], a, b))


def is_wrong(count, want, frames, least=None):
    """Is that wrong, when as many frames have not returned, and then count is not below least?"""
    return not (want if least is None or not frames else least) <= count <= want + frames


def solve_all(ref, got, profile, unfit):
    """[(function of ref, of got, its counts)], without the counts of those whose names are unfit"""
    return [(f, g, ldxmap.solve(g, profile.counters) if f.address and f.name not in unfit else {})
            for f, g in zip(ref.funcs, got.funcs)]


def wrong_counts(null, solved, seen, unfit, gone=(), frames=0):
    """A line for each block whose count is not the emulator's.  The first two values: how many blocks were
    compared, and {reason: how many were not} of the functions that are in the program."""
    bad, n, left = [], 0, collections.Counter()
    for f, g, counts in solved:
        if not f.address or f.name in unfit:
            left[SKIPPED] += len(f.blocks) if f.address else 0
            continue
        for b, c in zip(f.blocks, g.blocks):
            if c in gone:
                continue
            # of a string instruction the emulator counts the iterations
            if c not in counts or null.is_rep(b.address):
                left[STRING if c in counts else UNKNOWN] += 1
                continue
            n += 1
            count, oracle = counts[c], seen.get(b.address, 0)
            oracle = min(oracle, 1) if g.marks else oracle
            # what a loop counts in registers is lost; the last marks may be missing, but none is one too many
            least = 0 if g.marks else min(oracle, 1) if c.flags & ldxmap.HELD else oracle
            if is_wrong(count, oracle, frames, least) or g.marks and count > oracle:
                bad.append("%s+%#x (%#x): counted %d, oracle %d" % (f.name, b.offset - f.offset, b.address, count, oracle))
    return n, +left, bad


def wrong_edges(solved, ways, unfit, frames=0):
    """The same for edges by which control may leave a block with several; unless it is a call's."""
    bad, n, to = [], 0, {}
    for (a, b), count in ways.items():
        to.setdefault(b, []).append((a, count))
    for f, g, counts in solved:
        if not f.address or f.name in unfit:
            continue
        if g.marks:
            continue
        block, several = dict(zip(g.blocks, f.blocks)), {}
        for e in g.edges:
            several.setdefault(e.from_, {}).setdefault(e.to, []).append(counts.get(e))
        for x, outs in several.items():
            for y, known in outs.items():
                if x is None or y is None or len(outs) < 2 or None in known:
                    continue
                n += 1
                a, b = block[x], block[y]
                want = sum(c for w, c in to.get(b.address, []) if a.address <= w < a.address + a.length)
                if is_wrong(sum(known), want, frames, min(want, 1) if x.flags & y.flags & ldxmap.HELD else want):
                    bad.append("%s+%#x -> %+#x: counted %d, oracle %d" %
                               (f.name, a.offset - f.offset, b.offset - f.offset, sum(known), want))
    return n, bad


def wrong_blocks(null, ref, seen, unfit):
    """No instruction runs more often than the first one of its block: nobody enters it in the middle."""
    starts = {}
    for f in ref.funcs:
        if f.address and f.name not in unfit:
            for b in f.blocks:
                starts.setdefault(b.address, b)
    order, bad = sorted(starts), []
    for a in sorted(seen):
        i = bisect.bisect_right(order, a) - 1
        b = starts[order[i]] if i >= 0 else None
        if b is None or a >= b.address + b.length or null.is_rep(a) or null.is_rep(b.address):
            continue
        if seen[a] > seen.get(b.address, 0):
            bad.append("%s: %#x ran %d times, its block %d" % (b.func.name, a, seen[a], seen.get(b.address, 0)))
    return bad


THREAD_POINTER = bytes.fromhex("64488b042500000000")  # mov %fs:0,%rax


def wrong_insns(null, solved, seen, unfit):
    """All instructions of a block run as often as it: what `ldxprof icount' adds up.  Parts of unfit
    functions, with names that begin as theirs, are unfit as well: signals end their blocks in the middle."""
    bad, order, unfit = [], sorted(seen), tuple(unfit)
    for f, g, counts in solved:
        if g.marks or f.name.startswith(unfit):
            continue
        for b, c in zip(f.blocks, g.blocks):
            if c not in counts:
                continue
            ran = order[bisect.bisect_left(order, b.address):bisect.bisect_left(order, b.address + b.length)]
            if THREAD_POINTER in null.bytes_at(b.address, b.length):
                continue  # the linker may have relaxed more instructions to that
            if not any(null.is_rep(a) for a in ran) and sum(seen[a] for a in ran) != counts[c] * c.insns:
                bad.append("%s+%#x (%#x): %d instructions, oracle %d" % (
                    f.name, b.offset - f.offset, b.address, counts[c] * c.insns, sum(seen[a] for a in ran)))
    return bad


def compare(null_path, prog_path, profile_path, seen, unfit=(), insns=True, frames=0):
    """What was Compared; raises Mismatch, also where a block has no count.  frames: that have not returned."""
    (null, ref), (_, got) = ldxmap.load(null_path), ldxmap.load(prog_path)
    same_blocks(ref, got)
    if not seen:
        raise Mismatch("the oracle has counted nothing")
    solved = solve_all(ref, got, ldxmap.Profile(profile_path), unfit)
    n, left, bad = wrong_counts(null, solved, seen, unfit, (), frames)
    edges, wrong = wrong_edges(solved, seen.ways, unfit, frames) if seen.ways else (0, [])
    bad += wrong
    bad += wrong_insns(null, solved, seen, unfit) if insns and not frames else []
    total = len(bad)
    bad += wrong_blocks(null, ref, seen, unfit)
    if bad:
        raise Mismatch("%d of %d counts differ from the oracle's:\n%s" % (total, n + edges, "\n".join(bad[:12])))
    done = Compared(n, edges, left)
    if UNKNOWN in left:
        raise Mismatch(str(done))
    return done


def missing(null_path, own, seen, opaque):
    """What compare() cannot know of: a line for each thing in functions with the names own that is in no block.
    These have to be in the map, whole or opaque; between their blocks there are no-ops alone; and what the
    emulator saw of them is in blocks."""
    (null, m), bad = ldxmap.load(null_path), []
    ranges = sorted((f.address, f.address + max(f.size, 1)) for f in m.funcs if f.address)
    plt = [(x[3], x[3] + x[5]) for n, x in zip(null.names, null.raw_sections) if n.startswith((".plt", ".iplt"))]
    for a, size, name in null.functions():
        if any(start <= a < end for start, end in plt):  # where an IFUNC has its address
            continue
        if not size and a not in seen:  # a function that has no code
            continue
        i = bisect.bisect_right(ranges, (a, 1 << 64)) - 1
        if name in own and (i < 0 or a >= ranges[i][1]):
            bad.append("%s (%#x) is not in the map" % (name, a))
    for f in m.funcs:
        if f.name not in own or not f.address or f.flags & ldxmap.OPAQUE:
            continue
        ends = [f.address] + [b.address + b.length for b in f.blocks]
        starts = [b.address for b in f.blocks] + [f.address + f.size]
        for end, start in zip(ends, starts):
            if not is_padding(null, end, max(start - end, 0)):
                bad.append("%s: what is between %#x and %#x is in no block" % (f.name, end, start))
    return bad + ["%s: %d instructions were executed in no block" % (name, n)
                  for name, n in unmeasured(null_path, m, seen).items() if name in own and name not in opaque]


# By e_machine.  x86-64: 90 and 0f 1f /0, with any number of 66 and 2e in front; int3, with -mharden-sls.
NO_OP = {8: rb"\0{4}",
         62: rb"[\x66\x2e]*(\x90|\xcc|\x0f\x1f([\x00\xc0]|[\x40\x80]\0+|\x44\0\0|\x84\0{5}))",
         183: rb"\x1f\x20\x03\xd5",
         243: rb"\x13\0\0\0|\x01\0"}


def is_padding(elf, address, size):
    """Is there nothing but no-ops, or traps that nothing leads to?"""
    return re.fullmatch(b"(%s)*" % NO_OP[elf.machine], elf.bytes_at(address, size)) is not None


def compare_self(null_path, prog_path, profile_path, seen, unfit=()):
    """The same for one run of the counted program under the emulator: what it counted itself, and what
    the emulator did.  The null link tells which blocks are padding: these may have lost their place."""
    (null, ref), (prog, got) = ldxmap.load(null_path), ldxmap.load(prog_path)
    same_blocks(ref, got)
    if not seen:
        raise Mismatch("the oracle has counted nothing")
    padding = {c for b, c in zip(ref.blocks, got.blocks) if is_padding(null, b.address, b.length)}
    n, _, bad = wrong_counts(prog, solve_all(got, got, ldxmap.Profile(profile_path), unfit), seen, unfit, padding)
    if bad:
        raise Mismatch("%d of %d counts differ from the oracle's of the same run:\n%s" % (len(bad), n, "\n".join(bad[:12])))
    return n


def unmeasured(prog_path, m, seen):
    """{function or None: instructions executed} for all that ran in no block of the map."""
    elf, out = ldxmap.Elf(prog_path), {}
    blocks = sorted((b.address, b.address + b.length) for f in m.funcs if f.address for b in f.blocks)
    funcs = sorted((a, a + n, name) for a, n, name in elf.functions())
    for a in seen:
        i = bisect.bisect_right(blocks, (a, 1 << 64)) - 1
        if i >= 0 and a < blocks[i][1]:
            continue
        i = bisect.bisect_right(funcs, (a, 1 << 64, "")) - 1
        name = funcs[i][2] if i >= 0 and a < funcs[i][1] else None
        out[name] = out.get(name, 0) + seen[a]
    return out
