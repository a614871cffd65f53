# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Draws what profil-curves prints: a panel for each curve, with the number on a
# logarithmic axis, and instructions on one that begins with 0. SVG.

function text(x, y, anchor, what) {
	printf "<text x=\"%d\" y=\"%d\" text-anchor=\"%s\">%s</text>\n", x, y, anchor, what
}

function line(x1, y1, x2, y2, class) {
	printf "<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" class=\"%s\"/>\n", \
		x1, y1, x2, y2, class
}

function x_of(curve, n) { return left + width * log(n) / log(last[curve]) }
function y_of(value) { return top + height * (1 - value / most) }

# 1, 2 or 5 times a power of 10, at least.
function round_up(value,    unit) {
	for (unit = 1; unit * 10 < value; unit *= 10)
		;
	return unit * (value <= unit ? 1 : value <= 2 * unit ? 2 : value <= 5 * unit ? 5 : 10)
}

function panel(curve,    i, at, points) {
	text(left + width / 2, top - 24, "middle", title[curve])
	for (i = 0; i <= 4; i++) {
		line(left, y_of(most * i / 4), left + width, y_of(most * i / 4), "grid")
		text(left - 6, y_of(most * i / 4) + 4, "end", most * i / 4)
	}
	for (i = 1; i <= points_of[curve]; i++) {
		at = x_of(curve, n[curve, i])
		points = points sprintf("%.1f,%.1f ", at, y_of(value[curve, i]))
		printf "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"3\"/>\n", at, y_of(value[curve, i])
		text(at + (i == 1) * 12, y_of(value[curve, i]) - 8, "middle", value[curve, i])
		text(at, top + height + 16, "middle", n[curve, i])
	}
	printf "<polyline points=\"%s\"/>\n", points
	text(left + width / 2, top + height + 34, "middle", curve)
}

BEGIN {
	FS = "\t"
	title["regions"] = "a tick that is counted, by regions"
	title["threads"] = "the same, by threads of the process"
	title["processes"] = "a tick of another, by profiled processes"
	title["CPUs"] = "a tick that is counted, by CPUs at work"
}

NF == 3 && $2 + 0 == $2 {
	if (!($1 in points_of))
		curves[++ncurves] = $1
	n[$1, ++points_of[$1]] = $2
	value[$1, points_of[$1]] = $3
	last[$1] = $2
	if ($3 > highest)
		highest = $3
}

END {
	if (!ncurves)
		exit 1
	width = 260; height = 180; top = 44; left = 54
	most = round_up(highest)
	printf "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\">\n", \
		ncurves * 330, height + 92
	print "<!-- SPDX-License-Identifier: LGPL-2.1-or-later -->"
	print "<style>text { font: 11px sans-serif; fill: #333 } .grid { stroke: #ddd }"
	print "polyline { fill: none; stroke: #d9701e; stroke-width: 2 } circle { fill: #d9701e }"
	print "</style>"
	print "<rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>"
	for (i = 1; i <= ncurves; i++) {
		panel(curves[i])
		left += 330
	}
	print "</svg>"
}
