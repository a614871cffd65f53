// SPDX-License-Identifier: LGPL-2.1-or-later
"use strict";

// --- what the page has, and what all of it makes use of ---

const data = JSON.parse(document.getElementById("data").textContent);
const { profile, functions, stacks } = data;

const state = {
	key: "ns", down: true,		// order of the table
	limit: 200,			// rows that are drawn
	object: null, process: null,	// only what is in these
	thread: null,
	from: null, to: null,		// and in these bins of time; null: always
	wanted: "",			// what is searched for
	open: new Set(),		// functions whose code is shown
};

function byId(id) {
	return document.getElementById(id);
}

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

function seconds(ns) {
	return (ns / 1e9).toFixed(3) + " s";
}

// Very long names lose their middle.
function shorten(text, most) {
	if (text.length <= most)
		return text;
	const end = most >> 1;
	return text.slice(0, most - end - 1) + "\u2026" + text.slice(-end);
}

// Calls @work once before the next frame, however often it is asked to.
function beforeFrame(work) {
	let waits = false;
	return () => {
		if (waits)
			return;
		waits = true;
		requestAnimationFrame(() => {
			waits = false;
			work();
		});
	};
}

// --- the functions that only call others have no row of the flat profile ---

function addFunction(name, object) {
	functions.push({ name, object, samples: 0, ns: 0, total: 0, place: "",
			 by: [], listings: [] });
}

for (const [name, object] of stacks?.functions ?? [])
	addFunction(name, object);
// What stands for calls that are left out.
if (stacks?.least > 1)
	addFunction(`[calls with fewer than ${stacks.least} samples]`,
		    profile.objects.push({ name: "", path: "", pid: 0 }) - 1);
functions.forEach((entry, index) => {
	entry.index = index;
	entry.text = (entry.name + " " + profile.objects[entry.object].name).toLowerCase();
});
