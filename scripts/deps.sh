#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Installs the missing Debian packages that a part of the project needs. Quick if none
# is missing.

set -euo pipefail
. "$(dirname "$0")/common.sh"

# GROUP, its purpose, and its packages; @GROUP is all packages of that group.
TABLE=$(cat <<-END
	library  | build the library and the examples | gcc libc6-dev make binutils pkgconf
	tools    | build the command profil | @library libdw-dev libelf-dev zlib1g-dev
	         | | libiberty-dev libjansson-dev libncurses-dev
	         | | libcapstone-dev libmicrohttpd-dev
	headers  | build the module for kernel RELEASE | linux-headers-RELEASE
	unit     | build and run the unit tests | @library perl libcmocka-dev g++ valgrind
	module   | build a module for a guest | gcc gcc-12 make kmod bc libelf1 xz-utils zstd
	         | | debian-archive-keyring
	guest    | boot a guest | @module @tools qemu-system-x86 seabios busybox-static cpio file
	dkms     | build the module for each new kernel | dkms
	deb      | build the Debian packages | @tools @unit build-essential debhelper dh-dkms fakeroot
	packages | try the packages in clean systems | @guest dpkg-dev e2fsprogs mmdebstrap
	service  | test Secure Boot and containers | @guest ovmf sbsigntool openssl
	         | | apparmor systemd-container crun runc
	arm64    | build and boot for arm64 | @guest gcc-aarch64-linux-gnu
	         | | g++-aarch64-linux-gnu libc6-dev-arm64-cross gcc-arm-linux-gnueabihf
	         | | libc6-dev-armhf-cross qemu-system-arm
	riscv64  | build and boot for riscv64 | @guest gcc-riscv64-linux-gnu g++-riscv64-linux-gnu
	         | | libc6-dev-riscv64-cross qemu-system-misc lld-$CLANG_VERSION
	m32      | build 32-bit programs | @library libc6-dev-i386 lib32gcc-12-dev
	user     | run programs of other machines | qemu-user
	musl     | build the library with musl | @unit musl-tools
	debug    | build kernels | @guest flex bison libelf-dev libssl-dev
	clang    | build a kernel with clang | @debug clang-$CLANG_VERSION lld-$CLANG_VERSION
	         | | llvm-$CLANG_VERSION
	patched  | build a kernel that contains the module | @debug @series rsync sparse
	clients  | profile programs, and open viewers | @unit @guest @m32 libc6-dbg perl python3
	         | | sqlite3 rt-tests pigz dash gdb e2fsprogs dosfstools gcl strace tmux
	         | | google-perftools golang-go musl-tools
	         | | libdebuginfod1 chromium
	compare  | compare call trees with other profilers | @guest libc6-dbg python3
	         | | nodejs sqlite3 linux-perf libgoogle-perftools4
	rivals   | compare costs with other profilers | @guest linux-perf libgoogle-perftools4
	         | | valgrind
	model    | check the models | spin gcc cpp tcc make
	series   | make the patch series for the kernel | git patch perl
	lint     | run the static checks | @unit @module @series shellcheck sparse mandoc
	         | | cppcheck clang clang-tidy
	fuzz     | run the fuzzers | @tools clang libclang-rt-dev python3
	all      | run CI's checks, and more | @clients @compare @rivals @dkms @packages
	         | | @debug @patched @lint @fuzz @m32 @musl @model @service
	END
)

# Debian's headers of kernel RELEASE, if they are missing and Debian has them.
release_headers()
{
	local package=linux-headers-${RELEASE:-$(uname -r)}
	[ ! -e "/lib/modules/${package#linux-headers-}/build/Makefile" ] || return 0
	apt-cache search --names-only "^$package\$" 2>/dev/null | cut -d' ' -f1 | grep . ||
		say "apt has no $package: run \"apt-get update\", boot a newer kernel of" \
			"Debian, or name the headers of your own kernel with make KDIR=DIRECTORY"
}

usage()
{
	echo "usage: scripts/deps.sh [-n] GROUP..."
	echo "Installs the missing Debian packages of each GROUP:"
	sed -nE 's/^([a-z0-9]+ +)\| ([^|]*)\|.*/  \1\2/p' <<<"$TABLE"
	echo "-n only prints the missing packages and how to install them; fails if there are any."
}

# packages GROUP: prints its packages, one per line.
packages()
{
	local word words
	words=$(awk -F '|' -v group="$1" '
		$1 !~ /^ *$/ { name = $1; sub(/ +$/, "", name) }
		name == group { print $3; found = 1 }
		END { exit !found }' <<<"$TABLE") || { usage >&2; exit 2; }
	for word in $words; do
		case $word in
		*-RELEASE) release_headers ;;
		@*)	packages "${word#@}" ;;
		*)	echo "$word" ;;
		esac
	done
}

# Renames the packages that have another name on trixie.
release_name()
{
	if [ "$(host_release)" -ge 13 ]; then
		sed 's/^qemu-system-misc$/qemu-system-riscv/
			s/^\(libelf1\|libdebuginfod1\|libgoogle-perftools4\)$/\1t64/
			s/^lib32gcc-12-dev$/lib32gcc-14-dev/'
	else
		cat
	fi
}

# missing GROUP...: prints the packages that are not installed, in one line.
missing()
{
	local group wanted installed
	wanted=$(for group; do packages "$group" || exit; done) || exit
	wanted=$(release_name <<<"$wanted" | sort -u)
	# shellcheck disable=SC2086 # one word per package
	installed=$(dpkg-query -W -f '${db:Status-Status} ${Package}\n' $wanted 2>/dev/null |
		sed -n 's/^installed //p' || true)
	grep -vxF -f <(echo "$installed") <<<"$wanted" | paste -sd ' ' || true
}

as_root()
{
	if [ "$(id -u)" = 0 ]; then
		"$@"
	elif command -v sudo >/dev/null; then
		sudo "$@"
	else
		die "you are not root and there is no sudo: run as root: $*"
	fi
}

# Shows apt's output only if apt fails. Another call is waited for: "update" does not wait
# itself.
apt()
{
	local log
	log=$(as_root flock -o /var/lib/apt/lists env DEBIAN_FRONTEND=noninteractive apt-get -qq -y \
		-o DPkg::Lock::Timeout=600 "$@" 2>&1) || { echo "$log" >&2; return 1; }
}

# The first try fails if the package lists are missing or too old.
apt_install()
{
	apt install --no-install-recommends "$@" 2>/dev/null && return
	apt update && apt install --no-install-recommends "$@"
}

main()
{
	local dry_run='' lacking make=''
	if [ "${1:-}" = -n ]; then
		dry_run=1
		shift
	fi
	if [ $# = 0 ]; then
		usage >&2
		exit 2
	fi
	# On other systems the build itself finds what is missing.
	if [ -n "$dry_run" ] && ! command -v dpkg-query >/dev/null; then
		return 0
	fi
	lacking=$(missing "$@") || exit
	[ -n "$lacking" ] || return 0
	if [ -n "$dry_run" ]; then
		case $* in
		library | tools) make='"make deps", or ' ;;
		esac
		say "missing packages: $lacking"
		say "to install them: ${make}scripts/deps.sh $*, or as root:"
		echo "  apt-get install $lacking" >&2
		return 1
	fi
	command -v apt-get >/dev/null ||
		die "this is not a Debian system: install the equivalent of $lacking"
	say "installing Debian packages: $lacking"
	# shellcheck disable=SC2086 # one word per package
	apt_install $lacking || die "cannot install: $lacking"
}

main "$@"; exit
