/* SPDX-License-Identifier: Apache-2.0 */
/*
 * coverage.js - lines, branches and functions by directory and file
 */
function addSums(a, b) {
	b.forEach((x, k) => (a[k] += x));
}

/* Directories of files with code; a directory that has only one directory is merged with it. */
function folders() {
	const root = {name: "", path: "", dirs: new Map(), files: [], sum: [0, 0, 0, 0, 0, 0]};
	D.files.path.forEach((path, i) => {
		const c = D.files.cover[i],
			parts = path.split("/");
		if (!c.some(Boolean)) return;
		let d = root;
		addSums(d.sum, c);
		parts.slice(0, -1).forEach((p, k) => {
			if (!d.dirs.has(p))
				d.dirs.set(p, {
					name: p,
					path: parts.slice(0, k + 1).join("/"),
					dirs: new Map(),
					files: [],
					sum: [0, 0, 0, 0, 0, 0],
				});
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
	const root = folders(),
		body = h("tbody"),
		match = {test: matcher("")},
		open = new Set();
	const cells = (c) =>
		[0, 2, 4]
			.map((k) =>
				h(
					"td",
					{class: "num" + (k ? " wide" : "")},
					c[k + 1]
						? h(
								"span",
								{class: "share", title: `${tenths(c[k], c[k + 1])}`},
								bar(c[k], c[k + 1], "cover"),
								`${fmt(c[k])}/${fmt(c[k + 1])}`,
							)
						: "–",
				),
			)
			.concat(h("td", {class: "num"}, tenths(c[0], c[1])));
	let q = "";
	const fileRow = (i, depth) =>
		h(
			"tr",
			{"data-file": i},
			h(
				"td",
				{class: "fill", style: {paddingLeft: 32 + depth * 18 + "px"}},
				h("a", {class: "path", href: "#s/" + i}, base(D.files.path[i])),
			),
			cells(D.files.cover[i]),
		);
	function rows(d, depth, list) {
		for (const x of [...d.dirs.values()].sort((a, b) => (a.name < b.name ? -1 : 1))) {
			const shown = open.has(x.path);
			const name = x.name;
			list.push(
				h(
					"tr",
					{"data-folder": x.path},
					h(
						"td",
						{class: "fill", style: {paddingLeft: 12 + depth * 18 + "px"}},
						h(
							"button",
							{
								class: "fold",
								"aria-expanded": String(shown),
								"aria-label": "folder " + name,
								onclick: () => (
									shown ? open.delete(x.path) : open.add(x.path),
									draw(),
									body.querySelector(`[data-folder="${CSS.escape(x.path)}"] button`).focus()
								),
							},
							shown ? "▾" : "▸",
						),
						h("span", {class: "path"}, name.replace(/\/?$/, "/")),
					),
					cells(x.sum),
				),
			);
			if (shown) rows(x, depth + 1, list);
		}
		for (const i of d.files
			.slice()
			.sort((a, b) => (base(D.files.path[a]) < base(D.files.path[b]) ? -1 : 1)))
			list.push(fileRow(i, depth));
	}
	function draw() {
		const list = [];
		if (q)
			D.files.path.forEach(
				(p, i) =>
					D.files.cover[i].some(Boolean) && match.test(p.toLowerCase()) && list.push(fileRow(i, 0)),
			);
		else rows(root, 0, list);
		body.replaceChildren(...list.slice(0, 3000));
	}
	/* open directories at first while few rows are shown */
	const grow = (d, budget) => {
		for (const x of d.dirs.values())
			if (x.dirs.size + x.files.length <= budget)
				(open.add(x.path), grow(x, budget - x.dirs.size - x.files.length));
	};
	grow(root, 40);
	const input = h("input", {
		type: "search",
		placeholder: "Part of a path",
		"aria-label": "Files to show",
		spellcheck: "false",
	});
	input.oninput = () => ((q = input.value), (match.test = matcher(q)), draw());
	main.append(
		h(
			"section",
			{class: "card"},
			h(
				"div",
				{class: "tools"},
				h("h1", null, "Coverage"),
				input,
				h(
					"span",
					{class: "muted"},
					D.coverLines
						? `${fmt(D.cover[0])} of ${fmt(D.cover[1])} lines`
						: "no lines are known: compile with -g",
					D.noSource ? `; ${plural(D.noSource, "function")} without debug information` : "",
				),
			),
			h(
				"div",
				{style: {overflowX: "auto"}},
				h(
					"table",
					null,
					h(
						"thead",
						null,
						h(
							"tr",
							null,
							h("th", null, "Folder or file"),
							h("th", {class: "num"}, "Lines"),
							h("th", {class: "num wide"}, "Branches"),
							h("th", {class: "num wide"}, "Functions"),
							h("th", {class: "num"}, "Share"),
						),
					),
					body,
				),
			),
		),
	);
	draw();
}
