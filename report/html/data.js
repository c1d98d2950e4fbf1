/* SPDX-License-Identifier: Apache-2.0 */
/*
 * data.js - the profile, and functions that all views use
 *
 * The index, which is read first, is one chunk of JSON; functions and files are in other chunks,
 * which are unpacked when they are shown.
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

/* Characters that would change how other text is shown are printed by their number. */
const plain = (s) =>
	String(s).replace(
		/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g,
		(c) => "\\u" + c.charCodeAt(0).toString(16).padStart(4, "0"),
	);

/* Makes an element; names that are no properties of it (with a dash, lower case) become attributes. */
function h(tag, props, ...children) {
	const e = document.createElement(tag);
	for (const [key, value] of Object.entries(props || {})) {
		if (value === undefined || value === null || value === false) continue;
		if (key.startsWith("on")) e.addEventListener(key.slice(2), value);
		else if (key.startsWith("--")) e.style.setProperty(key, value);
		else if (key === "style") Object.assign(e.style, value);
		else e.setAttribute(key, value === true ? "" : value);
	}
	for (const c of children.flat())
		if (c !== null && c !== undefined && c !== false) e.append(c.nodeType ? c : plain(c));
	return e;
}

function bar(x, of, kind) {
	const i = h("i");
	i.style.width = Math.min(100, Math.max(x ? 1 : 0, part(x, of))) + "%";
	return h("span", {class: "bar " + (kind || ""), "aria-hidden": "true"}, i);
}

/* Heat from 0 to 1: the cube of a logarithmic scale. */
const heat = (x, max) =>
	(x > 0 && max > 0 ? Math.max(0.04, Math.pow(Math.log1p(x) / Math.log1p(max), 3)) : 0).toFixed(3);

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

/* An item, by its number among those from chunk first on. */
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

/* Shortens a long name: drops template arguments, parameters, return type, scopes; never its last part. */
function fitted(name, long = 46) {
	let s = name.replace(/\[abi:[^\]]*\]/g, "");
	if (s.length <= long) return s;
	const depth = (text) =>
		[...text].reduce(
			([d, m], c) => ((d += c === "<" ? 1 : c === ">" ? -1 : 0), [d, Math.max(d, m)]),
			[0, 0],
		)[1];
	s = s.replace(
		/operator(<<=|>>=|<=>|->|<<|>>|<=|>=|<|>)/g,
		(all, op) => "operator" + op.replace(/</g, "\u0001").replace(/>/g, "\u0002"),
	);
	for (let d = depth(s); d > 0 && s.length > long; d--) {
		let at = 0,
			out = "";
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
	for (
		let at;
		s.length > long &&
		(at = s.indexOf("::", s.startsWith("…::") ? 3 : 0)) > 0 &&
		!s.slice(0, at).includes("(");
	)
		s = "…" + s.slice(at);
	return s;
}

const objectNote = (i) => (F.object[i] ? ` (${base(D.objects[F.object[i]])})` : "");
const place = (file, line) => (file < 0 ? "–" : base(fileName(file)) + (line ? ":" + line : ""));
const funcLink = (i, more) =>
	h(
		"a",
		{class: "name", href: "#f/" + i, title: plain(F.name[i]), ...more},
		fitted(F.name[i]),
		objectNote(i),
	);
const fileLink = (file, line) =>
	file < 0
		? "–"
		: h(
				"a",
				{href: `#s/${file}${line ? "/" + line : ""}`, class: "path", title: plain(fileName(file))},
				place(file, line),
			);
const run = (i) => (F.run[i] ? "yes" : "no");
