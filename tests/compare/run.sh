#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Profiles programs in a guest whose clock is instructions, with profil, perf and
# gperftools, then compares on this machine what they found. Prints TAP. "make all"
# has been run.
#
#   tests/compare/run.sh [PROGRAM...]	only these: templates sqlite3 python3 cc1
#
# K in the environment is the kernel.

set -euo pipefail
. "$(dirname "$0")/../../scripts/common.sh"
HERE=$TOP/tests/compare
COMPARE=$O/compare
RESULTS=$O/compare-results

python=$(readlink -f /usr/bin/python3)
sqlite=$(type -P sqlite3)
cc1=$(gcc -print-prog-name=cc1)
profiler=$(ldconfig -p | awk '/libprofiler\.so\.0 / && !n++ { print $NF }')
[ -n "$profiler" ] || profiler=/usr/lib/x86_64-linux-gnu/libprofiler.so.0

# guest DIRECTORY PROGRAM...
guest()
{
	local results=$1
	shift
	rm -rf "$results"
	"$TOP/tests/qemu/run.sh" -k "${K:-6.1}" -i -m 3G -t 1800 -o "$results" \
		-f "$COMPARE" -f "$python" -f "/usr/lib/${python##*/}" \
		-f "$sqlite" -f "$cc1" -f "$(type -P perf)" -f "$profiler" \
		-e COMPARE="$COMPARE" -e PYTHON="$python" -e SQLITE="$sqlite" \
		-e CC1="$cc1" -e PROFILER="$profiler" -e PROGRAMS="$*" \
		-- "$COMPARE/guest.sh"
}

# compare DIRECTORY...
compare()
{
	"$HERE/compare.py" "$O" "templates=$COMPARE/templates" "sqlite3=$sqlite" \
		"python3=$python" "cc1=$cc1" -- "$@"
}

# A path that differs by chance does not do so again; one that differs, does.
main()
{
	local again
	[ $# != 0 ] || set -- templates sqlite3 python3 cc1
	guest "$RESULTS" "$@"
	rm -rf "$RESULTS.again"
	compare "$RESULTS" >"$RESULTS/tap" && { cat "$RESULTS/tap"; return; }
	again=$(sed -n 's/^# again: //p' "$RESULTS/tap")
	[ -n "$again" ] || { cat "$RESULTS/tap"; return 1; }
	# shellcheck disable=SC2086 # words
	guest "$RESULTS.again" $again
	compare "$RESULTS" "$RESULTS.again"
}

main "$@"
