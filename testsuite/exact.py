# SPDX-License-Identifier: Apache-2.0
"""Are ldx's counts those of an emulator?  Block by block, with the null link as the plain program.

The null link (--instrument=none --ldx-map) is the program without counters.  Its map says where
each block stands in it, the profile of the instrumented program what ldx counted there.
"""
import bisect

import ldxmap


class Mismatch(Exception):
    pass


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


def wrong_counts(null, ref, got, profile, seen, unfit):
    """Yield a line for each block whose count is not the emulator's.  First value: blocks compared."""
    bad, n = [], 0
    for f, g in zip(ref.funcs, got.funcs):
        if not f.address or f.name in unfit:
            continue
        for b, c in zip(f.blocks, g.blocks):
            # a string instruction: the emulator counts its iterations
            if c.counter is None or null.is_rep(b.address):
                continue
            n += 1
            count, oracle = profile.counters[c.counter], seen.get(b.address, 0)
            if count != oracle:
                bad.append("%s+%#x (%#x): counted %d, oracle %d" % (f.name, b.offset - f.offset, b.address, count, oracle))
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


def compare(null_path, prog_path, profile_path, seen, unfit=()):
    """Return the number of blocks compared; raise Mismatch."""
    null = ldxmap.Elf(null_path)
    ref, got = ldxmap.Map(null), ldxmap.Map(ldxmap.Elf(prog_path))
    profile = ldxmap.Profile(profile_path)
    same_blocks(ref, got)
    if not seen:
        raise Mismatch("the oracle has counted nothing")
    n, bad = wrong_counts(null, ref, got, profile, seen, unfit)
    total = len(bad)
    bad += wrong_blocks(null, ref, seen, unfit)
    if bad:
        raise Mismatch("%d of %d counts differ from the oracle's:\n%s" % (total, n, "\n".join(bad[:12])))
    return n
