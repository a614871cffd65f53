#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# The table of results in README.md. What suites have left in $O/check, and in
# $O/beside/check, where CI runs some, goes to tests/results.tsv, where it takes the
# place of what is older; the table is made of that file. With -c nothing is
# written: it says whether the table is the one of tests/results.tsv.

set -euo pipefail
. "$(dirname "$0")/../scripts/common.sh"
RESULTS=$TOP/tests/results.tsv
DOCUMENT=$TOP/README.md
BEGIN='<!-- The table of "make table" begins. -->'
END='<!-- The table of "make table" ends. -->'

# "SUITE passed failed skipped date" lines: of each suite the newest.
newest()
{
	{
		[ ! -e "$RESULTS" ] || cat "$RESULTS"
		find "$O/check" "$O/beside/check" -name '*.result' \
			-exec awk 1 {} + 2>/dev/null || true
	} | sort -t "$(printf '\t')" -k 5,5r | awk -F '\t' '!seen[$1]++' |
		LC_ALL=C sort
}

# Suites that are of no kernel, in the order of the list.
other_suites()
{
	"$TOP/tests/suite.sh" -h | sed -n 's/^  \([a-z]*\|packages:[a-z]*\) .*/\1/p'
}

# All that are in a list of scripts/common.sh.
kernels()
{
	sed -n 's/^[A-Z]*_KERNELS="\(.*\)"/\1/p' "$TOP/scripts/common.sh" |
		tr ' ' '\n' | sort -V
}

# table FILE
table()
{
	awk -F '\t' -v kernels="$(kernels | paste -sd ' ')" \
		-v suites="$(other_suites | paste -sd ' ')" -f "$TOP/tests/table.awk" "$1"
}

# document TABLE: the document with this in place of its table.
document()
{
	awk -v first="$BEGIN" -v last="$END" -v file="$1" '
	$0 == last && within { within = 0; found++ }
	!within
	$0 == first {
		within = 1
		begun++
		while ((getline line < file) > 0)
			print line
	}
	END { exit begun != 1 || found != 1 }' "$DOCUMENT" ||
		die "$DOCUMENT has no place for the table"
}

main()
{
	WORK=$(mktemp -d)
	trap 'rm -rf "$WORK"' EXIT
	if [ "${1:-}" = -c ]; then
		table "$RESULTS" >"$WORK/table"
		document "$WORK/table" | diff "$DOCUMENT" - ||
			die "the table in README.md is not what \"make table\" writes"
		return
	fi
	newest >"$WORK/results"
	table "$WORK/results" >"$WORK/table"
	document "$WORK/table" >"$WORK/document"
	cp "$WORK/results" "$RESULTS"
	cp "$WORK/document" "$DOCUMENT"
}

main "$@"; exit
