#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# That programs that were linked with the last release run with this library, in TAP:
# what tests/abi/ has of that, abidiff compares with what is built here. What is new
# is allowed, but nothing may be otherwise than it was.
#
# Usage: abi.sh          the tests
#        abi.sh update   write tests/abi/ anew, for a release
#
# shellcheck disable=SC2317 # check() calls them

set -uo pipefail
. "$(dirname "$0")/../scripts/common.sh"
BASELINE=$TOP/tests/abi
WORK=$(mktemp -d)
trap 'rm -rf "$WORK"' EXIT
. "$TOP/tests/check.sh"

# make_library SOURCE OUTPUT: with what tells the types, wherever that is.
make_library()
{
	make -s -C "$1/libprofil" O="$2" CFLAGS="-O2 -g -ffile-prefix-map=$1/=" all
}

# parts OUTPUT: the library, and its objects that have calls of several systems by
# the same name: what is in the library, abidw knows by its first.
parts()
{
	local source
	echo "$1/lib/libprofil.so.1"
	for source in "$TOP"/include/*/libprofil_dialect.h; do
		source=${source%/*}
		echo "$1/lib/obj/${source##*/}.o"
	done
}

# describe PART INCLUDE: what of it can be seen by programs, from these headers.
describe()
{
	abidw --no-corpus-path --no-comp-dir-path --no-show-locs --no-elf-needed \
		--type-id-style hash --exported-interfaces-only --drop-private-types \
		--headers-dir "$2" "$1" |
		sed '1a<!-- SPDX-License-Identifier: LGPL-2.1-or-later -->'
}

baseline_of() { local name=${1##*/}; echo "$BASELINE/${name%.o}.abi"; }

# is_compatible SOURCE: library and headers there.
is_compatible()
{
	local part status=0
	make_library "$1" "$1/abi" || return
	for part in $(parts "$1/abi"); do
		# A system that came later has no past.
		[ -e "$(baseline_of "$part")" ] || continue
		describe "$part" "$1/include" >"$WORK/new.abi" || return
		abidiff --no-added-syms "$(baseline_of "$part")" "$WORK/new.abi" ||
			status=1
	done
	return $status
}

# copy DIRECTORY: what it takes to build the library.
copy()
{
	mkdir "$1" &&
		cp -r "$TOP"/{VERSION,libprofil,include,scripts,man,packaging} "$1"
}

as_released() { copy "$WORK/same" && is_compatible "$WORK/same"; }

# is_refused FILE SCRIPT SAID: with that done to that file by sed. abidiff says so.
is_refused()
{
	local tree=$WORK/changed
	rm -rf "$tree"
	copy "$tree"
	sed -i "$2" "$tree/$1"
	if cmp "$tree/$1" "$TOP/$1"; then
		return 1
	fi
	! is_compatible "$tree" >"$WORK/said" && { cat "$WORK/said"; grep "$3" "$WORK/said"; }
}

is_refused_call()
{
	copy "$WORK/call"
	sed -i 's/profil_stacks_offset(const struct profil_stacks \*stacks)/profil_stacks_offset(int stacks)/' \
		"$WORK"/call/{libprofil/stack_decoder.c,include/libprofil.h}
	sed -i '/^size_t profil_stacks_offset/,/^}/s/return .*;/return (size_t)stacks;/' \
		"$WORK/call/libprofil/stack_decoder.c"
	! is_compatible "$WORK/call" >"$WORK/said" && grep profil_stacks_offset "$WORK/said"
}

added()
{
	copy "$WORK/added"
	echo 'int profil_hello(void); int profil_hello(void) { return 1; }' \
		>>"$WORK/added/libprofil/status.c"
	sed -i '1i #pragma GCC visibility push(default)\
int profil_hello(void);\
#pragma GCC visibility pop' "$WORK/added/libprofil/status.c"
	is_compatible "$WORK/added" &&
		readelf -W --dyn-syms "$WORK/added/abi/lib/libprofil.so.1" |
		grep profil_hello
}

update()
{
	local part
	make_library "$TOP" "$WORK/abi" >&2 || exit
	mkdir -p "$BASELINE"
	rm -f "$BASELINE"/*.abi
	for part in $(parts "$WORK/abi"); do
		describe "$part" "$TOP/include" >"$(baseline_of "$part")" || exit
	done
}

case ${1:-}:$# in
update:1) update; exit ;;
:0)	;;
*)	die "usage: abi.sh [update]" ;;
esac
echo "TAP version 13"
if [ "$(uname -m)" != x86_64 ]; then
	echo "1..0 # SKIP the release's is of x86-64"
	exit
fi
echo "1..7"
check "the library is compatible with the last release" as_released
check "another call is no change" added
check "a call that is gone is one" is_refused libprofil/libprofil.map \
	'/pcsample;/d' '[[]D].*pcsample@@LIBPROFIL_1.0'
check "so is a parameter of another type" is_refused_call
check "so is a structure of another size" is_refused include/uapi/linux/profil.h \
	's/^struct profil_status {/&\n\t__u64 first;/' "profil_status"
check "so is that of one system" is_refused include/irix/libprofil_dialect.h \
	's/^\tunsigned int\tpr_size;/\tunsigned long\tpr_size;/' pr_size
check "so is another soname" is_refused libprofil/Makefile \
	's/-soname,$(SONAME)/-soname,libprofil.so.2/' "SONAME changed"
