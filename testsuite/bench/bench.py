#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What counting costs: user time, size and executed instructions, by ldx and by what else there is.

  bench.py [--stage DIR] [--work DIR] [--runs N | --quick] [--only RE] [--ways RE] [--parts LIST]
           [--json FILE] [--compare FILE] [--tables FILE] [--readme FILE]

Parts:
  sources   programs compiled from source, measured in all ways (sources.py, ways.py)
  threads   one of them with 1, 2 and 8 threads
  libraries some of the sources as shared libraries, which a plain program calls, and the one with threads
  prebuilt  drivers around Debian's static libraries as they are, which only ldx can measure
  tools     requests of tools (probe.c), and what compilers insert at the same places, in eight of the sources

Runs of the ways alternate.  A program runs as often in a row as takes the plain one two seconds; that one does
it twice in each round, and a ratio is the median over the rounds of user time to the plain program's in the same
round, so that drift of the machine hits both; the spread is half the distance of the quartiles.  Slow ways, those that run the program in another one, run once, with less to do.
--quick: 1 round of 3; --runs 0: no times, which a busy machine cannot tell.  --json keeps all figures, --compare shows
how the means differ from those of an earlier run.  --tables replaces the text between the markers of FILE: those of
instructions of the sources, of libraries and of tools have markers of their own, the others are between the bench markers;
--readme replaces that by the short table.
"""
import argparse
import concurrent.futures
import datetime
import json
import os
import re
import statistics
import subprocess
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.dirname(HERE), os.path.join(os.path.dirname(HERE), "oracle"),
                os.path.join(os.path.dirname(HERE), "programs")]
import exact  # noqa: E402
import ldxmap  # noqa: E402
import oracle  # noqa: E402
import programs  # noqa: E402
import sources  # noqa: E402
import tables  # noqa: E402
import ways  # noqa: E402

PARTS = "sources,threads,libraries,prebuilt,tools"
SHARED = ("bzip2", "zlib", "xz", "lua", "sqlite", "expat", "objects")
AS_LIBRARY = ["-fPIC", "-Dmain=ldx_bench_main"]
TOOLED = ("records", "small", "loops", "linear", "objects", "bzip2", "lua", "sqlite")
PREBUILT = "plain|none|functions|cover|blocks|edges"
THREADS = (1, 2, 8)


START = time.monotonic()


def say(*words):
    print("bench: %4.0f s:" % (time.monotonic() - START), *words, file=sys.stderr, flush=True)


def user_time(b, cmd):
    """Seconds, and what was printed."""
    p = subprocess.Popen(cmd, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=b.environment())
    out = p.stdout.read()
    _, status, usage = os.wait4(p.pid, 0)
    p.returncode = os.waitstatus_to_exitcode(status)
    p.stdout.close()
    if p.returncode:
        raise SystemExit("bench: %s: status %d" % (" ".join(cmd), p.returncode))
    return usage.ru_utime, out


SECONDS = 2.0


def repeated(b, cmd, times):
    """The same of so many runs in a row; what was printed must not change."""
    t, out = user_time(b, cmd)
    for _ in range(times - 1):
        more, again = user_time(b, cmd)
        t += more
        if again != out:
            raise SystemExit("bench: %s prints something else each time" % cmd[0])
    return t, out


def text(path):
    """Bytes of instructions.  The original ones that BOLT leaves in its output never run."""
    return ldxmap.Elf(path).text_size(lambda name: not name.startswith(".bolt.org"))


def alternate(b, made, runs, args=()):
    """{way: [seconds]} of one run, and {way: [ratios]}, of RUNS rounds over MADE, {way: program}."""
    plain = next(p for w, p in made.items() if w.name == w.base)
    times = max(1, round(SECONDS / max(user_time(b, [plain] + list(args))[0], 0.01)))
    order = [w for w in made if not w.runner]
    order += [w for w in order if w.name == w.base]
    seconds, ratios, printed = {w.name: [] for w in order}, {w.name: [] for w in order}, None
    for k in range(runs):
        this = {}
        at = k * 5 % len(order)
        for w in order[at:] + order[:at]:
            t, out = repeated(b, b.command(w, made[w]) + list(args), times)
            this.setdefault(w.name, []).append(t)
            if printed is None:
                printed = out
            if out != printed:
                raise SystemExit("bench: %s prints something else" % made[w])
        for w in set(order):
            t = statistics.mean(this[w.name])
            seconds[w.name].append(t / times)
            ratios[w.name].append(t / statistics.mean(this[w.base]))
    return seconds, ratios


def spread(v):
    """Half the distance of the quartiles."""
    if len(v) < 2:
        return 0.0
    low, _, high = statistics.quantiles(v, n=4, method="inclusive")
    return (high - low) / 2


def slowly(b, way, prog, base):
    """The ratio of a way that runs the program in another one; what it takes to start is not counted."""
    t, _ = user_time(b, b.command(way, prog) + ["small"])
    start, _ = user_time(b, b.command(way, b.empty))
    return (t - start) / base


def measure(b, made, runs, counted=None):
    """The row of a program; the text is that of what is COUNTED, the program itself unless given."""
    counted = counted or made
    row = {w.name: {"text": text(counted[w])} for w in made if not w.runner}
    if not runs:
        return row
    seconds, ratios = alternate(b, made, runs)
    for name in row:
        row[name].update(seconds=statistics.median(seconds[name]), time=statistics.median(ratios[name]),
                         spread=spread(ratios[name]))
    plain = next(p for w, p in made.items() if w.name == "plain")
    slow = [w for w in made if w.runner]
    base = statistics.median(user_time(b, [plain, "small"])[0] for _ in range(5)) if slow else 0
    row.update({w.name: {"time": slowly(b, w, made[w], base)} for w in slow})
    return row


def count(b, made, row, judged):
    """How many instructions of the program each way executes, when there is less to do.

    And when the program is to be JUDGED: the counts are those that QEMU sees in the null link.
    """
    null = seen = None
    for w, prog in made.items():
        if w.runner:
            continue
        _, counts = oracle.count([prog, "small"], ways=w.name == "none", stdout=subprocess.DEVNULL,
                                 env=b.environment())
        row[w.name]["instructions"] = sum(counts.values())
        if w.name == "none":
            null, seen = prog, counts
        elif judged and null and w.name in ("blocks", "edges"):
            try:
                row[w.name]["exact"] = exact.compare(null, prog, b.profile, seen)[:2]
            except exact.Mismatch as e:
                row[w.name]["wrong"] = str(e)
                say("WRONG COUNTS in", prog, e)


def count_library(b, made, libraries, row):
    """The same of the instructions of a library."""
    for w, prog in made.items():
        out = os.path.join(b.work, "callgrind.out")
        ways.sh(["valgrind", "-q", "--tool=callgrind", "--dump-instr=yes", "--compress-pos=no", "--compress-strings=no",
                 "--callgrind-out-file=" + out, prog, "small"], env=b.environment())
        lines = oracle.callgrind_lines(out, os.path.realpath(libraries[w]))
        row[w.name]["instructions"] = sum(n for elsewhere, _, n in lines if not elsewhere)


def compiled(b, name, p, src, way, more):
    flags = way.flags + more
    kind = re.sub("[^a-z0-9-]+", "_", " ".join([way.compiler] + flags))
    return sources.compile_objects(name, p, src, b.compiler(way, sources.is_cxx(p)), flags,
                                   os.path.join(b.work, "objects", name, kind))


def build(b, name, p, chosen, kind="-no-pie", more=()):
    """{way: program}, or {} when there is no source; KIND -shared: {way: library}, with MORE flags of the compiler."""
    try:
        src = sources.fetch(p, os.path.join(b.work, "src"))
    except SystemExit as e:
        say("%s skipped: %s" % (name, e))
        return {}
    # one compilation for all ways with the same flags
    kinds = {(w.compiler, *w.flags): w for w in chosen}
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        objects = dict(zip(kinds, pool.map(lambda w: compiled(b, name, p, src, w, list(more)), kinds.values())))
    made = {}
    for w in chosen:
        out = os.path.join(b.work, "bin", "%s%s.%s" % (name, kind * (kind == "-shared"), re.sub("[^a-z0-9]+", "-", w.name.lower())))
        made[w] = b.link(w, objects[(w.compiler, *w.flags)], p.libs, out, sources.is_cxx(p), kind=kind)
    return made


def part_sources(b, o, chosen):
    # built before anything is measured: a compiler that runs beside it would be measured too
    made = {n: build(b, n, p, chosen) for n, p in sources.PROGRAMS.items() if re.search(o.only, n)}
    rows = {}
    for name, progs in made.items():
        if progs:
            rows[name] = measure(b, progs, o.runs)
            count(b, progs, rows[name], name not in programs.INEXACT)
            say(name, "measured")
    return rows


def part_threads(b, o, chosen):
    made = build(b, "threads", sources.THREADS, [w for w in chosen if not w.runner])
    result = {}
    for n in THREADS:
        _, ratios = alternate(b, made, o.runs, [str(n)])
        result[str(n)] = {w: {"time": statistics.median(r), "spread": spread(r)} for w, r in ratios.items()}
        say("threads with", n, "measured")
    return result


def callers(b, name, p, chosen):
    """{way: program} and {way: library}."""
    libraries = build(b, name, p, chosen, "-shared", AS_LIBRARY)
    made = {w: b.link_caller(so, so + ".caller", sources.is_cxx(p)) for w, so in libraries.items()}
    return made, libraries


def part_libraries(b, o, chosen):
    chosen = [w for w in chosen if w in ways.LIBRARIES]
    rows = {}
    for name in SHARED:
        if not re.search(o.only, name):
            continue
        made, libraries = callers(b, name, sources.PROGRAMS[name], chosen)
        if made:
            rows[name] = measure(b, made, o.runs, libraries)
            count_library(b, made, libraries, rows[name])
            say("library", name, "measured")
    if o.runs and re.search(o.only, "threads"):
        made, libraries = callers(b, "threads", sources.THREADS, chosen)
        for n in THREADS:
            _, ratios = alternate(b, made, o.runs, [str(n)])
            rows["threads %d" % n] = {w: {"time": statistics.median(r), "spread": spread(r)} for w, r in ratios.items()}
    return rows


def part_prebuilt(b, o, chosen):
    chosen = [w for w in chosen if re.fullmatch(PREBUILT, w.name)]
    rows = {}
    for name in programs.PROGRAMS:
        if not re.search(o.only, name):
            continue
        if not programs.available(name):
            say("no static library for", name)
            continue
        made = {w: programs.link(b.stage, b.work, name, w.name) for w in chosen}
        rows[name] = measure(b, made, o.runs)
        say("prebuilt", name, "measured")
    return rows


def part_tools(b, o, chosen):
    chosen = [w for w in b.usable(ways.TOOLS)[0] if w.name == w.base or re.search(o.ways, w.name)]
    made = {n: build(b, n, sources.PROGRAMS[n], chosen) for n in TOOLED if re.search(o.only, n)}
    rows = {}
    for name, progs in made.items():
        if progs:
            rows[name] = measure(b, progs, o.runs)
            count(b, progs, rows[name], False)
            say("tools", name, "measured")
    return rows


def options():
    ap = argparse.ArgumentParser(usage=__doc__)
    top = os.path.dirname(os.path.dirname(HERE))
    ap.add_argument("--stage", default=os.environ.get("LDX_STAGE", top + "/build/stage"))
    ap.add_argument("--work", default=top + "/build/bench")
    ap.add_argument("--runs", type=int, default=3)
    ap.add_argument("--quick", dest="runs", action="store_const", const=1)
    ap.add_argument("--only", default=".", help="programs")
    ap.add_argument("--ways", default=".", help="beside the plain ones")
    ap.add_argument("--parts", default=PARTS)
    ap.add_argument("--json")
    ap.add_argument("--compare")
    ap.add_argument("--tables")
    ap.add_argument("--readme")
    o = ap.parse_args()
    o.stage, o.work = os.path.abspath(o.stage), os.path.abspath(o.work)
    return o


def main():
    o = options()
    for d in ("bin", "objects"):
        os.makedirs(os.path.join(o.work, d), exist_ok=True)
    os.environ.setdefault("LDX_TEST_WORK", o.work)
    b = ways.Bench(o.stage, o.work)
    chosen, missing = b.usable([w for w in ways.WAYS if w.name == w.base or re.search(o.ways, w.name)])
    for name, why in missing:
        say("%s skipped: %s" % (name, why))
    parts = {"sources": part_sources, "threads": part_threads,
             "libraries": part_libraries, "prebuilt": part_prebuilt, "tools": part_tools}
    result = {"date": str(datetime.date.today()), "machine": tables.machine(), "runs": o.runs,
              "skipped": [name for name, _ in missing]}
    for part in o.parts.split(","):
        result[part] = parts[part](b, o, chosen)
    lines = tables.markdown(result)
    print("\n".join(lines))
    apart = {"instructions": ("sources", tables.of_instructions), "libraries": ("libraries", tables.of_libraries),
             "tools": ("tools", tables.of_tools)}
    apart = {name: table(result) for name, (part, table) in apart.items() if result.get(part)}
    for table in apart.values():
        print("\n".join([""] + table))
    if o.compare and os.path.exists(o.compare):
        with open(o.compare) as f:
            print("\n".join(tables.compare(json.load(f), result)))
    with open(o.json or os.path.join(o.work, "results.json"), "w") as f:
        f.write(tables.as_json(result))
    if o.tables and "sources" in result and o.runs:
        tables.rewrite(o.tables, "bench", lines)
    for name, table in apart.items() if o.tables else ():
        tables.rewrite(o.tables, name, table)
    if o.readme:
        tables.rewrite(o.readme, "bench", tables.summary(result))


if __name__ == "__main__":
    main()
