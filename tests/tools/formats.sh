#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# formats.sh PROFIL-REPORT: that all who name the report formats name those of
# the table in tools/formats/formats.h, in TAP.
# formats.sh --list: their names.

set -uo pipefail
TOP=$(cd "$(dirname "$0")/../.." && pwd)
count=0

# The rows of the table.
table() { sed -n 's/^\tformat(\([a-z0-9]*\),.*/\1/p' "$TOP/tools/formats/formats.h"; }

if [ "${1:-}" = --list ]; then
	table
	exit
fi

# names WHO NAME...: these are all, in the table's order.
names()
{
	local who=$1
	shift
	count=$((count + 1))
	if [ "$*" = "$(table | paste -sd ' ')" ]; then
		echo "ok $count - $who"
	else
		echo "not ok $count - $who"
		echo "# the table has: $(table | paste -sd ' ')"
		echo "# this has:      $*"
	fi
}

# The words of --format in the summary of options.
summary()
{
	"$1" report --help | sed -n '/--format=FORMAT/,/--html/p' |
		sed -e '$d' -e 's/.*FORMAT//' -e 's/([^)]*)//g' | tr -d ,
}

# The list below --format in the man page.
manual()
{
	sed -n '/^\.It Fl f , Fl -format/,/^\.El/s/^\.It Cm //p' "$TOP/man/profil.1"
}

# The list of the man page that says what they look like.
described()
{
	sed -n '/^\.Ss Formats/,/^\.El/s/^\.It Cm //p' "$TOP/man/profil-formats.5"
}

completion()
{
	sed -n '/-f | --format/,/;;/s/^\t\t\t\([a-z0-9]*\)$/\1/p' "$TOP/tools/profil.bash"
}

# What has a file of its name.
files()
{
	local name
	for name in $(table); do
		[ ! -f "$TOP/tools/formats/$name.c" ] || echo "$name"
	done
}

echo "1..5"
# shellcheck disable=SC2046 # words
{
	names "each format has a file of its name" $(files)
	names "the summary of options names the formats" $(summary "$1")
	names "the manual page describes the formats" $(manual)
	names "a manual page says what they look like" $(described)
	names "the shell completes the formats" $(completion)
}
