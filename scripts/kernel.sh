#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Gets kernels for the guests: Debian packages from the mirrors that this machine already
# uses, unpacked in $CACHE and never installed.

set -euo pipefail
. "$(dirname "$0")/common.sh"
. "$TOP/scripts/apt.sh"

BUILT_SOURCE=6.12

usage()
{
	cat <<END
usage: scripts/kernel.sh fetch KERNEL          download and unpack it, or build it
       scripts/kernel.sh fetch-source KERNEL   download and unpack its source
       scripts/kernel.sh build KERNEL          print the directory for M= builds
       scripts/kernel.sh image KERNEL          print the path of the kernel to boot
       scripts/kernel.sh tree KERNEL           print the directory with lib/modules
       scripts/kernel.sh tools KERNEL          print the root directory to run make in, if
                                               the kernel needs other tools than this
                                               machine has
       scripts/kernel.sh release KERNEL        print the kernel's release (uname -r)
       scripts/kernel.sh clean all             remove all downloaded and built kernels
KERNEL: $PACKAGED_KERNELS $FURTHER_KERNELS; $CROSS_KERNELS for other machines;
$BUILT_KERNELS, built from source;
"host" for the running kernel.
If \$KDIR is set, "build" prints it; if \$KERNEL is set, "image" prints it.
END
}

# suites KERNEL: prints the Debian suites with a build of it whose tools run here, or
# that brings its tools. 6.12 exists for both releases, with tools for each.
suites()
{
	case ${1%-rt}:$(host_release) in
	5.10:*)	 echo bullseye bullseye-security ;;
	6.1:*)	 echo bookworm bookworm-security ;;
	6.12:12) echo bookworm bookworm-security bookworm-backports ;;
	6.12:*)	 echo trixie trixie-security ;;
	7.2:*)	 echo sid ;;
	arm64:12) echo bookworm bookworm-security bookworm-backports ;;
	arm64:*) echo trixie trixie-security ;;
	# The build tools for this machine come from its own release, in the same version.
	riscv64:12) echo trixie bookworm bookworm-security bookworm-backports ;;
	riscv64:*) echo trixie ;;
	*)	 die "unknown kernel '$1': use one of $PACKAGED_KERNELS" \
			"$FURTHER_KERNELS $CROSS_KERNELS" ;;
	esac
}

# Kernels whose headers need a newer compiler and libc than this machine has. Their tree
# has both, and scripts/module.sh runs make in it.
brings_tools() { [ "$1" = 7.2 ]; }

# flavour KERNEL: prints the flavour of its packages. VERSION-rt is PREEMPT_RT.
flavour()
{
	case $1 in
	*-rt) echo "rt-$DEBIAN_ARCH" ;;
	*)    echo "$DEBIAN_ARCH" ;;
	esac
}

# newest KERNEL PACKAGE...: prints "package version" of the newest package for KERNEL.
newest()
{
	local kernel=$1 best='' package version
	shift
	# For a built kernel: its source has the version of another one.
	set_machine "$kernel"
	while read -r package version; do
		if [ -z "$best" ] ||
		   dpkg --compare-versions "$version" gt "${best#* }"; then
			best="$package $version"
		fi
	done < <(apt-cache madison "$@" 2>/dev/null |
		 awk -v k="$KERNEL_VERSION." 'index($3, k) == 1 { print $1, $3 }')
	[ -n "$best" ] || die "no package of kernel $kernel in: $(suites "$kernel")"
	echo "$best"
}

# depends PACKAGE=VERSION PATTERN: prints the dependency whose name matches.
depends()
{
	apt-cache show "$1" | sed -n 's/^Depends: //p' | tr ',|' '\n' |
		sed 's/^ *//; s/ .*//' | grep -E -m1 "^$2\$"
}

# kernel_packages KERNEL: prints "package=version" of image, headers and build tools.
kernel_packages()
{
	local meta version image headers kbuild flavour
	flavour=$(flavour "$1")
	read -r meta version < <(newest "$1" "linux-image-$flavour" \
				"linux-image-$KERNEL_VERSION-$flavour")
	image=$(depends "$meta=$version" "linux-image-[0-9].*-$flavour")
	headers=${image/image/headers}
	kbuild=$(depends "$headers=$version" 'linux-kbuild-.*')
	echo "$image=$version"
	echo "$headers=$version"
	echo "$(depends "$headers=$version" 'linux-headers-.*-common(-rt)?')=$version"
	build_tools "$kbuild"
	is_cross "$1" || return 0
	echo busybox-static libc-bin
	[ "$1" != riscv64 ] || echo libc6 libc6-dev libgcc-s1 libstdc++6
}

# build_tools PACKAGE: prints the build tools for this machine, and their newest version.
# Debian has that of 6.1 some days before the signed image, and then no older one.
build_tools()
{
	local kbuild=$1
	[ "$(host_release)" != 12 ] || kbuild=${1/+deb13/+deb12}
	apt-cache madison "$kbuild:amd64" | awk '
		{ print $1 "=" $3; found = 1; exit }
		END { exit !found }' || die "apt finds no package $kbuild"
}

# The same for a kernel that brings its tools; apt adds their dependencies.
packages_with_tools()
{
	local meta version image part
	read -r meta version < <(newest "$1" "linux-image-$(flavour "$1")")
	image=$(depends "$meta=$version" 'linux-image-[0-9].*')
	for part in binary modules headers; do
		echo "${image/image/$part}=$version"
	done
	echo base-files bash coreutils dash diffutils findutils grep make mawk \
		sed
}

# Unpacks the modules that a guest may need. The others (graphics, network cards, sound)
# are most of the package.
unpack_image()
{
	dpkg-deb --fsys-tarfile "$1" | tar -x -C "$2" --wildcards \
		--transform 's,^\./usr/lib/modules,./lib/modules,' \
		'./boot/*' '*/vmlinuz' '*/modules.builtin*' '*/modules.order' \
		'*/kernel/arch/*' '*/kernel/crypto/*' '*/kernel/fs/*' \
		'*/kernel/kernel/*' '*/kernel/lib/*' '*/kernel/mm/*' \
		'*/kernel/drivers/block/*' '*/kernel/drivers/virtio/*' \
		'*/kernel/net/9p/*' 2>/dev/null || true
	find "$2" -name '*.ko.xz' -exec xz -d {} +
}

# The headers name their common part by its installed path.
relocate_headers()
{
	local makefile
	# shellcheck disable=SC2016 # for make
	local here='$(dir $(lastword $(MAKEFILE_LIST)))'
	for makefile in "$1"/usr/src/linux-headers-*/Makefile; do
		sed -i "s|^include /usr/src/|include $here../|" "$makefile"
	done
	if grep -l '^include /usr/src' "$1"/usr/src/*/Makefile; then
		die "cannot relocate the kernel headers: has Debian's layout changed?"
	fi
	link_build_tools "$1"
}

# They also name the build tools, by the path in their own release.
link_build_tools()
{
	local scripts
	for scripts in "$1"/usr/src/*-common*/scripts; do
		[ -e "$scripts" ] || ln -s "$(cd "$1/usr/lib" && echo linux-kbuild-*)" \
			"$1/usr/lib/$(readlink "$scripts" | cut -d/ -f4)"
	done
}

# number FILE OFFSET BYTES: prints a little-endian number.
number() { od -A n -t "u$3" -j "$2" -N "$3" "$1" | tr -d ' '; }

# A bzImage spends most of a guest's boot on unpacking itself. QEMU also boots the vmlinux
# inside; Documentation/arch/x86/boot.rst in the kernel says where that is.
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

# boot_image DIR RELEASE: makes the image that QEMU boots.
boot_image()
{
	if [ "$ARCH" = x86 ]; then
		extract_vmlinux "$1/vmlinuz-$2" "$1/vmlinux-$2"
	else
		mv "$1/vmlinuz-$2" "$1/vmlinux-$2"
	fi
}

# finish_tree DIR: adds links whose names do not depend on the version.
finish_tree()
{
	local release vmlinuz
	release=$(cd "$1/lib/modules" && echo *)
	echo "$release" >"$1/release"
	[ -n "$(find "$1" -name virtio_blk.ko\*)" ] ||
		die "the packages have no modules: has Debian's layout changed?"
	# Since 7.0 it is among the modules.
	vmlinuz=$1/lib/modules/$release/vmlinuz
	if [ -e "$vmlinuz" ]; then
		mkdir -p "$1/boot"
		mv "$vmlinuz" "$1/boot/vmlinuz-$release"
	fi
	if [ ! -e "$1/boot/vmlinux-$release" ]; then
		boot_image "$1/boot" "$release"
	fi
	ln -s "boot/vmlinux-$release" "$1/image"
	ln -s "usr/src/linux-headers-$release" "$1/build"
	[ -s "$1/image" ] || die "the packages have no kernel: has Debian's layout changed?"
	[ -e "$1/build/Makefile" ] ||
		die "the packages have no headers: has Debian's layout changed?"
	PATH=$PATH:/usr/sbin:/sbin depmod -b "$1" "$release" 2>/dev/null
}

unpack()
{
	local deb
	mkdir -p "$2"
	# First base-files, which has links such as /lib to /usr/lib.
	for deb in "$1"/base-files_*.deb "$1"/*.deb; do
		case $deb in
		*'*'*) ;;
		*/linux-image-* | */linux-binary-* | */linux-modules-*)
			unpack_image "$deb" "$2"
			;;
		*) dpkg-deb -x "$deb" "$2" ;;
		esac
	done
}

# Older versions of this script got no libraries.
is_fetched()
{
	[ -e "$CACHE/$1/release" ] && { [ "$1" != riscv64 ] || [ -e "$CROSS_LIBS/libc.a" ]; }
}

# The directory gets its name only when it is complete.
fetch()
{
	local dest=$CACHE/$1 work packages
	! is_fetched "$1" || return 0
	lock "$1"
	! is_fetched "$1" || { unlock; return 0; }
	make_work "$1"
	work=$WORK
	start_apt "$work/apt" "$(suites "$1")" "$DEBIAN_ARCH"
	# shellcheck disable=SC2086 # one word per package
	if brings_tools "$1"; then
		packages=$(packages_with_tools "$1")
		download_all "$work/debs" $packages
		unpack "$work/debs" "$work/tree"
		# Configuring the packages would make this link.
		ln -s mawk "$work/tree/usr/bin/awk"
	else
		packages=$(kernel_packages "$1")
		download "$work/debs" $packages
		unpack "$work/debs" "$work/tree"
		relocate_headers "$work/tree"
		# libc.so names files there.
		[ "$1" != riscv64 ] ||
			ln -s ../usr/lib/{"$TRIPLET",ld-linux-riscv64-lp64d.so.1} "$work/tree/lib"
	fi
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
	make_work "$1-source"
	work=$WORK
	start_apt "$work/apt" "$(suites "$1")"
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

# --- kernels that are built from source -----------------------------------------

is_built() { [[ " $BUILT_KERNELS " = *" $1 "* ]]; }

# fragments KERNEL: prints its whole configuration. Options in the kernel's own file
# replace those of base.config, or, for "builtin", those of "patched".
fragments()
{
	local own=$TOP/scripts/kernels/$1.config
	if [ "$1" = builtin ]; then
		fragments patched
	else
		cat "$TOP/scripts/kernels/base.config"
	fi | awk -F = 'NR == FNR { own[$1]; next } !(/^CONFIG_/ && $1 in own)' \
		"$own" -
	cat "$own"
}

# Does its source contain the series of "make kernel-patch"?
is_patched() { [[ $1 = patched || $1 = builtin ]]; }

# Checksums of the files that the series is made of.
series_parts()
{
	(cd "$TOP" && find scripts/kernel_patch.sh packaging/kernel kmod include/uapi \
		include/libprofil.h libprofil/{stack_decoder,last_stacks}.* \
		tests/selftests -type f | LC_ALL=C sort | xargs sha256sum)
}

# built_path KERNEL: prints its directory. The name has a hash of configuration and
# source, so that checkouts with another configuration or series do not share it.
built_path()
{
	local version=$CACHE/$BUILT_SOURCE-source/.package-version hash
	hash=$({ fragments "$1"; cat "$version" 2>/dev/null || true
		! is_patched "$1" || series_parts; } | sha256sum)
	echo "$CACHE/$1-${hash:0:12}"
}

# check_config WANTED CONFIG: kconfig silently drops an option that it does not know, or
# whose dependencies are not met, and sets one that another option selects.
check_config()
{
	local lost
	lost=$(sed -n '/^CONFIG_/{/=n$/!p}' "$1" | grep -vxF -f "$2" || true)
	[ -z "$lost" ] || die "kconfig dropped options (unknown, or dependencies): $lost"
	lost=$(sed -n 's/=n$/=/p' "$1" | grep -F -f - "$2" || true)
	[ -z "$lost" ] || die "kconfig set options that should be off (selected?): $lost"
}

kernel_make()
{
	env -u MAKEFLAGS -u MFLAGS -u MAKELEVEL -u O -u KERNEL -u KDIR \
		make -s -C "$1" O="$2" -j"$(nproc)" "${@:3}" </dev/null >&2
}

# make_kernel KERNEL SOURCE BUILD WORK: builds the kernel in BUILD.
make_kernel()
{
	local source=$2 build=$3 llvm=()
	[ "$1" != clang ] || llvm=(LLVM=-"$CLANG_VERSION")
	mkdir -p "$build"
	fragments "$1" >"$4/config"
	kernel_make "$source" "$build" "${llvm[@]}" \
		KCONFIG_ALLCONFIG="$4/config" allnoconfig
	check_config "$4/config" "$build/.config"
	kernel_make "$source" "$build" "${llvm[@]}" vmlinux modules
}

# keep_kernel BUILD TREE: keeps image, modules and headers in TREE, and nothing else.
keep_kernel()
{
	local build=$1 tree=$2 release modules module
	release=$(cat "$build/include/config/kernel.release")
	modules=$tree/lib/modules/$release
	strip -g -o "$tree/image" "$build/vmlinux"
	mkdir -p "$modules"
	cp "$build"/modules.{order,builtin,builtin.modinfo} "$modules"
	while read -r module; do
		install -D -m 644 "$build/${module%.o}.ko" "$modules/kernel/${module%.o}.ko"
	done <"$build/modules.order"
	PATH=$PATH:/usr/sbin:/sbin depmod -b "$tree" "$release"
	[ "$build" = "$tree/build" ] || cp -a "$build" "$tree/build"
	find "$tree/build" -name '*.o' ! -path '*/scripts/*' ! -path '*/tools/*' \
		-delete
	rm -f "$tree"/build/vmlinux* "$tree"/build/.tmp_vmlinux*
}

# --- kernels that contain the series ----------------------------------------------

# They are built in a tree that is kept, with its own source, so that make rebuilds only
# what depends on the changes.
KEPT=$CACHE/patched-tree

# update_source NEW LINKED: copies the files below NEW to KEPT's source. Equal files keep
# their time. A file that NEW no longer has is the kernel's own again, from LINKED.
update_source()
{
	local new=$1 linked=$2 source=$KEPT/source file
	touch "$KEPT/series"
	(cd "$new" && find . -type f) | LC_ALL=C sort >"$KEPT/series.new"
	while read -r file; do
		rm -f "$source/$file"
		[ ! -e "$linked/$file" ] || cp "$linked/$file" "$source/$file"
	done < <(LC_ALL=C comm -13 "$KEPT/series.new" "$KEPT/series")
	# Written first, so that the list is complete if this call is interrupted.
	LC_ALL=C sort -u -o "$KEPT/series" "$KEPT/series" "$KEPT/series.new"
	while read -r file; do
		cmp -s "$new/$file" "$source/$file" && continue
		mkdir -p "$source/${file%/*}"
		cp --remove-destination "$new/$file" "$source/$file"
	done <"$KEPT/series.new"
	mv "$KEPT/series.new" "$KEPT/series"
}

# patched_source SOURCE WORK: updates the source in KEPT. All files but those of the series
# are links.
patched_source()
{
	cmp -s "$1/.package-version" "$KEPT/source/.package-version" || {
		rm -rf "$KEPT"
		mkdir -p "$KEPT"
		cp -al "$1" "$KEPT/source.new"
		mv -T "$KEPT/source.new" "$KEPT/source"
	}
	mkdir "$2/series"
	"$TOP/scripts/kernel_patch.sh" files "$1" "$2/series"
	update_source "$2/series" "$1"
}

# make_selftests TREE: builds the selftests of the series, in the kernel's way.
make_selftests()
{
	rm -rf "$KEPT/build/kselftest"
	kernel_make "$KEPT/source" "$KEPT/build" headers
	kernel_make "$KEPT/source/tools/testing/selftests" "$KEPT/build" TARGETS=profil \
		FORCE_TARGETS=1 INSTALL_PATH="$1/kselftest" install
	# The guest has no perl; without prefix.pl the runner uses sed.
	chmod a-x "$1/kselftest/kselftest/prefix.pl"
	rm -r "$KEPT/build/kselftest"
}

# Builds the driver with W=1 and sparse; any output is an error.
check_driver()
{
	local said
	said=$(kernel_make "$KEPT/source" "$KEPT/build" W=1 C=2 drivers/misc/profil/ 2>&1) ||
		die "cannot build the driver: $said"
	[ -z "$said" ] || die "building the driver gives warnings: $said"
}

make_patched()
{
	patched_source "$2" "$3"
	make_kernel "$1" "$KEPT/source" "$KEPT/build" "$3"
	mkdir "$3/tree"
	keep_kernel "$KEPT/build" "$3/tree"
	[ "$1" != patched ] || make_selftests "$3/tree"
	check_driver
}

# Removes kernels that were not used for a month. Those with the series, which changes with
# each change of the module, go after two days.
forget_old()
{
	local days=30
	! is_patched "$1" || days=2
	find "$CACHE" -maxdepth 1 -name "$1-[0-9a-f]*" -mtime +$days -exec rm -rf {} +
}

build_kernel()
{
	local source=$CACHE/$BUILT_SOURCE-source dest work
	fetch_source "$BUILT_SOURCE"
	dest=$(built_path "$1")
	# Before the lock: another series may be being built, which takes long.
	[ ! -e "$dest" ] || { touch "$dest"; return; }
	# "builtin" and "patched" are built in the same tree.
	lock "${1/builtin/patched}"
	[ ! -e "$dest" ] || { unlock; return; }
	say "building the $1 kernel (a few minutes)"
	make_work "$1"
	work=$WORK
	if is_patched "$1"; then
		make_patched "$1" "$source" "$work"
	else
		make_kernel "$1" "$source" "$work/tree/build" "$work"
		keep_kernel "$work/tree/build" "$work/tree"
	fi
	mv -T "$work/tree" "$dest"
	rm -rf "$work"
	forget_old "$1"
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
		echo "$(tree_path "$1")/build"
	fi
}

image_path()
{
	if [ -n "${KERNEL:-}" ]; then
		echo "$KERNEL"
	elif [ "$1" = host ]; then
		echo "/boot/vmlinuz-$(uname -r)"
	else
		echo "$(tree_path "$1")/image"
	fi
}

tree_path()
{
	if [ "$1" = host ]; then
		echo
	elif is_built "$1"; then
		built_path "$1"
	else
		echo "$CACHE/$1"
	fi
}

tools_path()
{
	if [ -z "${KDIR:-}" ] && brings_tools "$1"; then
		tree_path "$1"
	fi
}

release_of()
{
	sed -n 's/^#define UTS_RELEASE "\(.*\)"$/\1/p' \
		"$(build_dir "$1")/include/generated/utsrelease.h"
}

# Removes only our own files: CACHE may name a directory with others.
clean()
{
	local kernel
	for kernel in $PACKAGED_KERNELS $FURTHER_KERNELS $CROSS_KERNELS; do
		rm -rf "${CACHE:?}/$kernel" "$CACHE/$kernel-source" \
			"$CACHE/.$kernel".* "$CACHE/.$kernel-source".*
	done
	for kernel in $BUILT_KERNELS; do
		rm -rf "$CACHE/$kernel"-* "$CACHE/.$kernel".*
	done
	rm -rf "$CACHE"/.lock-* "$CACHE"/programs-*
}

main()
{
	local command=${1:-} kernel=${2:-}
	if [ $# != 2 ]; then
		usage >&2
		exit 2
	fi
	set_machine "$kernel"
	trap '[ -z "${WORK:-}" ] || rm -rf "$WORK"' EXIT
	case $command in
	fetch)
		if is_built "$kernel" && [ -z "${KDIR:-}" ]; then
			build_kernel "$kernel"
		elif [ "$kernel" != host ] && [ -z "${KDIR:-}" ]; then
			fetch "$kernel"
		fi
		;;
	fetch-source)	fetch_source "$kernel" ;;
	build)		build_dir "$kernel" ;;
	image)		image_path "$kernel" ;;
	tree)		tree_path "$kernel" ;;
	tools)		tools_path "$kernel" ;;
	release)	release_of "$kernel" ;;
	clean)		clean ;;
	*)		usage >&2; exit 2 ;;
	esac
}

main "$@"; exit
