#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# report.sh PROFIL-REPORT: its options, as they are typed, in TAP.

set -uo pipefail
HERE=$(cd "$(dirname "$0")" && pwd)
REPORT=$1
WORK=$(mktemp -d)
trap 'rm -rf "$WORK"' EXIT
count=0

ok()
{
	local status=$?
	count=$((count + 1))
	[ $status = 0 ] || printf 'not '
	echo "ok $count - $1"
	[ $status = 0 ] || sed 's/^/# /' "$WORK/seen" | head -n 20
}

# report OPTION...: what it prints is in "seen".
report() { "$REPORT" report "$@" "$WORK/profile" >"$WORK/seen" 2>&1; }

# The samples that it counts.
samples() { sed -n 's/^\([0-9]*\) samples,.*/\1/p' "$WORK/seen"; }

# terminal COLUMNS [OPTION...]: as on a terminal so wide; the longest line of
# the tables.
terminal()
{
	python3 - "$@" <<END
import fcntl, os, pty, struct, sys, termios
columns = int(sys.argv[1])
master, slave = pty.openpty()
fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
pid = os.fork()
if pid == 0:
    os.environ.pop("COLUMNS", None)
    os.dup2(slave, 1)
    os.close(master)
    os.execv("$REPORT", ["$REPORT", "report", *sys.argv[2:], "$WORK/profile"])
os.close(slave)
text = b""
while True:
    try:
        part = os.read(master, 65536)
    except OSError:
        break
    if not part:
        break
    text += part
os.waitpid(pid, 0)
tables = text.decode().split(" samples, ")[0].split(" s of CPU time, ")[0]
print(max(len(line) for line in tables.splitlines()))
END
}

# fits COLUMNS OPTION...: no line is longer, and some are that long.
fits()
{
	local longest
	longest=$(terminal "$@")
	echo "the longest line has $longest columns of $1" >"$WORK/seen"
	[ "$longest" -le "$1" ] && [ "$longest" -ge $(($1 - 3)) ]
}

python3 "$HERE/../clients/page.py" "$WORK/profile" 30
cp -r "$WORK/profile" "$WORK/older"
python3 "$HERE/large.py" "$WORK/named" 500000 "$(type -P perl)"

echo "1..22"
report && [ "$(samples)" = 3046 ]
ok "without options it is all of it"
report --comm=server && [ "$(samples)" = 1323 ]
ok "--comm takes the processes of a name"
report --comm='[sw]*er' && [ "$(samples)" = 2646 ]
ok "and it may be a pattern"
report --pid=3 && [ "$(samples)" = 400 ]
ok "--pid takes a process"
report --function=function_1 && [ "$(samples)" = 200 ] &&
	grep -q '^100.00%  *200 .* function_1 ' "$WORK/seen"
ok "--function takes a function"
report --function='std::__detail::_Map_base*' --pid=1 && [ "$(samples)" = 476 ] &&
	grep -q "in 1 process" "$WORK/seen"
ok "two of them leave what both are about"
report -f folded --comm=worker &&
	! grep -v '^worker;' "$WORK/seen" && [ -s "$WORK/seen" ]
ok "formats have what was selected"
report --object='[[]unknown]' && [ "$(samples)" = 3046 ]
ok "--object takes an object"
! report --object=nonesuch &&
	grep -q 'no samples are of what was asked for' "$WORK/seen"
ok "what selects nothing is an error"
report --pid=x
[ $? = 2 ] && grep -q 'x is not a process ID' "$WORK/seen"
ok "a process that is no number is wrong usage"
cp -r "$WORK/profile" "$WORK/elsewhere"
sed -i 's/function_/elsewhere_/' "$WORK/elsewhere"/*.map
report "$WORK/elsewhere" -n 0 && grep -q ' 200 .* elsewhere_1 ' "$WORK/seen" &&
	grep -q ' 200 .* function_1 ' "$WORK/seen"
ok "maps are those of each profile's own directory"
"$REPORT" report -f gmon --object='perl*' -o "$WORK/gmon" "$WORK/named" \
	>"$WORK/seen" 2>&1 && [ "$(head -c 4 "$WORK/gmon")" = gmon ]
ok "--object is a pattern for gmon, too"
report -f callgrind && grep -q '^cmd: server --file=' "$WORK/seen"
ok "callgrind has the command line of what was started first"
report --diff="$WORK/older" &&
	grep -q '+0.000 s, +0.00%' "$WORK/seen" &&
	! grep -q '[+-][0-9.]*[1-9][0-9.]*  *[0-9.]*  *[+-]' "$WORK/seen"
ok "nothing has changed from a profile to itself"
"$REPORT" report --diff="$WORK/older/server.1" "$WORK/older/worker.2" \
	>"$WORK/seen" &&
	grep -q '^   0.00%   30.23%   +30.23      0.400     +0.400  ' "$WORK/seen"
ok "--diff has what is new"
report --diff="$WORK/older" -f html
[ $? = 2 ] && grep -q 'diff is text' "$WORK/seen"
ok "--diff in another format is wrong usage"
fits 80
ok "the table is as wide as a terminal of 80 columns"
fits 132 -n 0
ok "and as one of 132"
fits 61
ok "and as one of 61"
fits 100 --diff="$WORK/older"
ok "so is a difference"
report -n 0 && grep -q 'std::basic_string<char> const&)' "$WORK/seen"
ok "where there is no terminal, names are whole"
! report -f folded -o "$WORK/older/sh.3" &&
	grep -q 'sh.3 is a profile' "$WORK/seen" &&
	cmp -s "$WORK/older/sh.3" "$WORK/profile/sh.3"
ok "a profile is not written over by a report"
