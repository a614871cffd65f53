#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Tests the harness, run.sh, and what counts their results: whatever a test program
# does, the results must say what happened. Needs no module and no guest.
#
#	check.sh DIRECTORY OF THE PROGRAMS

# shellcheck disable=SC2317 # conditions are called through ok()
set -euo pipefail
OUT=$1
tests=$(cd "$(dirname "$0")/.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
number=0 failed=0

# ok NAME CONDITION...
ok()
{
	local name=$1
	shift
	number=$((number + 1))
	if "$@"; then
		echo "ok $number $name"
	else
		echo "not ok $number $name"
		failed=1
	fi
}

said() { grep -qxF -- "$1" "$work/output"; }
said_like() { grep -qE -- "$1" "$work/output"; }
status_is() { [ "$status" = "$1" ]; }
is_gone() { ! grep -qE '^State:[[:space:]]+[RSDTtIW]' "/proc/$1/status" 2>/dev/null; }

# verdict_is NAME VERDICT: the line of that test.
verdict_is()
{
	grep -qE "^$2 [0-9]+ $1( # SKIP .*)?\$" "$work/output"
}

# script NAME: a program for run.sh, from stdin.
script()
{
	{ echo '#!/bin/sh'; cat; } >"$work/$1"
	chmod +x "$work/$1"
}

run_sh()
{
	status=0
	DEVICE=/dev/null LIMIT=2 "$work/run.sh" "$@" >"$work/output" 2>&1 || status=$?
}

harness()
{
	local name
	status=0
	env -u SLOW "$OUT/misbehave" >"$work/output" || status=$?

	ok failing_program_exits_with_1 status_is 1
	for name in $("$OUT/misbehave" --list); do
		case $name in
		fails_*) ok "$name" verdict_is "$name" 'not ok' ;;
		*)	 ok "$name" verdict_is "$name" ok ;;
		esac
	done
	ok plan_is_kept said "1..$("$OUT/misbehave" --list | wc -l)"
	ok values_are_printed said_like '^# .*misbehave.c:[0-9]+: four == 5: 4 \(0x4\) against 5 \(0x5\)$'
	ok errno_is_printed said_like '^# .*: close\(-1\): Bad file descriptor$'
	ok signal_is_printed said_like '^# fails_by_a_signal was killed by signal 11 '
	ok time_limit_is_printed said '# fails_by_hanging did not end within 1 s'
	ok reason_to_skip_is_printed said_like '^ok [0-9]+ skips # SKIP of the weather$'
	ok reason_of_a_child_is_printed said_like '^ok [0-9]+ skips_in_a_child # SKIP of the child$'
	ok process_left_behind_is_killed \
		is_gone "$(sed -n 's/^# left //p' "$work/output")"

	status=0
	"$OUT/misbehave" passes_with skips >"$work/output" || status=$?
	ok selected_tests_only said 1..4
	ok passing_program_exits_with_0 status_is 0
	status=0
	"$OUT/misbehave" skips >"$work/output" || status=$?
	ok skipped_program_exits_with_4 status_is 4
	status=0
	"$OUT/misbehave" no_such_test >"$work/output" || status=$?
	ok no_test_at_all_is_a_failure status_is 1
}

runner()
{
	cp "$OUT/run.sh" "$work"
	script good <<<'echo 1..2; echo "ok 1 a"; echo "ok 2 b # SKIP why"'
	script bad <<<'echo 1..1; echo "not ok 1 a"; exit 1'
	script liar <<<'echo 1..1; echo "not ok 1 a"'
	script planless <<<'echo "ok 1 a"'
	script early <<<'echo 1..3; echo "ok 1 a"; exit 0'
	script crash <<<'echo 1..1; echo "ok 1 a"; kill -9 $$'
	script hang <<<'echo 1..1; echo "ok 1 a"; sleep 60'
	script skipped <<<'echo 1..1; echo "ok 1 a # SKIP why"; exit 4'

	run_sh good
	ok good_program_is_ok said 'ok 1 good'
	ok totals_are_printed said '# Totals: pass:1 fail:0 skip:1'
	ok results_are_nested said '    ok 1 a'
	ok run_without_failures_exits_with_0 status_is 0
	for name in bad liar planless early crash hang; do
		run_sh good "$name" good
		ok "program_that_is_${name}_is_not_ok" said "not ok 2 $name"
		ok "run_with_${name}_goes_on" said 'ok 3 good'
		ok "run_with_${name}_exits_with_1" status_is 1
	done
	run_sh skipped
	ok skipped_program_is_said_to_be_skipped said_like '^ok 1 skipped # SKIP '
	ok run_of_skipped_programs_exits_with_0 status_is 0
	run_sh missing
	ok missing_program_is_not_ok said 'not ok 1 missing'
	: >"$work/programs"
	run_sh
	ok no_programs_at_all_bails_out status_is 2
	echo good >"$work/programs"
	run_sh
	ok list_of_programs_is_run said 'ok 1 good'
	CPUS=1000 run_sh good
	ok wrong_number_of_cpus_bails_out status_is 2
	status=0
	DEVICE=/nonexistent "$work/run.sh" good >"$work/output" || status=$?
	ok missing_device_bails_out status_is 2
}

# tally SKIPS VERDICT: one of a suite, of which SKIPS are known: "PASSED FAILED SKIPPED".
tally()
{
	printf 'some:suite # SKIP %s$\n' "$1" >"$work/skips"
	printf '1..1\n%s\n' "$2" | awk -v suite=some:suite -v status=0 \
		-v skips="$work/skips" -f "$tests/tally.awk" | tail -n 1 >"$work/output"
}

counts()
{
	tally why 'ok 1 a # SKIP why'
	ok known_skip_is_counted_as_skipped said '0 0 1'
	tally a_test 'not ok 1 # SKIP a_test'
	ok skip_of_cmocka_is_counted_as_skipped said '0 0 1'
	tally why 'ok 1 a # SKIP that'
	ok unknown_skip_is_a_failure said_like '^0 1 '
	tally why 'not ok 1 a # SKIP why'
	ok failure_with_the_reason_of_a_skip_is_a_failure said '0 1 0'
	tally why 'not ok 1 a # TODO later'
	ok failure_that_is_still_to_be_mended_is_a_failure said '0 1 0'
}

echo "TAP version 13"
harness
runner
counts
echo "1..$number"
exit $failed
