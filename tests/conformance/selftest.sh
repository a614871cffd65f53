#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# selftest.sh HARNESS_TEST: is a failure seen as one, by the harness and by
# table.sh? On the host; needs no module. TAP.

set -uo pipefail

here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
number=0
failed=0

verdict()
{
	number=$((number + 1))
	if [ "$1" = 0 ]; then
		echo "ok $number - $2"
	else
		echo "not ok $number - $2"
		failed=1
	fi
}

# says NAME TEXT: table.sh fails and says this about the files in $work.
says()
{
	local output
	! output=$("$here/table.sh" "$work/results" "$work/a.tsv") &&
		grep -qF -- "$2" <<<"$output"
	verdict $? "$1"
}

results() { printf '%s\n' "TAP version 13" "$@" >"$work/results"; }
rules() { printf '%b\n' "$@" >"$work/a.tsv"; }

echo "TAP version 13"
echo "1..10"

TIMEOUT=3 "$1" >"$work/harness" 2>&1
[ $? = 1 ] && [ "$(grep -c '^ok ' "$work/harness")" = 1 ] &&
	grep -q '^ok 1 - harness_test_that_passes$' "$work/harness" &&
	[ "$(grep -c '^not ok ' "$work/harness")" = 9 ]
verdict $? "the harness sees every way to fail"

results "ok 1 - one"
rules 'A-1\tpage\trule\tone' 'A-2\tpage\trule\t-\treason'
"$here/table.sh" "$work/results" "$work/a.tsv" | grep -qx '1 passed, 0 failed'
verdict $? "a rule with its test, and one with a reason, pass"

rules 'A-1\tpage\trule\tone' 'A-2\tpage\trule\ttwo'
says "a test that did not run is a failure" "A-2: did not run: two"

rules 'A-1\tpage\trule\tone' 'A-2\tpage\trule\t'
says "a rule without a test is a failure" "A-2: no test"

rules 'A-1\tpage\trule\tone' 'A-2\tpage\trule\t-\t'
says "a rule without a test or a reason is a failure" "A-2: no test and no reason"

rules 'A-1\tpage\trule\tone' 'A-2\tpage\trule\tone'
says "a test shared by two rules is a failure" "A-2: shares its test with A-1"

rules 'A-1\tpage\trule\tone' 'A-1\tpage\trule\t-\treason'
says "a number given twice is a failure" "number twice: A-1"

results "ok 1 - one" "ok 2 - two"
rules 'A-1\tpage\trule\tone'
says "a test without a rule is a failure" "no rule for test: two"

results "ok 1 - one" "ok 2 - two # SKIP reason"
rules 'A-1\tpage\trule\tone' 'A-2\tpage\trule\ttwo'
"$here/table.sh" "$work/results" "$work/a.tsv" |
	grep -Eqx 'a +2 +2 +1 +1 +0'
verdict $? "a skipped test is none that passed, and none that failed"

results "not ok 1 - one"
says "a failed test is a failure" "A-1: failed: one"

exit $failed
