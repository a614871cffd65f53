#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Installs the Debian packages that a part of the project needs, if they are
# missing, and says so. Quick when nothing is missing.

set -euo pipefail
. "$(dirname "$0")/common.sh"

usage()
{
	cat <<END
usage: scripts/deps.sh [-n] GROUP...

Installs what is missing of the Debian packages of each GROUP:
  headers   of kernel RELEASE, or of the running one, if Debian has them
  library   to build the library and the examples
  unit      to build and run the unit tests
  module    to build a module (with the kernels' own compilers)
  dkms      to have the module built for each kernel that comes
  deb       to build Debian's packages
  packages  to try them in clean systems
  rpm       to build RPM's packages, and to try them
  alpine    to try what Alpine's packages are made by
  abi       to compare the library with the last release's
  guest     to boot a guest and to bring programs into it
  service   to boot one with Secure Boot, and containers in it
  arm64     to build programs for arm64, and to boot its guests
  riscv64   the same for riscv64
  m32       to build programs for 32-bit callers
  musl      to build the library with another libc
  debug     to build the debug kernel
  clang     to build the kernel that clang compiles
  patched   to build the one that has the module in its source
  tools     to build the command profil
  clients   to test it with programs and viewers
  compare   to compare its call trees with other profilers'
  rivals    to compare its cost with theirs
  model     to search the model of the deferral
  series    the module as patches to the kernel's source
  lint      the static checks
  fuzz      the fuzzers
  all       everything
-n only says what is missing and how to get it, and fails if anything is.
END
}

# "package reason" lines of one group.
packages()
{
	local release
	case $1 in
	library)
		echo "gcc compiles the library
			libc6-dev compiles the library
			make runs the builds
			binutils links
			pkgconf finds libraries"
		;;
	unit)
		packages library
		echo "libcmocka-dev runs the unit tests
			g++ compiles the headers as C++"
		;;
	module)
		echo "gcc compiles modules
			gcc-12 is the compiler of the 6.1 kernel
			make runs the builds
			kmod reads modules
			bc is used by kernel builds
			libelf1 is used by the kernel's build tools
			xz-utils unpacks kernels
			zstd unpacks kernels
			debian-archive-keyring verifies kernel packages"
		;;
	headers)
		release=${RELEASE:-$(uname -r)}
		[ -e "/lib/modules/$release/build/Makefile" ] ||
			[ -z "$(apt-cache search --names-only \
				"^linux-headers-$release\$" 2>/dev/null)" ] ||
			echo "linux-headers-$release compile the module"
		;;
	dkms)
		echo "dkms builds the module"
		;;
	deb)
		packages tools
		packages unit
		echo "dpkg-dev builds packages
			debhelper builds packages
			dh-dkms builds packages
			fakeroot makes files root's"
		;;
	packages)
		packages guest
		echo "dpkg-dev makes the source package
			mmdebstrap makes clean systems"
		;;
	rpm)
		packages tools
		packages unit
		packages module
		packages dkms
		echo "rpm builds packages
			cpio unpacks them"
		;;
	alpine)
		packages module
		packages library
		echo "musl-tools compiles for Alpine
			busybox-static has Alpine's shell"
		;;
	abi)
		packages library
		echo "abigail-tools compares libraries"
		;;
	guest)
		packages module
		packages tools
		echo "qemu-system-x86 runs the guest
			seabios boots the guest
			busybox-static is the guest's shell
			cpio packs the guest's files
			binutils finds out where a guest hangs
			file tells programs from scripts"
		;;
	service)
		packages guest
		echo "ovmf is a firmware with Secure Boot
			sbsigntool signs kernels
			openssl makes keys
			apparmor confines programs
			systemd-container runs containers
			crun runs containers
			runc runs containers"
		;;
	arm64)
		packages guest
		echo "gcc-aarch64-linux-gnu compiles for arm64
			g++-aarch64-linux-gnu compiles the headers as C++
			libc6-dev-arm64-cross compiles for arm64
			gcc-arm-linux-gnueabihf compiles 32-bit programs for arm64
			libc6-dev-armhf-cross compiles 32-bit programs for arm64
			qemu-system-arm runs the guest"
		;;
	riscv64)
		packages guest
		echo "gcc-riscv64-linux-gnu compiles for riscv64
			g++-riscv64-linux-gnu compiles the headers as C++
			libc6-dev-riscv64-cross compiles for riscv64
			qemu-system-misc runs the guest"
		;;
	m32)
		packages library
		echo "libc6-dev-i386 compiles 32-bit programs
			lib32gcc-12-dev links 32-bit programs"
		;;
	musl)
		packages unit
		echo "musl-tools compiles with another libc"
		;;
	debug)
		packages guest
		echo "flex builds the kernel's configuration tools
			bison builds the kernel's configuration tools
			libelf-dev builds the kernel's tools
			libssl-dev builds the kernel's tools"
		;;
	clang)
		packages debug
		echo "clang-$CLANG_VERSION compiles the kernel
			lld-$CLANG_VERSION links the kernel
			llvm-$CLANG_VERSION has what else its build uses"
		;;
	patched)
		packages debug
		packages series
		echo "rsync installs the kernel's selftests
			sparse checks the module in the kernel's source"
		;;
	tools)
		packages library
		echo "libdw-dev reads symbols
			libelf-dev reads programs
			zlib1g-dev compresses profiles
			libprotobuf-c-dev writes pprof's files
			protobuf-c-compiler compiles their description
			libiberty-dev demangles names
			libjansson-dev writes JSON"
		;;
	clients)
		packages tools
		packages unit
		packages guest
		echo "g++ compiles a test program
			libc6-dbg names the functions of libc
			perl is profiled
			python3 is profiled
			sqlite3 is profiled
			rt-tests is profiled
			gzip is profiled
			xz-utils is profiled
			pigz is profiled
			zstd is profiled
			dash is profiled
			gdb is profiled
			e2fsprogs makes a disk to fill
			dosfstools makes a disk without holes
			gcl is profiled
			strace counts system calls
			binutils has gprof
			google-perftools has google-pprof
			golang-go has pprof
			graphviz draws for pprof
			valgrind has callgrind_annotate
			debuginfod serves debug information
			libdebuginfod1 asks for it
			chromium opens the page"
		;;
	compare)
		packages guest
		echo "g++ compiles a test program
			libc6-dbg names the functions of libc
			binutils has nm and readelf
			python3 is profiled, and compares
			sqlite3 is profiled
			linux-perf is compared with
			libgoogle-perftools4 is compared with"
		;;
	rivals)
		packages guest
		echo "linux-perf is compared with
			libgoogle-perftools4 is compared with
			valgrind is compared with"
		;;
	model)
		echo "spin searches the model
			gcc compiles the search
			cpp compares the model with the module
			make runs the searches"
		;;
	series)
		echo "git makes the patches
			patch changes the kernel's files
			perl checks the patches"
		;;
	lint)
		packages unit
		packages module
		packages series
		echo "shellcheck checks scripts
			sparse checks the module
			mandoc checks man pages
			cppcheck checks the library
			clang compiles all once more
			clang-tidy checks the library"
		;;
	fuzz)
		packages tools
		echo "clang builds the fuzzers
			libclang-rt-dev has the fuzzers' engine
			python3 writes what they begin with"
		;;
	all)
		packages clients
		packages compare
		packages rivals
		packages dkms
		packages rpm
		packages alpine
		packages packages
		packages abi
		packages debug
		packages patched
		packages lint
		packages fuzz
		packages m32
		packages musl
		packages model
		packages service
		;;
	*)
		usage >&2
		exit 2
		;;
	esac
}

# The packages of a trixie host that are named differently there.
release_name()
{
	if [ "$(host_release)" -ge 13 ]; then
		sed 's/^qemu-system-misc /qemu-system-riscv /
			s/^\(libelf1\|libdebuginfod1\|libgoogle-perftools4\) /\1t64 /
			s/^lib32gcc-12-dev /lib32gcc-14-dev /'
	else
		cat
	fi
}

# missing GROUP...: "package reason" lines of what is not installed.
missing()
{
	local wanted installed
	wanted=$(for group; do packages "$group"; done |
		 sed 's/^[[:space:]]*//' | sort -u -k1,1 | release_name)
	# shellcheck disable=SC2046 # one word per package
	installed=$(dpkg-query -W -f '${db:Status-Status} ${Package}\n' \
		    $(cut -d' ' -f1 <<<"$wanted") 2>/dev/null |
		    sed -n 's/^installed //p' || true)
	awk 'NR == FNR { have[$1]; next } !($1 in have)' \
	    <(echo "$installed") <(echo "$wanted")
}

as_root()
{
	if [ "$(id -u)" = 0 ]; then
		"$@"
	elif command -v sudo >/dev/null; then
		sudo "$@"
	else
		die "not root and no sudo: run as root: $*"
	fi
}

# What apt says matters only if it fails.
apt()
{
	local log
	log=$(mktemp)
	if as_root env DEBIAN_FRONTEND=noninteractive apt-get -qq -y "$@" \
		>"$log" 2>&1; then
		rm -f "$log"
		return
	fi
	cat "$log" >&2
	rm -f "$log"
	return 1
}

# Package lists that are missing or too old are why a first try may fail.
apt_install()
{
	apt install --no-install-recommends "$@" 2>/dev/null && return
	apt update && apt install --no-install-recommends "$@"
}

# say_missing LINES GROUPS
say_missing()
{
	local make=''
	case $2 in
	library | tools) make='"make deps", or ' ;;
	esac
	say "missing packages:"
	sed 's/^\([^ ]*\) /  \1\t/' <<<"$1" >&2
	say "to install them: ${make}scripts/deps.sh $2, or as root:"
	echo "  apt-get install $(cut -d' ' -f1 <<<"$1" | paste -sd " ")" >&2
}

main()
{
	local dry_run='' lines names
	if [ "${1:-}" = -n ]; then
		dry_run=1
		shift
	fi
	if [ $# = 0 ]; then
		usage >&2
		exit 2
	fi
	# Elsewhere than on Debian, what is missing is seen when it is.
	if [ -n "$dry_run" ] && ! command -v dpkg-query >/dev/null; then
		return 0
	fi
	lines=$(missing "$@")
	[ -n "$lines" ] || return 0
	if [ -n "$dry_run" ]; then
		say_missing "$lines" "$*"
		return 1
	fi
	names=$(cut -d' ' -f1 <<<"$lines" | paste -sd " ")
	command -v apt-get >/dev/null ||
		die "not a Debian system; install the equivalent of:" "$names"
	say "installing Debian packages:"
	sed 's/^\([^ ]*\) /  \1\t/' <<<"$lines" >&2
	# shellcheck disable=SC2086 # one word per package
	apt_install $names || die "could not install: $names"
}

main "$@"; exit
