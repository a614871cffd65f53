#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Which lines of the module have been run, over all guests that have left their
# counts in a directory (COVERAGE=DIR of tests/qemu/run.sh).

set -euo pipefail
. "$(dirname "$0")/common.sh"

usage()
{
	cat <<END
usage: scripts/coverage.sh DIR

Prints for each of the module's files how many of its lines that have code were
run, which were not, and at last the sum of all.
END
}

# add_up DIR RESULT: the sum of all guests' counts.
add_up()
{
	local guest sum=''
	for guest in "$1"/guest.*; do
		if [ -z "$sum" ]; then
			cp -r "$guest" "$2"
		else
			gcov-tool merge -o "$2.next" "$2" "$guest" >&2
			rm -rf "$2"
			mv "$2.next" "$2"
		fi
		sum=1
	done
	[ -n "$sum" ] || die "no guest has left its counts in $1"
}

# lines FILE.gcda: "FILE LINE COUNT" of the module's lines that have code; what
# a line of a header has been made into several times counts once.
lines()
{
	(cd "$(dirname "$1")" && gcov -t -o . "$(basename "$1")") |
		awk -F: '
		$3 == "Source" {
			ours = $4 ~ /\/kmod\/[^\/]*\.[ch]$/
			n = split($4, part, "/")
			file = part[n]
		}
		ours && $2 + 0 > 0 && $1 !~ /-$/ {
			print file, $2 + 0, $1 ~ /[#=]/ ? 0 : $1 + 0
		}'
}

report()
{
	awk '
	{
		if (!(($1, $2) in ran)) {
			total[$1]++
			if ($2 > last[$1]) last[$1] = $2
		}
		ran[$1, $2] += $3
	}
	function missed(file,	line, list, first) {
		for (line = 1; line <= last[file] + 1; line++) {
			if ((file, line) in ran && !ran[file, line]) {
				if (!first) first = line
				end = line
			} else if (first && (file, line) in ran ||
				   first && line > last[file]) {
				list = list " " first (end > first ? "-" end : "")
				first = 0
			}
		}
		return list
	}
	END {
		for (file in total) {
			n = 0
			for (line = 1; line <= last[file]; line++)
				n += (file, line) in ran && ran[file, line] > 0
			printf "%-16s %4d of %4d %5.1f%% %s\n", file, n,
				total[file], 100 * n / total[file],
				(n < total[file] ? "not run:" missed(file) : "")
			all += total[file]
			covered += n
		}
		printf "%-16s %4d of %4d %5.1f%%\n", "~all", covered, all,
			100 * covered / all
	}' | LC_ALL=C sort | sed 's/^~all/all /'
}

main()
{
	local module=$O/coverage/module/kmod sum file
	if [ $# != 1 ]; then
		usage >&2
		exit 2
	fi
	WORK=$(mktemp -d)
	trap 'rm -rf "$WORK"' EXIT
	sum=$WORK/sum
	add_up "$1" "$sum"
	cp "$module"/*.gcno "$sum"
	for file in "$sum"/*.gcda; do
		lines "$file"
	done | report
}

main "$@"; exit
