// SPDX-License-Identifier: LGPL-2.1-or-later
// --- selecting a range of time, by mouse and by keyboard ---

// Selects the time between two edges, in any order. The whole run is no selection.
function chooseTime(a, b) {
	const limit = edge => Math.max(0, Math.min(bins, Math.round(edge)));
	let from = limit(Math.min(a, b)), to = limit(Math.max(a, b));
	if (from === to)
		to < bins ? to++ : from--;
	const all = from === 0 && to === bins;
	state.from = all ? null : from + 1;
	state.to = all ? null : to + 1;
	showTime();
	drawStrip();
	refilter();
}

function showTime() {
	const [from, to] = edges();
	const text = state.from === null ? `The whole run: ${timeOf(bins)}` :
		`From ${timeOf(from)} to ${timeOf(to)}: ${timeOf(to - from)}`;
	byId("span").textContent = text;
	byId("always").hidden = state.from === null;
	for (const [id, edge] of [["from", from], ["to", to]]) {
		byId(id).setAttribute("aria-valuenow", edge);
		byId(id).setAttribute("aria-valuetext", timeOf(edge));
	}
}

const rangeKeys = {
	ArrowLeft: (edge, step) => edge - step,
	ArrowDown: (edge, step) => edge - step,
	ArrowRight: (edge, step) => edge + step,
	ArrowUp: (edge, step) => edge + step,
	PageDown: edge => edge - bins / 10,
	PageUp: edge => edge + bins / 10,
	Home: () => 0,
	End: () => bins,
};

// One end cannot pass the other. With Shift, the step is one bin.
function onHandleKey(event) {
	const [from, to] = edges(), first = event.target.id === "from";
	const move = rangeKeys[event.key];
	const step = event.shiftKey ? 1 : Math.max(1, Math.round(bins / 100));
	if (event.key === "Escape")
		chooseTime(0, bins);
	else if (!move || event.ctrlKey || event.altKey || event.metaKey)
		return;
	else if (first)
		chooseTime(Math.min(Math.round(move(from, step)), to - 1), to);
	else
		chooseTime(from, Math.max(Math.round(move(to, step)), from + 1));
	event.preventDefault();
}

// Dragging the mouse selects a range; a click selects the whole run.
function onPress(event) {
	const box = range.getBoundingClientRect(), [from, to] = edges();
	const at = one => (one.clientX - box.left) / box.width * bins;
	const handle = event.target.closest(".handle")?.id;
	const fixed = handle === "from" ? to : handle === "to" ? from : at(event);
	const start = event.clientX;
	let moved = false;
	const move = one => {
		moved ||= Math.abs(one.clientX - start) > 3;
		if (moved)
			chooseTime(fixed, at(one));
	};
	const end = () => {
		range.removeEventListener("pointermove", move);
		range.removeEventListener("pointerup", end);
		range.removeEventListener("pointercancel", end);
		if (!moved && !handle)
			chooseTime(0, bins);
	};
	if (event.button)
		return;
	range.setPointerCapture(event.pointerId);
	range.addEventListener("pointermove", move);
	range.addEventListener("pointerup", end);
	range.addEventListener("pointercancel", end);
}

function startStrip() {
	byId("times").hidden = false;
	range.addEventListener("pointerdown", onPress);
	for (const id of ["from", "to"]) {
		byId(id).addEventListener("keydown", onHandleKey);
		byId(id).setAttribute("aria-valuemin", 0);
		byId(id).setAttribute("aria-valuemax", bins);
	}
	byId("always").addEventListener("click", () => {
		chooseTime(0, bins);
		byId("from").focus();
	});
	byId("lanes-more").addEventListener("click", () => {
		strip.shown += LANES;
		drawLanes();
	});
	new ResizeObserver(redrawStrip).observe(byId("strip"));
	dark.addEventListener("change", redrawStrip);
	showTime();
	drawLanes();
}
