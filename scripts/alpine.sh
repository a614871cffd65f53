#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Puts into $O/alpine what Alpine's abuild makes packages of: the tarball of a release,
# and the APKBUILD with its version and checksum. Prints the path of that.

set -euo pipefail
. "$(dirname "$0")/common.sh"
. "$TOP/VERSION"

main()
{
	local tarball
	tarball=$("$TOP/scripts/dist.sh")
	rm -rf "$O/alpine"
	mkdir -p "$O/alpine"
	mv "$tarball" "$O/alpine"
	cd "$O/alpine"
	sed -e "s/^pkgver=0\$/pkgver=$VERSION/" \
		-e "s/^sha512sums=.*/sha512sums=\"$(sha512sum "${tarball##*/}")\"/" \
		"$TOP/packaging/alpine/APKBUILD" >APKBUILD
	echo "$O/alpine/APKBUILD"
}

main; exit
