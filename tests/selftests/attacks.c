// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Updates that wait for their page, and calls that come at the wrong moment:
 * a stop that meets an unmapping, a fork that fails half way, a fork of
 * threads that count, a thread that dies or sleeps for ever.
 */
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <sys/syscall.h>
#include <sys/uio.h>

#include "harness.h"
#include "attack.h"
#include "device.h"
#include "work.h"

#define PAGE	4096UL
#define HUGE	(2UL << 20)

/* At this address or near it, below all that mmap() chooses by itself. */
#define LOW	(sizeof(long) == 8 ? 0x100000000UL : 0x20000000UL)

#define SLOW_SIZE	(32UL << 20)

static void *memory_at(uintptr_t where, size_t size, int flags)
{
	void *mem = mmap((void *)where, size, PROT_READ | PROT_WRITE,
			 MAP_PRIVATE | MAP_ANONYMOUS | flags, -1, 0);

	CHECK(mem != MAP_FAILED);
	return mem;
}

static void *memory(size_t size)
{
	return memory_at(0, size, MAP_NORESERVE);
}

/* Aligned, and of huge pages where there are any: slow to bring in. */
static char *huge_memory(size_t size)
{
	char *mem = memory(size + HUGE);

	mem = (char *)(((uintptr_t)mem + HUGE - 1) & ~(HUGE - 1));
	madvise(mem, size, MADV_HUGEPAGE);
	return mem;
}

static void start_thread(void *(*body)(void *), void *arg)
{
	pthread_t thread;

	CHECK_EQ(pthread_create(&thread, NULL, body, arg), 0);
}

static void *work_all_over(void *arg)
{
	(void)arg;
	for (;;)
		hot_wide(20);
	return NULL;
}

/* --- a stop that meets an unmapping of the status page ---------------------- */

#define RACE_SIZE	(32 * HUGE)
#define RACE_STARTS	400
/* Memory that is discarded all the time is slow to come: at least so many. */
#define RACE_STARTS_LEAST	20
#define RACE_SECONDS	15

static struct {
	char *buf;
	uint64_t volatile page;
	unsigned int volatile closes;
} race;

static void *unmap_pages(void *arg)
{
	unsigned int seed = 1;

	(void)arg;
	for (;;) {
		void *page = (void *)(uintptr_t)race.page;

		for (int i = rand_r(&seed) % 2000; i > 0; i--)
			__asm__ volatile("");
		if (!page)
			continue;
		/* Over it, and then away; or away at once. */
		if (rand_r(&seed) % 2 == 0)
			mmap(page, PAGE, PROT_NONE,
			     MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
		munmap(page, PAGE);
		race.closes++;
	}
	return NULL;
}

static void *discard_buffer(void *arg)
{
	(void)arg;
	for (;;) {
		madvise(race.buf, RACE_SIZE, MADV_DONTNEED);
		hot_wide(5);
	}
	return NULL;
}

/* A counter in each page, or in each huge page. */
static struct profil_region spread(void *buf, size_t size, unsigned int bytes_per_block)
{
	struct profil_region region = one_to_one(buf, size, 2, text_wide());

	region.scale = (bytes_per_block / WIDE_BYTES) << 16;
	return region;
}

/* A tick may also find the thread between two blocks: a counter for each byte. */
static uint64_t spread_total(const void *buf, size_t size, unsigned int bytes_per_block)
{
	struct text text = text_wide();
	uint64_t step = bytes_per_block / WIDE_BYTES, total = 0;

	for (uint64_t d = 0; d < text.hi - text.lo && d * step < size; d++)
		total += counter((const char *)buf + d * step, 0, 2);
	return total;
}

static struct profil_status race_start(bool samples)
{
	struct profil_status last = { .size = sizeof(last) };
	struct profil_region region = spread(race.buf, RACE_SIZE, RACE_SIZE / WIDE_BLOCKS);
	struct profil_histogram histogram = {
		.regions = (uintptr_t)&region,
		.nregions = 1,
		.region_size = sizeof(region),
		.rate = PROFIL_RATE_FAST,
		.last = (uintptr_t)&last,
	};
	struct profil_samples array = {
		.buf = (uintptr_t)race.buf,
		.nsamples = RACE_SIZE / 8,
		.width = 8,
		.rate = PROFIL_RATE_FAST,
		.last = (uintptr_t)&last,
	};

	if (samples) {
		CHECK_EQ(start_array(&array), 0);
		race.page = array.page;
		return last;
	}
	CHECK_EQ(start_histogram(&histogram), 0);
	race.page = histogram.page;
	return last;
}

static bool race_goes_on(unsigned int starts, time_t begin)
{
	if (starts < RACE_STARTS_LEAST)
		return true;
	return starts < RACE_STARTS && time(NULL) - begin < RACE_SECONDS;
}

static void race_attack(bool stops)
{
	time_t begin = time(NULL);
	uint64_t deferred = 0;

	race.buf = huge_memory(RACE_SIZE);
	start_thread(unmap_pages, NULL);
	start_thread(discard_buffer, NULL);
	start_thread(work_all_over, NULL);
	for (unsigned int i = 0; race_goes_on(i, begin); i++) {
		/* Each kind also after the other: what waits is of both. */
		struct profil_status st = race_start(i % 3 == 0);

		CHECK_ACCOUNTS(&st);
		hot_wide(100);
		if (stops && i % 2 == 0) {
			CHECK_EQ(stop(&st), 0);
			CHECK_ACCOUNTS(&st);
		}
		deferred += st.deferred;
	}
	note("%llu updates deferred, %u closes", (unsigned long long)deferred,
	     race.closes);
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

TEST(stop_that_meets_an_unmapping_of_the_status_page_ends_and_accounts)
{
	NEEDS_CPUS(4);
	bounded(stop_attack);
}

TEST(replacing_start_that_meets_an_unmapping_of_the_status_page_ends_and_accounts)
{
	NEEDS_CPUS(4);
	bounded(replace_attack);
}

/* --- a fork that fails half way --------------------------------------------- */

#define GIB	(1UL << 30)

static uint64_t total_memory(void)
{
	return (uint64_t)sysconf(_SC_PHYS_PAGES) * PAGE;
}

/* What a fork copies first, and slowly: ticks find their page absent meanwhile. */
static void slow_area_at(uintptr_t where)
{
	char *area = memory_at(where, SLOW_SIZE, MAP_FIXED_NOREPLACE);

	madvise(area, SLOW_SIZE, MADV_NOHUGEPAGE);
	memset(area, 1, SLOW_SIZE);
}

/* Where it is mapped by hand, a start finds it. */
static void status_page_at(uintptr_t where)
{
	int fd = CHECK_CALL(open(DEVICE, O_RDONLY | O_CLOEXEC));

	CHECK(mmap((void *)where, PAGE, PROT_READ, MAP_SHARED | MAP_FIXED_NOREPLACE,
		   fd, 0) == (void *)where);
	close(fd);
}

/*
 * A single area larger than all memory can be made of two that are not, and
 * then every fork fails when it comes to it: after the status page, which lies
 * below, and before the buffer, which lies above.
 */
static void area_that_no_fork_copies(void)
{
	size_t half = (total_memory() * 3 / 4 + HUGE) & ~(HUGE - 1);
	uintptr_t at = (uintptr_t)mmap(NULL, 2 * half, PROT_NONE,
				       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	memory_at(at, half, MAP_FIXED);
	memory_at(at + half, half, MAP_FIXED);
}

/* Memory that a child's copy of the areas may still name is given back. */
static void *replace_buffer(void *arg)
{
	(void)arg;
	for (;;) {
		memory_at((uintptr_t)race.buf, RACE_SIZE, MAP_FIXED | MAP_NORESERVE);
		madvise(race.buf, RACE_SIZE, MADV_HUGEPAGE);
		hot_wide(5);
	}
	return NULL;
}

static void failing_forks(void)
{
	char *buf = huge_memory(RACE_SIZE);
	struct profil_status st;
	time_t begin = time(NULL);
	unsigned int failed = 0;
	uint64_t end;

	slow_area_at(LOW);
	status_page_at(LOW + SLOW_SIZE);
	area_that_no_fork_copies();
	race.buf = buf;
	start_thread(replace_buffer, NULL);
	start_thread(work_all_over, NULL);
	CHECK_EQ(start_region(spread(buf, RACE_SIZE, RACE_SIZE / WIDE_BLOCKS),
			      PROFIL_RATE_FAST), 0);
	CHECK_EQ((uintptr_t)page(), LOW + SLOW_SIZE);
	for (unsigned int i = 0; race_goes_on(4 * i, begin); i++) {
		pid_t pid = fork();

		if (pid == 0)
			_exit(0);
		if (pid > 0)
			FAIL("a fork did not fail");
		CHECK_EQ(errno, ENOMEM);
		failed++;
	}
	end = page()->ticks + 20;
	while (page()->ticks < end)
		hot_wide(10);
	CHECK_EQ(stop(&st), 0);
	note("%u forks failed, %llu updates deferred", failed,
	     (unsigned long long)st.deferred);
	/* What is replaced again and again may lose an update; the memory is good. */
	CHECK_ACCOUNTS(&st);
	CHECK_EQ(st.faults, 0);
	CHECK_EQ(page()->state, PROFIL_STATE_OFF);
	CHECK_GT(st.deferred, 0);
	_exit(0);
}

TEST(forks_that_fail_after_the_status_page_was_copied_do_no_harm)
{
	NEEDS_CPUS(4);
	if (sizeof(long) < 8)
		SKIP("needs 64-bit addresses");
	bounded(failing_forks);
}

/* Dies, at any point of its forks, from outside. */
static void fork_for_ever(void)
{
	char *buf = huge_memory(RACE_SIZE);

	race.buf = buf;
	/* Many areas, so that a fork takes long. */
	for (int i = 0; i < 500; i++)
		mprotect((char *)memory(2 * PAGE), PAGE, PROT_READ);
	start_thread(discard_buffer, NULL);
	start_thread(work_all_over, NULL);
	CHECK_EQ(start_region(spread(buf, RACE_SIZE, RACE_SIZE / WIDE_BLOCKS),
			      PROFIL_RATE_FAST), 0);
	for (;;) {
		pid_t pid = fork();

		if (pid == 0) {
			hot_wide(50);
			_exit(0);
		}
		if (pid > 0)
			waitpid(pid, NULL, 0);
	}
}

static void kill_those_who_fork(void)
{
	for (unsigned int i = 0; i < 100 / slowness() && time_left(); i++) {
		pid_t pid = FORK();

		if (pid == 0)
			fork_for_ever();
		pause_ms(30 + i % 50);
		CHECK_CALL(kill(pid, SIGKILL));
		CHECK_EQ(waitpid(pid, NULL, 0), pid);
	}
}

TEST(processes_killed_while_they_fork_do_no_harm)
{
	NEEDS_CPUS(4);
	bounded(kill_those_who_fork);
}

/* --- a fork of threads that count in shared memory --------------------------- */

#define SHARED_SIZE	(256 * PAGE)

static char *shared_counters;

static void *discard_shared(void *arg)
{
	(void)arg;
	for (;;) {
		madvise(shared_counters, SHARED_SIZE, MADV_DONTNEED);
		pause_ms(1);
	}
	return NULL;
}

/*
 * Only the threads of the parent are ever in the text that is counted: what a
 * child counts, it counts for the second time.
 */
static void fork_over_shared_counters(void)
{
	struct profil_status st;

	slow_area_at(LOW);
	shared_counters = shared_with_children(SHARED_SIZE);
	CHECK_EQ(start_region(spread(shared_counters, SHARED_SIZE, PAGE),
			      PROFIL_RATE_FAST), 0);
	CHECK_GT((uintptr_t)page(), LOW);
	for (int i = 0; i < 3; i++)
		start_thread(work_all_over, NULL);
	start_thread(discard_shared, NULL);
	for (unsigned int i = 0; i < 80 / slowness() + 10 && time_left(); i++) {
		pid_t pid = FORK();

		if (pid == 0) {
			CHECK_EQ(stop(&st), 0);
			CHECK_ACCOUNTS(&st);
			CHECK_EQ(st.counted, 0);
			_exit(0);
		}
		wait_ok(pid);
	}
	CHECK_EQ(stop(&st), 0);
	CHECK_NOTHING_LOST(&st);
	CHECK_GT(st.deferred, 0);
	CHECK_EQ(spread_total(shared_counters, SHARED_SIZE, PAGE), st.counted);
	_exit(0);
}

TEST(tick_that_waits_at_a_fork_over_shared_counters_is_counted_once)
{
	NEEDS_CPUS(4);
	bounded(fork_over_shared_counters);
}

/* --- threads that do not come back ------------------------------------------- */

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
TEST(update_that_waits_when_its_process_is_killed_is_applied_by_the_others_of_the_memory)
{
	static char stack[1 << 16];
	struct sharer sharer = { .buf = memory(64 * PAGE) };
	uint64_t deferred = 0;

	for (unsigned int i = 0; i < 100 / slowness() + 20 && time_left(); i++) {
		struct profil_status st;
		pid_t pid;

		sharer.ready = false;
		CHECK_EQ(start_region(one_counter(sharer.buf + i % 64 * PAGE, 4, 4, text_a()),
				      PROFIL_RATE_FAST), 0);
		pid = CHECK_CALL(clone(share_and_tick, stack + sizeof(stack),
				       CLONE_VM | SIGCHLD, &sharer));
		for (uint64_t seen = 0; seen < 3; seen = page()->deferred)
			hot_b(3000 + i * 100);
		CHECK_CALL(kill(pid, SIGKILL));
		CHECK_EQ(waitpid(pid, NULL, 0), pid);
		CHECK_EQ(stop(&st), 0);
		CHECK_NOTHING_LOST(&st);
		deferred += st.deferred;
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
static void *tick_and_sleep(void *arg)
{
	char byte;

	(void)arg;
	for (int i = 0; i < 20; i++) {
		madvise(sleepers.buf, WIDE_BLOCKS * PAGE, MADV_DONTNEED);
		hot_wide(10);
	}
	__sync_fetch_and_add(&sleepers.asleep, 1);
	CHECK_EQ(read(sleepers.pipe[0], &byte, 1), 1);
	return NULL;
}

TEST(threads_that_sleep_for_ever_leave_the_others_their_updates)
{
	struct profil_status st;

	sleepers.buf = memory(WIDE_BLOCKS * PAGE);
	CHECK_CALL(pipe(sleepers.pipe));
	CHECK_EQ(start_region(spread(sleepers.buf, WIDE_BLOCKS * PAGE, PAGE),
			      PROFIL_RATE_FAST), 0);
	for (int i = 0; i < SLEEPERS; i++)
		start_thread(tick_and_sleep, NULL);
	while (sleepers.asleep < SLEEPERS)
		sched_yield();
	/* With the memory of what was counted before, nothing else. */
	CHECK_EQ(stop(&st), 0);
	CHECK_NOTHING_LOST(&st);
	memset(sleepers.buf, 0, WIDE_BLOCKS * PAGE);
	CHECK_CALL(madvise(sleepers.buf, WIDE_BLOCKS * PAGE, MADV_DONTNEED));
	CHECK_EQ(start_region(spread(sleepers.buf, WIDE_BLOCKS * PAGE, PAGE),
			      PROFIL_RATE_FAST), 0);
	while (page()->deferred < 10 || page()->counted < 20)
		hot_wide(10);
	CHECK_EQ(stop(&st), 0);
	CHECK_NOTHING_LOST(&st);
	CHECK_EQ(spread_total(sleepers.buf, WIDE_BLOCKS * PAGE, PAGE), st.counted);
}

#define LONG_NS		10000000000U
#define LONG_THREADS	4
#define CHUNK		(1UL << 20)

static struct {
	char *sink;
	unsigned int chunks;
	volatile unsigned int done;
} long_call;

/* One system call that nothing interrupts, all of it work of the kernel's. */
static void read_chunks(unsigned int chunks)
{
	struct iovec iov[1024];
	int fd = CHECK_CALL(open("/dev/urandom", O_RDONLY | O_CLOEXEC));
	uint64_t bytes = (uint64_t)chunks * CHUNK;
	size_t n = 0;

	for (; n < 1024 && bytes; n++) {
		iov[n].iov_base = long_call.sink;
		iov[n].iov_len = CHUNK;
		bytes -= CHUNK;
	}
	CHECK_EQ(readv(fd, iov, (int)n), (ssize_t)(n * CHUNK));
	close(fd);
}

static void *call_for_long(void *arg)
{
	(void)arg;
	read_chunks(long_call.chunks);
	__sync_fetch_and_add(&long_call.done, 1);
	return NULL;
}

static void measure_chunks(void)
{
	unsigned int chunks = 2;
	uint64_t ns = 0;

	for (; ns < 200000000U && chunks < 512; chunks *= 2) {
		ns = thread_ns();
		read_chunks(chunks);
		ns = thread_ns() - ns;
	}
	long_call.chunks = (unsigned int)(LONG_NS / slowness() / (ns * 2 / chunks));
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
TEST(ticks_of_long_system_calls_on_all_cpus_are_all_in_the_sample_array)
{
	struct profil_samples request = {
		.nsamples = 1 << 20,
		.width = 8,
		.rate = PROFIL_RATE_FAST,
	};
	struct profil_status st;
	uint64_t *array = memory((1UL << 20) * 8);

	NEEDS_CPUS(4);
	long_call.sink = memory(CHUNK);
	memset(long_call.sink, 1, CHUNK);
	measure_chunks();
	request.buf = (uintptr_t)array;
	CHECK_EQ(start_array(&request), 0);
	/* Again where the calls are shorter. */
	for (unsigned int round = 0; round < 8 * slowness(); round++) {
		long_call.done = 0;
		for (int i = 0; i < LONG_THREADS; i++)
			start_thread(call_for_long, NULL);
		while (long_call.done < LONG_THREADS)
			pause_ms(100);
		CHECK_EQ(get_status(&st), 0);
		if (st.nsamples > 2000)
			break;
	}
	CHECK_EQ(stop(&st), 0);
	note("%u MB, %llu samples, %llu deferred", long_call.chunks,
	     (unsigned long long)st.nsamples, (unsigned long long)st.deferred);
	CHECK_NOTHING_LOST(&st);
	CHECK_EQ(st.nsamples, st.counted);
	/* Some of them begin and end in user mode. */
	CHECK_GT(st.nsamples, 2000);
	for (uint64_t i = 0; i < st.nsamples; i++)
		CHECK_NE(array[i], 0);
}

static volatile unsigned long rounds;

static void *go_round(void *arg)
{
	(void)arg;
	for (;;) {
		hot_wide(1);
		rounds++;
	}
	return NULL;
}

/* To bring a page in takes the kernel longer than a tick. */
static void progress_under_slow_faults(void)
{
	struct profil_status st;
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
	CHECK_EQ(stop(&st), 0);
	CHECK_NOTHING_LOST(&st);
	CHECK_GT(st.deferred, 0);
	_exit(0);
}

TEST(thread_whose_updates_take_longer_than_a_tick_returns_to_user_mode)
{
	bounded(progress_under_slow_faults);
}

#define LATE_CARRIES	"/sys/module/profil/parameters/late_carries"
#define READ_SIZE	(48UL << 20)

static void *read_for_ever(void *arg)
{
	int fd = CHECK_CALL(open("/dev/urandom", O_RDONLY));

	while (read(fd, arg, READ_SIZE) > 0)
		;
	return NULL;
}

/* Ticks of one counter wait; settled, they carry into its second word. */
static void stop_with_late_carries(void)
{
	unsigned char *mem = mmap(NULL, PAGE, PROT_READ | PROT_WRITE,
				  MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	struct profil_region region = everything(mem + 7, 2, 2);
	struct profil_status st;
	unsigned int waited = 0;

	CHECK(mem != MAP_FAILED);
	start_thread(read_for_ever, memory_at(0, READ_SIZE, MAP_POPULATE));
	for (unsigned int i = 0; i < 300 && waited < 20; i++) {
		mem[7] = 0xff;
		mem[8] = 0;
		CHECK_CALL(madvise(mem, PAGE, MADV_DONTNEED));
		CHECK_EQ(start_region(region, PROFIL_RATE_FAST), 0);
		pause_ms(50);
		CHECK_EQ(stop(&st), 0);
		CHECK_NOTHING_LOST(&st);
		CHECK_EQ(counter(mem + 7, 0, 2), 0xff + st.counted);
		waited += st.deferred > 1;
	}
	CHECK_EQ(waited, 20);
	_exit(0);
}

/* For a module that is built for tests: carries find their word contended. */
TEST(stop_does_the_carries_that_what_it_settles_leaves)
{
	NEEDS_CPUS(2);
	if (access(LATE_CARRIES, W_OK) != 0)
		SKIP("needs a module built with PROFIL_DELAYS=1");
	CHECK_EQ(write_file(LATE_CARRIES, "2"), 0);
	bounded(stop_with_late_carries);
	CHECK_EQ(write_file(LATE_CARRIES, "0"), 0);
}
