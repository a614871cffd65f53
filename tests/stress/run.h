/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A run of many processes, each of which does what a seed and its number
 * decide: chance, what was found (in memory that all processes share), the
 * command line, and starting and ending the processes.
 */
#ifndef STRESS_RUN_H
#define STRESS_RUN_H

#include <stdint.h>

#include "harness.h"

/* --- numbers that look random and are the same for the same seed --------------- */

struct chance {
	uint64_t state;
};

uint64_t chance_next(struct chance *c);

/* 0 to n - 1. */
unsigned int chance_of(struct chance *c, unsigned int n);

/* Once in n times. */
bool chance_one_in(struct chance *c, unsigned int n);

/* A sequence of its own for each number. */
struct chance chance_from(uint64_t seed, uint64_t number);

/* --- what was found: rules that were broken, and how often each thing was done -- */

#define OUTCOME_COUNTS	64

struct outcome {
	uint64_t broken;
	uint64_t counts[OUTCOME_COUNTS];
};

extern struct outcome *outcome;

void outcome_init(void);

/* One more of a kind. */
void did(unsigned int kind);
void did_many(unsigned int kind, uint64_t n);
bool did_ever(unsigned int kind);

/*
 * Of the names of the kinds, to a NULL, one that was never done; not of those in
 * brackets. A run that has not done something has not shown that it does no harm.
 */
const char *not_done(const char *const *names);

/* A rule does not hold: said at once, the first times. */
void broken(const char *format, ...) __attribute__((format(printf, 1, 2)));

#define MUST(cond) do {							\
	if (!(cond))							\
		broken("%s:%d: %s is false", __FILE__, __LINE__, #cond);	\
} while (0)

#define MUST_BE(a, b) do {						\
	long long a_ = (long long)(a), b_ = (long long)(b);		\
									\
	if (a_ != b_)							\
		broken("%s:%d: %s is %lld, and %s %lld", __FILE__, __LINE__, #a, a_, #b, b_); \
} while (0)

/* The process at work, for broken(). */
void outcome_name(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* A line of TAP; counts failures. */
void tap(bool ok, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Ends a run, and three lines of its outcome: false if not every process died. */
bool tap_outcome(const char *const *names);
/* The plan. Returns the program's exit status. */
int tap_end(void);

/* --- processes ------------------------------------------------------------------ */

#define MOST_PROCESSES	256
#define ALL_OF_THEM	UINT64_MAX

struct run {
	const char *usage;
	const char *letters;	/* what getopt() is to know besides -p, -s and -a */
	unsigned int processes;	/* -p: at a time */
	uint64_t seed;		/* -s; else any */
	uint64_t only;		/* -a: that process alone; else ALL_OF_THEM */
	unsigned int kills;	/* how often one was killed */
	void (*body)(uint64_t number);
};

extern struct run run;

/*
 * The next option of the program's own, with its argument in optarg, or -1: there
 * are no more. Ends the program where they are wrong; and at once where it is
 * what processes of a run exec.
 */
int run_option(int argc, char **argv);

/* Looks after those that have ended, and starts others for them. */
void run_go_on(void);

/* Any process, alone or with all of its family. */
void run_kill_one(struct chance *chance);

/* The child ended well, or by the SIGKILL that it may have had. */
void ended_well(pid_t pid, bool killed);

/* vfork(), and this program again, which does nothing, or nothing at all. */
pid_t vfork_something(bool exec);

#endif /* STRESS_RUN_H */
