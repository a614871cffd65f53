/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the kernel and the processes do around the module. */

#if PROFILES > 1
#define ghost_profiled(as)	((P[0].hashed && P[0].mm == as) || \
				 (P[1].hashed && P[1].mm == as))
#else
#define ghost_profiled(as)	(P[0].hashed && P[0].mm == as)
#endif

/* The tick of task @t's CPU. */
proctype tick(byte t) {
	byte p = NONE, run_, a, at, i, limit, found = NONE;
	byte err;
	bool user, added;
end:
	do
	:: atomic {
		ghost_alive[t] && !ghost_blocked[t] && !irqs_off[t] && !irq[t] &&
		MAY_TICK(t) && ghost_profiled(mm[t]) ->
		TICKED(t);
		irq[t] = true;
		user = user_mode[t];
		profil_find_process(mm[t])
	   };
		profil_tick(p, user);
		p = NONE;
		user = false
	od
}

/* exit_task_work(), resume_user_mode_work(): until there is none. */
inline task_work_run(to_user) {
	do
	:: atomic { !irq[t] && task_works[t] != 0 ->
		p = 0;
		do
		:: task_works[t] & (1 << p) -> break
		:: else -> p++
		od;
		task_works[t] = task_works[t] & ~(1 << p)
	   };
		profil_callback_run(p);
		p = NONE
	:: atomic { !irq[t] && task_works[t] == 0 -> user_mode[t] = to_user }; break
	od
}

/* The last user closes the mappings. */
inline mmput(as) {
	atomic {
		assert(mm_users[as] > 0);
		mm_users[as]--;
		others = mm_users[as]
	};
	if
	:: others == 0 -> profil_vm_close(as)
	:: else
	fi;
	others = 0
}

/* munmap() of the status page, or an mmap() over it. */
inline munmap_status() {
	mmap_write_lock(mm[t]);
	if
	:: true ->
		atomic { mmap_writer[mm[t]] = false; mmap_readers[mm[t]]++ };
		profil_vm_close(mm[t]);
		mmap_read_unlock(mm[t])
	:: true ->
		profil_vm_close(mm[t]);
		mmap_writer[mm[t]] = false
	fi
}

#if MMS > 1
/* A page of the child's is the parent's, and written to by neither. */
inline copy_page_range(as) {
	d_step {
		page_stored[1] = page_stored[as];
		page_present[as * PAGES] = false;
		page_mapped[PAGES] = page_mapped[as * PAGES]
	}
}

/* The address space is copied in one order or the other, and it may fail. */
inline fork() {
	mmap_write_lock(mm[t]);
	p = vm_private_data[mm[t]];
	if
	:: p != NONE ->
		if
		:: true -> copy_page_range(mm[t]); profil_vm_open(1)
		:: true -> profil_vm_open(1); copy_page_range(mm[t])
		fi;
		ghost_child()
	:: else
	fi;
	p = NONE;
	if
	:: atomic {
		mm_users[1] = 1;
		mmap_writer[mm[t]] = false;
		mm[TASKS] = 1;
		ghost_done--;
		ghost_alive[TASKS] = true
	   }
	:: profil_vm_close(1); mmap_writer[mm[t]] = false
	fi;
	d_step { q = NONE }
}

/* The samples that a child begins with are all there. */
inline ghost_child() {
	d_step {
		if
		:: q != NONE && P[q].run_ != 0 ->
			assert(P[q].live != 0 || P[q].state != PROFIL_STATE_ON);
			/* The parent has not been told yet that it can have the buffer. */
			assert(P[q].live == 0 || !ghost_sealed[ghost_from]);
#ifdef REPLACED
			assert(P[q].live != 0);
#endif
#ifdef ALONE
			assert(mode != PROFIL_MODE_SAMPLES ||
			       (~page_stored[1] & ((1 << run_position[P[q].run_]) - 1)) == 0);
#endif
			/* What lies above the position is nothing to the child. */
			page_stored[1] = page_stored[1] & ((1 << run_position[P[q].run_]) - 1)
		:: else
		fi
	}
}
#endif

/* Nobody looks at the counts of endless ticks, or at old sequence numbers. */
inline ghost_forget() {
	atomic {
		P[0].ticks = 0;
		P[0].counted = 0;
		P[0].dropped = 0;
		ghost_written[1] = 0;
		P[0].first = P[0].first % SLOTS
	}
}

/* A thread. Its CPU's tick keeps it from running. */
proctype thread(byte t; byte calls) {
	byte p = NONE, q = NONE, run_, old, from, position;
	byte err, ret;
	byte end, seq, page = NO_PAGE, tries, ghost_run, state;
	byte i, batch, others;
	bool is, mine, left, added;

end_unborn:
	ghost_alive[t];
	do
	:: atomic { calls > 0 && mm[t] < MMS && !fatal_signal_pending[t] && !irq[t] ->
		user_mode[t] = false; CALLED };
		if
		:: DO_START -> profil_ioc_histogram()
		:: DO_STOP -> profil_ioc_stop()
		:: DO_STATUS -> profil_ioc_status()
		:: DO_CLOSE -> munmap_status()
#if MMS > 1
		:: DO_FORK && ghost_profiles == 1 -> fork()
#endif
		:: DO_BLOCK -> atomic { !irq[t]; ghost_blocked[t] = true; ghost_done++ };
end_blocked:
			false
		:: DO_EXEC ->
			atomic { !irq[t]; p = mm[t]; mm[t] = MMS + t };
			others = p; p = NONE;
			mmput(others)
		:: DO_NOTHING -> skip
		fi;
		task_work_run(true);
progress:
		ghost_fresh[t] = true;
		FORGET
	:: DO_EXIT || fatal_signal_pending[t] -> break
	:: DO_STAY && !fatal_signal_pending[t] && (calls == 0 || mm[t] >= MMS) -> goto done
	od;
	/* do_exit() */
	atomic { !irq[t]; user_mode[t] = false };
	atomic { !irq[t]; PF_EXITING[t] = true };
	atomic { !irq[t]; others = mm[t]; mm[t] = NO_MM };
	if
	:: others < MMS -> mmput(others)
	:: else
	fi;
	task_work_run(false);
	ghost_alive[t] = false;
done:
	skip;
	d_step { fatal_signal_pending[t] = false; ghost_done++ }
}

proctype kill(byte left) {
end:
	do
	:: left > 0 -> left--;
		if
		:: fatal_signal_pending[1] = true
#if TASKS > 1
		:: fatal_signal_pending[2] = true
#endif
		fi
	od
}

/* The administrator writes N to the parameter. */
proctype deny() {
	byte t, p = NONE;

	profil_enabled = false;
	profil_stop_all();
	ghost_denying = false
}

proctype reclaim(byte left) {
end:
	do
	:: atomic { left > 0 && page_present[0] -> left--; page_present[0] = false }
#if PAGES > 1
	:: atomic { left > 0 && page_present[1] -> left--; page_present[1] = false }
#endif
	od
}

/* munmap() of the buffer. */
proctype unmap(byte left) {
end:
	do
	:: left > 0 -> left--;
		mmap_write_lock(0);
		d_step { page_mapped[0] = false; page_present[0] = false };
		mmap_writer[0] = false
	od
}

#if TASKS == 1
#define ghost_queued(i)	((task_works[1] >> i) & 1)
#elif TASKS == 2
#define ghost_queued(i)	(((task_works[1] >> i) & 1) + ((task_works[2] >> i) & 1))
#else
#define ghost_queued(i)	(((task_works[1] >> i) & 1) + ((task_works[2] >> i) & 1) + \
			 ((task_works[3] >> i) & 1))
#endif
#if PROFILES == 1
#define ghost_holders(r)	(P[0].run_ == r)
#else
#define ghost_holders(r)	((P[0].run_ == r) + (P[1].run_ == r))
#endif

/* When nothing happens any more, all is counted that there is. */
inline ghost_settled() {
	d_step {
		assert(clock_users == ghost_live());
		assert(profil_enabled || ghost_live() == 0);
		i = 0;
		do
		:: i < ghost_profiles ->
			assert(P[i].ref == P[i].hashed + ghost_queued(i));
			assert(!P[i].control && !P[i].lock && P[i].settler == 0);
			i++
		:: else -> break
		od;
		i = 1;
		do
		:: i <= ghost_runs ->
			assert(run_ref[i] == ghost_holders(i));
			i++
		:: else -> break
		od;
		assert(mmap_readers[0] == 0)
	}
}

/* At first, run 1 is live in profile 0 of address space 0. */
init {
	byte i;

	atomic {
		i = 0;
		do
		:: i < PAGES -> page_mapped[i] = true; page_present[i] = PRESENT; i++
		:: else -> break
		od;
		i = 0;
		do
		:: i < PROFILES -> P[i].stage = PROFIL_STOPPED; P[i].state = PROFIL_STATE_OFF; i++
		:: else -> break
		od;
		ghost_profiles = 1;
		ghost_runs = 1;
		P[0].ref = 1;
		P[0].hashed = true;
		P[0].stage = PROFIL_LIVE;
		P[0].state = PROFIL_STATE_ON;
		P[0].live = 1;
		P[0].run_ = 1;
		run_ref[1] = 1;
		clock_users = 1;
		clock_armed = true;
		vm_private_data[0] = 0;
		i = 1;
		do
		:: i <= SHARERS ->
			mm[i] = 0;
			mm_users[0]++;
			user_mode[i] = true;
			ghost_alive[i] = true;
			ghost_fresh[i] = true;
			i++
		:: else -> break
		od;
		i = 0;
		ghost_done = TASKS - SHARERS;
		run thread(1, CALLS1);
		run tick(1);
#if TASKS > 1
		run thread(2, CALLS2);
		run tick(2);
#endif
#if TASKS > 2
		run thread(3, CALLS3);
		run tick(3);
#endif
#ifdef OLD
		run profil_defer_work(0);
#endif
#ifdef CLOCK
		run profil_disarm_work();
#endif
#if KILLS
		run kill(KILLS);
#endif
#if RECLAIMS
		run reclaim(RECLAIMS);
#endif
#if UNMAPS
		run unmap(UNMAPS);
#endif
#ifdef DENIES
		ghost_denying = true;
		run deny();
#endif
		i = 0
	};
	atomic {
		ghost_done == TASKS && !ghost_denying && !irq[1] && !irq[(TASKS + 1) / 2] && !irq[TASKS];
		ghost_settled()
	}
}
