/* SPDX-License-Identifier: Apache-2.0 */
/*
 * compare.js - differences from another run
 */
const signed = (c) => {
	const d = BigInt(c[5] || 0) - BigInt(c[4] || 0);
	return (d > 0n ? "+" : d < 0n ? "−" : "") + fmt(d < 0n ? -d : d);
};
const difference = (c) => num(c[5]) - num(c[4]);
const change = (c) =>
	c[4] === null
		? "new"
		: c[5] === null
			? "gone"
			: !difference(c)
				? ""
				: (difference(c) > 0 ? "+" : "−") +
					Math.abs((100 * difference(c)) / num(c[4])).toFixed(2) +
					"%";
const ratio = (c) => (c[4] === null ? Infinity : difference(c) / num(c[4]));

function compare(main, args) {
	if (!D.old) return notFound(main);
	const ids = new Map(F.name.map((n, i) => [n, i]));
	let v = D.old.functions,
		kind = "functions",
		q = "",
		equal = false;
	const way = (c) => (difference(c) > 0 ? "up" : difference(c) < 0 ? "down" : "");
	const name = (c) =>
		h(
			"span",
			{title: plain(c[0])},
			ids.has(c[0]) ? funcLink(ids.get(c[0])) : h("span", {class: "name"}, c[0]),
			c[3] ? h("span", {class: "muted"}, ` (${c[3]})`) : null,
		);
	const where = (c) =>
		c[1]
			? h("span", {class: "path", title: plain(c[1])}, base(c[1]) + (c[2] ? ":" + c[2] : ""))
			: ids.has(c[0])
				? fileLink(F.file[ids.get(c[0])], F.line[ids.get(c[0])])
				: "–";
	const columns = [
		{key: "name", name: "Function", value: (k) => v[k][0].toLowerCase(), cell: (k) => name(v[k])},
		{
			key: "place",
			name: "File",
			width: "190px",
			wide: true,
			value: (k) => base(v[k][1]),
			cell: (k) => where(v[k]),
		},
		{
			key: "old",
			name: "Old",
			num: true,
			width: "140px",
			wide: true,
			value: (k) => num(v[k][4]),
			cell: (k) => fmt(v[k][4]),
		},
		{
			key: "new",
			name: "New",
			num: true,
			width: "140px",
			wide: true,
			value: (k) => num(v[k][5]),
			cell: (k) => fmt(v[k][5]),
		},
		{
			key: "difference",
			name: "Difference",
			num: true,
			width: "150px",
			value: (k) => Math.abs(difference(v[k])),
			cell: (k) => h("span", {class: way(v[k])}, signed(v[k])),
		},
		{
			key: "change",
			name: "Change",
			num: true,
			width: "100px",
			value: (k) => ratio(v[k]),
			cell: (k) => h("span", {class: way(v[k])}, change(v[k])),
		},
	];
	const t = table({
		label: "Changes",
		columns,
		sort: columns[4],
		down: true,
		open: null,
		empty: "Nothing has changed.",
	});
	const count = h("span", {class: "muted", role: "status"}),
		input = h("input", {
			type: "search",
			placeholder: "Name or file",
			"aria-label": "Changes to show",
			spellcheck: "false",
		});
	const same = h("input", {type: "checkbox"}),
		pickBox = h("span");
	const sum = (k) => D.old.functions.reduce((s, c) => s + BigInt(c[k] || 0), 0n);
	const sums = [null, null, null, null, sum(4).toString(), sum(5).toString()];
	const show = () => {
		const match = matcher(q);
		v = D.old[kind];
		const list = v
			.map((_, k) => k)
			.filter(
				(k) =>
					(equal || difference(v[k]) || v[k][4] === null || v[k][5] === null) &&
					match((v[k][0] + " " + v[k][1]).toLowerCase()),
			);
		count.textContent = plural(list.length, "row");
		pickBox.replaceChildren(
			D.old.lines.length
				? choice(
						"What is compared",
						{functions: "Functions", lines: "Lines"},
						kind,
						(k) => ((kind = k), show()),
					)
				: "",
		);
		t.show(list);
	};
	input.oninput = () => ((q = input.value), show());
	same.onchange = () => ((equal = same.checked), show());
	main.append(
		h(
			"div",
			{class: "tiles"},
			tile(fmt(sums[4]), `${D.old.figure}, old: ${D.old.path}`),
			tile(fmt(sums[5]), `${D.old.figure}, new: ${D.objects[0]}`, null, "new-total"),
			tile(
				h("span", {class: way(sums)}, signed(sums)),
				"difference" + (difference(sums) ? ", " + change(sums) : ""),
				null,
				"difference",
			),
		),
		h(
			"section",
			{class: "card", style: {marginTop: "16px"}},
			h(
				"div",
				{class: "tools"},
				h("h1", null, "Comparison"),
				pickBox,
				input,
				h("label", null, same, "also what is equal"),
				count,
			),
			t,
		),
	);
	show();
}
