/* SPDX-License-Identifier: Apache-2.0 */
/*
 * blocks.js - the disassembly of a function by blocks, with the edges between them
 */
/* The text of an instruction, with a link to its target. */
function instruction(f, r, calls) {
	const call = calls.get(r.address),
		space = r.text.indexOf(" ");
	const op = space < 0 ? r.text : r.text.slice(0, space),
		rest = space < 0 ? "" : r.text.slice(space + 1);
	if (call && typeof call[0] === "number") return [op.padEnd(7) + " ", funcLink(call[0])];
	if (call && typeof call[0] === "string")
		return [
			op.padEnd(7) + " ",
			h("span", {class: "k"}, call[0]),
			"  ",
			h("span", {class: "muted"}, rest),
		];
	if (rest.startsWith(f.symbol + "+0x")) {
		const to = f.blocks.findIndex((b) => b[0] === parseInt(rest.slice(f.symbol.length + 3), 16));
		if (to >= 0)
			return [
				op.padEnd(7) + " ",
				h("a", {href: "#", onclick: (e) => (e.preventDefault(), goBlock(to))}, "block " + to),
			];
	}
	return [op.padEnd(7) + " " + rest];
}

function goBlock(n) {
	const e = $("b" + n);
	document.querySelectorAll(".block.here").forEach((x) => x.classList.remove("here"));
	e.classList.add("here");
	e.scrollIntoView({block: "center"});
}

/* A lane beside the blocks for each edge: short edges are next to the blocks, and none overlap. */
function lanes(edges) {
	const MOST = 14,
		ends = Array.from({length: MOST}, () => []);
	const v = [...edges].sort((a, b) => Math.abs(a.y1 - a.y2) - Math.abs(b.y1 - b.y2));
	for (const e of v) {
		const low = Math.min(e.y1, e.y2),
			high = Math.max(e.y1, e.y2);
		let k = 0;
		while (k < MOST - 1 && ends[k].some(([a, b]) => a <= high + 2 && low <= b + 2)) k++;
		if (ends[k].length < 600) ends[k].push([low, high]);
		e.lane = k;
	}
	return v.reduce((m, e) => Math.max(m, e.lane + 1), 0);
}

function arcs(f, tops, bottoms) {
	const edges = [];
	f.edges.forEach(([from, to, count, fall], id) => {
		if (!from || !to || (to === from + 1 && fall)) return;
		edges.push({
			id,
			from: from - 1,
			to: to - 1,
			count,
			y1: bottoms[from - 1] - 9,
			y2: tops[to - 1] + (from === to ? 8 : 13),
		});
	});
	const n = lanes(edges),
		x = 16 + n * 8,
		max = edges.reduce((m, e) => Math.max(m, num(e.count)), 0);
	const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
	svg.setAttribute("aria-hidden", "true");
	svg.setAttribute("width", x + 8);
	svg.setAttribute("height", bottoms[bottoms.length - 1] || 0);
	for (const e of edges) {
		const p = document.createElementNS("http://www.w3.org/2000/svg", "path"),
			lane = x - 6 - (e.lane + 1) * 8;
		const r = e.y2 > e.y1 ? 4 : -4;
		p.setAttribute(
			"d",
			`M${x + 6},${e.y1} H${lane + 4} Q${lane},${e.y1} ${lane},${e.y1 + r} V${e.y2 - r} Q${lane},${e.y2} ${lane + 4},${e.y2} H${x + 5} m-5,-3.5 l5,3.5 l-5,3.5`,
		);
		p.setAttribute("class", num(e.count) ? "run" : e.count === null ? "" : "never");
		p.setAttribute("stroke-width", (1 + 2 * heat(num(e.count), max)).toFixed(2));
		p.dataset.from = e.from;
		p.dataset.to = e.to;
		svg.append(p);
	}
	return {svg, width: x + 8};
}

function blockWays(f) {
	const out = f.blocks.map(() => []),
		into = f.blocks.map(() => []);
	for (const [from, to, count, fall] of f.edges) {
		if (from) out[from - 1].push([to, count, fall]);
		if (to) into[to - 1].push([from, count, fall]);
	}
	return {out, into};
}

const way = (arrow, [n, count, fall]) =>
	h(
		"span",
		null,
		arrow + " ",
		n
			? h("a", {href: "#", onclick: (e) => (e.preventDefault(), goBlock(n - 1))}, "block " + (n - 1))
			: "outside",
		fall && arrow === "→" ? " falls through" : "",
		marks() ? "" : " " + fmt(count),
	);

/* The text of the source files of the function's code, at most 16. */
async function textsOf(f) {
	const files = [...new Set(f.spots.map((s) => s[0]))].filter((x) => x >= 0).slice(0, 16),
		texts = new Map();
	for (const x of files) texts.set(x, ((await source(x)).text || "").split("\n"));
	return texts;
}

async function disassembly(box, f, i) {
	const texts = await textsOf(f),
		lineText = (s) => ((texts.get(s[0]) || [])[s[1] - 1] || "").trim();
	const rows = listing(f),
		calls = new Map(f.callees.map((c) => [Number(c[1]), c])),
		max = f.blocks.reduce((m, b) => Math.max(m, num(b[2])), 0);
	const {out, into} = blockWays(f),
		tops = [],
		bottoms = [],
		list = [];
	let y = 8,
		k = 0;
	f.blocks.forEach((b, n) => {
		const e = h(
			"div",
			{class: "block" + (b[2] !== null && !num(b[2]) ? " never" : ""), id: "b" + n, "data-block": n},
			h(
				"div",
				{class: "head", "--h": heat(num(b[2]), max)},
				h(
					"b",
					null,
					marks() ? (b[2] === null ? "–" : num(b[2]) ? "executed" : "not executed") : fmt(b[2]),
				),
				h("span", null, "block " + n),
				h("span", null, "+0x" + b[0].toString(16)),
				h("span", null, plural(b[3], "instruction")),
				b[5] & 1 ? h("span", {class: "pill"}, "entered from outside") : null,
			),
		);
		let height = 26 + 2;
		if (into[n].length > 0 && !(into[n].length === 1 && into[n][0][2])) {
			e.append(
				h(
					"div",
					{class: "ways"},
					into[n].slice(0, 8).map((w) => way("←", w)),
					into[n].length > 8 ? `and ${into[n].length - 8} more` : "",
				),
			);
			height += 20;
		}
		for (let j = 0; j < b[4]; j++, k++, height += 20) {
			const r = rows[k],
				s = r.spot >= 0 ? f.spots[r.spot] : null,
				old = j && rows[k - 1].spot === r.spot;
			e.append(
				h(
					"div",
					null,
					h("span", {class: "a"}, hex(r.address)),
					h("span", {class: "t"}, instruction(f, r, calls)),
					s && s[0] >= 0 && !old
						? [
								h("span", {class: "src", title: plain(lineText(s))}, lineText(s)),
								h("span", {class: "s"}, fileLink(s[0], s[1])),
							]
						: null,
				),
			);
		}
		if (out[n].length > 0 && !(out[n].length === 1 && out[n][0][2])) {
			e.append(
				h(
					"div",
					{class: "ways"},
					out[n].slice(0, 8).map((w) => way("→", w)),
					out[n].length > 8 ? `and ${out[n].length - 8} more` : "",
				),
			);
			height += 20;
		}
		e.style.containIntrinsicSize = `auto ${height - 2}px`;
		tops.push(y);
		bottoms.push(y + height);
		y += height + 10;
		list.push(e);
	});
	if (!list.length) {
		box.append(
			h(
				"p",
				{class: "loading"},
				f.opaque ? `This function is opaque to ldx: ${f.opaque}.` : "There are no blocks.",
			),
		);
		return;
	}
	const {svg, width} = arcs(f, tops, bottoms),
		all = h(
			"div",
			{class: "blocks", tabindex: "0", role: "region", "aria-label": "Disassembly"},
			svg,
			list,
		);
	for (const e of list) e.style.marginLeft = width + "px";
	const light = (e) => {
		const b = e.target.closest(".block"),
			n = b && b.dataset.block;
		svg.querySelectorAll("path").forEach((p) =>
			p.classList.toggle("lit", p.dataset.from === n || p.dataset.to === n),
		);
	};
	all.onmouseover = light;
	box.append(all);
}
