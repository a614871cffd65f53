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
so=$lib/libprofil.so.1
n=0
failed=0
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT

# result NAME STATUS: a line of TAP.
result() {
	n=$((n + 1))
	if [ "$2" -eq 0 ]; then
		echo "ok $n - $1"
	else
		echo "not ok $n - $1"
		failed=1
	fi
}

# same NAME WANTED GOT: two files.
same() {
	diff -u "$2" "$3" >"$tmp/diff"
	status=$?
	sed 's/^/# /' "$tmp/diff"
	result "$1" $status
}

# "VERSION NAME" of each function that a program can bind to; musl's crti.o brings
# two of its own.
readelf -W --dyn-syms "$so" | awk '
	$4 == "FUNC" && $5 == "GLOBAL" && $7 != "UND" &&
			$8 !~ /^_(init|fini)$/ {
		split($8, part, /@+/)
		print (part[2] == "" ? "base" : part[2]), part[1]
	}' | sort >"$tmp/exports"
grep -v '^#' "$here/exports.txt" | sort >"$tmp/wanted"
same "the exports are those of exports.txt" "$tmp/wanted" "$tmp/exports"

# Variables would be copied into programs and freeze their size.
readelf -W --dyn-syms "$so" |
	awk '$4 == "OBJECT" && $7 ~ /^[0-9]+$/ && $3 != "0" { print $8 }' |
	sort >"$tmp/objects"
: >"$tmp/none"
same "no variable is exported" "$tmp/none" "$tmp/objects"

# None of these allocates, locks or keeps state; but the reader of stacks allocates,
# and the dynamic linker locks its list, from which a start of stacks has the table.
printf '%s\n' __errno_location ioctl mmap munmap syscall sysconf |
	sort >"$tmp/wanted"
# What objects of the archive, but for these, call that is not theirs.
mkdir "$tmp/objects.d"
(cd "$tmp/objects.d" && ar x "$lib/libprofil.a" &&
	rm stack_decoder.o last_stacks.o loaded_code.o stack_samples.o &&
	nm -g ./*.o) >"$tmp/symbols"
awk 'NF == 3 { print $3 }' "$tmp/symbols" | sort -u >"$tmp/own"
awk '$1 == "U" && $2 != "_GLOBAL_OFFSET_TABLE_" { print $2 }' "$tmp/symbols" |
	sort -u | comm -23 - "$tmp/own" >"$tmp/imports"
same "the calls call nothing that is not async-signal-safe" \
	"$tmp/wanted" "$tmp/imports"

readelf -d "$so" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p' >"$tmp/needed"
echo "$libc" >"$tmp/wanted"
same "the library needs libc and nothing else" "$tmp/wanted" "$tmp/needed"

readelf -d "$so" | sed -n 's/.*(SONAME).*\[\(.*\)\]/\1/p' >"$tmp/soname"
echo libprofil.so.1 >"$tmp/wanted"
same "the soname is libprofil.so.1" "$tmp/wanted" "$tmp/soname"

# State would show as .data or .bss of our objects, a constructor as .init*.
readelf -W -S "$lib/libprofil.a" | awk '
	{ sub(/^ *\[ *[0-9]+\] */, "") }
	$1 ~ /^\.(data|bss|tdata|tbss)/ && $5 !~ /^0+$/ ||
	$1 ~ /^\.(init_array|ctors|fini_array|dtors)/ { print $1 }' >"$tmp/state"
same "no state, no constructor, no destructor" "$tmp/none" "$tmp/state"

# A static link must not take names that belong to programs.
nm -g --defined-only "$lib/libprofil.a" | awk 'NF == 3 { print $3 }' |
	sort -u >"$tmp/static"
sed -e '/^#/d' -e 's/.* //' "$here/exports.txt" | sort >"$tmp/public"
grep -v '^libprofil_' "$tmp/static" >"$tmp/got"
same "the archive's other names begin with libprofil_" \
	"$tmp/public" "$tmp/got"

if [ "$libc" != libc.so.6 ]; then
	echo "1..$n"
	exit $failed
fi

# The one that matters most: libc's users get ours.
cat >"$tmp/user.c" <<'EOF'
#include <sys/profil.h>
#include <unistd.h>
int main(int argc, char **argv)
{
	(void)argv;
	return argc > 1 ? profil(0, 0, 0, 0) + sprofil(0, 0, 0, 0) : 0;
}
EOF
# bindings COMMAND...: where the program's references to the two went.
bindings() {
	LD_BIND_NOW=1 LD_DEBUG=bindings "$@" 2>&1 | sed -n \
		's/.*binding file .*user \[0\] to \([^ ]*\) .*`\(s*profil\)'"'"'.*/\2 \1/p' |
		sort
}
printf '%s %s\n' profil "$so" sprofil "$so" >"$tmp/wanted"
for pie in -pie -no-pie; do
	flags="-fPIE"
	[ $pie = -pie ] || flags="-fno-pie"
	${CC:-cc} -w "$flags" $pie -o "$tmp/user" "$tmp/user.c"
	bindings env LD_PRELOAD="$so" "$tmp/user" >"$tmp/got"
	same "a preloaded library takes over profil and sprofil ($pie)" \
		"$tmp/wanted" "$tmp/got"
done
bindings "$tmp/user" >"$tmp/got"
[ "$(grep -c 'libc.so.6' "$tmp/got")" -eq 2 ]
result "without the preload, both are libc's" $?

echo "1..$n"
exit $failed
