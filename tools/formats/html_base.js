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

const integers = new Intl.NumberFormat("en");
const decimals = new Intl.NumberFormat("en",
	{ minimumFractionDigits: 3, maximumFractionDigits: 3 });

function count(number, what) {
	return `${integers.format(number)} ${what}${number === 1 ? "" : "s"}`;
}

function seconds(ns) {
	return decimals.format(ns / 1e9) + " s";
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

function addFunction(name, object, inlined) {
	functions.push({ name, object, inlined, samples: 0, ns: 0, total: 0, place: "",
			 listings: [] });
}

for (const one of stacks.functions)
	addFunction(...one);

// With --diff: a function's time in the earlier profile. Of several with the same name,
// the first here is the first there.
function addEarlier(list) {
	const key = (...names) => names.join("\n"), times = new Map();
	for (const [name, object, inlined, ns] of list) {
		const all = times.get(key(name, object, inlined)) ?? [];
		times.set(key(name, object, inlined), [...all, { name, object, inlined, ns }]);
	}
	for (const entry of functions)
		entry.before = times.get(key(entry.name, profile.objects[entry.object].name,
			Boolean(entry.sites ?? entry.inlined)))?.shift()?.ns ?? 0;
	for (const { name, object, inlined, ns } of [...times.values()].flat()) {
		const index = profile.objects.findIndex(one => one.name === object);
		addFunction(name, index >= 0 ? index : profile.objects.push(
			{ name: object, path: object, pid: 0 }) - 1, inlined);
		functions.at(-1).before = ns;
	}
}

// Stands for omitted calls.
if (stacks.least > 1)
	addFunction(`[calls with fewer than ${stacks.least} samples]`,
		    profile.objects.push({ name: "", path: "", pid: 0 }) - 1);
if (stacks.earlier)
	addEarlier(stacks.earlier);
functions.forEach((entry, index) => {
	entry.index = index;
	entry.text = (entry.name + " " + profile.objects[entry.object].name).toLowerCase();
});
