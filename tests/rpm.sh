#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# The RPM packages in TAP, as far as that goes where packages are Debian's: rpmbuild
# makes them of the tarball; they have what "make install" installs; programs link with
# what is in them; and their scripts have DKMS build the module, and remove it.
#
# shellcheck disable=SC2317 # check() calls them

set -uo pipefail
. "$(dirname "$0")/../scripts/common.sh"
. "$TOP/VERSION"
WORK=$(mktemp -d)
trap 'rm -rf "$WORK"' EXIT
ROOT=$WORK/root
. "$TOP/tests/check.sh"
. "$TOP/tests/later.sh"

# What they are built with is Debian's; but these flags others have, which Debian's
# rpmbuild has not.
build()
{
	O=$WORK "$TOP/scripts/rpm.sh" binary \
		-D "optflags -O2 -flto=auto -ffat-lto-objects -fexceptions -g -Wall" \
		-D "build_ldflags -Wl,-z,relro -Wl,-z,now -flto=auto" >"$WORK/rpms" &&
		[ "$(wc -l <"$WORK/rpms")" = 5 ]
}

binaries() { grep -v '\.src\.rpm$' "$WORK/rpms"; }

source_has_its_version()
{
	mkdir "$WORK/source" &&
		rpm2cpio "$(grep '\.src\.rpm$' "$WORK/rpms")" |
		(cd "$WORK/source" && cpio -i) &&
		grep "^Version: *$VERSION\$" "$WORK/source/profil.spec" &&
		cmp "$WORK/source/libprofil-$VERSION.tar.gz" "$WORK/libprofil-$VERSION.tar.gz"
}

unpack()
{
	local rpm
	mkdir "$ROOT" && binaries | while read -r rpm; do
		rpm2cpio "$rpm" | (cd "$ROOT" && cpio -idm) || return
	done
}

# make_in DIRECTORY TARGET: as the packages have it.
make_in()
{
	make -s -C "$TOP/$1" O="$WORK/build" PREFIX=/usr LIBDIR=/usr/lib64 \
		UDEVRULESDIR=/usr/lib/udev/rules.d "$2"
}

# But for what is for RPM only: licences, documents, names of what is built.
all_is_installed()
{
	local directory
	for directory in libprofil libprofil/preload tools packaging/dkms; do
		make_in $directory list || return
	done | sort >"$WORK/wanted"
	(cd "$ROOT" && find . ! -type d) | sed 's/^\.//
		/^\/usr\/share\/\(licenses\|doc\)\//d
		/^\/usr\/lib\/\.build-id\//d
		/^\/usr\/share\/man\//s/\.[gx]z$//' | sort | diff "$WORK/wanted" -
}

# None is in two packages.
one_owner()
{
	binaries | xargs -n 1 rpm -qpl | sort | uniq -d >"$WORK/twice"
	cat "$WORK/twice"
	[ ! -s "$WORK/twice" ]
}

compile()
{
	# shellcheck disable=SC2046 # words
	PKG_CONFIG_LIBDIR=$ROOT/usr/lib64/pkgconfig PKG_CONFIG_SYSROOT_DIR=$ROOT sh -euc '
		cc -Wall -Werror -o "$1" "$2" $(pkg-config --cflags --libs libprofil)
	' - "$WORK/program" "$TOP/examples/calls/profil.c" &&
		LD_LIBRARY_PATH=$ROOT/usr/lib64 ldd "$WORK/program" |
		grep "libprofil.so.1 => $ROOT/" &&
		"$ROOT/usr/bin/profil" --version | grep -F "$VERSION"
}

# Fedora's binutils-devel has it among the headers, and not where Debian's libiberty has it.
demangler_is_found()
{
	local options=(--mount)
	[ "$(id -u)" = 0 ] || options+=(--map-root-user)
	mkdir "$WORK/none" && cp -r /usr/include/libiberty "$WORK/headers" &&
		C_INCLUDE_PATH=$WORK/headers unshare "${options[@]}" sh -euc '
			mount --bind "$1/none" /usr/include/libiberty
			make -s -C "$2/tools" O="$1/fedora" \
				"$1/fedora/tools/obj/object/demangled_name.o"
		' - "$WORK" "$TOP"
}

# script NAME PARAMETER: that one of profil-dkms, with a DKMS that has its files here.
# The kernel that runs here may have no headers.
script()
{
	local status
	rpm -qp --qf "%{$1}" "$(grep /profil-dkms- "$WORK/rpms")" >"$WORK/script" || return
	# Another process each: by the one that runs both, DKMS knows an update.
	(
		PATH=$WORK/bin:$PATH TMPDIR=$WORK sh -e "$WORK/script" "$2"
		status=$?
		exit $status
	)
}

prepare_dkms()
{
	local release headers
	"$TOP/scripts/kernel.sh" fetch 6.1 || return
	release=$("$TOP/scripts/kernel.sh" release 6.1)
	headers=$(readlink -f "$("$TOP/scripts/kernel.sh" build 6.1)")
	mkdir -p "$WORK"/{bin,dkms,modules/"$release"}
	cat >"$WORK/bin/dkms" <<-END
		#!/bin/sh
		case \$1 in
		build | install) set -- "\$@" -k $release --kernelsourcedir $headers ;;
		esac
		exec $(PATH=$PATH:/usr/sbin type -P dkms) --dkmstree $WORK/dkms \
			--sourcetree $ROOT/usr/src --installtree $WORK/modules \
			--no-depmod "\$@"
	END
	printf '#!/bin/sh\n' >"$WORK/bin/modprobe"
	chmod +x "$WORK"/bin/*
}

installed_module() { find "$WORK/modules" -name 'profil.ko*' | grep .; }

# Of two versions the one that goes is told that it goes after the other has come.
dkms_builds()
{
	prepare_dkms && later_version "$ROOT/usr/src" && "$WORK/bin/dkms" add profil/99.0 &&
		"$WORK/bin/dkms" install profil/99.0 && script POSTIN 2 &&
		"$WORK/bin/dkms" remove profil/99.0 --all &&
		[ "$(modinfo -F version "$(installed_module)")" = "$VERSION" ]
}

# The next release's comes before this one's goes; it is told by 1.
dkms_removes()
{
	script PREUN 0 && ! installed_module &&
		[ -z "$(find "$WORK/dkms" -path '*profil*' ! -type d)" ]
}

echo "TAP version 13"
echo "1..9"
check "the command is compiled with the headers of Fedora's binutils" demangler_is_found
check "the tarball gives four packages" build
check "the source package has the version, and the tarball" source_has_its_version
check "they are unpacked" unpack
check "they have what make install installs" all_is_installed
check "no file is in two of them" one_owner
check "programs link with what is in them" compile
check "DKMS builds the module when its package is installed, over a later one" \
	dkms_builds
check "and has nothing of it when that is removed" dkms_removes
