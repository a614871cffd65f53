/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Programs to attach to: each does one thing again and again, and checks the result. */
#ifndef KINDS_H
#define KINDS_H

/* Their names, and what struct kind has. */
#define KINDS(kind)							\
	kind(checksum, NULL, checksum, false, false)			\
	kind(nanosleep, NULL, sleeps, false, false)			\
	kind(until, NULL, sleeps_until, false, false)			\
	kind(poll, make_pipe, polls, false, false)			\
	kind(select, make_pipe, selects, false, false)			\
	kind(epoll, make_epoll, waits_for_events, false, true)		\
	kind(futex, NULL, waits_for_word, false, false)			\
	kind(sigwait, block_usr1, waits_for_signal, false, true)	\
	kind(semaphore, NULL, waits_for_semaphore, false, true)		\
	kind(receive, make_socket, receives, false, true)		\
	kind(read, start_writer, reads, false, false)			\
	kind(write, start_reader, writes, false, true)			\
	kind(allocate, make_file, allocates, true, true)		\
	kind(random, NULL, draws, true, true)				\
	kind(zero, open_zero, fills, true, true)			\
	kind(restart, start_restarting, is_restarted, false, false)	\
	kind(interrupt, start_interrupting, is_interrupted, false, true) \
	kind(handler, make_stack, computes_in_handler, false, false)	\
	kind(step, catch_traps, steps, false, false)			\
	kind(fork, NULL, forks, false, false)				\
	kind(spawn, NULL, spawns, false, false)				\
	kind(alone, NULL, is_alone, true, true)				\
	kind(full, fill_table, has_full_table, true, false)		\
	kind(limited, limit_space, sleeps, true, false)			\
	kind(locked, lock_all, sleeps, true, false)			\
	kind(objects, map_objects, checksum, true, false)

#define KINDS_NUMBER(name, ...)	KIND_##name,
enum { KINDS(KINDS_NUMBER) NKINDS };

/* In memory that the test shares with the program. */
struct shared {
	int	stop;
	char	error[200];		/* the first check that failed */
	long	rounds[NKINDS];
};

extern struct shared *shared;

struct kind {
	void		(*begin)(void);		/* once; may be NULL */
	void		(*round)(void);
	bool		alone;			/* not in a program with threads */
	bool		tender;			/* see attach.c */
};

extern const struct kind kinds[NKINDS];

/* Runs kind number @kind, or with -1 all that may have threads, in 64 threads. */
void kinds_run(int kind);

#endif
