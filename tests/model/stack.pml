/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A model of the entries that ticks wait in for their stacks: claimed, added to,
 * walked, left, taken by a stop, dropped by a close, and claimed again.
 *
 * As in profil.pml, inlines are named as the functions of kmod/stack_tick.c,
 * stack_callback.c and stack_stream.c that they follow, what has no counterpart is named ghost_*, code
 * under the raw lock is one step, and memory is sequentially consistent. There is
 * one set, of one entry, so that threads compete for it; each thread has a CPU, and
 * its tick is a process of its own.
 *
 * What is not modelled: what a record says but for whose ticks it is of, other
 * threads' last stacks, the mmap lock.
 *
 * MUT_*: a rule is broken, and stack.sh sees that this is found.
 */
#define THREADS		2
#define FREE		0		/* task: nobody's */
#define LEFT		9		/* nobody's, with ticks in it */

mtype:stage = { PROFIL_STOPPED, PROFIL_LIVE, PROFIL_STOPPING, PROFIL_CLOSED };

/* Runs are stopped and started while threads walk, and exit. */
#ifdef SCENARIO_STACK_STOP
#define TICKS		3
#define RUNS		2
#endif

/* The mapping goes at any time. */
#ifdef SCENARIO_STACK_CLOSE
#define TICKS		2
#define RUNS		2
#define CLOSES
#endif

/* Pages of the stream go, and cannot be had. */
#ifdef SCENARIO_STACK_PAGE
#define TICKS		2
#define RUNS		2
#define LOSSES		1
#endif

/* One thread leaves its ticks to another, which has the callback of another entry. */
#ifdef SCENARIO_STACK_LEFT
#define TICKS		2
#define RUNS		2
#define LOSSES		1
#define TAKES_LEFT	(t == 1)
#define TICKS_OF_1	false
#endif

/* The run ends by itself: the array is full, or profiling switched off. */
#ifdef SCENARIO_STACK_END
#define TICKS		3
#define RUNS		1
#define ENDS
#endif

#ifndef LOSSES
#define LOSSES		0
#endif
#ifndef TAKES_LEFT
#define TAKES_LEFT	false
#define TICKS_OF_1	true
#endif

mtype:stage stage;
byte live;				/* a run, or 0 */
byte run_;				/* s->run */
bool ended;				/* s->ended */
bool inflight[THREADS + 1];		/* profil_inflight, by CPU */
bool irq[THREADS + 1];			/* in its tick */
bool irqs_off[THREADS + 1];
bool queued[THREADS + 1];		/* its callback is in its list */
bool exiting[THREADS + 1];
bool gone[THREADS + 1];			/* it has exited: its task is freed */

/* The entry. */
byte task;
byte count;
byte place;				/* ip and sp */
byte of_run;
byte nleft;

/* The thread's registers: another place with each return to user mode. */
byte regs[THREADS + 1];

bool page_there = (LOSSES == 0);
byte ghost_page_losses = LOSSES;
byte ghost_ticks[RUNS + 1];
byte ghost_recorded[RUNS + 1];
byte ghost_stackless[RUNS + 1];
byte ticks_left = TICKS;
byte calls_left = RUNS;
bool ghost_done;
bool closed_too, calls_done;

/* --- ticks -------------------------------------------------------------------- */

inline profil_stack_fill(t, r)
{
	count = 1;
	place = regs[t];
	of_run = r
}

inline ghost_stackless_tick(r)
{
	ghost_stackless[r]++
}

inline profil_stack_add(t, r)
{
	if
	:: count == 0 -> profil_stack_fill(t, r)
#ifdef MUT_ADD_ANY
	:: count != 0 -> assert(place == regs[t]); count++
#else
	:: count != 0 && place == regs[t] -> count++
	:: count != 0 && place != regs[t] -> ghost_stackless_tick(r)
#endif
	fi
}

/* Unless it is one step, another may have it, too. */
inline profil_stack_reserve(t, found)
{
	if
	:: task == FREE ->
#ifdef MUT_CLAIM_PLAIN
		found = true
#else
		task = t;
		found = true
#endif
	:: else -> found = false
	fi
}

/*
 * What a tick of thread t does, from profil_enter() to profil_leave(). That it is
 * either seen by a drain or sees what that waits for is in profil.pml.
 */
proctype profil_stack_tick(byte t)
{
	byte r;
	bool found;

end:	do
	:: atomic {
		(t != 1 || TICKS_OF_1) && ticks_left > 0 && !irqs_off[t] && !gone[t] && !irq[t] && live != 0 ->
		ticks_left--;
		irq[t] = true;
		inflight[t] = true;
		r = live;
	   };
	   atomic {
		ghost_ticks[r]++;
		found = false;
		if
		:: ended || (exiting[t] && task != t) -> ghost_stackless_tick(r)
		:: !ended && task == t ->
#ifdef MUT_PUSH_IN_HANDLER
			queued[t] = true;
#endif
			profil_stack_add(t, r)
		:: !ended && !exiting[t] && task != t ->
			profil_stack_reserve(t, found);
			if
			:: found
			:: !found -> ghost_stackless_tick(r)
			fi
		fi
	   };
	   atomic {
		if
		:: found ->
			task = t;
			assert(count == 0 && !queued[t]);
			profil_stack_fill(t, r);
			queued[t] = true
		:: else
		fi;
		inflight[t] = false;
		irq[t] = false;
		r = 0;
		found = false
	   }
	:: ghost_done || gone[t] -> break
	od
}

/* --- under the lock ----------------------------------------------------------- */

inline profil_stack_done()
{
	count = 0;
	if
	:: task == LEFT ->
		assert(nleft > 0);
		nleft--;
		task = FREE
	:: else
	fi
}

inline profil_stack_drop()
{
	ghost_stackless[of_run] = ghost_stackless[of_run] + count;
	profil_stack_done()
}

/* One that was left may have become another thread's meanwhile. */
#ifdef MUT_WRITE_ANY
#define profil_stack_is_ours(t)	(task != FREE && count > 0)
#else
#define profil_stack_is_ours(t)						\
	((task == t || task == LEFT || task != FREE && stage == PROFIL_STOPPING) && \
	 count > 0)
#endif

/* err: 0: nothing is left to do; 1: the page is not there. */
inline profil_stack_write_try(t, err)
{
	if
	:: !profil_stack_is_ours(t) -> err = 0
	:: else ->
		/* Its ticks change it without the lock. */
		assert(task == t || task == LEFT || live == 0);
		if
#ifdef MUT_WRITE_CLOSED
		:: !ended ->
#else
		:: (stage == PROFIL_LIVE || stage == PROFIL_STOPPING) && !ended ->
#endif
			assert(stage != PROFIL_CLOSED && stage != PROFIL_STOPPED);
			assert(of_run == run_);
			if
			:: page_there ->
				ghost_recorded[run_] = ghost_recorded[run_] + count;
				profil_stack_done();
				err = 0
			:: else -> err = 1
			fi
		:: else -> profil_stack_drop(); err = 0
		fi
	fi
}

/* The page comes, or cannot be had: for now, or for ever. */
inline profil_stack_write(t, err)
{
	do
	:: atomic { profil_stack_write_try(t, err) }
	   if
	   :: err == 0 -> break
	   :: else
	   fi;
	   if
	   :: page_there = true
	   :: t != 0 -> err = 2; break
	   :: atomic {
		if
		:: profil_stack_is_ours(t) ->
			if
			:: stage != PROFIL_CLOSED -> ended = true
			:: else
			fi;
			profil_stack_drop()
		:: else
		fi };
		err = 0;
		break
	   fi
	od
}

/* --- the thread's callback ------------------------------------------------------ */

inline ghost_irqs_off(t)
{
	atomic { !irq[t] -> irqs_off[t] = true }
}

inline profil_stack_unreserve(t)
{
	ghost_irqs_off(t);
	atomic {
		assert(task == t);
		ghost_left = (count > 0);
#ifdef MUT_RELEASE_IRQS
		irqs_off[t] = false
	};
	atomic {
#endif
		if
#ifdef MUT_LEFT_CLOSED
		:: ghost_left ->
#else
		:: ghost_left && (stage == PROFIL_LIVE || stage == PROFIL_STOPPING) && !ended ->
#endif
			nleft++;
			task = LEFT
		:: else ->
			if
			:: ghost_left -> profil_stack_drop()
			:: else
			fi;
			task = FREE
		fi;
		ghost_left = false;
		irqs_off[t] = false
	}
}

#define TAKE_IRQS(t)	ghost_irqs_off(t)

inline profil_stack_take(t)
{
	byte err;

	do
	:: TAKE_IRQS(t);
	   atomic { profil_stack_write_try(t, err); irqs_off[t] = false };
	   if
	   :: err == 0 -> break
	   :: else
	   fi;
	   if
	   :: page_there = true
	   :: break
	   :: TAKE_IRQS(t);
	      atomic {
		if
		:: count != 0 ->
			if
			:: stage != PROFIL_CLOSED -> ended = true
			:: else
			fi;
			profil_stack_drop()
		:: else
		fi;
		irqs_off[t] = false };
		break
	   fi
	od
}

inline profil_stack_write_left(t)
{
	if
	:: nleft > 0 && task == LEFT -> profil_stack_write(t, err_left); err_left = 0
	:: else
	fi
}

proctype thread(byte t)
{
	byte err_left, turns, others;
	bool ghost_left;

	regs[t] = t;
	do
	/* Back from a system call, or a tick in user mode. */
	:: t == 1 && !queued[t] && turns < 1 ->
		turns++;
		atomic { !irq[t] -> regs[t] = regs[t] + 2 }
	:: queued[t] ->
		queued[t] = false;
		if
		/* At an exit its memory is gone. */
		:: !exiting[t] -> profil_stack_take(t); profil_stack_write_left(t)
		:: exiting[t]
		fi;
		profil_stack_unreserve(t)
	:: TAKES_LEFT && others == 0 && nleft > 0 && !exiting[t] ->
		others++;
		profil_stack_write_left(t)
	/* Its callbacks run after it has the mark. */
	:: atomic { !exiting[t] && !irq[t] && (t == 2 || closed_too && calls_done) -> exiting[t] = true }
	:: atomic { exiting[t] && !queued[t] && !irq[t] -> gone[t] = true } break
	od;
	assert(task != t)
}

/* --- calls, and the end of the mapping ------------------------------------------ */

inline profil_drain()
{
#ifdef MUT_NO_DRAIN
	skip
#else
	!inflight[1];
	!inflight[2]
#endif
}

inline profil_stack_stream_settle(err)
{
#ifdef MUT_NO_SETTLE
	skip
#else
	profil_stack_write(0, err)
#endif
}

inline profil_stop(err)
{
	live = 0;
	profil_drain();
	atomic {
		if
		:: stage == PROFIL_LIVE -> stage = PROFIL_STOPPING
		:: else
		fi
	};
	profil_stack_stream_settle(err);
	atomic {
		if
		:: stage == PROFIL_STOPPING ->
			assert(ghost_ticks[run_] == ghost_recorded[run_] + ghost_stackless[run_]);
			stage = PROFIL_STOPPED
		:: else
		fi
	}
}

inline profil_start()
{
	atomic {
		if
		:: stage == PROFIL_STOPPED ->
			stage = PROFIL_LIVE;
			run_++;
			ended = false;
			live = run_
		:: else
		fi
	}
}

/* The tick that finds the array full, or the administrator. */
proctype unpublisher()
{
	if
#ifdef ENDS
	:: live = 0
#endif
	:: skip
	fi
}

active proctype caller()
{
	byte err;

	do
	:: calls_left > 0 && stage != PROFIL_CLOSED ->
		calls_left--;
		profil_start();
		if
		:: profil_stop(err)
		:: break
		fi
	:: break
	od;
	if
	:: stage != PROFIL_CLOSED -> profil_stop(err)
	:: else
	fi;
	calls_done = true;
	(closed_too);
	/* All have exited: nothing is held. */
	gone[1] && gone[2];
	assert(task == FREE || stage != PROFIL_CLOSED);
	ghost_done = true
}

active proctype closer()
{
	if
#ifdef CLOSES
	:: atomic {
		stage = PROFIL_CLOSED;
#ifndef MUT_CLOSE_KEEPS
		if
		:: task == LEFT -> profil_stack_drop()
		:: else
		fi
#endif
	   };
	   live = 0;
	   profil_drain()
#endif
	:: skip
	fi;
	closed_too = true
}

active proctype reclaim()
{
	do
	:: atomic { ghost_page_losses > 0 -> ghost_page_losses--; page_there = false }
	:: break
	od
}

init {
	atomic {
		stage = PROFIL_STOPPED;
		run profil_stack_tick(1);
		run profil_stack_tick(2);
		run thread(1);
		run thread(2);
		run unpublisher()
	}
}
