#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Boots a guest with the module loaded and what "make install" installs, runs a
# command there, and is as good as the command itself: same output, same exit
# status. Whatever goes wrong with the guest is exit status 125.

set -euo pipefail
. "$(dirname "$0")/../../scripts/common.sh"
HERE=$TOP/tests/qemu
. "$HERE/watch.sh"

usage()
{
	cat <<END
usage: tests/qemu/run.sh [options] -- COMMAND [ARG...]

Runs COMMAND in a QEMU guest that has the module loaded, and the library and the
command profil installed. Its own files come along. Prints its output, exits with
its status.

  -k KERNEL   kernel, 6.1 by default: $PACKAGED_KERNELS $FURTHER_KERNELS
              $BUILT_KERNELS host; or $CROSS_KERNELS: of another machine,
              whose programs are those that scripts/cross.sh makes, and busybox's
  -c CPUS     number of CPUs (default: 2)
  -i          one CPU, and instructions are the clock: one per nanosecond;
              sets ICOUNT=1 in the command's environment. With -c behind it,
              those of all CPUs, which run in turns
  -p PARAMS   module parameters
  -n          do not load the module
  -f FILE     bring this file, program or directory, to the same path
              (repeatable)
  -d DISK     boot the system on this disk, with \$KERNEL and \$INITRD, and nothing of
              ours. systemd runs COMMAND, which reports as init.sh does
  -r DIR      lay what is in DIR into the root of the guest: programs of its machine
  -l MODULE   load this module of the kernel's package first (repeatable)
  -e NAME=VALUE  set this in the command's environment (repeatable)
  -o DIR      bring what the command leaves in \$OUT back into DIR
  -t SECONDS  time limit for all of it, not counting what other work takes from
              it on this machine (default: 120)
  -m SIZE     memory, as QEMU understands it (default: 1G, and
              2G for $CROSS_KERNELS)
  -a ARGS     more kernel command line
  -v          show the console on stderr
  -s          an interactive shell instead of a command

Exit status 125: the guest panicked, warned, leaked, hung, was tainted, had
the wrong number of CPUs or never reported. The reason is on stderr.
KERNEL=bzImage KDIR=DIRECTORY in the environment name a kernel of your own.
QEMU_FAULT=FILE: that file is made if it is QEMU that hung. QEMU= names one of
your own.
END
}

# Defaults, and what the options change.
kernel=6.1 cpus=2 icount='' parameters='' load=1 disk='' root='' output='' seconds=120
memory='' append='' verbose='' interactive=''
files=() modules=() environment=()

parse()
{
	local option
	while getopts k:c:ip:nd:f:r:l:e:o:t:m:a:vsh option; do
		case $option in
		k) kernel=$OPTARG ;;
		c) cpus=$OPTARG ;;
		i) icount=1 cpus=1 ;;
		p) parameters=$OPTARG ;;
		n) load='' ;;
		d) disk=$OPTARG ;;
		f) files+=("$OPTARG") ;;
		r) root=$OPTARG ;;
		l) modules+=("$OPTARG") ;;
		e) environment+=("$OPTARG") ;;
		o) output=$OPTARG ;;
		t) seconds=$OPTARG ;;
		m) memory=$OPTARG ;;
		a) append=$OPTARG ;;
		v) verbose=1 ;;
		s) interactive=1 ;;
		h) usage; exit 0 ;;
		*) usage >&2; exit 125 ;;
		esac
	done
	shift $((OPTIND - 1))
	if [ $# = 0 ] && [ -z "$interactive" ]; then
		usage >&2
		exit 125
	fi
	command=("$@")
	set_machine "$kernel"
	# Processes are larger where segments begin at multiples of 64k.
	memory=${memory:-$([ -n "$CROSS" ] && echo 2G || echo 1G)}
}

broken() { say "$@"; exit 125; }

# --- what goes into the guest ---------------------------------------------

quote() { local s=${1//\'/\'\\\'\'}; printf "'%s'" "$s"; }

absolute() { echo "$(cd "$(dirname "$1")" && pwd)/$(basename "$1")"; }

# put_file FILE: FILE at the same path in the guest. Fails if it is there.
declare -A have
put_file()
{
	[ -z "${have[$1]:-}" ] || return
	have[$1]=1
	[ -d "$ROOT/${1%/*}" ] || mkdir -p "$ROOT/${1%/*}"
	cp -L --preserve=mode,timestamps --remove-destination "$1" "$ROOT$1" ||
		broken "cannot read $1"
}

# put FILE: the same, with what it needs to run.
put() { is_foreign "$1" || ! put_file "$1" || put_needs "$1"; }

# Is it a program that the guest's machine cannot run, but this one?
is_foreign()
{
	[ -n "$CROSS" ] && [ "$(od -A n -t x1 -N 20 "$1" |
		awk '{ printf "%s", $0 }' | tr -d ' ' | cut -c 1-8,37-40)" = \
		7f454c463e00 ]
}

# Programs need their libraries, scripts their interpreter.
put_needs()
{
	local magic
	LC_ALL=C read -r -N 4 magic <"$1" 2>/dev/null || true
	case $magic in
	$'\x7fELF') put_libraries "$1" ;;
	'#!'*) [ ! -x "$1" ] || put_interpreter "$1" ;;
	esac
}

put_libraries()
{
	local library
	if [ -n "$CROSS" ]; then
		put_cross_libraries "$1"
		return
	fi
	while read -r library; do
		put_file "$library" || true
	# It lists what libraries need, too. Of one for another libc, it says so with "PROGRAM: ".
	done < <(ldd "$1" 2>/dev/null | awk '
		$2 == "=>" && $3 ~ /^\// { print $3; next }
		$1 ~ /^\/.*[^:]$/ { print $1 }')
	# libc opens this one when a thread is cancelled or exits.
	for library in /lib/*-linux-gnu/libgcc_s.so.1; do
		[ ! -e "$library" ] || put_file "$library" || true
	done
}

# Those of another machine are not where its programs look for them.
put_cross_libraries()
{
	local library path
	while read -r library; do
		path=$CROSS_LIBS/$library
		if [ -e "$path" ] && [ ! -e "$ROOT/lib/$library" ]; then
			cp -L "$path" "$ROOT/lib/$library"
			put_cross_libraries "$path"
		fi
	done < <("${CROSS}readelf" -d -l "$1" | sed -n \
		's/.*(NEEDED).*\[\(.*\)\]/\1/p; s/.*interpreter: .*\/\(.*\)\]/\1/p')
}

put_interpreter()
{
	local word words
	read -r words <"$1"
	# shellcheck disable=SC2086 # interpreter and its arguments
	for word in ${words#\#!}; do
		case $word in
		-*) ;;
		/*) put_program "$word" ;;
		*)  put_program "$(type -P "$word" || echo /)" ; break ;;
		esac
		[[ $word == */env ]] || break
	done
}

# What the host has not may still be one of busybox's.
put_program() { [ ! -f "$1" ] || put "$1"; }

put_argument()
{
	local path
	[ -e "$1" ] || broken "no such file: $1"
	path=$(absolute "$1")
	if [ -d "$path" ]; then
		put_directory "$path"
	else
		put "$path"
	fi
}

put_directory()
{
	local file
	mkdir -p "$ROOT$1"
	cp -a "$1/." "$ROOT$1"
	while read -r -d '' file; do
		put_needs "$file"
	done < <(find "$1" -type f \( -perm /111 -o -name '*.so*' \) -print0)
}

# in_tree PATTERN: of the packages of another machine's kernel. In /bin, or in /usr/bin.
in_tree() { find "$("$TOP/scripts/kernel.sh" tree "$kernel")" -maxdepth 3 -path "$1" | grep .; }

put_busybox()
{
	local busybox directory
	busybox=$(if [ -n "$CROSS" ]; then in_tree '*bin/busybox'; else type -P busybox; fi) ||
		broken "no busybox here"
	mkdir -p "$ROOT"/usr/{bin,sbin,lib,lib64,local/lib} "$ROOT"/{proc,sys} \
		"$ROOT"/{dev,tmp,root,etc,run,var,mnt,.guest}
	for directory in bin sbin lib lib64; do
		ln -s "usr/$directory" "$ROOT/$directory"
	done
	cp "$busybox" "$ROOT/usr/bin/busybox"
}

put_system()
{
	cp "$HERE/init.sh" "$ROOT/init"
	printf '%s:/bin/sh\n' root:x:0:0:root:/root nobody:x:65534:65534:nobody:/tmp \
		>"$ROOT/etc/passwd"
	printf 'root:x:0:\nnogroup:x:65534:\n' >"$ROOT/etc/group"
	printf '127.0.0.1 localhost guest\n' >"$ROOT/etc/hosts"
	echo "passwd: files" >"$ROOT/etc/nsswitch.conf"
	printf '/usr/local/lib\n%s\n%s\n' "/lib/$TRIPLET" \
		"/usr/lib/$TRIPLET" >"$ROOT/etc/ld.so.conf"
	chmod 1777 "$ROOT/tmp"
	put_ldconfig
}

put_ldconfig()
{
	if [ -n "$CROSS" ]; then
		cp "$(in_tree '*sbin/ldconfig')" "$ROOT/sbin/ldconfig" ||
			broken "kernel $kernel comes without ldconfig"
	else
		put /sbin/ldconfig
	fi
}

# Guests that are started side by side must not make the same files at the same time.
alone()
{
	mkdir -p "$O"
	flock "$O" "$@"
}

# What "make install" installs, but for the module, for which see below.
put_library()
{
	local part
	[ -e "$TOP/libprofil/Makefile" ] || return 0
	if [ -n "$CROSS" ]; then
		put_cross_library
		return
	fi
	for part in libprofil libprofil/preload tools; do
		alone make -s -C "$TOP/$part" O="$O" DESTDIR="$ROOT" install >&2 ||
			broken "cannot build and install $part"
	done
	for part in bin/profil libexec/profil-{report,serve}; do
		put_needs "$ROOT/usr/local/$part"
	done
}

# profil-report, and with it the libraries it needs, are not for the guest.
put_cross_library()
{
	local part made
	made=$("$TOP/scripts/cross.sh" output "$kernel")
	for part in libprofil libprofil/preload; do
		alone "$TOP/scripts/cross.sh" make "$kernel" -C "$TOP/$part" \
			DESTDIR="$ROOT" install >&2 ||
			broken "cannot build and install $part"
	done
	alone "$TOP/scripts/cross.sh" make "$kernel" -C "$TOP/tools" \
		"$made/tools/profil" >&2 || broken "cannot build the command"
	install -D "$made/tools/profil" "$ROOT/usr/local/bin/profil"
	put_cross_libraries "$ROOT/usr/local/lib/libprofil.so.1"
}

# put_module NAME: a module of the kernel's package and what it depends on;
# prints the paths in the order to load them, nothing if it is built in.
put_module()
{
	local tree release steps file
	tree=$("$TOP/scripts/kernel.sh" tree "$kernel")
	release=$("$TOP/scripts/kernel.sh" release "$kernel")
	steps=$(PATH=$PATH:/usr/sbin:/sbin modprobe -S "$release" \
		-d "${tree:-/}" --show-depends "$1" 2>/dev/null) ||
		broken "kernel $kernel has no module $1"
	while read -r file _; do
		mkdir -p "$ROOT${file%/*}"
		case $file in
		*.xz) xz -dc "$tree$file" >"$ROOT${file%.xz}" ;;
		*)    cp "$tree$file" "$ROOT$file" ;;
		esac
		echo "${file%.xz}"
	done < <(sed -n "s|^insmod $tree/*|/|p" <<<"$steps")
}

# One of the kernel's own, by the series of "make kernel-patch", if it has one.
own_module()
{
	local ko
	ko=$("$TOP/scripts/kernel.sh" build "$kernel")/drivers/misc/profil/profil.ko
	[ -e "$ko" ] || return 1
	echo "$ko"
}

# Or is it in the kernel itself?
is_built_in()
{
	grep -qs '/misc/profil/profil\.ko$' \
		"$("$TOP/scripts/kernel.sh" build "$kernel")/modules.builtin"
}

put_profil_module()
{
	local ko release variables=()
	! is_built_in || return 0
	# What widens races is off until a test asks for it.
	case $kernel in
	debug|kcsan|rt-debug) variables+=(PROFIL_DELAYS=1) ;;
	esac
	[ -z "${PROFIL_STACKS:-}" ] || variables+=("PROFIL_STACKS=$PROFIL_STACKS")
	ko=$(own_module) || ko=$("$TOP/scripts/module.sh" \
		${PROFIL_STACKS:+-d "$O/$kernel-stacks-$PROFIL_STACKS"} \
		"$kernel" "${variables[@]}") ||
		broken "cannot build the module for kernel $kernel"
	release=$("$TOP/scripts/kernel.sh" release "$kernel")
	mkdir -p "$ROOT/lib/modules/$release/extra"
	cp -L "$ko" "$ROOT/lib/modules/$release/extra/profil.ko"
	echo "/lib/modules/$release/extra/profil.ko"
}

# The command as a shell fragment that ends in exec.
write_command()
{
	local word
	{
		echo "export OUT=/out ${icount:+ICOUNT=1}"
		for word in "${environment[@]}"; do
			echo "export $(quote "$word")"
		done
		printf exec
		printf ' %s' "$(for word in "${command[@]}"; do
				quote "$word"; printf ' '; done)"
		echo
	} >"$ROOT/.guest/command"
}

write_config()
{
	local module profil loaded disk=''
	profil=$(put_profil_module)
	loaded=$(for module in "${modules[@]}"; do put_module "$module"; done)
	[ -z "$output" ] || disk=$(put_module virtio_pci; put_module virtio_blk)
	cat >"$ROOT/.guest/config" <<-END
		CPUS=$cpus
		LOAD=${load:+$profil}
		OWN=$(! { is_built_in || own_module; } >/dev/null || echo 1)
		PARAMETERS=$(quote "$parameters")
		MODULES=$(quote "${loaded//$'\n'/ }")
		DISK=${output:+1}
		DISK_MODULES=$(quote "${disk//$'\n'/ }")
		DIRECTORY=$(quote "$PWD")
		INTERACTIVE=$interactive
		OUT=/out
	END
}

# Same path as here, found as a shell here would find it.
put_command()
{
	local path
	[ -z "$interactive" ] || return 0
	# The guest has its own, whatever is installed here.
	[ "${command[0]}" != profil ] || return 0
	path=$(type -P -- "${command[0]}") || return 0
	path=$(absolute "$path")
	put "$path"
	[[ ${command[0]} != */* ]] || command[0]=$path
}

make_initramfs()
{
	local file
	put_busybox
	put_system
	[ -z "$root" ] || cp -a --remove-destination "$root/." "$ROOT"
	put_library
	put_command
	for file in "${files[@]}"; do
		put_argument "$file"
	done
	mkdir -p "$ROOT$PWD"
	write_config
	write_command
	(cd "$ROOT" && find . | cpio -o -H newc -R 0:0 --quiet) >"$WORK/initramfs"
}

# --- the guest --------------------------------------------------------------

# Told to the kernel, which could measure it wrongly: see tsc_khz.c. Where instructions are
# the clock, the kernel measures it well.
tsc_frequency()
{
	[ "$(uname -m) $(emulation)" = "x86_64 -accel tcg,thread=multi" ] || return 0
	is_cross "$kernel" ||
		echo "tsc_early_khz=$(gcc -O2 -o "$WORK/tsc_khz" "$HERE/tsc_khz.c" && "$WORK/tsc_khz")"
}

# The kernel's own watchdogs go by the wall clock, and a busy machine may leave a
# guest a tenth of a CPU: they have the patience for that.
kernel_arguments()
{
	local warnings=panic_on_warn=1
	# KCSAN's reports count as warnings, those of the kernel itself, too. And
	# CPUs that are emulated get on less while it watches one of them.
	[ "$kernel" != kcsan ] || warnings="kcsan.udelay_task=200 kcsan.udelay_interrupt=100"
	echo "$(console_arguments) panic=-1 oops=panic $warnings" \
		"softlockup_panic=1 hung_task_panic=1 log_buf_len=4M" \
		"unknown_nmi_panic panic_print=1" \
		"rcupdate.rcu_cpu_stall_timeout=200 watchdog_thresh=60" \
		"sysctl.kernel.hung_task_timeout_secs=300" \
		"no_timer_check tsc=reliable $(tsc_frequency) cryptomgr.notests rdinit=/init" \
		"$([ -n "$interactive" ] && echo quiet || echo ignore_loglevel)" \
		"$(built_in_parameters)" \
		"${disk:+root=/dev/vda rw systemd.run=${command[*]}}" "$append"
}

# Nothing is loaded there that they could be given to.
built_in_parameters()
{
	local word words
	read -r -a words <<<"$parameters"
	! is_built_in || for word in "${words[@]}"; do
		printf 'profil.%s ' "$word"
	done
}

# Not every machine's first serial port is one.
console_arguments()
{
	case $QEMU_ARCH in
	aarch64) echo console=ttyAMA0 ;;
	riscv64) echo console=ttyS0 earlycon=uart8250,mmio,0x10000000 ;;
	*)	 echo console=ttyS0 ;;
	esac
}

machine_arguments()
{
	case $QEMU_ARCH in
	# Not each CPU has tags in memory.
	aarch64) echo -machine "virt,gic-version=3,mte=$([ -n "${QEMU_CPU:-}" ] && echo off || echo on)" \
			-cpu "${QEMU_CPU:-max,pauth-impdef=on}" ;;
	riscv64) echo -machine virt -cpu "${QEMU_CPU:-rv64}" ;;
	*)	 echo -machine pc,hpet=off,i8042=off -cpu "${QEMU_CPU:-max}" ;;
	esac
}

# Which are ttyS1 to ttyS3 there, too: what is before them on the card is the
# console, or nothing.
serial_arguments()
{
	local port
	for port in console report stdout stderr; do
		arguments+=(-chardev "file,id=$port,path=$WORK/$port")
	done
	if [ -z "$CROSS" ]; then
		for port in console report stdout stderr; do
			arguments+=(-serial "chardev:$port")
		done
		return
	fi
	# shellcheck disable=SC2054 # QEMU's commas
	arguments+=(-serial chardev:console -chardev null,id=nothing
		-device "pci-serial-4x,$(card)")
}

card()
{
	if [ "$QEMU_ARCH" = riscv64 ]; then
		echo chardev1=report,chardev2=stdout,chardev3=stderr,chardev4=nothing
	else
		echo chardev1=nothing,chardev2=report,chardev3=stdout,chardev4=stderr
	fi
}

# How the CPUs are emulated: at the same time; or, where instructions are the
# clock, in turns. The debug kernel is so slow that timers by the wall clock leave
# it no time for anything else.
emulation()
{
	if [ -n "$icount" ] || [ "$kernel" = debug ]; then
		echo -accel tcg,thread=single -icount shift=0,sleep=off \
			-rtc base=2026-01-01,clock=vm
	else
		echo -accel tcg,thread=multi
	fi
}

qemu_arguments()
{
	# shellcheck disable=SC2207 # words
	arguments=($(machine_arguments))
	arguments+=(-m "$memory" -smp "$cpus" -nodefaults -no-user-config
		-display none -no-reboot
		-kernel "$image" -initrd "${INITRD:-$WORK/initramfs}"
		-append "$(kernel_arguments)")
	# shellcheck disable=SC2207 # words
	arguments+=($(emulation))
	if [ -n "$output" ]; then
		truncate -s 4G "$WORK/disk"
		# shellcheck disable=SC2054 # QEMU's commas
		arguments+=(-drive "id=disk,if=none,format=raw,file=$WORK/disk"
			-device virtio-blk-pci,drive=disk)
	fi
	if [ -n "$interactive" ]; then
		arguments+=(-serial mon:stdio)
		return
	fi
	# shellcheck disable=SC2054
	arguments+=(-chardev "pipe,id=monitor,path=$WORK/monitor"
		-mon chardev=monitor,mode=readline -name guest,debug-threads=on)
	serial_arguments
	[ -z "$disk" ] || arguments+=(-drive "if=virtio,format=raw,cache=unsafe,file=$disk")
}

# Output appears while the command runs.
start_readers()
{
	mkfifo "$WORK/stdout" "$WORK/stderr"
	cat "$WORK/stdout" &
	readers=($!)
	cat "$WORK/stderr" >&2 &
	readers+=($!)
	: >"$WORK/console"
	[ -z "$verbose" ] && return
	tail -f -n +1 --pid=$$ "$WORK/console" >&2 &
	tail=$!
}

start_guest()
{
	local status=0
	start_readers
	mkfifo "$WORK/monitor.in" "$WORK/monitor.out"
	"${qemu_command[@]}" "${arguments[@]}" </dev/null >"$WORK/qemu" 2>&1 &
	qemu=$!
	watch_guest $qemu >"$WORK/watch" 2>&1 &
	watch=$!
	wait $qemu 2>/dev/null || status=$?
	qemu=''
	kill "$watch" 2>/dev/null || true
	watch=''
	# A QEMU that never opened the pipes would leave the readers waiting.
	: <>"$WORK/stdout" <>"$WORK/stderr"
	wait "${readers[@]}"
	[ -z "${tail:-}" ] || sleep 1
	return $status
}

# --- what became of it --------------------------------------------------------

# What a kernel prints when something is wrong with it.
SPLAT='(WARNING|BUG|UBSAN|KASAN|KCSAN|ODEBUG): |BUG: |Call [Tt]race:|Kernel panic|Oops: '
SPLAT+='|INFO: (possible|inconsistent|task|trying|rcu|NMI)|suspicious RCU|bad unlock balance'
SPLAT+='|rcu.*(stall|kthread starved)|held lock freed|general protection fault|soft lockup'
SPLAT+='|list_(add|del)|sleeping function called|scheduling while atomic|DEBUG_LOCKS_WARN'
SPLAT+='|refcount_t: |Bad page|page allocation failure|printk messages dropped'

# Races that only the kernel has with itself are not the module's fault.
sort_out_races()
{
	awk -f "$HERE/kcsan.awk" "$WORK/console" >"$WORK/console.sorted"
	mv "$WORK/console.sorted" "$WORK/console"
}

tell_races()
{
	local races
	races=$(grep -c 'KCSAN, in the kernel itself:' "$WORK/console" || true)
	[ "$races" = 0 ] || say "KCSAN reports $races data races of the kernel itself"
}

# LINE:TEXT of the first complaint on the console. What the kernel was told is
# none, whatever words that is in.
first_splat()
{
	grep -n -aE "$SPLAT" "$WORK/console" |
		grep -a -m 1 -vE 'ommand line: |stall warnings timeout set' |
		tr -d '\r' || true
}

# The console from the first complaint on; without one, its end. After a
# timeout also what each process was doing, but not the kernel's threads.
show_console()
{
	local first
	first=$(first_splat | cut -d: -f1)
	if [ -n "$first" ]; then
		echo "--- the console, from the first complaint on:"
		tail -n +"$first" "$WORK/console" | sed -n 1,80p
	else
		echo "--- the end of the console:"
		tail -n 60 "$WORK/console"
	fi | tr -d '\r'
	[ ! -e "$WORK/timed-out" ] || show_processes
	[ ! -e "$WORK/threads" ] || cat "$WORK/threads"
}

show_processes()
{
	echo "--- the processes:"
	tr -d '\r' <"$WORK/console" | awk '
		/\] task:/ { show = !/ppid:2 / }
		/\] (Sched Debug|Showing all locks|Kernel Offset)/ { show = 0 }
		show' | sed -n 1,200p
}

guest_broken()
{
	say "$1 (kernel $kernel, $cpus CPUs)"
	tell_races
	show_console >&2
	if [ -s "$WORK/qemu" ]; then
		echo "--- QEMU said:"
		cat "$WORK/qemu"
	fi >&2
	exit 125
}

report_field() { sed -n "s/^$1 //p;s/^$1\$//p" "$WORK/report" | tr -d '\r'; }

# The reason why this guest is no evidence of anything, if there is one.
reason()
{
	local status=$1 splat
	splat=$(first_splat | cut -d: -f2-)
	if [ -e "$WORK/threads" ]; then
		# The caller may try again.
		[ -z "${QEMU_FAULT:-}" ] || : >"$QEMU_FAULT"
		echo "the guest did not finish in $seconds seconds (-t): QEMU hangs"
	elif [ -e "$WORK/timed-out" ]; then
		echo "the guest did not finish in $seconds seconds (-t)"
	elif grep -qa 'Kernel panic' "$WORK/console"; then
		echo "the guest panicked: $splat"
	elif [ -n "$splat" ]; then
		echo "the guest's kernel complained: $splat"
	elif [ "$status" != 0 ]; then
		echo "QEMU failed with status $status"
	elif [ -s "$WORK/report" ] && grep -q '^fail ' "$WORK/report"; then
		report_field fail | paste -sd ';'
	elif ! grep -q '^end' "$WORK/report" 2>/dev/null ||
	     ! grep -qa 'guest: done' "$WORK/console"; then
		echo "the guest never delivered its verdict"
	elif ! [[ $(report_field status) =~ ^[0-9]+$ ]]; then
		echo "the guest reported no exit status"
	fi
}

fetch_output()
{
	[ -n "$output" ] || return 0
	mkdir -p "$output"
	tar -x -C "$output" -f "$WORK/disk" --no-same-owner 2>/dev/null
}

# shellcheck disable=SC2317 # a trap
clean_up()
{
	[ -z "${qemu:-}" ] || kill "$qemu" 2>/dev/null || true
	[ -z "${watch:-}" ] || kill "$watch" 2>/dev/null || true
	[ -z "${tail:-}" ] || kill "$tail" 2>/dev/null || true
	rm -rf "$WORK"
}

main()
{
	local status=0 why image
	parse "$@"
	WORK=$(mktemp -d "${TMPDIR:-/tmp}/guest.XXXXXX")
	ROOT=$WORK/root
	trap clean_up EXIT
	trap 'exit 130' INT TERM HUP
	"$TOP/scripts/kernel.sh" fetch "$kernel" || broken "cannot get kernel $kernel"
	"$TOP/scripts/qemu.sh" fetch "$QEMU_ARCH" || broken "cannot look for a newer QEMU"
	read -r -a qemu_command < <("$TOP/scripts/qemu.sh" command "$QEMU_ARCH")
	image=$("$TOP/scripts/kernel.sh" image "$kernel")
	[ -r "$image" ] || broken "no kernel in $image"
	[ -n "$disk" ] || make_initramfs
	qemu_arguments
	if [ -n "$interactive" ]; then
		"${qemu_command[@]}" "${arguments[@]}"
		fetch_output || broken "cannot unpack what the guest left in \$OUT"
		exit
	fi
	start_guest || status=$?
	[ "$kernel" != kcsan ] || sort_out_races
	why=$(reason "$status")
	[ -z "$why" ] || guest_broken "$why"
	fetch_output || guest_broken "cannot unpack what the guest left in \$OUT"
	tell_races
	exit "$(report_field status)"
}

main "$@"
