#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# The Debian packages in TAP: built in a clean system, installed in another one,
# where DKMS builds the module for the kernel that is there, and for the next one
# when that is installed; replaced by those of the next release; and purged. A guest
# boots a copy of that system, where they are tried, replaced and purged, too.
# Usage: packages.sh SUITE    of Debian
#
# Needs root, or sudo. $DEB_BUILD_OPTIONS reaches the build: nocheck...
# shellcheck disable=SC2317 # check() calls them

set -uo pipefail
. "$(dirname "$0")/../scripts/common.sh"
. "$TOP/VERSION"
NEXT=${VERSION%.*}.$((${VERSION##*.} + 1))
PACKAGES="libprofil1 libprofil-dev profil profil-dkms"
case ${1:-} in
bookworm) SERIES=6.1 ;;
trixie)	SERIES=6.12 ;;
sid)	SERIES=7.2 ;;
*)	die "usage: packages.sh bookworm | trixie | sid" ;;
esac
SUITE=$1

# What a user keeps remains the user's: only the systems are root's.
if [ "$(id -u)" != 0 ]; then
	command -v sudo >/dev/null || { echo "1..0 # SKIP needs root"; exit; }
	mkdir -p "$O" "$CACHE"
	"$TOP/scripts/qemu.sh" fetch x86_64 >&2
	exec sudo env O="$O" CACHE="$CACHE" PATH="$PATH:/usr/sbin" \
		DEB_BUILD_OPTIONS="${DEB_BUILD_OPTIONS:-}" "$TOP/tests/packages.sh" "$@"
fi

# Not in /tmp, which may be small.
mkdir -p "$O"
WORK=$(mktemp -d "$(cd "$O" && pwd)/packages.XXXXXX")
trap 'rm -rf "$WORK"' EXIT
BUILD=$WORK/build USE=$WORK/use
. "$TOP/tests/tap.sh"

in_build() { "$TOP/scripts/chroot.sh" run "$BUILD" "$@"; }
in_use() { "$TOP/scripts/chroot.sh" run "$USE" "$@"; }
# No more than is asked for.
APT="apt-get -y -q --no-install-recommends"

make_systems()
{
	"$TOP/scripts/chroot.sh" make "$SUITE" "$BUILD" &&
		"$TOP/scripts/chroot.sh" make "$SUITE" "$USE"
}

# With nothing but what they ask for.
build()
{
	mkdir "$BUILD/source"
	O=$WORK "$TOP/scripts/deb.sh" source &&
		cp "$WORK"/deb/*.dsc "$WORK"/deb/*.tar.* "$BUILD/source" || return
	in_build sh -euc "
		cd /source
		apt-get -qq update
		$APT build-dep ./*.dsc
		dpkg-source -x ./*.dsc tree
		cd tree
		dpkg-buildpackage -us -uc
	"
}

build_next()
{
	in_build sh -euc "
		mkdir /next
		cp -r /source/tree /next
		cd /next/tree
		sed -i 's/$VERSION/$NEXT/' VERSION debian/changelog
		DEB_BUILD_OPTIONS=nocheck dpkg-buildpackage -b -us -uc
	"
}

# Nothing that Debian's checker calls an error or a warning.
lintian_is_silent()
{
	in_build sh -euc "
		$APT install lintian
		lintian --allow-root --fail-on error,warning --tag-display-limit 0 \
			/source/*_amd64.changes
	"
}

# The two newest kernels of the suite. After a point release there is one: the next is
# its flavour for clouds.
choose_kernels()
{
	local releases
	in_use apt-get -qq update &&
	releases=$(in_use apt-cache search --names-only \
			"^linux-(image|headers)-$SERIES\.[0-9.+deb-]*-amd64\$" |
		sed 's/ .*//; s/^linux-[a-z]*-//' | sort -V | uniq -d | tail -n 2) || return
	[ "$(wc -l <<<"$releases")" = 2 ] ||
		releases=$releases$'\n'${releases/%-amd64/-cloud-amd64}
	{ read -r OLD && read -r NEW; } <<<"$releases"
}

# What is on a machine on which somebody builds modules and programs. DKMS and
# libmicrohttpd come with the packages; but what apt keeps of their dependencies, as
# others suggest it, is there before. No kernel has an initrd here: the guest's is made later.
prepare()
{
	choose_kernels && echo "kernels: $OLD $NEW" && in_use sh -euc "
		INITRD=No $APT install linux-image-$OLD linux-headers-$OLD \
			gcc libc6-dev make pkg-config systemd-sysv initramfs-tools udev \
			dkms libmicrohttpd-dev
		apt-get -y -q purge dkms libmicrohttpd-dev
		apt-get -y -q --purge autoremove
	" && state >"$WORK/before"
}

# state: all files and packages of the system, but for what changes at any
# installation, what DKMS and depmod leave of their own, and which kernel it is.
state()
{
	{
		(cd "$USE" && find . -xdev \( -path ./proc -o -path ./dev -o -path ./tmp \
			-o -path ./packages -o -path ./var/log -o -path ./var/cache \
			-o -path ./var/lib/apt -o -path ./var/lib/dpkg \
			-o -path './usr/lib/modules/*/modules.*' \
			-o -path './usr/lib/modules/*/kernel' \
			-o -path './var/lib/dkms/mok.*' \) -prune -o -print)
		in_use dpkg-query -W -f '${db:Status-Abbrev} ${Package}\n'
	} | grep -v '[/ ]linux-' | sed "s/$OLD/KERNEL/g; s/$NEW/KERNEL/g" | sort -u
}

# The steps of a user who has downloaded them.
install_them()
{
	mkdir "$USE"/packages{,/next}
	cp "$BUILD"/source/*.deb "$USE/packages"
	cp "$BUILD"/next/*.deb "$USE/packages/next"
	rm -f "$USE"/packages/{,next/}*-dbgsym_*
	in_use sh -euc "$APT install /packages/*.deb"
}

# module RELEASE
module() { find "$USE/usr/lib/modules/$1/updates" -name 'profil.ko*' | grep .; }

# built_by_dkms RELEASE
built_by_dkms()
{
	in_use dkms status
	in_use dkms status | grep -F "profil/$VERSION, $1, x86_64: installed" &&
		[ "$(modinfo -F vermagic "$(module "$1")" | cut -d' ' -f1)" = "$1" ] &&
		[ "$(modinfo -F version "$(module "$1")")" = "$VERSION" ]
}

# A program that is not linked with the library, and says whose profil() it has: libc's
# needs the timer.
plain_program()
{
	cat <<-'END'
		#include <stdio.h>
		#include <sys/time.h>
		#include <time.h>
		#include <unistd.h>
		static unsigned short counters[4096];
		static char code;
		int main(void)
		{
			struct itimerval timer;
			unsigned long sum = 0;

			(void)code;
			profil(counters, sizeof(counters), (size_t)main & ~4095UL, 0x10000);
			getitimer(ITIMER_PROF, &timer);
			while (clock() < CLOCKS_PER_SEC)
				;
			for (int i = 0; i < 4096; i++)
				sum += counters[i];
			printf("%s profil\n", timer.it_interval.tv_usec ? "libc's" : "our");
			return 0;
		}
	END
}

compile()
{
	plain_program >"$USE/tmp/plain.c"
	in_use sh -euc '
		cd /tmp
		cp /usr/share/doc/libprofil-dev/examples/profil.c linked.c
		gcc -Wall -Werror -o linked linked.c $(pkg-config --cflags --libs libprofil)
		readelf -d linked | grep "NEEDED.*libprofil.so.1"
		gcc -Wall -o plain plain.c
		for package in $(pkg-config --list-package-names | grep ^libprofil-); do
			echo "int main(void) { return 0; }" >empty.c
			gcc -o empty empty.c $(pkg-config --cflags --libs "$package")
		done
		gcc -Wall -Werror -static -o static linked.c \
			$(pkg-config --cflags --libs --static libprofil)
		profil --help
		man=$(dpkg -L '"$PACKAGES"' | grep "/man./")
		test "$(echo "$man" | wc -l)" = '"$(find "$TOP/man" -name '*.[1-9]' | wc -l)"'
	'
}

# What a guest runs when it has booted, with the user's rights where nothing else is
# said. What is loaded stays loaded when packages are replaced.
try()
{
	cat <<-END
		#!/bin/sh
		exec >/dev/ttyS2 2>&1
		trap 'printf "status %s\\nend\\n" \$? >/dev/ttyS1; echo "guest: done" >/dev/kmsg' EXIT
		set -eux
		as_user() { setpriv --reuid=65534 --regid=65534 --clear-groups "\$@"; }
		loaded() { [ "\$(cat /sys/module/profil/version)" = "$VERSION" ]; }
		stty -opost <&1
		udevadm settle
		loaded
		[ "\$(stat -c %a /dev/profil)" = 666 ]
		cd /home/user
		as_user ./linked | tee /dev/stderr | grep 'steps+0x.* ticks'
		as_user ./static | tee /dev/stderr | grep 'steps+0x.* ticks'
		as_user ./plain | grep "^libc's"
		LD_PRELOAD=libprofil.so.1 as_user ./plain | grep '^our'
		as_user profil -o out.profil gzip -9 -c input >out 2>report || { cat report; exit 1; }
		cat report
		grep -E '[1-9][0-9]* samples' report
		as_user profil report out.profil | grep gzip
		as_user nice profil -q -o both.profil sh -c 'while [ ! -e done ]; do gzip -c input; done' >/dev/null &
		sleep 2
		dpkg -i /packages/next/*.deb
		[ "\$(profil --version | sed 's/.* //')" = "$NEXT" ]
		loaded
		sleep 2
		touch done
		wait \$!
		as_user profil report both.profil | tee /dev/stderr | grep gzip
		as_user profil -q -o new.profil gzip -9 -c input >out
		as_user profil report new.profil | grep gzip
		dpkg --purge $PACKAGES
		[ ! -e /sys/module/profil ]
		[ \$((\$(cat /proc/sys/kernel/tainted) & ~(4096 | 8192))) = 0 ]
	END
}

# boot RELEASE: a copy of the system, with that kernel. It has no headers, so DKMS builds
# nothing, and no drivers of what a guest has not, with which depmod takes long there.
boot()
{
	local root=$WORK/guest
	cp -al "$USE" "$root" && cp -a "$USE/tmp" "$root/home/user" &&
		rm -r "$root"/usr/src/linux-* \
			"$root/usr/lib/modules/$1/kernel"/{sound,net,drivers/[!bv]*} || return
	# 2 MB, for many ticks of gzip on any machine.
	for _ in {1..20}; do cat "$TOP"/man/*.[1-9]; done >"$root/home/user/input"
	try >"$root/try"
	chmod +x "$root/try"
	"$TOP/scripts/chroot.sh" run "$root" sh -euc "depmod $1; update-initramfs -c -k $1" &&
		mke2fs -q -t ext4 -d "$root" "$WORK/disk" 4G || return
	KERNEL=$root/boot/vmlinuz-$1 KDIR=$USE/usr/src/linux-headers-$1 \
		INITRD=$root/boot/initrd.img-$1 \
		"$TOP/tests/qemu/run.sh" -k "$SERIES" -i -t 600 -d "$WORK/disk" -- /try
}

# By what they do when a kernel comes, or goes.
update_kernel()
{
	in_use sh -euc "INITRD=No $APT install linux-image-$NEW linux-headers-$NEW" &&
		built_by_dkms "$NEW" && built_by_dkms "$OLD"
}

remove_old_kernel()
{
	in_use apt-get -y -q purge "linux-image-$OLD" "linux-headers-$OLD" || return
	in_use dkms status
	! in_use dkms status | grep -F "$OLD" &&
		[ -z "$(find "$USE/usr/lib/modules" "$USE/var/lib/dkms" -path "*$OLD*" \
			-name 'profil*')" ] && built_by_dkms "$NEW"
}

# DKMS builds the new module and leaves nothing of the old one.
upgrade()
{
	in_use sh -euc "$APT install /packages/next/*.deb" || return
	VERSION=$NEXT built_by_dkms "$NEW" && ! in_use dkms status | grep -F "$VERSION,"
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

plan 14
check "two clean systems of $SUITE are made" make_systems
check "the packages build in one with what they ask for" build
check "so do those of the next release" build_next
check "lintian says nothing of them" lintian_is_silent
check "the other one gets a kernel, its headers and a compiler" prepare
check "apt installs the packages" install_them
check "DKMS has built the module" built_by_dkms "${OLD:-}"
check "programs are compiled and linked with libprofil-dev" compile
check "a guest boots what is installed, replaces it and purges it" boot "${OLD:-}"
check "DKMS builds the module for a kernel that is installed later" update_kernel
check "the module of a kernel that is removed goes with it" remove_old_kernel
check "packages of the next release replace these" upgrade
check "apt purges the packages" purge
check "nothing of them is left" nothing_left
tap_end
