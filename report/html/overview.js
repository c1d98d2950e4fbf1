/* SPDX-License-Identifier: Apache-2.0 */
/*
 * overview.js - the first view: totals, a map of functions, the hottest functions, lines and operations
 */
const tile = (value, text, more, id) =>
	h("div", {class: "card tile", id}, h("b", null, value), h("span", null, text), more);

function tiles() {
	const ran = F.run.filter(Boolean).length,
		sum = (v) => v.reduce((a, b) => a + num(b), 0);
	const blocks = sum(F.blocks),
		covered = sum(F.covered),
		c = D.cover;
	return h(
		"div",
		{class: "tiles"},
		hasInsns() && tile(fmt(total), "instructions executed in instrumented code", null, "total"),
		tile(`${fmt(ran)} / ${fmt(F.name.length)}`, "functions executed", bar(ran, F.name.length, "cover")),
		blocks > 0 &&
			tile(`${fmt(covered)} / ${fmt(blocks)}`, "blocks executed", bar(covered, blocks, "cover")),
		c[1] > 0 && tile(tenths(c[0], c[1]), `of ${fmt(c[1])} lines executed`, bar(c[0], c[1], "cover")),
		tile(
			fmt(D.processes),
			num(D.processes) === 1 ? "process counted" : "processes counted",
			h("span", {class: "mono"}, `mode ${D.mode}`),
		),
	);
}

function notes() {
	const v = [];
	if (D.uncounted.length) v.push("Not counted: " + D.uncounted.join(", ") + ".");
	if (num(D.unfinished))
		v.push(
			`${plural(D.unfinished, "process").replace("processs", "processes")} ended without leaving main: see ldx(1).`,
		);
	if (num(D.lost)) v.push(`${fmt(D.lost)} forked processes have no counts here.`);
	if (num(D.lostThreads)) v.push(`${fmt(D.lostThreads)} threads have no counts here.`);
	return v.length ? h("p", {class: "note"}, v.join(" ")) : null;
}

/* Squarified treemap (Bruls, Huizing, van Wijk 2000): rows of nearly square rectangles. */
function squarify(list, x, y, w, hh, put) {
	const items = [...list].sort((a, b) => b.size - a.size);
	const all = items.reduce((s, i) => s + i.size, 0);
	let scale = all ? (w * hh) / all : 0,
		k = 0;
	while (k < items.length && w > 0.5 && hh > 0.5) {
		const side = Math.min(w, hh);
		let n = 0,
			area = 0,
			worst = Infinity;
		for (; k + n < items.length; n++) {
			const a = area + items[k + n].size * scale,
				r = (side * side) / (a * a);
			const now = Math.max(r * items[k].size * scale, 1 / (r * items[k + n].size * scale));
			if (now > worst) break;
			worst = now;
			area = a;
		}
		const thick = area / side;
		for (let i = 0, at = 0; i < n; i++) {
			const len = (items[k + i].size * scale) / thick;
			if (w >= hh) put(items[k + i], x, y + at, thick, len);
			else put(items[k + i], x + at, y, len, thick);
			at += len;
		}
		if (w >= hh) ((x += thick), (w -= thick));
		else ((y += thick), (hh -= thick));
		k += n;
	}
}

const shortName = (name) => {
	let s = name.replace(/\[abi:[^\]]*\]| \[clone [^\]]*\]/g, "");
	for (let old; old !== s;) ((old = s), (s = s.replace(/<[^<>]*>/g, "")));
	s = s.replace(/\([^()]*\)( const)?$/, "");
	return s.split("::").slice(-2).join("::").split(" ").pop() || name;
};

const MAPS = {
	insns: {
		name: "Instructions",
		size: (i) => num(F.insns[i]),
		tip: (i) => `${fmt(F.insns[i])} instructions, ${percent(num(F.insns[i]), num(total))}`,
	},
	calls: {name: "Calls", size: (i) => num(F.calls[i]), tip: (i) => `${fmt(F.calls[i])} calls`},
	cover: {
		name: "Coverage",
		size: (i) => num(F.size[i]),
		tip: (i) =>
			`${fmt(F.size[i])} bytes of code, ` +
			(F.blocks[i]
				? `${F.covered[i]} of ${F.blocks[i]} blocks executed`
				: F.run[i]
					? "executed"
					: "not known to be executed"),
	},
};

/* Files, and the functions in them, with areas in proportion to their figures. */
function drawMap(box, kind) {
	const m = MAPS[kind],
		files = [],
		W = box.clientWidth,
		H = box.clientHeight;
	for (const [file, list] of ofFile) {
		const items = list
			.map((i) => ({i, size: m.size(i)}))
			.filter((x) => x.size > 0)
			.sort((a, b) => b.size - a.size);
		if (items.length) files.push({file, items, size: items.reduce((s, x) => s + x.size, 0)});
	}
	files.sort((a, b) => b.size - a.size);
	const all = files.reduce((s, f) => s + f.size, 0),
		max = files.reduce((s, f) => Math.max(s, f.items[0].size), 0);
	box.className = "map" + (kind === "cover" ? " covered" : "");
	box.replaceChildren();
	const rest = files.filter((f) => (f.size / all) * W * H < 120),
		shown = files.filter((f) => !rest.includes(f));
	if (rest.length)
		shown.push({file: -2, items: [], size: rest.reduce((s, f) => s + f.size, 0), count: rest.length});
	squarify(shown, 0, 0, W, H, (f, x, y, w, hh) => {
		const title = w > 40 && hh > 30 ? 18 : 0,
			name =
				f.file === -2 ? plural(f.count, "smaller file") : base(fileName(f.file)) || "no file known";
		const e = h("div", {
			style: {
				left: x + "px",
				top: y + "px",
				width: Math.max(1, w - 3) + "px",
				height: Math.max(1, hh - 3) + "px",
			},
			"data-tip": `${fileName(f.file) || name}\n${percent(f.size, all)}`,
		});
		if (title) e.append(h("span", null, name));
		const least = 30 / Math.max(1, (w - 9) * (hh - title - 9));
		const big = f.items.filter((t) => t.size / f.size > least);
		const left = f.items.slice(big.length).reduce((s, t) => s + t.size, 0);
		if (left && left / f.size > least) big.push({size: left, n: f.items.length - big.length});
		squarify(big, 3, title || 3, w - 11, hh - title - 9, (t, tx, ty, tw, th) => {
			const style = {
				left: tx + "px",
				top: ty + "px",
				width: Math.max(1, tw - 2) + "px",
				height: Math.max(1, th - 2) + "px",
			};
			if (tw < 24 || th < 15) style.padding = "0";
			const label = tw >= 24 && th >= 15 ? (t.n ? "+" + t.n : shortName(F.name[t.i])) : "";
			e.append(
				t.n
					? h("em", {style, "data-tip": plural(t.n, "smaller function")}, label)
					: h(
							"a",
							{
								href: "#f/" + t.i,
								tabindex: "-1",
								style,
								"data-tip": `${F.name[t.i]}\n${fileName(f.file)}\n${m.tip(t.i)}`,
								"--h":
									kind === "cover"
										? F.blocks[t.i]
											? F.covered[t.i] / F.blocks[t.i]
											: F.run[t.i]
												? 1
												: 0
										: heat(t.size, max),
							},
							label,
						),
			);
		});
		box.append(e);
	});
}

function mapCard() {
	const kinds = Object.fromEntries(
		Object.entries(MAPS)
			.filter(([k]) => k === "cover" || (k === "insns" ? hasInsns() : !marks()))
			.map(([k, m]) => [k, m.name]),
	);
	const box = h("div", {
		class: "map",
		id: "map",
		role: "img",
		"aria-label": "Files and functions by their share",
	});
	let kind = Object.keys(kinds)[0];
	const head = h(
		"header",
		null,
		h("h2", null, "Files and functions"),
		h("span", {class: "muted"}, "an area for each function, in its file"),
	);
	const draw = () => drawMap(box, kind);
	const choose = (k) => {
		kind = k;
		head.lastChild.replaceWith(pick());
		head.lastChild.style.marginLeft = "auto";
		draw();
	};
	const pick = () => choice("What the areas show", kinds, kind, choose);
	head.append(pick());
	head.lastChild.style.marginLeft = "auto";
	onView(window, "resize", draw);
	return {card: h("section", {class: "card w12"}, head, box), draw};
}

function hotFunctions() {
	const list = hot.slice(0, 12).filter((i) => F.run[i]),
		unit = marks() ? "covered" : hasInsns() ? "insns" : "calls",
		most = num(F[unit][list[0]]);
	return h(
		"section",
		{class: "card " + (D.lines.length ? "w6" : "w12"), id: "hot-functions"},
		h(
			"header",
			null,
			h(
				"h2",
				null,
				marks()
					? "Functions with most blocks executed"
					: unit === "insns"
						? "Hottest functions"
						: "Most called functions",
			),
			h("a", {class: "more", href: "#functions"}, "all functions"),
		),
		h(
			"table",
			{class: "bars"},
			h(
				"tbody",
				null,
				list.map((i) =>
					h(
						"tr",
						{"data-row": i},
						h("td", {style: {maxWidth: "0", width: "60%"}}, funcLink(i)),
						h("td", {class: "wide"}, bar(num(F[unit][i]), most, "heat")),
						h(
							"td",
							{class: "num"},
							unit === "insns" ? percent(num(F.insns[i]), num(total)) : fmt(F[unit][i]),
						),
					),
				),
			),
		),
	);
}

function hotLines() {
	if (!D.lines.length) return null;
	const list = D.lines.slice(0, 12),
		most = num(list[0][2]);
	const text = h(
		"table",
		{class: "bars"},
		h(
			"tbody",
			null,
			list.map(([file, line, insns, f]) =>
				h(
					"tr",
					{"data-line": `${file}:${line}`},
					h(
						"td",
						{style: {maxWidth: "0", width: "60%"}, title: plain(F.name[f])},
						fileLink(file, line),
						h("span", {class: "mono muted src"}),
					),
					h("td", {class: "wide"}, bar(num(insns), most, "heat")),
					h("td", {class: "num"}, percent(num(insns), num(total))),
				),
			),
		),
	);
	const rows = [...text.querySelectorAll("tr")];
	list.forEach(async ([file, line], k) => {
		const s = await source(file);
		if (s.text)
			rows[k].querySelector(".src").append("  " + plain((s.text.split("\n")[line - 1] || "").trim()));
	});
	return h(
		"section",
		{class: "card w6", id: "hot-lines"},
		h("header", null, h("h2", null, "Hottest lines")),
		text,
	);
}

function opcodeCard() {
	const v = D.opcodes.filter((o) => num(o[1]) > 0).slice(0, 36),
		most = v.length ? num(v[0][1]) : 0;
	if (!hasInsns() || !v.length) return null;
	const rows = v.map(([name, count, code, kind]) =>
		h(
			"tr",
			{"data-opcode": name},
			h("td", {class: "mono"}, name),
			h("td", null, bar(num(count), most, kind ? "" : "heat")),
			h("td", {class: "num"}, percent(num(count), num(total))),
			h(
				"td",
				{class: "num muted wide", title: `${fmt(count)} executed, ${fmt(code)} in the code`},
				fmt(count),
			),
		),
	);
	const third = Math.ceil(rows.length / 3),
		cut = (k) =>
			h(
				"table",
				{class: "bars", style: {flex: "1 1 320px", width: "auto"}},
				h("tbody", null, rows.slice(k * third, (k + 1) * third)),
			);
	return h(
		"section",
		{class: "card w12", id: "opcodes"},
		h(
			"header",
			null,
			h("h2", null, "Operations executed"),
			h("span", {class: "muted"}, "jumps, calls and returns in the other colour"),
		),
		h("div", {style: {display: "flex", flexWrap: "wrap", paddingBottom: "10px"}}, cut(0), cut(1), cut(2)),
	);
}

function overview(main) {
	const map = mapCard();
	main.append(
		tiles(),
		notes() || "",
		h("div", {class: "grid"}, map.card, hotFunctions(), hotLines(), opcodeCard()),
	);
	map.draw();
}
