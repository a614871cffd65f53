/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What the conformance tests are written with.
 *
 * The tests are source as it was written for the system they are about, so
 * this header includes nothing: each system's own headers are whatever
 * pkg-config says they are. A program is a list of TEST()s; each runs in a
 * forked child with a time limit, TIMEOUT seconds. Output is TAP.
 *
 *	PROGRAM			run every test
 *	PROGRAM TEXT...		run the tests whose names contain one of TEXT
 *	PROGRAM --list		print the names
 *	PROGRAM --role NAME	what the tests exec: run a ROLE()
 *
 * A pc of the test's choice: spin() and spend() put an instruction that jumps
 * to itself there, so that every tick of that time has exactly this pc. A
 * test starts just after a tick, spin() and spend() end just after one, and
 * what happens in between is much shorter than a tick: no tick has another pc.
 * So spin() is exact. A pc at which this machine has no instruction skips the
 * test. With spend(), two ticks more or less may be due than 100
 * per second of that time: which ones are is drawn at random, by blocks.
 */
#ifndef CONFORMANCE_HARNESS_H
#define CONFORMANCE_HARNESS_H

/* An address where the tests have their text: unused, and fits in 32 bits. */
#define TEXT		0x10000000UL
/* And one that does not fit. */
#define FAR_TEXT	0x200010000000UL

/* Bytes of a page. */
#define PAGE		4096UL

struct test {
	const char	*name;
	void		(*run)(void);
	struct test	*next;
};

struct role {
	const char	*name;
	int		(*run)(unsigned long argument);
	struct role	*next;
};

void harness_add_test(struct test *test);
void harness_add_role(struct role *role);

/* TEST(name_that_says_the_behaviour) { ... } */
#define TEST(fn)							\
	static void fn(void);						\
	static struct test test_##fn = { #fn, fn, 0 };			\
	__attribute__((constructor)) static void add_test_##fn(void)	\
	{								\
		harness_add_test(&test_##fn);				\
	}								\
	static void fn(void)

/* ROLE(name) { ... return exit_status; }, with an unsigned long argument. */
#define ROLE(fn)							\
	static int role_run_##fn(unsigned long argument);		\
	static struct role role_##fn = { #fn, role_run_##fn, 0 };	\
	__attribute__((constructor)) static void add_role_##fn(void)	\
	{								\
		harness_add_role(&role_##fn);				\
	}								\
	static int role_run_##fn(unsigned long argument)

/* End the test at once, with place, expression and values. */
#define EXPECT(cond)							\
	((cond) ? (void)0 : harness_failed(__FILE__, __LINE__, #cond))
#define EXPECT_EQ(got, want)						\
	harness_equal(__FILE__, __LINE__, #got, (long long)(got), (long long)(want))
#define EXPECT_NEAR(got, want, off)					\
	harness_near(__FILE__, __LINE__, #got, (long long)(got),	\
		     (long long)(want), (long long)(off))
/* The call fails with this errno. */
#define EXPECT_ERRNO(call, value) do {					\
	*harness_errno() = 0;						\
	EXPECT_EQ(call, -1);						\
	EXPECT_EQ(*harness_errno(), value);				\
} while (0)
/* The call succeeds and leaves errno alone. */
#define EXPECT_OK(call) do {						\
	*harness_errno() = 12345;					\
	EXPECT_EQ(call, 0);						\
	EXPECT_EQ(*harness_errno(), 12345);				\
} while (0)
/* The call returns nothing, and leaves errno alone. */
#define EXPECT_QUIET(call) do {						\
	*harness_errno() = 12345;					\
	call;								\
	EXPECT_EQ(*harness_errno(), 12345);				\
} while (0)

__attribute__((noreturn))
void harness_failed(const char *file, int line, const char *what);
void harness_equal(const char *file, int line, const char *what,
		   long long got, long long want);
void harness_near(const char *file, int line, const char *what,
		  long long got, long long want, long long off);
int *harness_errno(void);

/* A line of explanation in the output. */
__attribute__((format(printf, 1, 2)))
void note(const char *format, ...);

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
 * of ticks (see kmod/rate.c) fits into it, and two of these ticks are due.
 */
#define IDLE_MS		36
int profile_is_on(void);
/* Ticks that the running profile, or the last one, has seen. */
long profile_ticks(void);

/* Run fn in a forked child; true if it returned and nothing in it failed. */
int in_child(void (*fn)(void));
/* The same in a process that shares this one's memory, as IRIX's sproc did. */
int in_sharing_process(void (*fn)(void));
/* The same with vfork and exec of a ROLE(). */
int in_program(const char *role, unsigned long argument);
/* Replace this process's program by a ROLE() of it. */
__attribute__((noreturn))
void become(const char *role, unsigned long argument);

/* Whole pages of zeroes, private or shared with children, with a hole after. */
void *pages(unsigned long bytes);
void *shared_pages(unsigned long bytes);
/* Take pages away, or only the right to write to them. */
void unmap(void *address, unsigned long bytes);
void protect(void *address, unsigned long bytes);

/* The sum of n counters of 2, 4 or 8 bytes. */
unsigned long sum(const void *counters, unsigned long n, int width);
#define SUM(array)	\
	sum((array), sizeof(array) / sizeof((array)[0]), sizeof((array)[0]))

/*
 * The index of the one counter that is not 0, and is 1; that counter is then 0
 * again. -1: all are 0. -2: something else.
 */
long which(void *counters, unsigned long n, int width);
/* One tick at pc is counted in that counter of the array, and in no other. */
#define EXPECT_HIT(array, pc, index) do {				\
	spin((pc), 1);							\
	EXPECT_EQ(which((array), sizeof(array) / sizeof((array)[0]),	\
			sizeof((array)[0])), index);			\
} while (0)
#define NOWHERE		(-1)

/* An address no process has, and one that is not mapped. */
#define KERNEL_ADDRESS	((void *)0xffff888000001000UL)
#define NOT_MAPPED	((void *)0x3000UL)

/* Text of a module parameter; -1 if there is none. */
int set_parameter(const char *name, const char *value);

#endif
