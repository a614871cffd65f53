// SPDX-License-Identifier: LGPL-2.1-or-later
// --- the page: applies selections, and draws all again ---

function refilterNow() {
	recount();
	flame.lit = findLit();
	recountFlame();
	if (bins)
		drawLanes();
	drawParts();
	draw();
}

const refilter = beforeFrame(refilterNow);

function choose(kind, index) {
	state[kind] = index;
	state.limit = STEP;
	if (kind === "process" && index !== null && state.thread !== null &&
	    threads[state.thread].process !== index)
		state.thread = null;
	refilterNow();
}

for (const header of document.querySelectorAll("#profile th"))
	header.addEventListener("click", () => sortBy(header));
search.addEventListener("input", () => {
	state.limit = STEP;
	state.wanted = search.value.toLowerCase();
	light();
	draw();
});
more.addEventListener("click", () => {
	state.limit += STEP;
	draw();
});
byId("all").addEventListener("click", () => {
	state.object = state.process = state.thread = state.from = state.to = null;
	refilterNow();
	if (bins)
		showTime();
	search.focus();
});
{
	const join = (...texts) => texts.filter(text => text).join(", ");
	const when = join(profile.date, profile.host), { before } = profile;
	document.title = join(profile.name, when);
	document.querySelector("h1").textContent = profile.name;
	document.querySelector("th.change").hidden = !before;
	byId("when").textContent = when + (before ? "\nCompared with " +
		join(before.name, before.date, before.host) : "");
	byId("totals").textContent = profile.totals.replace(/(?<![.\d])\d{4,}/g,
		digits => integers.format(digits));
}
recount();
startFlame();
if (bins)
	startStrip();
for (const [event, on] of [["beforeprint", true], ["afterprint", false]])
	addEventListener(event, () => {
		printing = on;
		drawFlame();
		if (bins)
			drawStrip();
		drawParts();
	});
drawParts();
draw();
