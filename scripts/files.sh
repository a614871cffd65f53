#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Lists the files that are the project's, and not what was built or left lying
# around: those that git knows or, where a tarball was unpacked, those of its
# MANIFEST.

set -euo pipefail
. "$(dirname "$0")/common.sh"

usage()
{
	cat <<END
usage: scripts/files.sh [-n] [PATTERN...]

Lists the files that are there, or those of them that match a PATTERN; its *
also stands for what has a / in it. -n: also those that git does not know yet.
END
}

# recorded NEW: whether they are there or not.
recorded()
{
	if [ -e .git ]; then
		git ls-files --cached ${1:+--others --exclude-standard}
	elif [ -e MANIFEST ]; then
		cat MANIFEST
	else
		die "this is neither a checkout of git nor an unpacked tarball"
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
