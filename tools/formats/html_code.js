// SPDX-License-Identifier: LGPL-2.1-or-later
// --- the code of a function, with the samples of each line ---

function lineRow([samples, label, text], total, widest) {
	const row = element("tr", samples ? "hot" : "");
	if (samples) {
		row.style.setProperty("--heat", (0.15 + 0.85 * samples / widest).toFixed(3));
		row.append(element("td", "number", samples),
			   element("td", "number", percent(samples, total)));
	} else {
		row.append(element("td"), element("td"));
	}
	row.append(element("td", "label", label), element("td", "code", text));
	return row;
}

function cutRow() {
	const row = element("tr", "cut");
	const cell = element("td", "", "\u22ee");
	cell.colSpan = 4;
	row.append(cell);
	return row;
}

function pane(listing, total) {
	const made = element("div", "pane");
	const scroller = element("div", "scroller");
	const table = element("table");
	const widest = listing.lines.reduce((most, line) => Math.max(most, line[0]), 1);
	for (const line of listing.lines)
		table.append(line[1] === null ? cutRow() : lineRow(line, total, widest));
	// Lets the keyboard scroll it.
	scroller.tabIndex = 0;
	scroller.setAttribute("role", "region");
	scroller.setAttribute("aria-label", listing.title);
	scroller.append(table);
	made.append(element("h3", "", listing.title), scroller);
	if (listing.elsewhere)
		made.append(element("p", "", count(listing.elsewhere, "sample") +
			" in unknown lines"));
	return made;
}

function sitesText(entry) {
	const names = entry.sites.slice(0, 10).map(([samples, name]) =>
		`${name} (${percent(samples, entry.total)})`);
	const rest = entry.sites.length - names.length;
	return "Inlined into " + names.join(", ") + (rest ? `, and ${rest} more` : "");
}

function detailRow(entry) {
	const row = element("tr", "detail");
	const cell = element("td");
	const panes = element("div", "panes");
	cell.colSpan = document.querySelectorAll("#profile th:not([hidden])").length;
	if (entry.sites)
		cell.append(element("p", "", sitesText(entry)));
	if (entry.total !== entry.samples)
		cell.append(element("p", "", `${count(entry.total, "sample")} with ` +
			`inlined calls, ${entry.samples} without them`));
	if (!entry.listings.length)
		cell.append(element("p", "", counts.samples[entry.index] ?
			"This page does not include the code" : counts.total[entry.index] ?
			"All samples are in functions that it calls" :
			"It has no samples here"));
	if (entry.listings.length && counts.wholeNs !== profile.ns)
		cell.append(element("p", "", "The code shows the samples of the whole profile:"));
	for (const listing of entry.listings)
		panes.append(pane(listing, entry.total));
	cell.append(panes);
	row.append(cell);
	return row;
}

// Scrolls each listing to its hottest line.
function showHottest(detail) {
	for (const scroller of detail.querySelectorAll(".scroller")) {
		const hot = [...scroller.querySelectorAll("tr.hot")];
		const heat = row => Number(row.style.getPropertyValue("--heat"));
		if (!hot.length)
			continue;
		const hottest = hot.reduce((a, b) => heat(b) > heat(a) ? b : a);
		scroller.scrollTop = hottest.offsetTop - scroller.clientHeight / 2;
	}
}
