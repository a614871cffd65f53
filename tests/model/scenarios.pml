/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Who does what in each scenario, and how often. Every task of a scenario may
 * do any of its calls, in any order.
 */
/* What runs is stopped and replaced while another thread settles. */
#ifdef SCENARIO_STOP
#define TASKS		2
#define CALLS1		2
#define TICKS		2
#define RUNS		3
#define DO_START	(t == 1)
#define DO_STOP		(t == 1)
#define DO_NOTHING	(t == 2)
#define DO_STAY		true
#endif

/* A stop is killed, and another process that shares the memory goes on. */
#ifdef SCENARIO_KILL
#define TASKS		2
#define TICKS		2
#define KILLS		1
#define RUNS		2
#define DO_STOP		true
#define DO_START	(t == 2)
#define DO_STAY		true
#endif

/* The page of the status is unmapped at any time. */
#ifdef SCENARIO_CLOSE
#define TASKS		2
#define TICKS		2
#define RUNS		2
#define PROFILES	2
#define DO_START	(t == 1)
#define DO_STOP		(t == 1)
#define DO_CLOSE	(t == 2)
#define DO_STAY		true
#endif

/* Nothing is deferred: ticks write while a stop and a start go on. */
#ifdef SCENARIO_PRESENT
#define TASKS		2
#define CALLS1		2
#define CALLS2		0
#define TICKS		3
#define RUNS		3
#define PRESENT		true
#define DO_START	(t == 1)
#define DO_STOP		(t == 1)
#define DO_STAY		true
#define MAY_TICK(t)	(ticks_left > 0 && user_mode[t])
#define TICKED(t)	ticks_left--
#define CALLED		calls--
#define FORGET		skip
#endif

/* The deferral as it was. */
#ifdef SCENARIO_OLD
#define OLD
#define TASKS		2
#define TICKS		1
#define DO_STOP		(t == 1)
#define DO_CLOSE	(t == 2)
#define DO_STAY		true
#endif

/* Threads exit, and execute other programs; the last one closes. */
#ifdef SCENARIO_EXIT
#define TASKS		2
#define TICKS		3
#define DO_EXEC		(t == 1)
#define DO_NOTHING	true
#define DO_EXIT		true
#define DO_STAY		(t == 1)
#endif

/*
 * Two threads are ticked in the kernel and blocked for ever, and then a third one
 * in user mode.
 */
#ifdef SCENARIO_BLOCK
#define TASKS		3
#define TICKS		3
#define CALLBACKS	2
#define CALLBACKS_SYSTEM 1
#define CALLBACKS_URGENT 1
#define DO_BLOCK	(t < 3)
#define DO_STOP		(t == 3)
#define DO_STAY		(t == 3)
#define MAY_TICK(t)	(ticks_left == 4 - t && (t == 3) == user_mode[t])
#define TICKED(t)	ticks_left--
#define CALLED		calls--
#define FORGET		skip
#endif

/* The buffer is unmapped, and the status is asked for. */
#ifdef SCENARIO_FAULT
#define TASKS		2
#define TICKS		2
#define UNMAPS		1
#define DO_STATUS	(t == 2)
#define DO_STOP		(t == 1)
#define DO_STAY		true
#endif

/* A counter comes to its limit; pcs lie outside of all regions. */
#ifdef SCENARIO_LIMIT
#define TASKS		2
#define TICKS		2
#define RUNS		2
#define LIMIT
#define OUTSIDE
#define DO_NOTHING	(t == 2)
#define DO_STOP		(t == 1)
#define DO_START	(t == 1)
#define DO_STAY		true
#endif

/*
 * The page goes again and again while ticks share a slot, which others write to
 * as well, and one thread may not.
 */
#ifdef SCENARIO_RECLAIM
#define TASKS		2
#define TICKS		2
#define RECLAIMS	2
#define CONTENTIONS	1
#define KEYS
#define DO_NOTHING	(t == 2)
#define DO_STOP		(t == 1)
#define DO_STAY		true
#endif

/* Others write to the counter. */
#ifdef SCENARIO_CONTEND
#define TASKS		2
#define TICKS		2
#define CONTENTIONS	2
#define PRESENT		true
#define DO_STATUS	(t == 2)
#define DO_STOP		(t == 1)
#define DO_STAY		true
#endif

/* A counter spans two pages, and one of them goes. */
#ifdef SCENARIO_CARRY
#define TASKS		2
#define TICKS		2
#define CARRIES		1
#define RECLAIMS	1
#define PAGES		2
#define DO_NOTHING	(t == 2)
#define DO_STOP		(t == 1)
#define DO_STAY		true
#endif

/* The same without room for what is carried, and memory that is unmapped. */
#ifdef SCENARIO_ROOM
#define TASKS		2
#define TICKS		2
#define SLOTS		1
#define CARRIES		1
#define UNMAPS		1
#define PAGES		2
#define DO_NOTHING	(t == 2)
#define DO_STOP		(t == 1)
#define DO_STAY		true
#endif

/* Profiling is switched off while runs start and stop. */
#ifdef SCENARIO_DENY
#define TASKS		2
#define TICKS		1
#define RUNS		2
#define DENIES
#define DO_START	(t == 1)
#define DO_STOP		(t == 2)
#define DO_STAY		true
#endif

/* The same while a process forks. */
#ifdef SCENARIO_BRANCH
#define TASKS		2
#define SHARERS		1
#define TICKS		1
#define PROFILES	2
#define MMS		2
#define RUNS		2
#define DENIES
#define CLOCK
#define DO_FORK		(t == 1)
#define DO_STOP		true
#define DO_NOTHING	(t == 2)
#define DO_STAY		true
#endif

/* What was started is stopped again if the caller cannot be told. */
#ifdef SCENARIO_UNDO
#define TASKS		2
#define TICKS		1
#define RUNS		3
#define UNDO
#define DO_START	true
#define DO_STAY		true
#endif

/* Two counters in two pages. */
#ifdef SCENARIO_PAGES
#define TASKS		2
#define TICKS		2
#define PAGES		2
#define RUNS		2
#define DO_NOTHING	(t == 2)
#define DO_START	(t == 1)
#define DO_STAY		true
#endif

/* A sample array becomes full. */
#ifdef SCENARIO_SAMPLES
#define TASKS		2
#define TICKS		3
#define MODE		PROFIL_MODE_SAMPLES
#define DO_NOTHING	(t == 2)
#define DO_STOP		(t == 1)
#define DO_STAY		true
#endif

/* One forks while another stops or starts, and ticks end the run. */
#ifdef SCENARIO_FORK
#define TASKS		3
#define SHARERS		2
#define TICKS		1
#define PROFILES	2
#define MMS		2
#define RUNS		3
#define CLOCK
#define LIMIT
#define DO_FORK		(t == 1)
#define DO_STOP		(t != 1)
#define DO_START	(t == 2)
#define DO_STAY		true
#endif

/* One forks while another replaces what runs. */
#ifdef SCENARIO_REPLACE
#define TASKS		3
#define SHARERS		2
#define TICKS		1
#define CALLS2		2
#define PROFILES	2
#define MMS		2
#define RUNS		4
#define CLOCK
#define REPLACED
#define DO_FORK		(t == 1)
#define DO_START	(t == 2)
#define DO_NOTHING	(t == 3)
#define DO_STAY		true
#endif

/* A process of one thread forks while it samples. */
#ifdef SCENARIO_COPY
#define TASKS		2
#define SHARERS		1
#define TICKS		3
#define SLOTS		3
#define CAPACITY	4
#define PROFILES	2
#define MMS		2
#define RUNS		2
#define MODE		PROFIL_MODE_SAMPLES
#define ALONE
#define CALLS1		2
#define DO_FORK		(t == 1)
#define DO_NOTHING	(t == 1)
#define DO_STOP		(t == 2)
#define DO_STAY		true
#endif

/*
 * There is no end of ticks: in user mode, and each time that a handler has taken
 * a step.
 */
#ifdef SCENARIO_HANDLER
#define TASKS		1
#define DO_NOTHING	true
#define DO_STAY		false
#define MAY_TICK(t)	(ghost_fresh[t] && (user_mode[t] || P[0].settler == t))
#define TICKED(t)	ghost_fresh[t] = false
#define CALLED		skip
#define FORGET		ghost_forget()
#define MORE(v)		(v < 3 -> v + 1 : 3)
#endif

#if defined(FEW) && defined(TICKS)
#undef TICKS
#define TICKS		1
#endif
#ifndef SHARERS
#define SHARERS TASKS
#endif
#ifndef CALLS1
#define CALLS1 1
#endif
#ifndef CALLS2
#define CALLS2 1
#endif
#ifndef CALLS3
#define CALLS3 1
#endif
#ifndef PROFILES
#define PROFILES 1
#endif
#ifndef RUNS
#define RUNS 1
#endif
#ifndef MMS
#define MMS 1
#endif
#ifndef PAGES
#define PAGES 1
#endif
#ifndef SLOTS
#define SLOTS 2
#endif
#ifndef BATCH
#define BATCH 2
#endif
#ifndef TRIES
#define TRIES 2
#endif
#ifndef CALLBACKS
#define CALLBACKS 2
#define CALLBACKS_SYSTEM 1
#define CALLBACKS_URGENT 1
#endif
#ifndef CAPACITY
#define CAPACITY 2
#endif
#ifndef PRESENT
#define PRESENT false
#endif
#ifndef MODE
#define MODE PROFIL_MODE_HISTOGRAM
#endif
#ifndef TICKS
#define TICKS 1
#endif
#ifndef RECLAIMS
#define RECLAIMS 0
#endif
#ifndef UNMAPS
#define UNMAPS 0
#endif
#ifndef CONTENTIONS
#define CONTENTIONS 0
#endif
#ifndef KILLS
#define KILLS 0
#endif
#ifndef DO_START
#define DO_START false
#endif
#ifndef DO_STOP
#define DO_STOP false
#endif
#ifndef DO_STATUS
#define DO_STATUS false
#endif
#ifndef DO_CLOSE
#define DO_CLOSE false
#endif
#ifndef DO_FORK
#define DO_FORK false
#endif
#ifndef DO_BLOCK
#define DO_BLOCK false
#endif
#ifndef DO_EXEC
#define DO_EXEC false
#endif
#ifndef DO_NOTHING
#define DO_NOTHING false
#endif
#ifndef DO_EXIT
#define DO_EXIT false
#endif
#ifndef DO_STAY
#define DO_STAY false
#endif
#ifndef MORE
#define MORE(v)		v + 1
#endif
/* When a tick may come. */
#ifndef MAY_TICK
#define MAY_TICK(t)	(ticks_left > 0)
#define TICKED(t)	ticks_left--
#define CALLED		calls--
#define FORGET		skip
#endif
