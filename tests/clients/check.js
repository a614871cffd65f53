// SPDX-License-Identifier: LGPL-2.1-or-later
// Before page-check.js or stacks-check.js, in one block with it: what both need.

const lines = [];
const ok = (good, name) => lines.push((good ? "ok " : "not ok ") + name);
const sum = values => values.reduce((a, b) => a + Number(b), 0);
const type = text => {
	search.value = text;
	search.dispatchEvent(new Event("input"));
	if (REPORT)
		drawFlame();
};
const fits = () => document.documentElement.scrollWidth <= innerWidth;
const isWide = () => ok(fits() && innerWidth === WIDTH, "the page is as wide as the screen: " +
	`${document.documentElement.scrollWidth} of ${innerWidth}`);

const rgb = colour => {
	const context = document.createElement("canvas").getContext("2d");
	context.fillStyle = colour;
	context.fillRect(0, 0, 1, 1);
	return [...context.getImageData(0, 0, 1, 1).data].slice(0, 3);
};
const luminance = colour => rgb(colour)
	.map(value => value / 255 <= 0.03928 ? value / 255 / 12.92 :
		((value / 255 + 0.055) / 1.055) ** 2.4)
	.reduce((sofar, value, i) => sofar + value * [0.2126, 0.7152, 0.0722][i], 0);
const contrast = (a, b) => {
	const [x, y] = [luminance(a), luminance(b)];
	return (Math.max(x, y) + 0.05) / (Math.min(x, y) + 0.05);
};

// The page is in a frame as wide as the screen that is meant.
const tell = () => parent.postMessage("RESULT\n" + lines.join("\n") + "\nEND", "*");

