#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# That the module's files are in layers, as kmod/Kbuild has them: each includes
# only headers of files that stand before it there, in its own layer and in those
# that this one is on; says in its first comment which layer that is; and is in
# the table of docs/design.md. Silent if so.
# Usage: layers.sh [KMOD]

set -euo pipefail
cd "$(dirname "$0")/.."
kmod=${1:-kmod}

declare -A layer on place below
number=0 status=0 current=''
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
			layer[${name%.o}]=$current
			place[${name%.o}]=$((++number))
		done
	fi
done <"$kmod/Kbuild"

complain()
{
	echo "$kmod/$*"
	status=1
}

includes() { sed -n 's/^#include "\(.*\)\.h"$/\1/p' "$1"; }

# used FILE: whose headers it includes. One that is a header alone is no file of
# its own: what it includes is included by who includes it.
used()
{
	local name
	for name in $(includes "$1"); do
		if [ -n "${layer[$name]:-}" ]; then
			echo "$name"
		else
			used "$kmod/$name.h"
		fi
	done
}

# check_use FILE NAME
check_use()
{
	local name
	for name in $(used "$kmod/$1" | sort -u); do
		[ "$name" != "$2" ] || continue
		[ "${place[$name]}" -lt "${place[$2]}" ] ||
			complain "$1: $name stands behind $2"
		[[ ${below[${layer[$2]}]} = *" ${layer[$name]} "* ]] ||
			complain "$1: ${layer[$name]}, of $name, is not below ${layer[$2]}"
	done
}

check_comment()
{
	local is=$2
	[ -z "${on[$2]}" ] || is+=", on ${on[$2]}"
	sed '/^ \*\//q' "$kmod/$1" | grep -qF " * Layer: $is." ||
		complain "$1: does not say \"Layer: $is.\""
}

for file in "$kmod"/*.c "$kmod"/*.h; do
	file=${file##*/}
	name=${file%.*}
	if [ -n "${layer[$name]:-}" ]; then
		check_use "$file" "$name"
	elif [[ $file = *.c ]]; then
		complain "$file: is in no layer"
	fi
	[[ $file = *.h ]] || [ -z "${layer[$name]:-}" ] ||
		check_comment "$file" "${layer[$name]}"
	[[ $file = *.h && -e $kmod/$name.c ]] ||
		grep -q "^| \`kmod/$file\`" docs/design.md ||
		complain "$file: is not in the table of docs/design.md"
done
while read -r file; do
	[ -e "$kmod/$file" ] || complain "$file: is in docs/design.md only"
done < <(sed -n 's/^| `kmod\/\([a-z_]*\.[ch]\)`.*/\1/p' docs/design.md)
exit $status
