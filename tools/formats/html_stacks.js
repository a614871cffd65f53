// SPDX-License-Identifier: LGPL-2.1-or-later
// --- unpacks the call tree and the samples of threads; see html_stacks.c ---

class Numbers {
	constructor(text) {
		const raw = atob(text);
		this.bytes = new Uint8Array(raw.length);
		for (let i = 0; i < raw.length; i++)
			this.bytes[i] = raw.charCodeAt(i);
		this.at = 0;
	}

	next() {
		let value = 0, unit = 1, byte;
		do {
			byte = this.bytes[this.at++];
			value += (byte & 127) * unit;
			unit *= 128;
		} while (byte & 128);
		return value;
	}
}

/*
 * Nodes are in the order of a walk: the nodes below node n are n + 1 to end[n] - 1.
 * Node 0 is the root. A node is first if its function is not among its callers as well.
 * So the total of a function is the sum of its first nodes.
 */
function readTree(text) {
	const numbers = new Numbers(text);
	const n = numbers.next() + 1;
	const made = {
		n, parent: new Uint32Array(n), end: new Uint32Array(n),
		fn: new Int32Array(n), first: new Uint8Array(n),
		samples: new Float64Array(n), ns: new Float64Array(n),
		total: new Float64Array(n), totalNs: new Float64Array(n),
	};
	const within = new Uint32Array(functions.length);
	const leave = (node, next) => {
		made.end[node] = next;
		within[made.fn[node]]--;
		return made.parent[node];
	};
	let last = 0;
	made.fn[0] = -1;
	for (let i = 1; i < n; i++) {
		for (let up = numbers.next(); up; up--)
			last = leave(last, i);
		made.parent[i] = last;
		made.fn[i] = numbers.next();
		made.first[i] = !within[made.fn[i]]++;
		last = i;
	}
	while (last)
		last = leave(last, n);
	made.end[0] = n;
	return made;
}

// For each bin with samples: its number, and the index of its first node.
function readSamples(text) {
	const numbers = new Numbers(text);
	const bins = numbers.next(), n = numbers.next();
	const made = {
		bins: new Uint32Array(bins), starts: new Uint32Array(bins + 1),
		counts: new Float64Array(bins),
		nodes: new Uint32Array(n), samples: new Float64Array(n),
	};
	let bin = 0, at = 0;
	for (let i = 0; i < bins; i++) {
		let node = 0;
		made.bins[i] = bin += numbers.next();
		for (let left = numbers.next(); left; left--, at++) {
			const word = numbers.next();
			const samples = word % 2 ? numbers.next() + 2 : 1;
			made.nodes[at] = node += Math.floor(word / 2);
			made.samples[at] = samples;
			made.counts[i] += samples;
		}
		made.starts[i + 1] = at;
	}
	return made;
}

/*
 * The function of each node in the table: time in the kernel belongs to the function
 * that entered the kernel.
 */
function findOwners({ n, fn, parent }) {
	const isKernel = functions.map(entry => profile.objects[entry.object].kernel);
	const owners = Int32Array.from(fn);
	for (let i = 1; i < n; i++)
		if (isKernel[fn[i]] && parent[i])
			owners[i] = fn[parent[i]];
	return owners;
}

// With --diff: the earlier ns of each node, and of all.
function readBefore(text) {
	const numbers = new Numbers(text);
	return Float64Array.from({ length: tree.n }, () => numbers.next() * 10000);
}

// Each function's kind of time: it runs, waits, or waits for a CPU.
const KINDS = ["running", "waiting", "waiting for a CPU"];
const hasWaits = profile.objects.some(object => object.waits);
const kindOf = functions.map(entry => profile.objects[entry.object].waits ?? 0);

// The samples of each kind in each bin; without waits, those of all.
function countKinds({ bins, starts, counts, nodes, samples }) {
	if (!hasWaits)
		return [counts];
	const made = KINDS.map(() => new Float64Array(bins.length));
	for (let i = 0; i < bins.length; i++)
		for (let at = starts[i]; at < starts[i + 1]; at++)
			made[kindOf[tree.fn[nodes[at]]]][i] += samples[at];
	return made;
}

const tree = readTree(stacks.tree);
tree.before = stacks.before && readBefore(stacks.before);
tree.owner = findOwners(tree);
const threads = stacks.threads.map((thread, index) => {
	const samples = readSamples(thread.samples);
	const sum = samples.counts.reduce((all, one) => all + one, 0);
	return { ...thread, ...samples, index, count: sum, kinds: countKinds(samples) };
});

// The index of the first element of @sorted that is at least @value.
function lowerBound(sorted, value) {
	let low = 0, high = sorted.length;
	while (low < high) {
		const middle = (low + high) >> 1;
		if (sorted[middle] < value)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}
