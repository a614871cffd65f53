#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# selftest.sh TICKS_TEST: is a failure seen as one, by ticks.c and by table.sh? On the
# host; needs no module. TAP.

set -uo pipefail
. "$(dirname "$0")/../tap.sh"
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
# table NAME STATUS TEXT RESULTS RULES: table.sh ends with it and says this line.
table()
{
	local output status=0
	printf '%b\n' "$4" >"$work/results"
	printf '%b\n' "$5" >"$work/rules"
	output=$("$here/table.sh" "$work/results" "$work/rules") || status=$?
	[ "$status" = "$2" ] && grep -qxE -- "$3" <<<"$output"
	result "$1"
}

plan 11
! "$1" >"$work/ticks" 2>&1 && [ "$(grep -c '^ok .* passes$' "$work/ticks")" = 1 ] &&
	[ "$(grep -c '^not ok .* fails_' "$work/ticks")" = 4 ]
result "wrong ticks are failures"

rule='A-1\tpage\trule\tone'
table "a rule with its test, and one with a reason, pass" 0 '2 rules: 1 passed, .* 1 cannot be tested, 0 failed' \
	'ok 1 one' "$rule"'\nA-2\tpage\trule\t-\treason'
table "a test that did not run is a failure" 1 'A-2: did not run: two' \
	'ok 1 one' "$rule"'\nA-2\tpage\trule\ttwo'
table "a rule of several systems has a test of each" 1 'A-2: did not run: gnu_two' \
	'ok 1 one\nok 2 aix_two' "$rule"'\nA-2\tpage\trule\t{aix,gnu}_two'
table "a rule without a test is a failure" 1 'A-2: no test: rule' \
	'ok 1 one' "$rule"'\nA-2\tpage\trule\t'
table "a rule without a test or a reason is a failure" 1 'A-2: no test and no reason: rule' \
	'ok 1 one' "$rule"'\nA-2\tpage\trule\t-\t'
table "a test shared by two rules is a failure" 1 'A-2: shares its test with A-1' \
	'ok 1 one' "$rule"'\nA-2\tpage\trule\tone'
table "a number given twice is a failure" 1 'number twice: A-1' \
	'ok 1 one' "$rule"'\nA-1\tpage\trule\t-\treason'
table "a test without a rule is a failure" 1 'no rule for test: two' \
	'ok 1 one\nok 2 two' "$rule"
table "a skipped test has neither passed nor failed" 0 '2 rules: 1 passed, 1 skipped, 0 cannot be tested, 0 failed' \
	'ok 1 one\nok 2 two # SKIP reason' "$rule"'\nA-2\tpage\trule\ttwo'
table "a failed test is a failure" 1 'A-1: failed: one' 'not ok 1 one' "$rule"
tap_end
