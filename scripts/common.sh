# SPDX-License-Identifier: LGPL-2.1-or-later
# shellcheck shell=bash
#
# What the scripts share; sourced, never run.

TOP=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
O=${O:-$TOP/build}
# Downloads and whatever takes long to make. Outlives "make clean".
CACHE=${CACHE:-${XDG_CACHE_HOME:-${HOME:-/tmp}/.cache}/libprofil}
# Kernels that scripts/kernel.sh can get as packages, with all suites; and those
# that have the selftests with 4 CPUs only. tests/kernels.sh has what follows.
# shellcheck disable=SC2034 # used by those who source this
PACKAGED_KERNELS="6.1 6.12"
# shellcheck disable=SC2034
FURTHER_KERNELS="5.10 6.12-rt"
# Those that it builds: tests/qemu/KERNEL.config on top of base.config.
# shellcheck disable=SC2034
BUILT_KERNELS="debug kcsan"

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

unlock() { exec {LOCK_FD}>&-; }

# Debian release of this machine: 12, 13, ...
host_release()
{
	# shellcheck disable=SC1091
	(. /etc/os-release && echo "${VERSION_ID:-99}")
}
