#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Makes Debian systems to try packages in. They have only the essential packages, from
# the mirrors that this machine already uses, and are kept in $CACHE. Root only.

set -euo pipefail
. "$(dirname "$0")/common.sh"
. "$TOP/scripts/apt.sh"
SUITES="bookworm trixie sid"

usage()
{
	cat <<END
usage: scripts/chroot.sh make SUITE DIR       make a system of SUITE in the new directory DIR
       scripts/chroot.sh run DIR COMMAND...   run a command in DIR, also apt-get
       scripts/chroot.sh clean all            remove the systems in $CACHE
SUITE: $SUITES
END
}

# archives SUITE: prints the suites with its packages. sid has no updates suite.
archives()
{
	case $1 in
	sid) echo sid ;;
	*)   echo "$1 $1-updates $1-security" ;;
	esac
}

# fetch SUITE: makes a tarball of the system, which gets its name when it is complete.
# apt's lists stay in it, so that apt fetches only newer ones. Mirrors may be out of date.
# The system need not survive a crash.
fetch()
{
	local dest=$CACHE/chroot-$1.tar
	[[ " $SUITES " = *" $1 "* ]] || die "unknown suite '$1': use one of $SUITES"
	[ ! -e "$dest" ] || return 0
	lock "chroot-$1"
	if [ ! -e "$dest" ]; then
		make_work "chroot-$1"
		write_sources "$(archives "$1")" "$WORK/sources.list"
		say "making a system of $1"
		mmdebstrap --quiet --variant=minbase --skip=cleanup/apt/lists \
			--aptopt='Acquire::Languages "none"' \
			--aptopt='Acquire::Check-Valid-Until "false"' --dpkgopt=force-unsafe-io \
			"$1" "$WORK/system.tar" "$WORK/sources.list" >&2
		mv "$WORK/system.tar" "$dest"
	fi
	unlock
}

# copy_apt SUITE DIR: gives the system in DIR this machine's sources, proxy and
# certificates.
copy_apt()
{
	local certificates=/etc/ssl/certs/ca-certificates.crt
	rm -f "$2"/sources.list "$2"/sources.list.d/*
	write_sources "$(archives "$1")" "$2/sources.list"
	apt-config dump | grep -i '^Acquire::[a-z]*::proxy' >"$2/apt.conf.d/50host" || true
	if [ -e "$certificates" ]; then
		cp "$certificates" "$2/certificates.crt"
		echo 'Acquire::https::CAInfo "/etc/apt/certificates.crt";' \
			>>"$2/apt.conf.d/50host"
	fi
	if [ -d /etc/apt/mirrors ]; then
		cp -r /etc/apt/mirrors "$2/"
	fi
}

make_system()
{
	fetch "$1"
	[ ! -e "$2" ] || die "$2 exists: remove it, or name a new directory"
	mkdir -p "$2"
	tar -x -C "$2" --numeric-owner -f "$CACHE/chroot-$1.tar"
	cp /etc/resolv.conf "$2/etc/"
	copy_apt "$1" "$2/etc/apt"
	# No service may start.
	printf '#!/bin/sh\nexit 101\n' >"$2/usr/sbin/policy-rc.d"
	chmod +x "$2/usr/sbin/policy-rc.d"
	# An index of the manual is not needed, and takes long.
	chroot "$2" debconf-set-selections <<<"man-db man-db/auto-update boolean false"
}

# run DIR COMMAND...: runs the command in mount and PID namespaces of its own. Downloads
# are kept for each suite, because apt locks their directory. Installed kernels get no
# initramfs: who boots one makes it.
run()
{
	local debs
	debs=$CACHE/chroot-debs-$(sed -n 's/^VERSION_CODENAME=//p' "$1/etc/os-release")
	mkdir -p "$debs"
	# apt does not wait for it.
	lock "${debs##*/}"
	# The user who called sudo can then remove the downloads.
	[ -z "${SUDO_UID:-}" ] || chown "$SUDO_UID" "$debs"
	# shellcheck disable=SC2016 # for that shell
	unshare --mount --pid --fork --kill-child sh -euc '
		root=$1 debs=$2
		shift 2
		mount -t proc proc "$root/proc"
		# The file system below may forbid device nodes.
		mount --rbind /dev "$root/dev"
		mount --bind "$debs" "$root/var/cache/apt/archives"
		exec chroot "$root" env -i HOME=/root LC_ALL=C.UTF-8 \
			PATH=/usr/sbin:/usr/bin:/sbin:/bin \
			DEBIAN_FRONTEND=noninteractive INITRD=No \
			DEB_BUILD_OPTIONS="${DEB_BUILD_OPTIONS:-}" "$@"
		' sh "$1" "$debs" "${@:2}"
}

main()
{
	trap '[ -z "${WORK:-}" ] || rm -rf "$WORK"' EXIT
	case ${1:-}:$# in
	make:3)	make_system "$2" "$3" ;;
	clean:2) rm -rf "$CACHE"/chroot-* "$CACHE"/.chroot-* ;;
	run:*)	run "${@:2}" ;;
	*)	usage >&2; exit 2 ;;
	esac
}

main "$@"; exit
