/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A model of threads' own profiles beside the process's: found by ticks, hashed and
 * unhashed, started, replaced and stopped by their own threads and by others, left
 * by threads that exit, and taken over.
 *
 * As in profil.pml, inlines are named as the functions of kmod/profile.c, mapping.c,
 * start.c and control.c that they follow, what has no counterpart is named ghost_*,
 * code under a raw lock is one step, and memory is sequentially consistent. There is
 * room for one thread's profile; each thread has a CPU, its tick is a process of its
 * own, and while that runs the thread does not.
 *
 * What is not modelled: what is counted, what waits, whole-process forks; they are in
 * profil.pml. A walk along the chain is one step: what RCU is for.
 *
 * MUT_*: a rule is broken, and test.sh sees that this is found.
 */
#define NONE		9
#define PROCESS		0
#define OWN		1
#define PROFILES	2

/* One thread starts, replaces and stops, the other one meddles, and has ticks. */
#ifdef SCENARIO_THREAD_START
#define THREADS		2
#define TICKS		1
#define CALLS_1		2
#define CALLS_2		1
#define MEDDLES		true
#endif

/* A thread exits, two others want what it leaves. */
#ifdef SCENARIO_THREAD_LEFT
#define THREADS		3
#define TICKS		1
#define CALLS_1		1
#define CALLS_2		1
#define CALLS_3		1
#define EXITS
#endif

/* A fork child, which exits; its task structure goes to another one. */
#ifdef SCENARIO_THREAD_CHILD
#define THREADS		3
#define TICKS		2
#define CALLS_1		0
#define CALLS_2		1
#define CALLS_3		1
#define EXITS
#define CHILD
#endif

#ifndef CALLS_3
#define CALLS_3		0
#endif
/* All calls there are, or starts of own ones only. */
#ifndef MEDDLES
#define MEDDLES		false
#endif

/* The chain, the head first; n of them. */
byte chain[PROFILES];
byte chained;
bool divided[PROFILES];
byte run_[PROFILES];			/* p->run: any */
bool next[PROFILES];			/* p->next */
bool live[PROFILES];
bool closed[PROFILES];
byte refs[PROFILES];
byte thread;				/* OWN's p->thread: a pid, or NONE */
byte newborn;				/* OWN's p->newborn: an address, or NONE */
byte owner;				/* mm->owner: an address */

bool profiles_lock, mmap_lock, control[PROFILES];
bool born[THREADS + 1], in_mm[THREADS + 1], in_tick[THREADS + 1];
byte address[THREADS + 1];		/* of its task structure */
byte ticks_left = TICKS;
byte calls_done;

/* Whose OWN is, and whether it takes its ticks; how often that has changed. */
byte ghost_of = NONE;
bool ghost_takes;
byte ghost_changes, ghost_process_changes;
/* One is being closed: a tick may be its or not. */
bool ghost_closes;

/* --- who finds what ----------------------------------------------------------- */

inline profil_is_of(t, is)
{
	if
	:: thread != NONE -> is = (thread == t)
#ifdef MUT_BORN_BY_ADDRESS
	:: else -> is = (newborn == address[t])
#else
	:: else -> is = (newborn == address[t] && owner == address[t])
#endif
	fi
}

inline profil_find(p)
{
	p = (chained > 0 -> chain[0] : NONE)
}

inline profil_find_process(p)
{
	if
	:: chained > 0 && chain[0] == PROCESS -> p = PROCESS
	:: chained > 1 && chain[1] == PROCESS -> p = PROCESS
	:: else -> p = NONE
	fi
}

inline profil_find_thread(t, p, is)
{
	is = false;
	if
	:: (chained > 0 && chain[0] == OWN) || (chained > 1 && chain[1] == OWN) ->
		profil_is_of(t, is)
	:: else
	fi;
	p = (is -> OWN : NONE);
	is = false
}

inline profil_claim(t)
{
	if
	:: thread == NONE -> thread = t
	:: else
	fi
}

/* --- ticks -------------------------------------------------------------------- */

proctype profil_tick_hit(byte t)
{
	byte p, o, changes, process_changes;
	bool d, takes, process, is, sure;

end:	do
	:: atomic {
		ticks_left > 0 && in_mm[t] && !in_tick[t] ->
		ticks_left--;
		in_tick[t] = true;
		changes = ghost_changes;
		process_changes = ghost_process_changes;
		takes = ghost_takes && ghost_of == t;
		process = live[PROCESS];
		sure = !ghost_closes;
		profil_find(p)
	   };
	   atomic { d = (p != NONE && divided[p]) };
	   if
	   :: d ->
		atomic {
			profil_find_thread(t, o, is);
			if
			:: o == OWN -> profil_claim(t)
			:: else
			fi
		};
		if
#ifdef MUT_REPLACE_SPILLS
		:: atomic { o == OWN && run_[OWN] -> p = OWN }
#else
		:: atomic { o == OWN && (run_[OWN] || next[OWN]) -> p = OWN }
#endif
		:: atomic { else -> profil_find_process(p) }
		fi
	   :: else
	   fi;
	   atomic {
		if
		:: p != NONE && !live[p] -> p = NONE
		:: else
		fi;
		/* Nobody else's, ever. */
		assert(p != OWN || ghost_of == t);
		/* Where nothing has changed meanwhile, the right one's. */
		if
		:: sure && changes == ghost_changes &&
		   process_changes == ghost_process_changes ->
			assert(!takes || p != PROCESS);
			assert(takes || !process || p == PROCESS)
		:: else
		fi;
		in_tick[t] = false;
		p = NONE; o = NONE; changes = 0; process_changes = 0;
		d = false; takes = false; process = false; sure = false
	   }
	:: atomic { calls_done == THREADS -> break }
	od
}

/* --- the hash ----------------------------------------------------------------- */

/* A step of thread t: not while its tick runs. */
#define STEP		atomic { !in_tick[t] ->

inline profil_divide(p)
{
	/* One after the other. */
	STEP divided[p] = own };
	STEP if
	     :: chained > 1 -> divided[1 - p] = own
	     :: else
	     fi }
}

inline profil_hash(p)
{
	STEP !profiles_lock -> profiles_lock = true;
	     own = (p == OWN) || (chained > 0 && chain[0] == OWN) };
#ifndef MUT_DIVIDE_LATE
	STEP divided[p] = own };
#endif
	STEP chain[1] = chain[0]; chain[0] = p; chained++ };
	profil_divide(p);
	STEP profiles_lock = false; own = false }
}

inline profil_unhash(p)
{
	STEP !profiles_lock -> profiles_lock = true;
	     if
	     :: chain[0] == p -> chain[0] = chain[1]
	     :: else
	     fi;
	     chained--; chain[chained] = NONE;
	     own = (chained > 0 && chain[0] == OWN) };
	STEP if
	     :: chained > 0 -> divided[1 - p] = own
	     :: else
	     fi;
	     own = false };
	STEP profiles_lock = false }
}

/* Under profiles_lock. */
inline profil_is_left(left)
{
	if
	:: thread != NONE -> left = !in_mm[thread]
#ifdef MUT_BORN_BY_ADDRESS
	:: else -> left = false
#else
	:: else -> left = (owner != newborn)
#endif
	fi
}

/* --- runs --------------------------------------------------------------------- */

inline ghost_change(p)
{
	if
	:: p == OWN -> ghost_changes++
	:: else -> ghost_process_changes++
	fi
}

inline profil_stop(p)
{
	STEP if
	     :: live[p] -> live[p] = false; ghost_change(p)
	     :: else
	     fi };
	STEP run_[p] = 0;
	     if
	     :: p == OWN && !next[p] -> ghost_takes = false; ghost_change(p)
	     :: else
	     fi }
}

/* With @control. */
inline profil_start(p)
{
	STEP next[p] = true;
	     if
	     :: p == OWN && !closed[p] -> ghost_takes = true; ghost_change(p)
	     :: else
	     fi };
	profil_stop(p);
	STEP next[p] = false;
	     if
	     :: closed[p]
	     :: else -> run_[p] = 1; live[p] = true; ghost_change(p)
	     fi }
}

inline profil_put(p)
{
	assert(refs[p] > 0);
	refs[p]--
}

/* --- calls -------------------------------------------------------------------- */

/* A mapping is made, if there may be one: EBUSY, EDQUOT. */
inline profil_create(p)
{
	STEP !mmap_lock -> mmap_lock = true; busy = (refs[p] > 0) };
	if
	:: !busy ->
		/* A grace period is over before the same memory is another profile. */
		STEP !in_tick[1] && !in_tick[2] && !in_tick[THREADS] ->
		     refs[p] = 1; closed[p] = false; run_[p] = 0; live[p] = false;
		     divided[p] = false;
		     if
		     :: p == OWN -> thread = t; newborn = NONE; ghost_of = t;
				    ghost_takes = false; ghost_change(p)
		     :: else
		     fi };
		profil_hash(p)
	:: else
	fi;
	STEP mmap_lock = false; busy = false }
}

inline profil_vm_close(p)
{
	STEP !mmap_lock -> mmap_lock = true; busy = (refs[p] > 0 && !closed[p]) };
	if
	:: busy ->
		STEP closed[p] = true; ghost_closes = true; ghost_change(p) };
		profil_unhash(p);
		STEP live[p] = false; ghost_closes = false; ghost_change(p);
		     if
		     :: p == OWN -> ghost_takes = false
		     :: else
		     fi };
		STEP profil_put(p) }
	:: else
	fi;
	STEP mmap_lock = false; busy = false }
}

/* What exited threads have left: stopped first, then the caller's own, if it is. */
inline profil_take_over()
{
	STEP !profiles_lock -> profil_is_left(busy);
	     busy = busy && chained > 0 && (chain[0] == OWN || (chained > 1 && chain[1] == OWN));
	     if
	     :: busy -> refs[OWN]++
	     :: else
	     fi };
	if
	:: busy ->
		STEP !control[OWN] -> control[OWN] = true };
		profil_stop(OWN);
		/* profil_adopt() */
		STEP !profiles_lock -> profil_is_left(busy);
#ifdef MUT_ADOPT_ANY
		     busy = true;
#endif
		     if
		     :: busy -> thread = t; assert(!ghost_takes); ghost_of = t; ghost_change(OWN)
		     :: else
		     fi };
		STEP control[OWN] = false; profil_put(OWN); busy = false }
	:: else
	fi
}

inline ghost_start_own()
{
	STEP profil_find_thread(t, q, busy) };
	if
	:: q == NONE -> profil_create(OWN);
			STEP profil_find_thread(t, q, busy) };
			if
			:: q == NONE -> profil_take_over()
			:: else
			fi
	:: else
	fi;
	STEP profil_find_thread(t, q, busy);
	     if
	     :: q == OWN -> profil_claim(t); refs[OWN]++
	     :: else
	     fi };
	if
	:: q == OWN ->
		STEP !control[OWN] -> control[OWN] = true };
		profil_start(OWN);
		STEP control[OWN] = false; profil_put(OWN) }
	:: else
	fi;
	STEP q = NONE }
}

/* By its page: whosever it is. */
inline ghost_stop_own()
{
	STEP q = (refs[OWN] > 0 && !closed[OWN] -> OWN : NONE);
	     if
	     :: q == OWN -> refs[OWN]++
	     :: else
	     fi };
	if
	:: q == OWN ->
		STEP !control[OWN] -> control[OWN] = true };
		profil_stop(OWN);
		STEP control[OWN] = false; profil_put(OWN); q = NONE }
	:: else
	fi
}

/* The whole of it: that the process's is right is for profil.pml. */
inline ghost_start_process()
{
	profil_create(PROCESS);
	STEP profil_find_process(q);
	     if
	     :: q == PROCESS && !closed[PROCESS] && !live[PROCESS] ->
		run_[PROCESS] = 1; live[PROCESS] = true; ghost_change(PROCESS)
	     :: else
	     fi;
	     q = NONE }
}

/* exit_mm(), and the next task gets the structure. */
inline ghost_exit()
{
	STEP in_mm[t] = false;
	     if
	     :: owner == address[t] -> owner = NONE
	     :: else
	     fi };
#ifdef CHILD
	STEP if
	     :: t == 1 -> address[3] = address[1]; born[3] = true; in_mm[3] = true
	     :: else
	     fi }
#endif
}

proctype ghost_thread(byte t; byte calls)
{
	byte q = NONE;
	bool busy, own;

#ifdef CHILD
	if
	:: born[t]
	:: calls_done == THREADS - 1 && !born[t] -> goto done
	fi;
#endif
	do
	:: calls > 0 ->
		calls--;
		if
		:: ghost_start_own()
		:: MEDDLES -> ghost_stop_own()
		:: MEDDLES -> profil_vm_close(OWN)
		:: MEDDLES -> ghost_start_process()
		:: MEDDLES -> profil_vm_close(PROCESS)
		fi
	:: break
	od;
#ifdef EXITS
	if
	:: ghost_exit()
	:: t != 1
	fi;
#endif
done:
	atomic { calls_done++ }
}

init {
	byte i;

	atomic {
		chain[0] = NONE; chain[1] = NONE; thread = NONE; newborn = NONE;
		owner = 1;
		for (i : 1 .. THREADS) {
			address[i] = i; in_mm[i] = true; born[i] = true
		};
		/* The process is profiled. */
		refs[PROCESS] = 1; run_[PROCESS] = 1; live[PROCESS] = true;
		chain[0] = PROCESS; chained = 1;
#ifdef CHILD
		/* And so is its thread, which nobody knows but by its address. */
		refs[OWN] = 1; run_[OWN] = 1; live[OWN] = true;
		chain[1] = OWN; chained = 2;
		divided[PROCESS] = true; divided[OWN] = true;
		newborn = 1; ghost_of = 1; ghost_takes = true;
		address[3] = NONE; in_mm[3] = false; born[3] = false;
#endif
		run ghost_thread(1, CALLS_1);
		run ghost_thread(2, CALLS_2);
#if THREADS > 2
		run ghost_thread(3, CALLS_3);
#endif
		for (i : 1 .. THREADS) {
			run profil_tick_hit(i)
		}
	}
}
