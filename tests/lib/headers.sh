#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# What users get to compile with: installs into an empty tree, and compiles the
# original-style source of programs/ with what pkg-config says. Prints TAP.
#
# Needs make, pkg-config, a C and a C++ compiler; with CXX= what is C++ is left out.
set -u
export LC_ALL=C
top=$(cd "$(dirname "$0")/../.." && pwd)
. "$top/tests/tap.sh"
programs=$top/tests/lib/programs
sources=$top/tests/lib/sources
CC=${CC:-cc}
CXX=${CXX-c++}
WORK=$(mktemp -d) || exit 1
trap 'rm -rf "$WORK"' EXIT
languages="c90 c99 gnu99 gnu17 ${CXX:+c++98 gnu++98 gnu++17}"
systems=$("$top/tests/lib/dialects.sh" --systems)

# pkg PACKAGE OPTION...
pkg()
{
	PKG_CONFIG_SYSROOT_DIR=$WORK/root PKG_CONFIG_LIBDIR=$WORK/root/usr/lib/pkgconfig \
		pkg-config --cflags "$@"
}

# quietly COMMAND...: no output is part of success.
quietly()
{
	"$@" >"$WORK/said" 2>&1 && [ ! -s "$WORK/said" ] && return
	cat "$WORK/said"
	false
}

# compile LANGUAGE PACKAGE FILE [OPTION...]: warnings are errors.
compile()
{
	language=$1 package=$2 source=$3
	shift 3
	compiler=$CC x=c
	rm -f "$WORK/program"
	case $language in *++*) compiler=$CXX x=c++ ;; esac
	[ -n "$compiler" ] || return 0
	# shellcheck disable=SC2046
	quietly "$compiler" -std="$language" -Wall -Wextra -Wpedantic -Werror "$@" \
		-o "$WORK/program" -x "$x" "$source" -x none $(pkg "$package" --libs)
}

# bound NAME...: the program refers to these and to no other call of ours.
bound()
{
	printf '%s\n' "$@" | sort >"$WORK/wanted"
	nm -D --undefined-only "$WORK/program" | sed 's/@.*//' |
		awk '$2 ~ /profil|pcsample|getsysinfo|sysconf/ { print $2 }' | sort |
		diff "$WORK/wanted" -
}

# calls SYSTEM: what its program is bound to, as that says.
calls() { sed -n 's|^/[*] Calls: \(.*\) [*]/$|\1|p' "$programs/$1.c"; }

# in_all PACKAGE FILE [OPTION...]: in each language.
in_all()
{
	package=$1 source=$2
	shift 2
	for each in $languages; do
		compile "$each" "$package" "$source" "$@" || return
	done
}

# In strict C libc itself declares no profil() without being asked.
default() { in_all libprofil "$sources/default.c" -D_DEFAULT_SOURCE; }

program_of()
{
	for each in $languages; do
		# shellcheck disable=SC2046
		compile "$each" "libprofil-$1" "$programs/$1.c" && bound $(calls "$1") || return
	done
}

members()
{
	mon=
	[ "$1" != aix ] || mon=-DHAVE_MON_H
	compile c90 "libprofil-$1" "$sources/member.c" &&
		compile c++98 "libprofil-$1" "$sources/member.c" $mon
}

# Each header stands alone, first or after libc's own, in strict C too.
alone()
{
	for header in unistd.h $(cd "$top/include/$1" &&
			find . -name '*.h' ! -name libprofil_dialect.h | sed 's|^\./||'); do
		for before in stddef.h stdio.h sys/types.h; do
			printf '#include <%s>\n' $before "$header" "$header" time.h |
				sed '/stddef/d' >"$WORK/alone.c"
			echo 'int main(void) { return 0; }' >>"$WORK/alone.c"
			compile c90 "libprofil-$1" "$WORK/alone.c" || return
		done
	done
}

# The variants that are chosen by a macro.
variants()
{
	sed '/args\[0\].scale/i args[0].offset = (void *)0x401000;' "$programs/tru64.c" \
		>"$WORK/args5.c"
	compile gnu17 libprofil-bsd "$programs/bsd.c" -DLIBPROFIL_BSD_MAN &&
		bound profil_bsd_man &&
		compile gnu17 libprofil-tru64 "$WORK/args5.c" -DLIBPROFIL_TRU64_ARGS5 &&
		bound profil_tru64_args5 getsysinfo_tru64
}

# All systems in one program, a file each.
together()
{
	echo 'int main(void) { return 0; }' >"$WORK/main.c"
	names='profil sprofil profil_get_status profil_get_features profil_start_stacks
		profil_stop_stacks profil_update_objects profil_stacks_open
		profil_stacks_next profil_stacks_offset profil_stacks_close'
	# shellcheck disable=SC2046,SC2086
	for system in $systems default; do
		package=libprofil-$system source=$programs/$system.c
		[ "$system" != default ] || package=libprofil source=$sources/default.c
		[ "$system" = default ] || names="$names $(calls "$system")"
		quietly "$CC" -c -Dmain="main_$system" -o "$WORK/of_$system.o" "$source" \
			$(pkg "$package") || return
	done
	# shellcheck disable=SC2046,SC2086
	quietly "$CC" -o "$WORK/program" "$WORK/main.c" "$WORK"/of_*.o \
		$(pkg libprofil --libs) && bound $names
}

# Programs and files of release 1.0.0 rely on lines of abi.txt: add some, but change none.
# Callers of 32 bits have the same. Only gcc can print them.
frozen()
{
	printf '#include <%s>\n' linux/profil.h linux/profil_stacks.h \
		libprofil/profile_format.h >"$WORK/abi.c"
	for bits in $(case $(gcc -dumpmachine) in x86_64*) echo -m64 -m32 ;; *) echo -O ;; esac); do
		# shellcheck disable=SC2046
		quietly gcc "$bits" -ffreestanding -fsigned-char -S -fdump-go-spec="$WORK/abi.go" \
			-idirafter "/usr/include/$(gcc -print-multiarch)" \
			-o "$WORK/abi.s" "$WORK/abi.c" $(pkg libprofil) || return
		grep -i profil "$WORK/abi.go" | sort >"$WORK/abi"
		grep -v '^#' "$top/tests/lib/abi.txt" | sort | comm -23 - "$WORK/abi" >"$WORK/gone"
		quietly cat "$WORK/gone" || return
	done
}

uninstall()
{
	make -s --no-print-directory -C "$top/libprofil" uninstall DESTDIR="$WORK/root" PREFIX=/usr
	quietly find "$WORK/root" ! -type d
}

# Other makes write to the same files of $O with another PREFIX.
check "make install" flock "${O:-$top/build}" make -s -C "$top/libprofil" install \
	 DESTDIR="$WORK/root" PREFIX=/usr
check "the default compiles in C and C++" default
for system in $systems; do
	check "source for $system compiles in C and C++, and is bound" program_of "$system"
	check "programs for $system keep names of their own" members "$system"
	check "each header of $system stands alone in strict C" alone "$system"
done
check "the profile file's header compiles in C and C++" in_all libprofil "$sources/format.c"
check "headers have each line of abi.txt" frozen
check "macros choose variants of BSD and Tru64" variants
check "all systems fit in one program" together
check "make uninstall leaves nothing" uninstall
tap_end
