#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Runs test suites and counts: what CI and "make check" are made of.

set -euo pipefail
. "$(dirname "$0")/../scripts/common.sh"

usage()
{
	cat <<END
usage: tests/suite.sh [-qk] SUITE...

Runs each SUITE and shows its results; the last line is "N passed, N failed".
The exit status is 0 if nothing failed. -q shows only what failed, -k passes over
what is not in this list:
  unit             unit tests of the module's code
  unit:KERNEL      and of the library, on another machine
  stack            stacks of real programs, and all rows of installed files
  lib              unit tests of the library, and its exports
  musl             the library, its tests and programs with another libc
  model            all states of a model of the deferral, and that it is one
  harness          what the selftests are run by, on programs that misbehave
  guest:KERNEL:i   selftests in a guest with one CPU, instructions as the clock
  guest:KERNEL:N   selftests in a guest with N CPUs
  guest:KERNEL:m32   the same as 32-bit programs, in a guest with one CPU
  guest:KERNEL:nohz  selftests of the clocks with CPUs that do not tick
  guest:KERNEL:lowres  those of the rates where timers expire in ticks
  guest:arm64:a53  those of buffers on a CPU that does not mark accessed pages
  guest:KERNEL:kprobe  those that the tick's hook matters to, with a kprobe
  kselftest:KERNEL  the selftests as the kernel's tree has and runs them: patched
  kunit:KERNEL     the module's KUnit tests: patched
  unarmed:KERNEL   that nothing costs anything while nothing is profiled
  bench:KERNEL     that profiling costs no more instructions than aimed at
  conformance      every rule of the man pages, in a guest with one CPU
  conformance:KERNEL   the same on another kernel, or another machine
  tools            unit tests of the command profil
  clients          programs from Debian profiled in a guest, and the viewers
  rivals           what other profilers cost beside ours, and how that grows
  compare          call trees of profil, perf and gperftools, of the same programs
  examples         programs of one call each, in a guest
  ported           examples of other systems' programs, in a guest
  runner           the guest runner's own tests
  runner:KERNEL    those that need that kernel: debug, kcsan, patched
  stress:KERNEL    processes that do everything at once, with 4 CPUs;
                   "quick" instead of 5 minutes: stress:KERNEL:quick
  iofuzz:KERNEL    100,000 requests to the device, mutated
  faultinj:debug   everything fails once
  documents        commands and C of README.md, the tutorial and the man pages, run
  contributing     what CONTRIBUTING.md says by example, done
  install          make install and make uninstall, also of DKMS
  dist             that the tarball of a release is all one needs
  abi              that programs linked with the last release run with this one
  rpm              the RPM packages, as far as rpmbuild goes on Debian
  alpine           the functions of the APKBUILD, with musl
  packages:bookworm  Debian 12's packages: built, installed, tried with two kernels
                     and purged
  packages:trixie    the same of Debian 13
  packages:sid       and of the next Debian, with its kernel 7.2
  service          Secure Boot, lockdown, AppArmor and containers, in guests
  demo             make demo
  fuzz             a short run of the fuzzers
  lint             static checks
Everything is also left in \$O/check/, for "make table", too.
END
}

run_guest()
{
	local kernel=$1 mode=$2 options
	local programs=() target=all tests output seconds=600 cpu=''
	output=$("$TOP/scripts/cross.sh" output "$kernel")
	tests=$output/selftests
	! is_cross "$kernel" || "$TOP/scripts/deps.sh" "$kernel" || return
	case $mode in
	# Debian's kernels run x32 programs only if told to.
	i) options=(-i -e CPUS=1 -a syscall.x32=y) ;;
	m32)
		options=(-i -e CPUS=1)
		target=m32 tests=$output/m32/selftests
		;;
	nohz)
		options=(-c 2 -a nohz_full=1 -e CPUS=2)
		programs=(clocks interrupts)
		;;
	lowres)
		options=(-c 2 -a highres=off -e CPUS=2)
		programs=(rates)
		;;
	a53)
		options=(-c 2 -e CPUS=2 -e NO_ACCESS_FLAGS=1)
		programs=(memory histogram samples counters)
		cpu=cortex-a53
		;;
	kprobe)
		options=(-c 2 -p tick_hook=kprobe -e CPUS=2)
		programs=(clocks interrupts arming histogram samples stop)
		;;
	*) options=(-c "$mode" -e CPUS="$mode" -a syscall.x32=y) ;;
	esac
	# Other machines are emulated: hundreds of processes that end at once take
	# them longer than a test has patience.
	case $kernel in
	debug|kcsan|rt-debug|arm64|riscv64)
		options+=(-e SLOWNESS=8)
		seconds=3600
		;;
	esac
	[ -z "${SLOW:-}" ] || options+=(-e SLOW=1)
	"$TOP/scripts/cross.sh" make "$kernel" -C "$TOP/tests/selftests" \
		"$target" >&2 || return
	QEMU_CPU=${cpu:-${QEMU_CPU:-}} "$TOP/tests/qemu/run.sh" -k "$kernel" \
		"${options[@]}" -t $seconds -l brd -l fuse -f "$tests" -- "$tests/run.sh" \
		"${programs[@]}"
}

# run_unit KERNEL: the module's and the library's unit tests on another machine.
run_unit()
{
	local output program programs=() options=()
	"$TOP/scripts/deps.sh" "$1" >&2 || return
	output=$("$TOP/scripts/cross.sh" output "$1")
	for program in unit lib; do
		"$TOP/scripts/cross.sh" make "$1" -C "$TOP/tests/$program" SANITIZE= \
			CMOCKA_CFLAGS="-I$TOP/tests/cmocka" CMOCKA_LIBS=-lc \
			portable >&2 || return
	done
	for program in "$output"/unit/*_test "$output"/tests/lib/test_*; do
		# Millions of states are for a machine that is not emulated.
		[[ ! -x $program || $program = *_order_test ]] ||
			programs+=("$program")
	done
	for program in "${programs[@]}" "$output/tests/lib/later.so"; do
		options+=(-f "$program")
	done
	# shellcheck disable=SC2016 # the guest's shell expands it
	"$TOP/tests/qemu/run.sh" -k "$1" -t 1800 "${options[@]}" -- /bin/sh -c '
		status=0
		for program; do "$program" || status=1; done
		exit $status' sh "${programs[@]}"
}

# run_kselftest KERNEL: what a test prints is behind "# " there, results, too. Their
# runner has options for timeout that busybox's has not.
run_kselftest()
{
	local tests
	"$TOP/scripts/kernel.sh" fetch "$1" >&2 || return
	tests=$("$TOP/scripts/kernel.sh" tree "$1")/kselftest
	"$TOP/tests/qemu/run.sh" -k "$1" -c 4 -e CPUS=4 -a syscall.x32=y -t 600 -l brd \
		-l fuse -f "$tests" -f /usr/bin/timeout -- "$tests/run_kselftest.sh" |
		sed 's/^# /    /'
}

# run_kunit KERNEL: they run when their module is loaded.
run_kunit()
{
	"$TOP/tests/qemu/run.sh" -k "$1" -l profil_kunit -- \
		/bin/sh -c 'cat /sys/kernel/debug/kunit/*/results'
}

run_conformance()
{
	! is_cross "$1" || "$TOP/scripts/deps.sh" "$1" || return
	"$TOP/scripts/cross.sh" make "$1" -C "$TOP/tests/conformance" K="$1" \
		TIME=3600 check
}

# run_stress KERNEL SECONDS PROGRAM [ARG...]: the seed that it prints, and -s,
# make another run like it.
run_stress()
{
	local kernel=$1 seconds=$2 options=()
	shift 2
	[ "$kernel" != debug ] || options=(-e SLOWNESS=8)
	make -s -C "$TOP/tests/stress" O="$O" all >&2 || return
	"$TOP/tests/qemu/run.sh" -k "$kernel" -c 4 -e CPUS=4 "${options[@]}" \
		-t "$seconds" -l zram -f "$O/stress" -- "$O/stress/$1" "${@:2}"
}

# one NAME COMMAND...: a test of its own.
one()
{
	local name=$1
	shift
	echo "1..1"
	if "$@" >&2; then
		echo "ok 1 - $name"
	else
		echo "not ok 1 - $name"
	fi
}

# run SUITE: TAP on stdout.
run()
{
	local kernel
	case $1 in
	unit:*)	run_unit "${1#unit:}" ;;
	unit)	make -s -C "$TOP/tests/unit" O="$O" check ;;
	stack)	make -s -C "$TOP/tests/stack" O="$O" check ;;
	lib)	make -s -C "$TOP/tests/lib" O="$O" check ;;
	conformance) make -s -C "$TOP/tests/conformance" O="$O" check ;;
	conformance:*) run_conformance "${1#conformance:}" ;;
	tools)	make -s -C "$TOP/tests/tools" O="$O" check ;;
	clients) make -s -C "$TOP/libprofil/preload" O="$O" all >&2 &&
		make -s -C "$TOP/tools" O="$O" all >&2 &&
		make -s -C "$TOP/tests/clients" O="$O" check ;;
	rivals)	make -s -C "$TOP/tests/bench" O="$O" rivals >&2 &&
		O=$O "$TOP/tests/bench/compare.sh" ;;
	compare) make -s -C "$TOP/tools" O="$O" all >&2 &&
		make -s -C "$TOP/tests/compare" O="$O" check ;;
	examples) make -s -C "$TOP/examples/calls" O="$O" check ;;
	ported)	make -s -C "$TOP/examples/ported" O="$O" check ;;
	runner)	"$TOP/tests/qemu/selftest.sh" ;;
	runner:*) "$TOP/tests/qemu/selftest.sh" "${1#runner:}" ;;
	documents) "$TOP/tests/documents/run.sh" ;;
	contributing) "$TOP/tests/contributing.sh" ;;
	install) "$TOP/tests/install.sh" ;;
	dist)	"$TOP/tests/dist.sh" ;;
	abi)	"$TOP/tests/abi.sh" ;;
	rpm)	"$TOP/tests/rpm.sh" ;;
	alpine)	"$TOP/tests/alpine.sh" ;;
	packages:*) "$TOP/tests/packages.sh" "${1#packages:}" ;;
	service) "$TOP/scripts/deps.sh" service && "$TOP/tests/service/run.sh" ;;
	demo)	one "the demo shows what it should" make -C "$TOP" O="$O" demo ;;
	fuzz)	one "the fuzzers find nothing" \
			make -s -C "$TOP/tests/fuzz" O="$O" check ;;
	musl)	"$TOP/tests/musl.sh" ;;
	model)	make -s -C "$TOP/tests/model" O="$O" check ;;
	lint)	"$TOP/tests/lint.sh" ;;
	harness) make -s -C "$TOP/tests/selftests" O="$O" check ;;
	kselftest:*) run_kselftest "${1#kselftest:}" ;;
	kunit:*) run_kunit "${1#kunit:}" ;;
	unarmed:*)
		make -s -C "$TOP/tests/selftests" O="$O" all >&2 &&
			"$TOP/tests/selftests/unarmed.sh" -k "${1#unarmed:}"
		;;
	bench:*) make -s -C "$TOP/tests/bench" O="$O" K="${1#bench:}" run ;;
	guest:*:*)
		kernel=${1#guest:}
		run_guest "${kernel%:*}" "${kernel##*:}"
		;;
	stress:*:quick)
		kernel=${1#stress:}
		run_stress "${kernel%:quick}" 1800 stress -t 60
		;;
	stress:*) run_stress "${1#stress:}" 5400 stress -t 300 ;;
	iofuzz:*) run_stress "${1#iofuzz:}" 5400 iofuzz -n 100000 ;;
	faultinj:*) run_stress "${1#faultinj:}" 5400 faultinj ;;
	*)	usage >&2; exit 2 ;;
	esac
}

# record LOG SUITE PASSED FAILED SKIPPED: for "make table", with the time. Not of a
# kernel of one's own, nor of another than usual, which the suite's name does not tell.
record()
{
	[ -n "${KDIR:-}${KERNEL:-}" ] || [[ ${K:-6.1} != 6.1 && $2 != *:* ]] ||
		printf '%s\t%s\t%s\t%s\t%s\n' "${@:2}" "$(date -u +%FT%RZ)" \
			>"${1%.tap}.result"
}

# tally SUITE LOG STATUS: what is wrong, and the counts in the last line.
tally()
{
	awk -v suite="$1" -v status="$3" -v skips="$TOP/tests/skips" \
		-f "$TOP/tests/tally.awk" "$2"
}

# count SUITE LOG STATUS: adds to $passed and $failed.
count()
{
	local result lines passes failures skips
	result=$(tally "$@")
	lines=$(sed '$d' <<<"$result")
	[ -z "$lines" ] || echo "$lines"
	read -r passes failures skips < <(tail -n 1 <<<"$result")
	echo "# $1: $passes passed, $failures failed, $skips skipped, $SECONDS s"
	passed=$((passed + passes))
	failed=$((failed + failures))
	record "$2" "$1" "$passes" "$failures" "$skips"
}

# attempt SUITE LOG
attempt()
{
	if [ -n "$quiet" ]; then
		run "$1" >"$2"
	else
		run "$1" | tee "$2"
	fi
}

# A guest that QEMU has failed is no evidence: it gets a second one, which is
# told at the end.
suite()
{
	local log=$O/check/${1//:/-}.tap status=0
	export QEMU_FAULT=$log.qemu
	SECONDS=0
	echo "# $1"
	mkdir -p "$O/check"
	rm -f "$QEMU_FAULT" "${log%.tap}.result"
	attempt "$1" "$log" || status=$?
	if [ -e "$QEMU_FAULT" ]; then
		echo "# $1: once more, QEMU has failed"
		faults=$((faults + 1))
		faulty+=" $1"
		# Of several guests, others may have failed by themselves.
		tally "$1" "$log" "$status" | sed '$d; s/^# [^ ]*:/& (first try)/'
		status=0
		attempt "$1" "$log" || status=$?
	fi
	count "$1" "$log" "$status"
}

# Does the list above have it?
is_known() { usage | grep -q "^  ${1%%:*}[: ]"; }

main()
{
	local name known=''
	passed=0 failed=0 faults=0 faulty='' quiet=''
	while getopts qkh name; do
		case $name in
		q) quiet=1 ;;
		k) known=1 ;;
		h) usage; exit 0 ;;
		*) usage >&2; exit 2 ;;
		esac
	done
	shift $((OPTIND - 1))
	if [ $# = 0 ]; then
		usage >&2
		exit 2
	fi
	for name; do
		if [ -n "$known" ] && ! is_known "$name"; then
			echo "# $name: there is no such suite"
		else
			suite "$name"
		fi
	done
	[ "$faults" = 0 ] ||
		echo "# QEMU $("$TOP/scripts/qemu.sh" version) failed" \
			"$faults guests, which ran once more:$faulty"
	echo "$passed passed, $failed failed"
	[ "$failed" = 0 ]
}

main "$@"; exit
