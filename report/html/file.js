/* SPDX-License-Identifier: Apache-2.0 */
/*
 * file.js - a source file with its counts
 */
function fileLines(s) {
	const lines = new Map(),
		line = (n) => {
			if (!lines.has(n)) lines.set(n, {count: null, insns: 0});
			return lines.get(n);
		};
	for (let k = 0; k < s.counts.length; k += 2) line(s.counts[k]).count = s.counts[k + 1];
	for (let k = 0; k < s.lines.length; k += 3) line(s.lines[k]).insns = s.lines[k + 1];
	for (let k = 0; k < s.branches.length; k += 3) {
		if (s.branches[k + 1] < s.branches[k + 2])
			line(s.branches[k]).part = `${s.branches[k + 1]} of ${s.branches[k + 2]} branches taken`;
	}
	return lines;
}

async function fileView(main, args, path) {
	const i = Number(path[1]),
		at = Number(path[2]);
	if (!(i >= 0 && i < D.files.path.length)) return notFound(main);
	const s = await source(i),
		c = D.files.cover[i],
		lines = fileLines(s);
	const inside = (ofFile.get(i) || []).slice().sort((a, b) => num(F.insns[b]) - num(F.insns[a]) || a - b);
	const max = [...lines.values()].reduce((m, l) => Math.max(m, num(l.insns)), 0),
		state = textState(i);
	const text = s.text === null ? null : s.text.split("\n"),
		code = h(
			"div",
			{class: "code", tabindex: "0", role: "region", "aria-label": "Source"},
			codeHead("count", "instructions"),
		);
	if (text && text[text.length - 1] === "") text.pop();
	const numbers = text ? text.map((_, k) => k + 1) : [...lines.keys()].sort((a, b) => a - b);
	code.append(...numbers.map((n) => sourceRow(n, lines.get(n), text ? text[n - 1] : "", state, max)));
	const cover = (name, hit, found, key) =>
		found
			? h(
					"span",
					{"data-fact": key},
					name + " ",
					h("b", null, `${fmt(hit)} of ${fmt(found)}`),
					` (${tenths(hit, found)})`,
				)
			: null;
	main.append(
		h("p", {class: "crumbs"}, D.files.path[i].slice(0, D.files.path[i].lastIndexOf("/") + 1) || "source"),
		h("h1", {class: "mono", id: "title"}, base(D.files.path[i])),
		h(
			"p",
			{class: "facts"},
			cover("lines executed", c[0], c[1], "lines"),
			cover("branches", c[2], c[3], "branches"),
			cover("functions", c[4], c[5], "functions"),
		),
		inside.length
			? h(
					"section",
					{class: "card", style: {marginTop: "16px"}},
					h("header", null, h("h2", null, plural(inside.length, "function") + " declared here")),
					h(
						"div",
						{class: "calls"},
						h(
							"table",
							{class: "bars"},
							h(
								"tbody",
								null,
								inside
									.slice(0, 400)
									.map((k) =>
										h(
											"tr",
											null,
											h("td", null, funcLink(k)),
											h(
												"td",
												{class: "num wide"},
												F.line[k]
													? h(
															"a",
															{href: `#s/${i}/${F.line[k]}`},
															"line " + F.line[k],
														)
													: "",
											),
											h("td", {class: "num"}, hasInsns() ? fmt(F.insns[k]) : run(k)),
										),
									),
							),
						),
					),
				)
			: "",
		h(
			"section",
			{class: "card", style: {marginTop: "16px"}},
			h(
				"header",
				null,
				h("h2", null, "Source"),
				h(
					"span",
					{class: "muted"},
					text
						? ""
						: lines.size
							? "its text was not found where the compiler read it"
							: "no code of it is known by line",
				),
			),
			lines.size || text ? code : "",
		),
	);
	document.title = `${base(D.files.path[i])} - ${base(D.objects[0])}`;
	const row = at && code.querySelector(`[data-line="${at}"]`);
	if (row) {
		row.classList.add("here");
		row.scrollIntoView({block: "center"});
	}
}
