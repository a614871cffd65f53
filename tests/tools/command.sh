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

echo "1..$((${#signals[@]} + 13))"

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

fails() { "$PROFIL" "$1" >/dev/full 2>seen; [ $? = 125 ] && [ -s seen ]; }
fails --help && fails --version
ok "help and version that cannot be written are an error"

# stops.py HOW: how profil looks to its shell when its command has been stopped,
# and its exit status when it has gone on.
cat >stops.py <<'END'
import os, pty, re, signal, sys, time

def shell():
    job = os.fork()
    if job == 0:
        os.setpgid(0, 0)
        os.execv(sys.argv[1], [sys.argv[1], "-q", "sh", "-c", command])
    try:
        os.setpgid(job, job)
    except PermissionError:
        pass
    while not os.path.exists("ready"):
        time.sleep(0.02)
    if sys.argv[2] == "terminal":
        signal.signal(signal.SIGTTOU, signal.SIG_IGN)
        os.tcsetpgrp(0, job)
        print("ready", flush=True)
    elif sys.argv[2] == "sent":
        os.kill(job, signal.SIGTSTP)
    for turn in range(2 if sys.argv[2] == "itself" else 1):
        _, status = os.waitpid(job, os.WUNTRACED)
        if os.WIFSTOPPED(status):
            with open("/proc/%s/stat" % open("ready").read()) as stat:
                state = stat.read().split()[2]
            print("stopped by", os.WSTOPSIG(status), state, flush=True)
            open("went", "w").close()
            os.killpg(job, signal.SIGCONT)
    print("ended with", os.waitstatus_to_exitcode(os.waitpid(job, 0)[1]), flush=True)
    os._exit(0)

ready = "echo -n $$ >new; mv new ready; "
waits = ready + "until [ -e went ]; do sleep 0.02; done; exit 9"
command = ready + "kill -STOP $$; kill -STOP $$; exit 9" \
    if sys.argv[2] == "itself" else waits
pid, master = pty.fork()
if pid == 0:
    signal.alarm(20)
    shell()
text, asked = b"", False
while True:
    try:
        part = os.read(master, 4096)
    except OSError:
        break
    if not part:
        break
    text += part
    if b"ready" in text and not asked:
        os.write(master, b"\x1a")
        asked = True
os.waitpid(pid, 0)
print(" ".join(re.findall("(?:stopped|ended)[^\r\n]*", text.decode())))
END

# stops HOW: the same.
stops()
{
	rm -f ready went
	python3 stops.py "$PROFIL" "$1" 2>>messages
	# A shell that has given up leaves what it has stopped.
	: >went
}

[ "$(stops itself)" = "stopped by 19 T stopped by 19 T ended with 9" ]
ok "a command that stops itself stops profil, and both go on"
[ "$(stops sent)" = "stopped by 20 T ended with 9" ]
ok "a stop that is sent to profil stops the command, and both go on"
[ "$(stops terminal)" = "stopped by 20 T ended with 9" ]
ok "a stop from the terminal stops both, once"
