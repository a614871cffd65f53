/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The deferral as it was before the process itself settled what waits: a worker
 * applies it, unless somebody holds the slots. Kept because it is known to be
 * wrong: a stop takes a slot from none after a close has emptied them. Who finds
 * nothing here would find nothing in what replaced it, either.
 */

inline profil_defer_queue(p) {
	P[p].queued = true
}

/* Sets added. */
inline profil_defer_add(p, rr, a, at) {
	atomic {
		raw_spin_lock(p);
		profil_slot_add(p, rr, a, at);
		i = 0;
		raw_spin_unlock(p)
	};
	profil_defer_queue(p)
}

inline profil_callback_push(p, user) {
	skip
}

inline profil_callback_run(p) {
	skip
}

/* Sets is; page is a copy. */
inline profil_defer_peek(p) {
	atomic {
		raw_spin_lock(p);
		is = P[p].n > 0;
		page = (is -> P[p].page[HEAD(p)] : NO_PAGE);
		raw_spin_unlock(p)
	}
}

/* Uses err. */
inline profil_defer_done(p) {
	atomic {
		raw_spin_lock(p);
		if
		:: err == 0 && P[p].value[HEAD(p)] > 1 -> P[p].value[HEAD(p)]--
		:: else ->
			if
			:: err != 0 -> P[p].dropped = P[p].dropped + P[p].value[HEAD(p)]
			:: else
			fi;
			profil_slot_remove(p)
		fi;
		raw_spin_unlock(p)
	}
}

/* Sets err. */
inline profil_fault_in(p, holder) {
	atomic { !mmap_writer[P[p].mm] -> mmap_readers[P[p].mm]++ };
	if
	:: !holder && P[p].held -> err = EFAULT
	:: else -> profil_vma_fault(P[p].mm, page)
	fi;
	mmap_read_unlock(P[p].mm)
}

/* Sets is: there was one, and it was ours. */
inline profil_defer_step(p, rr, holder) {
	profil_defer_peek(p);
	do
	:: !is -> break
	:: else ->
		profil_fault_in(p, holder);
		profil_inflight[t] = p;
		is = (holder || !P[p].held);
		if
		:: is && err == 0 -> profil_count(p, rr, page)
		:: else
		fi;
		if
		:: is && (err == 0 || tries + 1 == TRIES) ->
			profil_defer_done(p);
			profil_inflight[t] = NONE;
			break
		:: !is -> profil_inflight[t] = NONE
		:: else -> profil_inflight[t] = NONE; tries++
		fi
	od;
	atomic { page = NO_PAGE; tries = 0; err = 0 }
}

inline profil_defer_apply(p, rr, holder) {
	do
	:: true ->
		profil_defer_step(p, rr, holder);
		if
		:: is -> is = false
		:: else -> break
		fi
	od
}

proctype profil_defer_work(byte p) {
	byte t, err, page = NO_PAGE, tries, i;
	bool is;
end:
	do
	:: atomic { P[p].queued -> P[p].queued = false; P[p].working = true };
		if
		:: mm_users[P[p].mm] > 0 -> profil_defer_apply(p, P[p].run_, false)
		:: else
		fi;
		P[p].working = false
	od
}

inline profil_defer_cancel(p) {
	atomic { P[p].queued = false; !P[p].working }
}

inline profil_defer_flush(p, rr) {
	profil_defer_cancel(p);
	profil_defer_apply(p, rr, true)
}

/* Sets old: the run, or 0. */
inline profil_quiesce(p) {
	old = P[p].run_;
	if
	:: old == 0
	:: else ->
		profil_unpublish(p, old, PROFIL_STATE_OFF);
		P[p].held = true;
		profil_drain(p);
		profil_defer_flush(p, old)
	fi
}

inline profil_end_run(p) {
	atomic {
		old = P[p].run_;
		P[p].run_ = 0;
		profil_run_put(old);
		old = 0
	}
}

/* Sets ret. */
inline profil_stop(p) {
	ret = 0;
	profil_quiesce(p);
	profil_end_run(p)
}

/* Sets ret. */
inline profil_start(p, rr) {
	ret = 0;
	profil_quiesce(p);
	atomic {
		old = P[p].run_;
		P[p].run_ = rr;
		profil_status_reset(p);
		P[p].held = false;
		P[p].live = rr;
		profil_run_put(old);
		old = 0
	}
}

inline profil_status_read(p) {
	ret = 0
}

inline profil_close(p) {
	old = P[p].run_;
	if
	:: old != 0 -> profil_unpublish(p, old, PROFIL_STATE_OFF)
	:: else
	fi;
	old = 0;
	P[p].held = true;
	profil_drain(p);
	atomic {
		raw_spin_lock(p);
		P[p].n = 0;
		raw_spin_unlock(p)
	}
}
