// SPDX-License-Identifier: LGPL-2.1-or-later
/* Threads that wait, come or go while a run starts or stops: see waits.h. */
#include "bounded.h"
#include "own_profiles.h"
#include "waits.h"

#define MOST_SLEEPERS	1000

static struct sleeper {
	pthread_t	thread;
	struct life	life;
} sleepers[MOST_SLEEPERS];
static unsigned int nsleepers;

static void *block(void *sleeper)
{
	struct life *life = &((struct sleeper *)sleeper)->life;

	life->tid = (pid_t)syscall(SYS_gettid);
	life->from.ns = now_ns();
	__atomic_fetch_add(&nsleepers, 1, __ATOMIC_SEQ_CST);
	for (;;)
		pause();
	return NULL;
}

static void start_sleepers(unsigned int n)
{
	pthread_attr_t small;

	pthread_attr_init(&small);
	pthread_attr_setstacksize(&small, 65536);
	for (struct sleeper *s = sleepers; s < sleepers + n; s++) {
		s->life.first.ns = now_ns();
		CHECK_EQ(pthread_create(&s->thread, &small, block, s), 0);
	}
	while (__atomic_load_n(&nsleepers, __ATOMIC_SEQ_CST) < n)
		sleep_ms(10);
	sleep_ms(20);
}

/* It was asleep at the start, or at the last look. */
static void check_sleeper(struct sleeper *s, bool before)
{
	struct sums sums;

	s->life.to = (struct moment) { me.to.ns, ns_of(s->thread) };
	s->life.last = (struct moment) { me.last.ns, s->life.to.cpu };
	if (before) {
		s->life.first = (struct moment) { me.first.ns, s->life.to.cpu };
		s->life.from = (struct moment) { me.from.ns, s->life.to.cpu };
	}
	sums = check_life("sleeper", &s->life, SYS_pause);
	CHECK_GE((double)sums.in_call + 2 + host_ms(), (double)sums.sleep);
	CHECK_GE(sums.walked, 1);
}

static void check_sleepers(unsigned int n, bool before)
{
	if (before)
		start_sleepers(n);
	start_waits();
	if (!before)
		start_sleepers(n);
	sleep_ms(LONG_MS);
	stop_waits();
	for (struct sleeper *s = sleepers; s < sleepers + n; s += n / 7 + 1) {
		/* Not one whose CPU the host took away: clocks differ on whose time it was. */
		while (s < sleepers + n - 1 && ns_of(s->thread) > 10 * MS)
			s++;
		check_sleeper(s, before);
	}
}

CASE(thread_that_waits_at_the_stop_has_its_due, check_sleepers(3, false))
CASE(thread_that_waits_throughout_has_its_due, check_sleepers(3, true))
CASE(a_thousand_sleepers_have_their_due, check_sleepers(MOST_SLEEPERS, false))
CASE(a_thousand_sleepers_before_the_start_have_their_due, check_sleepers(MOST_SLEEPERS, true))

static volatile uint64_t *late_ns;

/* Notes by how much it wakes too late. */
static void wake_again_and_again(void)
{
	const struct sched_param first = { .sched_priority = 50 };
	uint64_t ns;

	CHECK_CALL(sched_setscheduler(0, SCHED_FIFO, &first));
	for (;;) {
		ns = now_ns();
		nanosleep(&(struct timespec) { .tv_nsec = 100000 }, NULL);
		ns = now_ns() - ns - 100000;
		*late_ns = ns > *late_ns ? ns : *late_ns;
	}
}

TEST(start_and_stop_of_a_thousand_sleepers_delay_nobody)
{
	uint64_t least = UINT64_MAX;
	pid_t pid;

	if (!icount())
		SKIP("needs ICOUNT=1");
	prepare();
	start_sleepers(MOST_SLEEPERS);
	late_ns = shared_memory(sizeof(*late_ns));
	pid = FORK();
	if (pid == 0)
		wake_again_and_again();
	sleep_ms(20);
	/* QEMU itself can be late with a timer, but hardly each time. */
	for (int round = 0; round < 3; round++) {
		*late_ns = 0;
		CHECK_EQ(start_flags(&stream, PROFIL_RATE_FAST, PROFIL_WAITS), 0);
		sleep_ms(20);
		stop_waits();
		if (least > *late_ns)
			least = *late_ns;
	}
	end_by_force(pid);
	/* Nanoseconds are instructions. A loop over all threads takes 1,000,000. */
	CHECK_LT(least, 300000);
}

/* Each walks the stacks of many sleepers, and takes 2 ms. */
TEST(time_of_a_stop_is_not_in_the_profile)
{
	struct profil_stack stack;
	uint64_t from, ns = 0, samples = 0;

	NEEDS_ICOUNT();
	start_waits();
	start_sleepers(MOST_SLEEPERS);
	while (ns < 20 * 1000000) {
		from = thread_ns();
		stop_waits();
		ns += thread_ns() - from;
		FOR_EACH_STACK(&stream, stream.size, &stack)
			if (stack.thread == (uint32_t)me.tid && stack.syscall == SYS_ioctl &&
			    stack.flags & PROFIL_STACK_SYSCALL &&
			    !(stack.flags & PROFIL_STACK_WAIT))
				samples += stack.count;
		memset(stream.bytes, 0, PAGE);
		CHECK_EQ(start_flags(&stream, PROFIL_RATE_FAST, PROFIL_WAITS), 0);
	}
	note("%llu samples in stops of %llu ms", (unsigned long long)samples,
	     (unsigned long long)ns / 1000000);
	CHECK_LE(samples, 2);
}

static volatile bool ends;

static void *nap_on(void *unused)
{
	while (!ends)
		nap();
	return unused;
}

/* Each stop finds some that wait, some that come back, and some in their callbacks. */
TEST(stops_while_threads_switch_account_for_all)
{
	pthread_t threads[16];
	uint64_t waits = 0;

	start_waits();
	start_threads(threads, 16, nap_on, NULL);
	for (unsigned int i = 0; i < 200 / slowness(); i++) {
		memset(stream.bytes, 0, PAGE);
		CHECK_EQ(start_flags(&stream, PROFIL_RATE_FAST, PROFIL_WAITS), 0);
		sleep_ms(i % 4);
		waits += stop_waits().waits;
	}
	ends = true;
	join_threads(threads, 16);
	CHECK_GT(waits, 100);
}

static volatile unsigned int unlike;

/* The id chooses the set of a thread's places in the module's table, of 8 sets here. */
static void *block_if_alike(void *sleeper)
{
	pid_t tid = (pid_t)syscall(SYS_gettid);

	if (sleeper != sleepers && (tid - sleepers->life.tid) % 8) {
		unlike++;
		return NULL;
	}
	return block(sleeper);
}

TEST(threads_that_share_a_set_have_their_due)
{
	for (struct sleeper *s = sleepers; s < sleepers + 6;) {
		unsigned int left = unlike;

		start_threads(&s->thread, 1, block_if_alike, s);
		while (unlike == left && sleepers + nsleepers == s)
			sleep_ms(1);
		if (unlike == left)
			s++;
		else
			join_threads(&s->thread, 1);
	}
	sleep_ms(20);
	start_waits();
	sleep_ms(LONG_MS);
	stop_waits();
	for (struct sleeper *s = sleepers; s < sleepers + 6; s++)
		check_sleeper(s, true);
}

static volatile uint64_t wakes_ns;
static volatile int seen, go_on;
static pid_t worker;

/* Asleep until a moment, and then at work. */
static void *sleep_and_work(void *unused)
{
	worker = (pid_t)syscall(SYS_gettid);
	seen = 1;
	sleep_until(wakes_ns);
	for (uint64_t from = thread_ns(); thread_ns() < from + (uint64_t)(LONG_MS * MS);)
		work_a_bit();
	seen = 2;
	while (!go_on)
		sleep_ms(1);
	return unused;
}

static void start_sleeper_until(pthread_t *thread, uint64_t ms)
{
	prepare();
	wakes_ns = now_ns() + ms * 1000000;
	start_threads(thread, 1, sleep_and_work, NULL);
	while (!seen)
		sleep_ms(1);
	sleep_ms(5);
}

/* A run that ends by itself while others wait. */
static void start_short_run(unsigned int samples)
{
	struct profil_samples full = STACKS_OF(&stream, samples, PROFIL_RATE_FAST,
					       .flags = PROFIL_WAITS);

	CHECK_EQ(start_array(&full), 0);
}

TEST(sleep_ends_with_a_run_that_is_full)
{
	pthread_t thread;

	start_sleeper_until(&thread, LONG_MS);
	me.first = now();
	start_short_run(100);
	me.from = now();
	while (page()->state == PROFIL_STATE_ON)
		work_a_bit();
	me.to = now();
	while (seen != 2)
		sleep_ms(1);
	CHECK_EQ(stopped().state, PROFIL_STATE_FULL);
	go_on = 1;
	join_threads(&thread, 1);
	/* It wakes before the end if the host has taken our CPU away. */
	check_between((double)sums_of(worker, 0).sleep,
		      (me.to.ns < wakes_ns ? me.to.ns : wakes_ns) - me.from.ns,
		      me.to.ns - me.first.ns, 3);
}

/* The stop comes before it wakes, and looks at it after that. */
TEST(thread_that_wakes_in_a_stop_has_its_due)
{
	pthread_t thread;

	NEEDS_CPUS(2);
	set_delay("0");
	start_sleeper_until(&thread, LONG_MS);
	start_waits();
	sleep_until(wakes_ns - 5000000);
	set_delay("20000");
	stop_waits();
	set_delay("0");
	check_between((double)sums_of(worker, 0).sleep, me.to.ns - me.from.ns,
		      me.last.ns - me.first.ns, 3);
	go_on = 1;
	join_threads(&thread, 1);
}

/* It has no switch and no tick in between. */
static void *exit_at_once(void *unused)
{
	seen = 1;
	while (!go_on)
		;
	syscall(SYS_exit, 0);
	return unused;
}

TEST(thread_that_exits_after_the_start_has_no_waits)
{
	pthread_t thread;

	NEEDS_CPUS(2);
	prepare();
	start_threads(&thread, 1, exit_at_once, NULL);
	while (!seen)
		sleep_ms(1);
	me.first = now();
	CHECK_EQ(start_flags(&stream, PROFIL_RATE_FAST, PROFIL_WAITS), 0);
	go_on = 1;
	join_threads(&thread, 1);
	sleep_ms(LONG_MS);
	/* Our own until the stop, and not as many again. */
	CHECK_LT(stop_waits().waits, (me.last.ns - me.first.ns) / 1000000 + 50);
}

static void *run_and_sleep(void *unused)
{
	worker = (pid_t)syscall(SYS_gettid);
	seen = 1;
	while (page()->state != PROFIL_STATE_ON)
		;
	sleep_ms(LONG_MS / 3);
	return unused;
}

/* Mostly, no tick finds it while it runs: with instructions as the clock, never. */
TEST(thread_that_runs_at_the_start_and_sleeps_does_not_wait_for_a_cpu)
{
	uint64_t runnable = 0;
	pthread_t thread;

	NEEDS_CPUS(2);
	start_waits();
	stop_waits();
	for (unsigned int i = 0; i < 6; i++) {
		seen = 0;
		start_threads(&thread, 1, run_and_sleep, NULL);
		while (!seen)
			sleep_ms(1);
		sleep_ms(5);
		memset(stream.bytes, 0, PAGE);
		CHECK_EQ(start_flags(&stream, PROFIL_RATE_FAST, PROFIL_WAITS), 0);
		/* The stop finds it asleep, or it has come back. */
		sleep_ms(i % 2 ? LONG_MS / 6 : LONG_MS / 2);
		stop_waits();
		join_threads(&thread, 1);
		runnable += sums_of(worker, NO_CALL).runnable;
	}
	CHECK_LT(runnable, LONG_MS / 3);
}

static int go[2];

static int wait_and_execute(void *c)
{
	if (read(go[0], c, 1) == 1)
		execl("/bin/sleep", "sleep", "1000", NULL);
	return 1;
}

static bool is_asleep(const void *pid)
{
	return thread_state(*(const pid_t *)pid) == 'S';
}

static bool has_executed(const void *pid)
{
	char path[64], name[16] = "";

	snprintf(path, sizeof(path), "/proc/%d/comm", *(const pid_t *)pid);
	read_file(path, name, sizeof(name));
	return !strcmp(name, "sleep\n") && is_asleep(pid);
}

/* What only shares the memory may execute what its parent must not look into. */
TEST(stop_does_not_look_at_another_program)
{
	static char stack[65536] __attribute__((aligned(16))), c;
	pid_t pid;

	prepare();
	CHECK_CALL(pipe(go));
	start_short_run(400);
	pid = CHECK_CALL(clone(wait_and_execute, stack + sizeof(stack), CLONE_VM | SIGCHLD, &c));
	CHECK(wait_for(is_asleep, &pid));
	sleep_ms(20);
	while (page()->state == PROFIL_STATE_ON)
		work_a_bit();
	CHECK_EQ(write(go[1], "", 1), 1);
	CHECK(wait_for(has_executed, &pid));
	CHECK_GT(stopped().waits_lost, 10);
	CHECK_EQ(sums_of(pid, NO_CALL).sleep, 0);
	end_by_force(pid);
}

static unsigned long task_structs(void)
{
	static const char name[] = "\ntask_struct ";
	static char text[1 << 16];
	const char *line = read_file("/proc/slabinfo", text, sizeof(text)) ? NULL :
		strstr(text, name);

	/* Kernels that look for errors free memory late. */
	if (!line || slowness() > 1)
		SKIP("no exact /proc/slabinfo");
	return strtoul(line + strlen(name), NULL, 10);
}

static bool are_free(const void *before)
{
	return task_structs() < *(const unsigned long *)before + MOST_SLEEPERS / 2;
}

TEST(threads_that_exit_after_a_run_leave_nothing)
{
	unsigned long before;

	NEEDS_ROOT();
	prepare();
	before = task_structs();
	start_sleepers(MOST_SLEEPERS);
	start_short_run(100);
	while (page()->state == PROFIL_STATE_ON)
		work_a_bit();
	for (struct sleeper *s = sleepers; s < sleepers + MOST_SLEEPERS; s++)
		CHECK_EQ(pthread_cancel(s->thread), 0);
	for (struct sleeper *s = sleepers; s < sleepers + MOST_SLEEPERS; s++)
		join_threads(&s->thread, 1);
	CHECK(wait_for(are_free, &before));
	CHECK_GE(stopped().waits_lost, 10 * MOST_SLEEPERS);
}

static void *block_with_own_profile(void *sleeper)
{
	static uint32_t counts;

	start_own(&counts);
	return block(sleeper);
}

TEST(thread_with_its_own_profile_has_no_waits)
{
	needs_stacks();
	start_thread(block_with_own_profile, sleepers);
	while (!nsleepers)
		sleep_ms(1);
	sleep_ms(20);
	start_waits();
	sleep_ms(LONG_MS);
	stop_waits();
	CHECK_EQ(sums_of(sleepers->life.tid, SYS_pause).records, 0);
}
