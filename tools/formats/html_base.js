// SPDX-License-Identifier: LGPL-2.1-or-later
"use strict";

// --- data, state and helpers of the page ---

const data = JSON.parse(document.getElementById("data").textContent);
const { profile, functions, stacks } = data;

const state = {
	key: "ns", down: true,		// sort order of the table
	limit: 200,			// rows of the table to draw
	object: null, process: null,	// selected; null: all
	thread: null,
	from: null, to: null,		// selected bins of time; null: the whole run
	wanted: "",			// searched text
	open: new Set(),		// functions with open rows
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

// Code in no object is shown with its process.
function objectName(index) {
	const { name, pid } = profile.objects[index];
	return pid ? `${name} (${pid})` : name;
}

// Shortens a long name in its middle.
function shorten(text, most) {
	if (text.length <= most)
		return text;
	const end = most >> 1;
	return text.slice(0, most - end - 1) + "\u2026" + text.slice(-end);
}

// Returns a function that has @work run once before the next frame.
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

// --- functions without samples of their own ---

function addFunction(name, object) {
	functions.push({ name, object, samples: 0, ns: 0, total: 0, place: "",
			 listings: [] });
}

for (const [name, object] of stacks.functions)
	addFunction(name, object);
// Stands for omitted calls.
if (stacks.least > 1)
	addFunction(`[calls with fewer than ${stacks.least} samples]`,
		    profile.objects.push({ name: "", path: "", pid: 0 }) - 1);
functions.forEach((entry, index) => {
	entry.index = index;
	entry.text = (entry.name + " " + profile.objects[entry.object].name).toLowerCase();
});
