/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Starts, queries and stops profiles of single threads. */
#ifndef SELFTESTS_OWN_PROFILES_H
#define SELFTESTS_OWN_PROFILES_H

#include "setup.h"

static inline page_t *page_at(uint64_t address)
{
	return (page_t *)(uintptr_t)address;
}

/* Starts the calling thread's own profile, which counts every tick in counter 0 of buf. */
static inline int start_own_at(uint32_t *buf, unsigned int rate, page_t **own)
{
	struct profil_region region = everything(buf, sizeof(*buf), sizeof(*buf));
	struct profil_histogram request = HISTOGRAM(&region, rate, .flags = PROFIL_THREAD);
	int err = device_ioctl(PROFIL_IOC_HISTOGRAM, &request);

	if (!err && own)
		*own = page_at(request.page);
	return err;
}

static inline page_t *start_own(uint32_t *buf)
{
	page_t *own = NULL;

	*buf = 0;
	CHECK_EQ(start_own_at(buf, PROFIL_RATE_TICK, &own), 0);
	CHECK_EQ(own->state, PROFIL_STATE_ON);
	CHECK_EQ(own->flags, PROFIL_THREAD);
	return own;
}

static inline page_t *start_process(uint32_t *buf)
{
	*buf = 0;
	CHECK_EQ(start_region(everything(buf, sizeof(*buf), 4), PROFIL_RATE_TICK), 0);
	return page();
}

static inline int thread_command(unsigned long command, page_t *named, struct profil_status *st)
{
	struct profil_thread request = {
		.size = sizeof(request), .page = (uintptr_t)named, .status = (uintptr_t)st,
	};

	st->size = sizeof(*st);
	return device_ioctl(command, &request);
}

static inline struct profil_status thread_status(page_t *named)
{
	struct profil_status st;

	CHECK_EQ(thread_command(PROFIL_IOC_THREAD_STATUS, named, &st), 0);
	return st;
}

static inline struct profil_status thread_stop(page_t *named)
{
	struct profil_status st;

	CHECK_EQ(thread_command(PROFIL_IOC_THREAD_STOP, named, &st), 0);
	CHECK_NOTHING_LOST(&st);
	return st;
}

static inline void work_for(page_t *of, uint64_t ticks)
{
	work_until_ticks(of, of->ticks + ticks);
}

/* Of CPU time that no profile is asked about. */
static inline void work_thread_ms(unsigned int ms)
{
	uint64_t end = thread_ns() + ms * 1000000ULL;

	while (thread_ns() < end)
		hot_a(20000);
}

static inline void unmap(page_t *named)
{
	CHECK_CALL(munmap((void *)(uintptr_t)named, (size_t)sysconf(_SC_PAGESIZE)));
}

/* A thread that does fn(), and waits for it. */
static inline void in_thread(void *(*fn)(void *), void *arg)
{
	join_thread(start_thread(fn, arg));
}

/* What a few system calls take; a starved emulator may take its time over them. */
static inline uint64_t few(void)
{
	return icount() ? 3 : 50;
}

static uint32_t left_behind __attribute__((unused));

static inline void *leave_a_profile(void *arg)
{
	page_t **own = arg;

	*own = start_own(&left_behind);
	work_for(*own, 20);
	return NULL;
}

#endif /* SELFTESTS_OWN_PROFILES_H */
