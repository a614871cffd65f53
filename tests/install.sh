#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# "make install" and "make uninstall" in TAP: what one brings, the other takes.
#
# shellcheck disable=SC2086 # $DKMS has words

set -uo pipefail
. "$(dirname "$0")/../scripts/common.sh"
. "$TOP/tests/tap.sh"
WORK=$(mktemp -d)
trap 'rm -rf "$WORK"' EXIT

# files: what is in the destination.
files() { (cd "$WORK/root" && find . ! -name . | sort); }
nothing_left() { files; [ -z "$(files)" ]; }

# Other suites write to the same files of $O with another PREFIX.
make_top() { flock "$O" make -s -C "$TOP" O="$O" DESTDIR="$WORK/root" "$@" >&2; }

# A later version of the module, which DKMS would leave where it is.
# later_version DIRECTORY: profil-99.0 there. All of the module is that it says so.
later_version()
{
	local tree=$1/profil-99.0
	mkdir -p "$tree/kmod"
	printf 'version=99.0\0' >"$tree/modinfo"
	cc -c -x c -o "$tree/empty.o" /dev/null &&
		objcopy --add-section .modinfo="$tree/modinfo" "$tree/empty.o" "$tree/made" &&
		sed -e '/^\. /d' -e 's/^PACKAGE_VERSION=.*/PACKAGE_VERSION=99.0/' \
			-e 's|^MAKE\[0\]=.*|MAKE[0]="cp made kmod/profil.ko"|' \
			"$TOP/dkms.conf" >"$tree/dkms.conf"
}

mkdir -p "$WORK/root" "$O"
plan 23

make_top install PREFIX=/usr LIBDIR=/usr/lib/test
[ -e "$WORK/root/usr/lib/test/libprofil.so.1" ] &&
	[ -e "$WORK/root/usr/include/linux/profil.h" ] &&
	[ -e "$WORK/root/usr/include/libprofil/profile_format.h" ]
result "install follows PREFIX and LIBDIR"

PKG_CONFIG_PATH=$WORK/root/usr/lib/test/pkgconfig PKG_CONFIG_SYSROOT_DIR=$WORK/root \
	pkg-config --cflags --libs libprofil | grep -q -e "-L$WORK/root/usr/lib/test"
result "pkg-config finds what was installed"

# The C program knows no other copy of the headers and the library.
# shellcheck disable=SC2046 # one word per flag
printf '#include <libprofil.h>\n#include <linux/profil.h>\nint main(void) { return 0; }\n' |
	PKG_CONFIG_PATH=$WORK/root/usr/lib/test/pkgconfig \
	PKG_CONFIG_SYSROOT_DIR=$WORK/root sh -c \
	'cc -x c - -o /dev/null $(pkg-config --cflags --libs libprofil)' >&2
result "a program builds with it"

make -s -C "$TOP/libprofil" O="$O" PREFIX=/usr/local list |
	grep -E '^(/usr)?/lib/udev/rules\.d/' >&2
result "the rule of udev is where udev looks, whatever PREFIX is"

make_top uninstall PREFIX=/usr LIBDIR=/usr/lib/test
check "uninstall leaves nothing behind, no directory either" nothing_left

flock "$O" make -s -C "$TOP" O="$O" install prefix="$WORK/own" DESTDIR="$WORK/root" >&2
[ -e "$WORK/root$WORK/own/lib/libprofil.so.1" ] &&
	[ -x "$WORK/root$WORK/own/bin/profil" ] &&
	grep -q "^prefix=$WORK/own$" "$WORK/root$WORK/own/lib/pkgconfig/libprofil.pc"
result "prefix= is PREFIX="

check "modules-load.d is where systemd looks, whatever PREFIX is" \
	test -e "$WORK/root/usr/lib/modules-load.d/profil.conf"
make_top uninstall prefix="$WORK/own"
rm -rf "${WORK:?}"/root/*

# Onto the system itself, but for what is not below PREFIX.
system() { flock "$O" make -s -C "$TOP/$1" O="$O" PREFIX="$WORK/own" "$2" >&2; }
mkdir -p "$WORK/own/lib"
: >"$WORK/own/lib/other"
system tools install && system libprofil/preload install &&
	[ -x "$WORK/own/bin/profil" ] &&
	system tools uninstall && system libprofil/preload uninstall &&
	[ "$(cd "$WORK/own" && find . | sort | paste -sd ' ')" = ". ./lib ./lib/other" ]
result "uninstall leaves what others have in the same directories"

# Programs that only root can use with success fail, and id says that it is not root.
mkdir "$WORK/user"
printf '#!/bin/sh\nexit 1\n' | tee "$WORK/user/depmod" >"$WORK/user/ldconfig"
printf '#!/bin/sh\necho 1000\n' >"$WORK/user/id"
chmod +x "$WORK"/user/*
as_user()
{
	PATH=$WORK/user:$PATH flock "$O" make -s -C "$TOP" O="$O" PREFIX="$WORK/x" \
		MODULES="$WORK/system" UDEVRULESDIR="$WORK/system" \
		MODULESLOADDIR="$WORK/system" "$1" >"$WORK/said" 2>&1
}
has() { for file; do [ -e "$WORK/x/$file" ] || return; done; }
as_user install && has bin/profil libexec/profil-{report,serve} lib/libprofil.so.1 \
	lib/libprofil-preload.so include/libprofil.h share/man/man1/profil.1 \
	share/bash-completion/completions/profil && [ ! -e "$WORK/system" ] &&
	[ "$(grep -c 'need root.*: sudo make install-module$' "$WORK/said")" = 1 ]
result "a user installs what needs no root, and sees what is not"
sed 's/^/# /' "$WORK/said"

as_user uninstall && [ ! -e "$WORK/x" ]
result "and uninstalls that"

[ -z "$(sh -c 'rmdir() { echo "$1"; }; . "$0"' "$TOP/scripts/prune.sh" '' /usr/local \
	/usr/local/share/man /usr/local/lib /lib/modules/none /usr/lib/udev/rules.d /usr/src)" ]
result "uninstall leaves directories that every system has"

"$TOP/scripts/kernel.sh" fetch 6.1 >&2
release=$("$TOP/scripts/kernel.sh" release 6.1)
mkdir -p "$WORK/modules/$release"
ln -s "$("$TOP/scripts/kernel.sh" build 6.1)" "$WORK/modules/$release/build"
make_top install RELEASE="$release" MODULES="$WORK/modules"
[ "$(modinfo -F vermagic "$WORK/root$WORK/modules/$release/extra/profil.ko" |
	cut -d' ' -f1)" = "$release" ]
result "RELEASE= installs the module for a kernel that does not run"

make_top uninstall RELEASE="$release" MODULES="$WORK/modules"
check "and uninstall removes that" nothing_left

# What is before the blank is another's.
BLANK="$WORK/a root"
: >"$WORK/a"
make_blank() { make_top DESTDIR="$BLANK" RELEASE="$release" MODULES=/lib/modules "$1"; }
make_blank install && [ -e "$BLANK/lib/modules/$release/extra/profil.ko" ] &&
	[ -e "$BLANK/usr/local/lib/libprofil.so.1" ] && make_blank uninstall &&
	[ -z "$(find "$BLANK" ! -path "$BLANK")" ] && [ -e "$WORK/a" ]
result "DESTDIR may have a blank"

mkdir -p "$WORK/a tree"
cp "$TOP/Makefile" "$WORK/a tree"
! make -C "$WORK/a tree" help >"$WORK/said" 2>&1 && grep -q 'has a blank' "$WORK/said" &&
	[ "$(wc -l <"$WORK/said")" -le 3 ]
result "of the sources' directory, make says that it may not"

make -s -C "$TOP" KDIR="$("$TOP/scripts/kernel.sh" build 6.1)" help |
	grep " RELEASE=$release " >&2
result "KDIR= says which kernel it is"

# Else each part would be installed below its own sources.
refused() { ! make -s -C "$TOP/libprofil" O="$O" -n install "$1" >"$WORK/said" 2>&1 &&
	grep -q "${1%%=*}=.* does not begin with a /" "$WORK/said"; }
refused PREFIX=own && refused "LIBDIR=/a b" && refused DESTDIR=root
result "PREFIX and DESTDIR are paths from the root directory on"

# DKMS keeps the kernel's modules, its own files and the sources where it is told.
DKMS="dkms --dkmstree $WORK/dkms --sourcetree $WORK/src --installtree $WORK/modules --no-depmod"
make_dkms()
{
	make -s -C "$TOP" O="$O" RELEASE="$release" MODULES="$WORK/modules" \
		USRSRC="$WORK/src" DKMS="$DKMS" "$@" >&2
}

mkdir "$WORK/dkms" "$WORK/src" "$WORK/modules/$release/extra"
later_version "$WORK/src"
$DKMS install profil/99.0 -k "$release" --kernelsourcedir "$WORK/modules/$release/build" >&2
# As "make install" leaves it.
cp "$O/$release/profil.ko" "$WORK/modules/$release/extra"
make_dkms dkms-install && make_dkms dkms-install &&
	[ "$(modinfo -F vermagic "$WORK/modules/$release/updates/dkms/profil.ko" |
		cut -d' ' -f1)" = "$release" ] &&
	[ "$(modinfo -F version "$WORK/modules/$release/updates/dkms/profil.ko")" = \
		"$(. "$TOP/VERSION" && echo "$VERSION")" ]
result "DKMS installs the module, again and over other versions"

make_dkms dkms-uninstall &&
	[ -z "$(cd "$WORK" && find src dkms modules ! -type d ! -name build)" ] &&
	[ -z "$(ls -A "$WORK/src")" ]
result "and of that nothing is left"
(cd "$WORK" && find src dkms ! -type d) | sed 's/^/# left: /'

# Another's kernel, as a machine may have one among others.
narrow=$WORK/modules/$release-686
mkdir -p "$narrow/build/include"
echo CONFIG_X86_32=y >"$narrow/build/.config"
make -s -C "$TOP/packaging/dkms" USRSRC="$WORK/src" install >&2
$DKMS add "profil/$(. "$TOP/VERSION" && echo "$VERSION")" >&2
$DKMS build "profil/$(. "$TOP/VERSION" && echo "$VERSION")" -k "${narrow##*/}" \
	--kernelsourcedir "$narrow/build" >&2
[ $? = 77 ]
result "DKMS does not try it for a kernel of 32 bits"

make_top dkms-install && [ -e "$WORK/root/usr/src/profil-$(. "$TOP/VERSION" &&
	echo "$VERSION")/dkms.conf" ] && make_top dkms-uninstall && [ -z "$(files)" ]
result "the sources alone can go elsewhere, for who makes a package"

# A machine that has no package, and an apt-get that tells on whoever calls it.
mkdir "$WORK/bin"
printf '#!/bin/sh\n' >"$WORK/bin/dpkg-query"
printf '#!/bin/sh\necho "$*" >>%s\n' "$WORK/apt" >"$WORK/bin/apt-get"
cp "$WORK/bin/apt-get" "$WORK/bin/sudo"
chmod +x "$WORK"/bin/*
echo 'VERSION_ID="24.04"' >"$WORK/os-release"
bare() { OS_RELEASE=$WORK/os-release PATH=$WORK/bin:$PATH make -s -C "$TOP" O="$O" "$@" >"$WORK/said" 2>&1; }

! bare && [ ! -e "$WORK/apt" ] && grep -q '"make deps"' "$WORK/said" &&
	grep -q 'apt-get install .*gcc' "$WORK/said" && ! grep 'line [0-9]*: ' "$WORK/said" >&2
result "make says what is missing, and installs nothing"

bare deps && grep -q 'install.* gcc' "$WORK/apt" && grep -q 'libdw-dev' "$WORK/apt"
result "make deps installs it"
tap_end
