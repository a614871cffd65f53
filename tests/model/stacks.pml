/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A model of kmod/stack/capture.c: ticks that take an entry for the stack of their thread, add
 * to it, walks and writes on the way to user mode, an exit, and calls that start and stop
 * runs, and are killed. deferral.pml says what names mean. Each tick is in one record, or
 * counted as stackless.
 */
mtype:rule = { NO_RULE, STOP_NO_DRAIN, TAKE_LATE, FREE_BLIND, FREE_TICKS, FREE_FIRST };
mtype:stage = { PROFIL_STOPPED, PROFIL_LIVE, PROFIL_STOPPING };
#define MOST	2	/* threads, and entries */
#define NONE	255

/* @ghost_run: the run of its ticks. */
typedef entry { byte task, count, ip, ghost_run; bool walking };
entry E[MOST];
mtype:stage stage = PROFIL_STOPPED;
byte live, run_, refs, walkers, ticks[STARTS + 1], recorded[STARTS + 1], stackless[STARTS + 1];
/* Threads and their CPUs. A thread's place does not change before its callback has ended. */
byte place[MOST + 1], task_work[MOST + 1] = NONE;
bool inflight[MOST + 1], mm[MOST + 1], exiting[MOST + 1], dead[MOST + 1];

#define own_entry(t)	(E[0].task == t -> 0 : (ENTRIES == 2 && E[1].task == t -> 1 : NONE))

inline fill_entry() { E[e].count = 1; E[e].ip = place[t]; E[e].ghost_run = rr }
/* cmpxchg(), in the order of the set. */
inline take() {
	e = 0;
	do :: e < ENTRIES ->
		if :: atomic { E[e].task == 0 && BROKEN != TAKE_LATE -> E[e].task = t; break }
		:: BROKEN == TAKE_LATE && E[e].task == 0 -> E[e].task = t; break
		:: E[e].task != 0 -> e++ fi
	:: else -> e = NONE; break od
}
inline reserve() {
	take();
	if :: e != NONE -> fill_entry();
		assert(task_work[t] == NONE && E[e].task == t);
		task_work[t] = e; refs++
	:: else -> stackless[rr]++ fi
}
inline tick(user) {
	inflight[t] = true; rr = (mm[t] -> live : 0);
	if :: rr != 0 -> ticks[rr]++; e = own_entry(t); assert(!user || e == NONE);
		if :: e == NONE && !exiting[t] -> reserve()
		:: e == NONE && exiting[t] -> stackless[rr]++
		:: e != NONE && E[e].count == 0 -> fill_entry()
		:: e != NONE && E[e].count > 0 && E[e].ip == place[t] ->
			assert(E[e].ghost_run == rr); E[e].count++
		:: else -> stackless[rr]++ fi
	:: else fi;
	atomic { inflight[t] = false; rr = 0; e = NONE }
}
/* What may happen wherever the thread has interrupts on. */
inline pause() {
	if :: atomic { ticks_left > 0 -> ticks_left-- }; tick(false)
	:: true fi
}

/* Under the lock. @at: where the thread was when its stack was walked. */
inline write_record(v, at) {
	if :: E[v].count > 0 && stage != PROFIL_STOPPED ->
		assert(E[v].task != 0 && E[v].ghost_run == run_ && at == E[v].ip);
		recorded[run_] = recorded[run_] + E[v].count; E[v].count = 0
	:: else fi
}
inline unreserve() {
	assert(E[v].task == t);
	if :: E[v].count > 0 && BROKEN != FREE_BLIND ->
		atomic { stackless[E[v].ghost_run] = stackless[E[v].ghost_run] + E[v].count; E[v].count = 0 }
	:: else fi;
	if :: BROKEN == FREE_TICKS -> pause() :: else fi;
	if :: BROKEN == FREE_FIRST -> E[v].task = 0 :: else fi;
	atomic { if :: E[v].walking -> assert(walkers > 0); walkers-- :: else fi };
	E[v].walking = false;
	E[v].task = 0;
	v = NONE; refs--
}
/* A write that fails leaves the ticks to unreserve(). */
inline callback() {
	pause();
	if :: atomic { mm[t] && E[v].count > 0 && stage != PROFIL_STOPPED ->
			assert(E[v].task == t && !E[v].walking); E[v].walking = true; walkers++ };
		pause();
		do :: atomic { write_record(v, place[t]) }; pause();
			if :: E[v].count > 0 :: break fi
		:: break od
	:: else fi;
	unreserve()
}
inline task_work_run() {
	do :: atomic { task_work[t] != NONE -> v = task_work[t]; task_work[t] = NONE }; callback()
	:: else -> break od
}

proctype thread(byte t, ticks_left) {
	byte e = NONE, v = NONE, rr;

	do :: place[t] = 1 - place[t]; pause(); task_work_run()
	:: atomic { ticks_left > 0 && live != 0 -> ticks_left-- }; tick(true); task_work_run()
	:: break od;
	/* do_exit(): a callback may be queued already. */
	pause(); exiting[t] = true; pause(); mm[t] = false; task_work_run();
	dead[t] = true
}

/* The first look may find an entry that its thread frees meanwhile. */
inline settle_entry(i) {
	atomic { task = E[i].task; looked = false;
		if :: task != 0 && E[i].count > 0 && mm[task] && place[task] == E[i].ip -> looked = true
		:: else fi };
	if :: looked -> walked = place[task] :: else fi;
	atomic { if :: looked :: else -> walked = E[i].ip fi;
		write_record(i, walked); walked = 0 }
}
/* Begins run @new, unless it is 0. Sets killed. */
inline stop(new) {
	killed = false;
	if :: run_ != 0 ->
		live = 0;
		if :: BROKEN != STOP_NO_DRAIN -> !inflight[1]; !inflight[2] :: else fi;
		stage = PROFIL_STOPPING;
		for (i : 0 .. ENTRIES - 1) {
			if :: atomic { kills > 0 && !killed -> kills--; killed = true }
			:: killed
			:: !killed && E[i].task == 0
			:: !killed && E[i].task != 0 -> settle_entry(i) fi
		}
	:: else fi;
	atomic { if :: !killed ->
		assert(ticks[run_] == recorded[run_] + stackless[run_]);
		run_ = new; live = new; stage = (new == 0 -> PROFIL_STOPPED : PROFIL_LIVE)
	:: else fi }
}

init {
	byte i, task, walked, new, kills = KILLS;
	bool killed, looked;

	atomic {
		for (i : 1 .. THREADS) { mm[i] = true };
		run thread(1, TICKS);
		if :: THREADS == 2 -> run thread(2, 1) :: else -> dead[2] = true fi
	};
	do :: new < STARTS -> stop((new + 1)); new = (killed -> new : new + 1) :: else -> break od;
	do :: stop(0); if :: killed :: else -> break fi od;
	dead[1] && dead[2];
	assert(refs == 0 && walkers == 0 && E[0].task == 0 && E[1].task == 0)
}
