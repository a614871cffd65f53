// SPDX-License-Identifier: LGPL-2.1-or-later
// Appended to a page of "profil report --html": uses it as a person would and
// tells the page around it the result, in TAP.

const rows = () => [...document.querySelectorAll("#profile tr.function")];
const column = (n) => rows().map(row => row.children[n].textContent.replace(n === 2 ? /,/g : "", ""));
const header = (key) => document.querySelector(`#profile th[data-key=${key}] button`);
const parts = (kind) => [...document.querySelectorAll(`#${kind} button`)];
const sorted = (values) => values.every((value, i) =>
	i === 0 || values[i - 1].localeCompare(value) <= 0);
const falling = (values) => values.every((value, i) =>
	i === 0 || Number(values[i - 1]) >= Number(value));
const share = (button) => parseFloat(button.querySelector(".percent").textContent);

// --- what it says of itself ---

ok(document.title.startsWith(profile.name) && document.title.includes(profile.date) &&
   document.title.includes(profile.host) && /^\d{4}-\d\d-\d\d /.test(profile.date),
   "the title is the command line, the date and the host");

ok(byId("times").hidden && threads.every(one => !one.tid),
   "without stacks no times are known, and no threads");

// --- the table ---

const most = Math.min(functions.length, 200);
ok(rows().length === most && rows().length > 1, "the page has a row for each function, or 200");
ok(falling(column(2)), "rows are sorted by time at first");
header("name").click();
ok(sorted(column(4)), "a click on Function sorts by name");
header("name").click();
ok(sorted(column(4).reverse()) && !sorted(column(4)), "a second click turns the order around");
header("samples").click();
ok(falling(column(2)), "a click on Samples sorts by samples");
if (functions.length > 200) {
	const first = column(2)[0];
	document.getElementById("more").click();
	ok(rows().length === Math.min(functions.length, 400) && column(2)[0] === first,
	   "more are drawn when they are asked for");
} else {
	ok(document.getElementById("more").hidden, "where there are no more, none are offered");
}

type(functions[0].name.toUpperCase());
ok(rows().length >= 1 && rows().length < most + 200 && column(4)[0].startsWith(functions[0].name),
   "searching leaves the functions that match");
type("no function is called this");
ok(rows().length === 0, "searching for nothing that is there leaves nothing");
type("");

// A letter costs what is drawn, and not what there is.
let made = 0;
const create = document.createElement;
document.createElement = function (...tag) {
	made++;
	return create.apply(document, tag);
};
type("f");
document.createElement = create;
ok(made <= 200 * 14, `typing makes as many elements as 200 rows have: ${made}`);
type("");

// --- a function ---

const button = () => rows()[0].querySelector("button");
ok(button().tagName === "BUTTON" && button().tabIndex === 0 &&
   button().getAttribute("aria-expanded") === "false",
   "a row is a button, closed, for Space and Enter");
button().click();
ok(button().getAttribute("aria-expanded") === "true", "it says that it is open");
const detail = document.querySelector("tr.detail");
const entry = functions.find(one => rows()[0].querySelector("button").textContent === one.name &&
	String(one.samples) === column(2)[0]);
const bars = [...detail.querySelectorAll(".pane:first-child tr.hot td:first-child")]
	.map(cell => Number(cell.textContent));
ok(sum(bars) === entry.total, "an opened function's addresses have all its samples");
ok(fits(), "what is open does not make the page wider");
const heats = [...detail.querySelectorAll("tr.hot")]
	.map(row => Number(row.style.getPropertyValue("--heat")));
ok(Math.max(...heats) === 1 && heats.every(heat => heat > 0), "the hottest line is the hottest");
ok(bars.every((n, i) => bars.every((m, j) => n <= m || heats[i] >= heats[j])),
   "more samples are more heat");
header("name").click();
header("samples").click();
ok(document.querySelectorAll("tr.detail").length === 1 &&
   button().getAttribute("aria-expanded") === "true",
   "what is open stays open when the rows are sorted");
rows()[0].click();
ok(!document.querySelector("tr.detail"), "a second click closes it");

const width = (one) => Math.max(...one.listings.flatMap(listing =>
	listing.lines.map(line => line[2].length)));
const wide = functions.reduce((a, b) => width(b) > width(a) ? b : a);
const wideButton = () => rows().map(row => row.querySelector("button"))
	.find(one => one.textContent === wide.name);
type(wide.name);
wideButton().click();
ok(width(wide) > 1000 && fits() && [...document.querySelectorAll(".scroller")].some(one =>
	one.scrollWidth > one.clientWidth + 1000),
   "a line of a thousand letters scrolls where it is");
wideButton().click();
type("");

// --- objects and processes ---

for (const kind of ["objects", "processes"])
	ok(Math.abs(parts(kind).reduce((all, part) => all + share(part), 0) - 100) <
	   0.006 * parts(kind).length, `the shares of all ${kind} are 100%`);
const object = objectName(parts("objects")[0].dataset.index);
parts("objects")[0].click();
ok(column(5).every(name => name === object) &&
   parts("objects").some(part => part.getAttribute("aria-pressed") === "true"),
   "a click on an object leaves its functions");
document.getElementById("all").click();
ok(rows().length === most && document.getElementById("all").hidden, "and all come back");
const index = Number(parts("processes")[0].dataset.index);
parts("processes")[0].click();
ok(falling(column(2)) && sum(column(2)) <= counts.whole &&
   counts.whole === sum(threads.filter(one => one.process === index).map(one => one.count)),
   "a click on a process leaves what it has done");
parts("processes").find(part => Number(part.dataset.index) === index).click();
ok(rows().length === most, "a second click brings the others back");

// --- how it looks ---

isWide();
const visible = rows()[0].getBoundingClientRect();
ok([...rows()[0].children].every(cell => {
	const box = cell.getBoundingClientRect();
	return box.left >= visible.left - 1 && box.right <= visible.right + 1 && box.width > 20;
}), "each cell of a row is on the screen");
const ground = getComputedStyle(document.body).backgroundColor;
ok(matchMedia("(prefers-color-scheme: dark)").matches === (luminance(ground) < 0.2),
   "the page is dark where darkness is wanted");
ok(contrast(getComputedStyle(document.body).color, ground) >= 7 &&
   contrast(getComputedStyle(rows()[0].children[5]).color, ground) >= 4.5,
   "text can be told from its ground");

tell();
