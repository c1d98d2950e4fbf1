# SPDX-License-Identifier: Apache-2.0
"""Figures of a benchmark as Markdown: one table for each part, means, and who is below whom."""
import json
import math
import os

from ways import TOOLS, WAYS

# what is compared with peers that tell the same, or less exactly; edges tell blocks too
RIVALS = (("edges", ("edges", "blocks")), ("cover", ("cover",)))
PLAIN = ("plain", "clang's plain", "clang 14's plain")
# not in the table of programs
ONLY_MEANS = ("blocks, plain counters", "edges, plain counters", "edges, counts of a run known", "edges, clang's code")
# in the short table
SHORT = ("functions", "cover", "blocks", "edges", "gcc -fprofile-arcs", "gcc, atomic", "clang -fprofile-generate",
         "clang, atomic", "BOLT", "callgrind")
# of smaller programs the size is that of the runtime
LARGE = 50000


def geomean(v):
    return math.exp(sum(map(math.log, v)) / len(v)) if v else float("nan")


def measured(rows, ways=WAYS):
    """The ways that are in every row, in their order."""
    return [w for w in ways if rows and all(w.name in r for r in rows.values())]


def figures(rows, way, key):
    return [r[way][key] for r in rows.values() if key in r[way]]


def to_plain(rows, w, key):
    """The mean ratio of a figure to the plain program's, for printing."""
    large = {n: r for n, r in rows.items() if key != "text" or r["plain"]["text"] >= LARGE}
    ratios = [a / b for a, b in zip(figures(large, w.name, key), figures(large, w.base, key))]
    return number(geomean(ratios)) if ratios else ""


def number(v):
    return ("%.2f" if v < 10 else "%.0f") % v


def line(cells):
    return "| " + " | ".join(cells) + " |"


def columns(rows):
    return [w for w in measured(rows) if w.name not in PLAIN + ONLY_MEANS]


def with_spread(cell):
    """A ratio, and how far runs are apart where that shows."""
    apart = cell.get("spread", 0)
    return number(cell["time"]) + (" ±" + number(apart) if apart >= 0.005 else "")


def by_program(rows, note=""):
    """User time: a row for each program, a column for each way."""
    names = [w.name for w in columns(rows)]
    out = [line(["user time" + note, "plain, s"] + names), "|---|" + "---:|" * (len(names) + 1)]
    for name, r in rows.items():
        out.append(line([name, number(r["plain"]["seconds"])] + [with_spread(r[w]) for w in names]))
    out.append(line(["**geometric mean**", ""] + [number(geomean(figures(rows, w, "time"))) for w in names]))
    return out


def by_instructions(rows, note=""):
    """Instructions: the same."""
    ways = [w for w in measured(rows) if w.name not in PLAIN and figures(rows, w.name, "instructions")]
    out = [line(["instructions" + note] + [w.name for w in ways]), "|---|" + "---:|" * len(ways)]
    for name, r in rows.items():
        out.append(line([name] + [number(r[w.name]["instructions"] / r[w.base]["instructions"]) for w in ways]))
    out.append(line(["**geometric mean**"] + [to_plain(rows, w, "instructions") for w in ways]))
    return out


def by_way(rows, chosen=None):
    """Means: a row for each way, or for those that are chosen."""
    out = [line(["", "instructions", "text", "user time", "worst"]), "|---|" + "---:|" * 4]
    for w in measured(rows):
        if w.name in PLAIN or w.name not in (chosen or [w.name]):
            continue
        time = figures(rows, w.name, "time")
        out.append(line([w.name, to_plain(rows, w, "instructions"), to_plain(rows, w, "text"),
                         number(geomean(time)), number(max(time))]))
    return out


def tools(rows):
    """Instructions of each program and their mean, means of text and, if it was measured, user time."""
    ways = [w for w in measured(rows, TOOLS) if w.name not in PLAIN]
    timed = any(r.get(w.name, {}).get("time") is not None for w in ways for r in rows.values())
    heads = list(rows) + ["**mean**", "text"] + ["user time"] * timed
    out = [line(["instructions"] + heads), "|---|" + "---:|" * len(heads)]
    for w in ways:
        counts = [number(r[w.name]["instructions"] / r[w.base]["instructions"]) if not w.runner else "" for r in rows.values()]
        out.append(line([w.name] + counts + ["" if w.runner else to_plain(rows, w, key) for key in ("instructions", "text")] +
                        [number(geomean(figures(rows, w.name, "time")))] * timed))
    return out


def verdicts(rows):
    """Sentences: on how many programs ldx takes less time than a peer that tells the same."""
    have, out = measured(rows), []
    for mine, kinds in RIVALS:
        if mine not in [w.name for w in have]:
            continue
        wins = {w.name: sum(r[mine]["time"] < r[w.name]["time"] for r in rows.values())
                for w in have if w.tells in kinds}
        if wins:
            behind = [n for n, k in wins.items() if k < 0.9 * len(rows)]
            out += ["Programs, of %d, on which `%s` takes less user time than what tells the same: %s. Below each on "
                    "at least 9 of 10: %s." % (len(rows), mine, ", ".join("%s %d" % i for i in wins.items()),
                                               "no, not " + ", ".join(behind) if behind else "yes"), ""]
    return out + exactness(rows)


def exactness(rows):
    """What the comparison of counts with QEMU's says."""
    out = []
    judged = [r["edges"]["exact"] for r in rows.values() if "exact" in r.get("edges", {})]
    if judged:
        out += ["In %d of them every count was compared with QEMU's: %d blocks, %d edges, no difference." %
                (len(judged), sum(j[0] for j in judged), sum(j[1] for j in judged)), ""]
    wrong = ["`%s` of %s" % (w, n) for n, r in rows.items() for w in r if "wrong" in r[w]]
    if wrong:
        out += ["**Counts differ from QEMU's: %s.**" % ", ".join(wrong), ""]
    return out


def texts(rows):
    ways = [w for w in measured(rows) if w.name not in PLAIN and not w.runner]
    return "Text of these: %s." % ", ".join("%s %s" % (w.name, to_plain(rows, w, "text")) for w in ways)


def of_instructions(result):
    rows = result["sources"]
    return (when(result) + by_instructions(rows) + ["", texts(rows), ""] + exactness(rows))[:-1]


def threads(rows, note=""):
    names = [w.name for w in measured(rows) if w.name not in PLAIN]
    out = [line(["threads" + note] + names), "|---:|" + "---:|" * len(names)]
    for n, r in rows.items():
        out.append(line([n] + [with_spread(r[w]) for w in names]))
    return out


def of_libraries(result):
    rows = result["libraries"]
    threaded = {n.split()[1]: r for n, r in rows.items() if n.startswith("threads ")}
    rows = {n: r for n, r in rows.items() if not n.startswith("threads ")}
    out = when(result) + by_instructions(rows, ", library") + [""]
    if result["runs"]:
        out += by_program(rows, ", library") + [""]
    out += [texts(rows), ""]
    return out + threads(threaded, ", library") if threaded else out[:-1]


def when(result):
    runs = result["runs"]
    return ["Measured %s on %s%s." % (result["date"], result["machine"],
                                      "; medians of %d alternating rounds" % runs if runs else ""), ""]


def summary(result):
    return when(result) + by_way(result.get("sources"), SHORT)


def markdown(result):
    out = when(result)
    rows = result.get("sources") if result["runs"] else None
    if rows:
        out += by_way(rows) + [""] + verdicts(rows) + by_program(rows) + [""]
    if result.get("threads"):
        out += threads(result["threads"]) + [""]
    rows = result.get("prebuilt")
    if rows:
        out += by_program(rows, " (prebuilt)") + [""]
        out += ["Text of these: %s." % ", ".join(
            "%s %s" % (w.name, to_plain(rows, w, "text")) for w in measured(rows) if w.name not in PLAIN), ""]
    if result["skipped"]:
        out += ["Not there: %s." % ", ".join(result["skipped"]), ""]
    return out[:-1]


def of_tools(result):
    return when(result) + tools(result["tools"])


def compare(old, new):
    """How the means of user time differ from an earlier run's, over what both have measured."""
    out = ["", "Against %s:" % old["date"], ""]
    for part in ("sources", "threads", "libraries", "prebuilt"):
        both = old.get(part, {}).keys() & new.get(part, {}).keys()
        for w in WAYS:
            pairs = [(old[part][p][w.name]["time"], new[part][p][w.name]["time"]) for p in both
                     if w.name in old[part][p] and w.name in new[part][p]]
            if pairs and w.name not in PLAIN:
                out.append("%-10s %-26s %.3f -> %.3f (%d)" % (
                    part, w.name, geomean([a for a, _ in pairs]), geomean([b for _, b in pairs]), len(pairs)))
    return out


def as_json(result):
    """A line for each way of each program: what changes from run to run can be read in a diff."""
    def short(v):
        return round(v, 4) if isinstance(v, float) else v

    parts = []
    for key, v in result.items():
        if isinstance(v, dict):
            v = "{\n" + ",\n".join(" %s: {\n%s}" % (json.dumps(p), ",\n".join(
                "  %s: %s" % (json.dumps(w), json.dumps({k: short(x) for k, x in row.items()}))
                for w, row in ways.items())) for p, ways in v.items()) + "}"
        else:
            v = json.dumps(v)
        parts.append("%s: %s" % (json.dumps(key), v))
    return "{\n" + ",\n".join(parts) + "}\n"


def rewrite(path, name, lines):
    """Replace the text between two marks of a file."""
    begin, end = "<!-- %s -->" % name, "<!-- /%s -->" % name
    with open(path) as f:
        s = f.read()
    if begin not in s or end not in s:
        raise SystemExit("%s has no %s ... %s" % (path, begin, end))
    a, b = s.index(begin) + len(begin), s.index(end)
    with open(path, "w") as f:
        f.write(s[:a] + "\n" + "\n".join(lines) + "\n" + s[b:])


def machine():
    cpu = next((x.split(":")[1].strip() for x in open("/proc/cpuinfo") if x.startswith("model name")), "?")
    return "%s, %d cores" % (cpu, len(os.sched_getaffinity(0)))
