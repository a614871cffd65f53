#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Tests of run.sh, in TAP: what it passes through, and that each way in which a
# guest can go wrong fails the run. With "debug" or "kcsan": the ways that only
# that kernel sees; with "patched": what is different where the module is the kernel's.

set -uo pipefail
. "$(dirname "$0")/../../scripts/common.sh"
. "$TOP/tests/qemu/hang.sh"
. "$TOP/tests/qemu/watch.sh"
RUN=$TOP/tests/qemu/run.sh
WORK=$(mktemp -d)
trap 'rm -rf "$WORK"' EXIT
cd "$WORK" || exit 1

count=0 kernel=6.1

diagnose()
{
	head -c 4000 "$WORK/$1" | LC_ALL=C tr -cd '[:print:]\n' |
		cut -c 1-160 | head -n 40 | sed "s/^/# $1: /"
}

# result NAME: the status of the last command decides.
result()
{
	local status=$?
	count=$((count + 1))
	if [ $status = 0 ]; then
		echo "ok $count - $1"
		return
	fi
	echo "not ok $count - $1"
	echo "# status: ${status:-}"
	diagnose out
	diagnose err
}

# guest [OPTIONS] -- COMMAND: sets $status, leaves out and err.
guest()
{
	status=0
	"$RUN" -k $kernel "$@" >"$WORK/out" 2>"$WORK/err" </dev/null || status=$?
}

silent() { [ ! -s "$WORK/out" ] && [ ! -s "$WORK/err" ]; }

# broken REASON: was the run reported as one that means nothing, and why?
broken()
{
	[ "$status" = 125 ] && head -n 1 "$WORK/err" | grep -q -e "$1"
}

trouble()
{
	guest "${@:2}" -f "$trouble" -- insmod "$trouble" "what=$1"
}

# --- what is passed through ----------------------------------------------------

write_probe()
{
	mkdir -p tree/sub
	head -c 300000 /dev/urandom >binary
	echo "in a tree" >tree/sub/file
	printf '#!/usr/bin/env bash\necho "script ${BASH_VERSION:+with bash}"\n' \
		>tree/script
	cat >probe <<-'END'
		#!/bin/sh
		printf 'written to stderr\n' >&2
		cat binary
		exec >$OUT/log
		printf 'arg=[%s]\n' "$@"
		printf 'odd=[%s]\n' "$ODD"
		echo "cwd=$(pwd)"
		echo "stdin=[$(cat)]"
		tree/script
		cat tree/sub/file
		echo "module=$(cat /sys/module/profil/parameters/max_regions)"
		echo "device=$(stat -c %a /dev/profil)"
		xz --version | grep liblzma
		su nobody -s /bin/sh -c 'echo "user=$(id -u)"; : >/tmp/mine'
		echo "loopback=$(ip -o -4 addr show dev lo | grep -c 127.0.0.1)"
		echo "tracefs=$(ls -d /sys/kernel/tracing/events)"
		mkdir $OUT/deep && cp binary $OUT/deep/copy
		sleep 1000 &
		exit 3
	END
	chmod +x probe tree/script
}

logged() { grep -qxF -e "$1" output/log; }

test_passing_through()
{
	local odd="a 'b' \"c\" \$d \\e"$'\n'"f"
	write_probe
	guest -p max_regions=77 -f binary -f tree -f "$(type -P xz)" \
		-e "ODD=$odd" -o output -- ./probe "one two" '' "$odd"
	[ "$status" = 3 ]; result "exit status is the command's"
	cmp out binary; result "stdout arrives, byte for byte"
	[ "$(cat err)" = "written to stderr" ]
	result "stderr arrives, apart from stdout"
	cmp output/deep/copy binary; result "-o brings files back"
	logged "arg=[one two]" && logged "arg=[]" &&
		grep -qxF -e "arg=[${odd%%$'\n'*}" output/log &&
		grep -qxF -e 'f]' output/log
	result "arguments arrive as they are"
	grep -qxF -e "odd=[${odd%%$'\n'*}" output/log; result "-e sets a variable"
	logged "cwd=$WORK"; result "the working directory is the same"
	logged "stdin=[]"; result "stdin is empty"
	logged "in a tree"; result "-f brings directories"
	logged "script with bash"; result "-f brings a script's interpreter"
	grep -q '^liblzma' output/log; result "-f brings a program with its libraries"
	logged "module=77"; result "-p sets module parameters"
	logged "device=666"; result "the device is there, for everybody"
	logged "user=65534"; result "programs can become nobody"
	logged "loopback=1"; result "the loopback interface is up"
	logged "tracefs=/sys/kernel/tracing/events"; result "tracefs is mounted"
	guest -- profil -o /tmp/profile gzip --version
	[ "$status" = 0 ] && grep -q '^gzip ' out && grep -q sample err &&
		! grep -q 'without a profile' err
	result "profil is there, and what it profiles comes along"
}

test_status()
{
	guest -- true
	[ "$status" = 0 ] && silent; result "a command that says nothing: silence"
	guest -- no-such-command
	[ "$status" = 127 ]; result "no such command: status 127"
	guest -- sh -c 'kill -9 $$'
	[ "$status" = 137 ]; result "killed by a signal: 128 and its number"
}

# What is typed before there is a prompt is lost.
ask_shell()
{
	# shellcheck disable=SC2094 # waits for what is written
	{
		until grep -q 'Leave with' out; do sleep 0.2; done
		sleep 1
		echo "$1"
	} | timeout 60 "$RUN" -k $kernel -s >out 2>err
	status=$?
}

test_options()
{
	local tree
	guest -n -c 3 -- sh -c '[ ! -e /dev/profil ] && grep -c ^processor /proc/cpuinfo'
	[ "$status" = 0 ] && [ "$(cat out)" = 3 ]
	result "-n leaves the module out, -c sets the number of CPUs"
	guest -v -l zram -- sh -c 'lsmod | grep -q zram && echo "$ICOUNT"'
	[ "$status" = 0 ] && [ "$(cat out)" = "" ] &&
		grep -q 'Linux version' err
	result "-l loads a module of the kernel's package, -v shows the console"
	tree=$("$TOP/scripts/kernel.sh" tree $kernel)
	KERNEL=$(echo "$tree"/boot/vmlinuz-*) KDIR=$tree/build guest -- uname -r
	[ "$status" = 0 ] &&
		[ "$(cat out)" = "$("$TOP/scripts/kernel.sh" release $kernel)" ]
	result "KERNEL and KDIR name a kernel of one's own"
	ask_shell 'echo "it is $((6 * 7))"; profil ls /; exit'
	grep -q 'it is 42' out; result "-s gives a shell"
	grep -q 'profil: .*/ls is statically linked' out
	result "profil is there, too"
}

# Reads the clock twice around a fixed amount of work.
test_icount()
{
	local first second out
	cat >work.c <<-'END'
		#include <stdio.h>
		#include <x86intrin.h>
		static unsigned long long piece(void)
		{
			unsigned long long start = __rdtsc();
			volatile unsigned int sum = 0;

			for (unsigned int i = 0; i < 50000000; i++)
				sum += i;
			return __rdtsc() - start;
		}

		/* The shortest piece: the guest has other things to do, too. */
		int main(void)
		{
			unsigned long long least = ~0ULL;

			for (int i = 0; i < 8; i++) {
				unsigned long long took = piece();

				if (took < least)
					least = took;
			}
			printf("%llu\n", least);
			return 0;
		}
	END
	gcc -O1 -o work work.c
	for out in first second; do
		guest -i -f work -- sh -c '[ "$ICOUNT" = 1 ] && exec ./work'
		cp out $out
	done
	first=$(cat first) second=$(cat second)
	[ "$first" -gt 100000000 ] && [ $(((first - second) ** 2)) -lt \
		$(((first * 20 / 1000000) ** 2)) ]
	result "-i repeats within 20 ppm ($first, $second)"
}

# --- what fails -----------------------------------------------------------------

test_guests_gone_wrong()
{
	guest -- sh -c 'echo c >/proc/sysrq-trigger'
	broken "panicked: .*sysrq triggered crash"; result "a panic is seen"
	trouble warn
	broken "panicked: .*WARNING" && grep -q trouble_warn err
	result "a warning is seen"
	trouble oops
	broken "panicked: .*BUG: kernel NULL pointer"; result "an oops is seen"
	guest -t 12 -- sleep 1000
	broken "did not finish in 12 seconds" &&
		grep -q nanosleep < <(grep -A20 'task:sleep' err)
	result "a hang is seen, and where it is"
	guest -- sh -c 'echo 64 >/proc/sys/kernel/tainted'
	broken "tainted: 12352"; result "a taint is seen"
	guest -- poweroff -f
	broken "never delivered its verdict"; result "a lost verdict is seen"
	guest -c 2 -a maxcpus=1 -- true
	broken "has 1 CPUs instead of 2"; result "a missing CPU is seen"
	trouble busy
	broken "cannot unload profil"; result "a module that stays is seen"
	guest -p max_regions=many -- true
	broken "cannot load .*profil.ko"; result "a module that does not load is seen"
	guest -- sh -c 'echo "BUG: from a test" >/dev/kmsg; exit 0'
	broken "complained: .*BUG: from a test"
	result "a complaint that is no panic is seen"
}

# console OOPS FUNCTION BYTE: a console whose kernel died there, the byte
# before RIP being BYTE.
console()
{
	printf '[ 1.0] %s: 0000 [#1] PREEMPT SMP NOPTI\r\n' "$1"
	printf '[ 1.0] RIP: 0010:%s+0x5/0xc0\r\n' "$2"
	printf '[ 1.0] Code: 90 90 66 0f 1f 00 %s <1f> 44 00 00 55\r\n' "$3"
	printf '[ 1.0] Code: 90 90 66 0f 1f 00 cc <1f> 44 00 00 55\r\n'
}

is_stale() { console "$@" | tr -d '\r' | awk -f "$TOP/tests/qemu/stale.awk"; }

test_stale_breakpoints()
{
	is_stale "Oops: int3" update_process_times 0f && is_stale int3 __schedule 0f
	result "a breakpoint that is not in memory is QEMU's"
	! is_stale int3 update_process_times cc
	result "one that is in memory is not"
	! is_stale Oops update_process_times 0f &&
		! awk -f "$TOP/tests/qemu/stale.awk" /dev/null
	result "nor is any other trouble"
}

# --- guests that hang ------------------------------------------------------------

# A guest with one CPU has nobody who could complain.
test_kernel_hangs()
{
	PATIENCE=10 trouble spin -c 1 -t 600
	broken "no progress: the kernel hangs: CPU 0 in trouble_spin .trouble. with interrupts off"
	result "a CPU that spins is seen before the time is up, and where"
}

# The guest says when it is up; its QEMU is the process that has its console.
test_stopped_qemu()
{
	local runner
	QEMU_FAULT=$WORK/fault "$RUN" -k $kernel -t 15 -- \
		sh -c 'echo up; sleep 1000' >out 2>err </dev/null &
	runner=$!
	until grep -q up out || ! kill -0 $runner; do sleep 0.5; done
	kill -STOP "$(pgrep -P $runner qemu-system)"
	status=0
	wait $runner || status=$?
	broken "QEMU hangs: somebody has stopped it" && [ -e fault ]
	result "a QEMU that is stopped is not taken for a kernel that hangs"
}

# One that reads nothing and answers nothing.
test_silent_monitor()
{
	cat >fake <<-'END'
		#!/bin/bash
		mkfifo "$0.fifo"
		read -r <>"$0.fifo"
	END
	chmod +x fake
	QEMU=$WORK/fake QEMU_FAULT=$WORK/fault2 guest -t 2 -- true
	broken "QEMU hangs: its monitor does not answer" && [ -e fault2 ] &&
		grep -q "^--- QEMU's threads:" err && grep -q '^fake: state S' err
	result "nor is one whose monitor does not answer, and its threads are shown"
}

# judge LINE... : the verdict on two samples "NUMBER CPU RIP CPL HALTED IF WHERE",
# with CPU 0's thread having run as long as $ran says.
judge()
{
	printf '%s\n' "$@" >samples
	printf '%s\n' "1 0 100" "2 0 $((100 + ran))" "1 1 100" "2 1 200" >./times
	(SAMPLES=2; verdict)
}

test_verdicts()
{
	local ran=0
	[ "$(judge '1 0 f1 0 0 0 f' '1 1 f1 0 1 1 i' '2 0 f1 0 0 0 f' \
		'2 1 f1 0 1 1 i')" = "QEMU hangs: it does not run CPU 0 at f" ]
	result "a CPU that is not halted and whose thread sleeps is QEMU's"
	ran=5
	[ "$(judge '1 0 f1 0 0 1 f' '2 0 f2 0 0 1 f')" = \
		"the kernel hangs: CPU 0 in f" ]
	result "a CPU that stays in a function of the kernel is the kernel's"
	[ "$(judge '1 0 f1 0 1 1 i' '1 1 f1 0 1 1 i' '2 0 f1 0 1 1 i' \
		'2 1 f1 0 1 1 i')" = "every CPU is idle" ]
	result "CPUs that wait for something are idle"
	[ "$(judge '1 0 f1 0 0 1 f' '2 0 f9 0 0 1 g')" = "its CPUs go on" ] &&
	[ "$(judge '1 0 11 3 0 1 user' '2 0 11 3 0 1 user')" = "its CPUs go on" ]
	result "CPUs that get on, and programs that spin, hang nothing"
}

# The least of all processes beside twice as many others as there are CPUs.
test_time_of_others()
{
	local i others=() mine starved before now
	for ((i = 0; i < 2 * $(nproc); i++)); do
		bash -c 'while :; do :; done' &
		others+=($!)
	done
	nice -n 19 bash -c 'while :; do :; done' &
	mine=$!
	starved $mine
	before=${EPOCHREALTIME/[.,]/}
	sleep 3
	starved $mine
	now=${EPOCHREALTIME/[.,]/}
	kill $mine "${others[@]}"
	[ "$starved" -gt $(((now - before) / 2)) ]
	result "time in which others had the CPU is told from time that passes"
}

# --- which QEMU ------------------------------------------------------------------

# with_qemu VERSION: looks for a QEMU on a machine that has this one installed
# and no way to get another; leaves out and err.
with_qemu()
{
	mkdir -p bin
	printf '#!/bin/sh\necho "QEMU emulator version %s (Debian)"\n' "$1" \
		>bin/qemu-system-x86_64
	printf '#!/bin/sh\nexit 1\n' >bin/apt-get
	chmod +x bin/*
	PATH=$WORK/bin:$PATH CACHE=$WORK/cache "$TOP/scripts/qemu.sh" fetch 2>err
	PATH=$WORK/bin:$PATH CACHE=$WORK/cache "$TOP/scripts/qemu.sh" command >out
	grep -qx qemu-system-x86_64 out
}

test_which_qemu()
{
	with_qemu 8.1.0 && [ ! -s err ]
	result "a QEMU that is new enough is used as it is installed"
	with_qemu 7.2.22 && grep -q "no QEMU 8.1 or later.* 7.2.22" err
	result "an old one is used if there is no other, and that is said"
	with_qemu 7.2.22 && [ ! -s err ]; result "but once"
}

# Where nothing can be had, that is all a fetch does.
test_killed_fetch()
{
	local left=$WORK/cache/.6.1.killed other=$WORK/cache/.6.1-source.killed
	mkdir -p "$left" "$other"
	PATH=$WORK/bin:$PATH CACHE=$WORK/cache "$TOP/scripts/kernel.sh" fetch 6.1 2>/dev/null
	[ ! -e "$left" ] && [ -e "$other" ]
	result "what a fetch that was killed has left is removed by the next one"
}

# --- KCSAN's reports ---------------------------------------------------------------

# race MODULE MODULE [FUNCTION]: what is a complaint on a console with a report, a
# frame of each stack being in that module, or in none; the second one's is called
# FUNCTION from.
race()
{
	local frame='[ 1.0]  f+0x5/0xc0'
	printf '%s\r\n' "[ 0.9] booted" "[ 1.0] BUG: KCSAN: data-race in f / g" \
		"$frame$1" "[ 1.0] read to 0xff of 4 bytes by task 3 on cpu 1:" \
		"[ 1.0] Sending on" "${frame/f+/${3:-g}+}" "$frame$2" \
		"[ 1.0] Reported by Kernel Concurrency Sanitizer on:" \
		"[ 1.1]  insmod+0x0/0x1 [profil]" |
		awk -f "$TOP/tests/qemu/kcsan.awk" >sorted
	[ "$(wc -l <sorted)" = 9 ] && grep -q '^.*BUG: KCSAN: data-race in f' sorted
}

# counted BYTES: that an interrupt, for a module, races in the kernel's own function with
# so many bytes of the task that it interrupts is no complaint.
counted()
{
	printf '%s\r\n' "[ 1.0] BUG: KCSAN: data-race in f / copy_from_user_nofault" \
		"[ 1.0] read to 0xff of $1 bytes by interrupt on cpu 1:" \
		"[ 1.0]  copy_from_user_nofault+0x9a/0x100" \
		"[ 1.0]  profil_tick+0x5e9/0x680 [profil]" \
		"[ 1.0] write to 0xff of $1 bytes by task 3 on cpu 1:" "[ 1.0]  f+0x5/0xc0" \
		"[ 1.0] Reported by Kernel Concurrency Sanitizer on:" |
		awk -f "$TOP/tests/qemu/kcsan.awk" >sorted
	[ "$(wc -l <sorted)" = 7 ] && ! grep -q 'BUG: KCSAN' sorted
}

test_races_on_console()
{
	race " [profil]" "" && race "" " [profil]" &&
		race " [profil]" " [profil]" handle_mm_fault
	result "a race with the module in either stack is a complaint"
	! race "" " [profil]" handle_mm_fault
	result "but for one in a page fault that it asks for"
	! race "" "" && grep -q 'in the kernel itself: data-race in f / g' sorted
	result "one of the kernel with itself is none"
	counted 4 && ! counted 8
	result "nor is its count of page faults that it does not take, in an interrupt of a module"
	printf '%s\n' "[ 1.0] WARNING: CPU: 0 PID: 9 at kernel/kcsan/report.c:343" \
		"[ 1.0] Call Trace:" "[ 1.0] ---[ end trace 0000000 ]---" |
		awk -f "$TOP/tests/qemu/kcsan.awk" >sorted
	[ "$(grep -cE 'WARNING|Call Trace' sorted)" = 0 ] &&
		printf '%s\n' "[ 1.0] WARNING: CPU: 0 PID: 9 at kernel/cpu.c:3" \
			"[ 1.0] Call Trace:" |
		awk -f "$TOP/tests/qemu/kcsan.awk" | grep -c WARNING | grep -qx 1
	result "nor is one of KCSAN about its own report; any other warning is"
}

test_kcsan_kernel()
{
	kernel=kcsan
	trouble race -t 600
	broken "KCSAN: data-race in trouble_race_thread"
	result "a data race in a module is seen"
	guest -c 4 -t 600 -- cat /proc/cpuinfo /sys/kernel/debug/kcsan
	[ "$status" = 0 ] && [ "$(grep -c ^processor out)" = 4 ] &&
		grep -q '^enabled: 1' out
	result "a guest with 4 CPUs and none is sound"
	grep -q __tsan_read < <(readelf -sW "$O/kcsan/profil.ko")
	result "the module is watched"
}

# --- a kernel that has the module itself ------------------------------------------

test_patched_kernel()
{
	kernel=patched
	guest -- sh -c 'cd /proc/sys/kernel && cat tainted && ls /dev/profil'
	[ "$status" = 0 ] && [ "$(paste -sd ' ' out)" = "0 /dev/profil" ]
	result "its module is taken, and taints nothing"
	guest -f "$trouble" -- sh -c "insmod '$trouble' 2>&1"
	broken "tainted: 4096"; result "a module from elsewhere is a taint there"
	guest -l profil_kunit -- cat /proc/sys/kernel/tainted
	[ "$status" = 0 ] && [ "$(cat out)" = 262144 ]
	result "tests of KUnit's are none"
	guest -- sh -c 'echo 262144 >/proc/sys/kernel/tainted'
	broken "tainted: 262144"; result "but where there are none"
	OUT_OF_TREE=1 guest -- sh -c 'cat /proc/sys/kernel/tainted &&
		ls /sys/module/profil/parameters/tick_hook'
	[ "$status" = 0 ] && [ "$(head -n 1 out)" = 4096 ]
	result "OUT_OF_TREE=1 takes the module that is built here"
}

# --- what is refused ---------------------------------------------------------------

test_wrong_use()
{
	KERNEL=$WORK/missing guest -- true
	broken "no kernel in .*/missing"; result "a KERNEL that does not exist is refused"
	guest -f "$WORK/missing" -- true
	broken "no such file: .*/missing"; result "an -f that does not exist is refused"
	guest -k 1.0 -- true
	[ "$status" = 125 ] && grep -q "1\.0" err; result "an unknown -k is refused"
	guest -l no_such_module -- true
	broken "no module no_such_module"; result "an unknown -l is refused"
	guest -c 2
	[ "$status" = 125 ] && grep -q usage err; result "no command is refused"
}

# --- what only the debug kernel sees -----------------------------------------------

# seen TROUBLE REASON NAME
seen()
{
	trouble "$1" -t 300
	broken "$2"; result "$3 is seen"
}

test_debug_kernel()
{
	kernel=debug
	# Of ten; an address that is left somewhere hides one.
	seen leak 'memory leaked: [0-9]* objects' "a memory leak"
	seen deadlock 'possible circular locking' "a lock order that may deadlock"
	seen nesting 'Invalid wait context' "a lock that sleeps with PREEMPT_RT, within one that spins"
	seen unseen 'lockdep has stopped' "that lockdep looks no more"
	seen sleep 'sleeping function called' "sleeping in atomic context"
	seen rcu 'suspicious' "RCU without its lock"
	seen use-after-free 'KASAN.*use-after-free' "a use after free"
	seen shift 'UBSAN' "undefined behaviour"
	COVERAGE=$WORK/coverage guest -t 600 -- true
	"$TOP/scripts/coverage.sh" coverage >lines
	grep -q '^main\.c .*[1-9][0-9]* of ' lines &&
		grep -q '^clock\.c .*not run: [1-9]' lines
	result "which lines of the module are run is counted"
}

build_trouble()
{
	"$TOP/scripts/kernel.sh" fetch "$1" &&
		trouble=$("$TOP/scripts/module.sh" -s "$TOP/tests/qemu/testmod" \
			-d "$O/testmod/$1" "$1") || exit 1
}

main()
{
	echo "TAP version 13"
	if [ "${1:-}" = debug ]; then
		echo "1..9"
		build_trouble debug
		test_debug_kernel
		return
	fi
	if [ "${1:-}" = kcsan ]; then
		echo "1..3"
		build_trouble kcsan
		test_kcsan_kernel
		return
	fi
	if [ "${1:-}" = patched ]; then
		echo "1..5"
		build_trouble patched
		test_patched_kernel
		return
	fi
	echo "1..61"
	build_trouble $kernel
	test_passing_through
	test_status
	test_options
	test_icount
	test_guests_gone_wrong
	test_kernel_hangs
	test_stopped_qemu
	test_silent_monitor
	test_verdicts
	test_time_of_others
	test_stale_breakpoints
	test_which_qemu
	test_killed_fetch
	test_races_on_console
	test_wrong_use
}

main "$@"; exit
