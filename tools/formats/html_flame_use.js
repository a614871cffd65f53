// SPDX-License-Identifier: LGPL-2.1-or-later
// --- mouse and keyboard in the graph ---

const item = byId("item");

function describe(frame) {
	const { samples, ns } = frame, whole = flame.root.ns;
	const parts = [`${percent(ns, whole)} of ${flame.root.ns < profile.ns ?
		"the selection" : "all"}`, count(samples, "sample"), seconds(ns)];
	if (frame.above && !flame.up)
		parts.push(`${percent(selfOf(frame), frame.samples)} of them in the function itself`);
	if (isCompared() && frame.above)
		parts.push(`${percent(tree.before[frame.key], tree.before[0])} before` +
			(frameChange(frame).chance ? ", which may be chance" : ""));
	return parts.join(", ");
}

function objectOf(frame) {
	return frame.above ? objectName(functions[frame.fn].object) : "";
}

// The line above the graph: the box under the mouse, or else the focused one.
function showDetails() {
	const frame = flame.hover ?? flame.focus ?? flame.zoom;
	byId("about").textContent = [objectOf(frame), describe(frame)]
		.filter(text => text).join(": ");
	byId("called").textContent = frameName(frame);
	byId("show").hidden = !frame.above;
	byId("unzoom").hidden = flame.zoom === flame.root;
}

// For screen readers, the tree has only the item with the focus.
function describeItem() {
	const frame = flame.focus ?? flame.zoom;
	const row = frame.above ? framesBelow(frame.above, frame.above.least) : [frame];
	item.setAttribute("aria-level", frame.level + 1);
	item.setAttribute("aria-setsize", row.length);
	item.setAttribute("aria-posinset", row.indexOf(frame) + 1);
	item.setAttribute("aria-label", [shorten(frameName(frame), 200), objectOf(frame),
		describe(frame)].filter(text => text).join(", "));
	item.setAttribute("aria-current", frame === flame.zoom);
}

function focusOn(frame) {
	flame.focus = frame;
	const y = frame.level * ROW;
	if (y < scroller.scrollTop)
		scroller.scrollTop = y;
	else if (y + ROW > scroller.scrollTop + scroller.clientHeight)
		scroller.scrollTop = y + ROW - scroller.clientHeight;
	describeItem();
	showDetails();
	redrawFlame();
}

function zoomTo(frame) {
	flame.zoom = frame;
	flame.path = pathOf(frame);
	flame.hover = null;
	drawFlame();
	focusOn(frame);
}

function turn(up) {
	flame.up = up;
	byId("down").setAttribute("aria-pressed", !up);
	byId("up").setAttribute("aria-pressed", up);
	byId("changes").hidden = !isCompared();
	flame.root = makeRoot();
	flame.zoom = flame.root;
	flame.path = [];
	flame.focus = flame.hover = null;
	drawFlame();
	describeItem();
	showDetails();
}

// After a change of the selection: shows the same place again, if it still exists.
function recountFlame() {
	const focus = flame.focus && pathOf(flame.focus);
	flame.root = makeRoot();
	flame.zoom = findFrame(flame.path);
	flame.hover = null;
	flame.focus = focus && findFrame(focus);
	if (flame.focus && !isWithin(flame.focus, flame.zoom) && !isWithin(flame.zoom, flame.focus))
		flame.focus = flame.zoom;
	drawFlame();
	describeItem();
	showDetails();
}

function light() {
	flame.lit = findLit();
	redrawFlame();
}

// --- keyboard: moves among visible boxes only ---

function visible(level) {
	return (flame.rows[level] ?? []).map(box => box.frame);
}

function beside(frame, step) {
	const row = visible(frame.level);
	return row[row.indexOf(frame) + step];
}

function largestBelow(frame) {
	return visible(frame.level + 1).filter(one => one.above === frame)
		.reduce((a, b) => !a || b.ns > a.ns ? b : a, undefined);
}

// The next match, in reading order.
function nextLit(frame, step) {
	const all = flame.rows.flatMap(row => row.map(box => box.frame));
	if (!flame.lit || !all.length)
		return undefined;
	let i = all.indexOf(frame);
	for (let left = all.length; left; left--) {
		i = (i + step + all.length) % all.length;
		if (all[i].above && flame.lit[all[i].fn])
			return all[i];
	}
	return undefined;
}

const flameKeys = {
	ArrowDown: frame => largestBelow(frame),
	ArrowUp: frame => frame.above,
	ArrowLeft: frame => beside(frame, -1),
	ArrowRight: frame => beside(frame, 1),
	Home: () => flame.zoom,
	n: frame => nextLit(frame, 1),
	N: frame => nextLit(frame, -1),
};

const flameActions = {
	Enter: frame => zoomTo(frame),
	" ": frame => zoomTo(frame),
	Escape: () => zoomTo(flame.root),
	Backspace: () => zoomTo(flame.zoom.above ?? flame.root),
	c: frame => frame.above && showCode(functions[frame.fn]),
};

function onFlameKey(event) {
	const frame = flame.focus ?? flame.zoom;
	if (event.ctrlKey || event.altKey || event.metaKey)
		return;
	if (flameKeys[event.key])
		focusOn(flameKeys[event.key](frame) ?? frame);
	else if (flameActions[event.key])
		flameActions[event.key](frame);
	else
		return;
	event.preventDefault();
}

function startFlame() {
	const point = event => boxAt(event.offsetX, event.offsetY)?.frame ?? null;
	canvas.addEventListener("mousemove", event => {
		flame.hover = point(event);
		canvas.style.cursor = flame.hover ? "pointer" : "";
		showDetails();
		redrawFlame();
	});
	canvas.addEventListener("mouseleave", () => {
		flame.hover = null;
		showDetails();
		redrawFlame();
	});
	canvas.addEventListener("click", event => {
		const frame = point(event);
		if (frame)
			zoomTo(frame);
	});
	scroller.addEventListener("keydown", onFlameKey);
	search.addEventListener("keydown", event => {
		const found = event.key === "Enter" && nextLit(flame.zoom, 1);
		if (found) {
			scroller.focus();
			focusOn(found);
		}
	});
	scroller.addEventListener("scroll", redrawFlame);
	byId("down").addEventListener("click", () => turn(false));
	byId("up").addEventListener("click", () => turn(true));
	byId("unzoom").addEventListener("click", () => {
		zoomTo(flame.root);
		scroller.focus();
	});
	byId("show").addEventListener("click", () =>
		showCode(functions[(flame.focus ?? flame.zoom).fn]));
	new ResizeObserver(redrawFlame).observe(scroller);
	dark.addEventListener("change", redrawFlame);
	chooseHues();
	turn(false);
}
