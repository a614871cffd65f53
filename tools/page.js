// SPDX-License-Identifier: LGPL-2.1-or-later
"use strict";

const data = JSON.parse(document.getElementById("data").textContent);
const body = document.querySelector("#profile tbody");
const search = document.getElementById("search");
let order = { key: "samples", down: true };

function element(tag, className, text) {
	const made = document.createElement(tag);
	if (className)
		made.className = className;
	if (text !== undefined)
		made.textContent = text;
	return made;
}

function percent(part, whole) {
	return whole ? 100 * part / whole : 0;
}

function shareCell(part, whole, widest, width) {
	const cell = element("td", "share");
	const bar = element("span", "bar");
	cell.append(element("span", "percent", percent(part, whole).toFixed(2) + "%"), bar);
	bar.style.width = width * part / (widest || 1) + "rem";
	return cell;
}

// --- one function: its lines or instructions, with a bar for each ---

function lineRow(line, total, widest) {
	const row = element("tr", line.samples ? "hot" : "");
	if (line.samples)
		row.append(element("td", "number", line.samples),
			   shareCell(line.samples, total, widest, 5));
	else
		row.append(element("td"), element("td"));
	row.append(element("td", "label", line.label), element("td", "", line.text));
	return row;
}

function pane(listing, total) {
	const made = element("div", "pane");
	const table = element("table");
	const widest = Math.max(1, ...listing.lines.map(line => line[0]));
	for (const [samples, label, text] of listing.lines) {
		if (label === null) {
			const cut = element("tr", "cut");
			const cell = element("td", "", "\u22ee");
			cell.colSpan = 4;
			cut.append(cell);
			table.append(cut);
			continue;
		}
		table.append(lineRow({ samples, label, text }, total, widest));
	}
	made.append(element("h2", "", listing.title), table);
	if (listing.elsewhere)
		made.append(element("p", "", listing.elsewhere +
			" samples in lines that were inlined from elsewhere"));
	return made;
}

function detailRow(entry) {
	const row = element("tr", "detail");
	const cell = element("td");
	const panes = element("div", "panes");
	cell.colSpan = 6;
	for (const listing of entry.listings)
		panes.append(pane(listing, entry.samples));
	cell.append(panes);
	row.append(cell);
	return row;
}

function toggle(entry, row) {
	if (row.classList.toggle("open"))
		row.after(detailRow(entry));
	else
		row.nextElementSibling.remove();
}

// --- the table ---

function functionRow(entry) {
	const row = element("tr", "function");
	row.tabIndex = 0;
	row.append(
		shareCell(entry.ns, data.ns, data.widest, 8),
		element("td", "number", entry.samples),
		element("td", "number", (entry.ns / 1e9).toFixed(3)),
		element("td", "name", entry.name),
		element("td", "object", entry.object),
		element("td", "place", entry.place));
	row.addEventListener("click", () => toggle(entry, row));
	row.addEventListener("keydown", event => {
		if (event.key === "Enter")
			toggle(entry, row);
	});
	return row;
}

function compare(a, b) {
	const x = a[order.key], y = b[order.key];
	const result = typeof x === "string" ? x.localeCompare(y) : x - y;
	return order.down ? -result : result;
}

function draw() {
	const wanted = search.value.toLowerCase();
	const shown = data.functions.filter(entry =>
		(entry.name + " " + entry.object).toLowerCase().includes(wanted));
	shown.sort(compare);
	body.replaceChildren(...shown.map(functionRow));
	const ns = shown.reduce((sum, entry) => sum + entry.ns, 0);
	document.getElementById("found").textContent = wanted ?
		`${shown.length} of ${data.functions.length} functions, ` +
		`${percent(ns, data.ns).toFixed(2)}%` :
		`${data.functions.length} functions`;
}

function sortBy(header) {
	const key = header.dataset.key;
	const text = typeof data.functions[0]?.[key] === "string";
	order = { key, down: order.key === key ? !order.down : !text };
	for (const other of document.querySelectorAll("#profile th"))
		other.removeAttribute("aria-sort");
	header.setAttribute("aria-sort", order.down ? "descending" : "ascending");
	draw();
}

for (const header of document.querySelectorAll("#profile th"))
	header.addEventListener("click", () => sortBy(header));
search.addEventListener("input", draw);
document.title = "profil: " + data.name;
document.querySelector("h1").textContent = data.name;
document.getElementById("totals").textContent = data.totals;
data.widest = Math.max(1, ...data.functions.map(entry => entry.ns));
draw();
