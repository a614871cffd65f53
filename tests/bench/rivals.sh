#!/bin/busybox sh
# shellcheck shell=dash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Runs inside the guest: the same work by itself and in each profiler, and prints
# lines of what was measured, whose, and how much, tabs between them:
#
#	second	NAME N	instructions in addition, in a second of CPU time
#	sample	NAME N	the same, divided by the samples
#	start	NAME N	in addition, once: start, end, and memory that is brought in
#	factor	NAME N	of those that take many times as long, in hundredths
#	OPERATION NAME N	as operations.c has them
#
# BENCH is where the programs are, PROFILER gperftools' library.

export LC_ALL=C
BENCH=${BENCH:?} PROFILER=${PROFILER:?}
cd "$OUT" || exit 1

# Of the load, in millions of instructions, which are milliseconds; and less for what
# takes many times as long.
WORK=500
LITTLE=10

row() { printf '%s\t%s\t%s\n' "$@"; }

# work COMMAND... MILLIONS: what that took: the least of three times, as what else the
# kernel has to do only adds to it.
work()
{
	sleep 1
	for _ in 1 2 3; do
		"$@" 2>/dev/null | tail -n 1
	done | sort -n | head -n 1
}

# whole COMMAND...: from its start to its end, without work.
whole() { "$BENCH/operations" "$@" 0 2>/dev/null | tail -n 1; }

# rival NAME COMMAND...: which takes 1,000 samples per second. What twice the work takes
# more, it takes each time; the rest of what the first half takes, it takes once.
rival()
{
	local name=$1 took each
	shift
	took=$(($(work "$@" $WORK) - plain))
	each=$(($(work "$@" $((2 * WORK))) - plain_twice - took))
	row second "$name" $((each * 1000 / WORK))
	row sample "$name" $((each / WORK))
	row start "$name" $(($(whole "$@") - plain_whole + took - each))
}

factor()
{
	local name=$1 took
	shift
	took=$(work "$@" $LITTLE)
	row factor "$name" $((took * 100 / (plain * LITTLE / WORK)))
}

# operations NAME COMMAND...
operations()
{
	local name=$1
	shift
	"$@" "$BENCH/operations" "$BENCH/load" 2>/dev/null |
		while IFS="$(printf '\t')" read -r what took; do
			row "$what" "$name" "$took"
		done
}

by_gperftools() { env LD_PRELOAD="$PROFILER" CPUPROFILE="$OUT/gperf" \
	CPUPROFILE_FREQUENCY=1000 CPUPROFILE_REALTIME=1 "$@"; }

# Interrupts are as long as instructions are many: that is no reason to have fewer.
echo 0 >/proc/sys/kernel/perf_cpu_time_max_percent
load=$BENCH/load
plain=$(work "$load" $WORK)
plain_twice=$(work "$load" $((2 * WORK)))
plain_whole=$(whole "$load")
# Looking up names is a report.
profil=/usr/local/bin/profil

rival "profil --no-stacks" $profil -q --no-names --no-stacks -o profile "$load"
rival profil $profil -q --no-names -o profile "$load"
rival gperftools /bin/busybox env LD_PRELOAD="$PROFILER" CPUPROFILE="$OUT/gperf" \
	CPUPROFILE_FREQUENCY=1000 CPUPROFILE_REALTIME=1 "$load"
rival "perf record" /usr/bin/perf record -q -e cpu-clock -c 1000000 -o perf.data "$load"
rival "perf record, frame pointers" /usr/bin/perf record -q -e cpu-clock -c 1000000 \
	-o perf.data --call-graph fp "$load"
rival "perf record, dwarf" /usr/bin/perf record -q -e cpu-clock -c 1000000 \
	-o perf.data --call-graph dwarf "$load"
factor "gcc -pg" "$BENCH/load-pg"
factor "valgrind --tool=none" /usr/bin/valgrind -q --tool=none "$load"
factor "valgrind --tool=callgrind" /usr/bin/valgrind -q --tool=callgrind \
	--callgrind-out-file=/dev/null "$load"

operations nothing
operations profil $profil -q --no-names -o profile
operations "profil -w" $profil -q -w --no-names -o profile
operations "perf record, switches" /usr/bin/perf record -q -e sched:sched_switch \
	--call-graph fp -m 8192 -o perf.data
operations "perf record" /usr/bin/perf record -q -e cpu-clock -c 1000000 -o perf.data
operations gperftools by_gperftools
