// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Profiles of single threads, beside the process's: whose ticks are whose, and
 * who may name a profile whose thread is somewhere else, or gone.
 */
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#include "harness.h"
#include "device.h"
#include "work.h"

#define MAX_PROFILES	"/sys/module/profil/parameters/max_profiles"
#define ENABLED		"/sys/module/profil/parameters/enabled"

typedef const volatile struct profil_status page_t;

static page_t *page_at(uint64_t address)
{
	return (page_t *)(uintptr_t)address;
}

/* The calling thread's own, counting every tick in counter 0 of buf. */
static int start_own_at(uint32_t *buf, unsigned int rate, page_t **own)
{
	struct profil_region region = everything(buf, sizeof(*buf), sizeof(*buf));
	struct profil_histogram request = {
		.size = sizeof(request),
		.regions = (uintptr_t)&region,
		.nregions = 1,
		.region_size = sizeof(region),
		.rate = rate,
		.flags = PROFIL_THREAD,
	};
	int err = device_ioctl(PROFIL_IOC_HISTOGRAM, &request);

	if (!err && own)
		*own = page_at(request.page);
	return err;
}

static page_t *start_own(uint32_t *buf)
{
	page_t *own = NULL;

	*buf = 0;
	CHECK_EQ(start_own_at(buf, PROFIL_RATE_TICK, &own), 0);
	CHECK_EQ(own->state, PROFIL_STATE_ON);
	CHECK_EQ(own->flags, PROFIL_THREAD);
	return own;
}

static page_t *start_process(uint32_t *buf)
{
	*buf = 0;
	CHECK_EQ(start_region(everything(buf, sizeof(*buf), 4), PROFIL_RATE_TICK), 0);
	return page();
}

static int thread_command(unsigned long command, page_t *named, struct profil_status *st)
{
	struct profil_thread request = {
		.size = sizeof(request),
		.page = (uintptr_t)named,
		.status = (uintptr_t)st,
	};

	st->size = sizeof(*st);
	return device_ioctl(command, &request);
}

static struct profil_status thread_status(page_t *named)
{
	struct profil_status st;

	CHECK_EQ(thread_command(PROFIL_IOC_THREAD_STATUS, named, &st), 0);
	return st;
}

static struct profil_status thread_stop(page_t *named)
{
	struct profil_status st;

	CHECK_EQ(thread_command(PROFIL_IOC_THREAD_STOP, named, &st), 0);
	CHECK_NOTHING_LOST(&st);
	return st;
}

static struct profil_status process_stop(void)
{
	struct profil_status st;

	CHECK_EQ(stop(&st), 0);
	CHECK_NOTHING_LOST(&st);
	return st;
}

static void work_until_ticks(page_t *of, uint64_t ticks)
{
	while (of->ticks < ticks)
		hot_a(20000);
}

static void work_for(page_t *of, uint64_t ticks)
{
	work_until_ticks(of, of->ticks + ticks);
}

/* Of CPU time that no profile is asked about. */
static void work_ms(unsigned int ms)
{
	uint64_t end = thread_ns() + ms * 1000000ULL;

	while (thread_ns() < end)
		hot_a(20000);
}

static void unmap(page_t *named)
{
	CHECK_CALL(munmap((void *)(uintptr_t)named, (size_t)sysconf(_SC_PAGESIZE)));
}

/* A thread that does fn(), and waits for it. */
static void in_thread(void *(*fn)(void *), void *arg)
{
	pthread_t thread;

	CHECK_EQ(pthread_create(&thread, NULL, fn, arg), 0);
	CHECK_EQ(pthread_join(thread, NULL), 0);
}

static uint32_t all, mine, other;

/* What a few system calls take; a starved emulator may take its time over them. */
static uint64_t few(void)
{
	return icount() ? 3 : 50;
}

TEST(features_have_profiles_of_threads)
{
	struct profil_features features;

	CHECK_EQ(get_features(&features), 0);
	CHECK(features.flags & PROFIL_THREAD);
}

/* --- whose ticks are whose ------------------------------------------------- */

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

TEST(ticks_of_a_thread_go_to_its_own_profile_and_all_others_to_the_process)
{
	struct profil_status st;
	struct parted parted;
	page_t *process = start_process(&all);
	uint64_t period = process->period_ns, ns = process_ns();

	work_for(process, 50);
	in_thread(own_for_100_ticks, &parted);
	work_for(process, 50);
	st = process_stop();
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

static void *samples_of_my_own(void *arg)
{
	struct profil_samples request = {
		.size = sizeof(request),
		.flags = PROFIL_THREAD,
		.rate = PROFIL_RATE_TICK,
		.buf = (uintptr_t)array,
		.nsamples = 4096,
		.width = 8,
	};
	struct profil_status *st = arg;

	CHECK_EQ(device_ioctl(PROFIL_IOC_SAMPLES, &request), 0);
	work_for(page_at(request.page), 30);
	*st = thread_stop(NULL);
	return NULL;
}

static void *histogram_of_my_own(void *arg)
{
	struct profil_status *st = arg;

	work_for(start_own(&mine), 30);
	*st = thread_stop(NULL);
	return NULL;
}

TEST(threads_use_a_histogram_and_a_sample_array_at_the_same_time)
{
	struct profil_status st[3];
	pthread_t threads[2];
	page_t *process = start_process(&all);

	CHECK_EQ(pthread_create(&threads[0], NULL, samples_of_my_own, &st[0]), 0);
	CHECK_EQ(pthread_create(&threads[1], NULL, histogram_of_my_own, &st[1]), 0);
	work_for(process, 30);
	CHECK_EQ(pthread_join(threads[0], NULL), 0);
	CHECK_EQ(pthread_join(threads[1], NULL), 0);
	st[2] = process_stop();
	CHECK_EQ(st[0].mode, PROFIL_MODE_SAMPLES);
	CHECK_GE(st[0].nsamples, 30);
	CHECK_NE(array[st[0].nsamples - 1], 0);
	CHECK_EQ(array[st[0].nsamples], 0);
	CHECK_EQ(st[1].mode, PROFIL_MODE_HISTOGRAM);
	CHECK_GE(st[1].counted, 30);
	CHECK_EQ(mine, st[1].counted);
	CHECK_EQ(all, st[2].counted);
}

TEST(thread_is_profiled_without_its_process)
{
	struct profil_status st;

	in_thread(histogram_of_my_own, &st);
	CHECK_EQ(mine, st.counted);
	work_ms(40);
	CHECK_EQ(mine, st.counted);
	CHECK_EQ(get_status(&st), 0);
	CHECK_EQ(st.mode, PROFIL_MODE_NONE);
	CHECK_EQ(thread_status(NULL).mode, PROFIL_MODE_NONE);
}

TEST(thread_whose_own_profile_is_stopped_counts_in_the_process_again)
{
	page_t *process = start_process(&all), *own = start_own(&mine);
	struct profil_status st;
	uint64_t before;

	work_for(own, 20);
	before = process->ticks;
	st = thread_stop(NULL);
	CHECK_EQ(mine, st.counted);
	CHECK_LE(before, few());
	work_for(process, 20);
	CHECK_EQ(mine, st.counted);
	CHECK_EQ(process_stop().counted, all);
}

TEST(thread_whose_page_is_unmapped_counts_in_the_process_again)
{
	page_t *process = start_process(&all), *own = start_own(&mine);
	uint32_t counted;

	work_for(own, 10);
	unmap(own);
	counted = mine;
	work_for(process, 20);
	CHECK_EQ(mine, counted);
	CHECK_EQ(process_stop().counted, all);
}

TEST(process_whose_page_is_unmapped_leaves_threads_theirs)
{
	page_t *process = start_process(&all), *own = start_own(&mine);
	struct profil_status st;

	unmap(process);
	work_for(own, 20);
	CHECK_EQ(get_status(&st), 0);
	CHECK_EQ(st.mode, PROFIL_MODE_NONE);
	/* And may be profiled once more. */
	start_process(&all);
	work_for(own, 10);
	st = thread_stop(NULL);
	CHECK_EQ(mine, st.counted);
	work_for(page(), 10);
	CHECK_EQ(process_stop().counted, all);
}

TEST(own_profile_that_is_full_keeps_the_ticks_from_the_process)
{
	page_t *process = start_process(&all);
	struct profil_samples request = {
		.size = sizeof(request),
		.flags = PROFIL_THREAD,
		.rate = PROFIL_RATE_TICK,
		.buf = (uintptr_t)array,
		.nsamples = 5,
		.width = 8,
	};
	uint64_t before;

	CHECK_EQ(device_ioctl(PROFIL_IOC_SAMPLES, &request), 0);
	/* Some may have come before we look, and there are no others. */
	work_until_ticks(page_at(request.page), 5);
	before = process->ticks;
	work_ms(100);
	CHECK_EQ(page_at(request.page)->state, PROFIL_STATE_FULL);
	CHECK_EQ(process->ticks, before);
	CHECK_EQ(thread_stop(NULL).nsamples, 5);
	work_for(process, 5);
}

TEST(own_profile_is_replaced_by_the_next_start_and_reported)
{
	struct profil_status last = { .size = sizeof(last) };
	page_t *own = start_own(&mine);
	struct profil_samples request = {
		.size = sizeof(request),
		.flags = PROFIL_THREAD,
		.rate = PROFIL_RATE_TICK,
		.buf = (uintptr_t)array,
		.nsamples = 4096,
		.width = 8,
		.last = (uintptr_t)&last,
	};

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
	CHECK_EQ(process_stop().counted, all);
}

/* --- many of them ---------------------------------------------------------- */

#define CROWD	16

static struct profil_status crowd_st[CROWD];
static uint32_t crowd_buf[CROWD];

static void *one_of_a_crowd(void *arg)
{
	uintptr_t i = (uintptr_t)arg;

	work_for(start_own(&crowd_buf[i]), contended(60));
	crowd_st[i] = thread_stop(NULL);
	return NULL;
}

TEST(sixteen_threads_have_each_their_own_counts)
{
	page_t *process = start_process(&all);
	pthread_t threads[CROWD];
	struct profil_status st;

	for (uintptr_t i = 0; i < CROWD; i++)
		CHECK_EQ(pthread_create(&threads[i], NULL, one_of_a_crowd, (void *)i), 0);
	work_for(process, 20);
	for (int i = 0; i < CROWD; i++)
		CHECK_EQ(pthread_join(threads[i], NULL), 0);
	for (int i = 0; i < CROWD; i++) {
		CHECK_GE(crowd_st[i].counted, contended(60));
		CHECK_EQ(crowd_buf[i], crowd_st[i].counted);
	}
	st = process_stop();
	CHECK_EQ(all, st.counted);
}

static page_t *left[PROFIL_THREADS_MAX];
static uint32_t left_buf[PROFIL_THREADS_MAX];
static pthread_barrier_t gate, last_gate;

static void *wait_with_a_profile(void *arg)
{
	uintptr_t i = (uintptr_t)arg;

	left[i] = start_own(&left_buf[i]);
	pthread_barrier_wait(&gate);
	pthread_barrier_wait(&gate);
	/* The first one goes, the others stay a while. */
	if (i)
		pthread_barrier_wait(&last_gate);
	return NULL;
}

/* An exited thread is joined a moment before it has let go of its memory. */
static int start_when_one_is_gone(page_t **own)
{
	int err;

	for (int i = 0; i < 1000; i++) {
		err = start_own_at(&mine, PROFIL_RATE_TICK, own);
		if (err != -EDQUOT)
			return err;
		usleep(1000);
	}
	return err;
}

TEST(sixty_four_threads_have_profiles_and_a_further_one_takes_over_what_is_left)
{
	pthread_t threads[PROFIL_THREADS_MAX];
	page_t *own = NULL;

	pthread_barrier_init(&gate, NULL, PROFIL_THREADS_MAX + 1);
	pthread_barrier_init(&last_gate, NULL, PROFIL_THREADS_MAX);
	for (uintptr_t i = 0; i < PROFIL_THREADS_MAX; i++)
		CHECK_EQ(pthread_create(&threads[i], NULL, wait_with_a_profile, (void *)i), 0);
	pthread_barrier_wait(&gate);
	CHECK_EQ(start_own_at(&mine, PROFIL_RATE_TICK, NULL), -EDQUOT);
	CHECK_EQ(thread_status(NULL).mode, PROFIL_MODE_NONE);
	/* The process's is not one of them. */
	start_process(&all);

	pthread_barrier_wait(&gate);
	CHECK_EQ(pthread_join(threads[0], NULL), 0);
	mine = 0;
	CHECK_EQ(start_when_one_is_gone(&own), 0);
	CHECK_EQ((uintptr_t)own, (uintptr_t)left[0]);
	work_for(own, 10);
	CHECK_EQ(thread_stop(NULL).counted, mine);
	/* Nobody else is gone. */
	unmap(own);
	CHECK_EQ(start_own_at(&mine, PROFIL_RATE_TICK, &own), 0);
	work_for(own, 5);

	pthread_barrier_wait(&last_gate);
	for (int i = 1; i < PROFIL_THREADS_MAX; i++)
		CHECK_EQ(pthread_join(threads[i], NULL), 0);
}

static void *brief(void *arg)
{
	uint32_t *buf = arg;

	/* Its page stays, and nobody will ever unmap it. */
	CHECK_EQ(start_own_at(buf, PROFIL_RATE_TICK, NULL), 0);
	hot_a(20000);
	return NULL;
}

TEST(threads_that_come_and_go_with_profiles_find_always_one)
{
	uint32_t buf = 0;

	for (int i = 0; i < 500; i++)
		in_thread(brief, &buf);
	CHECK_GT(buf, 0);
}

/* --- by other threads ------------------------------------------------------ */

static page_t *volatile published;
static volatile int end;

static void *work_until_end(void *arg)
{
	(void)arg;
	published = start_own(&mine);
	while (!end)
		hot_a(20000);
	return NULL;
}

TEST(another_thread_reads_and_stops_a_profile_by_its_page)
{
	struct profil_status st;
	pthread_t thread;
	uint32_t counted;

	CHECK_EQ(pthread_create(&thread, NULL, work_until_end, NULL), 0);
	while (!published || published->ticks < 20)
		usleep(1000);
	CHECK_GE(thread_status(published).ticks, 20);
	CHECK_EQ(published->state, PROFIL_STATE_ON);
	st = thread_stop(published);
	counted = mine;
	CHECK_EQ(st.counted, counted);
	usleep(50000);
	CHECK_EQ(mine, counted);
	CHECK_EQ(published->state, PROFIL_STATE_OFF);
	end = 1;
	CHECK_EQ(pthread_join(thread, NULL), 0);
}

static uint32_t left_behind;

static void *leave_a_profile(void *arg)
{
	page_t **own = arg;

	*own = start_own(&left_behind);
	work_for(*own, 20);
	return NULL;
}

TEST(profile_of_an_exited_thread_can_be_read_stopped_and_unmapped)
{
	page_t *process = start_process(&all), *own;
	struct profil_status st;
	uint32_t counted;

	in_thread(leave_a_profile, &own);
	/* Who is joined may have some of its exit before it. */
	work_for(process, 20);
	counted = left_behind;
	CHECK_GE(counted, 20);
	work_for(process, 20);
	CHECK_EQ(left_behind, counted);
	st = thread_status(own);
	CHECK_EQ(st.counted, counted);
	st = thread_stop(own);
	CHECK_EQ(st.counted, counted);
	CHECK_EQ(own->counted, counted);
	unmap(own);
	CHECK_EQ(thread_command(PROFIL_IOC_THREAD_STATUS, own, &st), -EINVAL);
	CHECK_EQ(process_stop().counted, all);
}

TEST(page_names_the_profile_of_the_process_as_well)
{
	page_t *process = start_process(&all);

	work_for(process, 5);
	CHECK_GE(thread_status(process).ticks, 5);
	CHECK_EQ(thread_stop(process).counted, all);
	CHECK_EQ(process->state, PROFIL_STATE_OFF);
}

TEST(own_profile_follows_its_page_to_another_address)
{
	size_t size = (size_t)sysconf(_SC_PAGESIZE);
	page_t *own = start_own(&mine), *moved;
	void *to = mmap(NULL, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	CHECK(to != MAP_FAILED);
	moved = mremap((void *)(uintptr_t)own, size, size, MREMAP_MAYMOVE | MREMAP_FIXED, to);
	CHECK_EQ((uintptr_t)moved, (uintptr_t)to);
	work_for(moved, 10);
	CHECK_GE(thread_status(moved).ticks, 10);
	CHECK_EQ(thread_stop(NULL).counted, mine);
}

/* --- fork, exec ------------------------------------------------------------ */

/* @before: what its buffer had at least when it was copied. */
static void child_goes_on(page_t *own, page_t *process, uint32_t before)
{
	struct profil_status st;

	CHECK_EQ(own->state, PROFIL_STATE_ON);
	CHECK_LE(own->ticks, few());
	work_for(own, 20);
	st = thread_stop(NULL);
	CHECK_GE(st.counted, 20);
	CHECK_GE(mine - st.counted, before);
	CHECK_LE(mine - st.counted, before + few());
	/* And then, as in the parent, it counts for the process. */
	work_for(process, 10);
	CHECK_EQ(process_stop().flags, 0);
}

static void *fork_with_a_profile(void *arg)
{
	page_t *own = start_own(&mine), *process = arg;
	uint32_t before;
	pid_t pid;

	work_for(own, 10);
	before = mine;
	pid = FORK();
	if (pid == 0) {
		child_goes_on(own, process, before);
		_exit(0);
	}
	wait_ok(pid);
	work_for(own, 10);
	CHECK_EQ(thread_stop(NULL).counted, mine);
	return NULL;
}

TEST(fork_child_of_a_thread_has_its_profile)
{
	in_thread(fork_with_a_profile, (void *)(uintptr_t)start_process(&all));
	CHECK_EQ(process_stop().counted, all);
}

static void *spin_until_end(void *arg)
{
	(void)arg;
	while (!end)
		hot_a(20000);
	return NULL;
}

TEST(other_threads_of_a_fork_child_have_no_part_in_its_first_ones_profile)
{
	page_t *process = start_process(&all), *own = start_own(&mine);
	struct profil_status st;
	pthread_t thread;
	pid_t pid = FORK();

	if (pid == 0) {
		CHECK_EQ(pthread_create(&thread, NULL, spin_until_end, NULL), 0);
		while (process->ticks < 100)
			usleep(10000);
		end = 1;
		CHECK_EQ(pthread_join(thread, NULL), 0);
		work_for(own, 5);
		st = thread_stop(NULL);
		CHECK_LT(st.ticks, 60);
		CHECK_EQ(process_stop().flags, 0);
		_exit(0);
	}
	wait_ok(pid);
	thread_stop(NULL);
	process_stop();
}

TEST(profiles_of_other_threads_are_not_in_a_fork_child)
{
	page_t *process = start_process(&all);
	struct profil_status st;
	pthread_t thread;
	pid_t pid;

	CHECK_EQ(pthread_create(&thread, NULL, work_until_end, NULL), 0);
	while (!published || published->ticks < 5)
		usleep(1000);
	pid = FORK();
	if (pid == 0) {
		CHECK_EQ(published->state, PROFIL_STATE_DENIED);
		CHECK_EQ(thread_status(published).mode, PROFIL_MODE_NONE);
		CHECK_EQ(thread_status(NULL).mode, PROFIL_MODE_NONE);
		work_for(process, 10);
		/* It may have one of its own. */
		work_for(start_own(&other), 10);
		CHECK_EQ(thread_stop(NULL).counted, other);
		_exit(0);
	}
	wait_ok(pid);
	end = 1;
	CHECK_EQ(pthread_join(thread, NULL), 0);
	st = thread_stop(published);
	CHECK_EQ(st.counted, mine);
	process_stop();
}

TEST(grandchild_of_a_child_without_a_tick_has_the_profile_too)
{
	page_t *own = start_own(&mine);
	pid_t pid = FORK();

	if (pid == 0) {
		pid = FORK();
		if (pid == 0) {
			CHECK_EQ(own->state, PROFIL_STATE_ON);
			work_for(own, 10);
			CHECK_GE(thread_stop(NULL).counted, 10);
			_exit(0);
		}
		wait_ok(pid);
		work_for(own, 10);
		thread_stop(NULL);
		_exit(0);
	}
	wait_ok(pid);
	thread_stop(NULL);
}

static int clone_body(void *arg)
{
	page_t *process = arg;

	work_for(process, 10);
	CHECK_EQ(thread_status(NULL).mode, PROFIL_MODE_NONE);
	return 0;
}

TEST(process_that_shares_the_memory_is_not_the_thread)
{
	static char stack[65536] __attribute__((aligned(64)));
	page_t *process = start_process(&all), *own = start_own(&mine);
	uint64_t before;
	int status;
	pid_t pid;

	work_for(own, 5);
	before = own->ticks;
	pid = CHECK_CALL(clone(clone_body, stack + sizeof(stack),
			       CLONE_VM | CLONE_VFORK | SIGCHLD, (void *)(uintptr_t)process));
	CHECK_LE(own->ticks, before + few());
	CHECK_EQ(waitpid(pid, &status, 0), pid);
	CHECK_EQ(status, 0);
	work_for(own, 5);
	CHECK_EQ(thread_stop(NULL).counted, mine);
	CHECK_EQ(process_stop().counted, all);
}

/* --- whose task structure is used again ------------------------------------- */

#define HEIRS	48

/* Shared by all processes of the test. */
struct heirs {
	volatile int ready, asked, taken;
};

static struct heirs *heirs;
static int heirs_device;

/* Asks for its own profile, which it cannot have, and keeps its place. */
static int ask_for_my_own(void *arg)
{
	struct profil_status st = { .size = sizeof(st) };
	struct profil_thread request = {
		.size = sizeof(request),
		.status = (uintptr_t)&st,
	};

	(void)arg;
	if (syscall(SYS_ioctl, heirs_device, PROFIL_IOC_THREAD_STATUS, &request) == 0 &&
	    st.mode != PROFIL_MODE_NONE)
		heirs->taken++;
	heirs->asked++;
	while (!end)
		usleep(20000);
	_exit(0);
}

/* In the memory of a fork child that has exited. */
static int raise_heirs(void *arg)
{
	static char stack[HEIRS][16384] __attribute__((aligned(64)));

	(void)arg;
	while (!heirs->ready)
		usleep(20000);
	for (int i = 0; i < HEIRS; i++) {
		CHECK_CALL(clone(ask_for_my_own, stack[i] + sizeof(stack[i]),
				 CLONE_VM | SIGCHLD, NULL));
		while (heirs->asked <= i)
			usleep(1000);
	}
	end = 1;
	for (int i = 0; i < HEIRS; i++)
		wait_ok(-1);
	_exit(0);
}

static void die_before_the_first_tick(void)
{
	static char stack[16384] __attribute__((aligned(64)));
	pid_t pid = FORK();

	if (pid == 0) {
		CHECK_CALL(clone(raise_heirs, stack + sizeof(stack), CLONE_VM | SIGCHLD, NULL));
		_exit(0);
	}
	/* Its structure is given back a grace period after that. */
	wait_ok(pid);
	usleep(300000);
}

TEST(task_that_gets_an_exited_childs_structure_does_not_get_its_profile)
{
	heirs = mmap(NULL, sizeof(*heirs), PROT_READ | PROT_WRITE,
		     MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	CHECK((void *)heirs != MAP_FAILED);
	CHECK_CALL(prctl(PR_SET_CHILD_SUBREAPER, 1));
	heirs_device = CHECK_CALL(open(DEVICE, O_RDWR | O_CLOEXEC));
	start_own(&mine);
	for (int i = 0; i < 5; i++) {
		heirs->ready = heirs->asked = 0;
		die_before_the_first_tick();
		heirs->ready = 1;
		wait_ok(-1);
		CHECK_EQ(heirs->asked, HEIRS);
		CHECK_EQ(heirs->taken, 0);
	}
	thread_stop(NULL);
}

ROLE(has_no_page)
{
	CHECK(!has_page());
	CHECK_EQ(thread_status(NULL).mode, PROFIL_MODE_NONE);
	work_ms(20);
	return 0;
}

static void *exec_with_a_profile(void *arg)
{
	(void)arg;
	work_for(start_own(&mine), 5);
	execl("/proc/self/exe", "thread", "--role", "has_no_page", NULL);
	return NULL;
}

TEST(exec_ends_the_profiles_of_threads)
{
	start_own(&other);
	in_thread(exec_with_a_profile, NULL);
	FAIL("no exec: %s", strerror(errno));
}

/* --- errors and limits ----------------------------------------------------- */

TEST(flags_beside_it_are_einval)
{
	struct profil_region region = everything(&mine, sizeof(mine), 4);
	struct profil_histogram request = {
		.size = sizeof(request),
		.regions = (uintptr_t)&region,
		.nregions = 1,
		.region_size = sizeof(region),
		.flags = PROFIL_THREAD | PROFIL_THREAD << 1,
	};

	CHECK_EQ(device_ioctl(PROFIL_IOC_HISTOGRAM, &request), -EINVAL);
	request.flags = PROFIL_THREAD | PROFIL_RANDOM;
	CHECK_EQ(device_ioctl(PROFIL_IOC_HISTOGRAM, &request), -EINVAL);
	CHECK(!has_page());
}

TEST(stacks_with_it_are_einval)
{
	struct profil_samples request = {
		.size = sizeof(request),
		.buf = (uintptr_t)array,
		.nsamples = 4096,
		.width = 8,
		.flags = PROFIL_THREAD,
		.stacks = (uintptr_t)array,
		.stacks_size = sizeof(array),
	};

	CHECK_EQ(device_ioctl(PROFIL_IOC_SAMPLES, &request), -EINVAL);
	request.stacks = 0;
	request.stacks_size = 0;
	CHECK_EQ(device_ioctl(PROFIL_IOC_SAMPLES, &request), 0);
}

static void refused(unsigned long command)
{
	struct profil_status st = { .size = sizeof(st) };
	struct profil_thread good = {
		.size = sizeof(good),
		.status = (uintptr_t)&st,
	}, request;
	struct {
		struct profil_thread known;
		uint32_t more;
	} longer = { .known = good };

	request = good;
	CHECK_EQ(device_ioctl(command, &request), 0);
	request.reserved = 1;
	CHECK_EQ(device_ioctl(command, &request), -EINVAL);
	request = good;
	request.size = PROFIL_THREAD_SIZE_MIN - 1;
	CHECK_EQ(device_ioctl(command, &request), -EINVAL);
	request = good;
	request.status = 0;
	CHECK_EQ(device_ioctl(command, &request), -EFAULT);
	request = good;
	st.size = 4;
	CHECK_EQ(device_ioctl(command, &request), -EINVAL);
	st.size = sizeof(st);
	request = good;
	request.page = (uintptr_t)&st;
	CHECK_EQ(device_ioctl(command, &request), -EINVAL);
	request.page = (uintptr_t)page() + 8;
	CHECK_EQ(device_ioctl(command, &request), -EINVAL);
	longer.known.size = sizeof(longer);
	CHECK_EQ(device_ioctl(command, &longer), 0);
	longer.known.size = sizeof(longer);
	longer.more = 1;
	CHECK_EQ(device_ioctl(command, &longer), -E2BIG);
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

/* Whatever becomes of fn(), the parameter is again what it was. */
static void with_parameter(const char *path, const char *value, void (*fn)(void))
{
	siginfo_t info;
	char was[16];
	pid_t pid;

	NEEDS_ROOT();
	CHECK_CALL(read_file(path, was, sizeof(was)));
	CHECK_CALL(write_file(path, value));
	pid = FORK();
	if (pid == 0) {
		fn();
		_exit(0);
	}
	waitid(P_PID, (id_t)pid, &info, WEXITED | WNOWAIT);
	CHECK_CALL(write_file(path, was));
	wait_ok(pid);
}

static void within_two_profiles(void)
{
	struct profil_status st;
	page_t *own = NULL;

	start_process(&all);
	in_thread(leave_a_profile, &own);
	/* The second is in use by nobody: it is taken over, not a third made. */
	CHECK_EQ(start_when_one_is_gone(&own), 0);
	work_for(own, 5);
	st = thread_stop(NULL);
	CHECK_EQ(st.counted, mine);
}

TEST(own_profiles_count_for_the_user)
{
	with_parameter(MAX_PROFILES, "2", within_two_profiles);
}

/* Mapped later, the process's page is below the thread's, and copied first. */
static void child_has_one_of_two(void)
{
	page_t *own = start_own(&mine), *process = start_process(&all);
	pid_t pid = FORK();

	if (pid == 0) {
		CHECK_EQ(own->state, PROFIL_STATE_DENIED);
		CHECK_EQ(thread_status(NULL).mode, PROFIL_MODE_NONE);
		CHECK_EQ(thread_command(PROFIL_IOC_THREAD_STOP, own,
					&(struct profil_status) {}), 0);
		work_for(process, 10);
		process_stop();
		_exit(0);
	}
	wait_ok(pid);
	thread_stop(NULL);
}

TEST(fork_child_above_the_users_limit_counts_for_its_process)
{
	with_parameter(MAX_PROFILES, "3", child_has_one_of_two);
}

static void *start_in_its_place(void *arg)
{
	page_t *own = NULL;
	struct profil_status st;

	(void)arg;
	CHECK_EQ(start_when_one_is_gone(&own), 0);
	work_for(own, 5);
	st = thread_stop(NULL);
	CHECK_GE(mine, st.counted);
	_exit(0);
}

static void without_a_tick_in_a_child(void)
{
	pthread_t thread;
	pid_t pid;

	start_own(&mine);
	pid = FORK();
	if (pid == 0) {
		CHECK_EQ(pthread_create(&thread, NULL, start_in_its_place, NULL), 0);
		/* No call and, most likely, no tick has told who this was. */
		syscall(SYS_exit, 0);
	}
	wait_ok(pid);
	thread_stop(NULL);
}

TEST(profile_of_a_fork_child_that_exits_at_once_is_left_too)
{
	with_parameter(MAX_PROFILES, "2", without_a_tick_in_a_child);
}

static void *start_too_many(void *arg)
{
	(void)arg;
	CHECK_EQ(start_own_at(&mine, PROFIL_RATE_TICK, NULL), -EDQUOT);
	return NULL;
}

static void beyond_one_profile(void)
{
	start_own(&other);
	in_thread(start_too_many, NULL);
	CHECK_EQ(start_region(everything(&all, 4, 4), PROFIL_RATE_TICK), -EDQUOT);
}

TEST(own_profile_above_the_users_limit_is_edquot)
{
	with_parameter(MAX_PROFILES, "1", beyond_one_profile);
}

TEST(switched_off_profiling_stops_those_of_threads)
{
	page_t *own;

	NEEDS_ROOT();
	own = start_own(&mine);
	CHECK_CALL(write_file(ENABLED, "N"));
	CHECK_EQ(own->state, PROFIL_STATE_DENIED);
	CHECK_EQ(start_own_at(&mine, PROFIL_RATE_TICK, NULL), -EPERM);
	CHECK_CALL(write_file(ENABLED, "Y"));
	CHECK_EQ(thread_stop(NULL).counted, mine);
}
