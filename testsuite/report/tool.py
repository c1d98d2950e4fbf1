#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tools that are written with ldx/report.h: built with what is installed, run, shown in all formats; and what is wrong with them.

  tool.py STAGE
"""
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

LOOP = 21  # of main
MANUAL = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "man", "ldx-report.7")
PROGRAM = """
#include <stdio.h>
__attribute__((noinline)) int twice(int x)
{
	return 2 * x;
}
__attribute__((noinline)) int nested(int n, const char *s)
{
	int sum = 0;
	for (int i = 0; i < n; i++)
		for (int k = 0; k < n; k++)
			for (const char *c = s; *c; c++)
				sum += *c == 'x' ? twice(k) : i;
	for (int i = 0; i < n; i++)
		sum += i * n & 3;
	return sum;
}
int main(int argc, char **argv)
{
	int sum = argc > 6 ? nested(argc, *argv) : 0;
	for (int i = 0; i < 10; i++)
		sum += twice(i);
	(void)argv;
	return argc > 5 ? twice(argc) : printf("%d\\n", sum) < 0;
}
"""

# Walks all that there is, and declares a table of each kind.
WALKER = r"""
#include <ldx/report.h>
#include <stdio.h>
#include <string.h>

static unsigned length(const ldx_func *f)
{
	unsigned n = 0;
	for (const ldx_block *b = 0; (b = ldx_next_block(f, b));)
		for (const ldx_insn *i = 0; (i = ldx_next_insn(b, i));)
			n++;
	return n;
}

static const struct ldx_column added_columns[] = {
	{.name = "function", .kind = LDX_TEXT},
	{.name = "insns", .kind = LDX_NUMBER},
	{.name = "id", .kind = LDX_NUMBER},
	{.name = "edges", .kind = LDX_NUMBER},
	{.name = "half", .kind = LDX_RATIO, .a = 1, .b = 3},
	{.name = "loops", .kind = LDX_TEXT},
	{0},
};
static const struct ldx_table added = {.name = "added", .columns = added_columns, .sort = 1};

static uint64_t two(const ldx_insn *i)
{
	(void)i;
	return 2;
}
static const char *first(const ldx_insn *i)
{
	return ldx_func_name(ldx_block_func(ldx_insn_block(i)));
}
static const struct ldx_column columns[] = {
	{.name = "executed", .kind = LDX_EXECUTED},
	{.name = "blocks", .kind = LDX_BLOCKS},
	{.name = "calls", .kind = LDX_EXECUTED, .classes = LDX_CLASS_CALL},
	{.name = "entries", .kind = LDX_ENTRIES},
	{.name = "double", .kind = LDX_SUM, .value = two},
	{.name = "share", .kind = LDX_SHARE, .a = 4},
	{.name = "of", .kind = LDX_NAME, .text = first},
	{.name = "bar", .kind = LDX_BAR, .a = 0},
	{0},
};
#define TABLE(n, r) static const struct ldx_table n = {.name = #n, .rows = r, .columns = columns}
TABLE(total, LDX_ROW_TOTAL);
TABLE(objects, LDX_ROWS_OBJECTS);
TABLE(functions, LDX_ROWS_FUNCTIONS);
TABLE(lines, LDX_ROWS_LINES);
TABLE(blocks, LDX_ROWS_BLOCKS);
TABLE(insns, LDX_ROWS_INSNS);
TABLE(calls, LDX_ROWS_CALLS);
static const struct ldx_table keys = {.name = "keys", .rows = LDX_ROWS_KEYS, .columns = columns, .key = first, .key_name = "initial"};

/* The loops of a function, in the form head(depth,blocks). */
static const char *loops(const ldx_func *f)
{
	static char text[4096];
	char *end = text;
	*text = 0;
	for (const ldx_loop *l = 0; (l = ldx_next_loop(f, l)) && end < text + 4000;) {
		unsigned n = 0, depth = 0;
		for (const ldx_block *b = 0; (b = ldx_next_block(f, b));)
			n += ldx_loop_has(l, b);
		for (const ldx_loop *at = l; at; at = ldx_loop_parent(at))
			depth++;
		if (depth != ldx_block_depth(ldx_loop_head(l)))
			ldx_fail("depth");
		end += sprintf(end, "%s%u:%u", end > text ? " " : "", depth, n);
	}
	return text;
}

static void run(void)
{
	const char *only = ldx_option("only");
	const ldx_object *o = ldx_next_object(0);
	for (const ldx_func *f = 0; (f = ldx_next_func(o, f));) {
		uint64_t id = LDX_UNKNOWN, edges = 0;
		if (*only && strcmp(only, ldx_func_name(f)))
			continue;
		for (const ldx_block *b = 0; (b = ldx_next_block(f, b));)
			id = ldx_find_block(o, ldx_block_id(b)) == b ? ldx_block_id(b) : LDX_UNKNOWN;
		for (const ldx_edge *e = 0; (e = ldx_next_edge(f, e));)
			edges++;
		struct ldx_value v[] = {{.text = ldx_func_name(f)}, {length(f), 0}, {id, 0}, {edges, 0}, {0, 0}, {.text = loops(f)}};
		ldx_add_row(&added, v);
	}
	ldx_print("only %s on %s\n", only, ldx_object_cpu(o));
	if (ldx_option("none"))
		ldx_fail("it has an option none");
}

static const struct ldx_option options[] = {
	{.name = "only", .what = "NAME", .value = "", .help = "one function"},
	{0},
};
static const struct ldx_table *const tables[] = {
	&added, &total, &objects, &functions, &lines, &blocks, &insns, &calls, &keys, 0};
LDX_API const struct ldx_report ldx_report = {
	.version = LDX_REPORT_VERSION, .name = "walker", .summary = "all there is", .options = options, .tables = tables, .run = run};
"""

# Asks for code, which counts, and shows that.
ASKS = r"""
#include <ldx/tool.h>
#include <string.h>
static void instrument(const ldx_object *o)
{
	for (const ldx_func *f = 0; (f = ldx_next_func(o, f));) {
		ldx_arg which = ldx_number(!strcmp(ldx_func_name(f), "twice"));
		if (!ldx_func_opaque(f))
			ldx_call(ldx_at_entry(f), "entry", 1, &which);
	}
}
const struct ldx_tool ldx_tool = {LDX_TOOL_VERSION, "entries", "counts entries", 0, instrument};
"""
ROUTINES = r"""
#include <ldx/analysis.h>
LDX_THREAD uint64_t entries[4];
LDX_ROUTINE void entry(unsigned long which)
{
	ldx_add(entries, [which], 1);
}
"""
SHOWS = r"""
#include <ldx/report.h>
static const struct ldx_column columns[] = {
	{.name = "which", .kind = LDX_TEXT}, {.name = "entries", .kind = LDX_NUMBER}, {.name = "share", .kind = LDX_SHARE, .a = 1},
	{.name = "number", .kind = LDX_LABEL}, {0}};
static const struct ldx_table entries = {.name = "entries", .columns = columns, .sort = 1, .total = 1};
static void run(void)
{
	size_t n;
	const uint64_t *w = ldx_variable(ldx_next_object(0), "entries", &n);
	if (ldx_variable(ldx_next_object(0), "others", &n) || !ldx_variable(ldx_next_object(0), "entries", &n) || n != 4)
		ldx_fail("variables");
	for (int i = 0; i < 2; i++)
		ldx_add_row(&entries, (struct ldx_value[]){{.text = i ? "twice" : "others"}, {.number = w[i]}, {0}, {.number = 7}});
}
static const struct ldx_table *const tables[] = {&entries, 0};
LDX_API const struct ldx_report ldx_report = {
	.version = LDX_REPORT_VERSION, .name = "entries", .summary = "what was entered", .tables = tables, .run = run};
"""

# Each with what ldxprof says of it.
BAD = {
    "crash": (r"static void run(void) { *(volatile int *)8 = 1; }", ".run = run", r"tool crash crashed: Segmentation fault"),
    "aborts": (r"#include <stdlib.h>" "\n" r"static void run(void) { abort(); }", ".run = run", r"tool aborts crashed: Aborted"),
    "leaves": (r"#include <stdlib.h>" "\n" r"static void run(void) { exit(0); }", ".run = run", r"tool leaves called exit"),
    "fails": (r'static void run(void) { ldx_fail("with %d", 7); }', ".run = run", r"tool fails: with 7"),
    "version": ("", ".version = 99", r"tool version: it was made for version 99 of ldx/report.h, this is version 2"),
    "unnamed": ("", ".name = 0", r"tool unnamed: its ldx_report has no name"),
    "column": (r'static const struct ldx_column c[] = {{.name = "x", .kind = LDX_SUM}, {0}};'
               r'static const struct ldx_table t = {.name = "t", .rows = LDX_ROW_TOTAL, .columns = c};'
               r"static const struct ldx_table *const v[] = {&t, 0};", ".tables = v", r"table t: no value\(\) for column x"),
    "needs": (r"void no_such_function(void); static void run(void) { no_such_function(); }", ".run = run",
              r"tool needs: .*undefined symbol: no_such_function"),
}
REPORT = """#include <ldx/report.h>
%s
static const struct ldx_table *const none[] = {0};
_Pragma("GCC diagnostic ignored \\"-Woverride-init\\"")
LDX_API const struct ldx_report ldx_report = {.version = LDX_REPORT_VERSION, .name = "%s", .summary = "bad", .tables = none, %s};
"""


def check(good, *what):
    if not good:
        sys.exit("tool: " + "\n".join(str(x) for x in what))


def out(*args, **more):
    return subprocess.run(args, check=True, stdout=subprocess.PIPE, text=True, **more).stdout


class Tools:
    def __init__(self, stage):
        self.stage = stage
        folder = [d for d, _, names in os.walk(stage) if "ldx-tool.pc" in names][0]
        self.pkg_config = ["env", "PKG_CONFIG_PATH=" + folder, "pkg-config"]

    def build(self, name, text):
        with open(name + ".c", "w") as f:
            f.write(text)
        flags = out(*self.pkg_config, "--cflags", "ldx-tool").split()
        out("gcc", "-Wall", "-Wextra", "-Werror", "-shared", "-fPIC", name + ".c", *flags, "-o", name + ".so")

    def run(self, *args, **env):
        return subprocess.run([self.stage + "/bin/ldxprof", "tool", *args], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              text=True, env={**os.environ, "LDX_TOOLPATH": "", **env})

    def good(self, *args, **env):
        r = self.run(*args, **env)
        check(not r.returncode, args, r.stderr)
        return r.stdout

    def tables(self, *args):
        return json.loads(self.good(*args, "--format=json"))

    def fails(self, want, *args, **env):
        r = self.run(*args, **env)
        check(r.returncode == 1 and re.search(want, r.stderr) and not r.stdout, want, r.returncode, r.stdout, r.stderr)


def check_walker(t):
    t.build("walker", WALKER)
    text = t.good("./walker.so", "prog")
    check(text.startswith("only  on x86_64\n\n"), text[:100])
    all_tables = t.tables("./walker.so", "prog")
    check(list(all_tables) == "tool added total objects functions lines blocks insns calls keys".split(), list(all_tables))
    # what is added
    added = {r["function"]: r for r in all_tables["added"]}
    check([r["insns"] for r in all_tables["added"]] == sorted((r["insns"] for r in added.values()), reverse=True), "not sorted")
    check(abs(added["main"]["half"] - added["main"]["insns"] / added["main"]["edges"]) < 1e-5, added["main"])
    small, outer, middle, inner = sorted(tuple(map(int, x.split(":"))) for x in added["nested"]["loops"].split())
    check((small[0], outer[0], middle[0], inner[0]) == (1, 1, 2, 3) and outer[1] > middle[1] > inner[1], added["nested"])
    only = t.tables("./walker.so", "--only=twice", "prog")["added"]
    check(only == [added["twice"]], only)
    # all kinds of rows have the same sum
    total = all_tables["total"][0]
    check(total["double"] == 2 * total["executed"] > 0 and total["share"] == 1, total)
    for name in "objects", "functions", "blocks", "insns", "keys":
        rows = all_tables[name]
        for column in "executed", "blocks", "double", "calls", "entries":
            check(sum(r[column] or 0 for r in rows) == total[column], name, column, total)
        check(abs(sum(r["share"] or 0 for r in rows) - 1) < 1e-4, name)
    # they are those of other verbs
    icount = int(out(t.stage + "/bin/ldxprof", "icount", "prog"))
    check(icount == total["executed"], icount, total)
    calls = {(r["caller"], r["callee"]): r["executed"] for r in all_tables["calls"]}
    check(calls["main", "twice"] == 10, calls)
    check({r["file"] for r in all_tables["lines"]} == {os.path.realpath("prog.c")}, all_tables["lines"])
    line = [r for r in all_tables["lines"] if r["line"] == 5]
    check(len(line) == 1 and line[0]["entries"] is not None, all_tables["lines"])
    never = [r for r in t.tables("./walker.so", "--all", "--table=calls", "prog")["calls"] if not r["executed"]]
    check([r for r in never if r["callee"] == "twice"], never)


def check_formats(t):
    tsv = t.good("prof", "--format=tsv", "--filter=twice", "prog").split("\n")
    check(tsv[0].split("\t")[:3] == ["instructions", "share", "entries"] and len(tsv) == 3, tsv)
    check(tsv[1].split("\t")[2:4] == ["10", "twice"], tsv)
    source = t.good("pixie", "--format=source", "prog")
    check(re.search(r"^ *\d+ +\d+ +[\d.]+% +10  \tsum|^ *\d+ +\d+ +[\d.]+% +5 +return 2", source, re.M), source)
    text = t.good("opmix", "--top=1", "prog")
    check(re.search(r"executed +share +code +opcode +histogram\n *\d+ +[\d.]+% +\d+ +\w+ +#{40}\n", text), text)
    t.good("pixie", "-o", "file", "prog")
    check(os.path.getsize("file") > 100, "an empty file")


def check_errors(t):
    t.fails("no tool nosuch in LDX_TOOLPATH or .*ldx/tools; `ldxprof tool' lists them", "nosuch", "prog")
    t.fails("tool pixie: it has no table line; did you mean lines", "pixie", "--table=line", "prog")
    t.fails("tool prof: no table of it has rows of lines", "prof", "--format=source", "prog")
    t.fails("no such option of tool pixie", "pixie", "--nosuch=1", "prog")
    t.fails("tool pixie: which program", "pixie")
    out("gcc", "-shared", "-fPIC", "-x", "c", "/dev/null", "-o", "empty.so")
    t.fails("tool ./empty.so: it defines no ldx_report", "./empty.so", "prog")
    with open("text.so", "w") as f:
        f.write("no tool")
    t.fails("tool ./text.so: ./text.so: (file too short|invalid ELF header)", "./text.so", "prog")
    for name, (text, members, want) in BAD.items():
        t.build(name, REPORT % (text, name, members))
        t.fails(want, name, "-o", "bad", "prog", LDX_TOOLPATH=".")
        check(not [x for x in os.listdir(".") if x.startswith("bad")], "an output is left")


def check_manual(t):
    """The example of ldx-report(7)."""
    with open(MANUAL) as f:
        text = f.read()
    text = text.split('.\\" example\n')[1].split('.\\" end\n')[0].replace("\\&\n", "\n").replace("\\-", "-")
    t.build("jumpy", text)
    rows = t.tables("./jumpy.so", "prog")["lines"]
    check({r["line"]: r["jumps"] for r in rows}[LOOP] == 10, rows)


def check_package(t, bindir):
    """A package of ldxtool, without and with a part for ldxprof; nothing else is counted in the program."""
    for name, text in ("entries", ASKS), ("entries-routines", ROUTINES), ("entries-report", SHOWS):
        if name == "entries-report":
            words = t.tables("./entries.ldxtool", "entered")["words"]
            check([r for r in words if r["word"] == 1] == [{"variable": "entries", "keys": None, "word": 1, "value": 10}], words)
        with open(name + ".c", "w") as f:
            f.write(text)
        if name != "entries":
            out(t.stage + "/bin/ldxtool", "build", "entries", "--cpu=x86_64")
        if name == "entries-routines":
            out("gcc", "-O1", "-B" + bindir, "-Wl,--instrument=none,--ldx-tool=./entries.ldxtool", "prog.c", "-o", "entered")
            out("./entered")
    rows = json.loads(t.good("entries", "--format=json", "entered", LDX_TOOLPATH="."))["entries"]
    check(rows[0]["which"] == "twice" and rows[0]["entries"] == 10 and rows[0]["share"] > 0.5 and rows[0]["number"] == 7, rows)
    check(t.good("entries", "entered", LDX_TOOLPATH=".").split()[-4:] == ["-", "11", "100.00%", "-"], t.good("entries", "entered", LDX_TOOLPATH="."))
    out(t.stage + "/bin/ldxprof", "html", "--tool=./entries.ldxtool", "-o", "entered.html", "entered")
    t.fails("nothing is counted in mode none", "pixie", "entered")
    shutil.copy("prog.c", "text.ldxtool")
    t.fails("tool ./text.ldxtool: ./text.ldxtool: invalid ELF header", "./text.ldxtool", "prog")


# Both parts of a tool see the same blocks.
IDS = r"""
#include <ldx/%s.h>
#include <stdio.h>
static void each(const ldx_object *o, FILE *out)
{
	for (const ldx_func *f = 0; (f = ldx_next_func(o, f));)
		for (const ldx_block *b = 0; (b = ldx_next_block(f, b));)
			fprintf(out, "%%s %%u %%d %%u\n", ldx_func_name(f), ldx_block_id(b), (int)ldx_block_end(b), ldx_block_depth(b));
	fclose(out);
}
"""
IDS_LINK = IDS % "tool" + r"""
static void instrument(const ldx_object *o)
{
	each(o, fopen("ids.link", "w"));
}
const struct ldx_tool ldx_tool = {LDX_TOOL_VERSION, "ids", "block ids", 0, instrument};
"""
IDS_REPORT = IDS % "report" + r"""
static void run(void)
{
	each(ldx_next_object(0), fopen("ids.report", "w"));
}
static const struct ldx_table *const tables[] = {0};
LDX_API const struct ldx_report ldx_report = {
	.version = LDX_REPORT_VERSION, .name = "ids", .summary = "block ids", .tables = tables, .run = run};
"""


def check_ids(t, bindir):
    """Ids, ends and loop depths of blocks in the link and in ldxprof, of a static program."""
    for name, text in ("ids", IDS_LINK), ("ids-report", IDS_REPORT):
        with open(name + ".c", "w") as f:
            f.write(text)
    out(t.stage + "/bin/ldxtool", "build", "ids", "--cpu=x86_64")
    out("gcc", "-O2", "-static", "-B" + bindir, "-Wl,--ldx-tool=./ids.ldxtool", "prog.c", "-o", "static")
    out("./static")
    t.good("./ids.ldxtool", "static")
    with open("ids.link") as f, open("ids.report") as g:
        link, report = f.read().split("\n"), g.read().split("\n")
    check(len(link) > 1000 and link == report, [(a, b) for a, b in zip(link, report) if a != b][:20])


def check_list(t):
    listed = t.good(LDX_TOOLPATH="nosuch:.")
    check(re.search(r"^pixie +blocks and instructions executed", listed, re.M), listed)
    check(re.search(r"^walker +all there is$", listed, re.M), listed)


def main():
    if not shutil.which("pkg-config"):
        print("tool: not tested without pkg-config")
        return 77
    t = Tools(os.path.abspath(sys.argv[1]))
    with tempfile.TemporaryDirectory() as work:
        os.chdir(work)
        with open("prog.c", "w") as f:
            f.write(PROGRAM)
        bindir = out(t.stage + "/bin/ldx", "--ldx-print=bindir").strip()
        out("gcc", "-O1", "-g", "-B" + bindir, "prog.c", "-o", "prog")
        out("./prog")
        check_walker(t)
        check_formats(t)
        check_errors(t)
        check_manual(t)
        check_package(t, bindir)
        check_ids(t, bindir)
        check_list(t)
    return 0


if __name__ == "__main__":
    sys.exit(main())
