# SPDX-License-Identifier: LGPL-2.1-or-later
# shellcheck shell=bash
#
# A test that is a command, in TAP; sourced, never run. $WORK is a directory.

count=0

# check NAME COMMAND...: it must succeed. If not, the end of what it says is told.
check()
{
	count=$((count + 1))
	if "${@:2}" >"$WORK/log" 2>&1 </dev/null; then
		echo "ok $count - $1"
	else
		echo "not ok $count - $1"
		grep -v '^ok' "$WORK/log" | tail -n 60 | sed 's/^/# /'
	fi
}
