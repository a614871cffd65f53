#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Lists the project's files, without built and leftover ones: the files that git knows
# or, in an unpacked tarball, the files in its MANIFEST.

set -euo pipefail
. "$(dirname "$0")/common.sh"

usage()
{
	cat <<END
usage: scripts/files.sh [-n] [PATTERN...]

Lists the project's files that exist, or those that match a PATTERN; * also
matches a /. -n: also list files that git does not know yet.
END
}

# recorded NEW: lists the files in git or in MANIFEST, existing or not.
recorded()
{
	if [ -e .git ]; then
		git ls-files --cached ${1:+--others --exclude-standard}
	elif [ -e MANIFEST ]; then
		cat MANIFEST
	else
		die "$TOP is neither a git checkout nor an unpacked tarball"
	fi
}

matches()
{
	local file=$1 pattern
	shift
	for pattern; do
		# shellcheck disable=SC2053 # it is a pattern
		[[ $file != $pattern ]] || return 0
	done
	return 1
}

main()
{
	local file option new=''
	while getopts nh option; do
		case $option in
		n) new=1 ;;
		h) usage; exit 0 ;;
		*) usage >&2; exit 2 ;;
		esac
	done
	shift $((OPTIND - 1))
	[ $# != 0 ] || set -- '*'
	cd "$TOP"
	recorded "$new" | LC_ALL=C sort -u | while read -r file; do
		if [ -f "$file" ] && matches "$file" "$@"; then
			echo "$file"
		fi
	done
}

main "$@"; exit
