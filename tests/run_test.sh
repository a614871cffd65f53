#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Tests run.pl and flatten.pl with suites that misbehave: whatever a suite does, the
# last line must say what happened. TAP.

set -uo pipefail
. "$(dirname "$0")/../scripts/common.sh"
. "$TOP/tests/tap.sh"
WORK=$(mktemp -d)
trap 'rm -rf "$WORK"' EXIT

# SUITE | last line | a line that is printed | output of the suite, and its status
table()
{
	cat <<'END'
good       | 2 passed, 0 failed | # good: 2 passed, 0 failed, 0 skipped | 1..2;ok 1 a;ok 2 b
rows       | 3 passed, 0 failed | # rows: 3 | 1..2;ok 1 a;ok 2 b;1..1;ok 1 - c
nested     | 2 passed, 0 failed | # nested: 2 | KTAP version 1;1..1;  1..2;  ok 1 a;  ok 2 b;ok 1 p
skipping   | 1 passed, 0 failed |   why: 1 in skipping | 1..2;ok 1 a;ok 2 b # SKIP why
cmocka     | 1 passed, 0 failed |   why: 1 in cmocka | 1..2;ok 1 a;not ok 2 # SKIP why
one        | 1 passed, 0 failed |   why: 1 in one | 1..2;ok 1 a;ok 2 b # SKIP why
other      | 1 passed, 1 failed | not ok other: b: skipped, and not in tests/skips: not that | 1..2;ok 1 a;ok 2 b # SKIP not that
failing    | 1 passed, 1 failed | not ok failing: a | 1..2;not ok 1 a;ok 2 b
both       | 1 passed, 1 failed | not ok both: a | 1..2;not ok 1 a;ok 2 b;exit 1
excused    | 0 passed, 1 failed | not ok excused: a | 1..1;not ok 1 a # SKIP why
later      | 0 passed, 1 failed | not ok later: a  TODO soon | 1..1;not ok 1 a # TODO soon
planless   | 1 passed, 1 failed | not ok planless: no plan for 1 results | ok 1 a
early      | 1 passed, 1 failed | not ok early: planned 3 results, got 1 | 1..3;ok 1 a
inner      | 1 passed, 1 failed | not ok inner: b | 1..1;  1..2;  ok 1 a;  not ok 2 b;not ok 1 p
outer      | 1 passed, 1 failed | not ok outer: p fails, but nothing in it does | 1..1;  1..1;  ok 1 a;not ok 1 p
bail       | 1 passed, 1 failed | not ok bail: Bail out! of it | 1..1;ok 1 a;Bail out! of it
silent     | 0 passed, 1 failed | not ok silent: no results |
status     | 1 passed, 1 failed | not ok status:*exit status 3 | 1..1;ok 1 a;exit 3
killed     | 1 passed, 1 failed | not ok killed: killed by signal 9 | 1..1;ok 1 a;sleep 1;kill -9 $$
hanging    | 1 passed, 1 failed | not ok hanging: no end after 2 s | 1..1;ok 1 a;sleep 60
comments   | 0 passed, 1 failed |   # and behind it | # before;1..1;not ok 1 a;# and behind it
said       | 0 passed, 1 failed |   on stderr | 1..1;not ok 1 a;echo on stderr >&2
END
}

# A stand-in for suite.sh.
make_suites()
{
	cat >"$WORK/suite.sh" <<-END
		#!/bin/bash
		set -o pipefail
		exec 2>"$WORK/check/\$2.log"
		. "$WORK/\$2" | "$TOP/tests/flatten.pl"
	END
	chmod +x "$WORK/suite.sh"
	echo '(skipping|cmocka|one) why' >"$WORK/skips"
}

runs()
{
	O=$WORK SUITE_SH=$WORK/suite.sh SKIPS=$WORK/skips "$TOP/tests/run.pl" -t 2 "$@" \
		>"$WORK/out" 2>&1
	status=$?
	cat "$WORK/out"
}

# behaves SUITE LAST LINE: as the table says; exits with 0 only if nothing failed.
behaves()
{
	local line found=''
	runs "$1"
	[ "$(tail -n 1 "$WORK/out")" = "$2" ] || return
	[[ $2 = *' 0 failed' ]] || [ $status = 1 ] || return
	[[ $2 != *' 0 failed' ]] || [ $status = 0 ] || return
	while IFS= read -r line; do
		# shellcheck disable=SC2053 # it is a pattern
		[[ $line != $3* ]] || found=1
	done <"$WORK/out"
	[ -n "$found" ]
}

# QEMU fails the first of its guests.
two_tries()
{
	cat >"$WORK/retried" <<-END
		echo 1..1
		[ -e "$WORK/tried" ] && { echo ok 1 a; return; }
		: >"$WORK/tried"
		: >"$WORK/check/retried.qemu"
		echo not ok 1 a
	END
	behaves retried '1 passed, 0 failed' '# QEMU itself failed, and a second guest was booted: retried'
}

one_try()
{
	runs failing
	! grep 'QEMU itself' "$WORK/out"
}

sums()
{
	runs good skipping failing
	tail -n 1 "$WORK/out" | grep -x '4 passed, 1 failed'
}

plan 25
make_suites
while IFS='|' read -r name last line output; do
	name=${name// /} last=${last# } line=${line# } output=${output# }
	tr ';' '\n' <<<"$output" | sed -E '/^(echo|exit|kill|sleep)/!{/./s/.*/echo "&"/}' \
		>"$WORK/$name"
	check "suite $name: ${last% }" behaves "$name" "${last% }" "${line% }"
done < <(table)
check "several suites are added up" sums
check "a guest that QEMU failed has a second try" two_tries
check "a guest that failed by itself has one" one_try
tap_end
