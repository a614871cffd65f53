#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# Shows three ways to use libprofil, on a machine where it is installed:
#
#   demo.sh [FILE...]
#
# $EXAMPLES is the directory of the built examples (default: that of this
# script). The FILEs are the input of the first example (default: the examples).
# The output also goes to $OUT (default: a new directory). Fails if a profile
# does not show where the time went, or if SIGPROF was used.
set -u
here=$(cd "$(dirname "$0")" && pwd)
EXAMPLES=${EXAMPLES:-$here}
told=${OUT:-}
OUT=${OUT:-$(mktemp -d)}
PRELOAD=${PRELOAD:-libprofil.so.1}
failed=0
[ $# -gt 0 ] ||
	set -- "$here"/*.[ch] "$EXAMPLES/selfprof" "$EXAMPLES/clockprof"

# check NAME STATUS
check() {
	if [ "$2" -eq 0 ]; then
		echo "  ok: $1"
	else
		echo "  FAILED: $1"
		failed=1
	fi
}

# hottest FILE FUNCTION PERCENT: FUNCTION leads the table, with at least PERCENT.
hottest() {
	awk -v function_="$2" -v percent="$3" '
		found { exit }
		$1 == "samples" { getline; found = 1
				  ok = $3 == function_ && $2 >= percent }
		END { exit !ok }' "$1"
}

# samples FILE ATLEAST: the table has at least ATLEAST samples in sum.
samples() {
	awk -v least="$2" '
		/percent/ { table = 1; next }
		table && $2 ~ /^[0-9.]+$/ { sum += $1 }
		END { exit !(sum >= least) }' "$1"
}

mkdir -p "$OUT"
cat "$@" >"$OUT/input.txt" || exit 2

echo "A program that profiles itself while it compresses a file"
"$EXAMPLES/selfprof" "$OUT/input.txt" >"$OUT/selfprof.txt"
check "it ran" $?
sed 's/^/    /' "$OUT/selfprof.txt"
hottest "$OUT/selfprof.txt" longest_match 40
check "its time went where its work is" $?
samples "$OUT/selfprof.txt" 100
check "at least 100 samples" $?

echo "A program that knows only libc's profil(), with LD_PRELOAD=$PRELOAD"
LD_PRELOAD=$PRELOAD "$EXAMPLES/clockprof" >"$OUT/clockprof.txt"
check "it ran" $?
sed 's/^/    /' "$OUT/clockprof.txt"
hottest "$OUT/clockprof.txt" mix 60
check "its time went where its work is" $?
samples "$OUT/clockprof.txt" 100
check "at least 100 samples" $?
grep -q '^SIGPROF: .* kept, and called 0 times' "$OUT/clockprof.txt" &&
	grep -q '^ITIMER_PROF: not armed' "$OUT/clockprof.txt"
check "libprofil leaves SIGPROF and its timer alone" $?

echo "The same program without LD_PRELOAD, for comparison"
"$EXAMPLES/clockprof" >"$OUT/clockprof-libc.txt"
check "it ran" $?
sed 's/^/    /' "$OUT/clockprof-libc.txt"
grep -q '^SIGPROF: .* replaced' "$OUT/clockprof-libc.txt" &&
	grep -q '^ITIMER_PROF: armed' "$OUT/clockprof-libc.txt"
check "libc's profil() uses both" $?

echo "An ordinary program, profiled by the command profil"
(cd "$OUT" && exec profil "$EXAMPLES/plain") >"$OUT/plain.txt" 2>"$OUT/profil.txt"
check "it ran" $?
sed 's/^/    /' "$OUT/plain.txt" "$OUT/profil.txt"
# With call stacks, the table has one more column of percentages.
awk '$1 ~ /%$/ { exit !($(4 + ($4 ~ /%$/)) == "count_steps" && $1 + 0 >= 50) }' \
	"$OUT/profil.txt"
check "its time went where its work is" $?
awk '$2 == "samples," { found = $1 >= 100 } END { exit !found }' "$OUT/profil.txt"
check "at least 100 samples" $?
profil report --html -o "$OUT/profil.html" "$OUT/profil.out" && [ -s "$OUT/profil.html" ]
check "an interactive page: profil.html" $?

[ -n "$told" ] || echo "The tables are in $OUT"
exit $failed
