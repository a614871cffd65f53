#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Builds for a guest of another machine type.

set -euo pipefail
. "$(dirname "$0")/common.sh"

usage()
{
	cat <<END
usage: scripts/cross.sh make KERNEL ARG...  run "make ARG..." for the machine of KERNEL
       scripts/cross.sh output KERNEL       print the output directory: make's O=
KERNEL: $CROSS_KERNELS. For any other kernel, it builds for this machine.
END
}

output()
{
	if [ -n "$CROSS" ]; then
		echo "$O/cross/$DEBIAN_ARCH"
	else
		echo "$O"
	fi
}

cross_make()
{
	local tools=()
	[ -z "$CROSS" ] || tools=(CC="${CROSS}gcc" CXX="${CROSS}g++" AR="${CROSS}ar"
		LD="${CROSS}ld" OBJCOPY="${CROSS}objcopy")
	make -s O="$(output)" "${tools[@]}" "$@"
}

main()
{
	local command=${1:-} kernel=${2:-}
	if [ $# -lt 2 ]; then
		usage >&2
		exit 2
	fi
	shift 2
	set_machine "$kernel"
	case $command in
	make)	cross_make "$@" ;;
	output)	output ;;
	*)	usage >&2; exit 2 ;;
	esac
}

main "$@"; exit
