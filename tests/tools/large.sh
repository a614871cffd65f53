#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# large.sh PROFIL-REPORT: 10 million samples in all formats, and a million with
# stacks, in TAP. What is held to a limit is memory; the seconds are only said.

set -uo pipefail
HERE=$(dirname "$0")
WORK=$(mktemp -d)
trap 'rm -rf "$WORK"' EXIT
MOST=300000	# KiB
mapfile -t formats < <("$HERE/formats.sh" --list)

# measure COMMAND...: "KiB SECONDS" of it.
measure()
{
	python3 -c 'import resource, subprocess, sys
status = subprocess.call(sys.argv[1:], stdout=subprocess.DEVNULL)
used = resource.getrusage(resource.RUSAGE_CHILDREN)
print(used.ru_maxrss, round(used.ru_utime + used.ru_stime, 2))
sys.exit(status)' "$@"
}

objects=("$(type -P perl)" "$(readlink -f /usr/bin/python3)"
	 "$(ldd "$(type -P perl)" | awk '$1 ~ /^libc\.so/ { print $3 }')")
echo "1..$((2 * ${#formats[@]} + 1))"
python3 -B "$HERE/large.py" "$WORK/large.1" 10000000 "${objects[@]}"
python3 -B "$HERE/large.py" "$WORK/stacks.1" 1000000 --stacks "${objects[@]}"
count=0

# bounded NAME FILE OPTION...: a report of it takes no more memory than MOST.
bounded()
{
	local result
	count=$((count + 1))
	result=$(measure "$PROFIL_REPORT" report -o "$WORK/out" "${@:3}" "$2") &&
		[ "${result% *}" -lt $MOST ] || printf 'not '
	echo "ok $count - $1: ${result% *} KiB, ${result#* } s"
}

PROFIL_REPORT=$1
for format in "${formats[@]}"; do
	bounded "$format of 10 million samples" "$WORK/large.1" -f "$format"
done
for format in "${formats[@]}"; do
	bounded "$format of a million stacks" "$WORK/stacks.1" -f "$format"
done
bounded "the tree of a million stacks" "$WORK/stacks.1" --tree -n 0
