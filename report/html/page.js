/* SPDX-License-Identifier: Apache-2.0 */
/*
 * page.js - what the page shows, and how one gets around in it
 *
 * The index, with which the page begins, is one chunk of JSON; functions and files are in others, which
 * are unpacked when they are looked at.  What is shown is told by the part of the address behind #:
 * overview, functions, f/NUMBER, coverage, s/NUMBER, compare; so the browser's own keys go back and forth.
 */

/* Numbers and names ------------------------------------------------------ */

const $ = (id) => document.getElementById(id);
const num = (x) => (x === null ? 0 : Number(x));
const group = (x) => String(x).replace(/\B(?=(\d{3})+(?!\d))/g, ",");
const fmt = (x) => (x === null || x === undefined ? "–" : group(x));
const part = (x, of) => (of ? (100 * x) / of : 0);
const percent = (x, of) => (of ? part(x, of).toFixed(2) + "%" : "–");
const tenths = (hit, found) => (found ? (Math.floor((1000 * hit) / found) / 10).toFixed(1) + "%" : "–");
const hex = (x) => BigInt(x).toString(16);
const base = (path) => path.slice(path.lastIndexOf("/") + 1) || path;
const plural = (n, word) => `${fmt(n)} ${word}${String(n) === "1" ? "" : "s"}`;

/* What would change how the text around it is shown is told by its number. */
const plain = (s) => String(s).replace(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g,
	(c) => "\\u" + c.charCodeAt(0).toString(16).padStart(4, "0"));

/* An element; properties with a dash or in lower case that it does not have are attributes. */
function h(tag, props, ...children) {
	const e = document.createElement(tag);
	for (const [key, value] of Object.entries(props || {})) {
		if (value === undefined || value === null || value === false) continue;
		if (key.startsWith("on")) e.addEventListener(key.slice(2), value);
		else if (key.startsWith("--")) e.style.setProperty(key, value);
		else if (key === "style") Object.assign(e.style, value);
		else e.setAttribute(key, value === true ? "" : value);
	}
	for (const c of children.flat()) if (c !== null && c !== undefined && c !== false) e.append(c.nodeType ? c : plain(c));
	return e;
}

function bar(x, of, kind) {
	const i = h("i");
	i.style.width = Math.min(100, Math.max(x ? 1 : 0, part(x, of))) + "%";
	return h("span", {class: "bar " + (kind || ""), "aria-hidden": "true"}, i);
}

/* How hot: 0 to 1.  Of two that differ by a factor the hotter one is the same step ahead. */
const heat = (x, max) => (x > 0 && max > 0 ? Math.max(0.04, Math.pow(Math.log1p(x) / Math.log1p(max), 3)) : 0).toFixed(3);

/* The data --------------------------------------------------------------- */

const unpacked = new Map();
function chunk(number) {
	if (!unpacked.has(number)) {
		const text = atob($("c" + number).textContent);
		const bytes = new Uint8Array(text.length);
		for (let i = 0; i < text.length; i++) bytes[i] = text.charCodeAt(i);
		const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
		unpacked.set(number, new Response(stream).json());
		if (unpacked.size > 24) unpacked.delete([...unpacked.keys()].find((k) => k !== INDEX_CHUNK));
	}
	return unpacked.get(number);
}

/* Item number of those that begin with a chunk. */
async function item(first, number) {
	let c = first;
	while (number >= D.items[c]) number -= D.items[c++];
	return (await chunk(c))[number];
}

let D, F, total, maxInsns, hot, ofFile;
const marks = () => D.marks;
const hasInsns = () => D.mode === "blocks" || D.mode === "edges";
const fn = (i) => item(F.first, i);
const source = (i) => item(D.files.first, i);
const fileName = (i) => (i < 0 ? "" : D.files.path[i]);

function prepare() {
	F = D.functions;
	let sum = 0n;
	maxInsns = 0;
	for (const x of F.insns) {
		sum += x === null ? 0n : BigInt(x);
		maxInsns = Math.max(maxInsns, num(x));
	}
	total = sum.toString();
	const order = marks() ? F.covered : D.mode === "functions" ? F.calls : F.insns;
	hot = F.name.map((_, i) => i).sort((a, b) => num(order[b]) - num(order[a]) || a - b);
	ofFile = new Map();
	F.file.forEach((f, i) => {
		if (!ofFile.has(f)) ofFile.set(f, []);
		ofFile.get(f).push(i);
	});
}

/* A long name without the arguments of templates, then parameters, what it returns, scopes: its last part stays. */
function fitted(name, long = 46) {
	let s = name.replace(/\[abi:[^\]]*\]/g, "");
	if (s.length <= long) return s;
	const depth = (text) => [...text].reduce(([d, m], c) => (d += c === "<" ? 1 : c === ">" ? -1 : 0, [d, Math.max(d, m)]), [0, 0])[1];
	s = s.replace(/operator(<<=|>>=|<=>|->|<<|>>|<=|>=|<|>)/g, (all, op) => "operator" + op.replace(/</g, "\u0001").replace(/>/g, "\u0002"));
	for (let d = depth(s); d > 0 && s.length > long; d--) {
		let at = 0, out = "";
		for (const c of s) {
			if (c === ">") at--;
			if (at < d) out += c;
			else if (!out.endsWith("…")) out += "…";
			if (c === "<") at++;
		}
		s = out;
	}
	s = s.replace(/\u0001/g, "<").replace(/\u0002/g, ">");
	if (s.length > long) s = s.replace(/(.)\([^()]*\)(?: const)?((?: \[clone [^\]]*\])*)$/, "$1(…)$2");
	if (s.length > long && !s.includes("operator")) s = s.replace(/^[^(]* (?=\S+$)/, "");
	for (let at; s.length > long && (at = s.indexOf("::", s.startsWith("…::") ? 3 : 0)) > 0 && !s.slice(0, at).includes("(");) s = "…" + s.slice(at);
	return s;
}

const objectNote = (i) => (F.object[i] ? ` (${base(D.objects[F.object[i]])})` : "");
const place = (file, line) => (file < 0 ? "–" : base(fileName(file)) + (line ? ":" + line : ""));
const funcLink = (i, more) => h("a", {class: "name", href: "#f/" + i, title: plain(F.name[i]), ...more}, fitted(F.name[i]), objectNote(i));
const fileLink = (file, line) =>
	file < 0 ? "–" : h("a", {href: `#s/${file}${line ? "/" + line : ""}`, class: "path", title: plain(fileName(file))}, place(file, line));
const run = (i) => (F.run[i] ? "yes" : "no");

/* Tables ----------------------------------------------------------------- */

/*
 * Only the rows in the window are in the document.  columns: {key, name, value (what sorts), cell, num,
 * wide, width}; open: where a row leads.  Keys move a mark; the element has the focus.
 */
function table(o) {
	const HEIGHT = 34;
	let rows = [], from = -1, to = -1, at = -1, sort = o.sort, down = o.down;
	const body = h("tbody"), heads = o.columns.map((c) => {
		const text = c.value ? h("button", {type: "button", onclick: () => by(c)}, c.name) : c.name;
		return h("th", {scope: "col", class: (c.num ? "num " : "") + (c.wide ? "wide" : ""), style: {width: c.width}}, text);
	});
	const box = h("div", {class: "rows", tabindex: "0", role: "group", "aria-label": o.label, onkeydown: keys},
		h("table", {class: "long"}, h("thead", null, h("tr", null, heads)), body));

	function by(c) {
		down = sort === c ? !down : !!c.num;
		sort = c;
		arrange();
		if (o.sorted) o.sorted(c.key, down);
	}
	function arrange() {
		const v = new Map(rows.map((r) => [r, sort.value(r)]));
		rows.sort((a, b) => {
			const x = v.get(a), y = v.get(b);
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
		return h("tr", {class: i === at ? "at" : "", "data-row": rows[i], onclick: (e) => {
			if (o.open && !e.target.closest("a") && !getSelection().toString()) location.hash = o.open(rows[i]);
		}, style: {cursor: o.open ? "pointer" : ""}},
		o.columns.map((c) => h("td", {class: (c.num ? "num " : "") + (c.wide ? "wide" : ""), "data-key": c.key}, c.cell(rows[i]))));
	}
	function draw(again) {
		const top = body.getBoundingClientRect().top;
		const first = Math.max(0, Math.min(rows.length, Math.floor(-top / HEIGHT) - 20));
		const last = Math.min(rows.length, Math.ceil((innerHeight - top) / HEIGHT) + 20);
		if (!again && first >= from && last <= to && from >= 0) return;
		from = Math.max(0, first - 20);
		to = Math.min(rows.length, Math.max(last, first) + 20);
		const pad = (n) => h("tr", {class: "pad", "aria-hidden": "true"}, h("td", {style: {height: n * HEIGHT + "px"}}));
		const list = [pad(from)];
		for (let i = from; i < to; i++) list.push(line(i));
		list.push(pad(rows.length - to));
		body.replaceChildren(...list);
		if (!rows.length) body.append(h("tr", null, h("td", {colspan: o.columns.length, class: "muted"}, o.empty || "Nothing matches.")));
	}
	function go(i) {
		at = Math.max(0, Math.min(rows.length - 1, i));
		const y = body.getBoundingClientRect().top + at * HEIGHT;
		if (y < 100) scrollBy(0, y - 140);
		else if (y > innerHeight - 60) scrollBy(0, y - innerHeight + 100);
		draw(true);
	}
	function keys(e) {
		const step = {ArrowDown: 1, j: 1, ArrowUp: -1, k: -1, PageDown: 20, PageUp: -20, Home: -Infinity, End: Infinity}[e.key];
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

/* Listeners of what is shown now. */
let listeners = [];
function onView(target, event, f) {
	target.addEventListener(event, f, {passive: true});
	listeners.push(() => target.removeEventListener(event, f));
}

function choice(label, names, value, chosen) {
	return h("div", {class: "choice", role: "group", "aria-label": label}, Object.entries(names).map(([key, name]) =>
		h("button", {type: "button", "data-choice": key, "aria-pressed": String(key === value), onclick: () => chosen(key)}, name)));
}

/* Words are looked for in any order, also in the file's name. */
function matcher(q) {
	const words = q.toLowerCase().split(/\s+/).filter(Boolean);
	return (...texts) => {
		const all = texts.join(" ").toLowerCase();
		return words.every((w) => all.includes(w));
	};
}

/* Overview --------------------------------------------------------------- */

const tile = (value, text, more, id) => h("div", {class: "card tile", id}, h("b", null, value), h("span", null, text), more);

function tiles() {
	const ran = F.run.filter(Boolean).length, sum = (v) => v.reduce((a, b) => a + num(b), 0);
	const blocks = sum(F.blocks), covered = sum(F.covered), c = D.cover;
	return h("div", {class: "tiles"},
		hasInsns() && tile(fmt(total), "instructions executed in instrumented code", null, "total"),
		tile(`${fmt(ran)} / ${fmt(F.name.length)}`, "functions executed", bar(ran, F.name.length, "cover")),
		blocks > 0 && tile(`${fmt(covered)} / ${fmt(blocks)}`, "blocks executed", bar(covered, blocks, "cover")),
		c[1] > 0 && tile(tenths(c[0], c[1]), `of ${fmt(c[1])} lines executed`, bar(c[0], c[1], "cover")),
		tile(fmt(D.processes), num(D.processes) === 1 ? "process counted" : "processes counted",
			h("span", {class: "mono"}, `mode ${D.mode}`)));
}

function notes() {
	const v = [];
	if (D.uncounted.length) v.push("Not counted: " + D.uncounted.join(", ") + ".");
	if (num(D.unfinished)) v.push(`${plural(D.unfinished, "process").replace("processs", "processes")} ended without leaving main: see ldx(1).`);
	if (num(D.lost)) v.push(`${fmt(D.lost)} forked processes have no counts here.`);
	if (num(D.lostThreads)) v.push(`${fmt(D.lostThreads)} threads have no counts here.`);
	return v.length ? h("p", {class: "note"}, v.join(" ")) : null;
}

/* Squarified (Bruls, Huizing, van Wijk 2000): rows of rectangles that are as square as can be. */
function squarify(items, x, y, w, hh, put) {
	const all = items.reduce((s, i) => s + i.size, 0);
	let scale = all ? (w * hh) / all : 0, k = 0;
	while (k < items.length && w > 0.5 && hh > 0.5) {
		const side = Math.min(w, hh);
		let n = 0, area = 0, worst = Infinity;
		for (; k + n < items.length; n++) {
			const a = area + items[k + n].size * scale, r = side * side / (a * a);
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
		if (w >= hh) x += thick, w -= thick;
		else y += thick, hh -= thick;
		k += n;
	}
}

const shortName = (name) => {
	let s = name.replace(/\[abi:[^\]]*\]/g, "");
	for (let old; old !== s;) old = s, s = s.replace(/<[^<>]*>/g, "");
	s = s.replace(/\([^()]*\)( const)?$/, "");
	return s.split("::").slice(-2).join("::").split(" ").pop() || name;
};

const MAPS = {
	insns: {name: "Instructions", size: (i) => num(F.insns[i]), tip: (i) => `${fmt(F.insns[i])} instructions, ${percent(num(F.insns[i]), num(total))}`},
	calls: {name: "Calls", size: (i) => num(F.calls[i]), tip: (i) => `${fmt(F.calls[i])} calls`},
	cover: {name: "Coverage", size: (i) => num(F.size[i]), tip: (i) => `${fmt(F.size[i])} bytes of code, ` +
		(F.blocks[i] ? `${F.covered[i]} of ${F.blocks[i]} blocks executed` : F.run[i] ? "executed" : "not known to be executed")},
};

/* Files, and functions in them, with areas as their figures. */
function drawMap(box, kind) {
	const m = MAPS[kind], files = [], W = box.clientWidth, H = box.clientHeight;
	for (const [file, list] of ofFile) {
		const items = list.map((i) => ({i, size: m.size(i)})).filter((x) => x.size > 0).sort((a, b) => b.size - a.size);
		if (items.length) files.push({file, items, size: items.reduce((s, x) => s + x.size, 0)});
	}
	files.sort((a, b) => b.size - a.size);
	const all = files.reduce((s, f) => s + f.size, 0), max = files.reduce((s, f) => Math.max(s, f.items[0].size), 0);
	box.className = "map" + (kind === "cover" ? " covered" : "");
	box.replaceChildren();
	const rest = files.filter((f) => (f.size / all) * W * H < 120), shown = files.filter((f) => !rest.includes(f));
	if (rest.length) shown.push({file: -2, items: [], size: rest.reduce((s, f) => s + f.size, 0), count: rest.length});
	squarify(shown, 0, 0, W, H, (f, x, y, w, hh) => {
		const title = w > 40 && hh > 30 ? 18 : 0, name = f.file === -2 ? plural(f.count, "smaller file") : base(fileName(f.file)) || "no file known";
		const e = h("div", {style: {left: x + "px", top: y + "px", width: Math.max(1, w - 3) + "px", height: Math.max(1, hh - 3) + "px"},
			"data-tip": `${fileName(f.file) || name}\n${percent(f.size, all)}`});
		if (title) e.append(h("span", null, name));
		const least = 30 / Math.max(1, (w - 9) * (hh - title - 9));
		const big = f.items.filter((t) => t.size / f.size > least);
		const left = f.items.slice(big.length).reduce((s, t) => s + t.size, 0);
		if (left && left / f.size > least) big.push({size: left, n: f.items.length - big.length});
		squarify(big, 3, title || 3, w - 11, hh - title - 9, (t, tx, ty, tw, th) => {
			const style = {left: tx + "px", top: ty + "px", width: Math.max(1, tw - 2) + "px", height: Math.max(1, th - 2) + "px"};
			if (tw < 24 || th < 15) style.padding = "0";
			const label = tw >= 24 && th >= 15 ? (t.n ? "+" + t.n : shortName(F.name[t.i])) : "";
			e.append(t.n ? h("em", {style, "data-tip": plural(t.n, "smaller function")}, label)
				: h("a", {href: "#f/" + t.i, tabindex: "-1", style, "data-tip": `${F.name[t.i]}\n${fileName(f.file)}\n${m.tip(t.i)}`,
					"--h": kind === "cover" ? (F.blocks[t.i] ? F.covered[t.i] / F.blocks[t.i] : F.run[t.i] ? 1 : 0) : heat(t.size, max)}, label));
		});
		box.append(e);
	});
}

function mapCard() {
	const kinds = Object.fromEntries(Object.entries(MAPS).filter(([k]) => k === "cover" || (k === "insns" ? hasInsns() : !marks())).map(([k, m]) => [k, m.name]));
	const box = h("div", {class: "map", id: "map", role: "img", "aria-label": "Files and functions by their share"});
	let kind = Object.keys(kinds)[0];
	const head = h("header", null, h("h2", null, "Files and functions"), h("span", {class: "muted"}, "an area for each function, in its file"));
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
	const list = hot.slice(0, 12).filter((i) => F.run[i]), unit = marks() ? "covered" : hasInsns() ? "insns" : "calls", most = num(F[unit][list[0]]);
	return h("section", {class: "card w6", id: "hot-functions"},
		h("header", null, h("h2", null, marks() ? "Functions with most blocks executed" : unit === "insns" ? "Hottest functions" : "Most called functions"),
			h("a", {class: "more", href: "#functions"}, "all functions")),
		h("table", {class: "bars"}, h("tbody", null, list.map((i) => h("tr", {"data-row": i}, h("td", {style: {maxWidth: "0", width: "60%"}}, funcLink(i)),
			h("td", {class: "wide"}, bar(num(F[unit][i]), most, "heat")),
			h("td", {class: "num"}, unit === "insns" ? percent(num(F.insns[i]), num(total)) : fmt(F[unit][i])))))));
}

function hotLines() {
	if (!D.lines.length) return null;
	const list = D.lines.slice(0, 12), most = num(list[0][2]);
	const text = h("table", {class: "bars"}, h("tbody", null, list.map(([file, line, insns, f]) => h("tr", {"data-line": `${file}:${line}`},
		h("td", {style: {maxWidth: "0", width: "60%"}, title: plain(F.name[f])}, fileLink(file, line), h("span", {class: "mono muted src"})),
		h("td", {class: "wide"}, bar(num(insns), most, "heat")), h("td", {class: "num"}, percent(num(insns), num(total)))))));
	const rows = [...text.querySelectorAll("tr")];
	list.forEach(async ([file, line], k) => {
		const s = await source(file);
		if (s.text) rows[k].querySelector(".src").append("  " + plain((s.text.split("\n")[line - 1] || "").trim()));
	});
	return h("section", {class: "card w6", id: "hot-lines"}, h("header", null, h("h2", null, "Hottest lines")), text);
}

function opcodeCard() {
	const v = D.opcodes.filter((o) => num(o[1]) > 0).slice(0, 36), most = v.length ? num(v[0][1]) : 0;
	if (!hasInsns() || !v.length) return null;
	const rows = v.map(([name, count, code, kind]) => h("tr", {"data-opcode": name}, h("td", {class: "mono"}, name),
		h("td", null, bar(num(count), most, kind ? "" : "heat")), h("td", {class: "num"}, percent(num(count), num(total))),
		h("td", {class: "num muted wide", title: `${fmt(count)} executed, ${fmt(code)} in the code`}, fmt(count))));
	const third = Math.ceil(rows.length / 3), cut = (k) => h("table", {class: "bars", style: {flex: "1 1 320px", width: "auto"}},
		h("tbody", null, rows.slice(k * third, (k + 1) * third)));
	return h("section", {class: "card w12", id: "opcodes"},
		h("header", null, h("h2", null, "Operations executed"), h("span", {class: "muted"}, "jumps, calls and returns in the other colour")),
		h("div", {style: {display: "flex", flexWrap: "wrap", paddingBottom: "10px"}}, cut(0), cut(1), cut(2)));
}

function overview(main) {
	const map = mapCard();
	main.append(tiles(), notes() || "", h("div", {class: "grid"}, map.card, hotFunctions(), hotLines(), opcodeCard()));
	map.draw();
}

/* Functions -------------------------------------------------------------- */

function functionColumns() {
	const all = [
		{key: "name", name: "Function", value: (i) => F.name[i].toLowerCase(), cell: (i) => funcLink(i)},
		hasInsns() && {key: "insns", name: "Instructions", num: true, width: "134px", value: (i) => num(F.insns[i]), cell: (i) => fmt(F.insns[i])},
		hasInsns() && {key: "share", name: "Share", num: true, width: "146px", value: (i) => num(F.insns[i]), wide: true,
			cell: (i) => h("span", {class: "share"}, bar(num(F.insns[i]), maxInsns, "heat"), percent(num(F.insns[i]), num(total)))},
		hasInsns() && {key: "inclusive", name: "~ with callees", num: true, width: "134px", wide: true, value: (i) => F.inclusive[i], cell: (i) => fmt(F.inclusive[i])},
		!marks() && {key: "calls", name: "Calls", num: true, width: "106px", wide: hasInsns(), value: (i) => num(F.calls[i]), cell: (i) => fmt(F.calls[i])},
		D.mode !== "functions" && {key: "blocks", name: "Blocks", num: true, width: "148px", wide: true, value: (i) => (F.blocks[i] ? F.covered[i] / F.blocks[i] : 2),
			cell: (i) => (F.blocks[i] ? h("span", {class: "share"}, bar(F.covered[i], F.blocks[i], "cover"), `${F.covered[i]}/${F.blocks[i]}`) : run(i))},
		{key: "file", name: "Declared", width: "170px", wide: true, value: (i) => place(F.file[i], F.line[i]), cell: (i) => fileLink(F.file[i], F.line[i])},
	];
	return all.filter(Boolean);
}

function functions(main, args) {
	const columns = functionColumns(), find = (key) => columns.find((c) => c.key === key);
	const state = {q: args.get("q") || "", all: args.get("all") === "1", sort: args.get("sort") || (hasInsns() ? "insns" : marks() ? "blocks" : "calls"),
		down: args.get("up") !== "1"};
	const t = table({label: "Functions", columns, sort: find(state.sort) || columns[0], down: state.down, open: (i) => "f/" + i,
		sorted: (key, down) => (state.sort = key, state.down = down, keep()), empty: "No function matches."});
	const count = h("span", {class: "muted", id: "matches", role: "status"});
	const input = h("input", {type: "search", placeholder: "Name, file or object", "aria-label": "Functions to show", id: "filter", spellcheck: "false"});
	const all = h("input", {type: "checkbox", id: "all"});
	const keep = () => history.replaceState(null, "", "#functions?" + new URLSearchParams({...(state.q && {q: state.q}), ...(state.all && {all: "1"}),
		sort: state.sort, ...(!state.down && {up: "1"})}));
	const show = () => {
		const match = matcher(state.q);
		const list = hot.filter((i) => (state.all || F.run[i]) && match(F.name[i], fileName(F.file[i]), D.objects[F.object[i]]));
		count.textContent = plural(list.length, "function");
		t.show(list);
	};
	input.value = state.q;
	all.checked = state.all;
	input.oninput = () => (state.q = input.value, keep(), show());
	all.onchange = () => (state.all = all.checked, keep(), show());
	input.onkeydown = (e) => {
		if (e.key === "ArrowDown" || e.key === "Enter") e.preventDefault(), t.first();
	};
	main.append(h("section", {class: "card"}, h("div", {class: "tools"}, h("h1", null, "Functions"), input,
		h("label", null, all, "also what was not executed"), count), t));
	show();
	main.search = (q) => (input.value = state.q = q, keep(), show());
	main.down = () => t.first();
}

/* A function ------------------------------------------------------------- */

/* Calls of one function by another are one row. */
function joinCalls(list) {
	const by = new Map();
	for (const [who, at, count, kind, tail, insns] of list) {
		const key = who === null ? "?" : String(who) + kind;
		const row = by.get(key) || {who, kind, tail: true, count: 0n, known: true, insns: 0, sites: 0};
		row.count += count === null ? 0n : BigInt(count);
		row.known = row.known && count !== null;
		row.tail = row.tail && !!tail;
		row.insns += insns;
		row.sites++;
		by.set(key, row);
	}
	return [...by.values()].sort((a, b) => (a.count < b.count ? 1 : a.count > b.count ? -1 : b.insns - a.insns));
}

function callRow(c, most) {
	const who = typeof c.who === "number" ? funcLink(c.who) : c.who === null || c.words ? h("span", {class: "muted"}, c.who || "by an address") : h("span", {class: "name"}, c.who);
	const kind = [c.kind === 1 && typeof c.who !== "number" && "outside", c.tail && "by a jump", c.sites > 1 && `${c.sites} places`].filter(Boolean).join(", ");
	const count = !c.known ? "–" : marks() ? (c.count ? "yes" : "no") : fmt(c.count);
	return h("tr", {"data-callee": typeof c.who === "number" ? c.who : ""}, h("td", {title: c.words ? "calls that no direct call explains: through a pointer, or from code that is not counted" : undefined}, who, kind ? h("span", {class: "muted"}, "  " + kind) : null),
		h("td", {class: "num wide", title: "instructions, an estimate"}, c.insns ? "~" + fmt(Math.round(c.insns)) : ""),
		h("td", {class: "num", "data-key": "count"}, count),
		h("td", {style: {width: "70px"}, class: "wide"}, bar(Number(c.count), most, "heat")));
}

/* Calls of function i that no direct call explains. */
function otherCalls(i, list) {
	if (marks() || F.calls[i] === null || list.some((c) => !c.known)) return [];
	const rest = list.reduce((n, c) => n - c.count, BigInt(F.calls[i]));
	return rest > 0n ? [{who: "by its address, or from outside", words: true, count: rest, known: true, insns: 0, sites: 1}] : [];
}

function callCard(title, list, id, others) {
	const all = joinCalls(list), v = all.filter((c) => c.count || !c.known).concat(others ? others(all) : []), not = all.filter((c) => !c.count && c.known).length;
	const most = v.reduce((s, c) => Math.max(s, Number(c.count)), 0);
	return h("section", {class: "card w6", id}, h("header", null, h("h2", null, title), h("span", {class: "muted"}, String(v.length || "none") + (not ? `, ${not} not executed` : ""))),
		h("div", {class: "calls", tabindex: v.length > 7 ? "0" : undefined}, h("table", {class: "bars"}, h("tbody", null, v.map((c) => callRow(c, most))))));
}

/* The instructions, each with its block, address, text and place. */
function listing(f) {
	const text = f.code.split("\n"), rows = [];
	let k = 0, address = 0;
	f.blocks.forEach((b, block) => {
		for (let j = 0; j < b[4]; j++, k++) {
			address += f.steps[k];
			rows.push({block, address, count: b[2], text: text[k], spot: f.at[k]});
		}
	});
	return rows;
}

const words = (s) => new Set(s.split(" "));
const WORDS = {
	c: words("alignas alignof auto bool break case catch char class concept const constexpr continue decltype default delete do double else enum explicit " +
		"extern false final float for friend goto if inline int int8_t int16_t int32_t int64_t long mutable namespace new noexcept nullptr operator override " +
		"private protected public register requires restrict return short signed size_t sizeof static static_assert static_cast struct switch template this " +
		"throw true try typedef typeid typename uint8_t uint16_t uint32_t uint64_t union unsigned using virtual void volatile wchar_t while"),
	rs: words("as async await bool break char const continue crate dyn else enum extern f32 f64 false fn for i8 i16 i32 i64 if impl in isize let loop match " +
		"mod move mut pub ref return self static str struct super trait true type u8 u16 u32 u64 unsafe use usize where while"),
	go: words("bool break byte case chan const continue default defer else error false float64 for func go goto if import int interface map nil package " +
		"range return rune select string struct switch true type uint var"),
};

const textState = (file) => ({comment: false, language: fileName(file).split(".").pop()});

/* Colours for source text; state: whether a line begins in a comment. */
function colour(line, state) {
	const known = WORDS[state.language] || WORDS.c, out = [], re = /\/\/.*|\/\*.*?(?:\*\/|$)|"(?:[^"\\]|\\.)*"?|'(?:[^'\\]|\\.){1,4}'|^\s*#\s*\w+|\b\d[\w.']*|\b[A-Za-z_]\w*/g;
	let at = 0, m;
	if (state.comment) {
		const end = line.indexOf("*/");
		at = end < 0 ? line.length : end + 2;
		state.comment = end < 0;
		out.push(h("span", {class: "r"}, line.slice(0, at)));
		re.lastIndex = at;
	}
	while (at < line.length && (m = re.exec(line))) {
		const w = m[0], c = w.startsWith("//") || w.startsWith("/*") ? "r" : /^["']/.test(w) ? "q" : /^\s*#/.test(w) || known.has(w) ? "k" : /^\d/.test(w) ? "d" : "";
		if (w.startsWith("/*") && !(w.length > 3 && w.endsWith("*/"))) state.comment = true;
		if (!c) continue;
		out.push(plain(line.slice(at, m.index)), h("span", {class: c}, w));
		at = m.index + w.length;
	}
	out.push(plain(line.slice(at)));
	return out;
}

const codeHead = (count, insns) => h("div", {class: "row heads"}, h("span", {class: "n"}, "line"), h("span", {class: "c"}, count), h("span", {class: "i"}, insns), h("span", {class: "t"}, ""));

/* l: {count, insns, known}; undefined: a line without code. */
function sourceRow(number, l, text, state, max, more) {
	const known = l && l.count !== null, hit = known && num(l.count) > 0;
	return h("div", {class: "row " + (l ? "has " : "") + (known ? (hit ? (l.part ? "part " : "hit ") : "miss ") : "") + (l && num(l.insns) ? "some " : ""), "data-line": number,
		"--h": l ? heat(num(l.insns), max) : 0, ...more},
	h("span", {class: "n"}, number || "?"),
	h("span", {class: "c", title: l && l.part ? l.part : undefined}, !l ? "" : marks() ? (known ? (hit ? "yes" : "no") : "–") : fmt(l.count)),
	h("span", {class: "i"}, l && hasInsns() ? (num(l.insns) ? fmt(l.insns) : "") : ""),
	h("span", {class: "t"}, number ? colour(text, state) : h("span", {class: "r"}, "the compiler's own code")));
}

const asmRow = (r) => h("div", {class: "row asm"}, h("span", {class: "n"}, ""), h("span", {class: "c"}, marks() ? "" : fmt(r.count)), h("span", {class: "i", "--h": 0}, hex(r.address)),
	h("span", {class: "t"}, "    ", r.text.replace("\t", " ")));

/* Lines by the function that they are of: the function itself, and what was inlined into it. */
function sections(f, i, rows) {
	const v = new Map();
	for (const r of rows) {
		if (r.spot < 0) continue;
		const [file, line, copy, inlined] = f.spots[r.spot];
		const key = file + "\0" + (inlined === undefined ? "" : inlined || "?");
		if (!v.has(key)) v.set(key, {file, inlined, lines: new Map(), insns: 0n});
		const s = v.get(key), l = s.lines.get(line) || {copies: new Map(), insns: 0n, known: false, rows: []};
		if (r.count !== null) {
			const old = l.copies.get(copy) || 0n, n = BigInt(r.count);
			l.known = true;
			l.insns += n;
			s.insns += n;
			l.copies.set(copy, n > old ? n : old);
		}
		l.rows.push(r);
		s.lines.set(line, l);
	}
	for (const s of v.values())
		for (const l of s.lines.values()) {
			const n = [...l.copies.values()].reduce((a, b) => a + b, 0n);
			l.count = l.known ? String(marks() && n ? 1n : n) : null;
			l.insns = String(l.insns);
		}
	return [...v.values()].sort((a, b) => (a.inlined === undefined ? 0 : 1) - (b.inlined === undefined ? 0 : 1) || (a.insns < b.insns ? 1 : -1));
}

async function putSection(box, s, i, max) {
	const data = s.file < 0 ? {text: null} : await source(s.file), text = data.text === null ? [] : data.text.split("\n");
	const numbers = [...s.lines.keys()].sort((a, b) => a - b), own = s.inlined === undefined;
	const state = textState(s.file), rows = [];
	let next = own && s.file === F.file[i] && F.line[i] && F.line[i] <= (numbers.find((n) => n) || 0) ? F.line[i] : 0;
	for (const n of numbers) {
		if (next && n > next && text.length) {
			if (n - next > (own ? 40 : 4)) rows.push(h("div", {class: "row gap"}, h("span", {class: "n"}, "⋯")));
			else for (; next < n; next++) rows.push(sourceRow(next, undefined, text[next - 1] || "", state, max));
		}
		const l = s.lines.get(n);
		const e = sourceRow(n, l, text[n - 1] || "", state, max, {class: "", onclick: () => toggle(e, l), title: "Show its instructions"});
		e.className = "row opens " + (l.known ? (num(l.count) ? "hit " : "miss ") : "") + (num(l.insns) ? "some" : "");
		rows.push(e);
		next = n ? n + 1 : 0;
	}
	const name = own ? null : s.inlined || "inlined code";
	box.append(h("h3", null, name ? h("span", {title: plain(name)}, fitted(name, 90) + ", inlined ") : "", h("span", {class: "muted"}, fileLink(s.file, numbers.find((n) => n)))), ...rows);
}

function toggle(e, l) {
	const open = e.nextSibling && e.nextSibling.classList.contains("asm");
	if (open) while (e.nextSibling && e.nextSibling.classList.contains("asm")) e.nextSibling.remove();
	else e.after(...l.rows.map(asmRow));
}

async function functionSource(box, f, i) {
	const v = sections(f, i, listing(f));
	if (!v.length) {
		box.append(h("p", {class: "loading"}, "There is no debug information of this function: see its disassembly."));
		return;
	}
	const code = h("div", {class: "code", tabindex: "0", role: "region", "aria-label": "Source"}, codeHead("count", "instructions"));
	const max = v.reduce((m, s) => [...s.lines.values()].reduce((k, l) => Math.max(k, num(l.insns)), m), 0);
	for (const s of v) await putSection(code, s, i, max);
	box.append(code);
}

/* The text of an instruction, with links to where it leads. */
function instruction(f, r, calls) {
	const call = calls.get(r.address), space = r.text.indexOf(" ");
	const op = space < 0 ? r.text : r.text.slice(0, space), rest = space < 0 ? "" : r.text.slice(space + 1);
	if (call && typeof call[0] === "number") return [op.padEnd(7) + " ", funcLink(call[0])];
	if (call && typeof call[0] === "string") return [op.padEnd(7) + " ", h("span", {class: "k"}, call[0]), "  ", h("span", {class: "muted"}, rest)];
	if (rest.startsWith(f.symbol + "+0x")) {
		const to = f.blocks.findIndex((b) => b[0] === parseInt(rest.slice(f.symbol.length + 3), 16));
		if (to >= 0) return [op.padEnd(7) + " ", h("a", {href: "#", onclick: (e) => (e.preventDefault(), goBlock(to))}, "block " + to)];
	}
	return [op.padEnd(7) + " " + rest];
}

function goBlock(n) {
	const e = $("b" + n);
	document.querySelectorAll(".block.here").forEach((x) => x.classList.remove("here"));
	e.classList.add("here");
	e.scrollIntoView({block: "center"});
}

/* A lane for each edge beside the blocks: short ones next to them, none through another. */
function lanes(edges) {
	const MOST = 14, ends = Array.from({length: MOST}, () => []);
	const v = [...edges].sort((a, b) => Math.abs(a.y1 - a.y2) - Math.abs(b.y1 - b.y2));
	for (const e of v) {
		const low = Math.min(e.y1, e.y2), high = Math.max(e.y1, e.y2);
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
		if (!from || !to || to === from + 1 && fall) return;
		edges.push({id, from: from - 1, to: to - 1, count, y1: bottoms[from - 1] - 9, y2: tops[to - 1] + (from === to ? 8 : 13)});
	});
	const n = lanes(edges), x = 16 + n * 8, max = edges.reduce((m, e) => Math.max(m, num(e.count)), 0);
	const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
	svg.setAttribute("aria-hidden", "true");
	svg.setAttribute("width", x + 8);
	svg.setAttribute("height", bottoms[bottoms.length - 1] || 0);
	for (const e of edges) {
		const p = document.createElementNS("http://www.w3.org/2000/svg", "path"), lane = x - 6 - (e.lane + 1) * 8;
		const r = e.y2 > e.y1 ? 4 : -4;
		p.setAttribute("d", `M${x + 6},${e.y1} H${lane + 4} Q${lane},${e.y1} ${lane},${e.y1 + r} V${e.y2 - r} Q${lane},${e.y2} ${lane + 4},${e.y2} H${x + 5} m-5,-3.5 l5,3.5 l-5,3.5`);
		p.setAttribute("class", num(e.count) ? "run" : e.count === null ? "" : "never");
		p.setAttribute("stroke-width", (1 + 2 * heat(num(e.count), max)).toFixed(2));
		p.dataset.from = e.from;
		p.dataset.to = e.to;
		svg.append(p);
	}
	return {svg, width: x + 8};
}

function blockWays(f) {
	const out = f.blocks.map(() => []), into = f.blocks.map(() => []);
	for (const [from, to, count, fall] of f.edges) {
		if (from) out[from - 1].push([to, count, fall]);
		if (to) into[to - 1].push([from, count, fall]);
	}
	return {out, into};
}

const way = (arrow, [n, count, fall]) => h("span", null, arrow + " ", n ? h("a", {href: "#", onclick: (e) => (e.preventDefault(), goBlock(n - 1))}, "block " + (n - 1)) : "outside",
	fall && arrow === "→" ? " falls through" : "", marks() ? "" : " " + fmt(count));

/* The lines of the files that most code is of. */
async function textsOf(f) {
	const files = [...new Set(f.spots.map((s) => s[0]))].filter((x) => x >= 0).slice(0, 16), texts = new Map();
	for (const x of files) texts.set(x, ((await source(x)).text || "").split("\n"));
	return texts;
}

async function disassembly(box, f, i) {
	const texts = await textsOf(f), lineText = (s) => ((texts.get(s[0]) || [])[s[1] - 1] || "").trim();
	const rows = listing(f), calls = new Map(f.callees.map((c) => [Number(c[1]), c])), max = f.blocks.reduce((m, b) => Math.max(m, num(b[2])), 0);
	const {out, into} = blockWays(f), tops = [], bottoms = [], list = [];
	let y = 8, k = 0;
	f.blocks.forEach((b, n) => {
		const e = h("div", {class: "block" + (b[2] !== null && !num(b[2]) ? " never" : ""), id: "b" + n, "data-block": n},
			h("div", {class: "head", "--h": heat(num(b[2]), max)}, h("b", null, marks() ? (b[2] === null ? "–" : num(b[2]) ? "executed" : "not executed") : fmt(b[2])),
				h("span", null, "block " + n), h("span", null, "+0x" + b[0].toString(16)), h("span", null, plural(b[3], "instruction")),
				b[5] & 1 ? h("span", {class: "pill"}, "entered from outside") : null));
		let height = 26 + 2;
		if (into[n].length > 0 && !(into[n].length === 1 && into[n][0][2])) {
			e.append(h("div", {class: "ways"}, into[n].slice(0, 8).map((w) => way("←", w)), into[n].length > 8 ? `and ${into[n].length - 8} more` : ""));
			height += 20;
		}
		for (let j = 0; j < b[4]; j++, k++, height += 20) {
			const r = rows[k], s = r.spot >= 0 ? f.spots[r.spot] : null, old = j && rows[k - 1].spot === r.spot;
			e.append(h("div", null, h("span", {class: "a"}, hex(r.address)), h("span", {class: "t"}, instruction(f, r, calls)),
				s && s[0] >= 0 && !old ? [h("span", {class: "src", title: plain(lineText(s))}, lineText(s)), h("span", {class: "s"}, fileLink(s[0], s[1]))] : null));
		}
		if (out[n].length > 0 && !(out[n].length === 1 && out[n][0][2])) {
			e.append(h("div", {class: "ways"}, out[n].slice(0, 8).map((w) => way("→", w)), out[n].length > 8 ? `and ${out[n].length - 8} more` : ""));
			height += 20;
		}
		e.style.containIntrinsicSize = `auto ${height - 2}px`;
		tops.push(y);
		bottoms.push(y + height);
		y += height + 10;
		list.push(e);
	});
	if (!list.length) {
		box.append(h("p", {class: "loading"}, f.opaque ? `ldx did not take this function apart: ${f.opaque}.` : "There are no blocks."));
		return;
	}
	const {svg, width} = arcs(f, tops, bottoms), all = h("div", {class: "blocks", tabindex: "0", role: "region", "aria-label": "Disassembly"}, svg, list);
	for (const e of list) e.style.marginLeft = width + "px";
	const light = (e) => {
		const b = e.target.closest(".block"), n = b && b.dataset.block;
		svg.querySelectorAll("path").forEach((p) => p.classList.toggle("lit", p.dataset.from === n || p.dataset.to === n));
	};
	all.onmouseover = light;
	box.append(all);
}

function facts(i, f) {
	const fact = (name, value, key) => h("span", {"data-fact": key}, name + " ", h("b", null, value));
	return h("p", {class: "facts"},
		hasInsns() && fact("instructions", fmt(F.insns[i]), "insns"), hasInsns() && fact("share", percent(num(F.insns[i]), num(total))),
		hasInsns() && fact("with callees ~", fmt(F.inclusive[i])), !marks() && fact("calls", fmt(F.calls[i]), "calls"),
		F.blocks[i] > 0 && fact("blocks executed", `${F.covered[i]} of ${F.blocks[i]}`, "blocks"), !F.blocks[i] && fact("executed", run(i)),
		fact("bytes", fmt(F.size[i])), fact("address", hex(f.address)),
		f.symbol !== F.name[i] && h("span", null, "symbol ", h("b", {class: "mono"}, f.symbol)),
		f.opaque ? h("span", {class: "pill warn"}, "opaque: " + f.opaque) : null);
}

async function functionView(main, args, path) {
	const i = Number(path[1]);
	if (!(i >= 0 && i < F.name.length)) return notFound(main);
	const f = await fn(i);
	let kind = path[2] || (F.line[i] && f.at.some((s) => s >= 0) ? "source" : "asm");
	const box = h("div", {id: "code"}), head = h("header", null);
	const pick = () => choice("What is shown", {source: "Source", asm: "Disassembly"}, kind, choose);
	async function choose(k) {
		kind = k;
		head.replaceChildren(pick(), h("span", {class: "muted"}, k === "source" ? "a click on a line shows its instructions" : "blocks in the order of the code, with the ways between them"));
		box.replaceChildren();
		history.replaceState(null, "", `#f/${i}/${k}`);
		if (k === "source") await functionSource(box, f, i);
		else await disassembly(box, f, i);
	}
	main.append(h("p", {class: "crumbs"}, base(D.objects[F.object[i]]), f.member ? " › " + f.member : "", " › ", fileLink(F.file[i], F.line[i])),
		h("h1", {class: "mono", id: "title"}, F.name[i]), facts(i, f),
		h("div", {class: "grid"}, callCard("Callers", f.callers, "callers", (list) => otherCalls(i, list)), callCard("Callees", f.callees, "callees")),
		h("section", {class: "card", style: {marginTop: "16px"}}, head, box));
	main.choose = choose;
	await choose(kind);
	document.title = `${shortName(F.name[i])} - ${base(D.objects[0])}`;
}

/* A file ----------------------------------------------------------------- */

function fileLines(s) {
	const lines = new Map(), line = (n) => {
		if (!lines.has(n)) lines.set(n, {count: null, insns: 0});
		return lines.get(n);
	};
	for (let k = 0; k < s.counts.length; k += 2) line(s.counts[k]).count = s.counts[k + 1];
	for (let k = 0; k < s.lines.length; k += 3) line(s.lines[k]).insns = s.lines[k + 1];
	for (let k = 0; k < s.branches.length; k += 3) {
		if (s.branches[k + 1] < s.branches[k + 2]) line(s.branches[k]).part = `${s.branches[k + 1]} of ${s.branches[k + 2]} branches taken`;
	}
	return lines;
}

async function fileView(main, args, path) {
	const i = Number(path[1]), at = Number(path[2]);
	if (!(i >= 0 && i < D.files.path.length)) return notFound(main);
	const s = await source(i), c = D.files.cover[i], lines = fileLines(s);
	const inside = (ofFile.get(i) || []).slice().sort((a, b) => num(F.insns[b]) - num(F.insns[a]) || a - b);
	const max = [...lines.values()].reduce((m, l) => Math.max(m, num(l.insns)), 0), state = textState(i);
	const text = s.text === null ? null : s.text.split("\n"), code = h("div", {class: "code", tabindex: "0", role: "region", "aria-label": "Source"}, codeHead("count", "instructions"));
	if (text && text[text.length - 1] === "") text.pop();
	const numbers = text ? text.map((_, k) => k + 1) : [...lines.keys()].sort((a, b) => a - b);
	code.append(...numbers.map((n) => sourceRow(n, lines.get(n), text ? text[n - 1] : "", state, max)));
	const cover = (name, hit, found, key) => (found ? h("span", {"data-fact": key}, name + " ", h("b", null, `${fmt(hit)} of ${fmt(found)}`), ` (${tenths(hit, found)})`) : null);
	main.append(h("p", {class: "crumbs"}, D.files.path[i].slice(0, D.files.path[i].lastIndexOf("/") + 1) || "source"), h("h1", {class: "mono", id: "title"}, base(D.files.path[i])),
		h("p", {class: "facts"}, cover("lines executed", c[0], c[1], "lines"), cover("branches", c[2], c[3], "branches"), cover("functions", c[4], c[5], "functions")),
		inside.length ? h("section", {class: "card", style: {marginTop: "16px"}}, h("header", null, h("h2", null, plural(inside.length, "function") + " declared here")),
			h("div", {class: "calls"}, h("table", {class: "bars"}, h("tbody", null, inside.slice(0, 400).map((k) => h("tr", null, h("td", null, funcLink(k)),
				h("td", {class: "num wide"}, F.line[k] ? h("a", {href: `#s/${i}/${F.line[k]}`}, "line " + F.line[k]) : ""),
				h("td", {class: "num"}, hasInsns() ? fmt(F.insns[k]) : run(k)))))))) : "",
		h("section", {class: "card", style: {marginTop: "16px"}}, h("header", null, h("h2", null, "Source"),
			h("span", {class: "muted"}, text ? "" : lines.size ? "its text was not found where the compiler read it" : "no code of it is known by line")), lines.size || text ? code : ""));
	document.title = `${base(D.files.path[i])} - ${base(D.objects[0])}`;
	const row = at && code.querySelector(`[data-line="${at}"]`);
	if (row) {
		row.classList.add("here");
		row.scrollIntoView({block: "center"});
	}
}

/* Coverage --------------------------------------------------------------- */

function addSums(a, b) {
	b.forEach((x, k) => (a[k] += x));
}

/* Folders of files that have code; one that has only a folder is one with it. */
function folders() {
	const root = {name: "", path: "", dirs: new Map(), files: [], sum: [0, 0, 0, 0, 0, 0]};
	D.files.path.forEach((path, i) => {
		const c = D.files.cover[i], parts = path.split("/");
		if (!c.some(Boolean)) return;
		let d = root;
		addSums(d.sum, c);
		parts.slice(0, -1).forEach((p, k) => {
			if (!d.dirs.has(p)) d.dirs.set(p, {name: p, path: parts.slice(0, k + 1).join("/"), dirs: new Map(), files: [], sum: [0, 0, 0, 0, 0, 0]});
			d = d.dirs.get(p);
			addSums(d.sum, c);
		});
		d.files.push(i);
	});
	const squeeze = (d) => {
		while (d.dirs.size === 1 && !d.files.length && d !== root) {
			const [only] = d.dirs.values();
			Object.assign(d, only, {name: d.name + "/" + only.name});
		}
		d.dirs.forEach(squeeze);
	};
	squeeze(root);
	return root;
}

function coverage(main, args) {
	const root = folders(), body = h("tbody"), match = {test: matcher("")}, open = new Set();
	const cells = (c) => [0, 2, 4].map((k) => h("td", {class: "num" + (k ? " wide" : "")}, c[k + 1] ? h("span", {class: "share", title: `${tenths(c[k], c[k + 1])}`},
		bar(c[k], c[k + 1], "cover"), `${fmt(c[k])}/${fmt(c[k + 1])}`) : "–")).concat(h("td", {class: "num"}, tenths(c[0], c[1])));
	let q = "";
	const fileRow = (i, depth) => h("tr", {"data-file": i}, h("td", {style: {paddingLeft: 32 + depth * 18 + "px"}}, h("a", {class: "path", href: "#s/" + i}, base(D.files.path[i]))), cells(D.files.cover[i]));
	function rows(d, depth, list) {
		for (const x of [...d.dirs.values()].sort((a, b) => (a.name < b.name ? -1 : 1))) {
			const shown = open.has(x.path);
			const name = x.name;
			list.push(h("tr", {"data-folder": x.path}, h("td", {style: {paddingLeft: 12 + depth * 18 + "px"}}, h("button", {class: "fold", "aria-expanded": String(shown),
				"aria-label": "folder " + name, onclick: () => (shown ? open.delete(x.path) : open.add(x.path), draw(), body.querySelector(`[data-folder="${CSS.escape(x.path)}"] button`).focus())},
			shown ? "▾" : "▸"), h("span", {class: "path"}, name.replace(/\/?$/, "/"))), cells(x.sum)));
			if (shown) rows(x, depth + 1, list);
		}
		for (const i of d.files.slice().sort((a, b) => (base(D.files.path[a]) < base(D.files.path[b]) ? -1 : 1))) list.push(fileRow(i, depth));
	}
	function draw() {
		const list = [];
		if (q) D.files.path.forEach((p, i) => D.files.cover[i].some(Boolean) && match.test(p) && list.push(fileRow(i, 0)));
		else rows(root, 0, list);
		body.replaceChildren(...list.slice(0, 3000));
	}
	/* Open while there is little to see. */
	const grow = (d, budget) => {
		for (const x of d.dirs.values()) if (x.dirs.size + x.files.length <= budget) open.add(x.path), grow(x, budget - x.dirs.size - x.files.length);
	};
	grow(root, 40);
	const input = h("input", {type: "search", placeholder: "Part of a path", "aria-label": "Files to show", spellcheck: "false"});
	input.oninput = () => (q = input.value, match.test = matcher(q), draw());
	main.append(h("section", {class: "card"}, h("div", {class: "tools"}, h("h1", null, "Coverage"), input,
		h("span", {class: "muted"}, D.coverLines ? `${fmt(D.cover[0])} of ${fmt(D.cover[1])} lines` : "no lines are known: compile with -g", D.noSource ? `; ${plural(D.noSource, "function")} without debug information` : "")),
	h("div", {style: {overflowX: "auto"}}, h("table", null, h("thead", null, h("tr", null, h("th", null, "Folder or file"), h("th", {class: "num"}, "Lines"),
		h("th", {class: "num wide"}, "Branches"), h("th", {class: "num wide"}, "Functions"), h("th", {class: "num"}, "Share"))), body))));
	draw();
}

/* Comparison ------------------------------------------------------------- */

const signed = (c) => {
	const d = BigInt(c[5] || 0) - BigInt(c[4] || 0);
	return (d > 0n ? "+" : d < 0n ? "−" : "") + fmt(d < 0n ? -d : d);
};
const difference = (c) => num(c[5]) - num(c[4]);
const change = (c) => (c[4] === null ? "new" : c[5] === null ? "gone" : !difference(c) ? "" : (difference(c) > 0 ? "+" : "−") + Math.abs((100 * difference(c)) / num(c[4])).toFixed(2) + "%");
const ratio = (c) => (c[4] === null ? Infinity : difference(c) / num(c[4]));

function compare(main, args) {
	if (!D.old) return notFound(main);
	const ids = new Map(F.name.map((n, i) => [n, i]));
	let v = D.old.functions, kind = "functions", q = "", equal = false;
	const way = (c) => (difference(c) > 0 ? "up" : difference(c) < 0 ? "down" : "");
	const name = (c) => h("span", {title: plain(c[0])}, ids.has(c[0]) ? funcLink(ids.get(c[0])) : h("span", {class: "name"}, c[0]), c[3] ? h("span", {class: "muted"}, ` (${c[3]})`) : null);
	const where = (c) => (c[1] ? h("span", {class: "path", title: plain(c[1])}, base(c[1]) + (c[2] ? ":" + c[2] : "")) :
		ids.has(c[0]) ? fileLink(F.file[ids.get(c[0])], F.line[ids.get(c[0])]) : "–");
	const columns = [
		{key: "name", name: "Function", value: (k) => v[k][0].toLowerCase(), cell: (k) => name(v[k])},
		{key: "place", name: "File", width: "190px", wide: true, value: (k) => base(v[k][1]), cell: (k) => where(v[k])},
		{key: "old", name: "Old", num: true, width: "140px", wide: true, value: (k) => num(v[k][4]), cell: (k) => fmt(v[k][4])},
		{key: "new", name: "New", num: true, width: "140px", wide: true, value: (k) => num(v[k][5]), cell: (k) => fmt(v[k][5])},
		{key: "difference", name: "Difference", num: true, width: "150px", value: (k) => Math.abs(difference(v[k])), cell: (k) => h("span", {class: way(v[k])}, signed(v[k]))},
		{key: "change", name: "Change", num: true, width: "100px", value: (k) => ratio(v[k]), cell: (k) => h("span", {class: way(v[k])}, change(v[k]))},
	];
	const t = table({label: "Changes", columns, sort: columns[4], down: true, open: null, empty: "Nothing has changed."});
	const count = h("span", {class: "muted", role: "status"}), input = h("input", {type: "search", placeholder: "Name or file", "aria-label": "Changes to show", spellcheck: "false"});
	const same = h("input", {type: "checkbox"}), pickBox = h("span");
	const sum = (k) => D.old.functions.reduce((s, c) => s + BigInt(c[k] || 0), 0n);
	const sums = [null, null, null, null, sum(4).toString(), sum(5).toString()];
	const show = () => {
		const match = matcher(q);
		v = D.old[kind];
		const list = v.map((_, k) => k).filter((k) => (equal || difference(v[k]) || v[k][4] === null || v[k][5] === null) && match(v[k][0], v[k][1]));
		count.textContent = plural(list.length, "row");
		pickBox.replaceChildren(D.old.lines.length ? choice("What is compared", {functions: "Functions", lines: "Lines"}, kind, (k) => (kind = k, show())) : "");
		t.show(list);
	};
	input.oninput = () => (q = input.value, show());
	same.onchange = () => (equal = same.checked, show());
	main.append(h("div", {class: "tiles"}, tile(fmt(sums[4]), `${D.old.figure}, old: ${D.old.path}`), tile(fmt(sums[5]), `${D.old.figure}, new: ${D.objects[0]}`, null, "new-total"),
		tile(h("span", {class: way(sums)}, signed(sums)), "difference" + (difference(sums) ? ", " + change(sums) : ""), null, "difference")),
	h("section", {class: "card", style: {marginTop: "16px"}}, h("div", {class: "tools"}, h("h1", null, "Comparison"), pickBox, input, h("label", null, same, "also what is equal"), count), t));
	show();
}

/* Getting around --------------------------------------------------------- */

const VIEWS = {overview, functions, coverage, compare, f: functionView, s: fileView};
const TABS = {overview: "Overview", functions: "Functions", coverage: "Coverage", compare: "Compare"};

function notFound(main) {
	main.append(h("p", {class: "loading"}, "There is no such thing in this profile."));
}

let turn = 0;
async function show() {
	const asked = location.hash, [where, query] = (asked.slice(1) || "overview").split("?"), path = where.split("/"), mine = ++turn;
	const view = VIEWS[path[0]] || notFound, main = h("main", {id: "main", tabindex: "-1"});
	listeners.forEach((f) => f());
	listeners = [];
	hideTip();
	document.querySelectorAll("#tabs a").forEach((a) => {
		const here = a.hash === "#" + path[0] || (path[0] === "f" && a.hash === "#functions") || (path[0] === "s" && a.hash === "#coverage");
		if (here) a.setAttribute("aria-current", "page");
		else a.removeAttribute("aria-current");
	});
	document.title = `${base(D.objects[0])} - ldx profile`;
	$("main").replaceWith(main);
	scrollTo(0, 0);
	await view(main, new URLSearchParams(query || ""), path);
	if (mine === turn) document.body.dataset.shown = asked;
}

function hideTip() {
	$("tip").hidden = true;
}

function tips() {
	document.addEventListener("mousemove", (e) => {
		const t = e.target.closest && e.target.closest("[data-tip]"), tip = $("tip");
		if (!t) return hideTip();
		tip.hidden = false;
		tip.textContent = plain(t.dataset.tip).replaceAll("\\u000a", "\n");
		tip.style.left = Math.max(8, Math.min(e.clientX + 14, innerWidth - tip.offsetWidth - 12)) + "px";
		tip.style.top = (e.clientY + 18 + tip.offsetHeight > innerHeight ? e.clientY - tip.offsetHeight - 12 : e.clientY + 18) + "px";
	});
}

/* The system's choice until one is made here, which is remembered where a browser allows it. */
function theme() {
	const dark = matchMedia("(prefers-color-scheme: dark)");
	let own = null;
	try {
		own = localStorage.getItem("ldx-theme");
	} catch (e) {
		own = null;
	}
	const set = () => (document.documentElement.dataset.theme = own || (dark.matches ? "dark" : "light"));
	const turnOver = () => {
		own = document.documentElement.dataset.theme === "dark" ? "light" : "dark";
		try {
			localStorage.setItem("ldx-theme", own);
		} catch (e) {
			/* then for this time only */
		}
		set();
	};
	dark.addEventListener("change", set);
	$("theme").onclick = turnOver;
	set();
	return turnOver;
}

function search() {
	const box = $("search");
	box.oninput = () => {
		const main = $("main");
		if (main.search) main.search(box.value);
		else location.hash = "functions?" + new URLSearchParams({q: box.value, all: "1"});
	};
	box.onkeydown = (e) => {
		if (e.key === "Escape") box.blur();
		if ((e.key === "ArrowDown" || e.key === "Enter") && $("main").down) e.preventDefault(), $("main").down();
	};
}

function keyboard(turnOver) {
	document.addEventListener("keydown", (e) => {
		const typing = e.target.matches("input:not([type=checkbox])"), tabs = [...document.querySelectorAll("#tabs a")], main = $("main");
		if (typing && e.key === "Escape") return e.target.blur();
		if (typing || e.ctrlKey || e.metaKey || e.altKey || $("keys").open) return;
		if (e.key === "/") $("search").focus(), $("search").select();
		else if (e.key === "t") turnOver();
		else if (e.key === "?") $("keys").showModal();
		else if (tabs[e.key - 1]) tabs[e.key - 1].click();
		else if (e.key === "s" && main.choose) main.choose("source");
		else if (e.key === "d" && main.choose) main.choose("asm");
		else if ((e.key === "ArrowDown" || e.key === "j") && main.down && document.activeElement === document.body) main.down();
		else return;
		e.preventDefault();
	});
}

async function start() {
	const turnOver = theme();
	if (!window.DecompressionStream) {
		$("main").replaceChildren(h("p", {class: "loading"}, "This browser is too old for this page: it has no DecompressionStream."));
		return;
	}
	[D] = await chunk(INDEX_CHUNK);
	prepare();
	$("program").textContent = plain(base(D.objects[0]));
	$("program").parentNode.title = plain(D.objects[0]) + "\nbuild " + D.build + ", " + D.generator;
	$("tabs").append(...Object.entries(TABS).filter(([k]) => k !== "compare" || D.old).map(([k, name]) => h("a", {href: "#" + k}, name)));
	$("help").onclick = () => $("keys").showModal();
	search();
	keyboard(turnOver);
	tips();
	addEventListener("hashchange", show);
	await show();
}

start();
