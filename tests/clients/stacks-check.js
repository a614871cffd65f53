// SPDX-License-Identifier: LGPL-2.1-or-later
// Appended to a page of a profile with stacks, after a REPORT, the same profile as
// text: uses it as a person would, by mouse and by keyboard, and tells the page
// around it the result, in TAP.

const same = (a, b) => a.length === b.length && a.every((value, i) => value === b[i]);
const key = (target, name, more) => target.dispatchEvent(new KeyboardEvent("keydown",
	{ key: name, bubbles: true, cancelable: true, ...more }));
const time = (from, to) => {
	chooseTime(from, to);
	refilterNow();
};
const boxes = () => flame.rows.flat();
const boxOf = frame => boxes().find(box => box.frame === frame);
// Where on the screen the middle of a box is.
const middle = ({ frame, x, width }) => {
	const at = canvas.getBoundingClientRect();
	return { clientX: at.left + x + width / 2, bubbles: true,
		 clientY: at.top + frame.level * ROW - scroller.scrollTop + ROW / 2 };
};
const click = box => canvas.dispatchEvent(new MouseEvent("click", middle(box)));
const colourAt = ({ frame, x, width }) => {
	const ratio = canvas.width / canvas.clientWidth;
	const at = canvas.getContext("2d").getImageData((x + width - 3) * ratio,
		(frame.level * ROW - scroller.scrollTop + 3) * ratio, 1, 1).data;
	return [...at].slice(0, 3).join();
};
const samples = () => [...counts.samples];
const everyNode = () => Array.from({ length: tree.n - 1 }, (one, i) => i + 1);
const everything = samples();

// --- what is counted ---

const table = [...REPORT.matchAll(/^ *[\d.]+% +(\d+) +[\d.]+ +([\d.]+%)  \S/gm)];
const rows = table.map(row => Number(row[1])).sort((a, b) => b - a);
ok(same(everything.filter(n => n).sort((a, b) => b - a), rows.filter(n => n)) &&
   rows.length > 100, `functions have the samples that the text has: ${rows.length}`);
const shares = functions.filter(entry => counts.samples[entry.index])
	.map(entry => percent(counts.totalNs[entry.index], counts.wholeNs));
ok(stacks.least > 1 || same(shares.sort(),
	table.filter(row => row[1] !== "0").map(row => row[2]).sort()),
   "and their shares of all stacks");
ok(functions.every(entry => entry.samples === everything[entry.index]),
   "and those that their code has");
const parents = node => node ? [node, ...parents(tree.parent[node])] : [];
const reached = Array(functions.length).fill(0);
for (let node = 1; node < tree.n; node++)
	if (tree.samples[node])
		for (const fn of new Set(parents(node).map(one => tree.fn[one])))
			reached[fn] += tree.samples[node];
ok(same(reached, [...counts.total]), "a function's total has each stack that it is in once");
ok(reached.some((n, fn) => n > everything[fn]) && tree.total[0] === profile.samples,
   "the root has all samples");

// --- the filters ---

let all = functions.map(() => 0);
for (const thread of threads) {
	choose("thread", thread.index);
	if (counts.whole !== thread.count)
		ok(false, `thread ${thread.name} has all of its samples`);
	all = all.map((n, i) => n + counts.samples[i]);
}
ok(same(all, everything) && threads.length > 5, "what threads have is all there is");
choose("thread", null);
all = functions.map(() => 0);
profile.processes.forEach((process, index) => {
	choose("process", index);
	all = all.map((n, i) => n + counts.samples[i]);
});
ok(same(all, everything), "what processes have is all there is");
choose("process", 0);
choose("thread", threads.find(thread => thread.process === 0).index);
choose("process", 1);
ok(state.thread === null && counts.whole === sum(threads.map(thread =>
	thread.process === 1 ? thread.count : 0)),
   "another process than that of the thread shows all of its threads");
byId("all").click();
ok(same(samples(), everything) && byId("all").hidden, "Show all shows all");

const timeless = sum(threads.map(thread => thread.bins[0] === 0 ? thread.counts[0] : 0));
const edge = Math.round(bins / 3);
time(0, edge);
const first = samples(), text = byId("span").textContent;
time(edge, bins);
const second = samples();
time(0, bins);
ok(sum(first) > 0 && sum(second) > 0 && timeless > 0 &&
   sum(first) + sum(second) + timeless === profile.samples &&
   everything.every((n, i) => n >= first[i] + second[i]),
   "two parts of the time have all samples whose time is known");
ok(text.includes(timeOf(edge)), "the time that is shown is said: " + text);
time(edge, edge + 1);
const one = samples();
time(edge, edge + 3);
const three = samples();
time(edge + 1, edge + 3);
ok(same(three, samples().map((n, i) => n + one[i])), "parts of it add up");
time(0, bins);

// --- waits ---

if (hasWaits) {
	ok(threads.every(thread => thread.counts.every((n, bin) =>
		n === sum(thread.kinds.map(kind => kind[bin])))) &&
	   KINDS.every((name, kind) => sum(threads.map(thread => sum([...thread.kinds[kind]]))) ===
		sum(everyNode().filter(node => kindOf[tree.fn[node]] === kind)
			.map(node => tree.samples[node]))),
	   "each sample of a thread is of its kind");
	ok(KINDS.every(name => byId("kinds").textContent.includes(name)) && !byId("kinds").hidden,
	   "the kinds are named");
	const { picture } = strip.lanes[0];
	const { data: pixels } = picture.getContext("2d").getImageData(0, 0, picture.width,
		picture.height);
	const seen = new Set();
	for (let i = 0; i < pixels.length; i += 4)
		seen.add("#" + [0, 1, 2].map(j => pixels[i + j].toString(16).padStart(2, "0")).join(""));
	ok(ORDER.every(kind => seen.has(kindColour(kind))), "a lane has the colours of all three");
	ok(functions.every(({ index }) => !kindOf[index] ||
		colourOf(index) === palette().waits[kindOf[index]]), "waits have them in the graph, too");
} else {
	ok(byId("kinds").hidden && threads.every(thread => thread.kinds[0] === thread.counts),
	   "without waits there is one kind");
}

// --- choosing the time, by keyboard and mouse ---

const now = id => Number(byId(id).getAttribute("aria-valuenow"));
key(byId("from"), "PageUp");
key(byId("from"), "ArrowRight", { shiftKey: true });
key(byId("to"), "ArrowLeft");
refilterNow();
ok(now("from") === Math.round(bins / 10) + 1 && now("to") < bins &&
   counts.whole < profile.samples, "the ends of the time are moved by keys");
key(byId("to"), "Home");
ok(now("to") === now("from") + 1, "and do not go past each other");
key(byId("to"), "Escape");
refilterNow();
ok(now("from") === 0 && now("to") === bins && counts.whole === profile.samples,
   "Escape takes all of it");
range.setPointerCapture = () => {};
const drag = (type, part) => {
	const at = range.getBoundingClientRect();
	range.dispatchEvent(new PointerEvent(type, { bubbles: true,
		clientX: at.left + part * at.width, clientY: at.top + 30 }));
};
drag("pointerdown", 0.75);
drag("pointermove", 0.25);
drag("pointerup", 0.25);
refilterNow();
ok(now("from") === Math.round(bins / 4) && now("to") === Math.round(bins * 3 / 4),
   "the mouse draws a part of the time");
drag("pointerdown", 0.5);
drag("pointerup", 0.5);
refilterNow();
ok(counts.whole === profile.samples, "a click takes all of it");
ok(["from", "to", "scroller"].every(id => byId(id).tabIndex === 0 &&
	byId(id).getAttribute("aria-label") && byId(id).getAttribute("role")),
   "whatever is not a button has a role, a name, and a place in the order of Tab");

// --- the graph ---

const width = byId("spacer").clientWidth;
ok(boxes().every(box => box.width >= NARROWEST) && boxes().length > 50 &&
   flame.rows.every(row => sum(row.map(box => box.width)) < width + 0.01) &&
   flame.drawn <= flame.rows.length * width / NARROWEST,
   `what is too narrow to be seen is not drawn: ${boxes().length} of ${tree.n}`);
ok(document.querySelectorAll("*").length < 200 * 15 + 800, "the page has no elements for it");
ok(flame.rows.every(row => row.every((box, i) =>
	!i || row[i - 1].x + row[i - 1].width <= box.x + 0.001)),
   "boxes of a row do not overlap");
ok(boxes().every(box => !box.frame.above || (box.x >= boxOf(box.frame.above).x - 0.001 &&
	box.x + box.width <= boxOf(box.frame.above).x + boxOf(box.frame.above).width + 0.001)),
   "a box is below who has called it");
const target = flame.rows[3].reduce((a, b) => b.width < a.width && b.width > 8 ? b : a);
canvas.dispatchEvent(new MouseEvent("mousemove", middle(target)));
ok(byId("called").textContent === functions[target.frame.fn].name &&
   byId("about").textContent.includes(target.frame.samples.toLocaleString("en")),
   "what the mouse is on is told");
canvas.dispatchEvent(new MouseEvent("mouseleave"));
click(target);
ok(flame.zoom === target.frame && Math.abs(boxOf(target.frame).width - width) < 0.01 &&
   !byId("unzoom").hidden, "a click zooms in");
const zoomed = pathOf(flame.zoom);
time(0, edge);
time(0, bins);
ok(same(pathOf(flame.zoom), zoomed), "what is zoomed to stays when the time is another");
click(boxOf(flame.root));
ok(flame.zoom === flame.root, "a click on what is above zooms out");

key(scroller, "ArrowDown");
const down = flame.focus;
ok(down.above === flame.root && down.ns === Math.max(...flame.rows[1].map(box => box.frame.ns)),
   "Down goes to what has most time");
ok(item.getAttribute("aria-level") === "2" && item.getAttribute("role") === "treeitem" &&
   item.getAttribute("aria-label").startsWith(functions[down.fn].name) &&
   byId("called").textContent === functions[down.fn].name &&
   scroller.getAttribute("aria-activedescendant") === "item",
   "the box that the keys are at is told");
key(scroller, "ArrowRight");
ok(flame.focus === flame.rows[1][1].frame, "Right goes to the next one");
key(scroller, "ArrowLeft");
key(scroller, "ArrowDown");
key(scroller, "ArrowUp");
ok(flame.focus === down, "Left and Up go back");
key(scroller, "ArrowDown");
key(scroller, "Enter");
ok(flame.zoom === flame.focus && flame.zoom.level === 2, "Enter zooms in");
key(scroller, "Backspace");
ok(flame.zoom === down, "Backspace zooms out by one");
key(scroller, "Escape");
ok(flame.zoom === flame.root, "Escape zooms out");
key(scroller, "ArrowDown");
state.limit = 1;
key(scroller, "c");
ok(document.activeElement.textContent === functions[down.fn].name && body.rows.length === 3 &&
   document.activeElement.getAttribute("aria-expanded") === "true",
   "c goes to its code, and draws no rows but that");
document.activeElement.click();

// --- the other direction ---

byId("up").click();
const selves = functions.map(() => 0);
for (let node = 1; node < tree.n; node++)
	selves[tree.fn[node]] += tree.samples[node];
ok(flame.root.samples === profile.samples &&
   framesBelow(flame.root, 0).every(frame => frame.samples === selves[frame.fn]) &&
   byId("up").getAttribute("aria-pressed") === "true",
   "bottom up begins with what functions have in themselves");
const callers = framesBelow(framesBelow(flame.root, 0)[0], 0);
const naive = {};
for (let node = 1; node < tree.n; node++)
	if (tree.fn[node] === callers[0].above.fn && tree.parent[node]) {
		const fn = tree.fn[tree.parent[node]];
		naive[fn] = (naive[fn] ?? 0) + tree.samples[node];
	}
ok(callers.length > 1 && callers.every(frame => frame.samples === naive[frame.fn]),
   "and goes on with who has called them");
byId("down").click();
ok(flame.root.samples === profile.samples && boxes().length > 50, "top down is as it was");

// --- searching ---

const plain = flame.rows[1].reduce((a, b) => b.width > a.width ? b : a);
const unlit = colourAt(plain);
type(functions[plain.frame.fn].name);
ok(flame.lit[plain.frame.fn] && colourAt(boxOf(plain.frame)) !== unlit,
   "what is found has another colour");
let found = 0;
for (let node = 1; node < tree.n; node++)
	if (parents(node).some(one => flame.lit[tree.fn[one]]))
		found += tree.ns[node];
ok(byId("found").textContent.includes(percent(found, profile.ns) + " is in stacks"),
   "the share of the stacks that have it is told: " + byId("found").textContent);
key(search, "Enter");
ok(document.activeElement === scroller && flame.lit[flame.focus.fn],
   "Enter goes to what was found");
type("");
ok(flame.lit === null, "without a search all has its colours");

// --- names, and how it looks ---

ok(document.title.startsWith(profile.name) && document.images.length === 0 &&
   document.scripts.length === 4 && !functions.some(entry => /\u202e|\x1b/.test(entry.name)),
   "names are nothing but text");
type("</script>");
ok(body.querySelector("td.name button").textContent.startsWith("</script><script>"),
   "and are found as they are");
type("std::map<std::string, k399>");
ok(body.firstChild.offsetHeight < 400 && fits(), "a very long one has a few lines");
body.querySelector("button").click();
ok(body.querySelector("button").textContent.length > 10000 && fits() &&
   body.querySelector("button").offsetHeight > 400, "and all of them if it is open");
body.querySelector("button").click();
type("");
isWide();
ok(/default-src 'none'/.test(document.querySelector("meta[http-equiv]").content),
   "the page may load nothing");
const { text: ink, lit, litText, unlit: ground, dim, all: top } = palette();
const pairs = [[ink, top], [litText, lit], [dim, ground]];
for (const hue of [...HUES, KERNEL])
	for (let i = 0; i < 5; i++)
		pairs.push([ink, palette().box(hue, i)]);
pairs.push(...palette().waits.slice(1).map(colour => [ink, colour]));
const worst = Math.min(...pairs.map(([a, b]) => contrast(a, b)));
ok(worst >= 4.5, `text can be told from its box: ${worst.toFixed(2)}`);

tell();
