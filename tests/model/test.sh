#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Searches all states of the models of deferred updates, waits and stacks, and finds the error
# where a rule of them is broken. TAP. Usage: test.sh DIR [REGEXP of searches]

set -euo pipefail
model=$(dirname "$(realpath "$0")")
dir=$1

# setting SCENARIO: calls of the threads, and how many there are of what.
setting()
{
	case $1 in
	STOP)	echo MAY1=START+STOP ;;
	PRESENT) echo MAY1=START+STOP PRESENT=true ;;
	KILL)	echo TICKS=1 KILLS=1 MAY1=STOP MAY2=START+STOP ;;
	CLOSE)	echo MAY1=START+STOP MAY2=CLOSE ;;
	EXIT)	echo MAY1=EXIT MAY2=EXIT ;;
	FAULT)	echo RECLAIMS=1 UNMAPS=1 TICKS=1 MAY1=STOP ;;
	FORK)	echo TICKS=1 MAY1=FORK MAY2=START+STOP MAY3=STOP ;;
	COPY)	echo SHARERS=1 CALLS=2 TICKS=3 SLOTS=3 CAPACITY=4 SAMPLES=1 MAY1=FORK MAY3=STOP ;;
	HANDLER) echo SHARERS=1 CALLS=255 ENDLESS=true ;;
	WAITS)	echo TICKS=1 KILLS=1 STARTS=2 ;;
	WAITS2)	echo TICKS=0 THREADS=2 ;;
	STACKS)	echo THREADS=2 ;;
	STACKS1) echo KILLS=1 STARTS=2 ;;
	esac
}

# SCENARIO states|cycles RULE ERROR: what it checks. The model finds no error as it is, and
# this one with BROKEN=RULE. In ERROR, _ stands for a space.
searches()
{
	cat <<'END'
STOP states - - a run is stopped and replaced while threads apply updates
PRESENT states - - ticks write while a run is stopped and replaced
KILL states - - a killed stop is resumed
CLOSE states - - the status page is unmapped during a start or a stop
EXIT states - - threads exit with callbacks queued
FAULT states - - the buffer goes, for a moment or for good
FORK states - - a fork meets a stop, a start, and a fork that fails
COPY states - - a child has all samples that it reports
HANDLER cycles - - every return to user mode ends, however many ticks come
CLOSE cycles - - every start, stop and close ends
KILL cycles - - every killed stop ends
CLOSE states NO_RECHECK n>0 a stop that meets a close takes from an empty ring
STOP states SEQ_RESET ghost_run sequence numbers are used twice
PRESENT states STOP_NO_DRAIN ghost_sealed a stop does not drain
PRESENT states ENTER_LATE ghost_sealed a tick looks at the run before it enters
KILL states KILLED_STOP_ENDS n==0 a killed stop ends the run
CLOSE states START_CLOSED stage a start does not look for a close
CLOSE states DEFER_CLOSED n==0 updates are deferred after a close
CLOSE states CLOSE_NO_DRAIN ticks== a close does not drain
EXIT states PUSH_NO_REF ref>0 a callback has no reference
FORK states STOP_NO_WAIT ghost_sealed a stop does not wait for a fork
COPY states FORK_NO_DRAIN page_stored a child does not drain its parent
COPY states FORK_NO_LOWEST page_stored a child counts what waits as stored
WAITS states - - waits meet walks, an exit, and a killed stop
WAITS2 states - - two threads share the places of waits
WAITS states STOP_NO_DRAIN samples==0 a stop does not drain switches
WAITS states START_LATE next==run_ a start notes threads when its run is live
WAITS states FREE_NOTED ghost_waits a callback frees what a start has noted
WAITS states SETTLE_QUEUED queued a stop frees what is queued
WAITS states WALK_KEEPS held a walk for ticks leaves samples of waits
WAITS2 states TAKE_OTHERS task==t a thread waits in the place of another
STACKS states - - two threads share the entries of stacks
STACKS1 states - - ticks with stacks meet an exit and a killed stop
STACKS states STOP_NO_DRAIN ghost_run a stop does not drain ticks with stacks
STACKS states TAKE_LATE task==t a tick looks at an entry before it takes it
STACKS states FREE_BLIND recorded a thread frees an entry that has ticks
STACKS states FREE_TICKS recorded ticks come while a thread frees its entry
STACKS states FREE_FIRST task==t a thread frees its entry before it has ended its walk
HANDLER cycles PUSH_IN_HANDLER non-progress ticks push while their thread applies
END
}

# search DIR SCENARIO states|cycles RULE: the last line is what it found.
search()
{
	local define options=() flags file=deferral
	rm -rf "$1"
	mkdir -p "$1"
	cd "$1"
	[[ $2 != WAITS* ]] || file=waits
	[[ $2 != STACKS* ]] || file=stacks
	for define in SHARERS=2 TICKS=2 CALLS=1 SLOTS=2 CAPACITY=2 PRESENT=false SAMPLES=0 \
			ENDLESS=false RECLAIMS=0 UNMAPS=0 KILLS=0 WAITS=2 THREADS=1 STARTS=1 ENTRIES=1 MAY1=0 MAY2=0 MAY3=0 \
			"BROKEN=${4/#-/NO_RULE}" $(setting "$2"); do
		options+=("-U${define%%=*}" "-D$define")
	done
	# A cycle is looked for with one tick, or it takes long.
	[ "$3" = states ] || options+=(-UTICKS -DTICKS=1)
	spin -a "${options[@]}" "$model/$file.pml" >spin.log || { cat spin.log; return; }
	# Compressed states, exactly compared, in at most 2 GB. gcc would take longer than most searches.
	flags=(-w -DCOLLAPSE -DMEMLIM=2000 -DVECTORSZ=1024)
	case $3 in
	states)	tcc "${flags[@]}" -DSAFETY -o pan pan.c && ./pan -m100000 -b ;;
	cycles)	tcc "${flags[@]}" -DNP -o pan pan.c && ./pan -m1000000 -l ;;
	esac >pan.log
	awk '
		/^pan:1: / { found = substr($0, 8) }
		/errors: 0$/ { clean = 1 }
		/states, stored/ { states = $1 }
		/max search depth|MEMLIM|out of memory|not completed/ { bad = $0 }
		END {
			if (found)
				print "error: " found
			else if (bad || !clean)
				print "incomplete: " bad
			else
				print "nothing in " states " states"
		}' pan.log
}

number=0
while read -r scenario what rule error name; do
	number=$((number + 1)) result='not ok'
	found=$(search "$dir/$number" "$scenario" "$what" "$rule" 2>&1 | tail -n 1)
	if [ "$rule" = - ]; then
		[[ $found != 'nothing in '* ]] || result=ok
	else
		name+=': found'
		[[ ${found// /_} != error:_*"$error"* ]] || result=ok
	fi
	echo "# $scenario: $found"
	echo "$result $number - $name"
done < <(searches | grep -E "${2:-.}")
echo "1..$number"
