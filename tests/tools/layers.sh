#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# That the files of tools/ are in layers, as tools/sources.mk has them: each
# includes only headers of what stands before it there, and none has more than 300
# lines; and that docs/design.md has their directories. In TAP.

set -uo pipefail
TOP=$(cd "$(dirname "$0")/../.." && pwd)
cd "$TOP/tools" || exit 1
seen=$(mktemp)
trap 'rm -f "$seen"' EXIT

# files VARIABLE: what a program is made of, from the ground up.
files()
{
	printf 'include sources.mk\nall:\n\t@echo $(%s)\n' "$1" | make -s -f - all
}

includes() { sed -n 's/^#include "\(.*\/.*\)\.h"$/\1/p' "$@"; }

# used FILE...: whose headers they include. One that is a header alone is no file
# of its own: what it includes is included by who includes it.
used()
{
	local name
	for name in $(includes "$@"); do
		if [ -e "$name.c" ]; then
			echo "$name"
		else
			used "$name.h"
		fi
	done
}

check_layers()
{
	local name other before=' '
	for name in $(files "$1"); do
		before+="$name "
		for other in $(used "$name".[ch] | sort -u); do
			[[ $before = *" $other "* ]] ||
				echo "tools/$name: $other does not stand before it"
		done
	done
}

check_lists()
{
	comm -3 <({ files PROFIL; files PROFIL_REPORT; } | tr ' ' '\n' | sort -u) \
		<(printf '%s\n' */*.c | sed 's/\.c$//' | sort) |
		sed 's/$/: is in no list, or not there/'
}

check_sizes()
{
	wc -l ./*/*.[ch] ./*/*.js | awk '$2 != "total" && $1 > 300 { print $2 ": " $1 " lines" }'
}

check_table()
{
	comm -3 <(printf 'tools/%s\n' */ | sort) \
		<(sed -n 's/^| `\(tools\/[a-z]*\/\)`.*/\1/p' ../docs/design.md | sort) |
		sed 's/$/: is not in the table, or not there/'
}

count=0
# silent NAME COMMAND...: it says nothing.
silent()
{
	count=$((count + 1))
	"${@:2}" >"$seen" 2>&1
	[ ! -s "$seen" ] || printf 'not '
	echo "ok $count - $1"
	sed 's/^/# /' "$seen"
}

echo "1..5"
silent "the files of profil include what is below them" check_layers PROFIL
silent "so do those of profil-report" check_layers PROFIL_REPORT
silent "each file is part of a program" check_lists
silent "no file has more than 300 lines" check_sizes
silent "docs/design.md has each directory" check_table
