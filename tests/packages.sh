#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# The Debian packages in TAP: built in a clean system of Debian 12, installed in
# another one, where DKMS builds the module for the kernel that Debian has now, tried
# there and in a guest, and purged. Needs root.
#
# $DEB_BUILD_OPTIONS reaches the build: nocheck...
# shellcheck disable=SC2317 # check() calls them

set -uo pipefail
. "$(dirname "$0")/../scripts/common.sh"
. "$TOP/VERSION"
SUITE=bookworm
PACKAGES="libprofil1 libprofil-dev profil profil-dkms"
WORK=$(mktemp -d)
trap 'rm -rf "$WORK"' EXIT
BUILD=$WORK/build USE=$WORK/use
. "$TOP/tests/check.sh"

in_build() { "$TOP/scripts/chroot.sh" run "$BUILD" "$@"; }
in_use() { "$TOP/scripts/chroot.sh" run "$USE" "$@"; }

make_systems()
{
	"$TOP/scripts/chroot.sh" make $SUITE "$BUILD" &&
		"$TOP/scripts/chroot.sh" make $SUITE "$USE"
}

# With nothing but what they ask for.
build()
{
	mkdir "$BUILD/source"
	O=$WORK "$TOP/scripts/deb.sh" source &&
		cp "$WORK"/deb/*.dsc "$WORK"/deb/*.tar.* "$BUILD/source" || return
	in_build sh -euc '
		cd /source
		apt-get -qq update
		apt-get -y -q --no-install-recommends install dpkg-dev
		apt-get -y -q --no-install-recommends build-dep ./*.dsc
		dpkg-source -x ./*.dsc tree
		cd tree
		dpkg-buildpackage -us -uc
	' && mkdir "$WORK/packages" &&
		mv "$BUILD"/source/*.deb "$BUILD"/source/*.changes \
			"$BUILD"/source/*.buildinfo "$WORK/packages" &&
		mv "$BUILD"/source/*.dsc "$BUILD"/source/*.tar.* "$WORK/packages"
}

# Nothing that Debian's checker calls an error or a warning.
lintian_is_silent()
{
	lintian --allow-root --fail-on error,warning --tag-display-limit 0 \
		"$WORK"/packages/*_amd64.changes
}

# What is on a machine on which somebody builds modules and programs. DKMS comes with
# the packages; but what apt keeps of its dependencies, as others suggest it, is
# there before.
prepare()
{
	in_use sh -euc '
		apt-get -qq update
		apt-get -y -q --no-install-recommends install linux-headers-amd64 \
			gcc libc6-dev make pkg-config dkms
		apt-get -y -q purge dkms
		apt-get -y -q --purge autoremove
	' && state >"$WORK/before"
}

# state: all files and packages of the system, but for what changes at any
# installation, and what DKMS and depmod leave of their own.
state()
{
	(cd "$USE" && find . -xdev \( -path ./proc -o -path ./tmp -o -path ./packages \
		-o -path ./var/log -o -path ./var/cache -o -path ./var/lib/apt \
		-o -path ./var/lib/dpkg -o -path './lib/modules/*/modules.*' \
		-o -path './usr/lib/modules/*/modules.*' \
		-o -path './var/lib/dkms/mok.*' \) -prune -o -print | sort)
	in_use dpkg-query -W -f '${db:Status-Abbrev} ${Package}\n'
}

# As who has downloaded them does it.
install_them()
{
	mkdir "$USE/packages"
	cp "$WORK"/packages/*.deb "$USE/packages"
	rm -f "$USE"/packages/*-dbgsym_*
	in_use sh -euc 'apt-get -y -q --no-install-recommends install /packages/*.deb'
}

# The module of the kernel whose headers are there.
module() { find "$USE/lib/modules/" -path '*/updates/dkms/profil.ko*' | grep .; }

built_by_dkms()
{
	in_use dkms status &&
		in_use dkms status | grep "^profil/$VERSION, .*: installed" &&
		release=$(module | sed 's|.*/modules/\([^/]*\)/.*|\1|') &&
		[ "$(modinfo -F vermagic "$(module)" | cut -d' ' -f1)" = "$release" ] &&
		[ "$(modinfo -F version "$(module)")" = "$VERSION" ]
}

compile()
{
	in_use sh -euc '
		cd /tmp
		cp /usr/share/doc/libprofil-dev/examples/profil.c .
		gcc -Wall -Werror -o profil profil.c $(pkg-config --cflags --libs libprofil)
		readelf -d profil | grep "NEEDED.*libprofil.so.1"
		for package in $(pkg-config --list-package-names | grep ^libprofil-); do
			echo "int main(void) { return 0; }" >empty.c
			gcc -o empty empty.c $(pkg-config --cflags --libs "$package")
		done
		gcc -Wall -Werror -static -o static profil.c \
			$(pkg-config --cflags --libs --static libprofil)
		profil --help
		man=$(dpkg -L '"$PACKAGES"' | grep "/man./")
		test "$(echo "$man" | wc -l)" = '"$(find "$TOP/man" -name '*.[1-9]' | wc -l)"'
	'
}

# What belongs to the packages, and what was compiled with them, in a guest that
# has nothing else of ours.
boot()
{
	local root=$WORK/image file
	release=$(module | sed 's|.*/modules/\([^/]*\)/.*|\1|')
	[ "$release" = "$("$TOP/scripts/kernel.sh" release 6.1)" ] ||
		{ echo "the guest's kernel is another one"; return 1; }
	mkdir "$root"
	# shellcheck disable=SC2086 # words
	in_use dpkg -L $PACKAGES | grep -e /bin/ -e /lib/ -e /libexec/ |
		while read -r file; do
			[ -d "$USE$file" ] || (cd "$USE" && cp -a --parents ".$file" "$root")
		done
	(cd "$USE" && cp -a --parents tmp/profil "$root")
	xz -dc "$(module)" >"$root/profil.ko" 2>/dev/null ||
		cp "$(module)" "$root/profil.ko"
	cat >"$root/try.sh" <<-END
		set -eux
		cp -a $root/usr $root/tmp /
		ldconfig
		insmod $root/profil.ko
		[ "\$(cat /sys/module/profil/version)" = "$VERSION" ]
		/tmp/profil | grep 'steps+0x.* ticks'
		cd /tmp
		/usr/bin/profil -o out.profil gzip -9 -c $TOP/docs/design.md >out 2>report
		cat report
		grep -E '[1-9][0-9]* samples' report
		rmmod profil
	END
	"$TOP/tests/qemu/run.sh" -k 6.1 -i -n -t 600 -f "$root" -f "$TOP/docs/design.md" \
		-f "$(type -P gzip)" -- sh "$root/try.sh"
}

# All that came with them.
purge()
{
	# shellcheck disable=SC2086 # words
	in_use apt-get -y -q purge $PACKAGES &&
		in_use apt-get -y -q --purge autoremove &&
		rm -r "$USE/packages" "$USE"/tmp/*
}

nothing_left() { state | diff "$WORK/before" -; }

[ "$(id -u)" = 0 ] || { echo "1..0 # SKIP needs root"; exit; }
echo "TAP version 13"
echo "1..10"
check "two clean systems are made" make_systems
check "the packages build in one with what they ask for" build
check "lintian says nothing of them" lintian_is_silent
check "the other one gets a kernel's headers and a compiler" prepare
check "apt installs the packages" install_them
check "DKMS has built the module" built_by_dkms
check "programs are compiled and linked with libprofil-dev" compile
check "what was installed works in a guest" boot
check "apt purges the packages" purge
check "nothing of them is left" nothing_left
