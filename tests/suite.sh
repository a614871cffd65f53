#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Runs one test suite, which prints TAP. tests/run.pl runs several, and counts.

set -euo pipefail
. "$(dirname "$0")/../scripts/common.sh"

usage()
{
	cat <<END
usage: tests/suite.sh [-l SECONDS] SUITE
       tests/suite.sh -a

Runs SUITE. Its output is kept in \$O/check/SUITE.tap; with -l what it says on stderr
goes to SUITE.log there, and it may take SECONDS after all that has to be fetched, or
built from source, for it. -a lists the suites of "make check-all". "make test-SUITE"
also counts results and judges skips. The suites, with which KERNEL, MODE or SUITE may follow:
END
	sed -nE 's/^\t([a-z:*]+)\)\t+# (.*)/  \1\t\2/p' "$0" | expand -t 20
}

# What .ci/run has no time for, too.
all_suites()
{
	local kernel
	for kernel in $PACKAGED_KERNELS; do
		printf "guest:$kernel:%s\n" i nohz lowres m32 preempt
		echo "bench:$kernel"
	done
	printf '%s\n' guest:arm64:{m32,a53} {clients,bench}:arm64 bench:riscv64 stack:{arm64,riscv64} guest:6.1:{nostacks,stackless}
	for kernel in $CROSS_KERNELS; do
		echo "conformance:$kernel"
	done
	for kernel in $PACKAGED_KERNELS $FURTHER_KERNELS $CROSS_KERNELS $BUILT_KERNELS; do
		echo "guest:$kernel:4"
	# riscv64's spinlocks go from CPU to CPU in turn, so emulated CPUs need real ones.
	done | sed 's/irqtime:4/irqtime:i/; s/riscv64:4/riscv64:2/'
	printf "%s:patched\n" bench kselftest kunit runner
	printf '%s\n' unit stack lib musl model harness conformance tools clients attach rivals \
		compare examples ported runner runner:{debug,kcsan} {stress,faultinj,iofuzz}:debug \
		iofuzz:6.12 documents install dist:all packages:{bookworm,trixie,sid} service \
		demo fuzz lint:all
}

run_guest()
{
	local kernel=$1 mode=$2 options
	local programs=() target=all tests output seconds=600 cpu='' alone=''
	output=$("$TOP/scripts/cross.sh" output "$kernel")
	tests=$output/selftests
	case $mode in
	# One CPU, instructions are the clock.
	# What has to meet is for several CPUs, and what one CPU finds no more in: smp has it.
	i)
		options=(-i -e CPUS=1)
		alone='forks|attacks|cpus|hooked|reload|stop|stuck|counters|limits'
		alone+='|memory|pressure|others_profiles|streams|faults|userfaults|sizes'
		# These take long, and stackless or nostacks has them.
		alone+='|requests|interrupts|shares'
		;;
	# 32-bit programs.
	m32)
		options=(-i -e CPUS=1)
		target=m32 tests=$output/m32/selftests
		;;
	# CPUs that do not tick.
	nohz)
		options=(-c 2 -a nohz_full=1 -e CPUS=2)
		programs=(clocks interrupts own_profiles)
		;;
	# Timers that expire in ticks.
	lowres)
		options=(-c 2 -a highres=off -e CPUS=2)
		programs=(rates)
		;;
	# Call stacks are not in the module: the programs whose code is built in another way.
	stackless)
		options=(-i -e CPUS=1)
		programs=(page errors requests histogram counters lifetime stop streams library)
		;;
	# They are switched off: the programs that ask for them, and two that compare samples
	# with CPU time.
	nostacks)
		options=(-i -e CPUS=1 -p stacks=N)
		programs=(errors samples stacks streams walks waits sleepers library interrupts shares)
		;;
	# A CPU that does not mark accessed pages.
	a53)
		options=(-c 2 -e CPUS=2 -e NO_ACCESS_FLAGS=1)
		programs=(memory histogram samples counters)
		cpu=cortex-a53
		;;
	# All of the kernel's code can be preempted.
	preempt)
		options=(-c 2 -a preempt=full -e CPUS=2)
		programs=(hooked stop)
		;;
	# 4 CPUs, and the programs that one CPU does not do justice to. These take long, and
	# preempt or nohz has them.
	smp)
		options=(-c 4 -e CPUS=4)
		alone='page|errors|histogram|samples|rates|library'
		alone+='|rights|walks|hooked|clocks|interrupts'
		;;
	# 4 CPUs, without programs that take long, and for which other kernels do as well.
	quick)
		options=(-c 4 -e CPUS=4)
		alone='hooked|interrupts|clocks|shares|samples|rates|histogram|counters'
		alone+='|walks|library'
		;;
	*) options=(-c "$mode" -e CPUS="$mode") ;;
	esac
	# Other machines are emulated: hundreds of processes that end at once take
	# them longer than a test has patience.
	case $kernel in
	debug|kcsan|rt-debug|arm64|riscv64)
		options+=(-e SLOWNESS=8)
		seconds=3600
		;;
	esac
	"$TOP/scripts/cross.sh" make "$kernel" -C "$TOP/tests/selftests" \
		"$target" >&2 || return
	[ -z "$alone" ] || mapfile -t programs < <(tr ' ' '\n' <"$tests/programs" |
		grep -vxE "$alone")
	# This kernel differs in one thing.
	if [ "$kernel" = irqtime ]; then
		options+=(-e IRQTIME=1)
		programs=(interrupts clocks rates lifetime)
	fi
	# A disk that takes as long as a test asks for.
	[[ " $PACKAGED_KERNELS $FURTHER_KERNELS " != *" $kernel "* ]] || options+=(-l null_blk)
	[ "$mode" != stackless ] || local -x PROFIL_STACKS=0
	QEMU_CPU=${cpu:-${QEMU_CPU:-}} "$TOP/tests/qemu/run.sh" -k "$kernel" \
		"${options[@]}" -t $seconds -l brd -l fuse -f "$tests" -- "$tests/run.sh" \
		"${programs[@]}"
}

# run_kselftest KERNEL: what a test prints is behind "# " there, results, too. Their
# runner has options for timeout that busybox's has not.
run_kselftest()
{
	local tests
	tests=$("$TOP/scripts/kernel.sh" tree "$1")/kselftest
	"$TOP/tests/qemu/run.sh" -k "$1" -c 4 -e CPUS=4 -t 600 -l brd \
		-l fuse -f "$tests" -f /usr/bin/timeout -- "$tests/run_kselftest.sh" |
		sed 's/^# /    /'
}

# make_for KERNEL DIRECTORY ARG...: with what that kernel's machine needs.
make_for() { "$TOP/scripts/cross.sh" make "$1" -C "$TOP/$2" K="$1" "${@:3}"; }

run_clients()
{
	local part
	if is_cross "$1"; then
		"$TOP/scripts/programs.sh" fetch "$1" || return
		local -x TRUE
		TRUE=$("$TOP/scripts/programs.sh" tree "$1")/usr/bin/true
		# For the viewers, on this machine.
		make -s -C "$TOP/tools" O="$O" all >&2 || return
	fi
	for part in libprofil/preload tools tests/clients; do
		"$TOP/scripts/cross.sh" make "$1" -C "$TOP/$part" all >&2 || return
	done
	K=$1 "$TOP/tests/clients/run.sh"
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

suite_make() { make -s -C "$TOP/$1" O="$O" check; }

# one NAME COMMAND...: a test of its own.
one()
{
	. "$TOP/tests/tap.sh"
	"${@:2}" >&2
	result "$1"
	tap_end
}

# packages SUITE: the groups of scripts/deps.sh that it needs and "make check" does not.
packages()
{
	case $1 in
	clients:*) echo clients ;;
	stack)	echo tools m32 ;;
	stack:*) echo user ;;
	clients | compare | rivals | model | service | musl | lint | fuzz) echo "$1" ;;
	lint:all) echo lint ;;
	tools)	echo tools unit ;;
	dist:all) echo dkms tools unit ;;
	documents | dist | install) echo dkms ;;
	packages:*) echo packages ;;
	esac
	case $1 in
	*:m32)	echo m32 ;;
	*:clang:*) echo clang ;;
	*:patched* | *:builtin*) echo patched ;;
	*:debug* | *:kcsan* | *:rt-debug* | *:noftrace* | *:irqtime*) echo debug ;;
	esac
}

# prepare SUITE: packages, and the kernel. Another process may be building that, so this
# may take as long as that does.
prepare()
{
	local groups kernel
	groups=$(packages "$1")
	# shellcheck disable=SC2086 # one word per group
	[ -z "$groups" ] || "$TOP/scripts/deps.sh" $groups >&2 || return
	for kernel in $PACKAGED_KERNELS $FURTHER_KERNELS $CROSS_KERNELS $BUILT_KERNELS; do
		[[ :$1: = *":$kernel:"* ]] || continue
		! is_cross "$kernel" || "$TOP/scripts/deps.sh" "$kernel" >&2 || return
		timeout 4h "$TOP/scripts/kernel.sh" fetch "$kernel" >&2 || return
	done
}

# run SUITE: TAP on stdout.
run()
{
	local kernel
	prepare "$1" || return
	case $1 in
	unit)		# unit tests of the module's code
		suite_make tests/unit ;;
	stack)		# stacks of real programs, and all rows of installed files
		suite_make tests/stack ;;
	stack:*)	# stacks of a program of another machine, at each instruction
		"$TOP/scripts/cross.sh" make "${1#*:}" -C "$TOP/tests/stack" "check-${1#*:}" ;;
	lib)		# unit tests of the library, and its exports
		suite_make tests/lib ;;
	musl)		# the library, its tests and programs with another libc
		"$TOP/tests/musl.sh" ;;
	model)		# all states of models: deferred updates, waits, stacks
		"$TOP/tests/model/test.sh" "$O/model" ;;
	harness)	# the harness of C tests, on tests that misbehave
		suite_make tests/selftests ;;
	guest:*:*)	# selftests in a guest; MODE is the number of CPUs, or see run_guest()
		kernel=${1#guest:}
		run_guest "${kernel%:*}" "${kernel##*:}" ;;
	kselftest:*)	# the selftests as the kernel's tree has and runs them: patched
		run_kselftest "${1#kselftest:}" ;;
	kunit:*)	# the module's KUnit tests, which run when it is loaded: patched
		"$TOP/tests/qemu/run.sh" -k "${1#kunit:}" -l profil_kunit -- \
			/bin/sh -c 'cat /sys/kernel/debug/kunit/*/results' ;;
	bench:*)	# that profiling costs no more instructions than aimed at
		make_for "${1#bench:}" tests/bench run ;;
	conformance)	# every rule of the man pages, in a guest with one CPU
		suite_make tests/conformance ;;
	conformance:*)	# the same on another kernel, or another machine
		make_for "${1#conformance:}" tests/conformance TIME=3600 check ;;
	tools)		# unit tests of the command profil
		suite_make tests/tools ;;
	clients)	# programs from Debian profiled in a guest, and the viewers
		run_clients 6.1 ;;
	clients:*)	# the same on another kernel; on arm64, the groups that apply
		run_clients "${1#clients:}" ;;
	attach)		# programs that are attached to, and what attaches killed, in a guest
		suite_make tests/attach ;;
	attach:*)	# the same on another kernel
		make_for "${1#attach:}" tests/attach check ;;
	rivals)		# what other profilers cost beside ours
		make -s -C "$TOP/tests/bench" O="$O" rivals >&2 &&
			O=$O "$TOP/tests/bench/rivals.pl" ;;
	compare)	# call trees of profil, perf and gperftools, of the same programs
		make -s -C "$TOP/tools" O="$O" all >&2 && suite_make tests/compare ;;
	examples)	# programs of one call each, in a guest
		suite_make examples/calls ;;
	ported)		# examples of other systems' programs, in a guest
		suite_make examples/ported ;;
	runner)		# the guest runner's own tests
		"$TOP/tests/qemu/selftest.sh" ;;
	runner:*)	# those that need that kernel: debug, kcsan, patched
		"$TOP/tests/qemu/selftest.sh" "${1#runner:}" ;;
	stress:*:quick)	# processes that do everything at once, with 4 CPUs
		kernel=${1#stress:}
		run_stress "${kernel%:quick}" 1800 stress -t 60 ;;
	stress:*)	# the same for 5 minutes
		run_stress "${1#stress:}" 5400 stress -t 300 ;;
	iofuzz:*)	# 100,000 requests to the device, mutated
		run_stress "${1#iofuzz:}" 5400 iofuzz -n 100000 ;;
	faultinj:*:quick)	# each allocation of a request fails once
		kernel=${1#faultinj:}
		run_stress "${kernel%:quick}" 1800 faultinj "array replaces a profile" ;;
	faultinj:*)	# everything fails once: debug
		run_stress "${1#faultinj:}" 5400 faultinj ;;
	documents)	# what README.md, the tutorial and the man pages show, run
		"$TOP/tests/documents/run.pl" ;;
	install)	# make install and make uninstall, also of DKMS
		"$TOP/tests/install.sh" ;;
	dist)		# that the tarball of a release is all one needs
		"$TOP/tests/dist.sh" harness ;;
	dist:all)	# the same, with all suites that need no guest
		"$TOP/tests/dist.sh" unit lib tools harness install ;;
	packages:*)	# Debian's packages, in clean systems: bookworm, trixie, sid
		"$TOP/tests/packages.sh" "${1#packages:}" ;;
	service)	# Secure Boot, lockdown, AppArmor and containers, in guests
		"$TOP/tests/service/run.sh" ;;
	demo)		# make demo
		one "the demo shows what it should" make -C "$TOP" O="$O" demo ;;
	fuzz)		# a short run of the fuzzers
		one "the fuzzers find nothing" make -s -C "$TOP/tests/fuzz" O="$O" check ;;
	lint)		# static checks
		"$TOP/tests/lint.sh" ;;
	lint:all)	# the same, and clang's of the tests
		"$TOP/tests/lint.sh" all ;;
	*)	usage >&2; exit 2 ;;
	esac
}

main()
{
	local log
	case ${1:-} in
	-h)	usage; return ;;
	-a)	all_suites; return ;;
	esac
	mkdir -p "$O/check"
	if [ $# = 3 ] && [ "$1" = -l ]; then
		exec 2>"$O/check/${3//:/-}.log"
		prepare "$3" && exec timeout -k 30 "$2" "$0" "$3"
		exit 1
	fi
	[ $# = 1 ] || { usage >&2; exit 2; }
	log=$O/check/${1//:/-}
	# Made if QEMU itself fails: run.pl tries once more.
	export QEMU_FAULT=$log.qemu
	run "$1" | "$TOP/tests/flatten.pl" | tee "$log.tap"
}

main "$@"; exit
