#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Builds a module outside its source tree, so that builds for several kernels do not
# collide: the output directory gets links to the sources, and kbuild runs there.

set -euo pipefail
. "$(dirname "$0")/common.sh"
. "$TOP/VERSION"

usage()
{
	cat <<END
usage: scripts/module.sh [-s SOURCE] [-d OUTPUT] KERNEL [VAR=VALUE...]
       scripts/module.sh [-s SOURCE] -l

Builds the module in SOURCE (default: the top directory) for KERNEL (see
scripts/kernel.sh) in OUTPUT, and prints the path of the .ko. The default OUTPUT is
\$O/KERNEL; with KDIR= and for "host" it is \$O/RELEASE. VAR=VALUE goes to kbuild: W=1,
C=2, V=1... -l lists the sources instead.
END
}

# sources SOURCE: lists the module's source files. Beside ours are other programs, and
# what suites build and remove meanwhile.
sources()
{
	local where=(.)
	[ "$1" != "$TOP" ] || where=(Kbuild kmod include/uapi)
	(cd "$1" && find "${where[@]}" -path './[.]*' -prune -o \
		-type f \( -name '*.[chS]' -o -name Kbuild \) -print) |
		sed 's,^\./,,' | LC_ALL=C sort
}

# link_sources SOURCE OUTPUT: links all sources, and removes links to files that are gone.
link_sources()
{
	local source=$1 output=$2 file
	find "$output" -xtype l -delete
	sources "$source" |
	while read -r file; do
		if [ ! "$output/$file" -ef "$source/$file" ]; then
			mkdir -p "$output/$(dirname "$file")"
			ln -sf "$source/$file" "$output/$file"
		fi
	done
}

# current KO OUTPUT VAR=VALUE...: is KO newer than all its sources, and was it made with
# the same variables?
current()
{
	local ko=$1 output=$2
	shift 2
	[ -e "$ko" ] && [ "$(cat "$output/.made-by" 2>/dev/null)" = "$*" ] &&
	[ -z "$(find -L "$output" "$1/Makefile" -newer "$ko" \
		\( -name '*.[chS]' -o -name Kbuild -o -name Makefile \) \
		! -name '*.mod.c' -print -quit)" ]
}

# compiler KDIR: prints the variable for make. A kernel compiled by clang needs the same
# clang. If this machine does not have the gcc that the kernel names, use its default gcc.
compiler()
{
	local config=$1/include/config/auto.conf named
	if grep -qs '^CONFIG_CC_IS_CLANG=y' "$config"; then
		named=$(sed -n 's/^CONFIG_CLANG_VERSION=\([0-9]*\)[0-9]\{4\}$/\1/p' "$config")
		echo "LLVM=-$named"
		return
	fi
	named=$(sed -n 's/^CC = .*)\(gcc-[0-9]*\)$/\1/p' "$1/.kernelvariables" \
		2>/dev/null)
	[ -z "$named" ] || command -v "$CROSS$named" >/dev/null || echo "CC=${CROSS}gcc"
}

# within ROOT DIRECTORY... -- COMMAND...: runs COMMAND with ROOT as its root directory.
# Each DIRECTORY is visible there at its own path.
within()
{
	local options=(--mount)
	[ "$(id -u)" = 0 ] || options+=(--map-root-user)
	# shellcheck disable=SC2016 # for that shell
	unshare "${options[@]}" bash -euc '
		root=$1
		shift
		touch "$root/dev/null"
		mount --bind /dev/null "$root/dev/null"
		mount --rbind /proc "$root/proc"
		for directory; do
			shift
			[ "$directory" != -- ] || break
			mkdir -p "$root$directory"
			mount --bind "$directory" "$root$directory"
		done
		exec chroot "$root" env -i PATH=/usr/bin "$@"' - "$@"
}

# Runs kbuild without the variables of an outer make, which mean something else there (O=).
# Kernels that bring their tools have it run in their own tree.
kbuild()
{
	local kernel=$1 kdir=$2 source=$3 output=$4 root
	shift 4
	# Module BTF would need pahole, and is not used.
	set -- M="$output" CONFIG_DEBUG_INFO_BTF_MODULES= \
		PROFIL_VERSION="$VERSION" "$@" modules
	root=$("$TOP/scripts/kernel.sh" tools "$kernel")
	if [ -n "$root" ]; then
		kdir=$(readlink -f "$kdir")
		within "$root" "$source" "$output" -- \
			make -s -j"$(nproc)" -C "${kdir#"$(readlink -f "$root")"}" "$@" >&2
	else
		# shellcheck disable=SC2046 # a word or none
		env -u MAKEFLAGS -u MFLAGS -u MAKELEVEL -u O -u KBUILD_OUTPUT \
			-u KERNEL -u KDIR make -s -j"$(nproc)" -C "$kdir" $(compiler "$kdir") "$@" >&2
	fi
}

build()
{
	local kernel=$1 source=$2 output=$3 kdir dir name ko
	shift 3
	kdir=$("$TOP/scripts/kernel.sh" build "$kernel")
	[ -e "$kdir/Makefile" ] ||
		die "$kdir has no headers of kernel $kernel: get them with scripts/kernel.sh fetch"
	# A top-level Kbuild names a directory that has the module.
	dir=$(sed -n 's/^obj-m *:= *\([^ ]*\)\/$/\1\//p' "$output/Kbuild")
	name=$(sed -n 's/^obj-m *:= *\([^ ]*\)\.o$/\1/p' "$output/${dir}Kbuild")
	ko=$output/$dir$name.ko
	if ! current "$ko" "$output" "$kdir" "$source" "$VERSION" "$@"; then
		rm -f "$ko"
		kbuild "$kernel" "$kdir" "$source" "$output" "$@"
		# make may succeed and put the module elsewhere.
		[ -e "$ko" ] || die "make did not build $ko"
		echo "$kdir $source $VERSION${1+ $*}" >"$output/.made-by"
	fi
	[ -z "$dir" ] || ln -sf "$dir$name.ko" "$output/$name.ko"
	echo "$output/$name.ko"
}

# The name of the output directory: with KDIR= and for "host" the kernel's release.
output_name()
{
	if [ -n "${KDIR:-}" ] || [ "$1" = host ]; then
		"$TOP/scripts/kernel.sh" release "$1"
	else
		echo "$1"
	fi
}

main()
{
	local source=$TOP output='' list='' option kernel
	while getopts s:d:lh option; do
		case $option in
		s) source=$(cd "$OPTARG" && pwd) ;;
		d) output=$OPTARG ;;
		l) list=1 ;;
		h) usage; exit 0 ;;
		*) usage >&2; exit 2 ;;
		esac
	done
	shift $((OPTIND - 1))
	if [ -n "$list" ]; then
		sources "$source"
		return
	fi
	if [ $# = 0 ]; then
		usage >&2
		exit 2
	fi
	kernel=$1
	shift
	set_machine "$kernel"
	output=${output:-$O/$(output_name "$kernel")}
	mkdir -p "$output"
	output=$(cd "$output" && pwd)
	exec {LOCK_FD}>"$output/.lock"
	flock "$LOCK_FD"
	link_sources "$source" "$output"
	build "$kernel" "$source" "$output" "$@"
}

main "$@"; exit
