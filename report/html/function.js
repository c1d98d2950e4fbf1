/* SPDX-License-Identifier: Apache-2.0 */
/*
 * function.js - a function: its figures, callers and callees, source and disassembly
 */
/* Joins calls of the same function into one row. */
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
	return [...by.values()].sort((a, b) =>
		a.count < b.count ? 1 : a.count > b.count ? -1 : b.insns - a.insns,
	);
}

function callRow(c, most) {
	const who =
		typeof c.who === "number"
			? funcLink(c.who)
			: c.who === null || c.words
				? h("span", {class: "muted"}, c.who || "by an address")
				: h("span", {class: "name"}, c.who);
	const kind = [
		c.kind === 1 && typeof c.who !== "number" && "outside",
		c.tail && "by a jump",
		c.sites > 1 && `${c.sites} places`,
	]
		.filter(Boolean)
		.join(", ");
	const count = !c.known ? "–" : marks() ? (c.count ? "yes" : "no") : fmt(c.count);
	return h(
		"tr",
		{"data-callee": typeof c.who === "number" ? c.who : ""},
		h(
			"td",
			{
				title: c.words
					? "calls that no direct call explains: through a pointer, or from code that is not counted"
					: undefined,
			},
			who,
			kind ? h("span", {class: "muted"}, "  " + kind) : null,
		),
		h(
			"td",
			{class: "num wide", title: "instructions, an estimate"},
			c.insns ? "~" + fmt(Math.round(c.insns)) : "",
		),
		h("td", {class: "num", "data-key": "count"}, count),
		h("td", {class: "wide"}, marks() ? null : bar(Number(c.count), most, "heat")),
	);
}

/* The calls of function i that are not in the list of direct calls. */
function otherCalls(i, list) {
	if (marks() || F.calls[i] === null || list.some((c) => !c.known)) return [];
	const rest = list.reduce((n, c) => n - c.count, BigInt(F.calls[i]));
	return rest > 0n
		? [
				{
					who: "by its address, or from outside",
					words: true,
					count: rest,
					known: true,
					insns: 0,
					sites: 1,
				},
			]
		: [];
}

function callCard(title, list, id, others) {
	const all = joinCalls(list),
		v = all.filter((c) => c.count || !c.known).concat(others ? others(all) : []),
		not = all.filter((c) => !c.count && c.known).length;
	const most = v.reduce((s, c) => Math.max(s, Number(c.count)), 0);
	return h(
		"section",
		{class: "card w6", id},
		h(
			"header",
			null,
			h("h2", null, title),
			h("span", {class: "muted"}, String(v.length || "none") + (not ? `, ${not} not executed` : "")),
		),
		h(
			"div",
			{class: "calls", tabindex: v.length > 7 ? "0" : undefined},
			h(
				"table",
				{class: "bars"},
				h(
					"tbody",
					null,
					v.map((c) => callRow(c, most)),
				),
			),
		),
	);
}

/* The instructions, each with its block, address, text and place. */
function listing(f) {
	const text = f.code.split("\n"),
		rows = [];
	let k = 0,
		address = 0;
	f.blocks.forEach((b, block) => {
		for (let j = 0; j < b[4]; j++, k++) {
			address += f.steps[k];
			rows.push({block, address, count: b[2], text: text[k], spot: f.at[k]});
		}
	});
	return rows;
}

function facts(i, f) {
	const fact = (name, value, key) => h("span", {"data-fact": key}, name + " ", h("b", null, value));
	return h(
		"p",
		{class: "facts"},
		hasInsns() && fact("instructions", fmt(F.insns[i]), "insns"),
		hasInsns() && fact("share", percent(num(F.insns[i]), num(total))),
		hasInsns() && fact("with callees ~", fmt(F.inclusive[i])),
		!marks() && fact("calls", fmt(F.calls[i]), "calls"),
		F.blocks[i] > 0 && fact("blocks executed", `${F.covered[i]} of ${F.blocks[i]}`, "blocks"),
		!F.blocks[i] && fact("executed", run(i)),
		fact("bytes", fmt(F.size[i])),
		fact("address", hex(f.address)),
		f.symbol !== F.name[i] && h("span", null, "symbol ", h("b", {class: "mono"}, f.symbol)),
		f.opaque ? h("span", {class: "pill warn"}, "opaque: " + f.opaque) : null,
	);
}

async function functionView(main, args, path) {
	const i = Number(path[1]);
	if (!(i >= 0 && i < F.name.length)) return notFound(main);
	const f = await fn(i);
	let kind = path[2] || (F.line[i] && f.at.some((s) => s >= 0) ? "source" : "asm");
	const box = h("div", {id: "code"}),
		head = h("header", null);
	const pick = () => choice("What is shown", {source: "Source", asm: "Disassembly"}, kind, choose);
	async function choose(k) {
		kind = k;
		head.replaceChildren(
			pick(),
			h(
				"span",
				{class: "muted"},
				k === "source"
					? "a click on a line shows its instructions"
					: "blocks in the order of the code, with the edges between them",
			),
		);
		box.replaceChildren();
		history.replaceState(null, "", `#f/${i}/${k}`);
		if (k === "source") await functionSource(box, f, i);
		else await disassembly(box, f, i);
	}
	main.append(
		h(
			"p",
			{class: "crumbs"},
			base(D.objects[F.object[i]]),
			f.origin && f.origin !== fileName(F.file[i]) ? " › " + base(f.origin) : "",
			" › ",
			fileLink(F.file[i], F.line[i]),
		),
		h("h1", {class: "mono", id: "title"}, F.name[i]),
		facts(i, f),
		h(
			"div",
			{class: "grid"},
			callCard("Callers", f.callers, "callers", (list) => otherCalls(i, list)),
			callCard("Callees", f.callees, "callees"),
		),
		h("section", {class: "card", style: {marginTop: "16px"}}, head, box),
	);
	main.choose = choose;
	if (f.left) {
		kind = "asm";
		box.append(
			h("p", {class: "muted"}, "not executed: the page of a large program has only code that was executed"),
		);
	} else await choose(kind);
	document.title = `${shortName(F.name[i])} - ${base(D.objects[0])}`;
}
