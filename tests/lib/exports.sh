#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# What the built library shows to the world: exports.sh LIBDIR [LIBC]
#
# Prints TAP. Needs binutils and a C compiler. LIBC is the library that it is to need,
# glibc's if that is not said; no other has a profil() whose place it could take.
set -u
export LC_ALL=C
lib=$1
libc=${2:-libc.so.6}
here=$(dirname "$0")
. "$here/../tap.sh"
so=$lib/libprofil.so.1
WORK=$(mktemp -d) || exit 1
trap 'rm -rf "$WORK"' EXIT

# same NAME [WORD...]: the words that the file "got" has, in any order.
same()
{
	name=$1
	shift
	printf '%s\n' "$@" | sort | sed '/^$/d' >"$WORK/wanted"
	sort -u "$WORK/got" >"$WORK/sorted"
	check "$name" diff -u "$WORK/wanted" "$WORK/sorted"
}

# "VERSION NAME" of each function that a program can bind to; musl's crti.o brings
# two of its own.
readelf -W --dyn-syms "$so" | awk '
	$4 == "FUNC" && $5 == "GLOBAL" && $7 != "UND" && $8 !~ /^_(init|fini)$/ {
		split($8, part, /@+/)
		print (part[2] == "" ? "base" : part[2]), part[1]
	}' | sort >"$WORK/exports"
awk '!/^#/ { for (i = 2; i <= NF; i++) print $1, $i }' "$here/exports.txt" | sort >"$WORK/wanted"
check "the exports are those of exports.txt" diff -u "$WORK/wanted" "$WORK/exports"

# Variables would be copied into programs and freeze their size.
readelf -W --dyn-syms "$so" |
	awk '$4 == "OBJECT" && $7 ~ /^[0-9]+$/ && $3 != "0" { print $8 }' >"$WORK/got"
same "no variable is exported"

# None of these allocates, locks or keeps state; but the reader of stacks allocates,
# and the dynamic linker locks its list, from which a start of stacks has the table.
# What objects of the archive, but for these, call that is not theirs:
mkdir "$WORK/objects"
(cd "$WORK/objects" && ar x "$lib/libprofil.a" &&
	rm stack_decoder.o last_stacks.o loaded_code.o stack_samples.o &&
	nm -g ./*.o) | awk 'NF == 3 { own[$3] } $1 == "U" { used[$2] }
		END { for (name in used) if (!(name in own) && name != "_GLOBAL_OFFSET_TABLE_")
			print name }' >"$WORK/got"
same "the calls call nothing that is not async-signal-safe" \
		__errno_location ioctl mmap munmap syscall sysconf

readelf -d "$so" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p' >"$WORK/got"
same "the library needs libc and nothing else" "$libc"
readelf -d "$so" | sed -n 's/.*(SONAME).*\[\(.*\)\]/\1/p' >"$WORK/got"
same "the soname is libprofil.so.1" libprofil.so.1

# State would show as .data or .bss of our objects, a constructor as .init*.
readelf -W -S "$lib/libprofil.a" | awk '
	{ sub(/^ *\[ *[0-9]+\] */, "") }
	$1 ~ /^\.(data|bss|tdata|tbss)/ && $5 !~ /^0+$/ ||
	$1 ~ /^\.(init_array|ctors|fini_array|dtors)/ { print $1 }' >"$WORK/got"
same "no state, no constructor, no destructor"

# A static link must not take names that belong to programs.
nm -g --defined-only "$lib/libprofil.a" |
	awk 'NF == 3 && $3 !~ /^libprofil_/ { print $3 }' >"$WORK/got"
# shellcheck disable=SC2046 # words
same "the archive's other names begin with libprofil_" \
		$(sed -e '/^#/d' -e 's/[^ ]* //' "$here/exports.txt")

# The one that matters most: libc's users get ours.
# bindings COMMAND...: where the program's references to the two went.
bindings()
{
	LD_BIND_NOW=1 LD_DEBUG=bindings "$@" 2>&1 | sed -n \
		's/.*binding file .*user \[0\] to \([^ ]*\) .*`\(s*profil\)'"'"'.*/\2=\1/p'
}

if [ "$libc" = libc.so.6 ]; then
	cat >"$WORK/user.c" <<-'END'
	#include <sys/profil.h>
	#include <unistd.h>
	int main(int argc, char **argv)
	{
		return argc > 1 + !argv ? profil(0, 0, 0, 0) + sprofil(0, 0, 0, 0) : 0;
	}
	END
	for pie in "-fPIE -pie" "-fno-pie -no-pie"; do
		# shellcheck disable=SC2086 # words
		${CC:-cc} -w $pie -o "$WORK/user" "$WORK/user.c"
		bindings env LD_PRELOAD="$so" "$WORK/user" >"$WORK/got"
		same "a preloaded library takes over profil and sprofil (${pie#* })" \
				"profil=$so" "sprofil=$so"
	done
	bindings "$WORK/user" | sed 's|/.*/||' >"$WORK/got"
	same "without the preload, both are libc's" profil=libc.so.6 sprofil=libc.so.6
fi
tap_end
