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
	local tools=() tree
	[ -z "$CROSS" ] || tools=(CC="${CROSS}gcc" CXX="${CROSS}g++" AR="${CROSS}ar"
		LD="${CROSS}ld" OBJCOPY="${CROSS}objcopy")
	# Debian 12's linker cannot read libraries of Debian 13.
	if [ "$DEBIAN_ARCH" = riscv64 ]; then
		"$TOP/scripts/kernel.sh" fetch riscv64
		export LDFLAGS="${LDFLAGS:-} -B$CROSS_LIBS -L$CROSS_LIBS -fuse-ld=lld \
			-B/usr/lib/llvm-$CLANG_VERSION/bin -Wl,--sysroot=$CACHE/riscv64"
	fi
	# Libraries that the cross compiler has not.
	if [ "$DEBIAN_ARCH" = arm64 ]; then
		tree=$("$TOP/scripts/programs.sh" tree arm64)
		export CPPFLAGS="${CPPFLAGS:-} -idirafter $tree/usr/include \
			-idirafter $tree/usr/include/$TRIPLET"
		export LDFLAGS="${LDFLAGS:-} -L$tree/usr/lib/$TRIPLET \
			-Wl,-rpath-link,$tree/usr/lib/$TRIPLET"
	fi
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
