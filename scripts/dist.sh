#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Makes the tarball of a release, $O/libprofil-VERSION.tar.gz, and prints its path. The
# same files always give the same bytes, from git or from an unpacked tarball. Each file
# has the time $SOURCE_DATE_EPOCH or that of the last commit; a tarball made from a
# tarball takes the time of MANIFEST.

set -euo pipefail
. "$(dirname "$0")/common.sh"
. "$TOP/VERSION"
umask 022
NAME=libprofil-$VERSION

# Files that git does not know are not in the tarball.
warn()
{
	local changes
	[ -e .git ] || return 0
	changes=$(git status --porcelain)
	[ -z "$changes" ] || say "not committed:
$changes"
}

epoch()
{
	if [ -n "${SOURCE_DATE_EPOCH:-}" ]; then
		echo "$SOURCE_DATE_EPOCH"
	elif [ -e .git ]; then
		git log -1 --format=%ct
	else
		stat -c %Y MANIFEST
	fi
}

# copy TREE: copies the files, and makes their list, MANIFEST.
copy()
{
	mkdir "$1"
	"$TOP/scripts/files.sh" | grep -vx MANIFEST >"$WORK/files"
	tar -c -T "$WORK/files" | tar -x -C "$1"
	{ cat "$WORK/files"; echo MANIFEST; } | LC_ALL=C sort >"$1/MANIFEST"
}

pack()
{
	LC_ALL=C tar -c -C "$WORK" --format=gnu --sort=name --mtime="@$1" \
		--owner=0 --group=0 --numeric-owner --mode=u=rwX,go=rX "$NAME" |
		gzip -9n
}

main()
{
	local tarball=$O/$NAME.tar.gz
	cd "$TOP"
	WORK=$(mktemp -d)
	trap 'rm -rf "$WORK"' EXIT
	warn
	copy "$WORK/$NAME"
	mkdir -p "$O"
	pack "$(epoch)" >"$tarball.new"
	mv "$tarball.new" "$tarball"
	echo "$tarball"
}

main "$@"; exit
