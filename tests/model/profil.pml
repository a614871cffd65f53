/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A model of how ticks, callbacks, calls, forks and closes of one profile meet.
 *
 * Inlines and constants are named as in kmod/, and follow it call by call;
 * drift.sh compares the two. What has no counterpart there is named ghost_*:
 * what the model knows and asserts. Other names are the kernel's.
 *
 * What is modelled how:
 * - Each task has a CPU. Its tick is a process of its own, which may begin wherever
 *   the task has interrupts on. The task waits for it (irq) before it does what
 *   would make a difference to it; that it goes on elsewhere only adds cases.
 * - Code under the raw lock is one step, but for that which changes what others
 *   look at without it (profil_start(), profil_branch()).
 * - Memory is sequentially consistent. A missing barrier is a mutation that
 *   changes the order.
 * - Time is chance: whoever looks at the clock may find it late.
 * - A kill is chance, too, and stays pending. A killed task exits.
 * - A page is there or not. Reclaim, an unmapping, and a fork, which makes pages
 *   read-only, take it away.
 * - Counts are small: slots, callbacks, tries, ticks; see scenarios.pml.
 *
 * - Others write to a counter a number of times, and then it is tried again.
 * - A counter that spans words spans two pages here: 0 is where it begins, and 1
 *   where it is carried to.
 *
 * What is not modelled: userfaultfd, mappings that are moved, memory that cannot
 * be allocated in a start, carries of carries, CPUs that reorder.
 *
 * MUT_*: a rule is broken, and test.sh sees that this is found.
 */
#include "scenarios.pml"

#define NONE	255		/* no profile */
#define NO_MM	255
#define NO_PAGE	255

mtype:stage = { PROFIL_STOPPED, PROFIL_LIVE, PROFIL_STOPPING, PROFIL_CLOSED };
mtype:state = { PROFIL_STATE_OFF, PROFIL_STATE_ON, PROFIL_STATE_FULL,
		PROFIL_STATE_LIMIT, PROFIL_STATE_FAULT, PROFIL_STATE_DENIED };
mtype:mode = { PROFIL_MODE_HISTOGRAM, PROFIL_MODE_SAMPLES };
mtype:patience = { PROFIL_TRY, PROFIL_WAIT };
mtype:errno = { EACCES, EAGAIN, EBUSY, EFAULT, EINPROGRESS, EINTR, ENOENT, ENOMEM, EPERM,
		ESTALE, PROFIL_COUNT_CARRY };

typedef profil {
	byte mm;
	byte live;			/* a run, or 0 */
	bool lock;
	mtype:stage stage;
	byte run_;
	byte next;			/* a run, or 0 */
	bool forked;
	byte ref;			/* 0: not yet, or no longer */
	bool control;
	bool hashed;

	/* defer */
	byte first;
	byte n;
	byte page[SLOTS];
	byte value[SLOTS];
	byte index[SLOTS];
	byte pid_[SLOTS];
	byte tries[SLOTS];
	byte ghost_run[SLOTS];		/* what the update was for */

	/* callbacks */
	byte settler;
	byte task[CALLBACKS];
	bool ghost_system[CALLBACKS];	/* taken in a system tick */

	/* status */
	mtype:state state;
	byte ticks;
	byte counted;
	byte outside;
	byte dropped;

#ifdef OLD
	bool held;
	bool queued;
	bool working;
#endif

	bool ghost_closed;		/* profil_close() has returned */
};

profil P[PROFILES];

/* Runs are numbered from 1. */
byte run_ref[RUNS + 1];
bool run_waits[RUNS + 1];		/* PROFIL_ATTENTION_WAITING */
byte run_position[RUNS + 1];
bool ghost_freed[RUNS + 1];
bool ghost_sealed[RUNS + 1];		/* its buffer is the caller's again */
byte ghost_written[RUNS + 1];
byte ghost_owed[RUNS + 1];		/* carries that have not been done or given up */
bool ghost_told[RUNS + 1];		/* that it has started */
byte ghost_from;			/* what the child's run was copied from */
byte ghost_runs;			/* how many there have been */
byte ghost_profiles;

/* Tasks and their CPUs are numbered from 1. */
byte profil_inflight[TASKS + 1] = NONE;
bool irq[TASKS + 1];			/* the CPU is in a tick */
bool user_mode[TASKS + 1];
bool ghost_blocked[TASKS + 1];		/* sleeps for ever */
bool ghost_alive[TASKS + 1];
bool PF_EXITING[TASKS + 1];
bool fatal_signal_pending[TASKS + 1];
byte mm[TASKS + 1] = NO_MM;
byte task_works[TASKS + 1];		/* bit per profile */
bool irqs_off[TASKS + 1];		/* the raw lock is held over several steps */
bool ghost_fresh[TASKS + 1];		/* has done something since its last tick */

/* Address spaces. Page @a of the buffer is page_present[mm * PAGES + a]. */
byte mm_users[MMS];
byte mmap_readers[MMS];
bool mmap_writer[MMS];
byte vm_private_data[MMS] = NONE;	/* the profile whose page is mapped */
bool page_present[MMS * PAGES];
bool page_mapped[MMS * PAGES];
byte page_stored[MMS];			/* bit per sample */

/* The clock of the rate that all runs have. */
byte clock_users;
bool clock_armed;
bool clock_mutex;

bool profil_enabled = true;
bool ghost_denying;

byte ticks_left = TICKS;
byte contentions_left = CONTENTIONS;
#ifdef CARRIES
byte carries_left = CARRIES;
#endif
byte ghost_done;			/* tasks that do nothing any more */

#define mode	MODE

#define ON_PAGE(p, a)	(P[p].mm * PAGES + (a))
#if PROFILES > 1
#define ghost_live()	((P[0].live != 0) + (P[1].live != 0))
#else
#define ghost_live()	(P[0].live != 0)
#endif
#define HEAD(p)		(P[p].first % SLOTS)

/* --- what is asserted ------------------------------------------------------- */

/* The process's memory is changed for run @rr of @p. */
inline ghost_touch(p, rr) {
	assert(P[p].ref > 0);
	assert(!P[p].ghost_closed);
	assert(rr != 0 && !ghost_freed[rr]);
	assert(!ghost_sealed[rr])
}

/* A tick or a sample is done. */
inline ghost_write(p, rr) {
	ghost_touch(p, rr);
	ghost_written[rr]++
}

/* Carries are done, or given up. */
inline ghost_pay(rr, times) {
	assert(ghost_owed[rr] >= times);
	ghost_owed[rr] = ghost_owed[rr] - times
}

/* Each tick has one fate, and each that counts is in memory. */
inline ghost_identity(p) {
	assert(P[p].ticks == P[p].counted + P[p].outside + P[p].dropped);
	assert(P[p].run_ == 0 || P[p].counted == ghost_written[P[p].run_]);
	assert(P[p].run_ == 0 || ghost_owed[P[p].run_] == 0)
}

inline ghost_use_run(rr) {
	assert(rr != 0 && run_ref[rr] > 0 && !ghost_freed[rr])
}

/* --- clock_use.c, clock.c --------------------------------------------------- */

inline profil_clock_get() {
	clock_users++
}

inline profil_clock_put() {
	atomic {
		assert(clock_users > 0);
		clock_users--
	}
}

/* Sets ret. */
inline profil_clock_arm() {
	profil_clock_get();
	if
	:: atomic { !clock_mutex -> clock_mutex = true };
		d_step { clock_armed = true; clock_mutex = false };
		ret = 0
	:: atomic { fatal_signal_pending[t] -> ret = EINTR };
		profil_clock_put()
	fi
}

/* Some time after the last put. */
proctype profil_disarm_work() {
end:
	do
	:: atomic { clock_users == 0 && clock_armed && !clock_mutex -> clock_mutex = true };
		if
		:: clock_users == 0 ->
			clock_armed = false;
			assert(ghost_live() == 0)
		:: else
		fi;
		clock_mutex = false
	od
}

/* --- live.c ----------------------------------------------------------------- */

inline profil_enter(p, rr) {
#ifdef MUT_ENTER_LATE
	rr = P[p].live;
	profil_inflight[t] = p;
#else
	profil_inflight[t] = p;
	rr = P[p].live;
#endif
}

inline profil_leave() {
	profil_inflight[t] = NONE
}

inline profil_publish(p, rr) {
	atomic {
		assert(P[p].stage == PROFIL_LIVE && P[p].live == 0);
		assert(!P[p].ghost_closed);
		assert(clock_users > 0 && clock_armed);
		P[p].live = rr
	}
}

inline profil_unpublish(p, rr, s) {
	if
#ifdef MUT_UNPUBLISH_TWICE
	:: P[p].live == rr -> P[p].live = 0;
#else
	:: atomic { P[p].live == rr -> P[p].live = 0 };
#endif
#ifdef CLOCK
		P[p].state = s;
		profil_clock_put()
#else
		/* Nobody looks between these. */
		atomic { P[p].state = s; profil_clock_put() }
#endif
	:: else
	fi
}

inline profil_drain(p) {
	profil_inflight[1] != p;
#ifdef OLD
	profil_inflight[0] != p;
#endif
#if TASKS > 1
	profil_inflight[2] != p;
#endif
#if TASKS > 2
	profil_inflight[3] != p;
#endif
}

/* --- the raw lock, and references ------------------------------------------- */

inline raw_spin_lock(p) {
	atomic { !P[p].lock -> P[p].lock = true; irqs_off[t] = true }
}

inline raw_spin_unlock(p) {
	d_step { irqs_off[t] = false; P[p].lock = false }
}

inline kref_get(p) {
	atomic {
		assert(P[p].ref > 0);
		P[p].ref++
	}
}

inline profil_run_put(rr) {
	d_step {
		if
		:: rr != 0 ->
			assert(run_ref[rr] > 0);
			run_ref[rr]--;
			ghost_freed[rr] = (run_ref[rr] == 0)
		:: else
		fi
	}
}

inline profil_release(p) {
	assert(P[p].live == 0 && P[p].next == 0 && P[p].settler == 0);
	profil_run_put(P[p].run_);
	P[p].run_ = 0;
	profil_slots_free(p);
	assert(!P[p].hashed && !P[p].lock && !P[p].control);
	ghost_no_callback(p)
}

/* The module may go now: no callback may be left to run. */
inline ghost_no_callback(p) {
	assert(!(task_works[1] & (1 << p)));
#if TASKS > 1
	assert(!(task_works[2] & (1 << p)));
#endif
#if TASKS > 2
	assert(!(task_works[3] & (1 << p)));
#endif
}

inline profil_put(p) {
	atomic {
		assert(P[p].ref > 0);
		P[p].ref--;
		if
		:: P[p].ref == 0 -> profil_release(p)
		:: else
		fi
	}
}

/* --- update.c, update.h ----------------------------------------------------- */

inline profil_defer_set_waiting(rr, w) {
	ghost_use_run(rr);
	run_waits[rr] = w
}

/* Sets err. */
inline profil_count(p, rr, a) {
	if
	:: atomic { page_present[ON_PAGE(p, a)] -> ghost_write(p, rr);
		P[p].counted++; err = 0 };
#ifdef LIMIT
		if
		:: true
		:: true -> profil_unpublish(p, rr, PROFIL_STATE_LIMIT)
		fi
#endif
#if CONTENTIONS
	:: atomic { page_present[ON_PAGE(p, a)] && contentions_left > 0 ->
		contentions_left--; err = EAGAIN }
#endif
#ifdef CARRIES
	/* The other page was there, and then the word was another's, or it is gone. */
	:: atomic { page_present[ON_PAGE(p, 0)] && page_present[ON_PAGE(p, 1)] &&
		    carries_left > 0 ->
		carries_left--;
		ghost_write(p, rr); ghost_owed[rr]++; err = PROFIL_COUNT_CARRY }
	:: atomic { page_present[ON_PAGE(p, 0)] && !page_present[ON_PAGE(p, 1)] ->
		err = EFAULT }
#endif
	:: else -> err = EFAULT
	fi
}

/* Sets err. */
inline profil_store(p, rr, a, at) {
	if
	:: atomic { page_present[ON_PAGE(p, a)] -> ghost_write(p, rr);
		assert(!(page_stored[P[p].mm] & (1 << at)));
		page_stored[P[p].mm] = page_stored[P[p].mm] | (1 << at);
		P[p].counted++; err = 0 }
	:: else -> err = EFAULT
	fi
}

#ifdef CARRIES
#define IS_CARRY(p)	(P[p].page[HEAD(p)] == 1)
#else
#define IS_CARRY(p)	false
#endif

/* Sets err. */
inline profil_update_count(p) {
	profil_count(p, P[p].run_, P[p].page[HEAD(p)]);
	if
	:: err == PROFIL_COUNT_CARRY -> P[p].counted++
	:: else
	fi
}

/* Sets err. */
inline profil_update_carry(p) {
	if
	:: page_present[ON_PAGE(p, P[p].page[HEAD(p)])] ->
		ghost_touch(p, P[p].run_);
		ghost_pay(P[p].run_, 1);
		err = 0;
#ifdef LIMIT
		if
		:: true
		:: true -> profil_unpublish(p, P[p].run_, PROFIL_STATE_LIMIT)
		fi
#endif
#if CONTENTIONS
	:: page_present[ON_PAGE(p, P[p].page[HEAD(p)])] && contentions_left > 0 ->
		contentions_left--; err = EAGAIN
#endif
	:: else -> err = EFAULT
	fi
}

/* Sets err. */
inline profil_update_apply(p) {
	ghost_use_run(P[p].run_);
	assert(P[p].ghost_run[HEAD(p)] == P[p].run_);
	if
	:: mode == PROFIL_MODE_SAMPLES ->
		profil_store(p, P[p].run_, P[p].page[HEAD(p)], P[p].index[HEAD(p)])
	:: mode != PROFIL_MODE_SAMPLES && IS_CARRY(p) -> profil_update_carry(p)
	:: else -> profil_update_count(p)
	fi
}

inline profil_update_drop(p) {
	if
	:: IS_CARRY(p) -> ghost_pay(P[p].run_, P[p].value[HEAD(p)])
	:: else -> P[p].dropped = P[p].dropped + P[p].value[HEAD(p)]
	fi
}

/* Also what stops a whole region: that ends nothing for others. */
inline profil_update_fault(p) {
	profil_update_drop(p);
	if
	:: mode == PROFIL_MODE_SAMPLES -> profil_stop_array(p)
	:: else -> profil_stop_region(p)
	fi
}

inline profil_stop_array(p) {
	profil_unpublish(p, P[p].run_, PROFIL_STATE_FAULT)
}

inline profil_stop_region(p) {
	if
	:: true -> profil_unpublish(p, P[p].run_, PROFIL_STATE_FAULT)
	:: true
	fi
}

/* --- slots.c, defer.c: the slots -------------------------------------------- */

/* Of a histogram. Sets i: a slot, or n. */
inline profil_slots_find(p, a) {
	i = 0;
	do
	:: i < P[p].n && P[p].page[(P[p].first + i) % SLOTS] != a -> i++
	:: else -> break
	od
}

/* Sets added. */
inline profil_slot_add(p, rr, a, at) {
	added = true;
	i = P[p].n;
	if
	:: mode == PROFIL_MODE_HISTOGRAM -> profil_slots_find(p, a)
	:: else
	fi;
	if
	:: i < P[p].n ->
		i = (P[p].first + i) % SLOTS;
		P[p].value[i] = MORE(P[p].value[i])
	:: i == P[p].n && P[p].n == SLOTS -> added = false
	:: else ->
		i = (P[p].first + P[p].n) % SLOTS;
		P[p].page[i] = a;
		P[p].value[i] = 1;
		P[p].index[i] = at;
		P[p].pid_[i] = t;
		P[p].tries[i] = 0;
		P[p].ghost_run[i] = rr;
		P[p].n++
	fi;
	i = 0
}

inline profil_slot_remove(p) {
	assert(P[p].n > 0);
	i = HEAD(p);
	P[p].page[i] = 0;
	P[p].value[i] = 0;
	P[p].index[i] = 0;
	P[p].pid_[i] = 0;
	P[p].tries[i] = 0;
	P[p].ghost_run[i] = 0;
	i = 0;
	P[p].first++;
	P[p].n--;
	if
	:: P[p].n == 0 -> profil_defer_set_waiting(P[p].run_, false)
	:: else
	fi
}


/* --- profile.c: stage and status -------------------------------------------- */

inline profil_set_stage(p, to) {
	assert((to == PROFIL_STOPPED && P[p].stage == PROFIL_STOPPING) ||
	       (to == PROFIL_LIVE && P[p].stage == PROFIL_STOPPED) ||
	       (to == PROFIL_STOPPING && P[p].stage == PROFIL_LIVE) ||
	       (to == PROFIL_CLOSED && (P[p].stage == PROFIL_STOPPED ||
		P[p].stage == PROFIL_LIVE || P[p].stage == PROFIL_STOPPING)));
	P[p].stage = to
}

inline profil_status_reset(p) {
	d_step {
		P[p].state = PROFIL_STATE_ON;
		P[p].ticks = 0;
		P[p].counted = 0;
		P[p].outside = 0;
		P[p].dropped = 0
	}
}

/* --- page.c ----------------------------------------------------------------- */

/* Sets err. */
inline mmap_read_lock_killable(as) {
	if
	:: atomic { !mmap_writer[as] -> mmap_readers[as]++; err = 0 }
	:: atomic { fatal_signal_pending[t] -> err = EINTR }
	fi
}

/* Sets err. */
inline mmap_read_trylock(as) {
	atomic {
		if
		:: !mmap_writer[as] -> mmap_readers[as]++; err = 0
		:: else -> err = EAGAIN
		fi
	}
}

inline mmap_read_unlock(as) {
	mmap_readers[as]--
}

inline mmap_write_lock(as) {
	atomic { mmap_readers[as] == 0 && !mmap_writer[as] -> mmap_writer[as] = true }
}

/* Sets err. */
inline profil_vma_fault(as, a) {
	atomic {
		if
		:: page_mapped[as * PAGES + a] ->
			page_present[as * PAGES + a] = true;
			err = 0
		:: else -> err = EFAULT
		fi
	}
}

/* Sets err. The areas that are refused are those that are not mapped. */
inline profil_page_in_one(as, a, patience) {
	if
	:: patience == PROFIL_WAIT -> mmap_read_lock_killable(as)
	:: else -> mmap_read_trylock(as)
	fi;
	if
	:: err == 0 ->
#ifdef KEYS
		/* One thread's keys forbid it; or the area changed meanwhile. */
		if
		:: profil_vma_fault(as, a)
		:: t == 2 -> err = EACCES
		:: err = EBUSY
		fi;
#else
		profil_vma_fault(as, a);
#endif
		mmap_read_unlock(as)
	:: else
	fi
}

inline profil_page_in(p, a, patience) {
	assert(P[p].mm == mm[t] && mm_users[P[p].mm] > 0);
	profil_page_in_one(mm[t], a, patience);
#ifdef CARRIES
	if
	:: err == 0 && a == 0 -> profil_page_in_one(mm[t], 1, patience)
	:: else
	fi
#endif
}

/* --- defer.c: what ticks do ------------------------------------------------- */

inline profil_slots_free(p) {
	assert(P[p].n == 0)
}

#ifdef OLD
#include "old.pml"
#else

/* Sets added. */
inline profil_defer_add(p, rr, a, at) {
	atomic {
		added = false;
		raw_spin_lock(p);
		if
#ifndef MUT_ADD_CLOSED
		:: P[p].stage == PROFIL_CLOSED
#endif
		:: else ->
#if !defined(MUT_ADD_STOPPED) && !defined(MUT_ADD_CLOSED)
			assert(P[p].stage == PROFIL_LIVE && P[p].run_ == rr);
#endif
			profil_slot_add(p, rr, a, at);
			profil_defer_set_waiting(rr, true)
		fi;
		raw_spin_unlock(p)
	}
}

inline profil_defer_drop(p) {
	do
	:: P[p].n > 0 ->
		profil_update_drop(p);
		profil_slot_remove(p)
	:: else -> break
	od
}

/* Lowers position. */
inline profil_defer_lowest(p) {
	i = 0;
	do
	:: i < P[p].n ->
		if
		:: P[p].index[(P[p].first + i) % SLOTS] < position ->
			position = P[p].index[(P[p].first + i) % SLOTS]
		:: else
		fi;
		i++
	:: else -> break
	od;
	i = 0
}

/* --- settle.c --------------------------------------------------------------- */

/* Sets is. */
inline profil_slot_is(p, seq) {
	is = (P[p].stage != PROFIL_CLOSED && P[p].n > 0 && P[p].first == seq)
}

/* Sets left. */
inline profil_settle_rest(p) {
	left = (P[p].value[HEAD(p)] > 1);
	if
	:: left -> P[p].value[HEAD(p)]--
	:: else -> profil_slot_remove(p)
	fi
}

/* Sets left. What is carried is an update of its own, with a number of its own. */
inline profil_settle_carry(p) {
#ifdef MUT_CARRY_IN_PLACE
	left = (P[p].value[HEAD(p)] > 1);
	added = false;
	if
	:: left ->
		P[p].value[HEAD(p)]--;
		profil_slot_add(p, P[p].run_, 1, 0)
	:: else -> P[p].value[HEAD(p)] = 0
	fi;
	if
	:: added
	:: else ->
		profil_update_drop(p);
		P[p].page[HEAD(p)] = 1;
		P[p].value[HEAD(p)] = 1;
		left = true
	fi;
#else
	profil_settle_rest(p);
	profil_slot_add(p, P[p].run_, 1, 0);
	if
	:: added
	:: else ->
		profil_update_drop(p);
		profil_slot_remove(p);
		profil_slot_add(p, P[p].run_, 1, 0);
		left = false
	fi;
	profil_defer_set_waiting(P[p].run_, true);
#endif
	added = false
}

/* Sets err. */
inline profil_settle_apply(p) {
	assert(P[p].n > 0);
	batch = 0;
	do
	:: batch < BATCH ->
		profil_update_apply(p);
		if
		:: err == EFAULT || err == EAGAIN -> break
#ifdef CARRIES
		:: err == PROFIL_COUNT_CARRY -> profil_settle_carry(p)
#endif
		:: else -> profil_settle_rest(p)
		fi;
		if
		:: left
		:: else -> err = 0; break
		fi;
		batch++
	:: else ->
		err = EINPROGRESS;
		break
	od;
	left = false;
	batch = 0
}

/* Sets err. */
inline profil_settle_again(p) {
	/* What users have the word of, or the lock, is not given up. */
	assert(err != EAGAIN);
	P[p].tries[HEAD(p)]++;
	if
	:: P[p].tries[HEAD(p)] < TRIES
	:: else ->
		profil_update_drop(p);
		profil_slot_remove(p)
	fi;
	err = EAGAIN
}

/* Sets err, and uses it. */
inline profil_settle_failed(p) {
	if
	:: err == EACCES && P[p].pid_[HEAD(p)] == t -> err = EFAULT
	:: else
	fi;
	if
	:: err == EFAULT -> profil_update_fault(p)
	:: err == EACCES -> profil_update_drop(p)
	:: else -> profil_settle_again(p)
	fi;
	if
	:: err == EAGAIN
	:: else -> profil_slot_remove(p); err = 0
	fi
}

#ifdef MUT_NO_RECHECK
#define IS_STILL	true
#else
#define IS_STILL	is
#endif
#ifdef MUT_AGAIN_COUNTED
#define NOT_DONE(err)	(err == EFAULT || err == EAGAIN)
#else
#define NOT_DONE(err)	(err == EFAULT)
#endif

/* The update that is done, or given up, is the one whose page it was. */
inline ghost_same(p) {
	assert(P[p].n > 0);
	assert(P[p].page[HEAD(p)] == page && P[p].ghost_run[HEAD(p)] == ghost_run)
}

/* Sets err; page and ghost_run are the slot's copy. */
inline profil_settle_page(p, seq, patience) {
	profil_page_in(p, page, patience);
	if
	:: err == EAGAIN || err == EINTR
	:: err != EAGAIN && err != EINTR && err != 0 && fatal_signal_pending[t] ->
		err = EINTR
	:: else ->
		atomic {
			raw_spin_lock(p);
			profil_slot_is(p, seq);
			if
			:: !IS_STILL -> err = 0
			:: IS_STILL && err != 0 ->
				ghost_same(p);
				profil_settle_failed(p)
			:: IS_STILL && err == 0 ->
				ghost_same(p);
				profil_settle_apply(p);
				if
				:: NOT_DONE(err) -> profil_settle_again(p)
				:: else
				fi
			fi;
			is = false;
			raw_spin_unlock(p)
		}
	fi;
	page = NO_PAGE;
	ghost_run = 0
}

/* Sets err. */
inline profil_settle_step(p, end, patience) {
	atomic {
		raw_spin_lock(p);
		err = ENOENT;
		seq = P[p].first;
		profil_slot_is(p, seq);
		if
#ifdef MUT_STOP_TO_END
		:: seq < end && is ->
#else
		/* What is carried comes after all that a stop has found. */
		:: (seq < end || P[p].stage == PROFIL_STOPPING) && is ->
#endif
			profil_settle_apply(p);
			if
			:: err == EFAULT ->
				page = P[p].page[HEAD(p)];
				ghost_run = P[p].ghost_run[HEAD(p)]
			:: else
			fi
		:: else
		fi;
		is = false;
		raw_spin_unlock(p)
	};
	if
	:: err == EFAULT -> profil_settle_page(p, seq, patience)
	:: else
	fi;
	if
	:: err == EINPROGRESS -> err = 0
	:: else
	fi;
	seq = 0
}

/* Sets end. */
inline profil_settle_end(p) {
	atomic {
		raw_spin_lock(p);
		end = P[p].first + P[p].n;
		raw_spin_unlock(p)
	}
}

/* Sets ret. */
inline profil_settle(p, patience) {
	profil_settle_end(p);
	do
	:: true ->
		ghost_fresh[t] = true;
		profil_settle_step(p, end, patience);
		if
		:: err == ENOENT -> ret = 0; break
		:: err == EINTR -> ret = EINTR; break
		:: else
		fi;
		if
		:: patience == PROFIL_TRY && err != 0 -> ret = EAGAIN; break
		:: patience == PROFIL_TRY && err == 0 -> ret = EAGAIN; break
		:: patience == PROFIL_TRY && err == 0
		:: patience != PROFIL_TRY ->
			if
			:: fatal_signal_pending[t] -> ret = EINTR; break
			:: else
			fi
		fi
	od;
	atomic { err = 0; end = 0 }
}

/* --- ahead.c ---------------------------------------------------------------- */

/* Sets page: one that is wanted. */
inline profil_ahead_next(p) {
	atomic {
		page = NO_PAGE;
		raw_spin_lock(p);
		if
		:: P[p].stage != PROFIL_LIVE
		:: else ->
			ghost_use_run(P[p].run_);
			if
			:: mode != PROFIL_MODE_SAMPLES || P[p].live != P[p].run_ || P[p].n > 0
			:: else -> page = 0
			fi
		fi;
		raw_spin_unlock(p)
	}
}

inline profil_ahead(p, patience) {
	profil_ahead_next(p);
	if
	:: page != NO_PAGE -> profil_page_in(p, page, patience)
	:: else
	fi;
	d_step { page = NO_PAGE; err = 0 }
}

/* --- callback.c ------------------------------------------------------------- */

/* Sets limit. */
inline profil_callback_limit(p, user) {
	if
	:: user -> limit = CALLBACKS
	:: else -> limit = (P[p].n < SLOTS - SLOTS / 2 -> CALLBACKS_SYSTEM : CALLBACKS_URGENT)
	fi
#ifdef MUT_POOL_SHARED
	limit = CALLBACKS
#endif
}

/* Sets found: a callback, or NONE. */
inline profil_callback_take(p, user) {
	found = NONE;
	profil_callback_limit(p, user);
	if
	:: P[p].stage != PROFIL_LIVE
#ifndef MUT_PUSH_IN_HANDLER
	:: P[p].stage == PROFIL_LIVE && P[p].settler == t
#endif
	:: else ->
		i = 0;
		do
		:: i < CALLBACKS && P[p].task[i] == t -> found = NONE; break
		:: i < CALLBACKS && P[p].task[i] == 0 && i < limit -> found = i; i++
		:: i == CALLBACKS -> break
		:: else -> i++
		od;
		ghost_pool(p, user);
		if
		:: found != NONE ->
			P[p].task[found] = t;
			P[p].ghost_system[found] = !user
		:: else
		fi
	fi;
	i = 0;
	limit = 0
}

/* A tick in user mode is refused only if others like it have the pool. */
inline ghost_pool(p, user) {
	if
	:: user && found == NONE && i == CALLBACKS ->
		limit = 0;
		i = 0;
		do
		:: i < CALLBACKS -> limit = limit + P[p].ghost_system[i]; i++
		:: else -> break
		od;
		assert(limit <= CALLBACKS_URGENT)
	:: else
	fi
}

inline profil_task_work_add(p) {
	atomic {
		assert(!PF_EXITING[t]);
		assert(!(task_works[t] & (1 << p)));
		task_works[t] = task_works[t] | (1 << p)
	}
}

inline profil_callback_push(p, user) {
	if
	:: PF_EXITING[t]
	:: else ->
		atomic {
			raw_spin_lock(p);
			profil_callback_take(p, user);
			raw_spin_unlock(p)
		};
		if
		:: found == NONE
		:: else ->
#ifndef MUT_PUSH_NO_REF
			kref_get(p);
#endif
			profil_task_work_add(p);
			found = NONE
		fi
	fi
}

/* Sets mine. */
inline profil_callback_begin(p) {
	atomic {
		!irq[t];
		raw_spin_lock(p);
		i = 0;
		do
		:: P[p].task[i] == t -> break
		:: else -> i++
		od;
		P[p].task[i] = 0;
		P[p].ghost_system[i] = false;
		i = 0;
#ifdef MUT_ANY_MM
		mine = (P[p].settler == 0);
#else
		mine = (mm[t] == P[p].mm && P[p].settler == 0);
#endif
		if
		:: mine -> P[p].settler = t
		:: else
		fi;
		raw_spin_unlock(p)
	}
}

inline profil_callback_end(p) {
	atomic {
		!irq[t];
		raw_spin_lock(p);
		assert(P[p].settler == t);
		P[p].settler = 0;
		raw_spin_unlock(p)
	}
}

inline profil_callback_run(p) {
	assert(P[p].ref > 0);
	profil_callback_begin(p);
	if
	:: mine ->
		profil_settle(p, PROFIL_TRY);
		if
		:: ret == 0 -> profil_ahead(p, PROFIL_TRY)
		:: else
		fi;
		profil_callback_end(p)
	:: else
	fi;
	d_step { mine = false; ret = 0 };
#ifndef MUT_PUSH_NO_REF
	profil_put(p)
#endif
}

/* --- control.c --------------------------------------------------------------- */

inline profil_status_copy(p) {
	if
	:: P[p].run_ != 0 -> ghost_use_run(P[p].run_)
	:: else
	fi
}

/* Sets ret. */
inline profil_status_read(p) {
	profil_settle(p, PROFIL_WAIT);
	if
	:: ret != 0
	:: else ->
		atomic {
			raw_spin_lock(p);
			profil_status_copy(p);
			raw_spin_unlock(p)
		}
	fi
}

/* Sets old: the run, or 0. */
inline profil_quiesce(p) {
	old = P[p].run_;
	if
	:: old == 0
	:: else ->
		profil_unpublish(p, old, PROFIL_STATE_OFF);
#if defined(MUT_STOP_NO_DRAIN) || defined(MUT_ADD_STOPPED)
		skip;
#elif defined(MUT_STAGE_BEFORE_DRAIN)
		atomic {
			raw_spin_lock(p);
			if
			:: P[p].stage == PROFIL_LIVE ->
				profil_set_stage(p, PROFIL_STOPPING)
			:: else
			fi;
			raw_spin_unlock(p)
		};
		profil_drain(p);
#elif defined(MUT_DRAIN_LOCKED)
		raw_spin_lock(p);
		profil_drain(p);
		raw_spin_unlock(p);
#else
		profil_drain(p);
#endif
		atomic {
			raw_spin_lock(p);
			if
			:: P[p].stage == PROFIL_LIVE ->
				profil_set_stage(p, PROFIL_STOPPING)
			:: else
			fi;
			raw_spin_unlock(p)
		}
	fi
}

inline profil_end_run(p) {
	atomic {
		old = 0;
		raw_spin_lock(p);
		profil_status_copy(p);
		if
#ifdef MUT_END_CLOSED
		:: P[p].stage != PROFIL_STOPPED && P[p].run_ != 0 ->
#else
		:: P[p].stage == PROFIL_STOPPING ->
#endif
			assert(P[p].n == 0 && P[p].live == 0);
			ghost_identity(p);
			ghost_sealed[P[p].run_] = true;
			profil_set_stage(p, PROFIL_STOPPED);
			old = P[p].run_;
			P[p].run_ = 0;
			P[p].state = PROFIL_STATE_OFF;
#ifdef MUT_SEQ_RESET
			P[p].first = 0;
#endif
		:: else
		fi;
		raw_spin_unlock(p);
		profil_run_put(old);
		old = 0
	}
}

/* Sets ret. */
inline profil_wait_for_forks(p) {
	if
#ifndef MUT_STOP_NO_WAIT
	:: P[p].forked ->
		mmap_read_lock_killable(P[p].mm);
		if
		:: err == 0 ->
			atomic {
				raw_spin_lock(p);
				P[p].forked = false;
				raw_spin_unlock(p)
			};
			mmap_read_unlock(P[p].mm)
		:: else -> ret = err
		fi;
		err = 0
#endif
	:: else
	fi
}

/* Sets ret. */
inline profil_stop(p) {
	ret = 0;
	profil_quiesce(p);
	if
	:: old != 0 ->
		profil_settle(p, PROFIL_WAIT);
		if
		:: ret == 0 -> profil_wait_for_forks(p)
		:: else
		fi
	:: else
	fi;
	old = 0;
	if
#ifndef MUT_KILLED_STOP_ENDS
	:: ret != 0
#endif
	:: else -> profil_end_run(p)
	fi
}

inline profil_set_next(p, rr) {
	atomic {
		raw_spin_lock(p);
		assert(rr == 0 || P[p].next == 0);
		P[p].next = rr;
		raw_spin_unlock(p)
	}
}

/* Sets ret. */
inline profil_start(p, rr) {
#ifndef MUT_START_NO_NEXT
	profil_set_next(p, rr);
#endif
	profil_stop(p);
	if
	:: ret != 0 -> profil_set_next(p, 0)
	:: else ->
		raw_spin_lock(p);
		P[p].next = 0;
		if
#ifndef MUT_START_CLOSED
		:: P[p].stage == PROFIL_CLOSED -> ret = ESTALE
#endif
		:: else ->
			profil_set_stage(p, PROFIL_LIVE);
			P[p].run_ = rr;
			profil_status_reset(p);
#ifdef MUT_PUBLISH_UNLOCKED
			raw_spin_unlock(p);
#endif
			profil_publish(p, rr)
		fi;
		raw_spin_unlock(p);
		if
		:: ret == 0 -> profil_ahead(p, PROFIL_WAIT)
		:: else
		fi
	fi
}

/* --- mapping.c: the end ------------------------------------------------------ */

inline profil_close(p) {
#ifdef MUT_CLOSE_CONTROL
	atomic { !P[p].control -> P[p].control = true };
#endif
#ifdef MUT_CLOSE_KEEPS
	atomic {
		raw_spin_lock(p);
		profil_set_stage(p, PROFIL_CLOSED);
		old = P[p].run_;
		raw_spin_unlock(p)
	};
#else
	atomic {
		raw_spin_lock(p);
		profil_set_stage(p, PROFIL_CLOSED);
		old = P[p].run_;
		profil_defer_drop(p);
		raw_spin_unlock(p)
	};
#endif
	if
	:: old != 0 -> profil_unpublish(p, old, PROFIL_STATE_OFF)
	:: else
	fi;
	old = 0;
#ifndef MUT_CLOSE_NO_DRAIN
	profil_drain(p);
#endif
#ifdef MUT_CLOSE_CONTROL
	P[p].control = false;
#endif
	d_step {
		ghost_identity(p);
		P[p].ghost_closed = true
	}
}

#endif /* OLD */

/* --- enabled.c --------------------------------------------------------------- */

inline profil_deny(p) {
	atomic {
		raw_spin_lock(p);
		if
		:: P[p].run_ != 0 ->
			ghost_use_run(P[p].run_);
			profil_unpublish(p, P[p].run_, PROFIL_STATE_DENIED)
		:: else
		fi;
		raw_spin_unlock(p)
	}
}

inline profil_enabled_recheck(p) {
#ifdef DENIES
	if
	:: !profil_enabled -> profil_deny(p)
	:: else
	fi
#else
	skip
#endif
}

/* Sets p: a profile with a reference, or NONE. */
inline profil_find_live() {
	atomic {
		p = 0;
		do
		:: p == PROFILES -> p = NONE; break
		:: p < PROFILES && P[p].hashed && P[p].live != 0 && P[p].ref > 0 ->
			P[p].ref++;
			break
		:: else -> p++
		od
	}
}

inline profil_stop_all() {
	do
	:: true ->
		profil_find_live();
		if
		:: p == NONE -> break
		:: else ->
			profil_deny(p);
			profil_put(p)
		fi
	od
}

/* --- profile.c, mapping.c, fork.c -------------------------------------------- */

/* Sets p. */
inline profil_find_process(as) {
	d_step {
		p = 0;
		do
		:: p < PROFILES && P[p].hashed && P[p].mm == as -> break
		:: p == PROFILES -> p = NONE; break
		:: else -> p++
		od
	}
}

/* Sets p. */
inline profil_get(as) {
	profil_find_process(as);
	atomic {
		if
		:: p != NONE && P[p].ref > 0 -> P[p].ref++
		:: else -> p = NONE
		fi
	}
}

/* Sets q: a profile with a reference, or NONE. */
inline profil_alloc(as) {
	d_step {
		q = NONE;
		if
		:: ghost_profiles < PROFILES ->
			q = ghost_profiles;
			ghost_profiles++;
			P[q].ref = 1;
			P[q].mm = as
		:: else
		fi
	}
}

inline profil_hash(p) {
	P[p].hashed = true
}

inline profil_unhash(p) {
	assert(P[p].hashed);
	P[p].hashed = false
}

/* With the mmap write lock. Sets q. */
inline profil_create(as) {
	q = NONE;
	profil_find_process(as);
	if
	:: p != NONE
	:: else ->
		profil_alloc(as);
		if
		:: q == NONE
		:: else -> profil_hash(q)
		fi
	fi
}

inline ghost_new_run(rr) {
	d_step {
		ghost_runs++;
		assert(ghost_runs <= RUNS);
		rr = ghost_runs;
		run_ref[rr] = 1
	}
}

/* Sets from: the run that a child of @parent takes over, or 0; and state. */
inline profil_branch(parent, state) {
	raw_spin_lock(parent);
	from = (P[parent].next != 0 -> P[parent].next : P[parent].run_);
	if
	:: from != 0 ->
		ghost_use_run(from);
		run_ref[from]++;
#ifndef MUT_FORK_CLOCK_LATE
		profil_clock_get();
#endif
		if
		:: from == P[parent].next || P[parent].live == from ->
#ifdef MUT_FORK_CLOCK_LATE
			profil_clock_get();
#endif
			P[parent].forked = true;
			state = PROFIL_STATE_ON
		:: else ->
#ifndef MUT_FORK_CLOCK_LATE
			profil_clock_put();
#endif
			state = P[parent].state;
#ifndef MUT_FORK_STATE
			/* Between the two of profil_unpublish(). */
			if
			:: state == PROFIL_STATE_ON -> state = PROFIL_STATE_OFF
			:: else
			fi
#endif
		fi
	:: else
	fi;
	raw_spin_unlock(parent)
}

/* Sets position. */
inline profil_child_position(parent, rr) {
	position = (run_position[rr] < CAPACITY -> run_position[rr] : CAPACITY);
#ifndef MUT_FORK_NO_DRAIN
	profil_drain(parent);
#endif
	atomic {
		raw_spin_lock(parent);
		if
#ifndef MUT_FORK_NO_LOWEST
		:: P[parent].run_ == rr -> profil_defer_lowest(parent)
#endif
		:: else
		fi;
		raw_spin_unlock(parent)
	}
}

/* Sets ret. */
inline profil_inherit(child, parent) {
	ret = 0;
	run_ = 0;
	profil_branch(parent, state);
	if
	:: from == 0
	:: else -> profil_run_fork(from)
	fi;
	if
	:: from == 0
	:: from != 0 && run_ == 0 ->
		if
		:: state == PROFIL_STATE_ON -> profil_clock_put()
		:: else
		fi;
		profil_run_put(from);
		ret = ENOMEM
	:: else ->
		if
		:: mode == PROFIL_MODE_SAMPLES ->
			profil_child_position(parent, from);
			run_position[run_] = position;
			position = 0
		:: else
		fi;
		profil_run_put(from);
		raw_spin_lock(child);
		profil_set_stage(child, PROFIL_LIVE);
		P[child].run_ = run_;
		profil_status_reset(child);
		P[child].state = state;
		if
		:: state == PROFIL_STATE_ON -> profil_publish(child, run_)
		:: else
		fi;
		raw_spin_unlock(child)
	fi;
	d_step { ghost_from = from; from = 0; run_ = 0; state = 0 }
}

/* Sets run_, or not, for want of memory. */
inline profil_run_fork(rr) {
	ghost_use_run(rr);
	if
	:: ghost_new_run(run_)
	:: run_ = 0
	fi
}

/* The copy of the mapping in @as. Sets q: the child's profile, or NONE. */
inline profil_vm_open(as) {
	profil_alloc(as);
	vm_private_data[as] = NONE;
	if
	:: q == NONE
	:: else ->
		profil_inherit(q, p);
		if
		:: ret != 0 ->
			profil_put(q);
			q = NONE
		:: else ->
			vm_private_data[as] = q;
			profil_hash(q)
#ifndef MUT_FORK_NO_LOOK
			;
			profil_enabled_recheck(q)
#endif
		fi
	fi;
	ret = 0
}

/* Of the last mapping in @as. */
inline profil_vm_close(as) {
	q = vm_private_data[as];
	if
	:: q == NONE
	:: else ->
		vm_private_data[as] = NONE;
		profil_unhash(q);
		profil_close(q);
		profil_put(q);
		q = NONE
	fi
}

/* --- start.c, device.c ------------------------------------------------------- */

/* Sets err; 0 also if there is one already. */
inline vm_mmap() {
	mmap_write_lock(mm[t]);
	profil_create(mm[t]);
	if
	:: q != NONE -> vm_private_data[mm[t]] = q; err = 0
	:: q == NONE && p != NONE -> err = 0
	:: else -> err = ENOMEM
	fi;
	d_step { mmap_writer[mm[t]] = false; q = NONE; p = NONE }
}

/* Sets p, or err. */
inline profil_of_caller() {
	do
	:: true ->
		profil_get(mm[t]);
		if
		:: p != NONE -> err = 0; break
		:: p == NONE && fatal_signal_pending[t] -> err = EINTR; break
		:: else
		fi;
		vm_mmap();
		if
		:: err != 0 -> break
		:: else
		fi
	od
}

/* Sets ret. */
inline mutex_lock_killable(p) {
	if
	:: atomic { !P[p].control -> P[p].control = true; ret = 0 }
	:: atomic { fatal_signal_pending[t] -> ret = EINTR }
	fi
}

inline mutex_unlock(p) {
	P[p].control = false
}

/* Sets ret. */
inline profil_begin_in(p, rr) {
	mutex_lock_killable(p);
	if
	:: ret != 0
	:: else ->
		profil_start(p, rr);
#ifndef MUT_START_NO_LOOK
		if
		:: ret == 0 -> profil_enabled_recheck(p)
		:: else
		fi;
#endif
		mutex_unlock(p)
	fi
}

/* Sets ret. */
inline profil_begin() {
	profil_clock_arm();
	if
	:: ret != 0
	:: else ->
		do
		:: true ->
			profil_of_caller();
			if
			:: p == NONE -> ret = err; err = 0; break
			:: else
			fi;
			profil_begin_in(p, run_);
			profil_put(p);
			p = NONE;
			if
			:: ret == ESTALE
			:: else -> break
			fi
		od;
		if
		:: ret != 0 -> profil_clock_put()
		:: else
		fi
	fi;
	if
	:: ret != 0 -> profil_run_put(run_)
	:: else
	fi
}

#ifdef MUT_UNDO_ANY
#define UNDOES(p, rr)	true
#else
#define UNDOES(p, rr)	(P[p].run_ == rr)
#endif

inline profil_undo(rr) {
	profil_get(mm[t]);
	if
	:: p == NONE
	:: else ->
		mutex_lock_killable(p);
		if
		:: ret == 0 ->
			if
			:: UNDOES(p, rr) ->
				assert(!ghost_told[P[p].run_]);
				profil_stop(p)
			:: else
			fi;
			mutex_unlock(p)
		:: else
		fi;
		profil_put(p);
		p = NONE
	fi
}

/* Sets ret. */
inline profil_check_common() {
	ret = (profil_enabled -> 0 : EPERM)
}

/* Sets ret. */
inline profil_start_check() {
	profil_check_common()
}

/* Sets ret. */
inline profil_start_call() {
#ifdef UNDO
	run_ref[run_]++;
#endif
	profil_begin();
#ifdef UNDO
	if
	:: ret == 0 -> ghost_told[run_] = true
	:: ret == 0 -> profil_undo(run_)
	:: else
	fi;
	profil_run_put(run_)
#endif
}

/* And profil_ioc_samples(). */
inline profil_ioc_histogram() {
	profil_start_check();
	if
	:: ret != 0
	:: else ->
		ghost_new_run(run_);
		profil_start_call()
	fi;
	d_step { run_ = 0; ret = 0 }
}

inline profil_ioc_stop() {
	profil_get(mm[t]);
	if
	:: p == NONE
	:: else ->
		mutex_lock_killable(p);
		if
		:: ret == 0 ->
			profil_stop(p);
			mutex_unlock(p)
		:: else
		fi;
		profil_put(p);
		p = NONE;
		ret = 0
	fi
}

inline profil_ioc_status() {
	profil_get(mm[t]);
	if
	:: p == NONE
	:: else ->
		profil_status_read(p);
		profil_put(p);
		p = NONE;
		ret = 0
	fi
}

/* --- sample.c ---------------------------------------------------------------- */

inline profil_tick_defer(p, rr, a, at, user) {
	profil_defer_add(p, rr, a, at);
	if
	:: added
	:: else -> P[p].dropped++
	fi;
	added = false;
	profil_callback_push(p, user)
}

inline profil_tick_carry(p, rr, user) {
	profil_defer_add(p, rr, 1, 0);
	if
	:: added -> P[p].counted++
	:: else -> atomic { P[p].dropped++; ghost_written[rr]--; ghost_pay(rr, 1) }
	fi;
	added = false;
	profil_callback_push(p, user)
}

#ifdef CARRIES
#define SPANS	true
#else
#define SPANS	false
#endif

inline profil_tick_count_span(p, rr, a, user) {
	profil_count(p, rr, a);
#ifdef CARRIES
	if
	:: err == PROFIL_COUNT_CARRY -> profil_tick_carry(p, rr, user); err = 0
	:: else
	fi
#endif
}

inline profil_tick_count(p, rr, a, user) {
	if
	/* The kernel has another address space loaded. */
	:: !user -> err = EFAULT
	:: SPANS -> profil_tick_count_span(p, rr, a, user)
	:: !SPANS -> profil_count(p, rr, a)
	fi
}

inline profil_tick_attend(p, rr, user) {
	if
	:: user && run_waits[rr] -> profil_callback_push(p, user)
	:: else
	fi
}

inline profil_tick_histogram(p, rr, user) {
	P[p].ticks++;
	profil_tick_attend(p, rr, user);
	/* Any counter, or none. */
	if
	:: a = 0
#if PAGES > 1 && !defined(CARRIES)
	:: a = 1
#endif
#ifdef OUTSIDE
	:: a = NO_PAGE
#endif
	fi;
	if
	:: a == NO_PAGE -> P[p].outside++
	:: else ->
		profil_tick_count(p, rr, a, user);
		if
#ifdef MUT_TICK_AGAIN_DONE
		:: err == EFAULT -> profil_tick_defer(p, rr, a, 0, user)
#else
		:: err == EFAULT || err == EAGAIN -> profil_tick_defer(p, rr, a, 0, user)
#endif
		:: else
		fi
	fi;
	atomic { a = 0; err = 0 }
}

inline profil_tick_samples(p, rr, user) {
	atomic {
		ghost_use_run(rr);
		at = run_position[rr];
		run_position[rr]++
	};
	if
	:: at >= CAPACITY -> profil_unpublish(p, rr, PROFIL_STATE_FULL)
	:: else ->
		P[p].ticks++;
		profil_store(p, rr, 0, at);
		if
		:: err != 0 -> profil_tick_defer(p, rr, 0, at, user)
		:: else
		fi;
		/* What it asks for: at first, and while something waits. */
		if
		:: at == 0 || run_waits[rr] -> profil_callback_push(p, user)
		:: else
		fi;
		if
		:: at + 1 == CAPACITY -> profil_unpublish(p, rr, PROFIL_STATE_FULL)
		:: else
		fi
	fi;
	d_step { at = 0; err = 0 }
}

inline profil_tick(p, user) {
	profil_enter(p, run_);
	if
	:: run_ != 0 ->
		if
		:: mode == PROFIL_MODE_HISTOGRAM -> profil_tick_histogram(p, run_, user)
		:: else -> profil_tick_samples(p, run_, user)
		fi
	:: else
	fi;
	atomic { profil_leave(); run_ = 0; irq[t] = false }
}

#include "world.pml"
