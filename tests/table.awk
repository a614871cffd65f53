# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Writes tables of lines "SUITE	passed	failed	skipped	date":
#
#   awk -F '\t' -v kernels='KERNEL...' -v suites='SUITE...' -f table.awk
#
# one with a row for each kernel, one with a row for each suite that is of none.
# What has no line has a dash, so that nothing looks tested that is not.

function cell(suite)
{
	return suite in counts ? counts[suite] : "–"
}

# A kernel's suites, without its name: guest:6.1:i is "guest i".
function column_of(suite,	part, n)
{
	n = split(suite, part, ":")
	return n > 2 ? part[1] " " part[3] : part[1]
}

BEGIN {
	n = split(suites, suite, " ")
	for (i = 1; i <= n; i++)
		of_none[suite[i]]
}

{
	counts[$1] = $2 "/" $3 "/" $4
	date[$1] = substr($5, 1, 10)
	split($1, part, ":")
	column = column_of($1)
	suite_of[part[2], column] = $1
	if (!(column in known) && index($1, ":") && !($1 in of_none)) {
		known[column]
		extra[++nextra] = column
	}
}

function kernel_row(kernel,	i, suite, row, from, to)
{
	row = "| " kernel " |"
	for (i = 1; i <= ncolumns; i++) {
		suite = suite_of[kernel, columns[i]]
		row = row " " cell(suite) " |"
		if (!(suite in date))
			continue
		if (from == "" || date[suite] < from)
			from = date[suite]
		if (date[suite] > to)
			to = date[suite]
	}
	if (from == "")
		from = "–"
	print row " " from (to > from && from != "–" ? " to " to : "") " |"
}

# The usual order, and what else there is.
function choose_columns(	i, order, n)
{
	n = split("guest 4,guest i,guest nohz,guest lowres,guest m32,guest kprobe,guest a53,unarmed," \
		  "bench,unit,conformance,iofuzz,stress,stress quick,faultinj,runner", order, ",")
	for (i = 1; i <= n; i++)
		if (order[i] in known) {
			columns[++ncolumns] = order[i]
			delete known[order[i]]
		}
	for (i = 1; i <= nextra; i++)
		if (extra[i] in known)
			columns[++ncolumns] = extra[i]
}

END {
	choose_columns()
	head = "| kernel |"
	rule = "|---|"
	for (i = 1; i <= ncolumns; i++) {
		head = head " " columns[i] " |"
		rule = rule "---|"
	}
	print head " date |"
	print rule "---|"
	n = split(kernels, kernel, " ")
	for (i = 1; i <= n; i++)
		kernel_row(kernel[i])
	print ""
	print "| suite | result | date |"
	print "|---|---|---|"
	n = split(suites, suite, " ")
	for (i = 1; i <= n; i++)
		print "| " suite[i] " | " cell(suite[i]) " | " \
			(suite[i] in date ? date[suite[i]] : "–") " |"
}
