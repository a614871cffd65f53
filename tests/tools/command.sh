#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# How profil runs a command, in TAP: signals and statuses. Nothing of it depends
# on whether there is a profile.
#
#   command.sh PROFIL

set -uo pipefail
PROFIL=$1
WORK=$(mktemp -d)
trap 'rm -rf "$WORK"' EXIT
cd "$WORK" || exit 1
count=0
signals=(HUP INT QUIT ABRT USR1 USR2 PIPE ALRM TERM PROF VTALRM XCPU XFSZ IO RTMIN)

# ok NAME: the result of the command before.
ok()
{
	local status=$?
	count=$((count + 1))
	[ $status = 0 ] || printf 'not '
	echo "ok $count - $1"
}

# What a shell starts in the background ignores INT and QUIT.
profil() { exec env --default-signal "$PROFIL" -q "$@" 2>>messages; }

await() { until [ -e "$1" ]; do sleep 0.02; done; }
gone() { [ -e pid ] && ! kill -0 "$(cat pid)" 2>/dev/null; }

# end PID: its status. One that does not end is no reason to wait for ever.
end()
{
	local tries status
	for ((tries = 0; tries < 1000; tries++)); do
		kill -0 "$1" 2>/dev/null || break
		sleep 0.02
	done
	kill -KILL "$1" 2>/dev/null
	wait "$1" 2>/dev/null
	status=$?
	rm -f lived
	[ ! -e pid ] || gone || { : >lived; kill -KILL "$(cat pid)"; }
	return $status
}

# start COMMAND...: in the background; it makes the file "ready".
start()
{
	rm -f ready pid
	profil "$@" &
	await ready
}

# shellcheck disable=SC2016 # for the shell that is started
sleeper='echo $$ >pid; : >ready; exec sleep 1000'

echo "1..$((${#signals[@]} + 9))"

for signal in "${signals[@]}"; do
	start sh -c "$sleeper"
	kill -s "$signal" $!
	end $!
	[ $? = $((128 + $(kill -l "$signal"))) ] && [ ! -e lived ]
	ok "$signal ends the command, and profil by the same signal"
done

start bash -c 'trap "exit 5" INT; : >ready; while :; do sleep 0.02; done'
kill -INT $!
end $!
[ $? = 5 ]
ok "what a command makes of a signal is its own"

# A timer goes on when a program executes another one, and not in its children.
rm -f ready pid
perl -e 'alarm 1; exec @ARGV' "$PROFIL" -q sh -c "$sleeper" 2>>messages
[ $? = 142 ] && gone
ok "a timer that is older than profil ends the command"

# shellcheck disable=SC2016
(profil sh -c 'kill -USR1 $PPID; kill -INT $PPID; sleep 0.2; exit 6')
[ $? = 6 ]
ok "what the command sends to its parent does not come back"

(trap '' USR1; exec "$PROFIL" -q sh -c 'kill -USR1 $$; exit 7' 2>>messages)
[ $? = 7 ]
ok "what is ignored stays ignored in the command"

(profil sh -c 'exit 8')
[ $? = 8 ]
ok "an exit status is passed on"

(ulimit -c unlimited; profil sh -c 'ulimit -c 0; kill -SEGV $$') 2>/dev/null
[ $? = 139 ] && [ -z "$(find . -name 'core*')" ]
ok "a signal that ends the command is passed on, without another core"

(profil nonesuch)
[ $? = 127 ] && (profil "$WORK")
[ $? = 126 ]
ok "what is not there is status 127, what is no program 126"

(profil -n 9999999999 touch ran)
[ $? = 125 ] && [ ! -e ran ]
ok "a number that the report would refuse is refused before the command runs"

# A terminal sends it to all that run in it.
cat >count.pl <<'END'
$| = 1;
$SIG{INT} = sub { $n++ };
open my $ready, '>', 'ready';
select undef, undef, undef, 0.02 until $n;
select undef, undef, undef, 0.02 for 1 .. 20;
open my $counted, '>', 'counted';
print $counted $n;
END
rm -f ready
{ await ready; printf '\003'; await counted; } |
	script -qec "$PROFIL -q perl count.pl" /dev/null >terminal 2>&1
[ "$(cat counted)" = 1 ]
ok "an interrupt from the terminal comes once"
