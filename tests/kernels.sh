#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# That each kernel of the lists in scripts/common.sh is where CONTRIBUTING.md says
# that one must be, and that the files that it names are there. Silent if so.
# With -l, prints the suites of kernels that neither .ci/run nor "make check" has:
# "make check-kernels" runs them.

set -euo pipefail
. "$(dirname "$0")/../scripts/common.sh"
cd "$TOP"
status=0

# Those of all kernels.
suites()
{
	local kernel
	for kernel in $PACKAGED_KERNELS; do
		printf "%s:$kernel%s\n" guest :i guest :nohz guest :lowres guest :m32 \
			guest :kprobe unarmed '' bench ''
	done
	echo guest:arm64:m32
	echo guest:arm64:a53
	for kernel in $CROSS_KERNELS; do
		printf "%s:$kernel\n" unit conformance
	done
	for kernel in $PACKAGED_KERNELS $FURTHER_KERNELS $CROSS_KERNELS \
		$BUILT_KERNELS; do
		echo "guest:$kernel:4"
	done
	echo guest:riscv64:kprobe
	printf "%s:patched\n" bench kselftest kunit runner
}

is_in_ci()
{
	# "make check" is the default kernel's.
	[[ $1 = guest:6.1:[i4] ]] ||
		grep -v '^[[:space:]]*#' .ci/run |
		grep -cE "(^|[[:space:]])${1//./\\.}([[:space:]]|\$)" >/dev/null
}

left_out()
{
	local suite
	for suite in $(suites); do
		is_in_ci "$suite" || echo "$suite"
	done
}

complain()
{
	echo "$*"
	status=1
}

# has FILE WHAT KERNEL [PATTERN]: in a line with it, or anywhere, KERNEL stands.
has()
{
	grep -qE "(^|[^0-9.])${3//./\\.}([^0-9.-]|\$)" < <(grep -E -- "${4:-}" "$1") ||
		complain "$1: $2 of $3 is missing"
}

if [ "${1:-}" = -l ]; then
	left_out
	exit
fi
for kernel in $PACKAGED_KERNELS $FURTHER_KERNELS; do
	has scripts/kernel.sh "the line in suites()" "${kernel%-rt}" '^[[:space:]]+[0-9.|a-z-]+:[0-9*]+\)'
	has README.md "the row of kernels" "$kernel" '^\| kernels \|'
done
for kernel in $CROSS_KERNELS; do
	has scripts/kernel.sh "the line in suites()" "$kernel" '^[[:space:]]+[a-z0-9]+:[0-9*]+\)'
	has scripts/deps.sh "the group" "$kernel" '^[[:space:]]+[a-z0-9]+\)$'
	has README.md "the row of machines" "$kernel" '^\| machines \|'
done
# CI sees each of these boot, and the others build.
for kernel in $PACKAGED_KERNELS; do
	is_in_ci "guest:$kernel:4" || complain ".ci/run: guest:$kernel:4 is missing"
done
grep -q '^	.*kernels\.sh -l' Makefile ||
	complain "Makefile: the suites that CI leaves out are in no target"
for kernel in $BUILT_KERNELS; do
	[ -e "tests/qemu/$kernel.config" ] || complain "tests/qemu/$kernel.config is missing"
done
exit $status
