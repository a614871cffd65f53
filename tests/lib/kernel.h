/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A faked kernel: stands behind the library's syscall() and ioctl() (linked
 * with --wrap), keeps one profile per "process", records each request, and
 * refuses what <linux/profil.h> says the kernel refuses. What the library does
 * with descriptors is checked at the end of every test.
 */
#ifndef TESTS_LIB_KERNEL_H
#define TESTS_LIB_KERNEL_H

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdbool.h>
#include <stdint.h>
#include <cmocka.h>
#include <errno.h>
#include <linux/profil.h>

#define KERNEL_MAX_REGIONS	4096
#ifdef __x86_64__
#define KERNEL_USER_END		0x7ffffffff000ULL
#else
#define KERNEL_USER_END		0xfffffffff000ULL
#endif

struct kernel {
	/* What it is told to do. */
	int			open_error;	/* errno of each open */
	int			open_eintr;	/* opens interrupted first */
	int			ioctl_error;	/* errno of each ioctl */
	int			ioctl_eintr;	/* ioctls interrupted first */
	int			ioctl_result;	/* a driver that is not ours */
	int			samples_error;	/* PROFIL_IOC_SAMPLES only */
	int			start_error;	/* of each good start */
	bool			old;		/* knows no stacks */
	int			objects_error;	/* PROFIL_IOC_OBJECTS only */
	void			(*at_table)(void);	/* called in the midst of it */
	bool			beside;		/* the caller is not the initial thread */
	struct profil_features	features;

	/* What it holds. */
	struct profil_status	status;
	struct profil_status	own;		/* of the calling thread */
	struct profil_region	regions[KERNEL_MAX_REGIONS];
	struct profil_histogram	histogram;	/* last one accepted */
	struct profil_samples	samples;	/* last one accepted */
	struct profil_object	objects[PROFIL_OBJECTS_MAX];
	unsigned int		nobjects;

	/* What it has seen. */
	int			opens, closes;
	int			histograms, sampleses, stops, queries, tables;
	int			own_histograms, own_stops;
	unsigned long		commands[8];	/* the last ones, in order */
	unsigned int		ncommands;
};

extern struct kernel kernel;

/* cmocka setup and teardown. */
int kernel_boot(void **state);
int kernel_halt(void **state);

/* The only region of the profile that runs now; fails if there are others. */
const struct profil_region *kernel_only_region(void);

/* Runs a profile for another dialect, as if by an earlier call. */
void kernel_run(uint32_t mode, uint32_t tag);

/* Ends it as the kernel itself does: a fault, a limit, a full array. */
void kernel_end(uint32_t state, uint64_t nsamples);

/* The call left the profile that kernel_run() started alone. */
void kernel_assert_untouched(void);

/*
 * assert(call) with each errno that says a good start is refused: switched off,
 * too many profiles, a page that may not be locked.
 */
#define assert_refusals(assert, call) do {			\
		static const int refusals[] = { EPERM, EDQUOT, EAGAIN };	\
		for (size_t i_ = 0; i_ < 3; i_++) {		\
			kernel.start_error = refusals[i_];	\
			assert(call, refusals[i_]);		\
		}						\
		kernel.start_error = 0;				\
		kernel_assert_untouched();			\
	} while (0)

#define assert_errno(call, error) do {				\
		errno = 0;					\
		assert_int_equal((call), -1);			\
		assert_int_equal(errno, (error));		\
	} while (0)

/* Of calls that are void. */
#define assert_sets(call, error) do {				\
		errno = 0;					\
		call;						\
		assert_int_equal(errno, (error));		\
	} while (0)

/* Success, and errno is what it was. */
#define assert_success(call) do {				\
		errno = ERANGE;					\
		assert_int_equal((call), 0);			\
		assert_int_equal(errno, ERANGE);		\
	} while (0)

#endif
