#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# "make install" and "make uninstall" in TAP: what one brings, the other takes.

set -uo pipefail
. "$(dirname "$0")/../scripts/common.sh"
WORK=$(mktemp -d)
trap 'rm -rf "$WORK"' EXIT

# files: what is in the destination.
files() { (cd "$WORK/root" && find . ! -type d | sort); }

make_top() { make -s -C "$TOP" O="$O" DESTDIR="$WORK/root" "$@" >&2; }

result()
{
	local status=$?
	[ $status = 0 ] || printf 'not '
	echo "ok $1 - $2"
}

mkdir "$WORK/root"
echo "TAP version 13"
echo "1..5"

make_top install PREFIX=/usr LIBDIR=/usr/lib/test
[ -e "$WORK/root/usr/lib/test/libprofil.so.1" ] &&
	[ -e "$WORK/root/usr/include/linux/profil.h" ]
result 1 "install follows PREFIX and LIBDIR"

PKG_CONFIG_PATH=$WORK/root/usr/lib/test/pkgconfig PKG_CONFIG_SYSROOT_DIR=$WORK/root \
	pkg-config --cflags --libs libprofil | grep -q -e "-L$WORK/root/usr/lib/test"
result 2 "pkg-config finds what was installed"

# The C program knows no other copy of the headers and the library.
# shellcheck disable=SC2046 # one word per flag
printf '#include <libprofil.h>\n#include <linux/profil.h>\nint main(void) { return 0; }\n' |
	PKG_CONFIG_PATH=$WORK/root/usr/lib/test/pkgconfig \
	PKG_CONFIG_SYSROOT_DIR=$WORK/root sh -c \
	'cc -x c - -o /dev/null $(pkg-config --cflags --libs libprofil)' >&2
result 3 "a program builds with it"

rules=$(make -s -C "$TOP/libprofil" O="$O" PREFIX=/usr/local list | grep udev)
case $rules in
/usr/lib/udev/rules.d/* | /lib/udev/rules.d/*) ;;
*) false ;;
esac
result 4 "the rule of udev is where udev looks, whatever PREFIX is"

make_top uninstall PREFIX=/usr LIBDIR=/usr/lib/test
[ -z "$(files)" ]
result 5 "uninstall leaves nothing behind"
files | sed 's/^/# left: /'
