/* SPDX-License-Identifier: Apache-2.0 */
/*
 * page.js - the views, and navigation between them
 *
 * The part of the address behind # selects the view: overview, functions, f/NUMBER, coverage,
 * s/NUMBER, compare, tools; so the browser's back and forward keys work.
 */
const VIEWS = {overview, functions, coverage, compare, tools, f: functionView, s: fileView};
const TABS = {overview: "Overview", functions: "Functions", coverage: "Coverage", compare: "Compare", tools: "Tools"};

function notFound(main) {
	main.append(h("p", {class: "loading"}, "This profile has nothing at that address."));
}

let turn = 0;
async function show() {
	const asked = location.hash,
		[where, query] = (asked.slice(1) || "overview").split("?"),
		path = where.split("/"),
		mine = ++turn;
	const view = VIEWS[path[0]] || notFound,
		main = h("main", {id: "main", tabindex: "-1"});
	listeners.forEach((f) => f());
	listeners = [];
	hideTip();
	document.querySelectorAll("#tabs a").forEach((a) => {
		const here =
			a.hash === "#" + path[0] ||
			(path[0] === "f" && a.hash === "#functions") ||
			(path[0] === "s" && a.hash === "#coverage");
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
		const t = e.target.closest && e.target.closest("[data-tip]"),
			tip = $("tip");
		if (!t) return hideTip();
		tip.hidden = false;
		tip.textContent = plain(t.dataset.tip).replaceAll("\\u000a", "\n");
		tip.style.left = Math.max(8, Math.min(e.clientX + 14, innerWidth - tip.offsetWidth - 12)) + "px";
		tip.style.top =
			(e.clientY + 18 + tip.offsetHeight > innerHeight
				? e.clientY - tip.offsetHeight - 12
				: e.clientY + 18) + "px";
	});
}

/* The system's theme, until the user chooses one, which is stored if the browser allows it. */
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
			/* not stored: the choice lasts for this visit only */
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
		if ((e.key === "ArrowDown" || e.key === "Enter") && $("main").down)
			(e.preventDefault(), $("main").down());
	};
}

function keyboard(turnOver) {
	document.addEventListener("keydown", (e) => {
		const typing = e.target.matches("input:not([type=checkbox])"),
			tabs = [...document.querySelectorAll("#tabs a")],
			main = $("main");
		if (typing && e.key === "Escape") return e.target.blur();
		if (typing || e.ctrlKey || e.metaKey || e.altKey || $("keys").open) return;
		if (e.key === "/") ($("search").focus(), $("search").select());
		else if (e.key === "t") turnOver();
		else if (e.key === "?") $("keys").showModal();
		else if (tabs[e.key - 1]) tabs[e.key - 1].click();
		else if (e.key === "s" && main.choose) main.choose("source");
		else if (e.key === "d" && main.choose) main.choose("asm");
		else if (
			(e.key === "ArrowDown" || e.key === "j") &&
			main.down &&
			document.activeElement === document.body
		)
			main.down();
		else return;
		e.preventDefault();
	});
}

async function start() {
	const turnOver = theme();
	if (!window.DecompressionStream) {
		$("main").replaceChildren(
			h(
				"p",
				{class: "loading"},
				"This browser is too old for this page: it has no DecompressionStream.",
			),
		);
		return;
	}
	[D] = await chunk(INDEX_CHUNK);
	prepare();
	$("program").textContent = plain(base(D.objects[0]));
	$("program").parentNode.title = plain(D.objects[0]) + "\nbuild " + D.build + ", " + D.generator;
	$("tabs").append(
		...Object.entries(TABS)
			.filter(([k]) => (k !== "compare" || D.old) && (k !== "tools" || D.tools.length))
			.map(([k, name]) => h("a", {href: "#" + k}, name)),
	);
	$("help").onclick = () => $("keys").showModal();
	search();
	keyboard(turnOver);
	tips();
	addEventListener("hashchange", show);
	await show();
}

start();
