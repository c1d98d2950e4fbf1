/* SPDX-License-Identifier: Apache-2.0 */
/*
 * functions.js - the table of functions
 */
function functionColumns() {
	const all = [
		{key: "name", name: "Function", value: (i) => F.name[i].toLowerCase(), cell: (i) => funcLink(i)},
		hasInsns() && {
			key: "insns",
			name: "Instructions",
			num: true,
			width: "134px",
			value: (i) => num(F.insns[i]),
			cell: (i) => fmt(F.insns[i]),
		},
		hasInsns() && {
			key: "share",
			name: "Share",
			num: true,
			width: "146px",
			value: (i) => num(F.insns[i]),
			wide: true,
			cell: (i) =>
				h(
					"span",
					{class: "share"},
					bar(num(F.insns[i]), maxInsns, "heat"),
					percent(num(F.insns[i]), num(total)),
				),
		},
		hasInsns() && {
			key: "inclusive",
			name: "~ with callees",
			num: true,
			width: "134px",
			wide: true,
			value: (i) => F.inclusive[i],
			cell: (i) => fmt(F.inclusive[i]),
		},
		!marks() && {
			key: "calls",
			name: "Calls",
			num: true,
			width: "106px",
			wide: hasInsns(),
			value: (i) => num(F.calls[i]),
			cell: (i) => fmt(F.calls[i]),
		},
		D.mode !== "functions" && {
			key: "blocks",
			name: "Blocks",
			num: true,
			width: "148px",
			wide: true,
			value: (i) => (F.blocks[i] ? F.covered[i] / F.blocks[i] : 2),
			cell: (i) =>
				F.blocks[i]
					? h(
							"span",
							{class: "share"},
							bar(F.covered[i], F.blocks[i], "cover"),
							`${F.covered[i]}/${F.blocks[i]}`,
						)
					: run(i),
		},
		{
			key: "file",
			name: "Declared",
			width: "170px",
			wide: true,
			value: (i) => place(F.file[i], F.line[i]),
			cell: (i) => fileLink(F.file[i], F.line[i]),
		},
	];
	return all.filter(Boolean);
}

function functions(main, args) {
	const columns = functionColumns(),
		find = (key) => columns.find((c) => c.key === key);
	const state = {
		q: args.get("q") || "",
		all: args.get("all") === "1",
		sort: args.get("sort") || (hasInsns() ? "insns" : marks() ? "blocks" : "calls"),
		down: args.get("up") !== "1",
	};
	const t = table({
		label: "Functions",
		columns,
		sort: find(state.sort) || columns[0],
		down: state.down,
		open: (i) => "f/" + i,
		sorted: (key, down) => ((state.sort = key), (state.down = down), keep()),
		empty: "No function matches.",
	});
	const count = h("span", {class: "muted", id: "matches", role: "status"});
	const input = h("input", {
		type: "search",
		placeholder: "Name, file or object",
		"aria-label": "Functions to show",
		id: "filter",
		spellcheck: "false",
	});
	const all = h("input", {type: "checkbox", id: "all"});
	const keep = () =>
		history.replaceState(
			null,
			"",
			"#functions?" +
				new URLSearchParams({
					...(state.q && {q: state.q}),
					...(state.all && {all: "1"}),
					sort: state.sort,
					...(!state.down && {up: "1"}),
				}),
		);
	const show = () => {
		const match = matcher(state.q);
		const list = hot.filter((i) => (state.all || F.run[i]) && match(textOf(i)));
		count.textContent = plural(list.length, "function");
		t.show(list);
	};
	input.value = state.q;
	all.checked = state.all;
	input.oninput = () => ((state.q = input.value), keep(), show());
	all.onchange = () => ((state.all = all.checked), keep(), show());
	input.onkeydown = (e) => {
		if (e.key === "ArrowDown" || e.key === "Enter") (e.preventDefault(), t.first());
	};
	main.append(
		h(
			"section",
			{class: "card"},
			h(
				"div",
				{class: "tools"},
				h("h1", null, "Functions"),
				input,
				h("label", null, all, "also what was not executed"),
				count,
			),
			t,
		),
	);
	show();
	main.search = (q) => ((input.value = state.q = q), keep(), show());
	main.down = () => t.first();
}
