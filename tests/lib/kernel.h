/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A fake device: stands behind the library's syscall() and ioctl() (linked with
 * --wrap), keeps one profile of the process and one of the thread, and records
 * each request. The module's own kmod/region.c checks the regions. What the
 * library does with descriptors is checked at the end of every test.
 */
#ifndef TESTS_LIB_KERNEL_H
#define TESTS_LIB_KERNEL_H

#include "unit.h"
#include <libprofil.h>
#include <linux/profil.h>

#define KERNEL_MAX_REGIONS	4096
#ifdef __x86_64__
#define KERNEL_USER_END		0x7ffffffff000ULL
#else
#define KERNEL_USER_END		0xfffffffff000ULL
#endif

/* For arguments: some text, and memory that a program cannot have. */
#define TEXT			0x401000UL
#define KERNEL_MEMORY		((void *)0xffff888000000000UL)

struct kernel {
	/* What it is told to do. */
	int			open_error;	/* errno of each open */
	int			open_eintr;	/* opens interrupted first */
	int			ioctl_error;	/* errno of each ioctl */
	int			ioctl_eintr;	/* ioctls interrupted first */
	int			ioctl_result;	/* a driver that is not ours */
	int			start_error;	/* of each good start */
	int			waits_error;	/* of each start with them */
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
	int			histogram_starts, sample_starts, stops, tables;
	int			own_histograms, own_stops;
	uintptr_t		probed;		/* the last word that a futex reached for */
	unsigned long		commands[8];	/* the last ones, in order */
	unsigned int		ncommands;
};

extern struct kernel kernel;

/* cmocka setup and teardown. */
int kernel_boot(void **state);
int kernel_halt(void **state);

/* Runs a profile for another dialect, as if by an earlier call. */
void kernel_run(uint32_t mode, uint32_t tag);

/* The object of the last table that has an address; NULL if none has. */
const struct profil_object *kernel_object_of(uintptr_t address);

/* A call's result, and errno; a void call fails if errno changes. */
#define KERNEL_OLD_ERRNO	ERANGE
#define kernel_call(call)						\
	(errno = KERNEL_OLD_ERRNO, (long)__builtin_choose_expr(		\
		__builtin_types_compatible_p(__typeof__(call), void),	\
		((call), errno == KERNEL_OLD_ERRNO ? 0 : -1), (call)))

/*
 * One call and what becomes of it. Each begins with a profile
 * that another dialect has started.
 *
 *   fails(errno, call)            and that profile runs on
 *   starts(tag, call, region...)  these regions take its place: each field counts
 *   stops(call)                   it ends
 */
void kernel_begin(void);
bool kernel_failed(long result, int error);
bool kernel_started(long result, uint32_t tag, const struct profil_region *regions, size_t n);
bool kernel_stopped(long result);

#define fails(error, call) do {						\
		kernel_begin();					\
		assert_true(kernel_failed(kernel_call(call), (error)));	\
	} while (0)

#define starts(tag, call, ...) do {					\
		const struct profil_region regions_[] = { __VA_ARGS__ };\
		kernel_begin();					\
		assert_true(kernel_started(kernel_call(call), (tag), regions_,	\
					   sizeof(regions_) / sizeof(regions_[0]))); \
	} while (0)

#define stops(call) do {						\
		kernel_begin();					\
		assert_true(kernel_stopped(kernel_call(call)));		\
	} while (0)

/*
 * A start says why it is refused: switched off, too many profiles, a page that may
 * not be locked; and that there is no module.
 */
#define start_fails_with_reason(call) do {				\
		static const int reasons_[] = { EPERM, EDQUOT, EAGAIN };\
		for (size_t i_ = 0; i_ < 3; i_++) {			\
			kernel.start_error = reasons_[i_];		\
			fails(reasons_[i_], call);			\
		}							\
		kernel.start_error = 0;					\
		kernel.open_error = ENOENT;				\
		fails(ENODEV, call);					\
		kernel.open_error = 0;					\
	} while (0)

#define assert_errno(call, error) do {				\
		errno = 0;					\
		assert_int_equal((call), -1);			\
		assert_int_equal(errno, (error));		\
	} while (0)

/* Success, and errno is what it was. */
#define assert_success(call) do {				\
		errno = ERANGE;					\
		assert_int_equal((call), 0);			\
		assert_int_equal(errno, ERANGE);		\
	} while (0)

/* A region of @counters as most systems' calls make it; an argument replaces a default. */
#define KERNEL_REGION(...) {						\
	.buf = (uintptr_t)counters, .size = sizeof(counters), .offset = TEXT,	\
	.width = 2, .index = PROFIL_INDEX_BYTE_DOWN,			\
	.at_limit = PROFIL_LIMIT_SATURATE, .on_fault = PROFIL_FAULT_STOP_ALL,	\
	##__VA_ARGS__ }
#pragma GCC diagnostic ignored "-Woverride-init"

#endif
