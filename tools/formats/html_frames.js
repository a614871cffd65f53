// SPDX-License-Identifier: LGPL-2.1-or-later
// --- the frames of the graph: only those that are looked at are ever made ---

/*
 * A frame of the graph that has what is called below it, or with @flame.up, who
 * calls: then @nodes are those of the tree that it stands for, and @parts what
 * each has of it. A frame's @start is where it begins in the one above.
 */
class Frame {
	constructor(above, key, fn, start) {
		Object.assign(this, { above, key, fn, start });
		this.level = above ? above.level + 1 : 0;
		this.samples = this.ns = 0;
		this.below = [];
		this.least = Infinity;	// those with fewer ns are not in below
		this.nodes = [];
	}

	add(node, samples, ns) {
		this.samples += samples;
		this.ns += ns;
		this.nodes.push([node, samples, ns]);
	}
}

const flame = {
	up: false,
	root: null, zoom: null, focus: null, hover: null,
	path: [],		// of what was zoomed to, be it there or not
	lit: null,
	rows: [],		// boxes of each level, from the left
	drawn: 0,		// boxes that the last picture has
};

function calleesOf(frame, least) {
	const made = [];
	let start = 0;
	for (let i = frame.key + 1; i < tree.end[frame.key]; i = tree.end[i]) {
		const ns = tree.totalNs[i];
		if (ns && ns >= least) {
			const one = new Frame(frame, i, tree.fn[i], start);
			one.samples = tree.total[i];
			one.ns = ns;
			made.push(one);
		}
		start += ns;
	}
	return made;
}

function callersOf(frame, least) {
	const made = new Map();
	for (const [node, samples, ns] of frame.nodes) {
		const caller = frame.above ? tree.parent[node] : node;
		if (!caller)
			continue;
		const fn = tree.fn[caller];
		if (!made.has(fn))
			made.set(fn, new Frame(frame, fn, fn, 0));
		made.get(fn).add(caller, samples, ns);
	}
	let start = 0;
	return [...made.values()].sort((a, b) => b.ns - a.ns).filter(one => {
		one.start = start;
		start += one.ns;
		return one.ns >= least;
	});
}

// What is below @frame and has @least ns: made again if smaller ones are wanted.
function framesBelow(frame, least) {
	if (least < frame.least) {
		const known = new Map(frame.below.map(one => [one.key, one]));
		const made = flame.up ? callersOf(frame, least) : calleesOf(frame, least);
		frame.below = made.map(one => known.get(one.key) ?? one);
		frame.least = least;
	}
	return frame.below;
}

function makeRoot() {
	const root = new Frame(null, 0, -1, 0);
	if (flame.up) {
		for (let i = 1; i < tree.n; i++)
			if (tree.samples[i])
				root.add(i, tree.samples[i], tree.ns[i]);
	} else {
		root.samples = tree.total[0];
		root.ns = tree.totalNs[0];
	}
	return root;
}

// --- frames, told by the functions that lead to them ---

function pathOf(frame) {
	const path = [];
	for (; frame?.above; frame = frame.above)
		path.unshift(frame.key);
	return path;
}

function findFrame(path) {
	let frame = flame.root;
	for (const key of path) {
		const next = framesBelow(frame, 0).find(one => one.key === key);
		if (!next)
			break;
		frame = next;
	}
	return frame;
}

function isWithin(frame, other) {
	while (frame && frame !== other)
		frame = frame.above;
	return Boolean(frame);
}

function frameName(frame) {
	return frame.above ? functions[frame.fn].name : "all";
}

// What of a frame's samples is in itself, not in what it calls.
function selfOf(frame) {
	if (flame.up)
		return frame.above && !frame.above.above ? frame.samples : 0;
	return tree.samples[frame.key];
}

// How many frames it is from @frame down to the deepest that can be seen.
function deepest(frame) {
	return flame.rows.findLastIndex(row => row?.length) + 1 || 1;
}
