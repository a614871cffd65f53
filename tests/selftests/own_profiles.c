// SPDX-License-Identifier: LGPL-2.1-or-later
/* Profiles of single threads beside the process's: each gets the right ticks; limits. */
#include "own_profiles.h"

static uint32_t all, mine;

struct parted {
	struct profil_status own;
	uint64_t ns;
};

static void *own_for_100_ticks(void *arg)
{
	struct parted *parted = arg;
	page_t *own = start_own(&mine);
	uint64_t begin = thread_ns();

	work_for(own, 100);
	parted->ns = thread_ns() - begin;
	parted->own = thread_stop(NULL);
	return NULL;
}

TEST(ticks_of_a_thread_are_its_own_and_all_others_the_processs)
{
	struct profil_status st;
	struct parted parted;
	page_t *process = start_process(&all);
	uint64_t period = process->period_ns, ns = process_ns();

	work_for(process, 50);
	in_thread(own_for_100_ticks, &parted);
	work_for(process, 50);
	st = stopped();
	ns = process_ns() - ns;

	CHECK_EQ(mine, parted.own.counted);
	CHECK_EQ(all, st.counted);
	CHECK_GE(parted.own.counted, 100);
	CHECK_GE(st.counted, 100);
	if (!icount())
		return;
	CHECK_NEAR(parted.own.ticks, parted.ns / period, 2);
	CHECK_NEAR(st.ticks + parted.own.ticks, ns / period, 3);
}

static uint64_t array[4096];

TEST(thread_that_unmaps_its_page_counts_for_the_process_again)
{
	page_t *process = start_process(&all), *own = start_own(&mine);
	uint32_t counted;

	work_for(own, 10);
	unmap(own);
	counted = mine;
	work_for(process, 20);
	CHECK_EQ(mine, counted);
	CHECK_EQ(stopped().counted, all);
}

/* No tick finds it: timers serve the process, and there is no context switch. */
TEST(thread_that_unmaps_its_full_page_counts_for_its_process)
{
	struct profil_samples request = SAMPLES(array, 5, 8, PROFIL_RATE_TICK,
						.flags = PROFIL_THREAD);
	uint64_t before;

	CHECK_EQ(start_region(everything(&all, sizeof(all), 4), PROFIL_RATE_FAST), 0);
	CHECK_EQ(device_ioctl(PROFIL_IOC_SAMPLES, &request), 0);
	work_until_ticks(page_at(request.page), 5);
	work_thread_ms(20);
	CHECK_EQ(page_at(request.page)->state, PROFIL_STATE_FULL);
	before = page()->ticks;
	unmap(page_at(request.page));
	work_thread_ms(50);
	if (icount())
		CHECK_NEAR(page()->ticks - before, 50, 2);
	/* The stop takes the samples of a timer that is late. */
	CHECK_GE(stopped().ticks - before, 10);
}

/* The process's samples are by timer, and the thread's are not; it is not switched meanwhile. */
TEST(time_of_a_threads_own_profile_is_not_the_processs_when_it_ends)
{
	struct profil_region region = everything(&mine, sizeof(mine), sizeof(mine));
	struct profil_histogram own = HISTOGRAM(&region, PROFIL_RATE_TICK, .flags = PROFIL_THREAD);
	struct profil_status st = { .size = sizeof(st) };
	struct profil_thread end = { .size = sizeof(end), .status = (uintptr_t)&st };
	uint64_t from = thread_ns(), others, ns = 0, ticks;
	int fd = CHECK_CALL(open(DEVICE, O_RDWR | O_CLOEXEC));

	CHECK_EQ(start_region(everything(&all, sizeof(all), 4), PROFIL_RATE_FAST), 0);
	for (unsigned int i = 0; i < 50; i++) {
		CHECK_CALL(ioctl(fd, PROFIL_IOC_HISTOGRAM, &own));
		others = thread_ns();
		work_thread_ms(8);
		ns += thread_ns() - others;
		CHECK_CALL(ioctl(fd, PROFIL_IOC_THREAD_STOP, &end));
		work_thread_ms(3);
	}
	ticks = page()->ticks;
	others = thread_ns() - from - ns;
	note("%llu samples in %.1f ms, and %.1f ms with a profile of its own",
	     (unsigned long long)ticks, (double)others / 1000000, (double)ns / 1000000);
	CHECK_GE(ticks, others / 1000000 / 2);
	CHECK_LE(ticks, others / 1000000 + 20);
	stopped();
}

TEST(process_whose_page_is_unmapped_leaves_threads_theirs)
{
	page_t *process = start_process(&all), *own = start_own(&mine);

	unmap(process);
	work_for(own, 20);
	CHECK_EQ(status().mode, PROFIL_MODE_NONE);
	/* And may be profiled once more. */
	start_process(&all);
	work_for(own, 10);
	CHECK_EQ(thread_stop(NULL).counted, mine);
	work_for(page(), 10);
	CHECK_EQ(stopped().counted, all);
}

TEST(own_profile_that_is_full_keeps_the_ticks_from_the_process)
{
	page_t *process = start_process(&all);
	struct profil_samples request = SAMPLES(array, 5, 8, PROFIL_RATE_TICK,
						.flags = PROFIL_THREAD);
	uint64_t before;

	CHECK_EQ(device_ioctl(PROFIL_IOC_SAMPLES, &request), 0);
	/* Some may have come before we look, and there are no others. */
	work_until_ticks(page_at(request.page), 5);
	before = process->ticks;
	work_thread_ms(100);
	CHECK_EQ(page_at(request.page)->state, PROFIL_STATE_FULL);
	CHECK_EQ(process->ticks, before);
	CHECK_EQ(thread_stop(NULL).nsamples, 5);
	work_for(process, 5);
}

TEST(own_profile_is_replaced_by_the_next_start_and_reported)
{
	struct profil_status last = { .size = sizeof(last) };
	page_t *own = start_own(&mine);
	struct profil_samples request = SAMPLES(array, 4096, 8, PROFIL_RATE_TICK,
						.flags = PROFIL_THREAD, .last = (uintptr_t)&last);

	work_for(own, 10);
	CHECK_EQ(device_ioctl(PROFIL_IOC_SAMPLES, &request), 0);
	CHECK_EQ(request.page, (uintptr_t)own);
	CHECK_EQ(last.mode, PROFIL_MODE_HISTOGRAM);
	CHECK_EQ(last.counted, mine);
	work_for(own, 10);
	CHECK_EQ(last.counted, mine);
	CHECK_GE(thread_stop(NULL).nsamples, 10);
}

TEST(thread_at_the_fast_rate_leaves_the_process_its_own_rate)
{
	page_t *process = start_process(&all), *own = NULL;
	uint64_t ns;

	mine = 0;
	CHECK_EQ(start_own_at(&mine, PROFIL_RATE_FAST, &own), 0);
	ns = thread_ns();
	work_for(own, 200);
	ns = thread_ns() - ns;
	CHECK_LE(process->ticks, few());
	if (icount())
		CHECK_NEAR(ns / 1000000.0, 200, 10);
	CHECK_EQ(thread_stop(NULL).counted, mine);
	work_for(process, 10);
	CHECK_EQ(stopped().counted, all);
}

static page_t *left[PROFIL_THREADS_MAX];
static uint32_t left_buf[PROFIL_THREADS_MAX];
static pthread_barrier_t gate;

static void *wait_with_a_profile(void *arg)
{
	uintptr_t i = (uintptr_t)arg;

	left[i] = start_own(&left_buf[i]);
	pthread_barrier_wait(&gate);
	pthread_barrier_wait(&gate);
	return NULL;
}

TEST(sixty_four_threads_have_profiles_and_one_more_is_edquot)
{
	pthread_t threads[PROFIL_THREADS_MAX];
	page_t *own = NULL;

	pthread_barrier_init(&gate, NULL, PROFIL_THREADS_MAX + 1);
	for (uintptr_t i = 0; i < PROFIL_THREADS_MAX; i++)
		threads[i] = start_thread(wait_with_a_profile, (void *)i);
	pthread_barrier_wait(&gate);
	CHECK_EQ(start_own_at(&mine, PROFIL_RATE_TICK, NULL), -EDQUOT);
	CHECK_EQ(thread_status(NULL).mode, PROFIL_MODE_NONE);
	start_process(&all);	/* The process's is not one of them. */

	pthread_barrier_wait(&gate);
	join_threads(threads, PROFIL_THREADS_MAX);
	/* The pages of threads that have exited count until they are unmapped. */
	CHECK_EQ(start_own_at(&mine, PROFIL_RATE_TICK, NULL), -EDQUOT);
	unmap(left[0]);
	own = start_own(&mine);
	work_for(own, 10);
	CHECK_EQ(thread_stop(NULL).counted, mine);
}

static void *brief(void *arg)
{
	uint32_t *buf = arg;
	page_t *own = NULL;

	CHECK_EQ(start_own_at(buf, PROFIL_RATE_TICK, &own), 0);
	hot_a(20000);
	unmap(own);
	return NULL;
}

TEST(any_number_of_threads_have_profiles_one_after_the_other)
{
	uint32_t buf = 0;

	/* 500 may end before their first tick on a fast machine. */
	for (int i = 0; i < 500 || (!buf && i < 20000); i++)
		in_thread(brief, &buf);
	CHECK_GT(buf, 0);
}

TEST(stacks_with_it_are_einval)
{
	struct profil_samples request = SAMPLES(array, 4096, 8, PROFIL_RATE_CLOCK,
						.flags = PROFIL_THREAD, .stacks = (uintptr_t)array,
						.stacks_size = sizeof(array));

	CHECK_EQ(device_ioctl(PROFIL_IOC_SAMPLES, &request), -EINVAL);
	request.stacks = 0;
	request.stacks_size = 0;
	CHECK_EQ(device_ioctl(PROFIL_IOC_SAMPLES, &request), 0);
}

static void refused(unsigned long command)
{
	struct profil_status st = { .size = sizeof(st) }, small = { .size = 4 };
	const uint32_t size = sizeof(struct profil_thread);
	const struct {
		struct profil_thread request;
		uint32_t more;
		int error;
	} requests[] = {
		{ { size, 0, 0, (uintptr_t)&st }, 0, 0 },
		{ { size, 1, 0, (uintptr_t)&st }, 0, -EINVAL },
		{ { PROFIL_THREAD_SIZE_MIN - 1, 0, 0, (uintptr_t)&st }, 0, -EINVAL },
		{ { size, 0, 0, 0 }, 0, -EFAULT },
		{ { size, 0, 0, (uintptr_t)&small }, 0, -EINVAL },
		{ { size, 0, (uintptr_t)&st, (uintptr_t)&st }, 0, -EINVAL },
		{ { size, 0, (uintptr_t)page() + 8, (uintptr_t)&st }, 0, -EINVAL },
		{ { size + 4, 0, 0, (uintptr_t)&st }, 0, 0 },
		{ { size + 4, 0, 0, (uintptr_t)&st }, 1, -E2BIG },
	};

	for (size_t i = 0; i < sizeof(requests) / sizeof(requests[0]); i++)
		CHECK_EQ(device_ioctl(command, (void *)(uintptr_t)&requests[i]), requests[i].error);
	CHECK_EQ(device_ioctl(command, NULL), -EFAULT);
}

TEST(status_and_stop_of_a_thread_refuse_what_is_wrong)
{
	start_process(&all);
	refused(PROFIL_IOC_THREAD_STATUS);
	refused(PROFIL_IOC_THREAD_STOP);
	CHECK_EQ(page()->state, PROFIL_STATE_ON);
}

TEST(second_page_of_the_device_is_the_threads)
{
	size_t size = (size_t)sysconf(_SC_PAGESIZE);
	int fd = CHECK_CALL(open(DEVICE, O_RDWR | O_CLOEXEC));
	page_t *own;

	CHECK_FAILS((long)mmap(NULL, size, PROT_READ, MAP_SHARED, fd, 2 * (off_t)size), EINVAL);
	CHECK_FAILS((long)mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, (off_t)size),
		    EACCES);
	own = mmap(NULL, size, PROT_READ, MAP_SHARED, fd, (off_t)size);
	CHECK((void *)(uintptr_t)own != MAP_FAILED);
	CHECK_EQ(own->state, PROFIL_STATE_OFF);
	CHECK_FAILS((long)mmap(NULL, size, PROT_READ, MAP_SHARED, fd, (off_t)size), EBUSY);
	CHECK_EQ((uintptr_t)start_own(&mine), (uintptr_t)own);
	work_for(own, 5);
	CHECK_EQ(thread_stop(NULL).counted, mine);
}

TEST_WITH(MAX_PROFILES, "2", own_profiles_count_for_the_user)
{
	page_t *own = NULL;

	start_process(&all);
	in_thread(leave_a_profile, &own);
	/* Of the second no thread is left, but it is there until its page is unmapped. */
	CHECK_EQ(start_own_at(&mine, PROFIL_RATE_TICK, NULL), -EDQUOT);
	unmap(own);
	work_for(start_own(&mine), 5);
	CHECK_EQ(thread_stop(NULL).counted, mine);
	/* It is there, too, for the process's. */
	unmap(page());
	in_thread(leave_a_profile, &own);
	CHECK_EQ(start_region(everything(&all, 4, 4), PROFIL_RATE_TICK), -EDQUOT);
}

TEST_WITH(MAX_PROFILES, "2", fork_child_above_the_users_limit_has_neither_profile)
{
	page_t *own = start_own(&mine), *process = start_process(&all);

	IN_CHILD {
		CHECK_EQ(own->state, PROFIL_STATE_DENIED);
		CHECK_EQ(process->state, PROFIL_STATE_DENIED);
		CHECK_EQ(thread_status(own).mode, PROFIL_MODE_NONE);
		CHECK_EQ(thread_command(PROFIL_IOC_THREAD_STOP, own,
					&(struct profil_status) {}), 0);
		CHECK_EQ(stopped().mode, PROFIL_MODE_NONE);
	}
	thread_stop(NULL);
}

TEST_WITH(ENABLED, "Y", switched_off_profiling_stops_those_of_threads)
{
	page_t *own = start_own(&mine);

	CHECK_CALL(write_file(ENABLED, "N"));
	CHECK_EQ(own->state, PROFIL_STATE_DENIED);
	CHECK_EQ(start_own_at(&mine, PROFIL_RATE_TICK, NULL), -EPERM);
	CHECK_CALL(write_file(ENABLED, "Y"));
	CHECK_EQ(thread_stop(NULL).counted, mine);
}
