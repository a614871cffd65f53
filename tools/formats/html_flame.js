// SPDX-License-Identifier: LGPL-2.1-or-later
// --- the graph: draws its visible part on a canvas ---

const ROW = 20;			// pixels
const NARROWEST = 0.5;
const PRINTED = 900;		// height on paper
const LEGIBLE = 34;		// narrowest box with text

const canvas = byId("flame"), scroller = byId("scroller");
const dark = matchMedia("(prefers-color-scheme: dark)");
// Hues of objects; the one with the most samples comes first.
const HUES = [28, 205, 140, 275, 52, 335, 178, 235, 95, 305];
const KERNEL = 0;		// hue of the kernel
let printing = false;

const palettes = {
	light: {
		ground: "#fff", text: "#1d2129", dim: "#5a6270", all: "#e3e6ec",
		lit: "#8b2fc9", litText: "#fff", unlit: "#eceef2", focus: "#1d2129",
		bar: "#e8843c", line: "#dcdfe6", waits: ["", "#aebfd6", "#f0d060"],
		changed: (hue, much) => `hsl(${hue} ${80 * much}% ${90 - 28 * much}%)`,
		box: (hue, i) => `hsl(${hue} ${72 - i * 3}% ${79 - i * 2}%)`,
	},
	dark: {
		ground: "#16191f", text: "#eceff4", dim: "#98a1b2", all: "#333945",
		lit: "#c78bf0", litText: "#16191f", unlit: "#252a33", focus: "#fff",
		bar: "#c96f2c", line: "#2c313b", waits: ["", "#56688a", "#7d6a1f"],
		changed: (hue, much) => `hsl(${hue} ${60 * much}% ${24 + 14 * much}%)`,
		box: (hue, i) => `hsl(${hue} ${42 - i * 2}% ${24 + i * 2}%)`,
	},
};

function palette() {
	return dark.matches && !printing ? palettes.dark : palettes.light;
}

// --- colours: an object has a hue, a function a shade of it; waits have their own ---

let hues = [];

function chooseHues() {
	const order = profile.objects.map((object, i) => i)
		.sort((a, b) => counts.objects[b] - counts.objects[a]);
	order.forEach((object, rank) => {
		hues[object] = profile.objects[object].kernel ? KERNEL :
			HUES[rank] ?? Math.round(rank * 137.5) % 360;
	});
}

function shadeOf(name) {
	let hash = 0;
	for (let i = 0; i < Math.min(name.length, 100); i++)
		hash = (hash * 31 + name.charCodeAt(i)) >>> 0;
	return hash % 5;
}

function objectColour(object, shade) {
	return palette().waits[profile.objects[object].waits] ||
		palette().box(hues[object], shade);
}

function colourOf(fn) {
	return objectColour(functions[fn].object, shadeOf(functions[fn].name));
}

// Red is more of the whole than in the earlier profile, and blue is less. Callers have
// no earlier times.
const MORE = 5, LESS = 215;

function isCompared() {
	return tree.before && !flame.up;
}

// From @old of @oldWhole to @ns of @whole, in shares. Two standard deviations of both
// are chance, and have no colour.
function changeOf(ns, whole, old, oldWhole) {
	const share = (part, all) => part / (all || 1);
	const variance = (part, all) => share(part, all) * (1 - share(part, all)) / (all || 1);
	const change = share(ns, whole) - share(old, oldWhole);
	return { change, chance: change ** 2 <= 4 * threads[0].period *
		(variance(ns, whole) + variance(old, oldWhole)) };
}

function frameChange(frame) {
	return changeOf(frame.ns, flame.root.ns, tree.before[frame.key], tree.before[0]);
}

function changeColour(frame) {
	const { change, chance } = frameChange(frame);
	const most = Math.max(frame.ns / flame.root.ns, tree.before[frame.key] / tree.before[0]);
	return palette().changed(change > 0 ? MORE : LESS, chance ? 0 :
		Math.max(0.25, Math.abs(change) / most));
}

function paint(frame) {
	const { all, text, lit, litText, unlit, dim } = palette();
	if (!frame.above)
		return [all, text];
	if (!flame.lit)
		return [isCompared() ? changeColour(frame) : colourOf(frame.fn), text];
	return flame.lit[frame.fn] ? [lit, litText] : [unlit, dim];
}

// --- boxes: the zoomed frame, those below it, and its callers ---

function place(frame, x, width, scale) {
	const below = framesBelow(frame, NARROWEST / scale);
	const covered = frame.covered * scale;
	(flame.rows[frame.level] ??= []).push({ frame, x, width, covered });
	if (covered >= NARROWEST)
		flame.rows[frame.level + 1] ??= [];
	for (const one of below) {
		const ns = one.ns * scale;
		if (ns >= NARROWEST)
			place(one, x + one.start * scale, ns, scale);
	}
}

function layOut(width) {
	const { zoom } = flame;
	flame.rows = [];
	for (let one = zoom.above; one; one = one.above)
		flame.rows[one.level] = [{ frame: one, x: 0, width }];
	if (zoom.ns)
		place(zoom, 0, width, width / zoom.ns);
	else
		flame.rows[0] = [{ frame: zoom, x: 0, width }];
}

// --- the picture ---

function drawBox(context, box, y, letter) {
	const { frame, x, width } = box;
	const [ground, ink] = paint(frame);
	const above = frame.level < flame.zoom.level;
	const gap = width > 3 ? 1 : width / 4;
	context.globalAlpha = above ? 0.45 : 1;
	context.fillStyle = ground;
	context.fillRect(x, y, width - gap, ROW - 1);
	context.globalAlpha = 1;
	if (width >= LEGIBLE) {
		const most = Math.floor((width - 8) / letter);
		context.fillStyle = above ? palette().text : ink;
		context.fillText(shorten(frameName(frame), Math.max(most, 1)),
				 x + 4, y + ROW / 2, width - 7);
	}
	if (frame === flame.hover || frame === flame.focus) {
		context.strokeStyle = palette().focus;
		context.lineWidth = frame === flame.focus ? 2 : 1;
		context.strokeRect(x + 1, y + 1, Math.max(width - gap - 2, 1), ROW - 3);
	}
	flame.drawn++;
}

// Where boxes below @row are, too narrow ones as well.
function drawCovered(context, row, y) {
	context.fillStyle = palette().line;
	for (const { x, covered } of row)
		if (covered >= NARROWEST)
			context.fillRect(x, y, covered - (covered > 3 ? 1 : 0), ROW - 1);
}

// Uses all pixels of the screen. Draws only what is not scrolled away.
function prepareCanvas(target, width, height) {
	const ratio = devicePixelRatio || 1, context = target.getContext("2d");
	const wide = Math.round(width * ratio), high = Math.round(height * ratio);
	if (target.width !== wide || target.height !== high) {
		target.width = wide;
		target.height = high;
	}
	target.style.width = width + "px";
	target.style.height = height + "px";
	context.setTransform(ratio, 0, 0, ratio, 0, 0);
	context.clearRect(0, 0, width, height);
	return context;
}

function drawFlame() {
	const width = byId("spacer").clientWidth;
	const top = printing ? 0 : scroller.scrollTop;
	layOut(width);
	const whole = flame.rows.length * ROW + 1;
	const most = printing ? PRINTED : Math.max(240, Math.round(innerHeight * 0.6));
	const height = Math.min(whole, most);
	byId("spacer").style.height = whole + "px";
	scroller.style.height = height + 2 + "px";
	const context = prepareCanvas(canvas, width, height);
	context.font = "12px ui-monospace, monospace";
	context.textBaseline = "middle";
	context.direction = "ltr";
	const letter = context.measureText("m").width;
	flame.drawn = 0;
	flame.rows.forEach((row, level) => {
		const y = level * ROW - top;
		if (y <= -ROW || y >= height)
			return;
		drawCovered(context, flame.rows[level - 1] ?? [], y);
		row.forEach(box => drawBox(context, box, y, letter));
	});
}

const redrawFlame = beforeFrame(drawFlame);

// The box at a point of the canvas.
function boxAt(x, y) {
	const row = flame.rows[Math.floor((y + scroller.scrollTop) / ROW)] ?? [];
	let low = 0, high = row.length;
	while (low < high) {
		const middle = (low + high) >> 1;
		if (row[middle].x + row[middle].width <= x)
			low = middle + 1;
		else
			high = middle;
	}
	return row[low]?.x <= x ? row[low] : undefined;
}
