#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Builds a module out of its source tree, so that several kernels do not
# collide: links to the sources go to the output directory, kbuild runs there.

set -euo pipefail
. "$(dirname "$0")/common.sh"
. "$TOP/VERSION"

usage()
{
	cat <<END
usage: scripts/module.sh [-s SOURCE] [-d OUTPUT] KERNEL [VAR=VALUE...]
       scripts/module.sh [-s SOURCE] -l

Builds the module in SOURCE (default: profil, from the top) for KERNEL (see
scripts/kernel.sh) in OUTPUT (default: \$O/KERNEL), and prints the path of the
.ko. For KDIR= and "host" the output is called by its release. VAR=VALUE goes to kbuild: W=1, C=2, V=1...
-l lists the sources instead.
END
}

# sources SOURCE: what the module is made of. Also with busybox's programs, as Alpine's
# packages are made.
sources()
{
	(cd "$1" && find . -path './[.]*' -prune -o \
		-type f \( -name '*.[chS]' -o -name Kbuild \) -print) | sed 's,^\./,,' |
	if [ "$1" = "$TOP" ]; then
		grep -E '^(Kbuild$|kmod/|include/uapi/)'
	else
		cat
	fi | LC_ALL=C sort
}

# link_sources SOURCE OUTPUT: links to all sources; none to those that went.
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

# current KO OUTPUT VAR=VALUE...: is KO newer than all it is made of, and was
# it made the same way?
current()
{
	local ko=$1 output=$2
	shift 2
	[ -e "$ko" ] && [ "$(cat "$output/.made-by" 2>/dev/null)" = "$*" ] &&
	[ -z "$(find -L "$output" "$1/Makefile" -newer "$ko" \
		\( -name '*.[chS]' -o -name Kbuild -o -name Makefile \) \
		! -name '*.mod.c' -print -quit)" ]
}

# compiler KDIR: what make is to be told. A kernel that clang has compiled needs the same
# clang. Of gcc, the one that it names may not be had here, as an older release's; then
# this machine's has to do.
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

# within ROOT DIRECTORY... -- COMMAND...: COMMAND with ROOT as root, where these are at
# the paths that they have here.
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

# Kbuild without what an outer make has set for us: O= means something else. Kernels
# that bring their tools have it run among these.
kbuild()
{
	local kernel=$1 kdir=$2 source=$3 output=$4 root
	shift 4
	# Module BTF would need pahole, and nobody here reads it.
	set -- M="$output" CONFIG_DEBUG_INFO_BTF_MODULES= \
		PROFIL_VERSION="$VERSION" "$@" modules
	root=$("$TOP/scripts/kernel.sh" tools "$kernel")
	if [ -n "$root" ]; then
		kdir=$(readlink -f "$kdir")
		within "$root" "$source" "$output" -- \
			make -s -C "${kdir#"$(readlink -f "$root")"}" "$@" >&2
	else
		# shellcheck disable=SC2046 # a word or none
		env -u MAKEFLAGS -u MFLAGS -u MAKELEVEL -u O -u KBUILD_OUTPUT \
			-u KERNEL -u KDIR make -s -C "$kdir" $(compiler "$kdir") "$@" >&2
	fi
}

build()
{
	local kernel=$1 source=$2 output=$3 kdir dir name ko
	shift 3
	kdir=$("$TOP/scripts/kernel.sh" build "$kernel")
	[ -e "$kdir/Makefile" ] ||
		die "no headers of kernel $kernel in $kdir"
	# A top-level Kbuild names a directory that has the module.
	dir=$(sed -n 's/^obj-m *:= *\([^ ]*\)\/$/\1\//p' "$output/Kbuild")
	name=$(sed -n 's/^obj-m *:= *\([^ ]*\)\.o$/\1/p' "$output/${dir}Kbuild")
	ko=$output/$dir$name.ko
	if ! current "$ko" "$output" "$kdir" "$source" "$VERSION" "$@"; then
		rm -f "$ko"
		kbuild "$kernel" "$kdir" "$source" "$output" "$@"
		# What is not where it is looked for is no error of make's.
		[ -e "$ko" ] || die "make has built no $ko"
		echo "$kdir $source $VERSION${1+ $*}" >"$output/.made-by"
	fi
	[ -z "$dir" ] || ln -sf "$dir$name.ko" "$output/$name.ko"
	echo "$output/$name.ko"
}

# A kernel of one's own is known by its release.
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
