#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Tests the harness: the results must be right whatever a test program does.
# Needs no module and no guest.
#
#	check.sh DIRECTORY OF THE PROGRAMS

# shellcheck disable=SC2317 # conditions are called through check()
set -uo pipefail
. "$(dirname "$0")/../tap.sh"
OUT=$1
WORK=$(mktemp -d)
trap 'rm -rf "$WORK"' EXIT

# says STATUS LINE...: the last program ended with STATUS, and its output has these lines.
says()
{
	local line
	[ "$status" = "$1" ] || return
	for line in "${@:2}"; do
		grep -qxE -- "$line" "$WORK/output" || return
	done
}

misbehave()
{
	status=0
	"$OUT/misbehave" "$@" >"$WORK/output" || status=$?
}

is_gone() { ! grep -qE '^State:[[:space:]]+[RSDTtIW]' "/proc/$1/status" 2>/dev/null; }

harness()
{
	local name
	misbehave
	for name in $("$OUT/misbehave" --list); do
		case $name in
		fails_*) check "$name" says 1 "not ok [0-9]+ $name" ;;
		*)	 check "$name" says 1 "ok [0-9]+ $name( # SKIP .*)?" ;;
		esac
	done
	check plan_is_kept says 1 "1\.\.$("$OUT/misbehave" --list | wc -l)"
	check reasons_are_printed says 1 \
		'# misbehave.c:[0-9]+: four == 5: 4 \(0x4\) against 5 \(0x5\)' \
		'# .*: close\(-1\): Bad file descriptor' \
		'# fails_by_a_signal was killed by signal 11 .*' \
		'# fails_by_hanging did not end within 1 s' \
		'ok [0-9]+ skips # SKIP of the weather' \
		'ok [0-9]+ skips_in_a_child # SKIP of the child'
	check process_left_behind_is_killed is_gone "$(sed -n 's/^# left //p' "$WORK/output")"
	misbehave passes_and skips
	check selected_tests_only says 0 '1\.\.3'
	misbehave skips
	check skipped_program_exits_with_4 says 4
	misbehave no_such_test
	check no_test_at_all_is_a_failure says 1
}

echo "TAP version 13"
harness
tap_end
