// SPDX-License-Identifier: LGPL-2.1-or-later
// --- counts of the selected process, thread and time ---

const counts = {
	samples: new Float64Array(functions.length),	// by function, in itself
	ns: new Float64Array(functions.length),
	total: new Float64Array(functions.length),	// with its callees
	totalNs: new Float64Array(functions.length),
	whole: 0, wholeNs: 0,
	objects: [], processes: [], threads: [],	// ns; each ignores its own selection
};

function isIn(entry) {
	return state.object === null || entry.object === state.object;
}

function isChosen(thread) {
	if (state.thread !== null)
		return thread.index === state.thread;
	return state.process === null || thread.process === state.process;
}

function clearCounts() {
	for (const key of ["samples", "ns", "total", "totalNs"])
		counts[key].fill(0);
	counts.objects = profile.objects.map(() => 0);
	counts.processes = profile.processes.map(() => 0);
	counts.threads = threads.map(() => 0);
}

function addThread(thread, wanted) {
	const chosen = isChosen(thread), { period, nodes, samples } = thread;
	const { from, to } = state;
	const at = bin => thread.starts[lowerBound(thread.bins, bin)];
	const start = from === null ? 0 : at(from);
	const end = from === null ? nodes.length : at(to);
	let inObject = 0;
	for (let i = start; i < end; i++) {
		const node = nodes[i], n = samples[i];
		if (wanted[tree.owner[node]])
			inObject += n;
		if (!chosen)
			continue;
		tree.samples[node] += n;
		tree.ns[node] += n * period;
	}
	counts.threads[thread.index] = inObject * period;
	counts.processes[thread.process] += inObject * period;
}

function addUp() {
	tree.total.set(tree.samples);
	tree.totalNs.set(tree.ns);
	for (let i = tree.n - 1; i > 0; i--) {
		tree.total[tree.parent[i]] += tree.total[i];
		tree.totalNs[tree.parent[i]] += tree.totalNs[i];
	}
}

function countTree() {
	tree.samples.fill(0);
	tree.ns.fill(0);
	const wanted = Uint8Array.from(functions, entry => isIn(entry) ? 1 : 0);
	for (const thread of threads)
		addThread(thread, wanted);
	addUp();
	for (let i = 1; i < tree.n; i++) {
		const fn = tree.fn[i], owner = tree.owner[i];
		counts.samples[owner] += tree.samples[i];
		counts.ns[owner] += tree.ns[i];
		if (tree.first[i]) {
			counts.total[fn] += tree.total[i];
			counts.totalNs[fn] += tree.totalNs[i];
		}
	}
	for (const { index, object } of functions)
		counts.objects[object] += counts.ns[index];
}

function recount() {
	clearCounts();
	countTree();
	counts.whole = counts.samples.reduce((sum, n) => sum + n, 0);
	counts.wholeNs = counts.ns.reduce((sum, n) => sum + n, 0);
}

// --- matches of the search, and the time of stacks with a match ---

function findLit() {
	if (!state.wanted && state.object === null)
		return null;
	return Uint8Array.from(functions, entry =>
		isIn(entry) && entry.text.includes(state.wanted) ? 1 : 0);
}

function litNs(lit) {
	let sum = 0;
	for (let i = 1; i < tree.n;) {
		if (lit[tree.fn[i]]) {
			sum += tree.totalNs[i];
			i = tree.end[i];
		} else {
			i++;
		}
	}
	return sum;
}
