#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# That each kernel of the lists in scripts/common.sh is where CONTRIBUTING.md says
# that one must be, and that the files that it names are there. Silent if so.

set -euo pipefail
. "$(dirname "$0")/../scripts/common.sh"
cd "$TOP"
status=0

complain()
{
	echo "$*"
	status=1
}

# has FILE WHAT KERNEL [PATTERN]: in a line with it, or anywhere, KERNEL stands.
has()
{
	grep -E -- "${4:-}" "$1" | grep -qE "(^|[^0-9.])${3//./\\.}([^0-9.]|\$)" ||
		complain "$1: $2 of $3 is missing"
}

# All of each kernel is what "make check-kernels" runs.
for suite in guest:@:i guest:@:4 guest:@:nohz guest:@:m32 unarmed:@ bench:@; do
	grep -qF -- "${suite/@/\$k}" Makefile ||
		complain "Makefile: check-kernels does not run $suite"
done
for kernel in $PACKAGED_KERNELS; do
	has scripts/kernel.sh "the line in suites()" "$kernel" '^[[:space:]]+[0-9.]+:[0-9*]+\)'
	has README.md "the row of kernels" "$kernel" '^\| kernels \|'
done
for kernel in $BUILT_KERNELS; do
	[ -e "tests/qemu/$kernel.config" ] || complain "tests/qemu/$kernel.config is missing"
	grep -qE "[:,|(]$kernel\\b" tests/suite.sh .ci/run ||
		complain "no suite has $kernel"
done
exit $status
