// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Sample arrays: all threads append raw pcs without gaps, until the array is full or its
 * memory is gone. Conformance tests check replacement, fork and the count.
 */
#include "hook.h"

#define ROOM	4096
#define TICKS	20

static struct profil_status stopped_array(void)
{
	struct profil_status st = stopped();

	CHECK_EQ(st.outside, 0);
	return st;
}

extern char __executable_start[], etext[];

/* Checks that the first n elements are pcs of the program, and the next ones untouched. */
static void check_array(const void *array, uint64_t n, unsigned int width)
{
	for (uint64_t i = 0; i < n; i++) {
		uint64_t pc = counter(array, i, width);

		CHECK_NE(pc, 0);
		/* The vDSO's pcs are far above. Their low halves may have any value. */
		if (width == 8 && pc < 0x10000000)
			CHECK(pc >= (uintptr_t)__executable_start && pc < (uintptr_t)etext);
	}
	for (uint64_t i = n; i < n + 8; i++)
		CHECK_EQ(counter(array, i, width), 0);
}

/* The number of traced calls in hard interrupts, which the trace marks with h or H. */
static int calls_in_interrupts(void)
{
	char flags[8];
	int calls = 0;

	for (char *line = strtok(read_trace(), "\n"); line; line = strtok(NULL, "\n")) {
		char *at = *line == '#' ? NULL : strstr(line, "] ");

		if (at && sscanf(at, "] %7s", flags) == 1)
			calls += flags[2] == 'h' || flags[2] == 'H';
	}
	return calls;
}

/* Hardened usercopy takes a lock of vmalloc() on some kernels: 5.18 to 6.3. */
TEST(ticks_do_not_call_hardened_usercopy)
{
	static char mem[ROOM];
	int calls;

	need_tracing();
	/* Without the newline an unknown name is no error, and all functions are traced. */
	if (write_file(TRACING "/set_ftrace_filter", "__check_object_size\n") != 0)
		SKIP("no hardened usercopy to trace");
	CHECK_EQ(write_file(TRACING "/current_tracer", "function"), 0);
	for (unsigned int odd = 0; odd <= 1; odd++) {
		CHECK_EQ(start_samples(mem + odd, ROOM / 16, 8, PROFIL_RATE_TICK), 0);
		CHECK(work_for_ticks(TICKS));
		stopped_array();
	}
	CHECK_EQ(start_region(everything(mem + 7, 4, 4), PROFIL_RATE_TICK), 0);
	CHECK(work_for_ticks(TICKS));
	stopped();
	calls = calls_in_interrupts();
	end_trace();
	CHECK_EQ(calls, 0);
}

TEST(eight_threads_fill_an_array_to_its_last_element)
{
	static uint64_t array[512 + 64];
	struct profil_status st;

	start_workers(8);
	for (int round = 0; round < 3; round++) {
		unsigned int n = (unsigned int)contended(128) << round;

		memset(array, 0, sizeof(array));
		CHECK_EQ(start_samples(array, n, 8, PROFIL_RATE_TICK), 0);
		CHECK(work_while_on());
		st = stopped_array();
		CHECK_EQ(st.nsamples, n);
		CHECK_EQ(st.counted, n);
		check_array(array, n, 8);
	}
	end_workers();
}

TEST(eight_threads_append_without_gaps_to_an_array_never_touched)
{
	/* 4-byte elements at the end of a page, again and again. */
	size_t size = 64 * 4096;
	struct profil_status st;

	start_workers(8);
	for (int round = 0; round < (cpus() > 1 ? 12 : 5); round++) {
		char *mem = private_memory(size);
		char *array = mem + 4096 - 22;

		CHECK_EQ(start_samples(array, 1000, 4, PROFIL_RATE_TICK), 0);
		CHECK(work_for_ticks(10));
		st = stopped_array();
		CHECK_EQ(st.nsamples, st.counted);
		check_array(array, st.nsamples, 4);
		CHECK_CALL(munmap(mem, size));
	}
	end_workers();
}

#define BURST	250

/*
 * Nothing else runs until the next multiple of BURST ticks, for each thread the
 * same one: no thread comes to bring in pages for another.
 */
static void *work_in_bursts(void *unused)
{
	struct sched_param param = { .sched_priority = 1 };
	const volatile struct profil_status *st = page();
	uint64_t end;

	CHECK_EQ(pthread_setschedparam(pthread_self(), SCHED_FIFO, &param), 0);
	while (st->state == PROFIL_STATE_ON) {
		end = (st->ticks / BURST + 1) * BURST;
		while (st->ticks < end && st->state == PROFIL_STATE_ON)
			hot_a(1000);
		sleep_ms(20);
	}
	return unused;
}

/* Bursts of more ticks than can wait for a page that is absent. */
static void fill_fresh_pages(void *array)
{
	uint64_t n = icount() ? 1800 : 4000;
	unsigned int threads = cpus() < 8 ? cpus() : 8;
	struct profil_status st;
	pthread_t thread[8];

	NEEDS_ROOT();
	CHECK_EQ(start_samples(array, n, 8, PROFIL_RATE_FAST), 0);
	CHECK(work_for_ticks(1));
	start_threads(thread, threads, work_in_bursts, NULL);
	join_threads(thread, threads);
	st = stopped();
	CHECK_EQ(st.state, PROFIL_STATE_FULL);
	CHECK_EQ(st.nsamples, n);
	check_array(array, n, 8);
}

#define AHEAD_PAGES	256

static char *fresh_pages(unsigned int n)
{
	char *mem = private_memory(n * 4096);

	madvise(mem, n * 4096, MADV_NOHUGEPAGE);
	return mem;
}

static void *fresh_file(void)
{
	int fd = CHECK_CALL(memfd_create("samples", 0));

	CHECK_CALL(ftruncate(fd, AHEAD_PAGES * PAGE));
	return mapped(NULL, AHEAD_PAGES * PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, fd);
}

CASE(bursts_of_ticks_find_the_next_anonymous_page_present,
	fill_fresh_pages(fresh_pages(AHEAD_PAGES) + 20))
CASE(bursts_of_ticks_find_the_next_page_of_a_file_present, fill_fresh_pages(fresh_file()))

/* The pages there are after some ticks in the first one, and never more. */
static unsigned int present_after_some_ticks(char *mem, unsigned int pages, uint64_t nsamples)
{
	unsigned int n;

	CHECK_EQ(start_samples(mem, nsamples, 8, PROFIL_RATE_TICK), 0);
	CHECK(work_for_ticks(TICKS));
	sleep_ms(200);
	n = pages_present(mem, pages);
	check_array(mem, stopped().nsamples, 8);
	return n;
}

/* What <linux/profil.h> says of pages ahead, and the page that is written to. */
static unsigned int pages_for_ten_seconds(enum profil_rate rate)
{
	uint64_t samples = 10000000000ULL / features().period_ns[rate];
	unsigned int threads = cpus() < 4 ? cpus() : 4;

	return (samples * threads * 8 + 4095) / 4096 + 1;
}

TEST(array_is_brought_in_for_ten_seconds_of_a_call_at_most)
{
	unsigned int pages = pages_for_ten_seconds(PROFIL_RATE_TICK);

	CHECK_LT(pages, 64);
	CHECK_EQ(present_after_some_ticks(fresh_pages(64), 64, 64 * 512), pages);
}

/* At a tick, or lazily at the first of each 16; a timer that is late takes several at once. */
static void check_present(char *mem, unsigned int flags, uint64_t handled)
{
	unsigned int present = pages_present(mem, AHEAD_PAGES);
	uint64_t n = page()->ticks, least = pages_for_ten_seconds(PROFIL_RATE_FAST);
	uint64_t most = least + n / 512;

	if (flags && (handled - 1) / 16 + 1 < least)
		least = (handled - 1) / 16 + 1;
	if (flags && n / 16 + 1 < most)
		most = n / 16 + 1;
	CHECK_GE(present, least);
	CHECK_LE(present, most);
}

static void bring_in(unsigned int flags)
{
	char *mem = fresh_pages(AHEAD_PAGES);
	struct profil_samples request = SAMPLES(mem, AHEAD_PAGES * 512, 8, PROFIL_RATE_FAST,
						.flags = flags);
	uint64_t handled;

	CHECK_LT(pages_for_ten_seconds(PROFIL_RATE_FAST), AHEAD_PAGES);
	CHECK_EQ(start_array(&request), 0);
	check_present(mem, flags, 1);
	CHECK(work_for_ticks(TICKS));
	/* Or at the next tick, if there was no time. Those in the stop need not be. */
	handled = page()->ticks;
	CHECK(work_for_ticks(1));
	check_array(mem, stopped().nsamples, 8);
	check_present(mem, flags, handled);
}

CASE(array_is_brought_in_before_the_call_that_starts_it_returns, bring_in(0))
CASE(lazy_array_is_brought_in_with_its_samples, bring_in(PROFIL_LAZY))

TEST(no_tick_of_a_child_writes_where_it_has_other_memory)
{
	char *mem = fresh_pages(1);
	struct profil_samples request = SAMPLES(mem, 512, 8, PROFIL_RATE_TICK,
						.flags = PROFIL_DONTFORK);

	CHECK_CALL(madvise(mem, PAGE, MADV_DONTFORK));
	CHECK_EQ(start_array(&request), 0);
	IN_CHILD {
		CHECK(mmap(mem, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS |
			   MAP_FIXED_NOREPLACE, -1, 0) == mem);
		hot_a(work_per_ms() * 100);
		CHECK_EQ(status().state, PROFIL_STATE_OFF);
		check_array(mem, 0, 8);
	}
	stopped_array();
}

TEST(time_of_a_start_is_not_in_the_profile)
{
	uint64_t samples = 0, all = 0, shortest = UINT64_MAX, n, ns;

	for (int i = 0; i < 100;) {
		char *mem = shared_memory(AHEAD_PAGES * PAGE);

		ns = process_ns();
		CHECK_EQ(start_samples(mem, AHEAD_PAGES * 512, 8, PROFIL_RATE_FAST), 0);
		n = stopped().nsamples;
		CHECK_CALL(munmap(mem, AHEAD_PAGES * PAGE));
		ns = process_ns() - ns;
		shortest = ns < shortest ? ns : shortest;
		/* Not one that the host held up: after the start, that is many samples. */
		if (ns > 2 * shortest)
			continue;
		samples += n;
		all += ns;
		i++;
	}
	note("%llu samples in 100 starts of %llu ms", (unsigned long long)samples,
	     (unsigned long long)all / 1000000);
	CHECK_LT(samples * 4, all / 1000000);
}

TEST(no_page_is_brought_in_after_the_end_of_an_array)
{
	CHECK_EQ(present_after_some_ticks(fresh_pages(8), 8, 513), 2);
	CHECK_EQ(present_after_some_ticks(fresh_pages(8), 8, 512), 1);
}

TEST(page_ahead_that_cannot_come_is_no_fault_until_needed)
{
	char *mem = fresh_pages(2);

	CHECK_CALL(mprotect(mem + 4096, 4096, PROT_READ));
	start_in_the_first_page(mem, 2 * 512);
	CHECK_EQ(page()->state, PROFIL_STATE_ON);
	CHECK_EQ(page()->faults, 0);
	CHECK_CALL(mprotect(mem + 4096, 4096, PROT_READ | PROT_WRITE));
	for (int i = 0; i < 10; i++)
		work_while_on();
	CHECK_EQ(stopped().nsamples, 2 * 512);
}

TEST(memory_that_ends_in_the_array_stops_it_and_the_count_stays)
{
	/* Nine elements, and half of one. */
	char *mem = private_memory(2 * PAGE), *array = mem + PAGE - 9 * 8 - 4;
	struct profil_status st;

	CHECK_CALL(munmap(mem + PAGE, PAGE));
	CHECK_EQ(start_samples(array, 100, 8, PROFIL_RATE_TICK), 0);
	CHECK(work_while_on());
	st = accounted();
	CHECK_EQ(st.state, PROFIL_STATE_FAULT);
	CHECK_EQ(st.nsamples, 9);
	CHECK_EQ(st.counted, 9);
	CHECK_GE(st.faults, 1);
	for (unsigned int i = 0; i < 9; i++)
		CHECK_NE(counter(array, i, 8), 0);
}
