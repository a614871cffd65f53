#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# table.sh RESULTS RULES...: joins the TAP of the test programs with the lists
# of rules and prints a table by dialect. It fails if a test failed, a rule has
# neither a test nor a reason, a test did not run, or a test has no rule. Which
# tests may be skipped is not its business.

set -euo pipefail

results=$1
shift

awk -F '\t' '
function fault(text) { print text; faults++ }
function name(file) { sub(/.*\//, "", file); sub(/\.tsv$/, "", file); return file }

# ok 3 - name, not ok 4 - name, ok 5 - name # SKIP reason
FILENAME == ARGV[1] {
	if (match($0, /^(not )?ok [0-9]+ - /)) {
		test = substr($0, RLENGTH + 1)
		skip = sub(/ # SKIP .*/, "", test)
		if (test in verdict)
			fault("test twice: " test)
		verdict[test] = skip ? "skip" : /^ok/ ? "ok" : "not ok"
	}
	next
}

/^#/ || /^$/ { next }

{
	dialect = name(FILENAME)
	if (!(dialect in rules))
		order[++dialects] = dialect
	rules[dialect]++
	if ($1 in seen)
		fault("number twice: " $1)
	seen[$1] = 1
}

$4 == "-" {
	untestable[dialect]++
	if ($5 == "")
		fault($1 ": no test and no reason: " $3)
	next
}

{
	if ($4 == "")
		fault($1 ": no test: " $3)
	else if ($4 in row)
		fault($1 ": shares its test with " row[$4])
	row[$4] = $1
	tested[dialect]++
	if (!($4 in verdict))
		fault($1 ": did not run: " $4)
	else if (verdict[$4] == "ok")
		passed[dialect]++
	else if (verdict[$4] == "skip")
		skipped[dialect]++
	else
		fault($1 ": failed: " $4)
}

END {
	for (test in verdict)
		if (!(test in row))
			fault("no rule for test: " test)
	format = "%-10s %8s %8s %8s %8s %12s\n"
	printf format, "dialect", "rules", "tested", "passed", "skipped",
	       "untestable"
	for (i = 1; i <= dialects; i++) {
		d = order[i]
		printf format, d, rules[d], tested[d] + 0, passed[d] + 0,
		       skipped[d] + 0, untestable[d] + 0
		all += rules[d]; t += tested[d]; p += passed[d]
		s += skipped[d]; u += untestable[d]
	}
	printf format, "all", all, t, p, s, u
	printf "%d passed, %d failed\n", p, faults
	exit faults || !p
}' "$results" "$@"
