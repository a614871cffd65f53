# SPDX-License-Identifier: LGPL-2.1-or-later
# shellcheck shell=bash disable=SC2154
#
# Sees to it that a guest comes to an end. Sourced by run.sh, which sets $WORK,
# $seconds, $icount and $readers.

# How long a guest may be silent before somebody looks at it, in seconds.
PATIENCE=${PATIENCE:-60}

# starved PID: sets $starved to the microseconds for which the thread of it that
# has waited most for a CPU of this machine has done so since the last call.
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

# All that it has written, to whatever.
output_size()
{
	local reader
	{
		stat -c %s "$WORK/console" "$WORK/report"
		for reader in "${readers[@]}"; do
			sed -n 's/^rchar: //p' "/proc/$reader/io"
		done
	} 2>/dev/null | paste -sd ' '
}

# pass_time PID: a second or so. Adds to $spent and $silent the microseconds in
# which the guest could have run: on a machine that has other things to do, no
# guest is out of time because others had it.
pass_time()
{
	local now size passed
	sleep 1
	now=${EPOCHREALTIME/[.,]/}
	size=$(output_size)
	starved "$1"
	passed=$((now - before - starved))
	[ $passed -ge 0 ] || passed=0
	before=$now
	spent=$((spent + passed))
	silent=$((silent + passed))
	[ "$size" = "$written" ] || silent=0
	written=$size
}

# Is this beyond doubt a guest that nothing comes of?
hopeless()
{
	[[ $1 = QEMU\ hangs* || $1 = *"with interrupts off"* ]]
}

# watch_guest PID: ends it when its time is over; or before, if it has been
# silent and two looks at it find that it hangs. (Looks stop its CPUs; there are
# none where instructions are counted, or that are not x86.)
watch_guest()
{
	local spent=0 silent=0 patience=$PATIENCE before=${EPOCHREALTIME/[.,]/}
	local written='' verdict='' age
	age=$(born "$1") || return 0
	qmp_open
	starved "$1"
	while is_ours "$1"; do
		pass_time "$1"
		if [ "$spent" -ge $((seconds * 1000000)) ] ||
		   [ $SECONDS -ge $((seconds * 10)) ]; then
			verdict=$(diagnose "$1")
			break
		fi
		if [ -n "$icount$CROSS" ] || [ $silent -lt $((patience * 1000000)) ]; then
			continue
		fi
		patience=$((patience * 2))
		verdict=$(diagnose "$1")
		! hopeless "$verdict" || verdict=$(diagnose "$1")
		! hopeless "$verdict" || break
	done
	! is_ours "$1" || end_guest "$1"
}

# An NMI makes the kernel show what its tasks are doing, and panic; a guest
# that does not even do that is killed.
end_guest()
{
	local end
	echo "$verdict" >"$WORK/verdict"
	[ "$spent" -lt $((seconds * 1000000)) ] || : >"$WORK/timed-out"
	spent=0
	if [[ $verdict != QEMU\ hangs* ]]; then
		qmp inject-nmi >/dev/null || true
		end=$((SECONDS + 120))
		while is_ours "$1" && [ "$spent" -lt 15000000 ] &&
		      [ $SECONDS -lt $end ]; do
			pass_time "$1"
		done
	fi
	! is_ours "$1" || kill -9 "$1"
}

# born PID: when it was.
born()
{
	local stat
	read -r stat <"/proc/$1/stat" || return
	# The second field is a name in parentheses.
	cut -d' ' -f20 <<<"${stat##*) }"
} 2>/dev/null

# A number may belong to another process by now; that has not the same age.
is_ours() { [ -n "$age" ] && [ "$(born "$1")" = "$age" ]; }
