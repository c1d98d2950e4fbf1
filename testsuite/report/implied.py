#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Are the line counts of `ldxprof coverage' those that the line table and the counts of blocks and edges imply?

  implied.py [--stage DIR] --work DIR NAME...   of programs of testsuite/bench/sources.py, compiled with -O2 -g
  implied.py [--stage DIR]                      of a small one

The line table is objdump's, inlined functions are llvm-dwarfdump's, blocks are those of the map, their counts
those of `ldxprof export'.  The rule is that of ldxprof(1).  Exit status: 0 equal, 1 not, 77 a tool is missing."""
import argparse
import bisect
import collections
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.dirname(HERE)]
import gcov  # noqa: E402
import ldxmap  # noqa: E402

DWARFDUMP = shutil.which("llvm-dwarfdump-19") or shutil.which("llvm-dwarfdump")
Row = collections.namedtuple("Row", "address file line statement")
Scope = collections.namedtuple("Scope", "number depth ranges file line")


def out(*args):
    return subprocess.run(args, check=True, capture_output=True, text=True, errors="replace").stdout


def line_table(prog):
    """Rows by address, in the order of the table; line None: the end of a sequence."""
    rows, sequence = [], []
    for text in out("objdump", "-w", "--dwarf=decodedline", prog).splitlines():
        m = re.match(r"(\S.*?) +(\d+|-) +(?:0x)?([0-9a-f]+)(?:\[\d+\])?( .*)?$", text)
        if not m:
            continue
        sequence.append(Row(int(m[3], 16), os.path.basename(m[1]), None if m[2] == "-" else int(m[2]),
                            "x" in (m[4] or "")))
        if m[2] == "-":
            end = sequence[-1].address
            rows += [r for r in sequence if r.address < end or r.line is None] if sequence[0].address > 1 else []
            sequence = []
    return sorted(rows, key=lambda r: (r.address, r.line is not None))


def scopes(prog):
    """Functions that have code, also inlined ones, with their addresses and where they are declared."""
    found, declared, at, die = [], {}, None, {}
    text = out(DWARFDUMP, "--debug-info", prog) + "\n0x00000000: NULL\n"
    for line in text.splitlines():
        m = re.match(r"(0x[0-9a-f]+):( +)(DW_TAG_\w+|NULL)", line)
        if m:
            if at and die["tag"] in ("DW_TAG_subprogram", "DW_TAG_inlined_subroutine"):
                declared[at] = die
                found += [die] if die["ranges"] else []
            at, die = m[1], {"tag": m[3], "depth": len(m[2]), "ranges": [], "low": None}
            continue
        m = re.match(r"\s+DW_AT_(\w+)\t\((.*?)\)?$", line)
        if m and m[1] == "low_pc":
            die["low"] = int(m[2], 16)
        elif m and m[1] == "high_pc":
            die["ranges"].append((die["low"], int(m[2], 16)))
        elif m and m[1] in ("decl_file", "decl_line"):
            die[m[1]] = m[2].strip('"')
        elif m and m[1] in ("abstract_origin", "specification"):
            die["origin"] = m[2].split()[0]
        elif at and re.match(r"\s+\[0x[0-9a-f]+, 0x[0-9a-f]+\)\)?$", line):
            die["ranges"].append(tuple(int(a, 16) for a in re.findall(r"0x[0-9a-f]+", line)))

    def attribute(die, name):
        while name not in die and "origin" in die and int(die["origin"], 16) in by_number:
            die = by_number[int(die["origin"], 16)]
        return die.get(name)
    by_number = {int(k, 16): d for k, d in declared.items()}
    return [Scope(i, d["depth"], d["ranges"], os.path.basename(attribute(d, "decl_file") or ""),
                  int(attribute(d, "decl_line") or 0)) for i, d in enumerate(found)]


def frames_at(found, address, cache={}):
    """The functions that the code is in, the innermost first."""
    if not cache:
        cache.update({"all": sorted(((low, high, s) for s in found for low, high in s.ranges if low > 1), key=lambda x: (x[0], -x[1], x[2].depth))})
        cache["low"] = [x[0] for x in cache["all"]]
    inside, i = [], bisect.bisect_right(cache["low"], address)
    outermost = min((s.depth for _, _, s in cache["all"]), default=0)
    while i:
        i -= 1
        low, high, s = cache["all"][i]
        if address < high:
            inside.append(s)
            if s.depth == outermost:
                break
        elif s.depth == outermost and inside:
            break
        elif address - low > 1 << 20:
            break
    return sorted(inside, key=lambda s: -s.depth)


def place_of(row, frames, last):
    """Which copy of a function the row is of: code is of the innermost, other rows of what is declared above them."""
    best = frames[0].number if frames else None
    line = 0
    for s in frames if not last else ():
        if s.file == row.file and line < s.line <= row.line:
            best, line = s.number, s.line
    return best


def pieces(f, code, rows, found):
    """{(file, line, place): {block: does the block or a statement of the line begin there?}}"""
    addresses = [r.address for r in rows]
    at_line, previous = collections.defaultdict(dict), f.address
    for number, b in enumerate(f.blocks):
        i, told = bisect.bisect_left(code, b.address), 0
        for insns, skip in b.runs:
            for k in range(i, i + insns):
                low = previous if previous <= code[k] else code[k]
                own = rows[bisect.bisect_left(addresses, low):bisect.bisect_right(addresses, code[k])]
                own = [r for r in own if r.line is not None]
                if not own:
                    j = bisect.bisect_right(addresses, code[k])
                    own = [r for r in rows[j - 1:j] if r.line is not None]
                frames = frames_at(found, code[k])
                for j, r in enumerate(own):
                    last = j + 1 == len(own)
                    if r.line:
                        key = r.file, r.line, place_of(r, frames, last)
                        at_line[key][number] = at_line[key].get(number, False) or r.statement or (last and not told)
                told += 1
                previous = code[k + 1] if k + 1 < len(code) else code[k] + 1
            i = bisect.bisect_left(code, previous + skip)
    return at_line


def visits(blocks, edges, chosen):
    """How often control came to the chosen blocks from elsewhere, or went around a loop of them."""
    inner = [e for e in edges if e[0] in chosen and e[1] in chosen]
    most = max(blocks[b] for b in chosen)
    if any(e[2] is None for e in inner) or not edges:
        return most
    entered = {b: max(0, blocks[b] - sum(e[2] for e in inner if e[1] == b)) for b in chosen}
    total, seen = sum(entered.values()), set()
    for first in [b for b in sorted(chosen) if entered[b]] + sorted(chosen):
        if first in seen:
            continue
        seen.add(first)
        stack = [(first, iter([e for e in inner if e[0] == first]))]
        while stack:
            for _, to, count in stack[-1][1]:
                if any(to == b for b, _ in stack):
                    total += count
                elif to not in seen:
                    seen.add(to)
                    stack.append((to, iter([e for e in inner if e[0] == to])))
                    break
            else:
                stack.pop()
    return total or most


def edges_of(g):
    """A call that may not return leaves the function, and what is behind it is entered from the call."""
    blocks, edges = g["blocks"], []
    for e in g["edges"]:
        origin = e["from"]
        if e["to"] is None:
            continue
        if origin is None and e["to"] and not blocks[e["to"]]["entry"]:
            before = blocks[e["to"] - 1]
            origin = e["to"] - 1 if before["call"] and before["offset"] + before["length"] == blocks[e["to"]]["offset"] else None
        if origin is not None:
            edges.append((origin, e["to"], e["count"]))
    return sorted(edges, key=lambda e: e[:2])


def expected(prog, ldxprof):
    m = ldxmap.Map(ldxmap.Elf(prog))
    code = sorted(int(a, 16) for a in re.findall(r"^ *([0-9a-f]+):\t", out("objdump", "-d", "-w", "--no-show-raw-insn", prog), re.M))
    exported = {(g["address"], g["name"]): g for g in json.loads(out(ldxprof, "export", prog))["functions"]}
    rows, found, counts = line_table(prog), scopes(prog), collections.Counter()
    frames_at.__defaults__[0].clear()
    for f in m.funcs:
        g = exported.get((f.address, f.name))
        if not g or not f.blocks:
            continue
        blocks, edges = [b["count"] for b in g["blocks"]], edges_of(g)
        for (file, line, _), at in pieces(f, code, rows, found).items():
            chosen = {b for b, begins in at.items() if begins} or set(at)
            counts[file, line] += visits(blocks, edges, chosen)
    return counts


def excluded(path):
    """The lines that comments take out."""
    found, within = set(), False
    if not os.path.exists(path):
        return found
    with open(path, errors="replace") as f:
        for number, text in enumerate(f, 1):
            within = (within or "LCOV_EXCL_START" in text) and "LCOV_EXCL_STOP" not in text
            if within or "LCOV_EXCL_LINE" in text:
                found.add(number)
    return found


def check(prog, ldxprof):
    want, got = expected(prog, ldxprof), collections.Counter()
    for file in json.loads(out(ldxprof, "coverage", "--format=gcovr", prog))["files"]:
        for line in excluded(file["file"]):
            want.pop((os.path.basename(file["file"]), line), None)
        for line in file["lines"]:
            got[os.path.basename(file["file"]), line["line_number"]] += line["count"]
    wrong = [k for k in sorted(set(want) | set(got)) if want.get(k) != got.get(k)]
    print("%s: %d lines, %d executed, %d wrong" % (prog, len(want), sum(n > 0 for n in want.values()), len(wrong)))
    for k in wrong[:20]:
        print("  %s:%d: implied %s, ldxprof says %s" % (*k, want.get(k), got.get(k)))
    return want and not wrong


def make(name, work, stage, levels):
    bindir = out(stage + "/bin/ldx", "--ldx-print=bindir").strip()
    files, flags, libs = gcov.program(name, work)
    for level in levels:
        d = os.path.join(work, "implied-" + name.replace(" ", "-") + level)
        gcov.make(d, files, [*flags, *level.split(), "-g"], libs, ["-B" + bindir, "-Wl,--instrument=edges"])
        yield d + "/prog"


def main():
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("--stage", default=os.path.join(os.path.dirname(os.path.dirname(HERE)), "build", "stage"))
    ap.add_argument("--work")
    ap.add_argument("names", nargs="*")
    args = ap.parse_args()
    args.stage = os.path.abspath(args.stage)
    if not DWARFDUMP or not shutil.which("gcc") or not shutil.which("setarch"):
        print("no llvm-dwarfdump, no gcc or no setarch")
        sys.exit(77)
    levels = ["-O2"] if args.names else ["-O1", "-O2", "-O3 -funroll-loops"]
    with tempfile.TemporaryDirectory() as d:
        good = [check(p, args.stage + "/bin/ldxprof") for name in args.names or [gcov.SMALL]
                for p in make(name, os.path.abspath(args.work or d), args.stage, levels)]
    sys.exit(not all(good))


if __name__ == "__main__":
    main()
