#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# "make dist" in TAP: the same files give the same tarball, and what is in it builds,
# installs, and passes the tests that need no guest, without git.
# Usage: dist.sh SUITE...    those of the tarball that are run, of tests/suite.sh
#
# shellcheck disable=SC2317 # check() calls them

set -uo pipefail
. "$(dirname "$0")/../scripts/common.sh"
. "$TOP/VERSION"
NAME=libprofil-$VERSION
WORK=$(mktemp -d)
trap 'rm -rf "$WORK"' EXIT
TREE=$WORK/$NAME
. "$TOP/tests/tap.sh"

# make_dist TOP O
make_dist() { make -s -C "$1" O="$2" dist; }

same_bytes() { cmp "$WORK/$1/$NAME.tar.gz" "$WORK/$2/$NAME.tar.gz"; }

# Other times of files, and another way to write names, numbers and dates.
otherwise()
(
	cp -a "$TREE" "$WORK/older"
	find "$WORK/older" ! -name MANIFEST -exec touch -d @1000000000 {} +
	umask 077
	TZ=Asia/Tokyo LC_ALL=C.UTF-8 make_dist "$WORK/older" "$WORK/second" &&
		same_bytes first second
)

from_tarball() { make_dist "$TREE" "$WORK/third" && same_bytes first third; }

# What lies around in a tree that has been worked in.
littered()
{
	cp -a "$TREE" "$WORK/littered"
	: >"$WORK/littered/kmod/notes.txt"
	: >"$WORK/littered/kmod/old.c"
	make_dist "$WORK/littered" "$WORK/fourth" && same_bytes first fourth
}

complete()
{
	tar -tf "$WORK/first/$NAME.tar.gz" | sed -n "s|^$NAME/\(.*[^/]\)$|\1|p" |
		sort >"$WORK/packed"
	sort "$TREE/MANIFEST" | diff - "$WORK/packed" || return
	"$TOP/scripts/files.sh" | grep -vx MANIFEST | sort >"$WORK/ours"
	grep -vx MANIFEST "$WORK/packed" | diff "$WORK/ours" -
}

# A release is made by one line.
one_version()
{
	local dkms
	cp -a "$TREE" "$WORK/next"
	sed -i 's/^VERSION=.*/VERSION=9.8.7/' "$WORK/next/VERSION"
	make_dist "$WORK/next" "$WORK/fifth" &&
		[ -e "$WORK/fifth/libprofil-9.8.7.tar.gz" ] || return
	# shellcheck disable=SC1091 # DKMS reads it the same way
	dkms=$(set +u; . "$WORK/next/dkms.conf" && echo "$PACKAGE_VERSION")
	[ "$dkms" = 9.8.7 ] &&
	make -s -C "$WORK/next/packaging/dkms" list | grep /usr/src/profil-9.8.7/ &&
	make -s -C "$WORK/next/libprofil" O="$WORK/fifth" all >/dev/null &&
	[ -e "$WORK/fifth/lib/libprofil.so.9.8.7" ] &&
	grep '^Version: 9.8.7$' "$WORK/fifth/lib/libprofil.pc"
}

# -Wpadded has something to say of any structure.
warnings_stop_nobody()
{
	local warned="-O2 -Wpadded" output=$WORK/warned
	make -C "$TREE/libprofil" O="$output" CFLAGS="$warned" all 2>&1 |
		grep -F '[-Wpadded]' >/dev/null &&
		[ -e "$output/lib/libprofil.so.$VERSION" ] &&
		! make -s -C "$TREE/libprofil" O="$output-here" CFLAGS="$warned" \
			WERROR=-Werror all 2>/dev/null
}

state() { (cd "$TREE" && find . -type f -exec sha256sum {} + | sort); }

untouched() { state | diff "$WORK/state" -; }

run_suite() { O=$WORK/build "$TREE/tests/run.pl" "$1"; }

plan "$((9 + $#))"
check "the tarball is made" make_dist "$TOP" "$WORK/first"
tar -x -C "$WORK" -f "$WORK/first/$NAME.tar.gz" || echo "Bail out! no tarball"
state >"$WORK/state"
check "it has what is recorded, and its list" complete
check "what was unpacked makes the same tarball" from_tarball
check "so it does on another day, for another user" otherwise
check "what lies around is not in it" littered
check "the version is in one place" one_version
check "what its documents name is in it" "$TREE/tests/docs.sh"
check "a compiler's new warning does not end its build" warnings_stop_nobody
for suite; do
	check "its suite $suite passes" run_suite "$suite"
done
check "nothing of that was written among the sources" untouched
tap_end
