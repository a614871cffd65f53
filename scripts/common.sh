# SPDX-License-Identifier: LGPL-2.1-or-later
# shellcheck shell=bash
#
# Functions and lists for all scripts; sourced, never run.

# With CDPATH exported, cd could go elsewhere, and would print where.
unset CDPATH
TOP=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
O=${O:-$TOP/build}
# Downloads, and results that take long to make. "make clean" leaves it alone.
CACHE=${CACHE:-${XDG_CACHE_HOME:-${HOME:-/tmp}/.cache}/libprofil}
# Kernels that scripts/kernel.sh gets as packages. The first list runs all suites, the
# second one only the selftests with 4 CPUs.
# shellcheck disable=SC2034 # used by scripts that source this
PACKAGED_KERNELS="6.1 6.12"
# shellcheck disable=SC2034
FURTHER_KERNELS="5.10 6.12-rt 7.2"
# Kernels that it builds: scripts/kernels/KERNEL.config on top of base.config.
# shellcheck disable=SC2034
BUILT_KERNELS="debug kcsan rt-debug noftrace irqtime clang patched builtin"
# The version of clang for the kernel "clang"; each release of Debian has several.
# shellcheck disable=SC2034
CLANG_VERSION=19

# Kernels of other machines, by Debian's name of the machine.
# shellcheck disable=SC2034
CROSS_KERNELS="arm64 riscv64"

# set_machine KERNEL: sets the names of its machine, and its version.
# shellcheck disable=SC2034
set_machine()
{
	local row
	case $1 in
	arm64)	 row="arm64 arm64 aarch64 6.12" ;;
	riscv64) row="riscv64 riscv riscv64 6.12" ;;
	*)	 row="amd64 x86 x86_64 ${1%-rt}" ;;
	esac
	# The names that Debian, kbuild, QEMU and GNU use; CROSS is the prefix of the
	# cross compilers, and CROSS_LIBS where their programs find libraries.
	read -r DEBIAN_ARCH ARCH QEMU_ARCH KERNEL_VERSION <<<"$row"
	TRIPLET=$QEMU_ARCH-linux-gnu
	CROSS='' CROSS_LIBS=/usr/$TRIPLET/lib
	[ "$DEBIAN_ARCH" = amd64 ] || CROSS=$TRIPLET-
	# Debian 12 has no riscv64; its cross compiler's libc has no call frame information.
	[ "$DEBIAN_ARCH" != riscv64 ] || CROSS_LIBS=$CACHE/riscv64/usr/lib/$TRIPLET
}

is_cross() { [[ " $CROSS_KERNELS " = *" $1 "* ]]; }

say() { printf '%s: %s\n' "${0##*/}" "$*" >&2; }
die() { say "$@"; exit 1; }

# lock NAME: holds the lock until this process ends, so that two calls do not make the
# same thing at the same time.
lock()
{
	mkdir -p "$CACHE"
	exec {LOCK_FD}>"$CACHE/.lock-$1"
	flock -n "$LOCK_FD" && return
	say "waiting for another process that works on $1"
	flock "$LOCK_FD"
}

# make_work NAME: makes a new directory in $CACHE, $WORK. The caller holds the lock NAME,
# so older directories of that name are from calls that were killed.
# shellcheck disable=SC2034
make_work()
{
	rm -rf "$CACHE/.$1".??????
	WORK=$(mktemp -d "$CACHE/.$1.XXXXXX")
}

unlock() { exec {LOCK_FD}>&-; }

# Debian release of this machine: 12, 13, ... Of "24.04" elsewhere, the first number.
host_release()
{
	# shellcheck disable=SC1090
	(. "${OS_RELEASE:-/etc/os-release}" && echo "${VERSION_ID:-99}") | cut -d. -f1
}
