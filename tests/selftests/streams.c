// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Streams of stacks while everything changes at once: threads cannot write their ticks,
 * memory goes away, runs follow each other. A module built for tests sleeps between the
 * steps of each write, so that these events meet.
 */
#include <sys/uio.h>

#include "stream.h"

#define WORKERS		8
#define BLOCK		(1UL << 20)
#define LOCKED		(16UL << 20)

static volatile bool over;

/* Works in user mode and in long system calls. */
static void *churn(void *arg)
{
	int fd = open("/dev/zero", O_RDONLY);
	char *buf = shared_memory(BLOCK);

	CHECK(fd >= 0);
	while (!over) {
		hot_a(20000);
		for (int i = 0; i < 8; i++)
			CHECK_EQ(read(fd, buf, BLOCK), BLOCK);
	}
	return arg;
}

/* Takes the stream's pages away. */
static void *take_pages(void *arg)
{
	while (!over) {
		madvise(arg, STREAM_BYTES, MADV_DONTNEED);
		usleep(100);
	}
	return NULL;
}

/* Has the mmap lock most of the time. */
static void *hold_mmap_lock(void *arg)
{
	char *memory = shared_memory(LOCKED);

	memset(memory, 1, LOCKED);
	while (!over) {
		CHECK_CALL(mprotect(memory, LOCKED, PROT_READ));
		CHECK_CALL(mprotect(memory, LOCKED, PROT_READ | PROT_WRITE));
		sched_yield();
	}
	return arg;
}

static pthread_t churning[WORKERS + 2];

static void begin(const struct stream *s, const char *delay)
{
	set_delay(delay);
	set_own_objects();
	start_threads(churning, WORKERS, churn, NULL);
	churning[WORKERS] = start_thread(take_pages, s->bytes);
	churning[WORKERS + 1] = start_thread(hold_mmap_lock, NULL);
}

static void end(void)
{
	set_delay("0");
	over = true;
	join_threads(churning, WORKERS + 2);
}

TEST(each_tick_is_in_one_record_or_counted_as_stackless)
{
	struct stream s = new_stream(STREAM_BYTES);

	NEEDS_CPUS(2);
	begin(&s, "1000");
	for (unsigned int i = 0; i < 20 / slowness(); i++) {
		CHECK_CALL(madvise(s.bytes, s.size, MADV_REMOVE));
		CHECK_EQ(start_stacks(&s, PROFIL_RATE_FAST), 0);
		while (page()->ticks < 200)
			usleep(10000);
		stop_stacks(&s);
	}
	end();
}

#define PARTS	64

static volatile pid_t reader;

/* One long call after the other: it is in one when the run is stopped. */
static void *read_much(void *arg)
{
	int fd = open("/dev/zero", O_RDONLY);
	char *buf = shared_memory(BLOCK);
	struct iovec part[PARTS];

	CHECK(fd >= 0);
	reader = (pid_t)syscall(SYS_gettid);
	for (int i = 0; i < PARTS; i++)
		part[i] = (struct iovec) { buf, BLOCK };
	while (!over)
		CHECK_CALL(readv(fd, part, PARTS));
	return arg;
}

static int stop_it(void *arg)
{
	return -stop(arg);
}

/* The process that stops has pid 1 there; the stopped one has no pid there. */
static void stop_from_another_pid_namespace(struct profil_status *st)
{
	static char stack[65536];

	wait_ok(CHECK_CALL(clone(stop_it, stack + sizeof(stack),
				 CLONE_VM | CLONE_NEWPID | SIGCHLD, st)));
}

TEST(thread_has_its_own_id_whoever_stops)
{
	struct stream s = new_stream(STREAM_BYTES);
	struct profil_status st;
	struct profil_stack stack;
	pthread_t t;

	NEEDS_ROOT();
	set_own_objects();
	t = start_thread(read_much, NULL);
	for (int i = 0; i < 20; i++) {
		CHECK_CALL(madvise(s.bytes, s.size, MADV_REMOVE));
		CHECK_EQ(start_stacks(&s, PROFIL_RATE_FAST), 0);
		while (page()->ticks < 20)
			usleep(1000);
		stop_from_another_pid_namespace(&st);
		check_stream(&s, &st);
		FOR_EACH_STACK(&s, st.stack_bytes, &stack)
			CHECK(stack.thread == (uint32_t)reader || stack.thread == 1 ||
			      stack.thread == (uint32_t)getpid());
	}
	over = true;
	join_thread(t);
}

/*
 * Short, but not beside its exit, which some kernels make much of. Ends behind a tick: the
 * exit has no samples of a timer that is late.
 */
static void *short_worker(void *data)
{
	for (int i = 0; i < 20000; i++)
		if (has_ticks_in(hot_a, 100000) && i >= 20)
			break;
	return data;
}

static void start_and_join_threads(void)
{
	for (int i = 0; i < 3000 && page()->ticks < 10 * TICKS; i++)
		join_thread(start_thread(short_worker, NULL));
}

TEST(threads_that_exit_leave_their_ticks)
{
	uint64_t stackless = 1, ticks = 0;

	/* Three times: where the host holds up an exit, it has all ticks of that time. */
	for (int round = 0; round < 3 && stackless > ticks / 2; round++) {
		profiled(PROFIL_RATE_FAST, start_and_join_threads);
		ticks = page()->ticks;
		stackless = page()->stackless;
		note("%llu of %llu stackless", (unsigned long long)stackless,
		     (unsigned long long)ticks);
	}
	CHECK_LE(stackless, ticks / 2);		/* Those that found a thread in its exit. */
}

ROLE(exit_at_once)
{
	return 0;
}

TEST(exec_ends_the_stream_and_leaves_whole_records)
{
	struct stream s = new_stream(STREAM_BYTES);
	struct profil_stack stack;
	uint64_t n = 0;
	pid_t pid;

	pid = FORK();
	if (!pid) {
		char *argv[] = { "stacks", "--role", "exit_at_once", NULL };

		set_own_objects();
		profile(&s, PROFIL_RATE_FAST, recurse_and_work);
		execv("/proc/self/exe", argv);
		_exit(1);
	}
	wait_ok(pid);
	FOR_EACH_STACK(&s, s.size, &stack)
		n += stack.count;
	CHECK_GE(n, most_of(TICKS));
}

TEST(full_stream_ends_and_the_array_goes_on)
{
	struct stream s = start_stream(PROFIL_STACKS_SIZE_MIN, PROFIL_RATE_FAST);
	struct profil_status st;

	/* Late samples are one record, or in none. Records of other depths are longer. */
	for (int i = 0; i < 200000 && page()->stackless < 1000; i++)
		recurse(i % 2 ? DEPTH : 1, some_b);
	CHECK(work_for_ticks(1000));
	st = stop_stacks(&s);
	CHECK_GE(st.nsamples, 1000);
	CHECK_GE(st.stackless, 1000);
	CHECK_GT(st.stack_bytes, PROFIL_STACKS_SIZE_MIN / 2);
	CHECK_LE(st.stack_bytes, PROFIL_STACKS_SIZE_MIN);
}

static void lose_memory(int how)
{
	struct stream s = start_stream(STREAM_BYTES, PROFIL_RATE_FAST);
	struct profil_status st;

	ticks_wanted = TICKS;
	do_ticks();
	if (how)
		CHECK_CALL(munmap(s.bytes, STREAM_BYTES));
	else
		CHECK_CALL(mprotect(s.bytes, STREAM_BYTES, PROT_READ));
	do_ticks();
	if (how)
		CHECK_EQ(stop(&st), 0);
	else
		st = stop_stacks(&s);
	CHECK_GT(st.stackless, 0);
	CHECK_NOTHING_LOST(&st);
	CHECK_GE(st.nsamples, 2 * TICKS);
}

CASE(stream_that_is_protected_ends_and_the_array_goes_on, lose_memory(0))
CASE(stream_that_is_unmapped_ends_and_the_array_goes_on, lose_memory(1))

TEST(pages_of_the_stream_that_go_come_back)
{
	struct stream s = start_stream(STREAM_BYTES, PROFIL_RATE_FAST);
	uint64_t ticks = 0;

	for (int i = 0; i < 200000 && ticks < 10 * TICKS; i++) {
		hot_a(1000);
		CHECK_CALL(madvise(s.bytes, STREAM_BYTES, MADV_DONTNEED));
		ticks = page()->ticks;
	}
	CHECK_LE(stop_stacks(&s).stackless, ticks / 10);
}
