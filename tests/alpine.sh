#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Alpine's packages in TAP, as far as that goes where there is no abuild: the functions
# of the APKBUILD are run as that runs them, with musl; what they leave is what "make
# install" installs; and AKMBUILD builds the module, as AKMS runs it.
#
# shellcheck disable=SC2317,SC1091,SC2154 # check() calls them; the APKBUILD is made

set -uo pipefail
. "$(dirname "$0")/../scripts/common.sh"
. "$TOP/VERSION"
WORK=$(mktemp -d)
trap 'rm -rf "$WORK"' EXIT
ALPINE=$WORK/alpine
. "$TOP/tests/check.sh"

sources()
{
	O=$WORK "$TOP/scripts/alpine.sh" &&
		grep -x "pkgver=$VERSION" "$ALPINE/APKBUILD" &&
		(. "$ALPINE/APKBUILD" && cd "$ALPINE" && sha512sum -c <<<"$sha512sums") &&
		mkdir "$WORK/src" && tar -x -C "$WORK/src" -f "$ALPINE"/*.tar.gz
}

# What abuild has before it calls a function.
prelude()
{
	cat <<-END
		set -e
		CARCH=x86_64
		export CC='$WORK/cc' CFLAGS=-Os
		startdir='$ALPINE' srcdir='$WORK/src' pkgdir='$WORK/pkg'
		. '$ALPINE/APKBUILD'
		builddir=\$srcdir/\$pkgname-\$pkgver
		mkdir -p "\$pkgdir"
		amove() {
			cd "\$pkgdir"
			tar -c "\$@" | { mkdir -p "\$subpkgdir" && tar -x -C "\$subpkgdir"; }
			rm -r "\$@"
			cd - >/dev/null
		}
		cd "\$builddir"
	END
}

# busybox's, as far as Alpine has no others where packages are made.
make_programs()
{
	local name
	mkdir "$WORK/bin"
	for name in $(busybox --list); do
		case $name in
		ar | ash | sh | dpkg* | rpm*) ;;
		*) ln -s "$(type -P busybox)" "$WORK/bin/$name" ;;
		esac
	done
}

# function NAME [PACKAGE]: that one of the APKBUILD, as POSIX has it, for a package of
# that name.
function_of()
{
	[ -d "$WORK/bin" ] || make_programs
	{ prelude; echo "subpkgname=${2:-} subpkgdir='$WORK/${2:-}'; $1"; } \
		>"$WORK/$1.sh" && PATH=$WORK/bin:$PATH busybox sh "$WORK/$1.sh"
}

# musl's compiler, with the kernel's headers.
make_compiler()
{
	mkdir "$WORK/kernel" &&
		ln -s /usr/include/{linux,asm-generic} "$WORK/kernel" &&
		ln -s "/usr/include/$(cc -print-multiarch)/asm" "$WORK/kernel/asm" &&
		cat >"$WORK/cc" <<-END
			#!/bin/sh
			exec musl-gcc -idirafter "$WORK/kernel" -Wl,--eh-frame-hdr "\$@"
		END
	chmod +x "$WORK/cc"
}

builds() { make_compiler && function_of build; }

# But for what is the command's, and with AKMS in the place of DKMS.
all_is_installed()
{
	local directory
	function_of package && function_of module profil-src || return
	for directory in libprofil packaging/dkms; do
		make -s -C "$TOP/$directory" O="$WORK/build" CC="$WORK/cc" PREFIX=/usr \
			UDEVRULESDIR=/usr/lib/udev/rules.d list || return
	done | sed '/\/man[15]\//d; s/dkms\.conf$/AKMBUILD/' | sort >"$WORK/wanted"
	(cd "$WORK/pkg" && find . ! -type d && cd "$WORK/profil-src" && find . ! -type d) |
		sed 's/^\.//' | sort | diff "$WORK/wanted" -
}

# abuild's own subpackages take these, and leave none but the library.
nothing_is_left_over()
{
	(cd "$WORK/pkg" && find . ! -type d | sed '/^\.\/usr\/\(include\|share\/man\)\//d
		/\.a$/d; /\.so$/d; /\/pkgconfig\//d; /libprofil\.so\.1/d') >"$WORK/over"
	cat "$WORK/over"
	[ ! -s "$WORK/over" ]
}

akms_builds()
{
	local copy=$WORK/akms/build release
	"$TOP/scripts/kernel.sh" fetch 6.1 && mkdir "$WORK/akms" &&
		cp -r "$WORK/profil-src/usr/src/profil-$VERSION" "$copy" || return
	release=$("$TOP/scripts/kernel.sh" release 6.1)
	kernel_ver=$release srcdir=$WORK/profil-src/usr/src/profil-$VERSION builddir=$copy \
		kernel_srcdir=$(readlink -f "$("$TOP/scripts/kernel.sh" build 6.1)") \
		busybox sh -euc 'cd "$builddir"; . ./AKMBUILD; build
			for module in $built_modules; do ls "$module"; done' &&
		[ "$(modinfo -F version "$copy/kmod/profil.ko")" = "$VERSION" ]
}

echo "TAP version 13"
echo "1..6"
check "the APKBUILD gets version and checksum" sources
check "it builds with musl" builds
check "its check passes" function_of check
check "its packages have what make install installs" all_is_installed
check "abuild's subpackages take all but the library" nothing_is_left_over
check "AKMS builds the module" akms_builds
