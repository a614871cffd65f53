// SPDX-License-Identifier: LGPL-2.1-or-later
// --- the table of functions ---

const STEP = 200;		// rows drawn at once

const body = document.querySelector("#profile tbody");
const search = byId("search");
const more = byId("more");

function shareCell(part, whole, widest) {
	const cell = element("td", "share");
	const bar = element("span", "bar");
	bar.style.width = 100 * part / (widest || 1) + "%";
	const track = element("span", "track");
	if (part)
		track.append(bar);
	cell.append(element("span", "percent", percent(part, whole)), track);
	return cell;
}

function toggle(entry, row) {
	const open = row.classList.toggle("open");
	row.querySelector("button").setAttribute("aria-expanded", open);
	if (open) {
		state.open.add(entry);
		row.after(detailRow(entry));
		showHottest(row.nextElementSibling);
	} else {
		state.open.delete(entry);
		row.nextElementSibling.remove();
	}
}

function nameCell(entry, open) {
	const cell = element("td", "name");
	const button = element("button", "", entry.name);
	button.setAttribute("aria-expanded", open);
	cell.append(button);
	if (entry.sites)
		cell.append(element("span", "note", entry.sites.length === 1 ?
			`inlined into ${entry.sites[0][1]}` :
			`inlined into ${entry.sites.length} functions`));
	return cell;
}

// The change of the share since the earlier profile, in percentage points.
function changeCell({ change, chance }) {
	const points = Math.round(10000 * change) / 100;
	return element("td", "number change",
		(points > 0 ? "+" : "") + points.toFixed(2) + (points && chance ? "~" : ""));
}

function functionRow({ entry, samples, ns, totalNs, change }, whole) {
	const open = state.open.has(entry);
	const row = element("tr", open ? "function open" : "function");
	row.dataset.index = entry.index;
	row.append(
		shareCell(ns, whole.ns, whole.widest),
		element("td", "number total", percent(totalNs, counts.wholeNs)),
		element("td", "number samples", integers.format(samples)),
		element("td", "number seconds", decimals.format(ns / 1e9)),
		...change ? [changeCell(change)] : [],
		nameCell(entry, open),
		element("td", "object", objectName(entry.object)),
		element("td", "place", entry.place));
	row.addEventListener("click", () => {
		if (!getSelection().toString())
			toggle(entry, row);
	});
	return row;
}

// The counts of a function in the selection.
function partOf(entry) {
	const { index } = entry;
	return { entry, samples: counts.samples[index], ns: counts.ns[index],
		 total: counts.total[index], totalNs: counts.totalNs[index] };
}

const keys = {
	ns: part => part.ns,
	totalNs: part => part.totalNs,
	samples: part => part.samples,
	change: part => part.change.change,
	name: part => part.entry.name,
	object: part => objectName(part.entry.object),
	place: part => part.entry.place,
};

function compare(a, b) {
	const x = keys[state.key](a), y = keys[state.key](b);
	const result = typeof x === "string" ? x.localeCompare(y) : x - y;
	return (state.down ? -result : result) || b.totalNs - a.totalNs;
}

function foundText(shown, chosen, whole) {
	const parts = [];
	const ns = shown.reduce((sum, part) => sum + part.ns, 0);
	parts.push(shown.length === functions.length ? count(shown.length, "function") :
		`${integers.format(shown.length)} of ` + count(functions.length, "function"));
	if (shown.length !== chosen.length)
		parts.push(percent(ns, whole.ns) + " of the selection");
	if (state.object !== null || counts.wholeNs !== profile.ns)
		parts.push(percent(whole.ns, profile.ns) + " of all");
	if (flame.lit)
		parts.push(percent(litNs(flame.lit), counts.wholeNs) +
			   " is in stacks with a match");
	return parts.join(", ");
}

function draw() {
	const chosen = functions.filter(isIn).map(partOf)
		.filter(part => part.samples || part.total || part.entry.before);
	const whole = {
		ns: chosen.reduce((sum, part) => sum + part.ns, 0),
		before: chosen.reduce((sum, part) => sum + (part.entry.before ?? 0), 0),
		widest: chosen.reduce((most, part) => Math.max(most, part.ns), 1),
	};
	if (tree.before)
		for (const part of chosen)
			part.change = changeOf(part.ns, whole.ns, part.entry.before, whole.before);
	const shown = chosen.filter(part => part.entry.text.includes(state.wanted));
	shown.sort(compare);
	const rows = [];
	// Open rows are drawn wherever they are.
	let drawn = 0, last = -1;
	shown.forEach((part, i) => {
		const open = state.open.has(part.entry);
		if (i >= state.limit && !open)
			return;
		const row = functionRow(part, whole);
		row.classList.toggle("apart", i > last + 1);
		rows.push(row);
		if (open)
			rows.push(detailRow(part.entry));
		last = i;
		drawn++;
	});
	body.replaceChildren(...rows);
	body.querySelectorAll("tr.detail").forEach(showHottest);
	const left = shown.length - drawn;
	more.hidden = left <= 0;
	more.textContent = `Show ${Math.min(left, STEP)} more of ${integers.format(left)}`;
	byId("found").textContent = foundText(shown, chosen, whole);
}

function sortBy(header) {
	const key = header.dataset.key;
	const text = key === "name" || key === "object" || key === "place";
	state.down = state.key === key ? !state.down : !text;
	state.key = key;
	for (const other of document.querySelectorAll("#profile th"))
		other.removeAttribute("aria-sort");
	header.setAttribute("aria-sort", state.down ? "descending" : "ascending");
	draw();
}

// Opens the row of a function and scrolls to it.
function showCode(entry) {
	state.open.add(entry);
	const find = () => body.querySelector(`tr.function[data-index="${entry.index}"]`);
	if (!entry.text.includes(state.wanted) || !isIn(entry)) {
		search.value = state.wanted = "";
		state.object = null;
		refilter();
	}
	draw();
	find()?.scrollIntoView({ block: "start" });
	find()?.querySelector("button").focus();
}
