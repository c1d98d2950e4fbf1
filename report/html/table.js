/* SPDX-License-Identifier: Apache-2.0 */
/*
 * table.js - tables with search and sorting, for any number of rows
 */
/*
 * Only the visible rows are in the document.  columns: {key, name, value (sort key), cell, num, wide,
 * width}; open: the view of a row.  Keys move a mark, while the table's element has the focus.
 */
function table(o) {
	const HEIGHT = 34;
	let rows = [],
		from = -1,
		to = -1,
		at = -1,
		sort = o.sort,
		down = o.down;
	const body = h("tbody"),
		heads = o.columns.map((c) => {
			const text = c.value ? h("button", {type: "button", onclick: () => by(c)}, c.name) : c.name;
			return h(
				"th",
				{
					scope: "col",
					class: (c.num ? "num " : "") + (c.wide ? "wide" : ""),
					style: {width: c.width},
				},
				text,
			);
		});
	const box = h(
		"div",
		{class: "rows", tabindex: "0", role: "group", "aria-label": o.label, onkeydown: keys},
		h("table", {class: "long"}, h("thead", null, h("tr", null, heads)), body),
	);

	function by(c) {
		down = sort === c ? !down : !!c.num;
		sort = c;
		arrange();
		if (o.sorted) o.sorted(c.key, down);
	}
	function arrange() {
		const v = new Map(rows.map((r) => [r, sort.value(r)]));
		rows.sort((a, b) => {
			const x = v.get(a),
				y = v.get(b);
			const d = typeof x === "string" ? (x < y ? -1 : x > y ? 1 : 0) : x - y;
			return (down ? -d : d) || a - b;
		});
		heads.forEach((e, i) => {
			if (o.columns[i] === sort) e.setAttribute("aria-sort", down ? "descending" : "ascending");
			else e.removeAttribute("aria-sort");
		});
		at = -1;
		draw(true);
	}
	function line(i) {
		return h(
			"tr",
			{
				class: i === at ? "at" : "",
				"data-row": rows[i],
				onclick: (e) => {
					if (o.open && !e.target.closest("a") && !getSelection().toString())
						location.hash = o.open(rows[i]);
				},
				style: {cursor: o.open ? "pointer" : ""},
			},
			o.columns.map((c) =>
				h(
					"td",
					{class: (c.num ? "num " : "") + (c.wide ? "wide" : ""), "data-key": c.key},
					c.cell(rows[i]),
				),
			),
		);
	}
	function draw(again) {
		const top = body.getBoundingClientRect().top;
		const first = Math.max(0, Math.min(rows.length, Math.floor(-top / HEIGHT) - 20));
		const last = Math.min(rows.length, Math.ceil((innerHeight - top) / HEIGHT) + 20);
		if (!again && first >= from && last <= to && from >= 0) return;
		from = Math.max(0, first - 20);
		to = Math.min(rows.length, Math.max(last, first) + 20);
		const pad = (n) =>
			h("tr", {class: "pad", "aria-hidden": "true"}, h("td", {style: {height: n * HEIGHT + "px"}}));
		const list = [pad(from)];
		for (let i = from; i < to; i++) list.push(line(i));
		list.push(pad(rows.length - to));
		body.replaceChildren(...list);
		if (!rows.length)
			body.append(
				h(
					"tr",
					null,
					h("td", {colspan: o.columns.length, class: "muted"}, o.empty || "Nothing matches."),
				),
			);
	}
	function go(i) {
		at = Math.max(0, Math.min(rows.length - 1, i));
		const y = body.getBoundingClientRect().top + at * HEIGHT;
		if (y < 100) scrollBy(0, y - 140);
		else if (y > innerHeight - 60) scrollBy(0, y - innerHeight + 100);
		draw(true);
	}
	function keys(e) {
		const step = {
			ArrowDown: 1,
			j: 1,
			ArrowUp: -1,
			k: -1,
			PageDown: 20,
			PageUp: -20,
			Home: -Infinity,
			End: Infinity,
		}[e.key];
		if (e.ctrlKey || e.metaKey || e.altKey || e.target.tagName === "BUTTON") return;
		if (step) go(at + step);
		else if (e.key === "Enter" && at >= 0 && o.open && e.target === box) location.hash = o.open(rows[at]);
		else return;
		e.preventDefault();
	}
	onView(window, "scroll", () => draw(false));
	onView(window, "resize", () => draw(true));
	box.show = (list) => {
		rows = list;
		arrange();
	};
	box.first = () => {
		box.focus({preventScroll: true});
		go(0);
	};
	return box;
}

/* Listeners of the current view. */
let listeners = [];
function onView(target, event, f) {
	target.addEventListener(event, f, {passive: true});
	listeners.push(() => target.removeEventListener(event, f));
}

function choice(label, names, value, chosen) {
	return h(
		"div",
		{class: "choice", role: "group", "aria-label": label},
		Object.entries(names).map(([key, name]) =>
			h(
				"button",
				{
					type: "button",
					"data-choice": key,
					"aria-pressed": String(key === value),
					onclick: () => chosen(key),
				},
				name,
			),
		),
	);
}

/* Do all words occur, in any order? */
function matcher(q) {
	const words = q.toLowerCase().split(/\s+/).filter(Boolean);
	return (text) => words.every((w) => text.includes(w));
}

/* The searched text of a function: its name, file and object. */
const searched = [];
const textOf = (i) =>
	(searched[i] ??= [F.name[i], fileName(F.file[i]), D.objects[F.object[i]]].join(" ").toLowerCase());
