#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# report.sh PROFIL-REPORT FIXTURES: its options, as they are typed, in TAP.

set -uo pipefail
HERE=$(cd "$(dirname "$0")" && pwd)
REPORT=$1
FIXTURES=$2
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
python3 -B "$HERE/large.py" "$WORK/named" 500000 "$(type -P perl)"
python3 -B "$HERE/few_stacks.py" "$WORK/few.4711"
BUSY=10 python3 -B "$HERE/few_stacks.py" "$WORK/less.4711"

# few OPTION...: the same of a profile with stacks.
few() { "$REPORT" report "$@" "$WORK/few.4711" >"$WORK/seen" 2>&1; }

# has LINE...: each is in "seen", blanks apart.
has()
{
	local line
	for line in "$@"; do
		grep -qx -e " *$line" < <(tr -s ' ' <"$WORK/seen") || return
	done
}

# wrong MESSAGE OPTION...: is wrong usage.
wrong()
{
	few "${@:2}"
	[ $? = 2 ] && grep -q -- "$1" "$WORK/seen"
}

echo "1..56"
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
[ $? = 2 ] && grep -q 'diff are text' "$WORK/seen"
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

few && has '70.00% 70 0.070 70.00% prog+0x403000 prog 0x403030' \
	'80 samples with all callers, 0 with some, 20 with none' &&
	! grep -q 'were full' "$WORK/seen"
ok "with stacks, the table has a column for what functions have called"
few --tree && has '80.00% 0.00% 80 0.080 prog+0x401000 (prog)' \
	'50.00% 50.00% 50 0.050 prog+0x403000' \
	'30.00% 0.00% 30 0.030 prog+0x404000' '30.00% 30.00% 30 0.030 \[read\]' \
	'20.00% 20.00% 20 0.020 prog+0x403000 (prog)'
ok "--tree has who called whom"
few --tree -n 2 && [ "$(grep -c '%.*prog+' "$WORK/seen")" = 2 ] &&
	has 'and 4 more calls (-n 0 shows all)'
ok "-n takes the calls with most time"
few --callers='*403000' && has '70.00% 70 0.070 prog+0x403000 (prog)' \
	'50.00% 50 0.050 prog+0x402000' '50.00% 50 0.050 prog+0x401000'
ok "--callers has who called a function"
few --callers='[[]read]' && has '30.00% 30 0.030 \[read\]' \
	'30.00% 30 0.030 prog+0x404000 (prog)'
ok "and who called the kernel"
few --callers=nobody
[ $? = 1 ] && grep -q 'no samples in a function called nobody' "$WORK/seen"
ok "nobody calls what is not there"
few --by=thread && has '50.00% 50 0.050 11 -, of few, 4711' \
	'30.00% 30 0.030 12 worker, of few, 4711' \
	'20.00% 20 0.020 not known, of few, 4711'
ok "--by=thread"
few --by process && has '100.00% 100 0.100 4711 few'
ok "--by=process"
few --by object && has '100.00% 100 0.100 /none/prog'
ok "--by=object"
few --by syscall && has '50.00% 50 0.050 in user mode' \
	'30.00% 30 0.030 \[read\]' '20.00% 20 0.020 not known'
ok "--by=syscall"
report --by=process && has '43.43% 1323 1.323 1 server.*'
ok "processes are known without stacks"
report --by=thread
[ $? = 1 ] && grep -q 'no threads are known' "$WORK/seen"
ok "threads are not"
report --tree
[ $? = 1 ] && grep -q 'there are no call stacks' "$WORK/seen"
ok "nor callers"
few --tree --function='*402000' && [ "$(samples)" = 50 ] &&
	has '100.00% 0.00% 50 0.050 prog+0x401000 (prog)' \
	'100.00% 100.00% 50 0.050 prog+0x403000' && ! grep -q 0x404000 "$WORK/seen"
ok "--function takes stacks that a function is in, in trees"
few --callers='*401000' --function='[[]read]' &&
	[ "$(samples)" = 30 ] && has '100.00% 30 0.030 prog+0x401000 (prog)'
ok "and of callers, too"
few --tree --object=prog && [ "$(samples)" = 100 ] &&
	few --tree --object=prog --function='*401000' && [ "$(samples)" = 80 ] &&
	! few --tree --object=nonesuch --function='*401000'
ok "so does --object"
few --function='*402000'
[ $? = 1 ] && grep -q 'no samples are of what was asked for' "$WORK/seen"
ok "elsewhere both take samples by where they are themselves"
few --tree --diff="$WORK/less.4711" &&
	has '80.00% 80.00% +0.00 0.080 +0.000 prog+0x401000 (prog)' \
	'10.00% 50.00% +40.00 0.050 +0.040 prog+0x402000' \
	'70.00% 30.00% -40.00 0.030 -0.040 \[read\]' \
	'0.100 s of CPU time, 0.100 s before: +0.000 s, +0.00%' &&
	[ "$(grep -c % "$WORK/seen")" = 7 ]
ok "--diff with --tree has what calls have more or less"
few --tree --diff="$WORK/less.4711" -n 1 &&
	[ "$(sed -n '2,3s/.*prog+/prog+/p' "$WORK/seen" | tr '\n' ' ')" = \
		'prog+0x401000 (prog) prog+0x402000 ' ] &&
	has 'and 4 more calls (-n 0 shows all)'
ok "-n takes those that have changed most, and their callers"
few --callers='*403000' --diff="$WORK/less.4711" &&
	has '30.00% 70.00% +40.00 0.070 +0.040 prog+0x403000 (prog)' \
	'10.00% 50.00% +40.00 0.050 +0.040 prog+0x402000'
ok "--diff with --callers has who calls a function more or less"
few --tree --function='[[]read]' --diff="$WORK/less.4711" &&
	has '100.00% 100.00% +0.00 0.030 -0.040 prog+0x404000'
ok "of stacks that a function is in, too"
few --callers=nobody --diff="$WORK/less.4711"
[ $? = 1 ] && grep -q 'no samples in a function called nobody' "$WORK/seen"
ok "what nobody called has not changed"
! report --tree --diff="$WORK/few.4711" &&
	grep -q 'there are no call stacks' "$WORK/seen" &&
	! few --tree --diff="$WORK/older" &&
	grep -q 'there are no call stacks' "$WORK/seen"
ok "trees of profiles without stacks cannot be compared"
wrong 'cannot be had by thread' --diff="$WORK/less.4711" --by=thread
ok "nor what they are told apart by"
few --from=0.05 --to=0.08 && [ "$(samples)" = 30 ] &&
	has '30.00% of 100 samples: the rest was not asked for'
ok "--from and --to take a time"
few --to=10% -f folded && [ "$(awk '{ n += $NF } END { print n }' \
				 "$WORK/seen")" = 10 ]
ok "or a part, in each format"
report --from=1
[ $? = 1 ] && grep -q 'not known when samples were' "$WORK/seen"
ok "times are not known without stacks"
wrong '5x is no time' --from=5x && wrong '-1 is no time' --from=-1 &&
	wrong '101% is no time' --to=101% && wrong '% is no time' --to=%
ok "what is no time is wrong usage"
wrong 'only one of' --tree --by=thread && wrong 'are text' --tree -f json
ok "two reports in one are, too"
wrong 'thread, process, object or syscall, not cpu' --by=cpu
ok "so is what samples cannot be told apart by"
# What only has a long name, and is not in the man page's synopsis.
"$REPORT" report --help | grep -oE '^ {6}--.*=[A-Z]+|^ {6}--[a-z]+' | grep -oE -- '--[a-z]+' |
	while read -r option; do
		sed -n '/^\.Sh SYN/,/^\.Sh DESC/p' "$HERE/../../man/profil.1" |
			grep -q "^\.Op Fl ${option#-}\>" || echo "$option"
	done >"$WORK/seen"
[ ! -s "$WORK/seen" ]
ok "the synopsis has all options"
"$REPORT" report --help >/dev/full 2>"$WORK/seen"
[ $? = 1 ] && grep -q 'cannot write all of the output' "$WORK/seen"
ok "help that cannot be written is an error"
report >/dev/null && "$REPORT" report "$WORK/profile" >/dev/full 2>"$WORK/seen"
[ $? = 1 ] && grep -q 'cannot write all of the output' "$WORK/seen"
ok "and so is a report"
cp "$FIXTURES/inlined.so" "$WORK/inlined.so"
python3 "$HERE/large.py" "$WORK/shortened" 500000 "$WORK/inlined.so"
LD_PRELOAD=$FIXTURES/shortening.so SHORTENED=$WORK/inlined.so \
	"$REPORT" report "$WORK/shortened" >"$WORK/seen" 2>&1
[ $? = 1 ] && grep -q 'became shorter while it was read' "$WORK/seen"
ok "a program that becomes shorter while it is read is an error, and said to be"
