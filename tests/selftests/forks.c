// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Forks that fail half way, are killed, come while threads count, or come while the
 * profile is replaced.
 */
#include "bounded.h"
#include "spread.h"

/* An address below all those that mmap() chooses by itself. */
#define LOW	(sizeof(long) == 8 ? 0x100000000UL : 0x20000000UL)

#define SLOW_SIZE	(32UL << 20)

/* A fork copies this memory first, and slowly. Ticks find their page absent meanwhile. */
static void slow_area_at(uintptr_t where, size_t size)
{
	char *area = memory_at(where, size, MAP_FIXED_NOREPLACE);

	madvise(area, size, MADV_NOHUGEPAGE);
	memset(area, 1, size);
}

/* A start finds the page at the address where the test maps it. */
static void status_page_at(uintptr_t where)
{
	int fd = CHECK_CALL(open(DEVICE, O_RDONLY | O_CLOEXEC));

	mapped((void *)where, PAGE, PROT_READ, MAP_SHARED | MAP_FIXED_NOREPLACE, fd);
	close(fd);
}

/*
 * A single area larger than all memory can be made of two that are not, and
 * then every fork fails when it comes to it: after the status page, which lies
 * below, and before the buffer, which lies above.
 */
static void area_that_no_fork_copies(void)
{
	size_t half = ((uint64_t)sysconf(_SC_PHYS_PAGES) * PAGE * 3 / 4 + HUGE) & ~(HUGE - 1);
	uintptr_t at = (uintptr_t)mapped(NULL, 2 * half, PROT_NONE,
					 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1);

	memory_at(at, half, MAP_FIXED);
	memory_at(at + half, half, MAP_FIXED);
}

/* Memory that a child's copy of the areas may still name is given back. */
static void *replace_buffer(void *unused)
{
	for (;;) {
		memory_at((uintptr_t)race.buf, RACE_SIZE, MAP_FIXED | MAP_NORESERVE);
		madvise(race.buf, RACE_SIZE, MADV_HUGEPAGE);
		hot_wide(5);
	}
	return unused;
}

static void failing_forks(void)
{
	char *buf = huge_memory(RACE_SIZE);
	struct profil_status st;
	time_t begin = time(NULL);
	unsigned int failed = 0;
	uint64_t end;

	slow_area_at(LOW, SLOW_SIZE);
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
	note("%u forks failed, %llu updates deferred", failed, (unsigned long long)st.deferred);
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
		pid_t pid = spawn(fork_for_ever);

		sleep_ms(30 + i % 50);
		end_by_force(pid);
	}
}

CASE(processes_killed_while_they_fork_do_no_harm, NEEDS_CPUS(4); bounded(kill_those_who_fork))

#define SHARED_SIZE	(256 * PAGE)

static char *shared_counters;

static void *discard_shared(void *unused)
{
	for (;;) {
		madvise(shared_counters, SHARED_SIZE, MADV_DONTNEED);
		sleep_ms(1);
	}
	return unused;
}

/*
 * Only the threads of the parent are ever in the text that is counted: what a
 * child counts, it counts for the second time.
 */
static void fork_over_shared_counters(void)
{
	struct profil_status st;

	slow_area_at(LOW, SLOW_SIZE);
	shared_counters = shared_memory(SHARED_SIZE);
	CHECK_EQ(start_region(spread(shared_counters, SHARED_SIZE, PAGE), PROFIL_RATE_FAST), 0);
	CHECK_GT((uintptr_t)page(), LOW);
	for (int i = 0; i < 3; i++)
		start_thread(work_all_over, NULL);
	start_thread(discard_shared, NULL);
	for (unsigned int i = 0; i < 80 / slowness() && time_left(); i++) {
		IN_CHILD {
			CHECK_EQ(accounted().counted, 0);
		}
	}
	st = stopped();
	CHECK_GT(st.deferred, 0);
	CHECK_EQ(spread_total(shared_counters, SHARED_SIZE, PAGE), st.counted);
	_exit(0);
}

CASE(tick_that_waits_at_a_fork_is_counted_once, NEEDS_CPUS(4); bounded(fork_over_shared_counters))

/* Below all that starts touch: a fork comes to it first. Text is at 64 KiB on some. */
#if defined(__riscv) || defined(__arm__)
#define LOWEST	0x8000UL
#else
#define LOWEST	0x10000UL
#endif

static uint32_t replaced_counter;
static volatile unsigned int replaced;
/* Else most ticks may be the one's who replaces: the two take turns at ticks. */
static volatile bool replacing_rests;

/* Without a pause but when it rests, and without need of the mmap lock. */
static void *replace_for_ever(void *unused)
{
	int fd = CHECK_CALL(open(DEVICE, O_RDONLY | O_CLOEXEC));
	struct profil_region region = everything(&replaced_counter, 4, 4);
	struct profil_histogram histogram = HISTOGRAM(&region, PROFIL_RATE_TICK);

	for (;; replaced++) {
		while (replacing_rests)
			sleep_ms(20);
		CHECK_CALL(ioctl(fd, PROFIL_IOC_HISTOGRAM, &histogram));
	}
	return unused;
}

/* Whether a child was profiled: it exits with 0 then, with 2 if not. */
static bool ends_profiled(pid_t pid)
{
	int status;

	CHECK_EQ(waitpid(pid, &status, 0), pid);
	CHECK(WIFEXITED(status));
	CHECK_NE(WEXITSTATUS(status), HARNESS_FAIL);
	return WEXITSTATUS(status) == 0;
}

/* One that says it is on must count. */
static void check_child_keeps_its_word(void)
{
	struct profil_status st;

	CHECK_EQ(get_status(&st), 0);
	if (st.state != PROFIL_STATE_ON)
		_exit(2);
	for (uint64_t begin = process_ns(); st.ticks == 0; get_status(&st)) {
		CHECK_LT(process_ns() - begin, 2000000000);
		hot_a(10000);
	}
	_exit(0);
}

TEST(fork_child_is_profiled_however_often_its_parent_replaces)
{
	unsigned int on = 0, forks = 0;

	status_page_at(LOWEST);
	CHECK_EQ(start_region(everything(&replaced_counter, 4, 4), PROFIL_RATE_TICK), 0);
	start_thread(replace_for_ever, NULL);
	for (unsigned int i = 0; i < 300 / slowness() && time_left(); i++) {
		pid_t pid;

		for (unsigned int before = replaced; replaced < before + 3;)
			sched_yield();
		pid = FORK();
		if (pid == 0)
			check_child_keeps_its_word();
		replacing_rests = true;
		on += ends_profiled(pid);
		replacing_rests = false;
		forks++;
	}
	note("%u of %u children were profiled, %u starts", on, forks, replaced);
	CHECK_EQ(on, forks);
}

#define OTHER_USE 0x5eedf00dU

/* A counter is a counter until the stop has returned, and then something else. */
static void *stop_and_reuse(void *arg)
{
	volatile uint32_t *counter = arg;
	struct profil_status st;

	for (;; replaced++) {
		*counter = 0;
		CHECK_EQ(start_region(everything((void *)counter, 4, 4), PROFIL_RATE_TICK), 0);
		hot_a(1000);
		CHECK_EQ(stop(&st), 0);
		*counter = OTHER_USE;
		hot_a(1000);
	}
	return NULL;
}

/* What a fork copies last may have changed since it began. */
TEST(fork_child_never_counts_in_memory_that_a_stop_gave_back)
{
	/* Above the heap, which begins at random in the first GiB of 64-bit programs. */
	uintptr_t between = sizeof(long) > 4 ? 0x4UL << 30 : 0x20000000UL;
	uint32_t *counter;
	unsigned int on = 0, forks = 0;

	status_page_at(LOWEST);
	counter = private_memory(PAGE);
	/* Between the two: it takes long to copy. */
	slow_area_at(between, 16 << 20);
	start_thread(stop_and_reuse, counter);
	for (unsigned int i = 0; i < (slowness() == 1 ? 200 : 60) && time_left(); i++) {
		pid_t pid = FORK();

		if (pid == 0) {
			if (status().state != PROFIL_STATE_ON)
				_exit(2);
			CHECK_LT(*(volatile uint32_t *)counter, OTHER_USE);
			_exit(0);
		}
		on += ends_profiled(pid);
		forks++;
	}
	note("%u of %u children were profiled, %u starts", on, forks, replaced);
	CHECK(on);
}
