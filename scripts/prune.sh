#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
#
#   prune.sh DESTDIR PREFIX DIRECTORY...
#
# Removes the directories that "make uninstall" has left empty, and their parents. Below
# DESTDIR it removes all of them; without it, it keeps those of every system.

set -eu
destdir=$1 prefix=$2
shift 2

is_kept()
{
	[ -n "$1" ] && [ "$1" != "$destdir" ] || return 0
	[ -z "$destdir" ] || return 1
	case $prefix in
	"$1"/*) return 0 ;;
	esac
	case $1 in
	*/include/libprofil | */include/libprofil/* | /lib/modules/*/extra | \
	*/src/profil-[0-9]*)
		return 1 ;;
	/usr/local/bin | /usr/local/etc | /usr/local/include | /usr/local/lib | \
	/usr/local/sbin | /usr/local/share | /usr/local/share/man) return 0 ;;
	/usr | /usr/local) return 0 ;;
	"$prefix" | "$prefix"/*) [ "$prefix" = /usr ] ;;
	/usr/* | /lib | /lib/* | /etc | /etc/*) return 0 ;;
	esac
}

for directory; do
	while ! is_kept "$directory"; do
		[ ! -d "$directory" ] || rmdir "$directory" 2>/dev/null || break
		directory=${directory%/*}
	done
done
