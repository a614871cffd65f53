/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Ticks at a pc of the test's choice. spin() and spend() put an instruction that
 * jumps to itself there, so that every tick of that time has exactly this pc. A test starts
 * just after a tick, spin() and spend() end just after one, and what happens in between is
 * much shorter than a tick: no tick has another pc. So spin() is exact. A pc at which this
 * machine has no instruction skips the test. With spend(), two ticks more or less may be due
 * than 100 per second of that time: which ones are is drawn at random, by blocks.
 *
 * The tests are source as it was written for the system they are about, so
 * this header includes nothing: each system's own headers are whatever
 * pkg-config says they are.
 */
#ifndef CONFORMANCE_TICKS_H
#define CONFORMANCE_TICKS_H

#define HARNESS_BARE
#include "harness.h"

/* An address where the tests have their text: unused, and fits in 32 bits. */
#define TEXT		0x10000000UL
/* And one that does not fit. */
#define FAR_TEXT	0x200010000000UL

/* An address no process has, and one that is not mapped. */
#define KERNEL_ADDRESS	((void *)0xffff888000001000UL)
#define NOT_MAPPED	((void *)0x3000UL)

#define COUNT(array)	(sizeof(array) / sizeof((array)[0]))

/* The call succeeds and leaves errno alone; the same of one that returns nothing. */
#define CHECK_OK(call)		CHECK_QUIET(CHECK_EQ(call, 0))
#define CHECK_QUIET(call) do {						\
	*harness_errno() = 12345;					\
	call;								\
	CHECK_EQ(*harness_errno(), 12345);				\
} while (0)

/*
 * Stay at pc until the process's profile has seen exactly n more ticks, and
 * done with them. Fails the test if they do not come.
 */
void spin(unsigned long pc, int n);
/* Stay at pc until a tick turns the profile off. Fails if it does not. */
void spin_until_off(unsigned long pc);
/*
 * Stay at pc for so many milliseconds of this thread's CPU time. Where others have
 * run meanwhile it may be up to a tick more, as it ends with one: returns how many
 * it was, for what is counted more often than in each tick.
 */
int spend(unsigned long pc, int ms);
/* Read zeros in a loop for that time: pc is where the system call returns to. */
void spend_in_kernel(unsigned long pc, int ms);
/* spend(pc, ms) in n threads at once; and in one that runs while main waits. */
void spend_in_threads(unsigned long pc, int ms, int n);
/*
 * A thread that exists already, and spends its time only when asked to: with
 * thread_spin() it stays at pc for n ticks of the profile while main waits.
 */
void thread_start(void);
void thread_spin(unsigned long pc, int n);
/* Sleep. */
void idle(int ms);

/*
 * A profile is on. To see that time is not counted, tests spend() some: a block
 * of ticks (see kmod/tick/clock.c) fits into it, and two of these ticks are due.
 */
#define IDLE_MS		36
int profile_is_on(void);
/* Ticks that the running profile, or the last one, has seen. */
long profile_ticks(void);

/* Run fn in a forked child, whose checks must hold. */
void in_child(void (*fn)(void));
/* The same in a process that shares this one's memory, as IRIX's sproc did. */
void in_sharing_process(void (*fn)(void));
/* Replace this process's program by a ROLE() of it. */
__attribute__((noreturn))
void become(const char *role, unsigned long argument);
unsigned long role_argument(char **argv);
/* Neither after vfork and exec nor after exec alone is there a profile. Does not return. */
__attribute__((noreturn))
void exec_turns_off(void);
/* The profile counts at TEXT here and in a fork child, which has its own count. */
#define counts_on_in_child(counter)	counts_on_in_child_at(counter, sizeof(*(counter)))
void counts_on_in_child_at(const void *counter, unsigned int width);

/* Whole pages of zeroes, private or shared with children, with a hole after. */
void *pages(unsigned long bytes);
void *shared_pages(unsigned long bytes);
/* Take pages away, or only the right to write to them. */
void unmap(void *address, unsigned long bytes);
void protect(void *address, unsigned long bytes);

/* The sum of n counters of 2, 4 or 8 bytes. */
unsigned long sum(const void *counters, unsigned long n, unsigned int width);
#define SUM(array)	sum((array), COUNT(array), sizeof((array)[0]))

/*
 * The index of the one counter that is not 0, and is 1; that counter is then 0
 * again. -1: all are 0. -2: something else.
 */
long which(void *counters, unsigned long n, unsigned int width);
#define NOWHERE		(-1)

/* One tick at pc is counted in that counter of the array, and in no other. */
struct hit {
	void		*counters;
	unsigned long	n;
	unsigned int	width;
	unsigned long	pc;
	long		index;
};
#define AT(array, pc, index)	\
	{ (array), COUNT(array), sizeof((array)[0]), (pc), (index) }
void check_hits(const char *file, int line, const struct hit *hits, unsigned long n);
#define CHECK_HITS(...)	check_hits(__FILE__, __LINE__,			\
	(const struct hit[]){ __VA_ARGS__ }, COUNT(((struct hit[]){ __VA_ARGS__ })))
#define CHECK_HIT(array, pc, index)	CHECK_HITS(AT(array, pc, index))

/* A test of a table: after the call, where pcs are counted. */
#define TEST_HITS(name, call, ...)					\
	TEST(name) { STARTS(call); CHECK_HITS(__VA_ARGS__); }
/* The same for rows of scale, distance from TEXT, index; the call has a variable scale. */
#define TEST_INDEXES(name, array, call, ...) TEST(name)			\
{									\
	static const struct { unsigned int scale, d; long index; } rows[] = { __VA_ARGS__ }; \
									\
	for (unsigned long i = 0; i < COUNT(rows); i++) {		\
		unsigned int scale = rows[i].scale;			\
									\
		STARTS(call);						\
		CHECK_HIT(array, TEXT + rows[i].d, rows[i].index);	\
	}								\
}
/* n ticks at TEXT make a counter that is from become to, and not the next one. */
#define CHECK_COUNTS(counter, from, call, n, to) do {			\
	(counter) = (from);						\
	STARTS(call);							\
	spin(TEXT, n);							\
	CHECK_EQ(counter, to);						\
	CHECK_EQ((&(counter))[1], 0);					\
} while (0)
/* What starts() has started is at TEXT until the call. */
#define CHECK_TURNS_OFF(starts, call, array) do {			\
	STARTS(starts);							\
	spin(TEXT, 1);							\
	STARTS(call);							\
	spend(TEXT, IDLE_MS);						\
	CHECK_EQ(SUM(array), 1);					\
} while (0)
/* The call counts at TEXT in a page, @lost, which is lost then. */
#define CHECK_LOSS_TURNS_OFF(call) do {					\
	unsigned short *lost = pages(PAGE);				\
	STARTS(call);							\
	spin(TEXT, 1);							\
	unmap(lost, PAGE);						\
	spin_until_off(TEXT);						\
} while (0)
/* After the call nothing is counted at TEXT. */
#define CHECK_COUNTS_NOTHING(call, array) do {				\
	STARTS(call);							\
	spend(TEXT, IDLE_MS);						\
	CHECK_EQ(SUM(array), 0);					\
} while (0)
/* The function has this type, of a pointer that is named call, and starts a profile. */
#define TEST_TYPE(name, type, function, check, ...) TEST(name)		\
{									\
	type = function;						\
									\
	check(call(__VA_ARGS__));					\
	CHECK(profile_is_on());						\
}
/* The test of a rule that other systems have, too; each defines SYSTEM. */
#define PROFIL_RULE(name)	RULE_NAME(SYSTEM, _profil_, name)
#define SPROFIL_RULE(name)	RULE_NAME(SYSTEM, _sprofil_, name)
#define RULE_NAME(system, call, name)	RULE_PASTE(system, call, name)
#define RULE_PASTE(system, call, name)	system##call##name
/* STARTS() of calls that return 0, unless the test has another. */
#ifndef STARTS
#define STARTS(call)	CHECK_OK(call)
#endif
/* Of the time that follows, what is spent at TEXT is in the counter. */
#define CHECK_CPU_TIME(starts, counter) do {				\
	STARTS(starts);							\
	idle(100);							\
	CHECK_EQ(profile_ticks(), 0);					\
	spend(TEXT, 200);						\
	CHECK_NEAR(counter, 20, 2);					\
} while (0)
/* Threads from before, here, and from after, a counter and so many bytes from one another. */
#define CHECK_THREADS(starts, array, bytes, next) do {			\
	thread_start();							\
	STARTS(starts);							\
	spin(TEXT, 1);							\
	thread_spin(TEXT + (bytes), 2);					\
	spend_in_threads(TEXT + 2 * (bytes), 40, 2);			\
	CHECK_EQ((array)[0], 1);					\
	CHECK_EQ((array)[next], 2);					\
	CHECK_NEAR((array)[2 * (next)], 8, 3);				\
} while (0)
/* A call of sprofil() with these entries. */
#define REGIONS(flags, ...)						\
	sprofil((struct prof[]){ __VA_ARGS__ },				\
		COUNT(((struct prof[]){ __VA_ARGS__ })), 0, (flags))

/* Text of a module parameter; -1 if there is none. */
int set_parameter(const char *name, const char *value);

#endif
