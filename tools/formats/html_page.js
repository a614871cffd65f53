// SPDX-License-Identifier: LGPL-2.1-or-later
"use strict";

const data = JSON.parse(document.getElementById("data").textContent);
const { profile, functions } = data;
const body = document.querySelector("#profile tbody");
const search = document.getElementById("search");
const more = document.getElementById("more");
const all = document.getElementById("all");
const STEP = 200;	// rows that are drawn before more are asked for

const state = {
	key: "ns", down: true,
	limit: STEP,
	object: null, process: null,	// only what is in these
	open: new Set(),		// functions whose code is shown
};

function element(tag, className, text) {
	const made = document.createElement(tag);
	if (className)
		made.className = className;
	if (text !== undefined)
		made.textContent = text;
	return made;
}

function percent(part, whole) {
	return (whole ? 100 * part / whole : 0).toFixed(2) + "%";
}

function count(number, what) {
	return `${number.toLocaleString("en")} ${what}${number === 1 ? "" : "s"}`;
}

function shareCell(part, whole, widest) {
	const cell = element("td", "share");
	const bar = element("span", "bar");
	bar.style.width = 100 * part / (widest || 1) + "%";
	const track = element("span", "track");
	track.append(bar);
	cell.append(element("span", "percent", percent(part, whole)), track);
	return cell;
}

function toggle(entry, row) {
	const open = row.classList.toggle("open");
	row.querySelector("button").setAttribute("aria-expanded", open);
	if (open) {
		state.open.add(entry);
		row.after(detailRow(entry));
		showHottest(row.nextElementSibling);
	} else {
		state.open.delete(entry);
		row.nextElementSibling.remove();
	}
}

// --- the table ---

function nameCell(entry, open) {
	const cell = element("td", "name");
	const button = element("button", "", entry.name);
	button.setAttribute("aria-expanded", open);
	cell.append(button);
	if (entry.sites)
		cell.append(element("span", "note", entry.sites.length === 1 ?
			`inlined into ${entry.sites[0][1]}` :
			`inlined into ${entry.sites.length} functions`));
	return cell;
}

function functionRow({ entry, samples, ns }, whole) {
	const open = state.open.has(entry);
	const row = element("tr", open ? "function open" : "function");
	row.append(
		shareCell(ns, whole.ns, whole.widest),
		element("td", "number samples", samples),
		element("td", "number seconds", (ns / 1e9).toFixed(3)),
		nameCell(entry, open),
		element("td", "object", profile.objects[entry.object].name),
		element("td", "place", entry.place));
	row.addEventListener("click", () => {
		if (!getSelection().toString())
			toggle(entry, row);
	});
	return row;
}

// What of a function is in the process that was chosen.
function partOf(entry) {
	if (state.process === null)
		return { entry, samples: entry.samples, ns: entry.ns };
	const [, samples, ns] = entry.by.find(part => part[0] === state.process) ??
		[0, 0, 0];
	return { entry, samples, ns };
}

function isIn(entry) {
	return state.object === null || entry.object === state.object;
}

const keys = {
	ns: part => part.ns,
	samples: part => part.samples,
	name: part => part.entry.name,
	object: part => profile.objects[part.entry.object].name,
	place: part => part.entry.place,
};

function compare(a, b) {
	const x = keys[state.key](a), y = keys[state.key](b);
	const result = typeof x === "string" ? x.localeCompare(y) : x - y;
	return state.down ? -result : result;
}

function foundText(shown, chosen, whole) {
	const parts = [];
	const ns = shown.reduce((sum, part) => sum + part.ns, 0);
	parts.push(shown.length === functions.length ? count(shown.length, "function") :
		`${shown.length.toLocaleString("en")} of ` + count(functions.length, "function"));
	if (shown.length !== chosen.length)
		parts.push(percent(ns, whole.ns) + " of what is shown");
	if (state.object !== null || state.process !== null)
		parts.push(percent(whole.ns, profile.ns) + " of all");
	return parts.join(", ");
}

function draw() {
	const wanted = search.value.toLowerCase();
	const chosen = functions.filter(isIn).map(partOf).filter(part => part.samples);
	const whole = {
		ns: chosen.reduce((sum, part) => sum + part.ns, 0),
		widest: chosen.reduce((most, part) => Math.max(most, part.ns), 1),
	};
	const shown = chosen.filter(part => part.entry.text.includes(wanted));
	shown.sort(compare);
	const rows = [];
	for (const part of shown.slice(0, state.limit)) {
		rows.push(functionRow(part, whole));
		if (state.open.has(part.entry))
			rows.push(detailRow(part.entry));
	}
	body.replaceChildren(...rows);
	body.querySelectorAll("tr.detail").forEach(showHottest);
	const left = shown.length - state.limit;
	more.hidden = left <= 0;
	more.textContent = `Show ${Math.min(left, STEP)} more of ${left}`;
	document.getElementById("found").textContent = foundText(shown, chosen, whole);
}

function sortBy(header) {
	const key = header.dataset.key;
	const text = key === "name" || key === "object" || key === "place";
	state.down = state.key === key ? !state.down : !text;
	state.key = key;
	for (const other of document.querySelectorAll("#profile th"))
		other.removeAttribute("aria-sort");
	header.setAttribute("aria-sort", state.down ? "descending" : "ascending");
	draw();
}

// --- objects and processes: their shares, and a choice of one of each ---

function choose(kind, index) {
	state[kind] = state[kind] === index ? null : index;
	state.limit = STEP;
	drawParts();
	draw();
}

function partButton(kind, index, name, title, ns, whole) {
	const item = element("li");
	const button = element("button", "part");
	const bar = element("span", "bar");
	button.setAttribute("aria-pressed", state[kind] === index);
	button.title = title;
	bar.style.width = 100 * ns / (whole || 1) + "%";
	button.append(bar, element("span", "label", name),
		      element("span", "percent", percent(ns, whole)));
	button.addEventListener("click", () => {
		choose(kind, index);
		document.querySelectorAll(`#${kind}${kind === "process" ? "es" : "s"} button`)
			.forEach(other => other.dataset.index === String(index) && other.focus());
	});
	button.dataset.index = index;
	item.append(button);
	return item;
}

// Each list is of what the other one has left.
function drawList(kind, list, sums, describe) {
	const whole = sums.reduce((sum, ns) => sum + ns, 0);
	const order = sums.map((ns, index) => index)
		.filter(index => sums[index] || state[kind] === index)
		.sort((a, b) => sums[b] - sums[a]);
	document.getElementById(list).replaceChildren(...order.map(index =>
		partButton(kind, index, ...describe(index), sums[index], whole)));
}

// Code in no object is told apart by its process.
function describeObject(index) {
	const { name, path, pid } = profile.objects[index];
	return [pid ? `${name} (${pid})` : name, path];
}

function describeProcess(index) {
	const process = profile.processes[index];
	const wall = process.wall ? `, ${(process.wall / 1e9).toFixed(3)} s from start to end` : "";
	const name = process.pid === undefined ? process.name :
		`${process.name} (${process.pid})`;
	return [name, process.title + wall];
}

function drawParts() {
	const objects = profile.objects.map(() => 0);
	const processes = profile.processes.map(() => 0);
	for (const entry of functions) {
		objects[entry.object] += partOf(entry).ns;
		if (!isIn(entry))
			continue;
		for (const [process, , ns] of entry.by)
			processes[process] += ns;
	}
	drawList("object", "objects", objects, describeObject);
	drawList("process", "processes", processes, describeProcess);
	all.hidden = state.object === null && state.process === null;
}

// --- the page ---

for (const entry of functions)
	entry.text = (entry.name + " " + profile.objects[entry.object].name).toLowerCase();
for (const header of document.querySelectorAll("#profile th"))
	header.addEventListener("click", () => sortBy(header));
search.addEventListener("input", () => {
	state.limit = STEP;
	draw();
});
more.addEventListener("click", () => {
	state.limit += STEP;
	draw();
});
all.addEventListener("click", () => {
	state.object = state.process = null;
	drawParts();
	draw();
	search.focus();
});
{
	const when = [profile.date, profile.host].filter(text => text).join(", ");
	document.title = [profile.name, when].filter(text => text).join(", ");
	document.querySelector("h1").textContent = profile.name;
	document.getElementById("when").textContent = when;
	document.getElementById("totals").textContent = profile.totals;
}
drawParts();
draw();
