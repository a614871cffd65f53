#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# table.sh RESULTS RULES: joins the TAP of the test programs with the list of
# rules. It fails if a test failed, a rule has neither a test nor a reason, a test did
# not run, or a test has no rule. Which tests may be skipped is not its business.

set -euo pipefail

results=$1
shift

awk -F '\t' '
function fault(text) { print text; faults++ }

# One of the tests of a row.
function has_test(test) {
	rules++
	if (test == "")
		fault($1 ": no test: " $3)
	else if (test in row)
		fault($1 ": shares its test with " row[test])
	row[test] = $1
	if (!(test in verdict))
		fault($1 ": did not run: " test)
	else if (verdict[test] == "ok")
		passed++
	else if (verdict[test] == "skip")
		skipped++
	else
		fault($1 ": failed: " test)
}

# ok 3 name, not ok 4 name, ok 5 name # SKIP reason
FILENAME == ARGV[1] {
	if (match($0, /^(not )?ok [0-9]+ /)) {
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
	if ($1 in seen)
		fault("number twice: " $1)
	seen[$1] = 1
}

$4 == "-" {
	rules++
	untestable++
	if ($5 == "")
		fault($1 ": no test and no reason: " $3)
	next
}

# Which of the systems {one,two} in the name of the test, or none.
{
	systems = match($4, /^[{][^}]*[}]/) ? substr($4, 2, RLENGTH - 2) : ""
	name = systems ? substr($4, RLENGTH + 1) : $4
	n = split(systems, prefix, ",")
	for (i = n ? 1 : 0; i <= n; i++)
		has_test(prefix[i] name)
}

END {
	for (test in verdict)
		if (!(test in row))
			fault("no rule for test: " test)
	printf "%d rules: %d passed, %d skipped, %d cannot be tested, %d failed\n",
	       rules, passed, skipped, untestable, faults
	exit faults || !passed
}' "$results" "$@"
