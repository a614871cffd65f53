#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# That files are in layers, as the lists of their directories have them, from the
# ground up: each includes only headers of what stands before it there, each is in a
# list, and docs/design.md has what it should. Silent if so.
#
# libprofil and tools are built for it: no file calls up by symbols either, and all
# that one has for others begins with its name, or that in the singular. No file has
# more than 300 lines, no function more than 50.
#
#   kmod       kmod/Kbuild. A file also includes only what is in its own layer and
#              in those that this one is on, and its first comment says which that is.
#              Each verb of the document's table is in the name of a function. No file
#              has more than 500 lines.
#   libprofil  libprofil/Makefile, and libprofil/preload/Makefile on top of it
#   tools      tools/sources.mk
#
# Usage: layers.sh kmod|libprofil|tools

set -euo pipefail
cd "$(dirname "$0")/.."
O=$(realpath -m "${O:-build}")
status=0

complain()
{
	echo "$*"
	status=1
}

# variable MAKEFILE NAME: its value.
variable()
{
	# shellcheck disable=SC2016 # for make
	printf 'include %s\nshow-it:\n\t@echo $(%s)\n' "${1##*/}" "$2" |
		make -s -C "${1%/*}" -f - show-it
}

# Names are paths without .c or .h, from the top.

# names DIRECTORY FILE...: of those in a list.
names() { local file; for file in "${@:2}"; do echo "$1/${file%.[co]}"; done; }

includes() { sed -n 's/^#include "\(.*\)\.h"$/\1/p' "$@"; }

# used DIRECTORIES FILE...: whose headers they include. One that is a header alone
# is no file of its own: what it includes is included by who includes it. What is in
# none of the directories is made by the build.
used()
{
	local name directory
	for name in $(includes "${@:2}"); do
		for directory in $1; do
			[ -e "$directory/$name.h" ] || continue
			name=$directory/$name
			name=${name#./}
			if [ -e "$name.c" ]; then
				echo "$name"
			else
				used "$1" "$name.h"
			fi
			break
		done
	done
}

# files NAME: what there is of it.
files() { local file; for file in "$1".[ch]; do [ ! -e "$file" ] || echo "$file"; done; }

# check_order DIRECTORIES NAME...: they are from the ground up.
check_order()
{
	local name other before=' '
	for name in "${@:2}"; do
		before+="$name "
		# shellcheck disable=SC2046 # one word per file
		for other in $(used "$1" $(files "$name") | sort -u); do
			[[ $before = *" $other "* ]] ||
				complain "$name: $other does not stand before it"
		done
	done
}

# check_same WHAT FILE1 FILE2: the same lines, in any order.
check_same()
{
	local line
	while read -r line; do
		complain "$line: $1"
	done < <(comm -3 <(sort -u "$2") <(sort -u "$3"))
}

# check_lists NAME...: each .c file in the directories of these is one of them.
check_lists()
{
	check_same "is in no list, or not there" <(printf '%s\n' "$@") \
		<(printf '%s\n' "${@%/*}" | sort -u | while read -r directory; do
			ls "$directory"/*.c
		done | sed 's/\.c$//')
}

# check_length LINES FILE...: none has more.
check_length()
{
	local lines file
	while read -r lines file; do
		complain "$file: $lines lines"
	done < <(wc -l "${@:2}" | awk -v most="$1" '$2 != "total" && $1 > most')
}

# --- what is built --------------------------------------------------------------

# objects DIRECTORY SOURCES NAME...: "NAME OBJECT" of files of SOURCES, whose objects
# are in DIRECTORY.
objects()
{
	local name
	for name in "${@:3}"; do
		echo "$name $1/${name#"$2/"}.o"
	done
}

# symbols: of "NAME OBJECT" on standard input, "NAME U|D SYMBOL" of each that it wants
# or has.
symbols()
{
	local name object
	while read -r name object; do
		nm -g "$object" | awk -v name="$name" '
			{ print name, ($(NF - 1) ~ /[Uvw]/ ? "U" : "D"), $NF }'
	done
}

# check_calls: of symbols on standard input, from the ground up.
check_calls()
{
	local line
	while read -r line; do
		complain "$line"
	done < <(awk '
		!($1 in place) { place[$1] = ++files }
		$2 == "D" { owner[$3] = $1 }
		$2 == "U" { by[++n] = $1; wanted[n] = $3 }
		END {
			for (i = 1; i <= n; i++)
				if (place[owner[wanted[i]]] > place[by[i]])
					print by[i] ": " wanted[i] " is of " \
						owner[wanted[i]] ", above it"
		}')
}

# check_prefixes PREFIX KNOWN: of symbols on standard input; PREFIX may stand before a
# file's name, and KNOWN are words that are known without it.
check_prefixes()
{
	local name kind symbol base prefix=$1 known=" ${2//$'\n'/ } "
	while read -r name kind symbol; do
		base=${name##*/}
		[[ $kind = U || $known = *" $symbol "* ||
			$symbol =~ ^($prefix)?($base|${base%s})(_|$) ]] ||
			complain "$name: $symbol does not begin with its name"
	done
}

# check_functions FILE...: none has more than 50 lines.
check_functions()
{
	local line
	while read -r line; do
		complain "$line"
	done < <(awk '
		/^{/ { begin = FNR }
		/^}/ && begin {
			if (FNR - begin > 50)
				print FILENAME ":" begin ": a function of more than 50 lines"
			begin = 0
		}' "$@")
}

# --- kmod -----------------------------------------------------------------------

declare -A layer on below

# read_layers: and prints nothing but sets $modules.
read_layers()
{
	local current='' line name
	modules=()
	while read -r line; do
		if [[ $line =~ ^'# '([a-z]+)(', on '([a-z ]+))?': ' ]]; then
			current=${BASH_REMATCH[1]}
			on[$current]=${BASH_REMATCH[3]}
			below[$current]=" $current "
			for name in ${BASH_REMATCH[3]//and/}; do
				below[$current]+=${below[$name]}
			done
		elif [[ -n $current && $line =~ ^profil-.*'+= '(.*) ]]; then
			for name in ${BASH_REMATCH[1]}; do
				modules+=("kmod/${name%.o}")
				layer[kmod/${name%.o}]=$current
			done
		fi
	done <kmod/Kbuild
}

# check_layer NAME
check_layer()
{
	local name file is=${layer[$1]}
	# shellcheck disable=SC2046 # one word per file
	for name in $(used kmod $(files "$1") | sort -u); do
		[[ ${below[$is]} = *" ${layer[$name]} "* ]] ||
			complain "$1: ${layer[$name]}, of $name, is not below $is"
	done
	file=$1.c
	[ -z "${on[$is]}" ] || is+=", on ${on[$is]}"
	grep -qF " * Layer: $is." < <(sed '/^ \*\//q' "$file") ||
		complain "$file: does not say \"Layer: $is.\""
}

# What the table of docs/design.md has, from the ground up.
table() { sed -n 's/^| `\(kmod\/[a-z_]*\.[ch]\)`.*/\1/p' docs/design.md | tac; }

# A header that has a file is in that file's row.
in_table()
{
	local file
	for file in kmod/*.[ch]; do
		[[ $file = *.h && -e ${file%.h}.c ]] || echo "$file"
	done
}

# The verbs that functions' names are made of, as docs/design.md has them.
verbs()
{
	sed -n '/^| verb | |$/,/^$/s/^| \([a-z,; ]*\) |.*/\1/p' docs/design.md |
		sed '1d; s/[,;]//g' | tr ' ' '\n'
}

check_kmod()
{
	local name
	read_layers
	check_length 500 kmod/*.[ch]
	check_lists "${modules[@]}"
	check_order kmod "${modules[@]}"
	for name in "${modules[@]}"; do
		check_layer "$name"
	done
	check_same "is not in the table of docs/design.md, or not there" <(in_table) <(table)
	diff <(table | sed -n 's/\.c$//p') <(printf '%s\n' "${modules[@]}") >/dev/null ||
		complain "docs/design.md: the table is not in the order of kmod/Kbuild"
	for name in $(verbs); do
		grep -qE "\<profil_([a-z]+_)*$name(_[a-z]+)?\(" kmod/*.[ch] ||
			complain "docs/design.md: no function of kmod's is to $name"
	done
}

# --- libprofil ------------------------------------------------------------------

check_libprofil()
{
	local library preload symbols public
	# shellcheck disable=SC2046 # one word per file
	mapfile -t library < <(names libprofil $(variable libprofil/Makefile SOURCES))
	# shellcheck disable=SC2046 # one word per file
	mapfile -t preload < <(names libprofil/preload \
		$(variable libprofil/preload/Makefile SOURCES))
	check_lists "${library[@]}" "${preload[@]}"
	check_order 'libprofil/preload libprofil' "${library[@]}" "${preload[@]}"
	# The systems have one row.
	check_same "is not in the table of docs/design.md, or not there" \
		<(printf '%s.c\n' "${library[@]}" "${preload[@]}" |
			grep -vxF "$(variable libprofil/Makefile SYSTEMS |
				sed 's/[a-z0-9]*/libprofil\/&.c/g' | tr ' ' '\n')") \
		<(sed -n 's/^| `\(libprofil\/[a-z0-9_/]*\.c\)`.*/\1/p' docs/design.md)
	check_length 300 libprofil/*.[ch] libprofil/preload/*.[ch]
	check_functions libprofil/*.c libprofil/preload/*.c
	make -s -C libprofil/preload O="$O" || complain "it cannot be built"
	# A linker's names for what programs call are theirs.
	public=$(sed -n 's/^\t\t\([a-z_A-Z0-9]*\);$/\1/p' libprofil/preload/preload.map
		sed -n 's/^[^#].* //p' tests/lib/exports.txt)
	symbols=$(objects "$O/lib/obj" libprofil "${library[@]}" | symbols)
	check_calls <<<"$symbols"
	check_prefixes libprofil_ "$public" <<<"$symbols"
	# The first is the library's ioctl() there, by the name that the Makefile gives it.
	symbols=$({
		objects "$O/lib/preload" libprofil/preload "${preload[0]}"
		echo "libprofil $O/lib/preload/libprofil.o"
		objects "$O/lib/preload" libprofil/preload "${preload[@]:1}"
	} | symbols | grep -v '^libprofil D')
	check_calls <<<"$symbols"
	check_prefixes preload_ "$public" <<<"$symbols"
}

# --- tools ----------------------------------------------------------------------

# parts VARIABLE DIRECTORY: what a program is made of.
parts()
{
	# shellcheck disable=SC2046 # one word per file
	names "$2" $(variable tools/sources.mk "$1")
}

# Memory and messages, as libc's are.
everywhere='allocate resize format_text out_of_memory warn die'

check_tools()
{
	local one other program symbols
	mapfile -t one < <(parts PROFIL tools)
	mapfile -t other < <(parts LIBRARY_PARTS libprofil; parts PROFIL_REPORT tools)
	check_order 'tools .' "${one[@]}"
	check_order 'tools .' "${other[@]}"
	check_same "is in no list, or not there" \
		<(printf '%s\n' "${one[@]}" "${other[@]}" | grep ^tools/) \
		<(printf '%s\n' tools/*/*.c | sed 's/\.c$//')
	check_same "is not in the table of docs/design.md, or not there" \
		<(printf '%s\n' tools/*/) \
		<(sed -n 's/^| `\(tools\/[a-z]*\/\)`.*/\1/p' docs/design.md)
	check_length 300 tools/*/*.[ch] tools/*/*.js
	check_functions tools/*/*.c
	make -s -C tools O="$O" || complain "they cannot be built"
	for program in one other; do
		declare -n program_parts=$program
		symbols=$(objects "$O/tools/obj" tools "${program_parts[@]}" | symbols)
		check_calls <<<"$symbols"
		# Reports are named as such, in whatever directory they are.
		check_prefixes 'report_' "$everywhere" <<<"$(grep ^tools/ <<<"$symbols")"
	done
}

case ${1:-} in
kmod) check_kmod ;;
libprofil) check_libprofil ;;
tools) check_tools ;;
*) sed -n 's/^# Usage: /usage: tests\//p' "$0" >&2; exit 2 ;;
esac
exit $status
