// SPDX-License-Identifier: LGPL-2.1-or-later
// Made code that calls C++ that calls made code, the same in each run.
"use strict";

const nested = (n) => ({ n, list: n ? [nested(n - 1), nested(n - 1)] : [...Array(40).keys()] });
const swap = (all, word, number) => `${number} ${word}`;

function round(i)
{
	const nodes = [...Array(2000).keys()].map(
		(n) => ({ key: n * 7919 % 1009, name: `node ${n % 31 + i}` }));

	nodes.sort((a, b) => a.key - b.key || a.name.localeCompare(b.name));
	return JSON.parse(JSON.stringify(nested(7), (key, value) => value)).list.length +
		nodes.filter((node) => node.name.replace(/(\w+) (\d+)/, swap) > "2").length;
}

let total = 0;

for (let i = 0; i < Number(process.argv[2]); i++)
	total += round(i);
console.log(total);
