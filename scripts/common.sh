# SPDX-License-Identifier: LGPL-2.1-or-later
# shellcheck shell=bash
#
# What the scripts share; sourced, never run.

# Where it is exported, cd goes elsewhere and says so.
unset CDPATH
TOP=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
O=${O:-$TOP/build}
# Downloads and whatever takes long to make. Outlives "make clean".
CACHE=${CACHE:-${XDG_CACHE_HOME:-${HOME:-/tmp}/.cache}/libprofil}
# Kernels that scripts/kernel.sh can get as packages, with all suites; and those
# that have the selftests with 4 CPUs only. tests/kernels.sh has what follows.
# shellcheck disable=SC2034 # used by those who source this
PACKAGED_KERNELS="6.1 6.12"
# shellcheck disable=SC2034
FURTHER_KERNELS="5.10 6.12-rt 7.2"
# Those that it builds: tests/qemu/KERNEL.config on top of base.config.
# shellcheck disable=SC2034
BUILT_KERNELS="debug kcsan rt-debug noftrace nohook clang patched builtin"
# The clang that compiles one of them; each release of Debian has several.
# shellcheck disable=SC2034
CLANG_VERSION=19

# Those of other machines than this one, called by Debian's name of the machine.
# shellcheck disable=SC2034
CROSS_KERNELS="arm64 riscv64"

# set_machine KERNEL: what its machine is called, and the version it is of.
# shellcheck disable=SC2034
set_machine()
{
	local row
	case $1 in
	arm64)	 row="arm64 arm64 aarch64 6.12" ;;
	riscv64) row="riscv64 riscv riscv64 6.12" ;;
	*)	 row="amd64 x86 x86_64 ${1%-rt}" ;;
	esac
	# By Debian, by kbuild, by QEMU and by GNU; CROSS is what the names of
	# its compilers begin with.
	read -r DEBIAN_ARCH ARCH QEMU_ARCH KERNEL_VERSION <<<"$row"
	TRIPLET=$QEMU_ARCH-linux-gnu
	CROSS=''
	[ "$DEBIAN_ARCH" = amd64 ] || CROSS=$TRIPLET-
}

is_cross() { [[ " $CROSS_KERNELS " = *" $1 "* ]]; }

say() { printf '%s: %s\n' "${0##*/}" "$*" >&2; }
die() { say "$@"; exit 1; }

# lock NAME: hold the lock until this process ends, so that two calls do not
# make the same thing at the same time.
lock()
{
	mkdir -p "$CACHE"
	exec {LOCK_FD}>"$CACHE/.lock-$1"
	flock -n "$LOCK_FD" && return
	say "waiting for another process that works on $1"
	flock "$LOCK_FD"
}

# make_work NAME: a new directory in $CACHE, $WORK, for who holds that lock. Others of
# the name are of calls that were killed.
# shellcheck disable=SC2034
make_work()
{
	rm -rf "$CACHE/.$1".??????
	WORK=$(mktemp -d "$CACHE/.$1.XXXXXX")
}

unlock() { exec {LOCK_FD}>&-; }

# Debian release of this machine: 12, 13, ... Others have two numbers: 24.04.
host_release()
{
	# shellcheck disable=SC1090
	(. "${OS_RELEASE:-/etc/os-release}" && echo "${VERSION_ID:-99}") | cut -d. -f1
}
