#!/bin/busybox sh
# shellcheck shell=dash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Runs inside the guest: each of the programs in $PROGRAMS with each profiler,
# one after another. What they write stays in $OUT, for compare.py on the host.
# COMPARE is where the work is, the rest programs.

export LC_ALL=C PYTHONHASHSEED=0
cd "$OUT" || exit 1

# A prime number of nanoseconds: no program is in step with it.
PERIOD=999983

# by_perf NAME HOW COMMAND...: -m has room for what comes before it is written.
by_perf()
{
	local file=$1.$2 how=$3
	shift 3
	perf record -q -e cpu-clock -c $PERIOD --call-graph "$how" -m 8192 \
		-o "$file" "$@" >/dev/null || echo "perf: $file" >>failed
}

# program NAME COMMAND...
program()
{
	local name=$1
	shift
	case " $PROGRAMS " in
	*" $name "*) ;;
	*) return ;;
	esac
	"$@" >"$name.expected"
	profil -q -o "$name.profil" "$@" >"$name.stdout" ||
		echo "profil: $name" >>failed
	cmp -s "$name.expected" "$name.stdout" || echo "output: $name" >>failed
	by_perf "$name" dwarf dwarf "$@"
	by_perf "$name" fp fp "$@"
	# Its default clock has the tick's resolution, this one has not. Alone on
	# its CPU, a program that does not wait uses all real time.
	LD_PRELOAD=$PROFILER CPUPROFILE=$OUT/$name.gperf CPUPROFILE_FREQUENCY=1000 \
		CPUPROFILE_REALTIME=1 "$@" >/dev/null || echo "gperf: $name" >>failed
	# Those that need more than 8 KiB.
	case $name in
	sqlite3 | templates) by_perf "$name" dwarf32 dwarf,32768 "$@" ;;
	esac
}

# Interrupts are as long as instructions are many: that is no reason to have fewer.
echo 0 >/proc/sys/kernel/perf_cpu_time_max_percent
: >failed
program templates "$COMPARE/templates" 2300
program sqlite3 "$SQLITE" :memory: ".read $COMPARE/work.sql"
program python3 "$PYTHON" "$COMPARE/work.py" 70
program cc1 "$CC1" -quiet -O2 "$COMPARE/work.i" -o work.s
cat failed >&2
[ ! -s failed ]
