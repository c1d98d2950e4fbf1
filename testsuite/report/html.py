#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The page of `ldxprof html', in a browser: clicked through, with the figures of `ldxprof export'.

  html.py LDXPROF STAGE

Exit status: 0 good, 1 not, 77 there is no Chromium."""
import collections
import json
import os
import re
import subprocess
import sys
import tempfile
import time

import browser
from calls import SHARED, SOURCE

# A path that ends a script element, if it is not written with care.
EVIL = "x<", "script><b id=evil>.c"
EVIL_SOURCE = "int evil(int n)\n{\n\tint s = 0;\n\tfor (int i = 0; i < n; i++)\n\t\ts += i & 1 ? i : -i; // </script>\n\treturn s;\n}\n"
UNKNOWN = "by its address, or from outside"
WHERE = ["overview", "functions", "coverage", "compare", "tools"]


def out(*args):
    return subprocess.run(args, check=True, capture_output=True, text=True).stdout


class Test:
    def __init__(self, ldxprof, stage, work):
        self.ldxprof, self.work, self.bad, self.checks = ldxprof, work, 0, 0
        os.environ["LDX_TOOLPATH"] = stage + "/lib/ldx/tools"  # ldxprof may be that of the build
        self.bindir = out(stage + "/bin/ldx", "--ldx-print=bindir").strip()

    def equal(self, got, expected, what):
        self.checks += 1
        if got != expected:
            self.bad += 1
            print("%s: %s, expected %s" % (what, got, expected))

    def prof(self, *args):
        return out(self.ldxprof, *args)

    def build(self):
        os.mkdir(self.work + "/" + EVIL[0])
        for name, text in ("calls.cpp", SOURCE.replace("int main(int argc, char **)\n{", 'extern "C" int evil(int);\nint main(int argc, char **)\n{\n\tevil(argc * 7);')), \
                ("shared.c", SHARED), ("/".join(EVIL), EVIL_SOURCE):
            with open(self.work + "/" + name, "w") as f:
                f.write(text)
        for c in (["gcc", "-fPIC", "-shared", "-B" + self.bindir, "-o", "libshared.so", "shared.c"], ["gcc", "-c", "-o", "evil.o", "/".join(EVIL)],
                  ["g++", "-c", "-o", "calls.o", "calls.cpp"]):
            subprocess.run([c[0], "-O2", "-g", *c[1:]], check=True, cwd=self.work)

    def link(self, mode, name):
        subprocess.run(["g++", "-B" + self.bindir, "-Wl,--instrument=" + mode, "calls.o", "evil.o", "-L.", "-lshared", "-Wl,-rpath," + self.work, "-o", name],
                       check=True, cwd=self.work)
        for f in os.listdir(self.work):
            if f.endswith(".ldxprof") and not f.startswith("old"):
                os.unlink(self.work + "/" + f)
        subprocess.run([self.work + "/" + name], check=True, stdout=subprocess.DEVNULL)
        return self.work + "/" + name

    def write(self, name, *profiles):
        page = "%s/%s.html" % (self.work, name)
        self.prof("html", "-o", page, *profiles)
        return page

    def functions(self, *profile):
        """What export says: [(name as it is shown, function)] of all objects."""
        d, v = json.loads(self.prof("export", *profile)), []
        for o in [d] + d["libraries"]:
            note = " (%s)" % os.path.basename(o["path"]) if "path" in o else ""
            v += [(f.get("demangled", f["name"]) + note, f) for f in o["functions"]]
        return v


def digits(text):
    """A number as the page shows it."""
    return None if text in ("–", "", None) else int(text.replace(",", "").replace("+", "").replace("−", "-"))


def go(b, where):
    b.run("location.hash = %s" % json.dumps(where))
    b.wait("document.body.dataset.shown === %s" % json.dumps("#" + where))


def rows(b):
    """All rows of the table that is shown, in order: [{column: text}]."""
    return json.loads(b.run("""(async () => {
        const seen = new Map(), next = () => new Promise((r) => requestAnimationFrame(() => setTimeout(r)));
        for (let y = 0; ; y += 500) {
            scrollTo(0, y);
            await next();
            for (const e of document.querySelectorAll(".rows tr[data-row]"))
                seen.set(e.dataset.row, Object.fromEntries([...e.cells].map((c) => [c.dataset.key, c.textContent])));
            if (y > document.documentElement.scrollHeight) break;
        }
        scrollTo(0, 0);
        return JSON.stringify([...seen.values()]);
    })()"""))


def texts(b, selector):
    return json.loads(b.run("JSON.stringify([...document.querySelectorAll(%s)].map((e) => e.textContent))" % json.dumps(selector)))


def key_of(f):
    return f["instructions"], f["calls"]


def check_functions(t, b, expected):
    """The table of all functions has their figures; it can be sorted and searched."""
    b.click("#tabs a[href='#functions']")
    b.click("#all")
    got = rows(b)
    t.equal(sorted((r["name"], digits(r["insns"]), digits(r["calls"])) for r in got), sorted((n, *key_of(f)) for n, f in expected), "functions")
    for column, key in (4, "calls"), (1, "insns"):
        b.click(".rows th:nth-child(%d) button" % (column + 1))
        v = [digits(r[key]) or 0 for r in rows(b)]
        t.equal(v, sorted(v, reverse=True), "sorted by " + key)
    b.click(".rows th:nth-child(1) button")
    v = [r["name"].lower() for r in rows(b)]
    t.equal(v, sorted(v), "sorted by name")
    b.click("#search")
    b.type("fib")
    t.equal(sorted(r["name"] for r in rows(b)), sorted(n for n, _ in expected if "fib" in n.lower()), "found")


def check_function(t, b, prog, expected):
    """A function that is opened by a click, its calls, its blocks and edges, and a caller that is followed."""
    b.click(".rows tr[data-row] a.name")
    b.wait("document.querySelector('#title')")
    name = texts(b, "#title")[0]
    f = dict(expected)[name]
    for key, value in ("insns", f["instructions"]), ("calls", f["calls"]):
        t.equal(digits(texts(b, "[data-fact=%s] b" % key)[0]), value, "%s of %s" % (key, name))
    calls = [c for c in json.loads(t.prof("calls", "--format=json", prog)) if c["callee"] == name]
    other = f["calls"] - sum(c["calls"] for c in calls)
    callers = dict(zip(texts(b, "#callers td:first-child > :first-child"), map(digits, texts(b, "#callers [data-key=count]"))))
    t.equal(callers, {**{c["caller"]: c["calls"] for c in calls if c["calls"]}, **({UNKNOWN: other} if other else {})}, "callers of " + name)
    b.key("d")
    b.wait("document.querySelector('.blocks')")
    t.equal([digits(x) for x in texts(b, ".block > .head > b")], [x["count"] for x in f["blocks"]], "blocks")
    t.equal(b.run("document.querySelectorAll('.blocks path').length"),
            sum(e["from"] is not None and e["to"] is not None for e in f["edges"]) -
            b.run("(async () => (await fn(%d)).edges.filter(([a, b, , fall]) => a && b === a + 1 && fall).length)()" %
                  b.run("Number(location.hash.split('/')[1])")), "edges")
    t.equal(b.run("""Math.max(...[...document.querySelectorAll(".blocks path")].map((p) => {
        const e = document.getElementById("b" + p.dataset.from), y = Number(p.getAttribute("d").split(/[ ,]/)[1]);
        return Math.abs(e.offsetTop + e.offsetHeight - y - 9);
    })) <= 3"""), True, "edges begin at their blocks")
    ways = [x for x in texts(b, ".ways span") if x.startswith("→")]
    t.equal(sum(digits(x.split()[-1]) for x in ways if "block" in x),
            sum(e["count"] for e in f["edges"] if e["from"] is not None and e["to"] is not None and
                (len([x for x in f["edges"] if x["from"] == e["from"]]) > 1 or e["to"] != e["from"] + 1)), "counts of edges")
    other = next(c for c in callers if c != name)
    i = texts(b, "#callers td:first-child > :first-child").index(other)
    b.click("#callers tr:nth-child(%d) a" % (i + 1))
    b.wait("document.querySelector('#title').textContent !== %s" % json.dumps(name))
    t.equal(texts(b, "#title")[0], other, "the caller")
    b.run("history.back()")
    b.wait("document.querySelector('#title').textContent === %s" % json.dumps(name))


def check_source(t, b, prog):
    """Counts of lines are those of coverage, instructions those of report --lines; the text is there."""
    da, path = collections.defaultdict(dict), None
    for line in t.prof("coverage", "--format=lcov", prog).splitlines():
        if line.startswith("SF:"):
            path = line[3:]
        elif line.startswith("DA:"):
            n, count = line[3:].split(",")[:2]
            da[path][int(n)] = int(count)
    insns = collections.Counter()
    for r in json.loads(t.prof("report", "--lines", "--format=json", prog)):
        insns[r["file"], r["line"]] += r["instructions"]
    paths = json.loads(b.run("JSON.stringify(D.files.path)"))
    for path in sorted(da):
        go(b, "s/%d" % paths.index(path))
        got = json.loads(b.run("""JSON.stringify([...document.querySelectorAll(".code .row[data-line]")].map((e) =>
            [Number(e.dataset.line), ...[".c", ".i", ".t"].map((c) => e.querySelector(c).textContent)]))"""))
        t.equal({n: digits(c) for n, c, _, _ in got if c not in ("", "–")}, da[path], "counts in " + path)
        t.equal({n: digits(i) for n, _, i, _ in got if i}, {n: c for (p, n), c in insns.items() if p == path and n and c}, "instructions in " + path)
        with open(path, errors="replace") as f:
            t.equal([x[3] for x in got], f.read().splitlines(), "text of " + path)
    lines = texts(b, "#title")
    t.equal(len(lines), 1, "a file's title")
    go(b, "coverage")
    sums = json.loads(t.prof("coverage", "--format=json", prog))
    b.wait("document.querySelector('tr[data-folder]')")
    shown = {x.split()[0] for x in texts(b, ".tools .muted")}
    t.equal(shown, {str(sums["lines"]["hit"])}, "lines executed")
    for r in sums["rows"]:
        go(b, "s/%d" % paths.index(r["file"]))
        for key in "lines", "branches", "functions":
            got = texts(b, "[data-fact=%s] b" % key)
            if r[key]["found"]:
                t.equal(got, ["%s of %s" % (format(r[key]["hit"], ","), format(r[key]["found"], ","))], "%s of %s" % (key, r["file"]))


def check_without_text(t, b, prog):
    """Counts stand by numbers where there is no text, and one warning says so."""
    counts = "[...document.querySelectorAll('.code .row.has')].map((e) => [e.dataset.line, e.querySelector('.c').textContent])"
    shown = []
    os.rename(t.work + "/calls.cpp", t.work + "/moved.cpp")
    for options in [], ["--no-source"], ["--source-dir=" + t.work + "/elsewhere"]:
        if options and "elsewhere" in options[0]:
            os.mkdir(t.work + "/elsewhere")
            os.rename(t.work + "/moved.cpp", t.work + "/elsewhere/calls.cpp")
        page = t.work + "/bare.html"
        r = subprocess.run([t.ldxprof, "html", *options, "-o", page, prog], check=True, capture_output=True, text=True)
        t.equal(len(r.stderr.splitlines()), not options, "warnings")
        open_page(b, page)
        go(b, "s/%d" % b.run("D.files.path.findIndex((p) => p.endsWith('/calls.cpp'))"))
        shown.append(b.run(counts))
        t.equal(b.run("document.querySelectorAll('.code .row:not(.has)').length > 1"), "elsewhere" in "".join(options), "lines without code")
    os.rename(t.work + "/elsewhere/calls.cpp", t.work + "/calls.cpp")
    t.equal(shown[0] == shown[1] == shown[2] and len(shown[0]) > 9, True, "counts without text")


def check_annotation(t, b, prog):
    """A function's own lines are those of annotate; a click on one shows its instructions."""
    b.run("location.hash = 'f/' + F.name.findIndex((n) => n.startsWith('fib('))")
    b.wait("document.querySelector('.code .row.opens')")
    expected, body = {}, t.prof("annotate", "fib", prog).split("\n\n")[1]
    for count, insns, line in re.findall(r"^ +(\d+) +(\d+) +\d+ +(\d+)(?:  .*)?$", body, re.M):
        expected[int(line)] = [int(count), int(insns)]
    got = json.loads(b.run("""JSON.stringify(Object.fromEntries([...document.querySelectorAll(".code .row.opens")].map((e) =>
        [e.dataset.line, [".c", ".i"].map((c) => e.querySelector(c).textContent)])))"""))
    t.equal({int(n): [digits(c), digits(i) or 0] for n, (c, i) in got.items()}, expected, "lines of fib")
    b.click(".code .row.opens")
    t.equal(b.wait("document.querySelectorAll('.code .row.asm').length") > 0, True, "instructions of a line")


def check_keys(t, b):
    go(b, "overview")
    b.key("2")
    b.wait("location.hash.startsWith('#functions')")
    b.wait("document.querySelector('.rows tr[data-row]')")
    b.key("ArrowDown")
    b.key("ArrowDown")
    t.equal(b.run("document.querySelectorAll('tr.at').length"), 1, "the marked row")
    name = texts(b, "tr.at .name")[0]
    b.key("Enter")
    b.wait("document.querySelector('#title')")
    t.equal(texts(b, "#title")[0], name, "opened by Enter")
    b.key("/")
    t.equal(b.run("document.activeElement.id"), "search", "/ is for the search")
    b.key("Escape")
    b.key("?")
    t.equal(b.run("document.getElementById('keys').open"), True, "? is for the keys")
    b.key("Escape")
    b.wait("!document.getElementById('keys').open")


def check_theme(t, b, page):
    colour = "getComputedStyle(document.body).backgroundColor"
    b.scheme("dark")
    open_page(b, page)
    t.equal(b.run("document.documentElement.dataset.theme"), "dark", "the system's theme")
    dark = b.run(colour)
    b.click("#theme")
    t.equal(b.run("document.documentElement.dataset.theme"), "light", "the theme by a click")
    t.equal(b.run(colour) != dark, True, "another colour")
    b.key("t")
    t.equal(b.run(colour), dark, "the theme by a key")


def open_page(b, page):
    b.open("about:blank")
    b.open("file://" + page)
    b.wait("document.body.dataset.shown !== undefined")


def check_views(t, b, page, width):
    """Each view opens, also a narrow one, where nothing is wider than the window."""
    b.size(width, 800)
    open_page(b, page)
    hashes = [h for h in WHERE if b.run("!!document.querySelector('#tabs a[href=\"#%s\"]')" % h)]
    for h in hashes + ["f/%d" % i for i in range(b.run("F.name.length"))] + ["f/0/asm", "s/0", "nothing", "f/999999"]:
        go(b, h)
        wide = b.run("document.documentElement.scrollWidth")
        t.equal(wide <= width, True, "%s in %d columns: %d" % (h, width, wide))
        t.equal(b.run("document.querySelector('main').textContent.length > 20"), True, h + " shows something")
        t.equal(b.run("[...document.querySelectorAll('main table')].every((e) => e.getBoundingClientRect().right <= innerWidth)"), True, h + " fits")
        t.equal(b.run("[...document.querySelectorAll('.rows th')].slice(0, 1).every((e) => e.offsetWidth >= 100)"), True, h + " has room for names")
    b.size(1280, 900)


def check_comparison(t, b, old, prog):
    b.open("about:blank")
    page = t.write("compare", old, prog)
    t.equal(texts_after(b, page, "#compare"), None, "the comparison opens")
    r = subprocess.run([t.ldxprof, "diff", "--format=json", old, prog], capture_output=True, text=True)
    expected = sorted((x["function"], x["old"], x["new"], x["difference"]) for x in json.loads(r.stdout))
    t.equal(r.returncode, 1, "the runs differ")
    got = sorted((x["name"].split(" (libshared")[0], digits(x["old"]), digits(x["new"]), digits(x["difference"])) for x in rows(b))
    t.equal(got, expected, "changes")


def texts_after(b, page, where):
    b.open("file://" + page + where)
    b.wait("document.body.dataset.shown === %s" % json.dumps(where))


def check_tools(t, b, prog):
    """The tables of tools, with the values that ldxprof tool has."""
    page = t.work + "/tools.html"
    t.prof("html", "--tool=pixie", "--tool=dyninst", "-o", page, prog)
    open_page(b, page)
    go(b, "tools")
    pixie = json.loads(t.prof("tool", "pixie", "--format=json", prog))
    t.equal([(r["function"].split(" (libshared")[0], digits(r["blocks"]), digits(r["instructions"])) for r in rows(b)],
            [(r["function"], r["blocks"], r["instructions"]) for r in pixie["functions"]], "pixie")
    b.click("main [data-choice='1']")  # the tool dyninst
    b.wait("location.hash.includes('tool=1') && document.body.dataset.shown === location.hash")
    total, = json.loads(t.prof("tool", "dyninst", "--table=total", "--format=json", prog))["total"]
    got = b.run("[...document.querySelectorAll('main .bars tr')].map((r) => [...r.children].map((e) => e.textContent))")
    t.equal({k: digits(v) for k, v in got}, total, "dyninst")
    go(b, "tools?tool=0&table=1")
    t.equal(len(rows(b)), len(pixie["lines"]), "lines of pixie")
    check_views(t, b, page, 380)


def check_executed(t, b, prog):
    """Functions that were not executed are listed, without their code."""
    page = t.work + "/executed.html"
    t.prof("html", "--executed", "-o", page, prog)
    check_views(t, b, page, 1280)
    for ran in 0, 1:
        i = b.run("F.name.findIndex((_, i) => F.run[i] === %d && F.blocks[i])" % ran)
        go(b, "f/%d" % i)
        t.equal("not executed: the page" in texts(b, "main")[0], not ran, "code of function %d is left out" % i)


def check_large(t, b, prog):
    """Counts that a JavaScript number cannot hold are exact."""
    big = t.work + "/old-big.ldxprof"
    o = json.loads(t.prof("export", prog))
    most = max(x["count"] or 0 for p in [o, *o["libraries"]] for f in p["functions"] for x in f["blocks"] + f["edges"])
    t.prof("merge", "-o", big, "--weighted=%d,%s.ldxprof" % (((1 << 64) - 1) // most, prog))
    open_page(b, t.write("big", big))
    go(b, "functions")
    b.click("#all")
    t.equal(sorted((r["name"], digits(r["insns"]), digits(r["calls"])) for r in rows(b)),
            sorted((n, *key_of(f)) for n, f in t.functions(big)), "large counts")


def check(t, b):
    t.build()
    prog = t.link("edges", "calls")
    page, expected = t.write("page", prog), t.functions(prog)
    with open(page, "rb") as f, open(t.write("again", prog), "rb") as g:
        t.equal(f.read() == g.read(), True, "the same page again")
    b.scheme("light")
    open_page(b, page)
    t.equal(b.run("document.getElementById('evil') === null"), True, "names are text")
    t.equal(digits(texts(b, "#total b")[0]), sum(f["instructions"] or 0 for _, f in expected), "instructions in all")
    check_functions(t, b, expected)
    check_function(t, b, prog, expected)
    check_source(t, b, prog)
    check_annotation(t, b, prog)
    check_without_text(t, b, prog)
    open_page(b, page)
    check_keys(t, b)
    check_theme(t, b, page)
    check_views(t, b, page, 380)
    check_executed(t, b, prog)
    check_large(t, b, prog)
    check_tools(t, b, prog)
    old = t.work + "/old.ldxprof"
    t.prof("merge", "-o", old, prog + ".ldxprof")
    subprocess.run([prog, "one", "more"], check=True, stdout=subprocess.DEVNULL)
    check_comparison(t, b, old, prog)
    for mode in "cover", "functions", "blocks":
        check_views(t, b, t.write(mode, t.link(mode, "in-" + mode)), 1280)
    t.equal(b.errors, [], "errors of the console")


def main():
    if not browser.find():
        print("no Chromium")
        return 77
    start = time.monotonic()
    with tempfile.TemporaryDirectory() as work, browser.Browser() as b:
        t = Test(sys.argv[1], sys.argv[2], os.path.realpath(work))
        check(t, b)
    print("%d checks, %d wrong, %.0f s" % (t.checks, t.bad, time.monotonic() - start))
    return t.bad != 0


if __name__ == "__main__":
    sys.exit(main())
