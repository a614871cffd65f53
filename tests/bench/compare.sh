#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# What profiling costs beside other profilers, in TAP, and how that grows: boots a
# guest whose clock counts instructions for rivals.sh, one for profil-curves, and
# one with 8 CPUs for profil-cpus.
# What they print is in O/rivals.
#
#   tests/bench/compare.sh		the tests
#   tests/bench/compare.sh draw		and docs/performance.svg is drawn anew
#
# K in the environment is the kernel. "make rivals" has been run.

set -euo pipefail
. "$(dirname "$0")/../../scripts/common.sh"
BENCH=$O/bench
RIVALS=$O/rivals
K=${K:-6.1}

guest() { "$TOP/tests/qemu/run.sh" -k "$K" -i -m 3G -t 1500 "$@"; }

run_rivals()
{
	local profiler
	profiler=$(/sbin/ldconfig -p | awk '/libprofiler\.so\.0 / && !n++ { print $NF }')
	[ -n "$profiler" ] || profiler=/usr/lib/x86_64-linux-gnu/libprofiler.so.0
	guest -f "$BENCH" -f "$profiler" -f "$(type -P perf)" -f "$(type -P valgrind)" \
		-f "$(type -P valgrind.bin)" \
		-f /usr/libexec/valgrind -f /bin/busybox \
		-e BENCH="$BENCH" -e PROFILER="$profiler" -- "$BENCH/rivals.sh"
}

# value WHAT NAME
value()
{
	awk -F '\t' -v what="$1" -v name="$2" '$1 == what && $2 == name { print $3 }' \
		"$RIVALS/rivals"
}

number=0 failed=0

# verdict STATUS TEXT
verdict()
{
	number=$((number + 1))
	[ "$1" = 0 ] || { failed=1; printf 'not '; }
	echo "ok $number - $2"
}

# at_most WHAT NAME OTHER N: N hundredths of what the other has.
at_most()
{
	local ours theirs
	ours=$(value "$1" "$2") theirs=$(value "$1" "$3")
	verdict $((${ours:-0} <= 0 || ${theirs:-0} <= 0 || ours * 100 > theirs * $4)) \
		"$1: $2 ${ours:-?}, $3 ${theirs:-?}, at most $4 %"
}

judge()
{
	local rival name least most
	for rival in gperftools "timer_create()"; do
		at_most sample "profil --no-stacks" "$rival" 50
	done
	at_most sample "profil --no-stacks" "perf record" 75
	at_most sample profil "perf record, frame pointers" 105
	for rival in "perf record, dwarf" gperftools; do
		at_most sample profil "$rival" 25
	done
	for rival in "perf record" gperftools; do
		at_most start profil "$rival" 20
	done
	for name in "context switch" thread; do
		at_most "$name" profil nothing 105
	done
	at_most "fork and exit" profil gperftools 150
	at_most "start of a program" profil gperftools 20
	for name in regions threads processes CPUs; do
		least=$(awk -F '\t' -v c=$name '$1 == c { print $3; exit }' "$RIVALS/curves")
		most=$(awk -F '\t' -v c=$name '$1 == c { n = $3 } END { print n }' \
			"$RIVALS/curves")
		verdict $((${least:-0} <= 0 || ${most:-0} - least > 60 ||
			$(grep -c "^$name" "$RIVALS/curves") < 2)) \
			"a tick with 1 of the $name ${least:-?}, with many ${most:-?}"
	done
}

mkdir -p "$RIVALS"
run_rivals >"$RIVALS/rivals"
guest -- "$BENCH/profil-curves" >"$RIVALS/curves"
guest -c 8 -- "$BENCH/profil-cpus" >>"$RIVALS/curves"
echo "TAP version 13"
sed 's/^/# /' "$RIVALS/rivals" "$RIVALS/curves"
judge
echo "1..$number"
[ "${1:-}" != draw ] ||
	awk -f "$TOP/tests/bench/draw.awk" "$RIVALS/curves" >"$TOP/docs/performance.svg"
exit $failed
