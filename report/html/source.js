/* SPDX-License-Identifier: Apache-2.0 */
/*
 * source.js - the source of a function, and the rendering of source text
 */
const words = (s) => new Set(s.split(" "));
const WORDS = {
	c: words(
		"alignas alignof auto bool break case catch char class concept const constexpr continue decltype default delete do double else enum explicit " +
			"extern false final float for friend goto if inline int int8_t int16_t int32_t int64_t long mutable namespace new noexcept nullptr operator override " +
			"private protected public register requires restrict return short signed size_t sizeof static static_assert static_cast struct switch template this " +
			"throw true try typedef typeid typename uint8_t uint16_t uint32_t uint64_t union unsigned using virtual void volatile wchar_t while",
	),
	rs: words(
		"as async await bool break char const continue crate dyn else enum extern f32 f64 false fn for i8 i16 i32 i64 if impl in isize let loop match " +
			"mod move mut pub ref return self static str struct super trait true type u8 u16 u32 u64 unsafe use usize where while",
	),
	go: words(
		"bool break byte case chan const continue default defer else error false float64 for func go goto if import int interface map nil package " +
			"range return rune select string struct switch true type uint var",
	),
};

const textState = (file) => ({comment: false, language: fileName(file).split(".").pop()});

/* Syntax colours of a line; state.comment: the line begins in a comment. */
function colour(line, state) {
	const known = WORDS[state.language] || WORDS.c,
		out = [],
		re =
			/\/\/.*|\/\*.*?(?:\*\/|$)|"(?:[^"\\]|\\.)*"?|'(?:[^'\\]|\\.){1,4}'|^\s*#\s*\w+|\b\d[\w.']*|\b[A-Za-z_]\w*/g;
	let at = 0,
		m;
	if (state.comment) {
		const end = line.indexOf("*/");
		at = end < 0 ? line.length : end + 2;
		state.comment = end < 0;
		out.push(h("span", {class: "r"}, line.slice(0, at)));
		re.lastIndex = at;
	}
	while (at < line.length && (m = re.exec(line))) {
		const w = m[0],
			c =
				w.startsWith("//") || w.startsWith("/*")
					? "r"
					: /^["']/.test(w)
						? "q"
						: /^\s*#/.test(w) || known.has(w)
							? "k"
							: /^\d/.test(w)
								? "d"
								: "";
		if (w.startsWith("/*") && !(w.length > 3 && w.endsWith("*/"))) state.comment = true;
		if (!c) continue;
		out.push(plain(line.slice(at, m.index)), h("span", {class: c}, w));
		at = m.index + w.length;
	}
	out.push(plain(line.slice(at)));
	return out;
}

const codeHead = (count, insns) =>
	h(
		"div",
		{class: "row heads"},
		h("span", {class: "n"}, "line"),
		h("span", {class: "c"}, marks() ? "executed" : count),
		h("span", {class: "i"}, hasInsns() ? insns : ""),
		h("span", {class: "t"}, ""),
	);

/* l: {count, insns, known}; undefined: a line without code. */
function sourceRow(number, l, text, state, max, more) {
	const known = l && l.count !== null,
		hit = known && num(l.count) > 0;
	return h(
		"div",
		{
			class:
				"row " +
				(l ? "has " : "") +
				(known ? (hit ? (l.part ? "part " : "hit ") : "miss ") : "") +
				(l && num(l.insns) ? "some " : ""),
			"data-line": number,
			"--h": l ? heat(num(l.insns), max) : 0,
			...more,
		},
		h("span", {class: "n"}, number || "?"),
		h(
			"span",
			{class: "c", title: l && l.part ? l.part : undefined},
			!l ? "" : marks() ? (known ? (hit ? "yes" : "no") : "–") : fmt(l.count),
		),
		h("span", {class: "i"}, l && hasInsns() ? (num(l.insns) ? fmt(l.insns) : "") : ""),
		h(
			"span",
			{class: "t"},
			number ? colour(text, state) : h("span", {class: "r"}, "the compiler's own code"),
		),
	);
}

const asmRow = (r) =>
	h(
		"div",
		{class: "row asm"},
		h("span", {class: "n"}, ""),
		h("span", {class: "c"}, marks() ? "" : fmt(r.count)),
		h("span", {class: "i", "--h": 0}, hex(r.address)),
		h("span", {class: "t"}, "    ", r.text.replace("\t", " ")),
	);

/* Lines by function: the function itself, and those inlined into it. */
function sections(f, i, rows) {
	const v = new Map();
	for (const r of rows) {
		if (r.spot < 0) continue;
		const [file, line, copy, inlined] = f.spots[r.spot];
		const key = file + "\0" + (inlined === undefined ? "" : inlined || "?");
		if (!v.has(key)) v.set(key, {file, inlined, lines: new Map(), insns: 0n});
		const s = v.get(key),
			l = s.lines.get(line) || {copies: new Map(), insns: 0n, known: false, rows: []};
		if (r.count !== null) {
			const old = l.copies.get(copy) || 0n,
				n = BigInt(r.count);
			l.known = true;
			l.insns += marks() ? 0n : n;
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
	return [...v.values()].sort(
		(a, b) =>
			(a.inlined === undefined ? 0 : 1) - (b.inlined === undefined ? 0 : 1) ||
			(a.insns < b.insns ? 1 : -1),
	);
}

async function putSection(box, s, i, max) {
	const data = s.file < 0 ? {text: null} : await source(s.file),
		text = data.text === null ? [] : data.text.split("\n");
	const numbers = [...s.lines.keys()].sort((a, b) => a - b),
		own = s.inlined === undefined;
	const state = textState(s.file),
		rows = [];
	let next =
		own && s.file === F.file[i] && F.line[i] && F.line[i] <= (numbers.find((n) => n) || 0)
			? F.line[i]
			: 0;
	for (const n of numbers) {
		if (next && n > next && text.length) {
			if (n - next > (own ? 40 : 4))
				rows.push(h("div", {class: "row gap"}, h("span", {class: "n"}, "⋯")));
			else
				for (; next < n; next++)
					rows.push(sourceRow(next, undefined, text[next - 1] || "", state, max));
		}
		const l = s.lines.get(n);
		const e = sourceRow(n, l, text[n - 1] || "", state, max, {
			class: "",
			onclick: () => toggle(e, l),
			title: "Show its instructions",
		});
		e.className =
			"row opens " + (l.known ? (num(l.count) ? "hit " : "miss ") : "") + (num(l.insns) ? "some" : "");
		rows.push(e);
		next = n ? n + 1 : 0;
	}
	const name = own ? null : s.inlined || "inlined code";
	box.append(
		h(
			"h3",
			null,
			name ? h("span", {title: plain(name)}, fitted(name, 90) + ", inlined ") : "",
			h(
				"span",
				{class: "muted"},
				fileLink(
					s.file,
					numbers.find((n) => n),
				),
			),
		),
		...rows,
	);
}

function toggle(e, l) {
	const open = e.nextSibling && e.nextSibling.classList.contains("asm");
	if (open) while (e.nextSibling && e.nextSibling.classList.contains("asm")) e.nextSibling.remove();
	else e.after(...l.rows.map(asmRow));
}

async function functionSource(box, f, i) {
	const v = sections(f, i, listing(f));
	if (!v.length) {
		box.append(
			h(
				"p",
				{class: "loading"},
				"There is no debug information of this function: see its disassembly.",
			),
		);
		return;
	}
	const code = h(
		"div",
		{class: "code", tabindex: "0", role: "region", "aria-label": "Source"},
		codeHead("count", "instructions"),
	);
	const max = v.reduce((m, s) => [...s.lines.values()].reduce((k, l) => Math.max(k, num(l.insns)), m), 0);
	for (const s of v) await putSection(code, s, i, max);
	box.append(code);
}
