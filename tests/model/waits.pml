/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A model of kmod/stack/waits.c and wait_ends.c: switches of threads on their CPUs, callbacks,
 * walks for ticks, exits, and calls that start and stop runs, and are killed. deferral.pml
 * says what names mean. Each wait reaches one sample or none.
 */
mtype:rule = { NO_RULE, STOP_NO_DRAIN, START_LATE, FREE_NOTED, SETTLE_QUEUED, TAKE_OTHERS,
	WALK_KEEPS };
mtype:stage = { PROFIL_STOPPED, PROFIL_LIVE, PROFIL_STOPPING };
#define MOST	2	/* threads, and places */
#define NONE	255

/* Task and next run: 0 is none. Samples have no record yet. @id: set after @task. */
typedef wait { byte task, next, samples, ghost_run; bool running, held, queued, walking, id };
wait W[MOST];
mtype:stage stage = PROFIL_STOPPED;
byte live, run_, refs, reached[STARTS + 1], written[STARTS + 1], waits_lost[STARTS + 1];
/* Threads and their CPUs. Of cpu_state: the run of the thread's next sample, and its w. */
byte place[MOST + 1], waiter[MOST + 1] = NONE, task_work[MOST + 1] = NONE;
bool inflight[MOST + 1], on_cpu[MOST + 1], mm[MOST + 1], exiting[MOST + 1], dead[MOST + 1];
bool tick_work[MOST + 1], tick_walking[MOST + 1], tick_waits[MOST + 1];
byte ghost_waits[MOST + 1];	/* the run that has noted the thread's wait */

#define find(t)	(W[0].task == t -> 0 : (W[1].task == t -> 1 : NONE))

/* Sets w. There are enough. */
inline claim(t) { assert(find(t) == NONE); w = find(0); assert(w != NONE); W[w].task = t }
inline free(v) {
	assert(W[v].task != 0 && W[v].next == 0 && W[v].samples == 0 && !W[v].held &&
	       !W[v].queued && !W[v].walking && W[v].id);
	W[v].task = 0; W[v].id = false
}
inline drop(v) {
	waits_lost[W[v].ghost_run] = waits_lost[W[v].ghost_run] + W[v].samples;
	W[v].samples = 0; W[v].held = false
}
/* Under the lock, in the thread or in a stop. The memory of a stopped run is the caller's. */
inline write_record(v) {
	if :: W[v].samples > 0 && stage != PROFIL_STOPPED ->
		assert(W[v].ghost_run == run_);
		written[run_] = written[run_] + W[v].samples; W[v].samples = 0
	:: else fi
}

inline enter() { inflight[t] = true; rr = (mm[t] -> live : 0) }
inline leave() { inflight[t] = false; rr = 0; nxt = 0; w = NONE }
inline waits_out() {
	enter();
	if :: rr != 0 && place[t] == rr ->
		atomic { w = waiter[t];
			if :: w != NONE && (W[w].task == t || BROKEN == TAKE_OTHERS) :: else -> claim(t) fi };
		atomic { assert(W[w].task == t); W[w].next = rr; W[w].running = false; ghost_waits[t] = rr };
		W[w].id = true :: else fi;
	atomic { place[t] = 0; waiter[t] = NONE; on_cpu[t] = false; leave() }
}
/* With samples or without. */
inline end_wait() {
	if :: !W[w].held -> free(w)
	:: W[w].held
	:: reached[rr]++;
		if :: !W[w].held && exiting[t] -> waits_lost[rr]++; free(w)
		:: else ->
			assert(W[w].samples == 0 || W[w].ghost_run == rr);
			W[w].samples++; W[w].ghost_run = rr;
			if :: W[w].held
			:: !W[w].held && tick_walking[t] -> tick_waits[t] = true
			:: else -> assert(mm[t] && task_work[t] == NONE);
				W[w].queued = true; task_work[t] = w; refs++ fi;
			W[w].held = true
		fi
	fi
}
inline waits_in() {
	on_cpu[t] = true; enter();
	if :: rr != 0 ->
		atomic { w = find(t);
			if :: w != NONE -> nxt = W[w].next; W[w].next = 0 :: else fi;
			assert((nxt == 0 || nxt == rr) && (ghost_waits[t] != rr || nxt == rr)) };
		atomic { if :: nxt != 0 -> end_wait() :: else fi;
			place[t] = rr; waiter[t] = w; ghost_waits[t] = 0 }
	:: else fi;
	atomic { leave() }
}
/* A tick finds a thread that the run does not know. */
inline waits_here() {
	enter();
	atomic { if :: rr != 0 && place[t] != rr ->
			w = find(t);
			if :: w == NONE :: else -> W[w].next = 0; if :: W[w].held :: else -> free(w) fi fi;
			place[t] = rr; waiter[t] = w; ghost_waits[t] = 0
		:: else fi;
		leave() }
}
/* What may happen wherever the thread may sleep. */
inline pause() {
	if :: atomic { waits_left > 0 -> waits_left-- }; waits_out(); waits_in()
	:: atomic { ticks_left > 0 -> ticks_left-- }; waits_here()
	:: true fi
}

/* Twice, if there are samples again. */
inline write_samples() {
	W[v].walking = true; again = true;
	do :: if :: mm[t] -> pause(); atomic { write_record(v) }; pause() :: else fi;
		atomic { assert(W[v].task == t && W[v].held && W[v].queued);
			if :: again && W[v].samples > 0 && mm[t] -> again = false
			:: else -> drop(v); W[v].queued = false; W[v].walking = false;
				if :: BROKEN == FREE_NOTED -> W[v].next = 0 :: else fi;
				if :: W[v].next == 0 -> free(v) :: else fi;
				v = NONE; break fi }
	od
}
/* The walk for ticks writes samples of waits, too, before it ends. */
inline stack_callback() {
	tick_walking[t] = true; pause();
	if :: atomic { tick_waits[t] && mm[t] -> tick_waits[t] = false; v = find(t) };
		if :: atomic { v != NONE && W[v].held && !W[v].queued -> W[v].queued = true };
			write_samples()
		:: else fi
	:: true fi;
	atomic { v = find(t);
		if :: tick_waits[t] && v != NONE && W[v].held && !W[v].queued && BROKEN != WALK_KEEPS ->
			drop(v); if :: W[v].next == 0 -> free(v) :: else fi
		:: else fi;
		tick_walking[t] = false; tick_waits[t] = false; v = NONE }
}
inline task_work_run() {
	do :: atomic { task_work[t] != NONE -> v = task_work[t]; task_work[t] = NONE };
		write_samples(); refs--
	:: atomic { tick_work[t] -> tick_work[t] = false }; stack_callback()
	:: atomic { task_work[t] == NONE && !tick_work[t] ->
			/* A stop writes what it has held itself. */
			assert(stage == PROFIL_STOPPING || find(t) == NONE || !W[find(t)].held); break }
	od
}

proctype thread(byte t, waits_left, ticks_left) {
	byte w = NONE, v = NONE, rr, nxt;
	bool again;

	do :: pause(); task_work_run()
	:: atomic { ticks_left > 0 && place[t] != 0 && place[t] == live ->
			ticks_left--; tick_work[t] = true }; task_work_run()
	:: break od;
	/* do_exit(): a callback may be queued already. */
	pause(); exiting[t] = true; pause(); mm[t] = false; task_work_run();
	atomic { on_cpu[t] = false; dead[t] = true }
}

inline note_threads(rr) {
	for (i : 1 .. THREADS) { atomic { if :: mm[i] && !exiting[i] ->
			w = find(i); if :: w == NONE -> claim(i); W[w].id = true :: else -> assert(W[w].id) fi;
			W[w].next = rr; W[w].running = on_cpu[i]; ghost_waits[i] = rr
		:: else fi } }
}
/* The thread waits, with a sample or without; or it was not seen, or is gone. */
inline cut_wait(v) {
	if :: W[v].next != 0 ->
		assert(W[v].next == run_); assert(W[v].id);
		W[v].next = 0; ghost_waits[W[v].task] = 0;
		if :: true
		:: !W[v].running || mm[W[v].task] -> reached[run_]++;
			if :: dead[W[v].task] -> waits_lost[run_]++
			:: else -> W[v].samples++; W[v].ghost_run = run_; W[v].held = true fi
		fi
	:: else fi
}
/* Begins run @new, unless it is 0. Sets killed. */
inline stop(new) {
	killed = false;
	if :: run_ != 0 ->
		live = 0;
		if :: BROKEN != STOP_NO_DRAIN -> !inflight[1]; !inflight[2] :: else fi;
		stage = PROFIL_STOPPING;
		for (i : 0 .. MOST - 1) { atomic { cut_wait(i) } }
		for (i : 0 .. MOST - 1) {
			if :: atomic { kills > 0 && !killed -> kills--; killed = true }
			:: killed
			:: atomic { !killed -> write_record(i) };
				atomic { if :: W[i].task != 0 && (!W[i].queued || BROKEN == SETTLE_QUEUED) ->
					drop(i); free(i) :: else fi } fi
		}
	:: else fi;
	if :: new != 0 && !killed && BROKEN != START_LATE -> note_threads(new) :: else fi;
	atomic { if :: !killed ->
		assert(W[0].samples == 0 && W[1].samples == 0);
		assert(reached[run_] == written[run_] + waits_lost[run_]);
		run_ = new; live = new; stage = (new == 0 -> PROFIL_STOPPED : PROFIL_LIVE)
	:: else fi };
	if :: new != 0 && BROKEN == START_LATE -> note_threads(new) :: else fi
}

init {
	byte i, w, new, kills = KILLS;
	bool killed;

	atomic {
		for (i : 1 .. THREADS) { mm[i] = true; on_cpu[i] = true };
		run thread(1, WAITS, TICKS);
		if :: THREADS == 2 -> run thread(2, 1, 0) :: else -> dead[2] = true fi
	};
	do :: new < STARTS -> stop((new + 1)); new = (killed -> new : new + 1) :: else -> break od;
	do :: stop(0); if :: killed :: else -> break fi od;
	/* What is left are callbacks. */
	dead[1] && dead[2];
	assert(refs == 0 && W[0].task == 0 && W[1].task == 0)
}
