#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Gets Debian's programs for a guest of another machine, and the libraries that the
# command profil needs: from the mirrors that this machine already uses, unpacked in
# $CACHE and never installed.

set -euo pipefail
. "$(dirname "$0")/common.sh"
. "$TOP/scripts/apt.sh"

PROGRAMS=(python3 perl sqlite3 pigz dash coreutils make gcc strace rt-tests)
LIBRARIES=(libdw-dev libelf-dev zlib1g-dev libiberty-dev libjansson-dev libncurses-dev
	libcapstone-dev libmicrohttpd-dev)

usage()
{
	cat <<END
usage: scripts/programs.sh fetch KERNEL    download and unpack them
       scripts/programs.sh tree KERNEL     print their directory, which has only usr
KERNEL: arm64
END
}

tree() { echo "$CACHE/programs-$DEBIAN_ARCH"; }

# More than half of it is for nobody. Programs are linked with the cross compiler's libc.
unpack()
{
	local deb part link
	mkdir -p "$2"/usr/{bin,sbin,lib}
	for part in bin sbin lib; do
		ln -s "usr/$part" "$2/$part"
	done
	for deb in "$1"/*.deb; do
		dpkg-deb --fsys-tarfile "$deb" | tar -x -C "$2" --keep-directory-symlink
	done
	(cd "$2" && rm -rf bin sbin lib etc var usr/share/{doc,man,locale,info} \
		usr/lib/gcc/*/*/{lto1,lto-wrapper} usr/lib/*/lib{c,m}.so &&
		find usr -name '*.a' ! -name libiberty.a -delete &&
		find usr/lib/*/*.so -lname '/*' | while read -r link; do
			ln -sf "$(basename "$(readlink "$link")")" "$link"
		done)
}

fetch()
{
	local suites="bookworm bookworm-security" work
	[ "$(host_release)" = 12 ] || suites="trixie trixie-security"
	[ ! -e "$(tree)" ] || return 0
	lock "programs-$DEBIAN_ARCH"
	[ ! -e "$(tree)" ] || return 0
	make_work "programs-$DEBIAN_ARCH"
	work=$WORK
	start_apt "$work/apt" "$suites" "$DEBIAN_ARCH"
	download_all "$work/debs" "${PROGRAMS[@]}" "${LIBRARIES[@]}"
	unpack "$work/debs" "$work/tree"
	mv -T "$work/tree" "$(tree)"
}

main()
{
	if [ $# != 2 ] || [ "$2" != arm64 ]; then
		usage >&2
		exit 2
	fi
	set_machine "$2"
	trap '[ -z "${WORK:-}" ] || rm -rf "$WORK"' EXIT
	case $1 in
	fetch)	fetch ;;
	tree)	tree ;;
	*)	usage >&2; exit 2 ;;
	esac
}

main "$@"; exit
