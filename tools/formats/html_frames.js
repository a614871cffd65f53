// SPDX-License-Identifier: LGPL-2.1-or-later
// --- the frames of the graph, made when they become visible ---

/*
 * A frame of the graph. Below it are its callees, or with flame.up its callers: then
 * @nodes are the nodes of the tree that it stands for, each with its samples and ns.
 * @start is where the frame begins within the one above.
 */
class Frame {
	constructor(above, key, fn, start) {
		Object.assign(this, { above, key, fn, start });
		this.level = above ? above.level + 1 : 0;
		this.samples = this.ns = 0;
		this.below = [];
		this.least = Infinity;	// below has only frames with at least so many ns
		this.covered = 0;	// ns of all below
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
	path: [],		// of the zoomed frame, which may not exist now
	lit: null,
	rows: [],		// boxes of each level, left to right
	drawn: 0,		// number of boxes in the last picture
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
	frame.covered = start;
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
	const all = [...made.values()].sort((a, b) => b.ns - a.ns);
	for (const one of all) {
		one.start = start;
		start += one.ns;
	}
	frame.covered = start;
	return all.filter(one => one.ns >= least);
}

// The frames below @frame with at least @least ns.
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

// --- paths of frames ---

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

// The samples of a frame without its callees.
function selfOf(frame) {
	if (flame.up)
		return frame.above && !frame.above.above ? frame.samples : 0;
	return tree.samples[frame.key];
}
