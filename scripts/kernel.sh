#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Gets kernels for the guests: Debian packages, downloaded with apt from the
# mirrors this machine uses anyway, unpacked in $CACHE and never installed.

set -euo pipefail
. "$(dirname "$0")/common.sh"

DEBUG_CONFIG=$TOP/tests/qemu/debug.config
DEBUG_SOURCE=6.12
KEYRING=/usr/share/keyrings/debian-archive-keyring.gpg

usage()
{
	cat <<END
usage: scripts/kernel.sh fetch KERNEL          download and unpack
       scripts/kernel.sh fetch-source KERNEL   the same for its source
       scripts/kernel.sh build-debug           build the debug kernel
       scripts/kernel.sh build KERNEL          print the directory for M= builds
       scripts/kernel.sh image KERNEL          print the path of the kernel to boot
       scripts/kernel.sh tree KERNEL           print where lib/modules is
       scripts/kernel.sh release KERNEL        print what uname -r says there
       scripts/kernel.sh clean all             remove everything it got
KERNEL: $PACKAGED_KERNELS, debug, or "host" for the running one.
\$KDIR and \$KERNEL, if set, are the answer to "build" and "image".
END
}

# suites KERNEL: the Debian suites that have it in a build whose tools run
# here. 6.12 exists for both releases, with tools linked for each.
suites()
{
	case $1:$(host_release) in
	6.1:*)	 echo bookworm bookworm-security ;;
	6.12:12) echo bookworm bookworm-security bookworm-backports ;;
	6.12:*)	 echo trixie trixie-security ;;
	*)	 die "no package known for kernel $1 (known: $PACKAGED_KERNELS)" ;;
	esac
}

# host_sources: "URI SUITE" lines of the Debian archives this machine's apt is
# configured for, in whatever format. apt itself reads its configuration.
host_sources()
{
	local empty
	empty=$(mktemp -d)
	apt-get update --print-uris -o Dir::State::lists="$empty" \
		-o Debug::NoLocking=1 2>/dev/null |
		sed -n "s|^'\(.*\)/dists/\(.*\)/main/binary-[^/]*/Packages.*|\1 \2|p" |
		sort -u
	rm -rf "$empty"
}

# The archive for ordinary suites has updates in the same place, which tells
# it from third-party ones that use the same suite names.
main_archive()
{
	local uris
	uris=$(awk '$2 !~ /-security$|\/updates$/ { print $1 }' <<<"$1")
	{ awk '$2 ~ /-updates$/ { print $1 }' <<<"$1"
	  grep '/debian/*$' <<<"$uris" || true
	  echo "$uris"; } | awk 'NF' | sed -n 1p
}

security_archive()
{
	awk '$2 ~ /-security$/ { print $1; exit }' <<<"$1"
}

# write_sources KERNEL FILE: a sources.list of the suites that KERNEL needs.
write_sources()
{
	local sources main security suite uri
	sources=$(host_sources)
	main=$(main_archive "$sources")
	security=$(security_archive "$sources")
	[ -n "$main" ] || die "apt has no Debian archive configured"
	for suite in $(suites "$1"); do
		uri=$main
		[[ $suite != *-security ]] || uri=$security
		[ -z "$uri" ] ||
			echo "deb [signed-by=$KEYRING] $uri $suite main"
	done >"$2"
}

# start_apt KERNEL DIR: a private apt in DIR. Sets APT_CONFIG.
start_apt()
{
	local dir=$2
	mkdir -p "$dir/lists/partial" "$dir/archives/partial" "$dir/empty"
	: >"$dir/status"
	write_sources "$1" "$dir/sources.list"
	cat >"$dir/apt.conf" <<END
Dir::State "$dir";
Dir::State::status "$dir/status";
Dir::State::lists "$dir/lists";
Dir::Cache "$dir";
Dir::Etc::sourcelist "$dir/sources.list";
Dir::Etc::sourceparts "$dir/empty";
Dir::Etc::preferences "$dir/none";
Dir::Etc::preferencesparts "$dir/empty";
APT::Architecture "amd64";
APT::Architectures { "amd64"; };
APT::Sandbox::User "$(id -un)";
APT::Default-Release "";
Acquire::Languages "none";
Acquire::Check-Valid-Until "false";
Acquire::Retries "3";
#clear APT::Update::Post-Invoke;
#clear APT::Update::Post-Invoke-Success;
#clear DPkg::Post-Invoke;
END
	export APT_CONFIG=$dir/apt.conf
	apt-get update -qq >&2 || die "apt-get update failed, sources were:
$(cat "$dir/sources.list")"
}

# newest KERNEL PACKAGE...: "package version" of the newest that is KERNEL's.
newest()
{
	local kernel=$1 best='' package version
	shift
	while read -r package version; do
		if [ -z "$best" ] ||
		   dpkg --compare-versions "$version" gt "${best#* }"; then
			best="$package $version"
		fi
	done < <(apt-cache madison "$@" 2>/dev/null |
		 awk -v k="$kernel." 'index($3, k) == 1 { print $1, $3 }')
	[ -n "$best" ] || die "no package of kernel $kernel in: $(suites "$kernel")"
	echo "$best"
}

# depends PACKAGE=VERSION PATTERN: the dependency whose name matches.
depends()
{
	apt-cache show "$1" | sed -n 's/^Depends: //p' | tr ',|' '\n' |
		sed 's/^ *//; s/ .*//' | grep -E -m1 "^$2\$"
}

# kernel_packages KERNEL: "package=version" of image, headers and build tools.
kernel_packages()
{
	local meta version image headers kbuild
	read -r meta version < <(newest "$1" linux-image-amd64 \
					  "linux-image-$1-amd64")
	image=$(depends "$meta=$version" 'linux-image-[0-9].*-amd64')
	headers=${image/image/headers}
	kbuild=$(depends "$headers=$version" 'linux-kbuild-.*')
	echo "$image=$version"
	echo "$headers=$version"
	echo "$(depends "$headers=$version" 'linux-headers-.*-common')=$version"
	echo "$kbuild=$version"
}

# download DIR PACKAGE=VERSION...
download()
{
	local dir=$1
	shift
	mkdir -p "$dir"
	say "downloading $*"
	(cd "$dir" && apt-get download -qq "$@" >&2) ||
		die "download failed; try again"
}

# The modules a guest may want; the rest (graphics, network cards, sound) is
# most of a package's size.
unpack_image()
{
	dpkg-deb --fsys-tarfile "$1" | tar -x -C "$2" --wildcards \
		--transform 's,^\./usr/lib/modules,./lib/modules,' \
		'./boot/*' '*/modules.builtin*' '*/modules.order' \
		'*/kernel/arch/*' '*/kernel/crypto/*' '*/kernel/fs/*' \
		'*/kernel/kernel/*' '*/kernel/lib/*' '*/kernel/mm/*' \
		'*/kernel/drivers/block/*' '*/kernel/drivers/virtio/*' \
		'*/kernel/net/9p/*' 2>/dev/null || true
	[ -n "$(find "$2" -name virtio_blk.ko\*)" ] || die "cannot unpack $1"
	find "$2" -name '*.ko.xz' -exec xz -d {} +
}

# The headers name their common part by where it would be installed.
relocate_headers()
{
	local makefile
	# shellcheck disable=SC2016 # for make
	local here='$(dir $(lastword $(MAKEFILE_LIST)))'
	for makefile in "$1"/usr/src/linux-headers-*/Makefile; do
		sed -i "s|^include /usr/src/|include $here../|" "$makefile"
	done
	if grep -l '^include /usr/src' "$1"/usr/src/*/Makefile; then
		die "cannot relocate these headers"
	fi
}

# number FILE OFFSET BYTES: a little-endian number.
number() { od -A n -t "u$3" -j "$2" -N "$3" "$1" | tr -d ' '; }

# A bzImage spends most of a guest's boot unpacking itself; QEMU also takes
# what is inside. Where that is: Documentation/arch/x86/boot.rst.
extract_vmlinux()
{
	local start length magic unpacker
	start=$((($(number "$1" 0x1f1 1) + 1) * 512 + $(number "$1" 0x248 4)))
	# The last 4 bytes are the size of the result.
	length=$(($(number "$1" 0x24c 4) - 4))
	magic=$(od -A n -t x1 -j "$start" -N 4 "$1" | tr -d ' ')
	case $magic in
	fd377a58) unpacker=xz ;;
	28b52ffd) unpacker=zstd ;;
	1f8b*)	  unpacker=gzip ;;
	*)	  return ;;
	esac
	head -c $((start + length)) "$1" | tail -c "$length" |
		"$unpacker" -dc >"$2" || die "cannot unpack $1"
}

# finish_tree DIR: relative names that do not depend on versions.
finish_tree()
{
	local release
	release=$(cd "$1/lib/modules" && echo *)
	echo "$release" >"$1/release"
	extract_vmlinux "$1/boot/vmlinuz-$release" "$1/boot/vmlinux-$release"
	ln -s "boot/vmlinux-$release" "$1/image"
	ln -s "usr/src/linux-headers-$release" "$1/build"
	[ -s "$1/image" ] || die "there is no kernel in the packages"
	[ -e "$1/build/Makefile" ] ||
		die "the packages are not as expected"
	PATH=$PATH:/usr/sbin:/sbin depmod -b "$1" "$release" 2>/dev/null
}

unpack()
{
	local deb
	mkdir -p "$2"
	for deb in "$1"/*.deb; do
		case $deb in
		*/linux-image-*) unpack_image "$deb" "$2" ;;
		*) dpkg-deb -x "$deb" "$2" ;;
		esac
	done
}

# The directory appears under its name when it is complete, never before.
fetch()
{
	local dest=$CACHE/$1 work packages
	[ ! -e "$dest/release" ] || return 0
	lock "$1"
	[ ! -e "$dest/release" ] || { unlock; return 0; }
	WORK=$(mktemp -d "$CACHE/.$1.XXXXXX")
	work=$WORK
	start_apt "$1" "$work/apt"
	packages=$(kernel_packages "$1")
	# shellcheck disable=SC2086 # one word per package
	download "$work/debs" $packages
	unpack "$work/debs" "$work/tree"
	relocate_headers "$work/tree"
	finish_tree "$work/tree"
	rm -rf "$dest"
	mv -T "$work/tree" "$dest"
	rm -rf "$work"
	unlock
}

fetch_source()
{
	local dest=$CACHE/$1-source work package version
	[ ! -e "$dest" ] || return 0
	lock "$1-source"
	[ ! -e "$dest" ] || { unlock; return 0; }
	WORK=$(mktemp -d "$CACHE/.$1-source.XXXXXX")
	work=$WORK
	start_apt "$1" "$work/apt"
	read -r package version < <(newest "$1" "linux-source-$1")
	download "$work/debs" "$package=$version"
	dpkg-deb -x "$work"/debs/*.deb "$work/deb"
	mkdir "$work/tree"
	tar -x -C "$work/tree" --strip-components=1 \
		-f "$work/deb/usr/src/linux-source-$1.tar.xz"
	echo "$version" >"$work/tree/.package-version"
	mv -T "$work/tree" "$dest"
	rm -rf "$work"
	unlock
}

# --- the debug kernel ---------------------------------------------------------

# check_config WANTED CONFIG: an option that kconfig does not know, or whose
# dependencies are not met, goes away without a word.
check_config()
{
	local lost
	lost=$(grep -v '^#' "$1" | grep -v '=n$' | grep . |
		grep -vxF -f "$2" || true)
	[ -z "$lost" ] || die "not in the configuration: $lost"
}

kernel_make()
{
	env -u MAKEFLAGS -u MFLAGS -u MAKELEVEL -u O -u KERNEL -u KDIR \
		make -s -C "$1" O="$2" -j"$(nproc)" "${@:3}" </dev/null >&2
}

# make_debug SOURCE WORK: image, headers and nothing else in WORK/tree.
make_debug()
{
	local source=$1 build=$2/tree/build release
	mkdir -p "$build"
	kernel_make "$source" "$build" \
		KCONFIG_ALLCONFIG="$DEBUG_CONFIG" allnoconfig
	check_config "$DEBUG_CONFIG" "$build/.config"
	kernel_make "$source" "$build" vmlinux modules
	release=$(cat "$build/include/config/kernel.release")
	strip -g -o "$2/tree/image" "$build/vmlinux"
	mkdir -p "$2/tree/lib/modules/$release"
	cp "$build"/modules.{order,builtin,builtin.modinfo} \
		"$2/tree/lib/modules/$release"
	PATH=$PATH:/usr/sbin:/sbin depmod -b "$2/tree" "$release"
	find "$build" -name '*.o' ! -path '*/scripts/*' ! -path '*/tools/*' \
		-delete
	rm -f "$build"/vmlinux* "$build"/.tmp_vmlinux*
}

# Built anew when its configuration or its source changes.
build_debug()
{
	local source=$CACHE/$DEBUG_SOURCE-source dest=$CACHE/debug hash work
	fetch_source "$DEBUG_SOURCE"
	hash=$(cat "$DEBUG_CONFIG" "$source/.package-version" | sha256sum)
	[ "$(cat "$dest/.hash" 2>/dev/null)" != "$hash" ] || return 0
	lock debug
	[ "$(cat "$dest/.hash" 2>/dev/null)" != "$hash" ] ||
		{ unlock; return 0; }
	say "building the debug kernel (a few minutes)"
	WORK=$(mktemp -d "$CACHE/.debug.XXXXXX")
	work=$WORK
	make_debug "$source" "$work"
	echo "$hash" >"$work/tree/.hash"
	rm -rf "$dest"
	mv -T "$work/tree" "$dest"
	rm -rf "$work"
	unlock
}

# --- where things are -----------------------------------------------------------

build_dir()
{
	if [ -n "${KDIR:-}" ]; then
		echo "$KDIR"
	elif [ "$1" = host ]; then
		echo "/lib/modules/$(uname -r)/build"
	else
		echo "$CACHE/$1/build"
	fi
}

image_path()
{
	if [ -n "${KERNEL:-}" ]; then
		echo "$KERNEL"
	elif [ "$1" = host ]; then
		echo "/boot/vmlinuz-$(uname -r)"
	else
		echo "$CACHE/$1/image"
	fi
}

tree_path()
{
	case $1 in
	host)	echo ;;
	*)	echo "$CACHE/$1" ;;
	esac
}

release_of()
{
	sed -n 's/^#define UTS_RELEASE "\(.*\)"$/\1/p' \
		"$(build_dir "$1")/include/generated/utsrelease.h"
}

# Only what is ours: the directory may have been given by hand.
clean()
{
	local kernel
	for kernel in $PACKAGED_KERNELS; do
		rm -rf "${CACHE:?}/$kernel" "$CACHE/$kernel-source" \
			"$CACHE/.$kernel".* "$CACHE/.$kernel-source".*
	done
	rm -rf "$CACHE"/debug* "$CACHE"/.debug* "$CACHE"/.lock-*
}

main()
{
	local command=${1:-} kernel=${2:-}
	case $command:$# in
	build-debug:1|*:2) ;;
	*) usage >&2; exit 2 ;;
	esac
	trap '[ -z "${WORK:-}" ] || rm -rf "$WORK"' EXIT
	case $command in
	fetch)
		case ${KDIR:+own}$kernel in
		own*|host) ;;
		debug)	   build_debug ;;
		*)	   fetch "$kernel" ;;
		esac
		;;
	build-debug)	build_debug ;;
	fetch-source)	fetch_source "$kernel" ;;
	build)		build_dir "$kernel" ;;
	image)		image_path "$kernel" ;;
	tree)		tree_path "$kernel" ;;
	release)	release_of "$kernel" ;;
	clean)		clean ;;
	*)		usage >&2; exit 2 ;;
	esac
}

main "$@"; exit
