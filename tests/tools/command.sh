#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# How profil runs a command, in TAP: signals and statuses. Nothing of it depends
# on whether there is a profile.
#
#   command.sh PROFIL

set -uo pipefail
HERE=$(cd "$(dirname "$0")" && pwd)
. "$HERE/../tap.sh"
PROFIL=$1
WORK=$(mktemp -d)
trap 'rm -rf "$WORK"' EXIT
cd "$WORK" || exit 1
signals=(HUP INT QUIT ABRT USR1 USR2 PIPE ALRM TERM PROF VTALRM XCPU XFSZ IO RTMIN)

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

for signal in "${signals[@]}"; do
	start sh -c "$sleeper"
	kill -s "$signal" $!
	end $!
	[ $? = $((128 + $(kill -l "$signal"))) ] && [ ! -e lived ]
	result "$signal ends the command, and profil by the same signal"
done

start bash -c 'trap "exit 5" INT; : >ready; while :; do sleep 0.02; done'
kill -INT $!
end $!
[ $? = 5 ]
result "what a command makes of a signal is its own"

start --signal=USR1 bash -c 'trap "exit 5" TERM; : >ready; while :; do sleep 0.02; done'
kill -USR1 $! && sleep 0.2 && kill -TERM $!
end $!
[ $? = 5 ]
result "that of --signal does not reach the command"

# A timer goes on when a program executes another one, and not in its children.
for seconds in 1 5 30; do
	rm -f ready pid
	perl -e 'alarm shift; exec @ARGV' $seconds "$PROFIL" -q sh -c "$sleeper" 2>>messages
	status=$?
	# Else the timer was faster than the command's start.
	[ ! -e pid ] || break
done
[ "$status" = 142 ] && gone
result "a timer that is older than profil ends the command"

# shellcheck disable=SC2016
(profil sh -c 'kill -USR1 $PPID; kill -INT $PPID; sleep 0.2; exit 6')
[ $? = 6 ]
result "what the command sends to its parent does not come back"

(trap '' USR1; exec "$PROFIL" -q sh -c 'kill -USR1 $$; exit 7' 2>>messages)
[ $? = 7 ]
result "what is ignored stays ignored in the command"

(profil sh -c 'exit 8')
[ $? = 8 ]
result "an exit status is passed on"

(ulimit -c unlimited; profil sh -c 'ulimit -c 0; kill -SEGV $$') 2>/dev/null
[ $? = 139 ] && [ -z "$(find . -name 'core*')" ]
result "a signal that ends the command is passed on, with one core"

(profil nonesuch)
[ $? = 127 ] && (profil "$WORK")
[ $? = 126 ]
result "what is not there is status 127, what is no program 126"

statuses() { "$PROFIL" -q nonesuch; [ $? = 127 ] && { "$PROFIL" -q "$WORK"; [ $? = 126 ]; }; }
statuses 2>&- && statuses 2>/dev/full
result "both stay so if the message cannot be written"

(profil -n 9999999999 touch ran)
[ $? = 125 ] && [ ! -e ran ]
result "a number that reports refuse is refused before the command"

# says STATUS TEXT OPTION...: the status, and what is said on standard error.
says()
{
	local status=$1 text=$2
	shift 2
	"$PROFIL" "$@" 2>said
	[ $? = "$status" ] && grep -qF -- "$text" said
}

says 125 'no command given: use profil COMMAND, or profil report for the last profile'
result "without a command, profil says what can be given"
says 125 "'5000': use fast (1000 per second), tick (each tick) or clock (100)" -r 5000 true
result "a number as the rate is refused, and the rates are told"

mkdir before.out && says 1 'before.out is a file: use profil annotate before.out FUNCTION' \
	annotate before.out
result "annotate with a file and no function says what is missing"
says 2 'annotate has only -c, -o, --root,' annotate --tree work &&
	says 2 'use profil annotate -c FUNCTION' report -c
result "options of report and annotate are refused by the other one"

says 125 'put report first: profil report before.out' -o before.out report --tree &&
	says 125 'put annotate first: profil annotate profil.out FUNCTION' -q annotate main
result "report behind an option of profil is refused, with a hint"
mkdir commands && printf '#!/bin/sh\nexit 9\n' >commands/report && chmod +x commands/report
(PATH=$WORK/commands:$PATH; profil report)
[ $? = 9 ]
result "but a program of that name is run"

# A terminal sends it to all that run in it.
rm -f ready
{ await ready; printf '\003'; await counted; } |
	script -qec "$PROFIL -q perl $HERE/count.pl" /dev/null >terminal 2>&1
[ "$(cat counted)" = 1 ]
result "an interrupt from the terminal comes once"

status=0
for number in 0 2147483649 99999999999999999999 -1 1e6 ''; do
	says 125 'a whole number from 1 to 2147483648' -s "$number" true || status=1
done
[ $status = 0 ]
result "a number of samples that no file has room for is refused"

says 125 '--rotate needs -p' --rotate=1h true &&
	says 125 '--keep needs --rotate' --keep=2 -p 1 &&
	says 125 "invalid age or size '1x': use" --rotate=1x -p 1 &&
	says 125 "invalid age or size '1h,2h': use" --rotate=1h,2h -p 1
result "directories that are begun in no way are refused"
says 125 'waits need call stacks' -w --no-stacks true
result "waits without call stacks are refused"

fails() { "$PROFIL" "$1" >/dev/full 2>seen; [ $? = 125 ] && [ -s seen ]; }
fails --help && fails --version
result "help and version that cannot be written are an error"


# stops HOW: the same.
stops()
{
	rm -f ready went
	python3 -B "$HERE/stops.py" "$PROFIL" "$1" 2>>messages
	# A shell that has given up leaves what it has stopped.
	: >went
}

[ "$(stops itself)" = "stopped by 19 T stopped by 19 T ended with 9" ]
result "a command that stops itself stops profil, and both go on"
[ "$(stops sent)" = "stopped by 20 T ended with 9" ]
result "a stop sent to profil stops the command, and both go on"
[ "$(stops terminal)" = "stopped by 20 T ended with 9" ]
result "a stop from the terminal stops both, once"
tap_end
