// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Updates that wait for their page, and events at the wrong moment: the page is unmapped
 * during a stop, a fork fails half way, threads fork while they count, a thread dies or
 * sleeps for ever.
 */
#include <sys/uio.h>

#include "spread.h"
#include "bounded.h"

static void *unmap_pages(void *unused)
{
	unsigned int seed = 1;

	for (;;) {
		void *page = (void *)(uintptr_t)race.page;

		for (int i = rand_r(&seed) % 2000; i > 0; i--)
			__asm__ volatile("");
		if (!page)
			continue;
		/* Map other memory over the page and unmap that, or unmap the page at once. */
		if (rand_r(&seed) % 2 == 0)
			mmap(page, PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
		munmap(page, PAGE);
		race.closes++;
	}
	return unused;
}

static struct profil_status race_start(bool samples)
{
	struct profil_status last = { .size = sizeof(last) };
	struct profil_region region = spread(race.buf, RACE_SIZE, RACE_SIZE / WIDE_BLOCKS);
	struct profil_histogram histogram = HISTOGRAM(&region, PROFIL_RATE_FAST,
						      .last = (uintptr_t)&last);
	struct profil_samples array = SAMPLES(race.buf, RACE_SIZE / 8, 8,
					      PROFIL_RATE_FAST, .last = (uintptr_t)&last);

	CHECK_EQ(samples ? start_array(&array) : start_histogram(&histogram), 0);
	race.page = (uintptr_t)page();
	return last;
}

static void race_attack(bool stops)
{
	time_t begin = time(NULL);
	uint64_t deferred = 0;

	race.buf = huge_memory(RACE_SIZE);
	start_thread(unmap_pages, NULL);
	start_thread(discard_buffer, NULL);
	start_thread(work_all_over, NULL);
	for (unsigned int i = 0; !deferred || race_goes_on(i, begin); i++) {
		/* Each kind also after the other: what waits is of both. */
		struct profil_status st = race_start(i % 3 == 0);

		CHECK_ACCOUNTS(&st);
		hot_wide(100);
		if (stops && i % 2 == 0)
			st = accounted();
		deferred += st.deferred;
	}
	note("%llu updates deferred, %u closes", (unsigned long long)deferred, race.closes);
	CHECK_GT(deferred, 0);
	CHECK_GT(race.closes, 0);
	_exit(0);
}

static void stop_attack(void)
{
	race_attack(true);
}

static void replace_attack(void)
{
	race_attack(false);
}

CASE(stop_that_meets_an_unmapping_of_the_page_accounts, NEEDS_CPUS(4); bounded(stop_attack))
CASE(replacing_start_that_meets_an_unmapping_accounts, NEEDS_CPUS(4); bounded(replace_attack))

struct sharer {
	char *buf;
	volatile bool ready;
};

static int share_and_tick(void *arg)
{
	struct sharer *sharer = arg;

	for (;;) {
		/* Absent for each tick: an update waits, now and then. */
		syscall(SYS_madvise, sharer->buf, 64 * PAGE, MADV_DONTNEED);
		hot_a(3000);
		sharer->ready = true;
	}
	return 0;
}

/* Another process in the same address space, so that there is one left to ask. */
TEST(update_of_a_killed_process_is_applied_by_the_others)
{
	static char stack[1 << 16];
	struct sharer sharer = { .buf = memory(64 * PAGE) };
	uint64_t deferred = 0;

	for (unsigned int i = 0; i < 100 / slowness() + 20 && time_left(); i++) {
		pid_t pid;

		sharer.ready = false;
		CHECK_EQ(start_region(one_counter(sharer.buf + i % 64 * PAGE, 4, 4, text_a()),
				      PROFIL_RATE_FAST), 0);
		pid = CHECK_CALL(clone(share_and_tick, stack + sizeof(stack),
				       CLONE_VM | SIGCHLD, &sharer));
		for (uint64_t seen = 0; seen < 3; seen = page()->deferred)
			hot_b(3000 + i * 100);
		end_by_force(pid);
		deferred += stopped().deferred;
	}
	CHECK_GT(deferred, 0);
}

#define SLEEPERS	90

static struct {
	char *buf;
	int pipe[2];
	volatile unsigned int asleep;
} sleepers;

/* Its last ticks found their page absent, in user mode or on the way. */
static void *tick_and_sleep(void *unused)
{
	char byte;

	for (int i = 0; i < 20; i++) {
		madvise(sleepers.buf, WIDE_BLOCKS * PAGE, MADV_DONTNEED);
		hot_wide(10);
	}
	__sync_fetch_and_add(&sleepers.asleep, 1);
	CHECK_EQ(read(sleepers.pipe[0], &byte, 1), 1);
	return unused;
}

TEST(threads_that_sleep_for_ever_leave_the_others_their_updates)
{
	sleepers.buf = memory(WIDE_BLOCKS * PAGE);
	CHECK_CALL(pipe(sleepers.pipe));
	CHECK_EQ(start_region(spread(sleepers.buf, WIDE_BLOCKS * PAGE, PAGE), PROFIL_RATE_FAST), 0);
	for (int i = 0; i < SLEEPERS; i++)
		start_thread(tick_and_sleep, NULL);
	while (sleepers.asleep < SLEEPERS)
		sched_yield();
	/* With the memory of what was counted before, nothing else. */
	stopped();
	memset(sleepers.buf, 0, WIDE_BLOCKS * PAGE);
	CHECK_CALL(madvise(sleepers.buf, WIDE_BLOCKS * PAGE, MADV_DONTNEED));
	CHECK_EQ(start_region(spread(sleepers.buf, WIDE_BLOCKS * PAGE, PAGE), PROFIL_RATE_FAST), 0);
	while (page()->deferred < 10 || page()->counted < 20)
		hot_wide(10);
	CHECK_EQ(stopped().counted, spread_total(sleepers.buf, WIDE_BLOCKS * PAGE, PAGE));
}

#define LONG_NS		5000000000U
#define LONG_THREADS	4
#define CHUNK		(1UL << 20)

static struct {
	char *sink;
	unsigned int chunks;
	volatile unsigned int done;
} long_call;

/* One system call that nothing interrupts, all of it work of the kernel's. */
static void *call_for_long(void *ns)
{
	struct iovec iov[1024];
	int fd = CHECK_CALL(open("/dev/urandom", O_RDONLY | O_CLOEXEC));
	int n = (int)long_call.chunks;
	uint64_t from = thread_ns();

	for (int i = 0; i < n; i++)
		iov[i] = (struct iovec) { long_call.sink, CHUNK };
	CHECK_EQ(readv(fd, iov, n), n * (ssize_t)CHUNK);
	close(fd);
	*(uint64_t *)ns = thread_ns() - from;
	__sync_fetch_and_add(&long_call.done, 1);
	return NULL;
}

/* The CPU time of the slowest one. */
static uint64_t call_in_all_threads(void)
{
	uint64_t ns[LONG_THREADS], most = 0;

	long_call.done = 0;
	for (int i = 0; i < LONG_THREADS; i++)
		start_thread(call_for_long, &ns[i]);
	while (long_call.done < LONG_THREADS)
		sleep_ms(100);
	for (int i = 0; i < LONG_THREADS; i++)
		most = ns[i] > most ? ns[i] : most;
	return most;
}

/* With all threads at once: a host with fewer CPUs makes each call longer then. */
static void measure_chunks(void)
{
	uint64_t ns = 0;

	for (long_call.chunks = 1; ns < 200000000U && long_call.chunks < 256;) {
		long_call.chunks *= 2;
		ns = call_in_all_threads();
	}
	long_call.chunks = (unsigned int)(LONG_NS / slowness() / (ns / long_call.chunks));
	/* One may take longer than that on a slow kernel that hardly runs. */
	if (long_call.chunks < 1)
		long_call.chunks = 1;
	if (long_call.chunks > 1000)
		long_call.chunks = 1000;
}

/*
 * Threads that all stay in the kernel for seconds, and step into one new page
 * of the array after another from there.
 */
TEST(ticks_of_long_system_calls_are_all_in_the_array)
{
	struct profil_status st;
	uint64_t *array = memory((1UL << 20) * 8);

	NEEDS_CPUS(4);
	long_call.sink = memory(CHUNK);
	memset(long_call.sink, 1, CHUNK);
	measure_chunks();
	CHECK_EQ(start_samples(array, 1 << 20, 8, PROFIL_RATE_FAST), 0);
	/* Again where the calls are shorter. */
	for (unsigned int round = 0; round < 8 * slowness(); round++) {
		call_in_all_threads();
		if (status().nsamples > 2000)
			break;
	}
	st = stopped();
	CHECK_EQ(st.nsamples, st.counted);
	/* Some of them begin and end in user mode. */
	CHECK_GT(st.nsamples, 2000);
	for (uint64_t i = 0; i < st.nsamples; i++)
		CHECK_NE(array[i], 0);
}

static volatile unsigned long rounds;

static void *go_round(void *unused)
{
	for (;;) {
		hot_wide(1);
		rounds++;
	}
	return unused;
}

/* To bring a page in takes the kernel longer than a tick. */
static void progress_under_slow_faults(void)
{
	unsigned long was;

	race.buf = huge_memory(RACE_SIZE);
	CHECK_EQ(start_region(spread(race.buf, RACE_SIZE, RACE_SIZE / WIDE_BLOCKS),
			      PROFIL_RATE_FAST), 0);
	start_thread(go_round, NULL);
	for (unsigned int i = 0; i < 50 || page()->deferred < 20; i++) {
		was = rounds;
		CHECK_CALL(madvise(race.buf, RACE_SIZE, MADV_DONTNEED));
		while (rounds < was + 200)
			sched_yield();
	}
	CHECK_GT(stopped().deferred, 0);
	_exit(0);
}

CASE(thread_with_slow_updates_returns_to_user_mode, bounded(progress_under_slow_faults))
