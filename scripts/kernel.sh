#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Gets kernels for the guests: Debian packages, downloaded with apt from the
# mirrors this machine uses anyway, unpacked in $CACHE and never installed.

set -euo pipefail
. "$(dirname "$0")/common.sh"
. "$TOP/scripts/apt.sh"

BUILT_SOURCE=6.12

usage()
{
	cat <<END
usage: scripts/kernel.sh fetch KERNEL          download and unpack, or build
       scripts/kernel.sh fetch-source KERNEL   the same for its source
       scripts/kernel.sh build KERNEL          print the directory for M= builds
       scripts/kernel.sh image KERNEL          print the path of the kernel to boot
       scripts/kernel.sh tree KERNEL           print where lib/modules is
       scripts/kernel.sh tools KERNEL          print the root directory that make is
                                               to run in, if not this machine's
       scripts/kernel.sh release KERNEL        print what uname -r says there
       scripts/kernel.sh clean all             remove everything it got
KERNEL: $PACKAGED_KERNELS $FURTHER_KERNELS; $CROSS_KERNELS for those machines;
$BUILT_KERNELS, which are built from source; or
"host" for the running one.
\$KDIR and \$KERNEL, if set, are the answer to "build" and "image".
END
}

# suites KERNEL: the Debian suites that have it in a build whose tools run
# here, or that brings its own: 6.12 exists for both releases, with tools linked
# for each.
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
	# Build tools for this machine are the same version's for its own release.
	riscv64:12) echo trixie bookworm bookworm-security bookworm-backports ;;
	riscv64:*) echo trixie ;;
	*)	 die "no package known for kernel $1 (known: $PACKAGED_KERNELS" \
			"$FURTHER_KERNELS $CROSS_KERNELS)" ;;
	esac
}

# Kernels whose headers want a newer compiler and libc than there are here: their
# tree has both, and is what scripts/module.sh runs make in.
brings_tools() { [ "$1" = 7.2 ]; }

# flavour KERNEL: that of its packages. VERSION-rt is preemptible throughout.
flavour()
{
	case $1 in
	*-rt) echo "rt-$DEBIAN_ARCH" ;;
	*)    echo "$DEBIAN_ARCH" ;;
	esac
}

# newest KERNEL PACKAGE...: "package version" of the newest that is KERNEL's.
newest()
{
	local kernel=$1 best='' package version
	shift
	# Of a kernel that is built, the source is another one's.
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

# depends PACKAGE=VERSION PATTERN: the dependency whose name matches.
depends()
{
	apt-cache show "$1" | sed -n 's/^Depends: //p' | tr ',|' '\n' |
		sed 's/^ *//; s/ .*//' | grep -E -m1 "^$2\$"
}

# kernel_packages KERNEL: "package=version" of image, headers and build tools.
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
	if is_cross "$1"; then
		build_tools "$kbuild"
		echo busybox-static libc-bin
	else
		echo "$kbuild=$version"
	fi
}

# build_tools PACKAGE: those that run here.
build_tools()
{
	local kbuild=$1
	[ "$(host_release)" != 12 ] || kbuild=${1/+deb13/+deb12}
	apt-cache madison "$kbuild:amd64" | awk '
		{ print $1 "=" $3; found = 1; exit }
		END { exit !found }' || die "there is no $kbuild"
}

# The same for one that brings its tools; apt adds what these depend on.
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

# The modules a guest may want; the rest (graphics, network cards, sound) is
# most of a package's size.
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
	link_build_tools "$1"
}

# They also name the build tools, by those of their own release.
link_build_tools()
{
	local scripts
	for scripts in "$1"/usr/src/*-common*/scripts; do
		[ -e "$scripts" ] || ln -s "$(cd "$1/usr/lib" && echo linux-kbuild-*)" \
			"$1/usr/lib/$(readlink "$scripts" | cut -d/ -f4)"
	done
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

# boot_image DIR RELEASE: what QEMU boots.
boot_image()
{
	if [ "$ARCH" = x86 ]; then
		extract_vmlinux "$1/vmlinuz-$2" "$1/vmlinux-$2"
	else
		mv "$1/vmlinuz-$2" "$1/vmlinux-$2"
	fi
}

# finish_tree DIR: relative names that do not depend on versions.
finish_tree()
{
	local release vmlinuz
	release=$(cd "$1/lib/modules" && echo *)
	echo "$release" >"$1/release"
	[ -n "$(find "$1" -name virtio_blk.ko\*)" ] ||
		die "there are no modules in the packages"
	# From 7.0 on it is among the modules.
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
	[ -s "$1/image" ] || die "there is no kernel in the packages"
	[ -e "$1/build/Makefile" ] ||
		die "the packages are not as expected"
	PATH=$PATH:/usr/sbin:/sbin depmod -b "$1" "$release" 2>/dev/null
}

unpack()
{
	local deb
	mkdir -p "$2"
	# This one has the links from /lib to /usr/lib and the like.
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

# The directory appears under its name when it is complete, never before.
fetch()
{
	local dest=$CACHE/$1 work packages
	[ ! -e "$dest/release" ] || return 0
	lock "$1"
	[ ! -e "$dest/release" ] || { unlock; return 0; }
	make_work "$1"
	work=$WORK
	start_apt "$work/apt" "$(suites "$1")" "$DEBIAN_ARCH"
	# shellcheck disable=SC2086 # one word per package
	if brings_tools "$1"; then
		packages=$(packages_with_tools "$1")
		download_all "$work/debs" $packages
		unpack "$work/debs" "$work/tree"
		# What configuring the packages would link.
		ln -s mawk "$work/tree/usr/bin/awk"
	else
		packages=$(kernel_packages "$1")
		download "$work/debs" $packages
		unpack "$work/debs" "$work/tree"
		relocate_headers "$work/tree"
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

# fragments KERNEL: all of its configuration. What its own file says goes before what
# base.config does, or, of one with the module built in, that of the one without.
fragments()
{
	local own=$TOP/tests/qemu/$1.config
	if [ "$1" = builtin ]; then
		fragments patched
	else
		cat "$TOP/tests/qemu/base.config"
	fi | awk -F = 'NR == FNR { own[$1]; next } !(/^CONFIG_/ && $1 in own)' \
		"$own" -
	cat "$own"
}

# Has its source the series of "make kernel-patch" in it?
is_patched() { [[ $1 = patched || $1 = builtin ]]; }

# What the series is made of.
series_parts()
{
	(cd "$TOP" && find scripts/kernel_patch.sh packaging/kernel kmod include/uapi \
		include/libprofil.h libprofil/{stack_decoder,last_stacks}.* \
		tests/selftests -type f | LC_ALL=C sort | xargs sha256sum)
}

# built_path KERNEL: where it is. Its name says what it was made of, so that
# checkouts with other configurations, or another series, have theirs beside it.
built_path()
{
	local version=$CACHE/$BUILT_SOURCE-source/.package-version hash
	hash=$({ fragments "$1"; cat "$version" 2>/dev/null || true
		! is_patched "$1" || series_parts; } | sha256sum)
	echo "$CACHE/$1-${hash:0:12}"
}

# check_config WANTED CONFIG: an option that kconfig does not know, or whose
# dependencies are not met, goes away without a word; one that another selects
# comes back.
check_config()
{
	local lost
	lost=$(sed -n '/^CONFIG_/{/=n$/!p}' "$1" | grep -vxF -f "$2" || true)
	[ -z "$lost" ] || die "not in the configuration: $lost"
	lost=$(sed -n 's/=n$/=/p' "$1" | grep -F -f - "$2" || true)
	[ -z "$lost" ] || die "in the configuration: $lost"
}

kernel_make()
{
	env -u MAKEFLAGS -u MFLAGS -u MAKELEVEL -u O -u KERNEL -u KDIR \
		make -s -C "$1" O="$2" -j"$(nproc)" "${@:3}" </dev/null >&2
}

# make_kernel KERNEL SOURCE BUILD WORK: in BUILD.
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

# keep_kernel BUILD TREE: image, modules and headers, and nothing else, in TREE.
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

# --- those that are built from a source that changes ------------------------------

# The kernels with the series are made in a tree that stays, with a source of its own, so
# that make makes anew what depends on what has changed, which is little most times.
KEPT=$CACHE/patched-tree

# update_source NEW LINKED: KEPT's has the files below NEW. What is the same keeps its
# time. Of what NEW has no longer, the kernel's own is LINKED's again.
update_source()
{
	local new=$1 linked=$2 source=$KEPT/source file
	touch "$KEPT/series"
	(cd "$new" && find . -type f) | LC_ALL=C sort >"$KEPT/series.new"
	while read -r file; do
		rm -f "$source/$file"
		[ ! -e "$linked/$file" ] || cp "$linked/$file" "$source/$file"
	done < <(LC_ALL=C comm -13 "$KEPT/series.new" "$KEPT/series")
	# Those of a call that is interrupted are known, too.
	LC_ALL=C sort -u -o "$KEPT/series" "$KEPT/series" "$KEPT/series.new"
	while read -r file; do
		cmp -s "$new/$file" "$source/$file" && continue
		mkdir -p "$source/${file%/*}"
		cp --remove-destination "$new/$file" "$source/$file"
	done <"$KEPT/series.new"
	mv "$KEPT/series.new" "$KEPT/series"
}

# patched_source SOURCE WORK: in KEPT. All but what the series changes are links.
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

# make_selftests TREE: those of the series, as the kernel's tree makes them.
make_selftests()
{
	rm -rf "$KEPT/build/kselftest"
	kernel_make "$KEPT/source" "$KEPT/build" headers
	kernel_make "$KEPT/source/tools/testing/selftests" "$KEPT/build" TARGETS=profil \
		FORCE_TARGETS=1 INSTALL_PATH="$1/kselftest" install
	# Where there is no perl, their runner makes do with sed.
	chmod a-x "$1/kselftest/kselftest/prefix.pl"
	rm -r "$KEPT/build/kselftest"
}

# All that sparse, and the compiler if asked for it, say of the driver.
check_driver()
{
	local said
	said=$(kernel_make "$KEPT/source" "$KEPT/build" W=1 C=2 drivers/misc/profil/ 2>&1) ||
		die "the driver cannot be built: $said"
	[ -z "$said" ] || die "the driver is built with warnings: $said"
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

# Those of configurations that nobody has asked for in a month; of a series, which is
# another one with each change of the module, in two days.
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
	# Another series may be being made, which takes its time.
	[ ! -e "$dest" ] || { touch "$dest"; return; }
	# Those are made in one place.
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

# Only what is ours: the directory may have been given by hand.
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
	rm -rf "$CACHE"/.lock-*
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
