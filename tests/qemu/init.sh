#!/bin/busybox sh
# shellcheck shell=dash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Process 1 of a guest that run.sh made: loads the module, runs the command,
# and reports on its own serial port. The report ends with a line "end" that
# nobody writes unless everything before it was done.
#
# ttyS0 console, ttyS1 report, ttyS2 stdout and ttyS3 stderr of the command.

export PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
export HOME=/root TERM=vt100 LANG=C

# Changing a terminal's setting waits until all that was written to it is sent.
DRAIN="stty 115200"

report() { echo "$*" >&3; }
fail() { report "fail $*"; }

mount_all()
{
	busybox mount -t proc proc /proc
	# It fails where another program has an applet's name.
	busybox --install -s 2>/dev/null
	mount -t sysfs sysfs /sys
	mount -t devtmpfs devtmpfs /dev 2>/dev/null
	mkdir -p /dev/pts /dev/shm
	mount -t devpts devpts /dev/pts
	mount -t tmpfs -o mode=1777 tmpfs /dev/shm
	mount -t debugfs debugfs /sys/kernel/debug 2>/dev/null
	mount -t tracefs tracefs /sys/kernel/tracing 2>/dev/null
	ln -sf /proc/self/fd /dev/fd
	ln -sf /proc/self/fd/0 /dev/stdin
	ln -sf /proc/self/fd/1 /dev/stdout
	ln -sf /proc/self/fd/2 /dev/stderr
}

# Serial ports that carry bytes, not lines.
open_ports()
{
	local port
	for port in 1 2 3; do
		stty -F /dev/ttyS$port raw -echo -echoe -echok 115200
	done
	exec 3>/dev/ttyS1
}

# The kernel only says more than usual about a guest that is stuck.
set_limits()
{
	local verbose
	echo 1 >/proc/sys/kernel/panic_on_rcu_stall
	# A failure that was asked for is no complaint.
	for verbose in /sys/kernel/debug/fail*/verbose; do
		echo 0 >"$verbose"
	done
} 2>/dev/null

check_cpus()
{
	local cpus
	cpus=$(grep -c ^processor /proc/cpuinfo)
	# shellcheck disable=SC2153 # from the configuration
	[ "$cpus" = "$CPUS" ] || fail "guest has $cpus CPUs instead of $CPUS"
}

load_modules()
{
	# shellcheck disable=SC2086 # one word per module
	insmod_once $MODULES
	# shellcheck disable=SC2086 # one word per parameter
	[ -z "$LOAD" ] || insmod "$LOAD" $PARAMETERS || fail "cannot load $LOAD $PARAMETERS"
	# What the rule of udev does where there is one.
	[ ! -e /dev/profil ] || chmod 0666 /dev/profil
}

# Processes that the command left behind would keep the module busy and the ports
# open. Kernel threads have no executable.
kill_leftovers()
{
	local exe pid
	for exe in /proc/[0-9]*/exe; do
		pid=${exe#/proc/}
		pid=${pid%/exe}
		case " 1 $OUT_CAT $ERR_CAT " in
		*" $pid "*) continue ;;
		esac
		readlink "$exe" >/dev/null && kill -9 "$pid"
	done 2>/dev/null
}

# The command writes to pipes, as it would in a pipeline on any machine.
run_command()
{
	local status
	mkfifo /.guest/out /.guest/err
	cat </.guest/out >/dev/ttyS2 3>&- &
	OUT_CAT=$!
	cat </.guest/err >/dev/ttyS3 3>&- &
	ERR_CAT=$!
	mkdir -p "$OUT"
	(
		exec 3>&-
		cd "$DIRECTORY" || exit 126
		# shellcheck source=/dev/null
		. /.guest/command
	) </dev/null >/.guest/out 2>/.guest/err
	status=$?
	kill_leftovers
	wait $OUT_CAT $ERR_CAT
	report "status $status"
}

unload_module()
{
	local name
	name=$(basename "$LOAD" .ko)
	[ -n "$LOAD" ] && [ -d "/sys/module/$name" ] || return
	rmmod "$name" || fail "cannot unload $name"
}

# kmemleak needs two scans to be sure of an object, and some time to forget what just went.
check_leaks()
{
	local scan=/sys/kernel/debug/kmemleak
	[ -e $scan ] || return
	# It takes long, and a kernel that has complained has failed already.
	! dmesg | grep -q 'Call [Tt]race:' || return
	echo scan >$scan
	sleep 6
	echo scan >$scan
	[ -n "$(head -n 1 $scan)" ] || return
	head -n 60 $scan | while IFS= read -r line; do
		echo "$line" >/dev/kmsg
	done
	fail "kernel memory leaked: $(grep -c '^unreferenced' $scan) objects"
}

# 4096 and 8192: a module from outside the kernel's tree, and not signed; not where it
# is the kernel's own. 262144: tests of KUnit's. 512: a warning; KCSAN has some of its own,
# and each is on the console.
check_taint()
{
	local taint allowed=0
	[ -n "$OWN" ] || allowed=$((4096 | 8192))
	[ ! -d /sys/module/kunit ] || allowed=$((allowed | 262144))
	[ ! -e /sys/kernel/debug/kcsan ] || allowed=$((allowed | 512))
	taint=$(cat /proc/sys/kernel/tainted)
	[ $((taint & ~allowed)) = 0 ] || fail "kernel is tainted: $taint"
}

# It does where it is at a loss, or for a complaint, and says nothing of all that follows.
check_lockdep()
{
	[ ! -e /proc/lockdep_stats ] || grep -q 'debug_locks: *1$' /proc/lockdep_stats ||
		fail "lockdep has stopped"
}

# insmod_once PATH...: each module unless it is there already.
insmod_once()
{
	local name path
	for path; do
		name=$(basename "$path" .ko | tr - _)
		[ -d "/sys/module/$name" ] || insmod "$path" || fail "cannot load $path"
	done
}

# The disk is one tar archive from its first byte on.
send_output()
{
	[ -n "$DISK" ] || return
	# shellcheck disable=SC2086 # one word per module
	insmod_once $DISK_MODULES
	if ! [ -b /dev/vda ]; then
		fail "no /dev/vda to write \$OUT to: kernel without virtio_blk?"
	elif ! tar -c -C "$OUT" . | dd of=/dev/vda bs=64k 2>/dev/null || ! sync /dev/vda; then
		fail "cannot write \$OUT to the disk"
	fi
}

power_off()
{
	poweroff -f
	sleep 100
}

interactive()
{
	echo
	echo "A guest with $(uname -r), the module and profil: try \"profil PROGRAM\"."
	echo "Files of FILES= have the same paths as outside. Leave with \"exit\"."
	[ -z "$DISK" ] || echo "Copy to $OUT what you want to keep."
	mkdir -p "$OUT"
	cd "$DIRECTORY" || cd /
	# What is not sent when the first process of a terminal ends is lost.
	setsid cttyhack sh -c "sh; $DRAIN"
	exec 3>/dev/null
	send_output
	unload_module
	power_off
}

main()
{
	mount_all
	hostname guest
	ip link set lo up 2>/dev/null
	[ ! -e /sbin/ldconfig ] || /sbin/ldconfig
	# shellcheck source=/dev/null
	. /.guest/config
	if [ -n "$INTERACTIVE" ]; then
		exec 3>/dev/console
		load_modules
		interactive
	fi
	open_ports
	set_limits
	check_cpus
	load_modules
	run_command
	unload_module
	check_leaks
	send_output
	check_taint
	check_lockdep
	echo "guest: done" >/dev/kmsg
	report end
	$DRAIN </dev/ttyS1
	power_off
}

main
