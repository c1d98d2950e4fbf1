/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tools.js - tables of tools: D.tools, of which each has tables with columns of [name, kind]
 */
let functionIds;
const idOf = (name) => (functionIds ??= new Map(F.name.map((n, i) => [n, i]))).get(name);

const toolFunction = (name) => (idOf(name) === undefined ? h("span", {class: "name"}, name) : funcLink(idOf(name)));
const toolWhere = ([path, line, text]) => {
	const file = path ? D.files.path.indexOf(path) : -1;
	return file >= 0 ? fileLink(file, line) : h("span", {class: "path", title: plain(path)}, text);
};

/* By kind: what is sorted by, what is shown. */
const TOOL_KINDS = {
	text: {sort: (v) => v || "", cell: (v) => h("span", {class: "mono", title: plain(v || "")}, v || "–")},
	function: {sort: (v) => v.toLowerCase(), cell: toolFunction},
	where: {sort: (v) => v[2], cell: toolWhere},
	number: {num: true, sort: num, cell: fmt},
	address: {num: true, sort: num, cell: (v) => (v === null ? "–" : hex(v))},
	share: {num: true, sort: num, cell: (v) => (v === null ? "–" : percent(v, 1))},
	ratio: {num: true, sort: num, cell: (v) => (v === null ? "–" : v.toFixed(2))},
	bar: {sort: num, cell: (v) => bar(num(v), 1, "heat")},
};

/* The only row of a table stands upright. */
function toolTotals(t) {
	return h(
		"table",
		{class: "bars", style: {width: "auto", minWidth: "320px"}},
		h(
			"tbody",
			null,
			t.columns.map(([name, kind], k) =>
				h("tr", null, h("td", null, name), h("td", {class: "num"}, TOOL_KINDS[kind].cell(t.rows[0][k]))),
			),
		),
	);
}

function toolTable(t) {
	/* what a narrow window shows, and stands first */
	const named = Math.max(0, t.columns.findIndex((c) => c[1] === "function")),
		first = t.columns.findIndex((c) => TOOL_KINDS[c[1]].num);
	const columns = t.columns.map(([name, kind], k) => ({
		key: name,
		name,
		num: TOOL_KINDS[kind].num,
		width: TOOL_KINDS[kind].num ? "130px" : undefined,
		wide: k !== named && k !== first,
		value: (i) => TOOL_KINDS[kind].sort(t.rows[i][k]),
		cell: (i) => TOOL_KINDS[kind].cell(t.rows[i][k]),
	}));
	columns.unshift(...columns.splice(named, 1));
	/* rows come in the tool's order, which stays until a column is chosen */
	const box = table({
		label: t.name,
		columns,
		sort: {key: "", value: (i) => i},
		down: false,
		open: null,
		empty: "Nothing was executed.",
	});
	box.show(t.rows.map((_, i) => i));
	return box;
}

function tools(main, args) {
	if (!D.tools.length) return notFound(main);
	const tool = D.tools[args.get("tool") || 0] || D.tools[0],
		t = tool.tables[args.get("table") || 0] || tool.tables[0],
		at = D.tools.indexOf(tool);
	const go = (tool, table) => (location.hash = "tools?" + new URLSearchParams({tool, table}));
	const names = (v) => Object.fromEntries(v.map((x, i) => [i, x.name]));
	main.append(
		h(
			"section",
			{class: "card"},
			h(
				"div",
				{class: "tools"},
				h("h1", null, tool.name),
				D.tools.length > 1 && choice("Tool", names(D.tools), String(at), (k) => go(k, 0)),
				tool.tables.length > 1 &&
					choice("Table", names(tool.tables), String(tool.tables.indexOf(t)), (k) => go(at, k)),
				h("span", {class: "muted", role: "status"}, (t && t.title) || tool.summary),
			),
			tool.text && h("pre", {class: "mono"}, tool.text),
			t && (t.single ? toolTotals(t) : toolTable(t)),
			t && t.more ? h("p", {class: "note"}, `${fmt(t.more)} rows more: see ldxprof tool.`) : null,
		),
	);
}
