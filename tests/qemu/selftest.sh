#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Tests of run.sh, in TAP: what it passes through, and that each way in which a
# guest can go wrong fails the run. With "debug", "kcsan" or "patched": what is
# different with that kernel.
#
# shellcheck disable=SC2317 # check() calls them

set -uo pipefail
. "$(dirname "$0")/../../scripts/common.sh"
. "$TOP/tests/tap.sh"
. "$TOP/tests/qemu/watch.sh"
RUN=$TOP/tests/qemu/run.sh
WORK=$(mktemp -d)
trap 'rm -rf "$WORK"' EXIT
cd "$WORK" || exit 1
kernel=${1:-6.1}

# guest [OPTIONS] -- COMMAND: sets $status, leaves out and err, and shows both.
guest()
{
	status=0
	"$RUN" -k "$kernel" "$@" >out 2>err </dev/null || status=$?
	head -c 4000 out err | LC_ALL=C tr -cd '[:print:]\n'
}

# prints TEXT OPTION...: the guest ends well, with that on stdout.
prints() { guest "${@:2}"; [ "$status" = 0 ] && [ "$(cat out)" = "$1" ]; }

# ends STATUS OPTION...
ends() { guest "${@:2}"; [ "$status" = "$1" ]; }

# breaks REASON OPTION...: the run is reported as one that means nothing, and why.
breaks()
{
	guest "${@:2}"
	[ "$status" = 125 ] && head -n 1 err | grep -q -e "$1"
}

# trouble WHAT REASON [OPTION...]: with the test module, which makes that trouble.
trouble() { breaks "$2" "${@:3}" -f "$trouble" -- insmod "$trouble" "what=$1"; }

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
	local line name odd="a 'b' \"c\" \$d \\e"$'\n'"f"
	write_probe
	guest -p max_regions=77 -f binary -f tree -f "$(type -P xz)" \
		-e "ODD=$odd" -o output -- ./probe "one two" '' "$odd" >shown
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
	grep -q '^liblzma' output/log; result "-f brings a program with its libraries"
	while IFS='|' read -r line name; do
		logged "$line"
		result "$name"
	done <<-END
		cwd=$WORK|the working directory is the same
		stdin=[]|stdin is empty
		in a tree|-f brings directories
		script with bash|-f brings a script's interpreter
		module=77|-p sets module parameters
		device=666|the device is there, for everybody
		user=65534|programs can become nobody
		loopback=1|the loopback interface is up
		tracefs=/sys/kernel/tracing/events|tracefs is mounted
	END
	guest -f "$(type -P gzip)" -- profil -o /tmp/profile gzip --version >shown
	[ "$status" = 0 ] && grep -q '^gzip ' out && grep -q sample err
	result "profil is there"
}

# What is typed before there is a prompt is lost.
ask_shell()
{
	# shellcheck disable=SC2094 # waits for what is written
	{
		until grep -q 'Leave with' out; do sleep 0.2; done
		sleep 1
		echo 'echo "it is $((6 * 7))"; profil ls /; exit'
	} | timeout 60 "$RUN" -k "$kernel" -s >out 2>err
	grep 'it is 42' out && grep 'profil: .*/ls is statically linked' out
}

own_kernel()
{
	local tree
	tree=$("$TOP/scripts/kernel.sh" tree "$kernel")
	KERNEL=$(echo "$tree"/boot/vmlinuz-*) KDIR=$tree/build \
		prints "$("$TOP/scripts/kernel.sh" release "$kernel")" -- uname -r
}

silent() { ends 0 -- true && [ ! -s out ] && [ ! -s err ]; }

test_options()
{
	check "a command that says nothing: silence" silent
	check "no such command: status 127" ends 127 -- no-such-command
	# shellcheck disable=SC2016 # for the guest's shell
	check "killed by a signal: 128 and its number" ends 137 -- sh -c 'kill -9 $$'
	check "-n leaves the module out, -c sets the number of CPUs" prints 3 -n -c 3 -- \
		sh -c '[ ! -e /dev/profil ] && grep -c ^processor /proc/cpuinfo'
	check "-l loads a module of the kernel's package" \
		ends 0 -v -l zram -- grep zram /proc/modules
	check "-v shows the console" grep 'Linux version' err
	check "KERNEL and KDIR name a kernel of one's own" own_kernel
	check "-s gives a shell, with profil" ask_shell
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
		guest -i -f work -- sh -c '[ "$ICOUNT" = 1 ] && exec ./work' >shown
		cp out $out
	done
	first=$(cat first) second=$(cat second)
	[ "$first" -gt 100000000 ] && [ $(((first - second) ** 2)) -lt \
		$(((first * 20 / 1000000) ** 2)) ]
	result "-i repeats within 20 ppm ($first, $second)"
}

# --- what fails -----------------------------------------------------------------

hangs()
{
	breaks 'did not finish in 12 seconds' -t 12 -- sleep 1000 &&
		grep -q nanosleep < <(grep -A20 'task:sleep' err)
}

spins()
{
	trouble spin 'did not finish in 20 seconds' -c 1 -t 20 && grep trouble_spin err
}

# The guest says when it is up; its QEMU is the process that has its console.
stopped_qemu()
{
	local runner
	QEMU_FAULT=$WORK/fault "$RUN" -k "$kernel" -t 15 -- \
		sh -c 'echo up; sleep 1000' >out 2>err </dev/null &
	runner=$!
	until grep -q up out || ! kill -0 $runner; do sleep 0.5; done
	kill -STOP "$(pgrep -P $runner qemu-system)"
	! wait $runner
	cat err
	head -n 1 err | grep 'QEMU hangs' && [ -e fault ] && grep "^--- QEMU's threads:" err
}

test_guests_gone_wrong()
{
	check "a panic is seen" breaks 'panicked: .*sysrq triggered crash' \
		-- sh -c 'echo c >/proc/sysrq-trigger'
	check "a warning is seen" trouble warn 'panicked: .*WARNING'
	check "and where it is" grep trouble_warn err
	check "an oops is seen" trouble oops 'panicked: .*BUG: kernel NULL pointer'
	check "a command that hangs is seen, and where it is" hangs
	check "a CPU that spins with interrupts off is seen, and where" spins
	check "a QEMU that hangs is not taken for a kernel that does" stopped_qemu
	check "a taint is seen" breaks 'tainted: 12352' \
		-- sh -c 'echo 64 >/proc/sys/kernel/tainted'
	check "a lost verdict is seen" breaks 'never delivered its verdict' -- poweroff -f
	check "a missing CPU is seen" breaks 'has 1 CPUs instead of 2' -c 2 -a maxcpus=1 -- true
	check "a module that stays is seen" trouble busy 'cannot unload profil'
	check "a module that does not load is seen" breaks 'cannot load .*profil.ko' \
		-p max_regions=many -- true
	check "a complaint that is no panic is seen" breaks 'complained: .*BUG: from a test' \
		-- sh -c 'echo "BUG: from a test" >/dev/kmsg; exit 0'
}

test_wrong_use()
{
	KERNEL=$WORK/missing check "a KERNEL that does not exist is refused" \
		breaks 'no kernel in .*/missing' -- true
	check "an -f that does not exist is refused" \
		breaks 'no such file: .*/missing' -f "$WORK/missing" -- true
	check "an unknown -k is refused" ends 125 -k 1.0 -- true
	check "an unknown -l is refused" breaks 'no module no_such_module' -l no_such_module -- true
	check "no command is refused" ends 125 -c 2
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
	result "time in which others had the CPU is told apart"
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

test_races_on_console()
{
	race " [profil]" "" && race "" " [profil]" &&
		race " [profil]" " [profil]" handle_mm_fault
	result "a race with the module in either stack is a complaint"
	! race "" " [profil]" handle_mm_fault
	result "but for one in a page fault that it asks for"
	! race "" "" && grep -q 'in the kernel itself: data-race in f / g' sorted
	result "one of the kernel with itself is none"
	printf '%s\n' "[ 1.0] WARNING: CPU: 0 PID: 9 at kernel/kcsan/report.c:343" \
		"[ 1.0] Call Trace:" "[ 1.0] ---[ end trace 0000000 ]---" |
		awk -f "$TOP/tests/qemu/kcsan.awk" >sorted
	[ "$(grep -cE 'WARNING|Call Trace' sorted)" = 0 ] &&
		printf '%s\n' "[ 1.0] WARNING: CPU: 0 PID: 9 at kernel/cpu.c:3" \
			"[ 1.0] Call Trace:" |
		awk -f "$TOP/tests/qemu/kcsan.awk" | grep -c WARNING | grep -qx 1
	result "nor is one about its own report; any other warning is"
}

# --- other kernels ------------------------------------------------------------------

test_kcsan_kernel()
{
	check "a data race in a module is seen" \
		trouble race 'KCSAN: data-race in trouble_race_thread' -t 600
	check "a guest with 4 CPUs and none is sound" prints 4 -c 4 -t 600 -- \
		sh -c 'grep -q "^enabled: 1" /sys/kernel/debug/kcsan && grep -c ^processor /proc/cpuinfo'
	check "the module is watched" grep -q __tsan_read "$O/kcsan/profil.ko"
}

test_patched_kernel()
{
	check "its module is taken, and taints nothing" prints '0 /dev/profil' \
		-- sh -c 'echo $(cat /proc/sys/kernel/tainted; ls /dev/profil)'
	check "a module from elsewhere is a taint there" breaks 'tainted: 4096' \
		-f "$trouble" -- sh -c "insmod '$trouble' 2>&1"
	check "tests of KUnit's are none" prints 262144 -l profil_kunit \
		-- cat /proc/sys/kernel/tainted
	check "but where there are none" breaks 'tainted: 262144' \
		-- sh -c 'echo 262144 >/proc/sys/kernel/tainted'
}

# Of ten leaks; an address that is left somewhere hides one.
test_debug_kernel()
{
	local what reason name
	while IFS='|' read -r what reason name; do
		check "$name is seen" trouble "$what" "$reason" -t 300
	done <<-END
		leak|memory leaked: [0-9]* objects|a memory leak
		deadlock|possible circular locking|a lock order that may deadlock
		nesting|Invalid wait context|a sleeping lock of PREEMPT_RT in a spinning one
		unseen|lockdep has stopped|that lockdep looks no more
		sleep|sleeping function called|sleeping in atomic context
		rcu|suspicious|RCU without its lock
		use-after-free|KASAN.*use-after-free|a use after free
		shift|UBSAN|undefined behaviour
	END
}

"$TOP/scripts/kernel.sh" fetch "$kernel" &&
	trouble=$("$TOP/scripts/module.sh" -s "$TOP/tests/qemu/testmod" \
		-d "$O/testmod/$kernel" "$kernel") || exit 1
echo "TAP version 13"
case ${1:-} in
debug)	test_debug_kernel ;;
kcsan)	test_kcsan_kernel ;;
patched) test_patched_kernel ;;
*)
	test_passing_through
	test_options
	test_icount
	test_guests_gone_wrong
	test_time_of_others
	test_which_qemu
	test_races_on_console
	test_wrong_use
	;;
esac
tap_end
