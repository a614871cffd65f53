// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Streams of stacks and tables of objects in processes whose mmap lock nobody can take
 * (see fuse.h), and in files that cannot be read.
 */
#include "fuse.h"
#include "hook.h"
#include "stream.h"

static void *stacks;

static void stop_with_stream(void)
{
	static uint64_t array[4096];
	struct profil_samples request = SAMPLES(array, 4096, 8, PROFIL_RATE_TICK,
						.stacks = (uintptr_t)stacks, .stacks_size = PAGE);
	struct profil_status st;

	CHECK_EQ(start_array(&request), 0);
	CHECK(work_for_ticks(10));
	st = accounted();
	CHECK_EQ(st.stackless, st.ticks);
	CHECK_EQ(st.stack_bytes, 0);
}

static bool has_ended(const void *arg)
{
	const pid_t *pid = arg;

	return thread_state(*pid) == 'Z';
}

/* Once the server has gone, each read of the file's page fails. */
TEST(stop_whose_stream_is_in_a_file_that_cannot_be_read_ends)
{
	pid_t pid;
	int fd;

	needs_stacks();
	start_server();
	fd = CHECK_CALL(open(FUSE_FILE, O_RDONLY));
	stacks = mapped(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE, fd);
	close(fd);
	end_server();
	pid = spawn(stop_with_stream);
	CHECK(wait_for(has_ended, &pid));
	wait_ok(pid);
}

static void in_user_mode(void)
{
	hot_b(10000);
}

#define BLOCK	(1 << 20)

static void in_the_kernel(void)
{
	static int zero = -1;
	static char *block;

	/* Of those who call this only: others lock all that they have, 264 times. */
	if (zero < 0) {
		zero = CHECK_CALL(open("/dev/zero", O_RDONLY));
		block = shared_memory(BLOCK);
	}
	CHECK_EQ(read(zero, block, BLOCK), BLOCK);
}

/* Ticks that cannot be written fill what there is room for; then all goes on. */
static void trace_while_the_lock_is_taken(struct victim *me, void (*work)(void))
{
	struct stream s = new_stream(16 * PAGE);
	struct profil_stack stack;
	uint64_t records = 0, ticks = 0, deep = 0;

	leave_server();
	set_own_objects();
	CHECK_EQ(start_stacks(&s, PROFIL_RATE_FAST), 0);
	/* Nothing is absent by then but the stream, from its second page on. */
	work();
	CHECK_CALL(mlockall(MCL_CURRENT));
	CHECK_EQ(page()->mode, PROFIL_MODE_SAMPLES);
	CHECK_CALL(munlock(s.bytes, s.size));
	CHECK_CALL(madvise(s.bytes + PAGE, s.size - PAGE, MADV_DONTNEED));
	take_mmap_lock(me);
	while (page()->stackless < 5)
		work();
	/* Other stacks: the first have no record. All ticks of a late timer have one. */
	while (!ticks || (page()->stack_records < records + 100 && page()->ticks < ticks + 4000)) {
		recurse(DEPTH, work);
		me->goes_on = me->goes_on || page()->stackless >= 20;
		if (ticks || !me->released)
			continue;
		records = page()->stack_records;
		ticks = page()->ticks;
	}
	CHECK_GT(page()->stack_records, records);
	stop_stacks(&s);
	FOR_EACH_STACK(&s, s.size, &stack)
		deep += stack.nframes > DEPTH && stack.frame[8] == stack.frame[9];
	CHECK_GE(deep, 10);	/* A CPU that waits walks none deep. */
	_exit(0);
}

static void have_stacks_again(void (*work)(void))
{
	struct victim *v = shared_memory(sizeof(*v));
	pid_t pid;

	needs_stacks();
	start_server();
	pid = FORK();
	if (pid == 0)
		trace_while_the_lock_is_taken(v, work);
	CHECK(wait_for(is_true, (const void *)&v->goes_on));
	CHECK_EQ(thread_state(v->mapper), 'D');
	end_server();
	v->released = true;
	wait_ok(pid);
}

CASE(thread_whose_ticks_could_not_be_written_has_stacks_again, have_stacks_again(in_user_mode))
CASE(thread_in_the_kernel_has_stacks_again_after_lost_ticks, have_stacks_again(in_the_kernel))

/* The most pages that one callback has tried to bring in, as the kernel traced it. */
static int most_tries(void)
{
	int tries = 0, most = 0;

	for (char *line = strtok(read_trace(), "\n"); line; line = strtok(NULL, "\n")) {
		if (strstr(line, ": profil_stack_callback"))
			tries = 0;
		else if (strstr(line, ": profil_page_in <-profil_stream_write") ||
			 strstr(line, ": profil_page_in <-bring_in_place"))
			tries++;
		if (most < tries)
			most = tries;
	}
	return most;
}

TEST(thread_that_cannot_write_tries_three_times)
{
	struct victim *v = shared_memory(sizeof(*v));
	int tries;

	needs_stacks();
	need_tracing();
	if (access(TRACING "/set_ftrace_filter", W_OK) != 0)
		SKIP("no function tracer");
	/* One after the other: they add up. */
	CHECK_EQ(write_file(TRACING "/set_ftrace_filter", "profil_page_in"), 0);
	CHECK_EQ(write_file(TRACING "/set_ftrace_filter", "profil_stack_callback"), 0);
	CHECK_EQ(write_file(TRACING "/current_tracer", "function"), 0);
	start_server();
	if (FORK() == 0)
		trace_while_the_lock_is_taken(v, in_user_mode);
	CHECK(wait_for(is_true, (const void *)&v->goes_on));
	tries = most_tries();
	end_trace();
	end_server();
	CHECK_EQ(tries, 3);
}

#define HOLDERS		64

static struct {
	/* A thread that reads a byte from the first one sets a table, and works. */
	int go[2];
	volatile bool ready;
	/* These threads. */
	volatile pid_t tid[HOLDERS];
} *holders;

#define MANY_BYTES	(PROFIL_OBJECTS_MAX * sizeof(struct profil_object))
static struct profil_object *many;

static void *hold_table(void *tid)
{
	char byte;

	*(volatile pid_t *)tid = (pid_t)syscall(SYS_gettid);
	CHECK_EQ(read(holders->go[0], &byte, 1), 1);
	CHECK_EQ(set_objects(many, PROFIL_OBJECTS_MAX), 0);
	for (;;)
		hot_b(10000);
}

static void become_holders(void)
{
	struct stream s = new_stream(PAGE);
	int fd = CHECK_CALL(open(FUSE_FILE, O_RDONLY));

	leave_server();
	s.bytes = mapped(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE, fd);
	many = shared_memory(MANY_BYTES);
	for (unsigned int i = 0; i < PROFIL_OBJECTS_MAX; i++)
		many[i] = (struct profil_object) { .start = 2 * i, .end = 2 * i + 1 };
	for (int i = 0; i < HOLDERS; i++)
		start_thread(hold_table, (void *)&holders->tid[i]);
	/* From now on it sleeps at its first tick. */
	holders->ready = true;
	CHECK_EQ(start_stacks(&s, PROFIL_RATE_FAST), 0);
	for (;;)
		pause();
}

static bool so_many_sleep(const void *arg)
{
	const int *n = arg;
	int sleep = 0;

	for (int i = 0; i < HOLDERS; i++)
		sleep += holders->tid[i] && thread_state(holders->tid[i]) == 'D';
	return sleep >= *n;
}

/* False: one of them has had no tick that it sleeps for, and says where it is. */
static bool have_sleep(int n)
{
	CHECK_EQ(write(holders->go[1], "", 1), 1);
	if (wait_for(so_many_sleep, &n))
		return true;
	for (int i = 0; i < HOLDERS; i++)
		if (holders->tid[i] && !strchr("SD", thread_state(holders->tid[i])))
			note("of %d, thread %d is in state %c", n, i,
			     thread_state(holders->tid[i]));
	return false;
}

/*
 * Each thread sets a table, and sleeps in what it does for its tick. False: one does
 * not, and there is nothing to be seen.
 */
static bool tables_are_replaced(void)
{
	uint64_t before;
	bool sleep;
	pid_t pid;

	holders = shared_memory(sizeof(*holders));
	CHECK_CALL(pipe(holders->go));
	start_server();
	pid = spawn(become_holders);
	CHECK(wait_for(is_true, (const void *)&holders->ready));
	sleep = have_sleep(1);
	before = kb_of("/proc/meminfo", "MemFree:");
	for (int i = 2; sleep && i <= HOLDERS; i++)
		sleep = have_sleep(i);
	if (sleep)
		CHECK_LT(before - kb_of("/proc/meminfo", "MemFree:"),
			 HOLDERS * MANY_BYTES / 2 / 1024);
	end_server();
	end_by_force(pid);
	return sleep;
}

/* One thread after the other has its tick there, and sleeps at once: most times. */
TEST(replaced_table_is_not_kept_by_threads_that_wait_to_write)
{
	needs_stacks();
	NEEDS_ICOUNT();
	for (int i = 0; i < 3; i++)
		if (tables_are_replaced())
			return;
	FAIL("they do not all sleep");
}
