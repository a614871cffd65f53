#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Makes Debian packages of the tarball of a release, in $O/deb.

set -euo pipefail
. "$(dirname "$0")/common.sh"
. "$TOP/VERSION"
NAME=libprofil-$VERSION

usage()
{
	cat <<END
usage: scripts/deb.sh source     make the source package
       scripts/deb.sh binary     also build the packages, with the installed tools
Prints the path of the .dsc or .changes file. \$DEB_BUILD_OPTIONS works as in Debian:
nocheck, parallel=N...
END
}

# changelog EPOCH: prints one entry, made here so that the version is kept in one place.
# Packages made by Debian would begin with revision 1, and so replace these.
changelog()
{
	local maintainer
	maintainer=$(sed -n 's/^Maintainer: //p' "$TOP/packaging/debian/control")
	cat <<END
libprofil ($VERSION-0upstream1) unstable; urgency=medium

  * Release $VERSION: see NEWS.

 -- $maintainer  $(date -u -R -d "@$1")
END
}

# unpack TARBALL: unpacks it, and moves packaging/debian to debian.
unpack()
{
	local tree=$O/deb/$NAME
	tar -x -C "$O/deb" -f "$1"
	cp -r "$tree/packaging/debian" "$tree/debian"
	changelog "$(stat -c %Y "$tree/MANIFEST")" >"$tree/debian/changelog"
	mv "$1" "$O/deb/libprofil_$VERSION.orig.tar.gz"
}

# Without the variables of an outer make.
build() { env -u MAKEFLAGS -u MFLAGS -u MAKELEVEL -u O -u CACHE "$@" >&2; }

main()
{
	case ${1:-} in
	source | binary) ;;
	*)	usage >&2; exit 2 ;;
	esac
	rm -rf "$O/deb"
	mkdir -p "$O/deb"
	unpack "$("$TOP/scripts/dist.sh")"
	cd "$O/deb"
	build dpkg-source -b "$NAME"
	if [ "$1" = binary ]; then
		(cd "$NAME" && build dpkg-buildpackage -us -uc)
		echo "$O"/deb/*_amd64.changes
	else
		echo "$O"/deb/*.dsc
	fi
	rm -rf "$NAME"
}

main "$@"; exit
