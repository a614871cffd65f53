// SPDX-License-Identifier: LGPL-2.1-or-later
// Appended to a page of "profil report --html": uses it as a person would and
// leaves TAP in an element of its own.
"use strict";

{
	const lines = [];
	const rows = () => [...document.querySelectorAll("#profile tr.function")];
	const column = (n) => rows().map(row => row.children[n].textContent);
	const header = (key) => document.querySelector(`#profile th[data-key=${key}]`);

	const ok = (good, name) => lines.push((good ? "ok " : "not ok ") + name);
	const sorted = (values) => values.every((value, i) =>
		i === 0 || values[i - 1].localeCompare(value) <= 0);
	const falling = (values) => values.every((value, i) =>
		i === 0 || Number(values[i - 1]) >= Number(value));

	ok(rows().length === data.functions.length && rows().length > 1,
	   "the page has a row for each function");
	ok(falling(column(1)), "rows are sorted by samples at first");
	header("name").querySelector("button").click();
	ok(sorted(column(3)), "a click on Function sorts by name");
	header("name").querySelector("button").click();
	ok(sorted(column(3).reverse()) && !sorted(column(3)),
	   "a second click turns the order around");
	header("samples").querySelector("button").click();
	ok(falling(column(1)), "a click on Samples sorts by samples");

	search.value = data.functions[0].name.toUpperCase();
	search.dispatchEvent(new Event("input"));
	ok(rows().length >= 1 && rows().length < data.functions.length &&
	   column(3)[0] === data.functions[0].name,
	   "searching leaves the functions that match");
	search.value = "no function is called this";
	search.dispatchEvent(new Event("input"));
	ok(rows().length === 0, "searching for nothing that is there leaves nothing");
	search.value = "";
	search.dispatchEvent(new Event("input"));

	rows()[0].click();
	const detail = document.querySelector("tr.detail");
	const counts = [...detail.querySelectorAll(".pane:first-child tr.hot td.number")]
		.map(cell => Number(cell.textContent));
	ok(counts.reduce((a, b) => a + b, 0) === data.functions[0].samples,
	   "an opened function's addresses have all its samples");
	ok(detail.querySelectorAll(".pane:first-child tr").length > counts.length,
	   "and the instructions without samples are there");
	ok(detail.querySelector(".pane:nth-child(2) td:last-child").textContent
		.includes("three"), "and its source is beside them");
	rows()[0].click();
	ok(!document.querySelector("tr.detail"), "a second click closes it");

	const result = document.createElement("pre");
	result.id = "result";
	result.textContent = "RESULT\n" + lines.join("\n") + "\nEND";
	document.body.append(result);
}
