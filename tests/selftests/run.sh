#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Runs the selftests, in a guest with the module loaded, and prints one KTAP
# stream: a test for each program, with the program's own tests nested in it.
#
#	run.sh [PROGRAM...]
#
# Environment: CPUS, the number of CPUs there must be; ICOUNT=1, instructions
# are the clock; SLOW=1, the slow tests too; SLOWNESS=N, the kernel is N times
# slower than usual.
#
# A program without a complete plan has failed. Whether a test may be skipped
# is for the caller to judge: tests/suite.sh does, with its list of skips.
# Exit status: 0 no failures, 1 failures, 2 nothing could be run.

here=$(cd "$(dirname "$0")" && pwd)
limit=$((${LIMIT:-600} * ${SLOWNESS:-1}))
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
passed=0 failed=0 skipped=0

die()
{
	echo "Bail out! $*"
	exit 2
}

# The results of a program, from its output: pass, fail and skip; a number
# that is not what was planned is one more failure.
count()
{
	awk '
	BEGIN { planned = -1 }
	/^1\.\.[0-9]+$/ { planned = substr($0, 4) + 0 }
	/^ok .* # SKIP / { skip++; next }
	/^ok / { pass++ }
	/^not ok / { fail++ }
	END {
		if (planned != pass + fail + skip)
			fail++
		print pass + 0, fail + 0, skip + 0, planned
	}' "$1"
}

# report NUMBER PROGRAM STATUS: the verdict over one program.
report()
{
	# shellcheck disable=SC2046 # four numbers
	set -- "$@" $(count "$work/output")
	passed=$((passed + $4)) failed=$((failed + $5)) skipped=$((skipped + $6))
	if [ "$3" = 124 ] || [ "$3" = 143 ]; then
		echo "# $2 did not end within $limit seconds"
	elif [ $(($4 + $5 + $6)) -lt "$7" ]; then
		echo "# $2 planned $7 tests and ended early, with status $3"
	fi
	if [ "$5" != 0 ] || { [ "$3" != 0 ] && [ "$3" != 4 ]; }; then
		[ "$5" != 0 ] || failed=$((failed + 1))
		echo "not ok $1 $2"
	elif [ "$3" = 4 ]; then
		echo "ok $1 $2 # SKIP all of its tests"
	else
		echo "ok $1 $2"
	fi
}

# The output appears as it comes, indented, and is kept.
run()
{
	: >"$work/output"
	{
		timeout "$limit" "$here/$2"
		echo $? >"$work/status"
	} 2>&1 </dev/null | tee "$work/output" | while IFS= read -r line; do
		echo "    $line"
	done
	report "$1" "$2" "$(cat "$work/status")"
}

# shellcheck disable=SC2046 # one word per program
[ $# -gt 0 ] || set -- $(cat "$here/programs")
[ $# -gt 0 ] || die "no programs in $here"
[ -c "${DEVICE:=/dev/profil}" ] || die "no $DEVICE: is the module loaded?"
[ -z "$CPUS" ] || [ "$(nproc)" = "$CPUS" ] || die "$(nproc) CPUs instead of $CPUS"

echo "KTAP version 1"
echo "1..$#"
number=0
for program; do
	number=$((number + 1))
	run $number "$program"
done
echo "# Totals: pass:$passed fail:$failed skip:$skipped"
[ $failed = 0 ]
