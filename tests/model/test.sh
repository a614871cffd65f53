#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Searches the model in every scenario for what must not be, and finds it where a
# rule has been taken out. TAP. Usage: test.sh DIR

set -euo pipefail
cd "$(dirname "$0")"
dir=$1

# SCENARIO states|cycles WHAT: nothing is to be found.
sound()
{
	cat <<'END'
STOP states a run is stopped and replaced while threads settle
KILL states a killed stop is resumed
CLOSE states the status is unmapped at any point of a start or a stop
EXIT states threads exit and execute programs with callbacks queued
BLOCK states blocked threads leave callbacks to those that run
FAULT states the buffer is unmapped at any time
LIMIT states a tick ends the run
RECLAIM states pages go again after they were brought in
PRESENT states ticks write while a run is stopped and replaced
CONTEND states others write to the counter each time
DENY states profiling is switched off while runs start and stop
BRANCH states profiling is switched off while a process forks
UNDO states a start is undone while another replaces what it started
CARRY states a counter spans two pages that go
ROOM states what it carries has no room, and its memory goes
PAGES states several counters wait
SAMPLES states a sample array becomes full
FORK states a fork meets a stop, a start, and a fork that fails
REPLACE states a child is profiled if its parent is, however often that starts
COPY states a child has all samples that it reports
STACK_STOP states runs with stacks are stopped and started while threads walk and exit
STACK_CLOSE states the mapping goes while threads walk and exit
STACK_PAGE states pages of the stream go, and cannot be had
STACK_LEFT states what one thread leaves another writes
STACK_END states a run with stacks ends by itself
THREAD_START states threads get, replace and lose profiles of their own
THREAD_LEFT states two want what a thread that exits has left
THREAD_CHILD states a fork child's thread exits before it is known
HANDLER cycles every return to user mode ends, however many ticks come
STOP cycles every start and every stop ends
KILL cycles every killed stop ends
CLOSE cycles every close ends, and what it meets
RECLAIM cycles every settling ends
END
}

# SCENARIO states|cycles MUTATION ERROR WHAT: with MUT_MUTATION, this error is,
# with _ for each space. OLD is the deferral as it was, wrong without any.
broken()
{
	cat <<'END'
OLD states NONE P[p].n>0 a worker applies what a close takes away
STOP states NO_RECHECK P[p].n>0 nobody looks again at what has been brought in
STOP states SEQ_RESET ghost_run sequence numbers are used twice
STOP states STOP_NO_DRAIN P[p].stage== a stop does not drain
PRESENT states STOP_NO_DRAIN ].ticks== nor has it counted all ticks
STOP states ADD_STOPPED P[p].n==0 nor is an update refused by the stage
STOP states STAGE_BEFORE_DRAIN P[p].stage== the stage is changed before the drain
STOP states DRAIN_LOCKED invalid_end_state the drain holds the raw lock
STOP states ENTER_LATE P[p].run_==run_ a tick looks at the run before it enters
KILL states KILLED_STOP_ENDS P[p].n==0 a killed stop ends the run
CLOSE states START_CLOSED P[p].stage== a start does not look for a close
CLOSE states PUBLISH_UNLOCKED P[p].stage== a run is published without the lock
CLOSE states ADD_CLOSED ].ticks== updates are taken after a close
CLOSE states CLOSE_KEEPS ].ticks== a close keeps what waits
CLOSE states CLOSE_NO_DRAIN ].ticks== a close does not drain
CLOSE states CLOSE_CONTROL invalid_end_state a close waits for a stop
CLOSE states END_CLOSED P[p].stage== a stop ends the run of a closed profile
CLOSE states PUSH_NO_REF task_works a callback has no reference
EXIT states ANY_MM .mm==mm[t] a callback settles for another address space
RECLAIM states AGAIN_COUNTED err!= what others write to is given up
CONTEND states TICK_AGAIN_DONE ].ticks== a tick that others kept from counting is lost
CARRY states STOP_TO_END P[p].n==0 a stop settles only what it has found waiting
ROOM states CARRY_IN_PLACE P[p].page what is carried has the number of what it was carried from
DENY states START_NO_LOOK profil_enabled a start does not look whether it was switched off
BRANCH states FORK_NO_LOOK profil_enabled a fork does not look whether it was switched off
UNDO states UNDO_ANY ghost_told a start undoes what another has started
BLOCK states POOL_SHARED limit<= system ticks may take the whole pool
LIMIT states UNPUBLISH_TWICE clock_users>0 two may take the same run away
FORK states FORK_CLOCK_LATE clock_armed a child counts its clock after it has looked
FORK states FORK_STATE clock_armed a child of a run that is just ending goes on
FORK states STOP_NO_WAIT ghost_sealed a stop gives a buffer back that a fork has yet to copy
REPLACE states START_NO_NEXT ].live!=0 a fork does not see what is about to start
COPY states FORK_NO_DRAIN page_stored a child does not drain its parent
COPY states FORK_NO_LOWEST page_stored a child counts what waits as stored
STACK_STOP states CLAIM_PLAIN task==t an entry is claimed by two threads
STACK_STOP states ADD_ANY place== a tick is added to those of another place
STACK_STOP states PUSH_IN_HANDLER task==t a tick pushes while its thread walks
STACK_STOP states RELEASE_IRQS count==0 a tick comes while its entry is released
STACK_STOP states NO_DRAIN ghost_ticks a stop takes entries while ticks add to them
STACK_STOP states NO_SETTLE ghost_ticks a stop does not take what is in entries
STACK_LEFT states WRITE_ANY live==0 what was left is written when it is another thread's
STACK_CLOSE states WRITE_CLOSED stage a stack is written after a close
STACK_CLOSE states LEFT_CLOSED task== ticks are left after a close
STACK_CLOSE states CLOSE_KEEPS task== a close keeps what was left
THREAD_START states DIVIDE_LATE takes||_!(process) a thread's own profile hides the process's for a moment
THREAD_START states REPLACE_SPILLS !(takes) ticks spill into the process's profile where the own is replaced
THREAD_LEFT states ADOPT_ANY ghost_of==t two take over the same profile
THREAD_CHILD states BORN_BY_ADDRESS ghost_of==t a fork child's thread is known by its address alone
HANDLER cycles PUSH_IN_HANDLER non-progress_cycle ticks push while their thread settles
END
}

searches()
{
	sound | sed 's/ / sound /2'
	broken | sed 's/ / broken /2'
}

# search NUMBER SCENARIO states|cycles MUTATION: what is found.
search()
{
	./run.sh "$dir/$1" "$2" "$3" "$4" 2>&1 | tail -n 1
}

# judge NUMBER SCENARIO states|cycles sound|broken ...: TAP to a file.
judge()
{
	local number=$1 scenario=$2 what=$3 kind=$4 name found result='not ok'
	if [ "$kind" = sound ]; then
		name="${*:5}: no error in all $what"
		found=$(search "$number" "$scenario" "$what" '')
		[[ $found != 'nothing in '* ]] || result=ok
	else
		name="${*:7}: the error is found"
		found=$(search "$number" "$scenario" "$what" "$5")
		[[ ${found// /_} != error:_*"$6"* ]] || result=ok
	fi
	printf '# %s: %s\n%s %d - %s\n' "$scenario" "$found" "$result" "$number" \
		"$name" >"$dir/$number.tap"
	[ "$result" != ok ] || rm -rf "${dir:?}/$number"
}

if [ "${2:-}" = judge ]; then
	judge "${@:3}"
	exit
fi
mkdir -p "$dir"
rm -f "$dir"/*.tap
# To xargs an apostrophe is a quote.
searches | awk '{ print NR, $0 }' | sed "s/'/\\\\&/g" |
	xargs -P "$(nproc)" -L 1 "./$(basename "$0")" "$dir" judge
printf '%s\n' "$dir"/*.tap | sort -V | xargs cat
echo "1..$(searches | wc -l)"
