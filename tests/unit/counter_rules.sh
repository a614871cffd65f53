#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# counter_rules.sh DIRECTORY: takes the rules of kmod/counter.c away, one at a
# time, and sees that counter_order_test fails without each. TAP on stdout.

set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
top=$(cd "$here/../.." && pwd)
work=${1:?a directory for what is built}
number=0 status=0

# Not silent about a program that aborts is the shell, on its own stderr. The limit is
# of CPU time, as a busy machine may leave little of it.
passes()
{
	(ulimit -t 300; exec timeout 3600 "$1") >"$work/log" 2>&1
}

# without NAME BITS SED: is it seen, with words of BITS, that the rule is gone?
without()
{
	local source=$work/kmod/counter.c result="not ok"
	number=$((number + 1))
	rm -rf "$work"
	mkdir -p "$work/kmod"
	cp "$top"/kmod/*.h "$work/kmod/"
	sed -e "$3" "$top/kmod/counter.c" >"$source"
	if cmp -s "$source" "$top/kmod/counter.c"; then
		echo "# nothing to take away"
	elif ! make -s -C "$here" O="$work" COUNTER="$source" \
			"$work/unit/counter$2_order_test" >&2; then
		echo "# does not build"
	elif passes "$work/unit/counter$2_order_test" 2>/dev/null; then
		echo "# not seen"
	elif grep -q '^memory\|more tries' "$work/log"; then
		result=ok
	else
		sed 's/^/# /' "$work/log"
	fi
	echo "$result $number - without $1 the test fails"
	[ "$result" = ok ] || status=1
}

echo "1..8"
without "the order of loads" 64 \
	's/while (i--) {/for (i = 0; i < span->n; i++) {/'
without "the order of loads in three words" 32 \
	's/while (i--) {/for (i = 0; i < span->n; i++) {/'
without "a look at the limit when carrying" 64 \
	's/if (ends \&\& old >= .*/if (ends \&\& 0)/'
without "setting a counter that is full to its limit" 64 \
	's/err = profil_span_to_limit(span, i);/err = 0;/'
without "a look at the limit after a change" 64 \
	's/value > span->counter->limit)/0)/'
without "a carry that can be done later" 64 \
	's/return err < 0 ? PROFIL_COUNT_CARRY : err;/return err < 0 ? 0 : err;/'
without "care for what is beside a part" 64 \
	's/(old & ~part->mask) |/0 |/'
without "an end of the tries" 64 \
	's/PROFIL_CAS_TRIES, err;/1000, err;/'
exit $status
