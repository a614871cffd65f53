#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# large.sh PROFIL-REPORT: 10 million samples in all formats, in TAP. What is
# held to a limit is memory; the seconds are only said.

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

echo "1..${#formats[@]}"
python3 "$HERE/large.py" "$WORK/large.1" 10000000 "$(type -P perl)" \
	"$(readlink -f /usr/bin/python3)" "$(ldd "$(type -P perl)" |
					     awk '$1 ~ /^libc\.so/ { print $3 }')"
i=0
for format in "${formats[@]}"; do
	i=$((i + 1))
	result=$(measure "$1" report -f "$format" -o "$WORK/out" "$WORK/large.1") &&
		[ "${result% *}" -lt $MOST ] || printf 'not '
	echo "ok $i - $format of 10 million samples: ${result% *} KiB, ${result#* } s"
done
