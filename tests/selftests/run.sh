#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Runs the selftests, in a guest with the module loaded, and prints one KTAP
# stream: a test for each program, with the program's own tests nested in it.
#
#	run.sh [PROGRAM...]
#
# Environment: CPUS=N, the guest must have N CPUs; ICOUNT=1, the guest's clock counts
# instructions; IRQTIME=1, the kernel measures the time of interrupts; SLOWNESS=N, the
# kernel is N times slower than usual.
#
# Whether plans are kept, and what may be skipped, is for the caller to say, as
# tests/flatten.pl and tests/run.pl do. Exit status: 0 no failures, 1 failures, 2 nothing
# could be run.

here=$(cd "$(dirname "$0")" && pwd)
limit=$((${LIMIT:-600} * ${SLOWNESS:-1}))
number=0 failed=0

die()
{
	echo "Bail out! $*"
	exit 2
}

# Indents the output of a program as it comes. The last line is the program's status.
nest()
{
	awk '
	NR > 1 { print "    " status }
	{ status = $0; fflush() }
	END {
		if (status == 124 || status == 143)
			print "# did not end in time"
		exit status
	}'
}

# shellcheck disable=SC2046 # one word per program
[ $# -gt 0 ] || set -- $(cat "$here/programs")
[ $# -gt 0 ] || die "no programs in $here"
[ -c "${DEVICE:=/dev/profil}" ] || die "no $DEVICE: is the module loaded?"
[ -z "$CPUS" ] || [ "$(nproc)" = "$CPUS" ] || die "$(nproc) CPUs instead of $CPUS"

echo "KTAP version 1"
echo "1..$#"
for program; do
	number=$((number + 1))
	{ timeout "$limit" "$here/$program" 2>&1 </dev/null; echo $?; } | nest
	case $? in
	0) echo "ok $number $program" ;;
	4) echo "ok $number $program # SKIP all of its tests" ;;
	*) echo "not ok $number $program"; failed=1 ;;
	esac
done
exit $failed
