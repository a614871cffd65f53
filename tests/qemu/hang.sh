# SPDX-License-Identifier: LGPL-2.1-or-later
# shellcheck shell=bash
#
# What a guest that does not go on is doing: each CPU's registers, several
# times, through QEMU's monitor; addresses become names; and one line says
# whether it is QEMU that hangs, or the kernel, or neither. Sourced by run.sh,
# which sets $WORK, $ROOT, $HERE and $kernel.

SAMPLES=5
# For one answer of the monitor. It waits for no more than the end of a piece
# of translated code, but a busy machine may take its time for that.
ANSWER=30

# --- the monitor (QMP) ----------------------------------------------------------

qmp_open()
{
	# For both directions, so that neither waits for the other end.
	exec {QMP_IN}<>"$WORK/monitor.in" {QMP_OUT}<>"$WORK/monitor.out"
	qmp_id=0
	# It reads this when it is up.
	echo '{"execute":"qmp_capabilities"}' >&"$QMP_IN"
}

# qmp COMMAND [ARGUMENTS]: its answer; fails if there is none in time. What
# came too late for an earlier command is passed over.
qmp()
{
	local line end=$((SECONDS + ANSWER))
	qmp_id=$((qmp_id + 1))
	printf '{"execute":"%s","arguments":{%s},"id":"%s-%s"}\n' \
		"$1" "${2:-}" "$BASHPID" $qmp_id >&"$QMP_IN"
	while [ $SECONDS -lt $end ] &&
	      read -r -t $((end - SECONDS)) -u "$QMP_OUT" line; do
		if [[ $line = *"\"id\": \"$BASHPID-$qmp_id\""* ]]; then
			printf '%s\n' "$line"
			return
		fi
	done
	return 1
}

# hmp COMMAND [CPU]: what QEMU's monitor for people says to it.
hmp()
{
	qmp human-monitor-command \
		"\"command-line\":\"$1\"${2:+,\"cpu-index\":$2}" |
		sed 's/.*"return": "//; s/", "id": .*//; s/"}$//
			s/\\r//g; s/\\n/\n/g; s/\\"/"/g'
}

# --- samples --------------------------------------------------------------------

# "CPU RIP CPL HALTED IF" for each CPU of "info registers -a".
registers()
{
	awk '
		/^CPU#/ { cpu = substr($0, 5) + 0 }
		/^RIP=/ {
			for (i = 1; i <= NF; i++) {
				n = index($i, "=")
				v[substr($i, 1, n - 1)] = substr($i, n + 1)
			}
			flag = substr(v["RFL"], length(v["RFL"]) - 2, 1)
			print cpu, v["RIP"], v["CPL"], v["HLT"],
				flag ~ /[2367abef]/
		}'
}

# "CPU NANOSECONDS" that each CPU's thread has run, or has waited to run: one
# that shows neither is asleep.
thread_times()
{
	local task name
	for task in /proc/"$1"/task/*; do
		read -r name <"$task/comm"
		case $name in
		CPU\ */TCG) name=${name#CPU } name=${name%/*} ;;
		ALL\ CPUs/TCG) name=all ;;
		*) continue ;;
		esac
		echo "$name $(awk '{ print $1 + $2 }' "$task/schedstat")"
	done 2>/dev/null
}

# One sample. The CPUs are stopped for it: only then are the registers those of
# one moment, and a CPU whose thread is caught inside QEMU never stops.
take_sample()
{
	qmp stop >/dev/null || return
	hmp "info registers -a" >"$WORK/registers" || return
	registers <"$WORK/registers" | while read -r cpu rip cpl rest; do
		echo "$1 $cpu $rip $cpl $rest $(name_address "$rip" "$cpl")"
	done >>"$WORK/samples"
	thread_times "$2" | sed "s/^/$1 /" >>"$WORK/times"
	qmp cont >/dev/null
}

# --- names ----------------------------------------------------------------------

# kernel_symbols: the kernel's own, sorted, in $WORK/symbols. A kernel from
# a package shows them to a guest that does nothing else: without its boot
# loader no kernel moves, so they are those of every guest.
kernel_symbols()
{
	local tree file
	[ ! -e "$WORK/symbols" ] || return 0
	: >"$WORK/symbols"
	# shellcheck disable=SC2154 # run.sh has it
	tree=$("$TOP/scripts/kernel.sh" tree "$kernel")
	file=$tree/build/System.map
	if [ ! -s "$file" ] || [ -n "${KERNEL:-}" ] || [ -z "$tree" ]; then
		file=$WORK/kallsyms
		show_symbols "$tree" >"$file" || return 0
	fi
	grep -E '^f{8}[0-9a-f]{8} [tTwWdDbB] [^ 	]*$' "$file" | sort \
		>"$WORK/symbols" || true
}

# show_symbols TREE: kept there once they are known.
show_symbols()
{
	local kept=${KERNEL:+$WORK/none}
	kept=${kept:-${1:-$WORK}/kallsyms}
	if [ ! -s "$kept" ]; then
		[ -z "${NO_SYMBOLS:-}" ] || return
		NO_SYMBOLS=1 timeout 300 "$HERE/run.sh" -n -k "$kernel" -t 120 \
			-- cat /proc/kallsyms >"$kept.$$" 2>/dev/null &&
			mv "$kept.$$" "$kept"
		rm -f "$kept.$$"
	fi
	cat "$kept" 2>/dev/null
}

symbol_address() { awk -v n="$1" '$3 == n { print $1; exit }' "$WORK/symbols"; }

# name_address RIP CPL: a function's name, "user" or the address.
name_address()
{
	local name
	if [ "$2" != 0 ]; then
		echo user
		return
	fi
	name=$(name_in_module "$1")
	[ -n "$name" ] || name=$(awk -v a="$1" '
		("" $1) > ("" a) { exit }
		$2 ~ /[tTwW]/ { n = $3 }
		END { print n }' "$WORK/symbols")
	echo "${name:-$1}"
}

# words ADDRESS COUNT: 8 bytes each, as 16 digits, of the guest's memory.
words()
{
	hmp "x /${2}gx 0x$1" 0 | sed 's/^[^:]*: //' | tr -s ' ' '\n' |
		sed -n 's/^0x//p'
}

plus() { printf '%016x' $((16#$1 + $2)); }

# Eight bytes of a word, first the lowest, as text up to the first NUL.
text()
{
	local word i byte
	for word; do
		for i in 14 12 10 8 6 4 2 0; do
			byte=${word:i:2}
			[ "$byte" != 00 ] || return 0
			# shellcheck disable=SC2059 # that is the byte
			printf "\\x$byte"
		done
	done
}

# name_in_module RIP: "function [module]", if it is in one. The kernel's list
# of modules is followed; struct module begins with state, list and name in
# every version, and the first of its words that is a page in the area of
# modules, and is followed by a size, is where its code is.
name_in_module()
{
	local head module next name count=0
	[[ $1 > ffffffffa0000000 ]] || return 0
	head=$(symbol_address modules)
	[ -n "$head" ] || return 0
	next=$(words "$head" 1)
	while [[ $next = ffff* ]] && [ "$next" != "$head" ] &&
	      [ $((count++)) -lt 200 ]; do
		module=$(plus "$next" -8)
		if mapfile -t word < <(words "$module" 128) && in_code "$1"; then
			name=$(text "${word[@]:3:7}")
			echo "$(name_in_code "$name" $((16#$1 - 16#$base)))" \
				"[$name]"
			return
		fi
		next=${word[1]:-}
	done
}

# in_code ADDRESS: is it in the code of the module whose struct is in $word?
# Sets $base.
in_code()
{
	local i size
	for ((i = 10; i < ${#word[@]} - 1; i++)); do
		base=${word[i]} size=$((16#${word[i + 1]:8}))
		if [[ $base != ffffffff[a-f]????000 ]] || [ $size = 0 ] ||
		   [ $size -ge $((1 << 24)) ]; then
			continue
		fi
		# Pages of code are the first that the module has.
		[ $((16#$1 - 16#$base)) -ge 0 ] &&
			[ $((16#$1 - 16#$base)) -lt $size ]
		return
	done
	return 1
}

# name_in_code MODULE OFFSET: its sections of code lie in the file's order.
name_in_code()
{
	local ko
	ko=$(find "$ROOT" -name "${1//_/[_-]}.ko" | head -n 1)
	[ -n "$ko" ] || { printf '+0x%x' "$2"; return; }
	{ readelf -SW "$ko"; readelf -sW "$ko"; } | sed 's/\[ */ /; s/\]//' |
	while read -r -a f; do
		case ${f[7]:-}:${f[2]:-}:${f[3]:-} in
		*:PROGBITS:*)
			[ "${f[7]}" = AX ] || continue
			[[ ${f[1]} != .init* ]] || continue
			align=${f[10]}
			at=$(((${at:-0} + align - 1) / align * align))
			if [ "$2" -ge $at ] &&
			   [ "$2" -lt $((at + 16#${f[5]})) ]; then
				section=${f[0]} offset=$(($2 - at))
			fi
			at=$((at + 16#${f[5]}))
			;;
		*:FUNC)
			[ "${f[6]}" = "${section:-}" ] &&
				[ $((16#${f[1]})) -le "$offset" ] &&
				echo "${f[1]} ${f[7]}"
			;;
		esac
	done | sort | tail -n 1 | cut -d' ' -f2
}

# --- what it means --------------------------------------------------------------

# The threads of QEMU, and what each waits for in this machine's kernel.
show_threads()
{
	local task
	echo "--- QEMU's threads:"
	for task in /proc/"$1"/task/*; do
		echo "$(cat "$task/comm"): $(sed 's/.*) \(.\).*/state \1/' \
			"$task/stat"), wchan $(cat "$task/wchan")," \
			"syscall $(cat "$task/syscall"), ran/waited/slices" \
			"$(cat "$task/schedstat")"
		sed 's/^/  /' "$task/stack"
	done 2>/dev/null
}

# verdict: one line from all samples.
verdict()
{
	awk -v samples="$SAMPLES" '
		FILENAME == ARGV[1] { time[$1, $2] = $3; next }
		{
			cpu = $2
			where = $7 ($8 != "" ? " " $8 : "")
			n[cpu]++
			if (n[cpu] == 1) { at[cpu] = where; rip[cpu] = $3 }
			if (at[cpu] != where) moves[cpu] = 1
			if (rip[cpu] != $3) steps[cpu] = 1
			if ($5 == 1) halted[cpu]++
			if ($4 != 0) user[cpu]++
			if ($6 == 1) open[cpu]++
		}
		function ran(cpu) {
			if (!((1, cpu) in time))
				cpu = "all"
			return time[samples, cpu] != time[1, cpu]
		}
		END {
			for (cpu = 0; cpu in n; cpu++) {
				if (halted[cpu] == n[cpu]) { idle++; continue }
				if (halted[cpu] || user[cpu]) continue
				if (!steps[cpu] && !ran(cpu))
					dead = dead ", CPU " cpu " at " at[cpu]
				else if (!moves[cpu])
					stuck = stuck ", CPU " cpu " in " at[cpu] \
						(open[cpu] ? "" : \
						 " with interrupts off")
			}
			if (dead != "")
				print "QEMU hangs: it does not run" substr(dead, 2)
			else if (stuck != "")
				print "the kernel hangs:" substr(stuck, 2)
			else if (idle == cpu)
				print "every CPU is idle"
			else
				print "its CPUs go on"
		}' "$WORK/times" "$WORK/samples"
}

# diagnose PID: the verdict; what it comes from is left in $WORK/diagnosis.
diagnose()
{
	local i
	: >"$WORK/samples"
	: >"$WORK/times"
	if grep -q '^State:.T' "/proc/$1/status"; then
		echo "QEMU hangs: somebody has stopped it"
	elif ! qmp query-status >/dev/null; then
		echo "QEMU hangs: its monitor does not answer"
	else
		kernel_symbols
		for ((i = 1; i <= SAMPLES; i++)); do
			if ! take_sample $i "$1"; then
				echo "QEMU hangs: a CPU's thread does not stop"
				break
			fi
			sleep 1
		done
		[ $i -le $SAMPLES ] || verdict
	fi
	{
		echo "--- samples (number, CPU, RIP, CPL, halted, interrupts on, where):"
		cat "$WORK/samples"
		[ ! -s "$WORK/registers" ] || {
			echo "--- the last registers:"
			grep -vE '^(XMM|YMM|FPR|FCW|[EFC]S |[DGS]S )' \
				"$WORK/registers"
		}
		show_threads "$1"
	} >"$WORK/diagnosis"
}
