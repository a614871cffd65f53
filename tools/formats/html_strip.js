// SPDX-License-Identifier: LGPL-2.1-or-later
// --- the strip of time: a lane for each thread, and the selected range ---

const LANES = 12;		// shown at once
const AXIS = 18;		// pixels
const SOME = 8;			// samples that a column should have time for

const ORDER = [0, 2, 1];		// of kinds, from below

const strip = { shown: LANES, lanes: [] };
const range = byId("range"), bins = stacks.bins;	// 0: times are unknown

// The selected time as edges of bins: bin 1 is from edge 0 to edge 1.
function edges() {
	return state.from === null ? [0, bins] : [state.from - 1, state.to - 1];
}

function timeOf(edge) {
	return seconds(edge * stacks.width * 1000);
}

// --- the picture of a lane ---

// How many of the threads do what is of @kind, in each of @columns parts of the time.
function activity(list, columns, kind) {
	const used = new Float64Array(columns);
	const edge = column => Math.ceil(column * bins / columns);
	for (const { bins: numbers, kinds, period } of list)
		for (let i = numbers[0] ? 0 : 1; i < numbers.length; i++)
			used[Math.floor((numbers[i] - 1) * columns / bins)] +=
				kinds[kind][i] * period;
	return used.map((ns, i) => ns / (edge(i + 1) - edge(i)) / stacks.width / 1000);
}

// The number of columns. Each has time for some samples, so that heights vary less.
function columnsOf(list, width) {
	const period = list.reduce((most, thread) => Math.max(most, thread.period), 1);
	const some = Math.floor(bins * stacks.width * 1000 / (SOME * period));
	return Math.max(1, Math.min(bins, Math.floor(width), Math.max(some, 20)));
}

function kindColour(kind) {
	return palette().waits[kind] || palette().bar;
}

// What the colours of the lanes are, if there are several.
function drawKinds() {
	byId("kinds").hidden = !hasWaits;
	if (!hasWaits)
		return;
	byId("kinds").replaceChildren(...ORDER.flatMap(kind => {
		const made = element("span", "swatch");
		made.style.background = kindColour(kind);
		return [made, KINDS[kind]];
	}));
}

function drawLane({ picture, list }) {
	const { clientWidth: width, clientHeight: lane } = picture.parentNode;
	const columns = columnsOf(list, width), step = width / columns;
	const kinds = list[0].kinds.map((all, kind) => activity(list, columns, kind));
	const sums = kinds[0].map((value, i) => kinds.reduce((sum, one) => sum + one[i], 0));
	const most = sums.reduce((a, b) => Math.max(a, b), 1);
	const context = prepareCanvas(picture, width, lane);
	context.globalAlpha = list.some(isChosen) ? 1 : 0.35;
	sums.forEach((sum, i) => {
		const x = Math.floor(i * step), next = Math.floor((i + 1) * step);
		let y = lane - 1;
		for (const kind of kinds.length > 1 ? ORDER : [0]) {
			const value = kinds[kind][i];
			const height = value && Math.max(1, value / most * (lane - 3));
			context.fillStyle = kindColour(kind);
			context.fillRect(x, y -= height, Math.max(1, next - x), height);
		}
	});
	context.globalAlpha = 1;
	context.fillStyle = palette().line;
	context.fillRect(0, lane - 1, width, 1);
}

// A round step, so that @whole has about @wanted steps.
function roundStep(whole, wanted) {
	const unit = 10 ** Math.floor(Math.log10(whole / wanted));
	return unit * ([1, 2, 5].find(n => n * unit * wanted >= whole) ?? 10);
}

// The phases of the selected process, or of the first that has some.
function phasesShown() {
	const process = state.process ?? stacks.phases[0]?.[0];
	return stacks.phases.filter(phase => phase[0] === process);
}

// Below the numbers: a line where a phase begins, and its name if there is room.
function drawPhases(context, width, list) {
	const at = phase => phase ? phase[1] / (bins * stacks.width) * width : width;
	list.forEach((phase, i) => {
		const x = at(phase), room = at(list[i + 1]) - x - 6;
		context.fillRect(x, AXIS + 2, 1, AXIS - 2);
		if (context.measureText(phase[2]).width <= room)
			context.fillText(phase[2], x + 4, AXIS * 1.5);
	});
}

function drawAxis() {
	const picture = byId("axis"), width = picture.parentNode.clientWidth;
	const whole = bins * stacks.width / 1e6, phases = phasesShown();
	const context = prepareCanvas(picture, width, phases.length ? 2 * AXIS : AXIS);
	const step = roundStep(whole, Math.max(1, width / 90));
	const digits = Math.max(0, -Math.floor(Math.log10(step) + 1e-9));
	context.font = "11px system-ui, sans-serif";
	context.fillStyle = palette().dim;
	context.textBaseline = "middle";
	for (let i = 0; i * step <= whole; i++) {
		const x = i * step / whole * width;
		context.fillRect(x, AXIS - 5, 1, 5);
		if (x < width - 40)
			context.fillText((i * step).toFixed(digits) + " s", x + (i ? 4 : 9), AXIS / 2);
	}
	drawPhases(context, width, phases);
}

function drawStrip() {
	const [from, to] = edges().map(edge => 100 * edge / bins);
	byId("before").style.width = from + "%";
	byId("after").style.width = 100 - to + "%";
	byId("from").style.left = from + "%";
	byId("to").style.left = to + "%";
	strip.lanes.forEach(drawLane);
	drawAxis();
	drawKinds();
}

const redrawStrip = beforeFrame(drawStrip);

// --- the lanes ---

// The process comes last: where there is little room, names of threads still differ.
function threadName(thread) {
	const process = profile.processes[thread.process].name;
	const name = thread.name || process;
	const of = name !== process && profile.processes.length > 1 ? `, ${process}` : "";
	if (thread.threads)
		return `${name} \u00d7 ${thread.threads}${of}`;
	return `${name} (${thread.tid || "unknown thread"})${of}`;
}

function laneLabel(list, thread) {
	const chosen = thread ? state.thread === thread.index : state.thread === null;
	const button = element("button", "part");
	const ns = list.reduce((sum, one) => sum + counts.threads[one.index], 0);
	const name = thread ? threadName(thread) : count(list.length, "thread");
	button.append(element("span", "label", name),
		      element("span", "percent", percent(ns, strip.ns)));
	button.title = name;
	button.dataset.index = thread ? thread.index : "";
	button.setAttribute("aria-pressed", chosen);
	button.addEventListener("click", () => {
		choose("thread", thread && !chosen ? thread.index : null);
		byId("lanes").querySelector(`button[data-index="${button.dataset.index}"]`)
			?.focus();
	});
	return button;
}

function makeLane(list, thread) {
	const row = element("li"), picture = element("canvas"), cell = element("div", "lane");
	cell.append(picture);
	row.append(laneLabel(list, thread), cell);
	strip.lanes.push({ picture, list });
	return row;
}

// Draws the lanes of the selected process, or of all.
function drawLanes() {
	const list = threads.filter(thread => state.process === null ||
		thread.process === state.process);
	const order = [...list].sort((a, b) => b.count * b.period - a.count * a.period);
	const rows = [];
	strip.lanes = [];
	strip.ns = list.reduce((sum, one) => sum + counts.threads[one.index], 0);
	if (list.length > 1)
		rows.push(makeLane(list, null));
	for (const thread of order.slice(0, strip.shown))
		rows.push(makeLane([thread], thread));
	byId("lanes").replaceChildren(...rows);
	const left = order.length - strip.shown;
	byId("lanes-more").hidden = left <= 0;
	byId("lanes-more").textContent = `Show ${Math.min(left, LANES)} more of ` +
		count(left, "thread");
	drawStrip();
}
