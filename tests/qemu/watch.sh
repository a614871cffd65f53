# SPDX-License-Identifier: LGPL-2.1-or-later
# shellcheck shell=bash disable=SC2154
#
# Ends a guest whose time is over. Sourced by run.sh, which sets $WORK, $seconds and
# $QEMU_ARCH.

# starved PID: sets $starved to the microseconds for which the thread of PID that
# waited longest for a CPU of this machine has done so since the last call.
declare -A had_waited
starved()
{
	local task waited
	starved=0
	for task in /proc/"$1"/task/*; do
		read -r _ waited _ <"$task/schedstat" || continue
		waited=$((waited / 1000 - ${had_waited[$task]:-0}))
		had_waited[$task]=$((${had_waited[$task]:-0} + waited))
		[ $waited -le $starved ] || starved=$waited
	done 2>/dev/null
}

# run_for PID SECONDS: waits until PID ends, or could have run for that long: on a busy
# machine no guest is out of time because others had it. Fails if it has not ended.
run_for()
{
	local spent=0 before=${EPOCHREALTIME/[.,]/} now end=$((SECONDS + 10 * $2))
	starved "$1"
	while kill -0 "$1" 2>/dev/null; do
		[ $spent -lt $(($2 * 1000000)) ] && [ $SECONDS -lt $end ] || return
		sleep 1
		now=${EPOCHREALTIME/[.,]/}
		starved "$1"
		[ $((now - before)) -le "$starved" ] || spent=$((spent + now - before - starved))
		before=$now
	done
}

# The threads of QEMU, and what each waits for in this machine's kernel.
show_threads()
{
	local task
	echo "--- QEMU's threads:"
	for task in /proc/"$1"/task/*; do
		echo "$(cat "$task/comm"): $(sed 's/.*) \(.\).*/state \1/' "$task/stat")," \
			"wchan $(cat "$task/wchan"), syscall $(cat "$task/syscall")"
	done 2>/dev/null
}

# watch_guest PID: at the end of its time, an NMI makes the kernel show what its tasks
# are doing, and panic, whatever it hangs in. If that has no effect, QEMU hangs.
watch_guest()
{
	local monitor answers
	# shellcheck disable=SC2034 # nobody reads the answers, but they need a reader
	exec {monitor}<>"$WORK/monitor.in" {answers}<>"$WORK/monitor.out"
	! run_for "$1" "$seconds" || return 0
	: >"$WORK/timed-out"
	if [ "$QEMU_ARCH" = x86_64 ]; then
		echo nmi >&"$monitor"
		! run_for "$1" 20 || return 0
		show_threads "$1" >"$WORK/threads"
	fi
	kill -9 "$1"
}
