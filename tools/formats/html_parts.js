// SPDX-License-Identifier: LGPL-2.1-or-later
// --- lists of objects and processes, to select one of each ---

function partButton(kind, index, name, title, ns, whole) {
	const item = element("li");
	const button = element("button", "part");
	const bar = element("span", "bar");
	button.setAttribute("aria-pressed", state[kind] === index);
	button.title = title;
	bar.style.width = 100 * ns / (whole || 1) + "%";
	button.append(bar, element("span", "label", name),
		      element("span", "percent", percent(ns, whole)));
	if (kind === "object")
		bar.after(swatch(index));
	button.addEventListener("click", () => {
		choose(kind, state[kind] === index ? null : index);
		document.querySelectorAll(`#${kind}${kind === "process" ? "es" : "s"} button`)
			.forEach(other => other.dataset.index === String(index) && other.focus());
	});
	button.dataset.index = index;
	item.append(button);
	return item;
}

// The colour of an object in the graph.
function swatch(index) {
	const made = element("span", "swatch");
	made.style.background = objectColour(index, 0);
	return made;
}

// Each list has the samples that the other list selects.
function drawList(kind, list, sums, describe) {
	const whole = sums.reduce((sum, ns) => sum + ns, 0);
	const order = sums.map((ns, index) => index)
		.filter(index => sums[index] || state[kind] === index)
		.sort((a, b) => sums[b] - sums[a]);
	byId(list).replaceChildren(...order.map(index =>
		partButton(kind, index, ...describe(index), sums[index], whole)));
}

function describeObject(index) {
	return [objectName(index), profile.objects[index].path];
}

function describeProcess(index) {
	const process = profile.processes[index];
	const wall = process.wall ? `, ${seconds(process.wall)} from start to end` : "";
	const name = process.pid === undefined ? process.name :
		`${process.name} (${process.pid})`;
	return [name, process.title + wall];
}

function drawParts() {
	drawList("object", "objects", counts.objects, describeObject);
	drawList("process", "processes", counts.processes, describeProcess);
	byId("all").hidden = ["object", "process", "thread", "from"]
		.every(key => state[key] === null);
}
