#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# What bash completes after profil, in TAP.

set -uo pipefail
. "$(dirname "$0")/../../tools/profil.bash"
count=0

# complete_words WORD...: the completions of the last one, on one line.
complete_words()
{
	COMP_WORDS=(profil "$@")
	COMP_CWORD=$#
	COMPREPLY=()
	_profil 2>/dev/null
	echo "${COMPREPLY[*]}"
}

# completes WANTED WORD...
completes()
{
	local wanted=$1 got
	shift
	got=$(complete_words "$@")
	count=$((count + 1))
	[ "$got" = "$wanted" ] || printf 'not '
	echo "ok $count - profil $*: $got"
}

echo "1..13"
completes "--rate" --ra
completes "--no-children --no-stacks" --no
completes "fast tick clock" -r ""
completes "report" repor
completes "gmon" report -f gm
completes "--html --help" report --h
completes "--root" annotate --r
completes "--object" report --ob
completes "" report --comm ""
completes "thread" report --by th
completes "--tree" report --tr
completes "$0" report --diff "$0"
completes "$0" -o dir -q gzip "$0"
