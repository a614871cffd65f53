/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A model of deferred updates: ticks on CPUs, callbacks of their threads, and the
 * calls, forks, closes and exits that they meet. test.sh searches all states.
 *
 * Inlines and constants have the names of kmod/ without the prefix of their file
 * where that is long. The name ghost_* is for what only the model knows and asserts.
 * - Each task has a CPU. Its tick is a process of its own, which may begin
 *   wherever the task has interrupts on.
 * - Code under the raw lock is one step.
 * - Memory is sequentially consistent. A missing barrier is a broken rule that
 *   changes the order.
 * - Time is chance: a thread that looks at the clock may find it late.
 * - A kill is chance, too, and stays pending. A killed task exits.
 * - A page is there or not. Reclaim, an unmapping, and a fork take it away.
 * Not modelled: clocks, quotas, userfaultfd, stacks, memory that cannot be allocated.
 */
/* test.sh defines how many there are of what, the calls that a thread may do, ... */
#define START		1
#define STOP		2
#define CLOSE		8
#define FORK		16
#define EXIT		32
/* ... and the rule that is BROKEN. */
mtype:rule = { NO_RULE, NO_RECHECK, SEQ_RESET, STOP_NO_DRAIN, ENTER_LATE, KILLED_STOP_ENDS,
	START_CLOSED, DEFER_CLOSED, CLOSE_NO_DRAIN, PUSH_NO_REF, STOP_NO_WAIT, FORK_NO_DRAIN,
	FORK_NO_LOWEST, PUSH_IN_HANDLER };
/* Address spaces, profiles, tasks. A task that is not there yet is a fork child. */
#define MMS		2
#define PROFILES	2
#define TASKS		3
#define RUNS		4
#define BATCH		2
#define MAX_TRIES	2
#define NONE		255

mtype:stage = { PROFIL_STOPPED, PROFIL_LIVE, PROFIL_STOPPING, PROFIL_CLOSED };
mtype:patience = { PROFIL_TRY, PROFIL_WAIT };
mtype:errno = { EAGAIN, EFAULT, EINPROGRESS, EINTR, ENOENT, ESTALE };

typedef profil {
	byte mm;
	byte live, run_, next;		/* runs, or 0 */
	mtype:stage stage;
	bool forked, control, hashed;
	byte ref;			/* 0: not yet, or no longer */
	byte first, n;			/* deferred */
	byte value[SLOTS], index[SLOTS], tries[SLOTS];
	byte ghost_run[SLOTS];		/* what the update was for */
	byte applier;			/* callbacks */
	bool queued[TASKS + 1];		/* the thread has one */
	byte ticks, counted, dropped;	/* status */
	bool ghost_closed;		/* its memory is gone */
};

profil P[PROFILES];
byte ghost_profiles = 1;

/* Runs are numbered from 1. A sealed one's buffer is the caller's again. */
byte run_ref[RUNS + 1], run_position[RUNS + 1], ghost_written[RUNS + 1];
bool ghost_sealed[RUNS + 1];
byte ghost_runs = 1;

/* Tasks and their CPUs are numbered from 1. */
byte inflight[TASKS + 1] = NONE;
bool irq[TASKS + 1], user_mode[TASKS + 1], exiting[TASKS + 1];
bool fatal_signal_pending[TASKS + 1];
byte mm[TASKS + 1] = NONE;
byte task_works[TASKS + 1];		/* bit per profile */
bool ghost_alive[TASKS + 1];
bool ghost_fresh[TASKS + 1];		/* has done something since its last tick */
byte ghost_done;			/* tasks that do nothing any more */

/* Address spaces, and the page of the buffer in each. */
byte mm_users[MMS], mmap_readers[MMS];
bool mmap_writer[MMS], page_present[MMS], page_mapped[MMS];
byte mapped_profile[MMS] = NONE;
byte page_stored[MMS];			/* bit per sample */

byte ticks_left = TICKS;

#define HEAD(p)	(P[p].first % SLOTS)

/* --- what is asserted --------------------------------------------------------- */

/* A tick or a sample is in the process's memory, for run @rr of @p. */
inline ghost_write(p, rr) {
	assert(P[p].ref > 0 && !P[p].ghost_closed);
	assert(rr != 0 && run_ref[rr] > 0 && !ghost_sealed[rr]);
	ghost_written[rr]++
}

/* Each tick has one fate, and each that counts is in memory. */
inline ghost_identity(p) {
	assert(P[p].n == 0 && P[p].ticks == P[p].counted + P[p].dropped);
	assert(P[p].run_ == 0 || P[p].counted == ghost_written[P[p].run_])
}

/* --- run.c, profile.c --------------------------------------------------- */

inline profil_unpublish(p, rr) { if :: P[p].live == rr -> P[p].live = 0 :: else fi }

inline profil_drain(p) { inflight[1] != p; inflight[2] != p; inflight[3] != p }

inline profil_run_put(rr) {
	if :: rr != 0 -> assert(run_ref[rr] > 0); run_ref[rr]-- :: else fi
}

inline profil_put(p) {
	atomic {
		assert(P[p].ref > 0);
		P[p].ref--;
		if :: P[p].ref == 0 ->
			assert(P[p].live == 0 && P[p].next == 0 && P[p].applier == 0);
			assert(P[p].n == 0 && !P[p].hashed && !P[p].control);
			/* The module may go now: no callback may be left to run. */
			assert(!((task_works[1] | task_works[2] | task_works[3]) & (1 << p)));
			profil_run_put(P[p].run_);
			P[p].run_ = 0
		:: else fi
	}
}

inline profil_set_stage(p, to) {
	assert((to == PROFIL_STOPPED && P[p].stage == PROFIL_STOPPING) ||
	       (to == PROFIL_LIVE && P[p].stage == PROFIL_STOPPED) ||
	       (to == PROFIL_STOPPING && P[p].stage == PROFIL_LIVE) ||
	       (to == PROFIL_CLOSED && P[p].stage != PROFIL_CLOSED));
	P[p].stage = to
}

/* Sets p: a profile with a reference, or NONE. */
inline profil_get(as) {
	atomic {
		p = 0;
		do
		:: p == PROFILES -> p = NONE; break
		:: p < PROFILES && P[p].hashed && P[p].mm == as -> P[p].ref++; break
		:: else -> p++
		od
	}
}

/* --- update/update.c ------------------------------------- */

/* Sets err. */
inline profil_update_apply(p, rr, at) {
	if
	:: page_present[P[p].mm] ->
		ghost_write(p, rr);
		assert(!SAMPLES || !(page_stored[P[p].mm] & (1 << at)));
		page_stored[P[p].mm] = page_stored[P[p].mm] | (SAMPLES << at);
		P[p].counted++;
		err = 0
	:: else -> err = EFAULT
	fi
}

inline profil_update_remove(p) {
	assert(P[p].n > 0);
	P[p].value[HEAD(p)] = 0; P[p].index[HEAD(p)] = 0;
	P[p].tries[HEAD(p)] = 0; P[p].ghost_run[HEAD(p)] = 0;
	P[p].first++; P[p].n--
}

inline profil_update_drop(p) {
	P[p].dropped = P[p].dropped + P[p].value[HEAD(p)];
	profil_update_remove(p)
}

/* Ticks of a histogram all are of one counter here. */
inline profil_update_defer(p, rr, at) {
	atomic {
		i = (P[p].first + P[p].n) % SLOTS;
		if
		:: P[p].stage == PROFIL_CLOSED && BROKEN != DEFER_CLOSED -> P[p].dropped++
		:: else ->
			assert((P[p].stage == PROFIL_LIVE && P[p].run_ == rr) ||
			       BROKEN == DEFER_CLOSED);
			if
			:: P[p].n > 0 && !SAMPLES -> P[p].value[HEAD(p)]++
			:: P[p].n == SLOTS && SAMPLES -> P[p].dropped++
			:: else ->
				P[p].value[i] = 1; P[p].index[i] = at; P[p].ghost_run[i] = rr;
				P[p].n++
			fi
		fi;
		i = 0
	}
}

/* --- update/apply_deferred.c, page.c --------------------------------------------- */

/* Sets err. */
inline apply_oldest(p) {
	batch = 0;
	do
	:: batch == BATCH -> err = EINPROGRESS; break
	:: batch < BATCH ->
		assert(P[p].n > 0 && P[p].ghost_run[HEAD(p)] == P[p].run_);
		profil_update_apply(p, P[p].run_, P[p].index[HEAD(p)]);
		if
		:: err != 0 -> break
		:: err == 0 && P[p].value[HEAD(p)] > 1 -> P[p].value[HEAD(p)]--; batch++
		:: err == 0 && P[p].value[HEAD(p)] <= 1 -> profil_update_remove(p); break
		fi
	od;
	batch = 0
}

/* Sets err. */
inline retry_oldest(p) {
	P[p].tries[HEAD(p)]++;
	if :: P[p].tries[HEAD(p)] == MAX_TRIES -> profil_update_drop(p) :: else fi;
	err = EAGAIN
}

/* Sets err. */
inline profil_page_in(p, patience) {
	assert(P[p].mm == mm[t] && mm_users[P[p].mm] > 0);
	if
	:: patience == PROFIL_WAIT && fatal_signal_pending[t] -> err = EINTR
	:: patience == PROFIL_TRY && mmap_writer[P[p].mm] -> err = EAGAIN
	:: atomic { !mmap_writer[P[p].mm] -> mmap_readers[P[p].mm]++ };
		atomic {
			err = (page_mapped[P[p].mm] -> 0 : EFAULT);
			page_present[P[p].mm] = page_mapped[P[p].mm];
			mmap_readers[P[p].mm]--
		}
	fi
}

#define IS_OLDEST(p, seq)	(BROKEN == NO_RECHECK || \
	(P[p].stage != PROFIL_CLOSED && P[p].n > 0 && P[p].first == seq))

/* Sets err. */
inline page_in_and_apply(p, patience) {
	profil_page_in(p, patience);
	if
	:: err == EAGAIN || err == EINTR
	:: err == EFAULT && fatal_signal_pending[t] -> err = EINTR
	:: else ->
		atomic {
			!irq[t];
			if
			:: !IS_OLDEST(p, seq) -> err = 0
			:: IS_OLDEST(p, seq) && err != 0 ->
				assert(P[p].n > 0 && P[p].ghost_run[HEAD(p)] == ghost_run);
				/* It is a fault, which may end the run. */
				if :: true :: profil_unpublish(p, P[p].run_) fi;
				profil_update_drop(p);
				err = 0
			:: IS_OLDEST(p, seq) && err == 0 ->
				assert(P[p].n > 0 && P[p].ghost_run[HEAD(p)] == ghost_run);
				apply_oldest(p);
				if :: err == EFAULT -> retry_oldest(p) :: else fi
			fi
		}
	fi;
	ghost_run = 0
}

/* Sets ret. */
inline profil_apply_deferred(p, patience) {
	atomic { !irq[t]; end = P[p].first + P[p].n };
	do
	:: true ->
		atomic {
			!irq[t];
			ghost_fresh[t] = true;
			err = ENOENT;
			seq = P[p].first;
			if
			:: seq < end && P[p].stage != PROFIL_CLOSED && P[p].n > 0 ->
				apply_oldest(p);
				ghost_run = (err == EFAULT -> P[p].ghost_run[HEAD(p)] : 0)
			:: else
			fi
		};
		if :: err == EFAULT -> page_in_and_apply(p, patience) :: else fi;
		if
		:: err == ENOENT -> ret = 0; break
		:: err == EINTR -> ret = EINTR; break
		:: err != ENOENT && err != EINTR && patience == PROFIL_TRY ->
			/* Time is up, or not. */
			if :: ret = EAGAIN; break :: err == 0 || err == EINPROGRESS fi
		:: err != ENOENT && err != EINTR && patience == PROFIL_WAIT ->
			if :: fatal_signal_pending[t] -> ret = EINTR; break :: else fi
		fi
	od;
	atomic { err = 0; end = 0; seq = 0 }
}

/* --- update/callback.c --------------------------------------------------------- */

inline profil_callback_push(p) {
	atomic {
		if
		:: exiting[t] || P[p].stage != PROFIL_LIVE || P[p].queued[t] ||
		   (P[p].applier == t && BROKEN != PUSH_IN_HANDLER)
		:: else ->
			assert(!(task_works[t] & (1 << p)));
			P[p].queued[t] = true;
			assert(P[p].ref > 0);
			P[p].ref = P[p].ref + (BROKEN != PUSH_NO_REF);
			task_works[t] = task_works[t] | (1 << p)
		fi
	}
}

inline run_callback(p) {
	atomic {
		!irq[t];
		assert(P[p].ref > 0 && P[p].queued[t]);
		P[p].queued[t] = false;
		mine = (mm[t] == P[p].mm && P[p].applier == 0);
		P[p].applier = (mine -> t : P[p].applier)
	};
	if :: mine ->
		profil_apply_deferred(p, PROFIL_TRY);
		atomic { !irq[t]; assert(P[p].applier == t); P[p].applier = 0 }
	:: else fi;
	d_step { mine = false; ret = 0 };
	if :: BROKEN != PUSH_NO_REF -> profil_put(p) :: else fi
}

/* --- the calls ------------------------------------------------------------------ */

/* Sets ret. */
inline mutex_lock_killable(p) {
	if
	:: atomic { !P[p].control -> P[p].control = true; ret = 0 }
	:: atomic { fatal_signal_pending[t] -> ret = EINTR }
	fi
}

/* Sets ret. */
inline profil_stop(p) {
	ret = 0;
	old = P[p].run_;
	if :: old == 0 :: else ->
		atomic { profil_unpublish(p, old) };
		if :: BROKEN != STOP_NO_DRAIN -> profil_drain(p) :: else fi;
		atomic {
			!irq[t];
			if :: P[p].stage == PROFIL_LIVE -> profil_set_stage(p, PROFIL_STOPPING)
			:: else fi
		};
		profil_apply_deferred(p, PROFIL_WAIT);
		if
		:: ret == 0 && P[p].forked && BROKEN != STOP_NO_WAIT ->
			/* A fork has the mmap lock until it has copied all. */
			if
			:: atomic { !mmap_writer[P[p].mm] && !irq[t] -> P[p].forked = false }
			:: fatal_signal_pending[t] -> ret = EINTR
			fi
		:: else fi
	fi;
	if :: ret != 0 && BROKEN != KILLED_STOP_ENDS :: else ->
		atomic {
			!irq[t];
			old = 0;
			if
			:: P[p].stage == PROFIL_STOPPING ->
				assert(P[p].n == 0 && P[p].live == 0);
				ghost_identity(p);
				profil_set_stage(p, PROFIL_STOPPED);
				old = P[p].run_;
				ghost_sealed[old] = true;
				P[p].run_ = 0;
				P[p].first = (BROKEN == SEQ_RESET -> 0 : P[p].first)
			:: else
			fi;
			profil_run_put(old)
		}
	fi;
	old = 0
}

/* Sets ret. */
inline profil_start(p, rr) {
	atomic { !irq[t]; P[p].next = rr };
	profil_stop(p);
	atomic {
		!irq[t];
		P[p].next = 0;
		if
		:: ret != 0
		:: ret == 0 && P[p].stage == PROFIL_CLOSED && BROKEN != START_CLOSED -> ret = ESTALE
		:: else ->
			profil_set_stage(p, PROFIL_LIVE);
			assert(P[p].live == 0 && !P[p].ghost_closed);
			P[p].run_ = rr;
			P[p].ticks = 0; P[p].counted = 0; P[p].dropped = 0;
			P[p].live = rr
		fi
	}
}

inline ghost_new_run(rr) {
	d_step {
		ghost_runs++;
		assert(ghost_runs <= RUNS);
		rr = ghost_runs;
		run_ref[rr] = 1
	}
}

/* Under the mmap write lock. */
inline create(as) {
	assert(ghost_profiles < PROFILES);
	q = ghost_profiles;
	ghost_profiles++;
	P[q].mm = as; P[q].ref = 1; P[q].hashed = true;
	mapped_profile[as] = q
}

/* A request to start: the mapping is made if there is none. */
inline ioc_start() {
	ghost_new_run(run_);
	do
	:: true ->
		profil_get(mm[t]);
		if
		:: p == NONE ->
			atomic {
				mmap_readers[mm[t]] == 0 && !mmap_writer[mm[t]] && !irq[t];
				if
				:: mapped_profile[mm[t]] == NONE -> create(mm[t]); q = NONE
				:: else
				fi
			}
		:: else ->
			mutex_lock_killable(p);
			if :: ret == 0 -> profil_start(p, run_); P[p].control = false :: else fi;
			profil_put(p);
			if :: ret == ESTALE :: else -> break fi
		fi
	od;
	atomic {
		if :: ret != 0 -> profil_run_put(run_) :: else fi;
		run_ = 0; ret = 0; p = NONE
	}
}

inline ioc_stop() {
	profil_get(mm[t]);
	if :: p == NONE :: else ->
		mutex_lock_killable(p);
		if :: ret == 0 -> profil_stop(p); P[p].control = false :: else fi;
		profil_put(p);
		p = NONE; ret = 0
	fi
}

/* --- mapping.c ----------------------------------------------------------- */

inline mmap_write_lock() {
	atomic { mmap_readers[mm[t]] == 0 && !mmap_writer[mm[t]] -> mmap_writer[mm[t]] = true }
}

inline vm_close(as) {
	atomic { q = mapped_profile[as]; mapped_profile[as] = NONE };
	if :: q == NONE :: else ->
		atomic { assert(P[q].hashed); P[q].hashed = false };
		atomic {
			!irq[t];
			profil_set_stage(q, PROFIL_CLOSED);
			old = P[q].run_;
			do :: P[q].n > 0 -> profil_update_drop(q) :: else -> break od
		};
		atomic { profil_unpublish(q, old) };
		if :: BROKEN != CLOSE_NO_DRAIN -> profil_drain(q) :: else fi;
		d_step { ghost_identity(q); P[q].ghost_closed = true; old = 0 };
		profil_put(q);
		q = NONE
	fi
}

/* A page of the child's is the parent's, and written to by neither. */
inline copy_page_range(as) {
	d_step {
		page_stored[1] = page_stored[as];
		page_present[as] = false;
		page_mapped[1] = page_mapped[as]
	}
}

/* The child goes on with the run that is live, or about to be. Sets run_. */
inline inherit(parent) {
	atomic {
		old = (P[parent].next != 0 -> P[parent].next : P[parent].run_);
		if
		:: old != 0 && (old == P[parent].next || P[parent].live == old) ->
			run_ref[old]++;
			P[parent].forked = true
		:: else -> old = 0
		fi
	};
	if :: old == 0 :: else ->
		ghost_new_run(run_);
		position = (run_position[old] < CAPACITY -> run_position[old] : CAPACITY);
		if :: BROKEN != FORK_NO_DRAIN -> profil_drain(parent) :: else fi;
		atomic {
			i = 0;
			do
			:: i < P[parent].n && P[parent].run_ == old && BROKEN != FORK_NO_LOWEST ->
				at = P[parent].index[(P[parent].first + i) % SLOTS];
				position = (at < position -> at : position);
				i++
			:: else -> break
			od;
			run_position[run_] = position;
			i = 0; at = 0; position = 0
		}
	fi
}

/* The address space is copied in one order or the other, and it may fail. */
inline fork() {
	mmap_write_lock();
	p = mapped_profile[mm[t]];
	if :: p == NONE :: else ->
		if :: copy_page_range(mm[t]); inherit(p) :: inherit(p); copy_page_range(mm[t]) fi;
		d_step {
			create(1);
			if
			:: run_ != 0 ->
				/* The parent has not been told yet that it can have the buffer. */
				assert(!ghost_sealed[old]);
				/* The samples that the child begins with are all there. */
				assert(!SAMPLES ||
				       (~page_stored[1] & ((1 << run_position[run_]) - 1)) == 0);
				page_stored[1] = page_stored[1] & ((1 << run_position[run_]) - 1);
				P[q].stage = PROFIL_LIVE; P[q].run_ = run_; P[q].live = run_
			:: else
			fi;
			profil_run_put(old);
			q = NONE; run_ = 0; old = 0
		}
	fi;
	p = NONE;
	if
	:: atomic {
		mm_users[1] = 1; mmap_writer[mm[t]] = false; mm[TASKS] = 1;
		ghost_done--; ghost_alive[TASKS] = true
	   }
	:: vm_close(1); mmap_writer[mm[t]] = false
	fi
}

/* --- tick.c, and the world around it ----------------------------------------------- */

/* Of endless ticks, one follows each thing that the thread has done. */
#define MAY_TICK(t)	(ticks_left > 0 && \
	(!ENDLESS || (ghost_fresh[t] && (user_mode[t] || P[0].applier == t))))

/* The tick of task @t's CPU. */
proctype tick(byte t) {
	byte p = NONE, rr, at, i;
	mtype:errno err;
	bool user;
end:
	do
	:: atomic {
		ghost_alive[t] && !irq[t] && mm[t] < MMS && mapped_profile[mm[t]] != NONE &&
		MAY_TICK(t) ->
		ticks_left = ticks_left - !ENDLESS; ghost_fresh[t] = !ENDLESS;
		irq[t] = true; user = user_mode[t]; p = mapped_profile[mm[t]]
	   };
	   if :: BROKEN == ENTER_LATE -> rr = P[p].live :: else fi;
	   inflight[t] = p;
	   if :: BROKEN != ENTER_LATE -> rr = P[p].live :: else fi;
	   if :: rr == 0 :: else ->
		atomic { at = run_position[rr]; run_position[rr]++ };
		if
		:: SAMPLES && at >= CAPACITY -> atomic { profil_unpublish(p, rr) }
		:: else ->
			atomic {
				P[p].ticks++;
				/* A system tick may have another address space loaded. */
				if :: user -> profil_update_apply(p, rr, at) :: else -> err = EFAULT fi
			};
			if
			:: err != 0 -> profil_update_defer(p, rr, at); profil_callback_push(p)
			:: err == 0 && user && P[p].n > 0 -> profil_callback_push(p)
			:: else
			fi
		fi
	   fi;
	   atomic { inflight[t] = NONE; irq[t] = false; p = NONE; rr = 0; at = 0; err = 0; user = false }
	od
}

/* Until there is none. */
inline task_work_run(to_user) {
	do
	:: atomic { !irq[t] && task_works[t] != 0 ->
		p = (task_works[t] & 1 -> 0 : 1);
		task_works[t] = task_works[t] & ~(1 << p)
	   };
	   run_callback(p);
	   p = NONE
	:: atomic { !irq[t] && task_works[t] == 0 -> user_mode[t] = to_user }; break
	od
}

proctype thread(byte t, calls, may) {
	byte p = NONE, q = NONE, run_, old, position, at, i, batch, end, seq, ghost_run;
	mtype:errno err, ret;
	bool mine;

end_unborn:
	ghost_alive[t];
	do
	:: atomic { calls > 0 && !fatal_signal_pending[t] && !irq[t] ->
		user_mode[t] = false; calls = (calls == 255 -> 255 : calls - 1) };
		if
		:: (may & START) -> ioc_start()
		:: (may & STOP) -> ioc_stop()
		:: (may & CLOSE) ->
			/* munmap() of the status page: it downgrades the lock before. */
			mmap_write_lock();
			atomic { mmap_writer[mm[t]] = false; mmap_readers[mm[t]]++ };
			vm_close(mm[t]);
			mmap_readers[mm[t]]--
		:: (may & FORK) && ghost_profiles == 1 -> fork()
		:: true
		fi;
		task_work_run(true);
progress:
		ghost_fresh[t] = true;
		/* Nobody looks at the counts of endless ticks, or at old sequence numbers. */
		if
		:: ENDLESS -> atomic {
			P[0].ticks = 0; P[0].counted = 0; P[0].dropped = 0; ghost_written[1] = 0;
			run_position[1] = 0; P[0].first = P[0].first % SLOTS
		   }
		:: else
		fi
	:: (may & EXIT) || fatal_signal_pending[t] -> break
	:: calls == 0 && !fatal_signal_pending[t] -> goto done
	od;
	/* do_exit(): the last user of the address space closes its mappings. */
	atomic { !irq[t]; user_mode[t] = false; exiting[t] = true };
	atomic { !irq[t]; i = mm[t]; mm[t] = NONE; mm_users[i]--; i = (mm_users[i] == 0 -> i : NONE) };
	if :: i != NONE -> vm_close(i) :: else fi;
	i = 0;
	task_work_run(false);
	ghost_alive[t] = false;
done:
	skip;
	d_step { fatal_signal_pending[t] = false; ghost_done++ }
}

/* Kills, reclaim, and an munmap() of the buffer: each so often, at any time. */
proctype chance(byte kills; byte reclaims; byte unmaps) {
end:
	do
	:: kills > 0 -> kills--; fatal_signal_pending[1] = true
	:: atomic { reclaims > 0 && page_present[0] -> reclaims--; page_present[0] = false }
	:: atomic { unmaps > 0 && mmap_readers[0] == 0 && !mmap_writer[0] ->
		unmaps--; page_mapped[0] = false; page_present[0] = false }
	od
}

/* At first, run 1 is live in profile 0 of address space 0. */
init {
	byte i;

	atomic {
		P[1].stage = PROFIL_STOPPED; P[0].stage = PROFIL_LIVE;
		P[0].ref = 1; P[0].hashed = true; P[0].live = 1; P[0].run_ = 1;
		run_ref[1] = 1;
		mapped_profile[0] = 0; page_mapped[0] = true; page_present[0] = PRESENT;
		for (i : 1 .. SHARERS) {
			mm[i] = 0; mm_users[0]++;
			user_mode[i] = true; ghost_alive[i] = true; ghost_fresh[i] = true
		}
		ghost_done = TASKS - SHARERS;
		run thread(1, CALLS, MAY1); run thread(2, 1, MAY2); run thread(3, 1, MAY3);
		run tick(1); run tick(2); run tick(3);
		run chance(KILLS, RECLAIMS, UNMAPS);
		i = 0
	};
	/* When nothing happens any more, all is counted that there is. */
	atomic {
		ghost_done == TASKS && !irq[1] && !irq[2] && !irq[3];
		for (i : 0 .. PROFILES - 1) {
			assert(!P[i].control && P[i].applier == 0);
			assert(P[i].ref == P[i].hashed + ((task_works[1] >> i) & 1) +
			       ((task_works[2] >> i) & 1) + ((task_works[3] >> i) & 1))
		}
		for (i : 1 .. ghost_runs) {
			assert(run_ref[i] == (P[0].run_ == i) + (P[1].run_ == i))
		}
	}
}
