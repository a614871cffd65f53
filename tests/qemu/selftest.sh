#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Tests of run.sh, in TAP: each way in which a guest can go wrong fails the run. With
# "debug", "kcsan" or "patched": what is different with that kernel.
#
# shellcheck disable=SC2317 # check() calls them

set -uo pipefail
. "$(dirname "$0")/../../scripts/common.sh"
. "$TOP/tests/tap.sh"
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
*)	test_guests_gone_wrong ;;
esac
tap_end
