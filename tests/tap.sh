# SPDX-License-Identifier: LGPL-2.1-or-later
# shellcheck shell=sh
#
# Prints TAP; sourced by every test in shell, also in guests (busybox), never run.
# $WORK, a directory of the script's own, has the output of what check() runs.

tap_count=0 tap_failed=0 tap_planned=''

# plan N: at the beginning, if the number is known then. Else tap_end prints it.
plan() { echo "TAP version 13"; echo "1..$1"; tap_planned=1; }

ok() { tap_count=$((tap_count + 1)); echo "ok $tap_count - $1"; }

not_ok()
{
	tap_count=$((tap_count + 1)) tap_failed=$((tap_failed + 1))
	echo "not ok $tap_count - $1"
}

# skip NAME REASON: tests/skips has the reasons that are allowed.
skip() { ok "$1 # SKIP $2"; }

# diag: the end of standard input, as comments.
diag() { tail -n 60 | sed "s,^,# ,"; }

# result NAME: the status of the last command decides.
result()
{
	# shellcheck disable=SC2181 # it is the caller's
	if [ $? = 0 ]; then ok "$1"; else not_ok "$1"; fi
}

# check NAME COMMAND...: it must succeed. If not, the end of its output is shown.
check()
{
	tap_name=$1
	shift
	if "$@" >"${WORK:-/tmp}/log" 2>&1 </dev/null; then
		ok "$tap_name"
	else
		not_ok "$tap_name"
		grep -v '^ok' "${WORK:-/tmp}/log" | diag
	fi
}

# tap_end: the last command of the script; fails if a test has.
tap_end()
{
	[ -n "$tap_planned" ] || echo "1..$tap_count"
	[ "$tap_failed" = 0 ]
}
