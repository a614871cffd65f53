#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Builds for the machine of a guest that is another one than this.

set -euo pipefail
. "$(dirname "$0")/common.sh"

usage()
{
	cat <<END
usage: scripts/cross.sh make KERNEL ARG...  make ARG... for the machine of KERNEL,
                                            with the output where it goes
       scripts/cross.sh output KERNEL       print where: make's O=
KERNEL: $CROSS_KERNELS; the programs of the others are this machine's, and so is
their output.
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
