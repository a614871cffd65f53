#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Finds the QEMU that runs the guests: the installed one if it is new enough, else one
# from Debian's backports, which is unpacked in $CACHE and never installed.

set -euo pipefail
. "$(dirname "$0")/common.sh"
. "$TOP/scripts/apt.sh"

# Before 8.1, QEMU may translate code while the guest patches it. Then it runs stale code,
# or hangs.
WANTED=8.1
ARCH=${2:-x86_64}
TREE=$CACHE/qemu
[ "$ARCH" = x86_64 ] || TREE=$TREE-$ARCH
# Marks, for a day, that there is no newer one.
NONE=$CACHE/.no-${TREE##*/}
SYSTEM=qemu-system-$ARCH

usage()
{
	cat <<END
usage: scripts/qemu.sh fetch [ARCH]    get QEMU $WANTED or later, if possible
       scripts/qemu.sh command [ARCH]  print the command that runs the best QEMU here
       scripts/qemu.sh clean [ARCH]    remove downloaded QEMUs
ARCH: the emulated machine: x86_64 (default), aarch64 or riscv64.
If \$QEMU is set, "command" prints it.
END
}

version_of()
{
	"$@" -version 2>/dev/null |
		sed -n '1s/^QEMU emulator version \([0-9.]*\).*/\1/p'
}

new_enough() { dpkg --compare-versions "${1:-0}" ge $WANTED; }

unpacked()
{
	echo "$TREE/usr/bin/$SYSTEM -L $TREE/usr/share/seabios" \
		"-L $TREE/usr/share/qemu"
}

qemu_command()
{
	if [ -n "${QEMU:-}" ]; then
		echo "$QEMU"
	elif [ -e "$TREE/usr/bin" ] && ! installed_is_new; then
		unpacked
	else
		echo "$SYSTEM"
	fi
}

installed_is_new() { new_enough "$(version_of "$SYSTEM")"; }

# in_archive PACKAGE: prints "PACKAGE=VERSION" for the newest version.
in_archive()
{
	apt-cache madison "$1" |
		awk '{ print $1 "=" $3; found = 1; exit } END { exit !found }'
}

# The packages of QEMU for ARCH.
packages()
{
	case $ARCH in
	aarch64) echo qemu-system-arm ;;
	riscv64) echo qemu-system-riscv opensbi ;;
	*)	 echo qemu-system-x86 seabios ;;
	esac
	echo qemu-system-common qemu-system-data
}

# get WORK: unpacks a newer QEMU in WORK/tree. Returns 1 on any failure; the caller goes on.
get()
{
	local package packages=() deb
	(start_apt "$1/apt" bookworm-backports) || return
	export APT_CONFIG=$1/apt/apt.conf
	for package in $(packages); do
		packages+=("$(in_archive "$package")") || return
	done
	(download "$1/debs" "${packages[@]}") || return
	for deb in "$1"/debs/*.deb; do
		dpkg-deb -x "$deb" "$1/tree" || return
	done
	new_enough "$(version_of "$1/tree/usr/bin/$SYSTEM")"
}

needed()
{
	[ -z "${QEMU:-}" ] && [ ! -e "$TREE" ] && ! installed_is_new
}

fetch()
{
	needed || return 0
	lock "${TREE##*/}"
	if ! needed || [ -n "$(find "$NONE" -mtime -1 2>/dev/null)" ]; then
		return
	fi
	make_work "${TREE##*/}"
	if [ "$(host_release)" = 12 ] && get "$WORK"; then
		mv -T "$WORK/tree" "$TREE"
		return
	fi
	say "no QEMU $WANTED or later found: the guests run in" \
		"$(version_of "$SYSTEM"), in which some tests fail"
	: >"$NONE"
}

main()
{
	[ $# -le 2 ] || set --
	trap '[ -z "${WORK:-}" ] || rm -rf "$WORK"' EXIT
	case ${1:-} in
	fetch)	 fetch ;;
	command) qemu_command ;;
	# Of all machines.
	clean)	 rm -rf "$CACHE"/{,.,.no-}qemu "$CACHE"/{,.,.no-}qemu[.-]* ;;
	*)	   usage >&2; exit 2 ;;
	esac
}

main "$@"; exit
