// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * PROFIL_WAITS: the samples of a thread's CPU time and of its waits are its lifetime, in
 * milliseconds, whatever it waits for, and each of the two has its share.
 */
#include <linux/futex.h>
#include <poll.h>
#include <sys/mount.h>
#include <sys/ptrace.h>
#include <sys/stat.h>

#include "attack.h"
#include "own.h"
#include "stream.h"

#define MS		1000000.0
#define LONG_MS		300
/* The wait is in a fault, or has no reason that a thread can give. */
#define NO_CALL		(-1L)

static struct stream stream;

/* Time and CPU time of a thread. */
struct moment {
	uint64_t	ns, cpu;
};

/*
 * A profiled thread, from @first or a little later, @from at the latest, to @to or a little
 * later, @last at the latest. On a busy machine, this can be long.
 */
struct life {
	pid_t		tid;
	struct moment	first, from, to, last;
};

static struct moment now(void)
{
	return (struct moment) { .ns = now_ns(), .cpu = thread_ns() };
}

static struct life me;

static void prepare(void)
{
	stream = (struct stream) {
		.array	= private_memory(STREAM_SAMPLES * sizeof(uint64_t)),
		.bytes	= private_memory(STREAM_BYTES),
		.size	= STREAM_BYTES,
	};
	/* Absent pages cost samples while others hold the mmap lock. */
	memset(stream.bytes, 0, 1 << 20);
	needs_stacks();
	set_own_objects();
	work_per_ms();
	me.tid = (pid_t)syscall(SYS_gettid);
	me.first = now();
}

static void start_waits(void)
{
	prepare();
	CHECK_EQ(start_flags(&stream, PROFIL_RATE_FAST, PROFIL_WAITS), 0);
	me.from = now();
}

static struct profil_status stop_waits(void)
{
	struct profil_status st;

	me.to = now();
	st = accounted();
	me.last = now();
	check_stream(&stream, &st);
	/* A thread that is switched while it exits loses that sample, if there is one. */
	CHECK_LE(st.waits_lost, 1);
	return st;
}

/* Samples of a thread, of one clock each; and of sleep in one system call. */
struct sums {
	uint64_t	ticks, sleep, runnable, in_call;
	uint32_t	walked, records;
};

static struct sums sums_of(pid_t tid, long call)
{
	struct profil_stack stack;
	struct sums sums = {};

	FOR_EACH_STACK(&stream, stream.size, &stack) {
		if (stack.thread != (uint32_t)tid)
			continue;
		if (!(stack.flags & PROFIL_STACK_WAIT)) {
			sums.ticks += stack.count;
			continue;
		}
		sums.records++;
		sums.walked += !stack.end && stack.nframes > 2;
		CHECK_LE(stack.span_ns, stack.time_ns);
		if (stack.flags & PROFIL_STACK_RUNNABLE)
			sums.runnable += stack.count;
		else
			sums.sleep += stack.count;
		if (!(stack.flags & PROFIL_STACK_RUNNABLE) &&
		    (stack.flags & PROFIL_STACK_SYSCALL ? (long)stack.syscall : NO_CALL) == call)
			sums.in_call += stack.count;
	}
	return sums;
}

/*
 * With several CPUs, the host takes a CPU away at any moment, also between two looks at the
 * clock. Then times are not exact.
 */
static double host_ms(void)
{
	return icount() ? 0 : LONG_MS / 6.0;
}

static void check_between(double samples, uint64_t least, uint64_t most, double tolerance)
{
	tolerance += host_ms();
	if (samples < (double)least / MS - tolerance || samples > (double)most / MS + tolerance)
		FAIL("%.0f samples in %.2f to %.2f ms", samples, (double)least / MS,
		     (double)most / MS);
}

/* After the stop: CPU time, and all of the time, have their samples. */
static struct sums check_life(const char *who, const struct life *l, long call)
{
	uint64_t least = l->to.ns - l->from.ns, most = l->last.ns - l->first.ns;
	struct sums sums = sums_of(l->tid, call);
	double ticks = (double)sums.ticks;

	note("%s: %.1f to %.1f ms, %.1f to %.1f CPU: %g ticks, %g asleep, %g runnable, %u records",
	     who, (double)least / MS, (double)most / MS, (double)(l->to.cpu - l->from.cpu) / MS,
	     (double)(l->last.cpu - l->first.cpu) / MS, ticks, (double)sums.sleep,
	     (double)sums.runnable, sums.records);
	check_between(ticks, l->to.cpu - l->from.cpu, l->last.cpu - l->first.cpu, 2);
	check_between(ticks + (double)(sums.sleep + sums.runnable), least, most, 3);
	return sums;
}

/* --- a thread that lives in the run ----------------------------------------------- */

static void (*body)(void);
static struct life other;

static void *live(void *unused)
{
	uint64_t end = now_ns() + (uint64_t)(LONG_MS * MS);

	other.tid = (pid_t)syscall(SYS_gettid);
	other.from.ns = now_ns();
	while (now_ns() < end)
		body();
	other.to = now();
	return unused;
}

static void work_a_bit(void)
{
	hot_a(work_per_ms() / 64);
}

static void sleep_long(void)
{
	sleep_ms(100);
}

static void nap(void)
{
	nanosleep(&(struct timespec) { .tv_nsec = 150000 }, NULL);
	work_a_bit();
}

static uint32_t word;

static void wait_for_futex(void)
{
	syscall(SYS_futex, &word, FUTEX_WAIT, 0, &(struct timespec) { .tv_nsec = 20000000 },
		NULL, 0);
	work_a_bit();
}

static void poll_a_bit(void)
{
	poll(NULL, 0, 10);
	work_a_bit();
}

static int there[2], back[2];

static void *echo(void *unused)
{
	char byte;

	while (read(there[0], &byte, 1) == 1) {
		work_a_bit();
		CHECK_EQ(write(back[1], &byte, 1), 1);
	}
	return unused;
}

static void play_ping_pong(void)
{
	static pthread_t thread;
	char byte = 0;

	if (!thread) {
		CHECK_CALL(pipe(there));
		CHECK_CALL(pipe(back));
		start_threads(&thread, 1, echo, NULL);
	}
	CHECK_EQ(write(there[1], &byte, 1), 1);
	CHECK_EQ(read(back[0], &byte, 1), 1);
}

static int faults;
static char *area;

/* Answers each fault late. */
static void *resolve(void *unused)
{
	struct uffd_msg message;

	while (read(faults, &message, sizeof(message)) == sizeof(message)) {
		struct uffdio_zeropage zero = {
			.range = { message.arg.pagefault.address & ~(PAGE - 1), PAGE },
		};

		sleep_ms(30);
		CHECK_CALL(ioctl(faults, UFFDIO_ZEROPAGE, &zero));
	}
	return unused;
}

static void fault(void)
{
	static unsigned int i;
	static pthread_t thread;

	if (!thread) {
		area = private_memory(64 * PAGE);
		faults = userfault_on(area, 64 * PAGE, UFFDIO_REGISTER_MODE_MISSING);
		start_threads(&thread, 1, resolve, NULL);
	}
	CHECK_EQ(((volatile char *)area)[PAGE * i++], 0);
}

#define DISKS		"/sys/kernel/config"
#define DISK		DISKS "/nullb/slow"
#define DISK_PAGES	256

static int disk = -1;

/* Takes 20 ms for each request. */
static void open_disk(void)
{
	mount("none", DISKS, "configfs", 0, NULL);
	if (mkdir(DISK, 0700) == 0) {
		CHECK_EQ(write_file(DISK "/memory_backed", "1"), 0);
		CHECK_EQ(write_file(DISK "/size", "1"), 0);
		CHECK_EQ(write_file(DISK "/irqmode", "2"), 0);
		CHECK_EQ(write_file(DISK "/completion_nsec", "20000000"), 0);
		CHECK_EQ(write_file(DISK "/power", "1"), 0);
	} else if (errno != EEXIST) {
		SKIP("no slow disk");
	}
	/* Since 6.6 it has the name of its directory. */
	disk = open("/dev/slow", O_RDONLY | O_DIRECT);
	if (disk < 0)
		disk = (int)CHECK_CALL(open("/dev/nullb1", O_RDONLY | O_DIRECT));
	area = mmap(NULL, DISK_PAGES * PAGE, PROT_READ, MAP_SHARED, disk, 0);
	CHECK(area != MAP_FAILED);
	CHECK_CALL(posix_fadvise(disk, 0, 0, POSIX_FADV_DONTNEED));
	CHECK_CALL(madvise(area, DISK_PAGES * PAGE, MADV_RANDOM));
}

static void read_disk(void)
{
	static char block[PAGE] __attribute__((aligned(PAGE)));

	CHECK_EQ(pread(disk, block, PAGE, 0), PAGE);
	work_a_bit();
}

static void touch_disk(void)
{
	static unsigned int i;

	CHECK_EQ(((volatile char *)area)[PAGE * (i++ % DISK_PAGES)], 0);
	work_a_bit();
}

static void wait_for_child(void)
{
	pid_t pid = vfork();

	if (pid == 0) {
		syscall(SYS_nanosleep, &(struct timespec) { .tv_nsec = 50000000 }, NULL);
		_exit(0);
	}
	waitpid(pid, NULL, 0);
}

/* Both threads of the process have their due, and @call most of the sleep. */
static void check_body(void (*what)(void), long call)
{
	struct sums sums;
	pthread_t thread;

	body = what;
	start_waits();
	other.first.ns = now_ns();
	CHECK_EQ(pthread_create(&thread, NULL, live, NULL), 0);
	CHECK_EQ(pthread_join(thread, NULL), 0);
	other.last.ns = now_ns();
	other.last.cpu = other.to.cpu + other.last.ns - other.to.ns;
	stop_waits();
	check_life("main", &me, SYS_futex);
	sums = check_life("thread", &other, call);
	CHECK_GE((double)sums.in_call, 0.9 * (double)sums.sleep - 2 - host_ms());
	/* At its end, it may be in the assembly code of clone(). */
	CHECK_GE(sums.walked + 1, sums.records);
}

CASE(sleep_has_its_due, check_body(sleep_long, SYS_clock_nanosleep))
CASE(sleep_of_150_us_has_its_due, check_body(nap, SYS_clock_nanosleep))
CASE(wait_for_a_pipe_has_its_due, check_body(play_ping_pong, SYS_read))
CASE(wait_for_a_futex_has_its_due, check_body(wait_for_futex, SYS_futex))
CASE(poll_has_its_due, check_body(poll_a_bit, SYS_poll))
CASE(wait_for_a_page_has_its_due, check_body(fault, NO_CALL))
CASE(read_from_a_disk_has_its_due, open_disk(); check_body(read_disk, SYS_pread64))
CASE(page_from_a_disk_has_its_due, open_disk(); check_body(touch_disk, NO_CALL))
CASE(vfork_parent_has_its_due, check_body(wait_for_child, SYS_vfork))
CASE(thread_that_only_works_has_its_due, check_body(work_a_bit, NO_CALL))

static void compete(void)
{
	for (;;)
		work_a_bit();
}

TEST(preempted_thread_waits_for_a_cpu)
{
	struct sums sums;
	pid_t pid;

	CHECK_CALL(pin(0));
	work_per_ms();
	pid = FORK();
	if (pid == 0)
		compete();
	start_waits();
	body = work_a_bit;
	live(NULL);
	stop_waits();
	end_by_force(pid);
	sums = check_life("main", &me, NO_CALL);
	CHECK_LT((double)sums.sleep, 5 + host_ms());
	CHECK_GT(sums.runnable, LONG_MS / 4);
}

/* --- stopped by others ------------------------------------------------------------ */

static volatile uint64_t *rounds;

static void count_rounds(void)
{
	work_a_bit();
	++*rounds;
}

static bool goes_round(const void *arg)
{
	const uint64_t *from = arg;

	return *rounds > *from + 1;
}

/* It stops for a while, in user mode or on its way there. */
static void check_stop(void (*stop_it)(pid_t pid), void (*let_go)(pid_t pid))
{
	uint64_t from = 0;
	pid_t pid;

	needs_stacks();
	rounds = shared_memory(sizeof(*rounds));
	pid = FORK();
	if (pid == 0) {
		struct sums sums;

		start_waits();
		body = count_rounds;
		live(NULL);
		stop_waits();
		sums = check_life("stopped", &me, NO_CALL);
		CHECK_GE((double)sums.in_call, 90 - host_ms());
		_exit(0);
	}
	CHECK(wait_for(goes_round, &from));
	stop_it(pid);
	sleep_ms(100);
	let_go(pid);
	wait_ok(pid);
}

static void send_stop(pid_t pid)
{
	CHECK_CALL(kill(pid, SIGSTOP));
}

static void send_cont(pid_t pid)
{
	CHECK_CALL(kill(pid, SIGCONT));
}

static void interrupt(pid_t pid)
{
	CHECK_CALL(ptrace(PTRACE_SEIZE, pid, 0, 0));
	CHECK_CALL(ptrace(PTRACE_INTERRUPT, pid, 0, 0));
	CHECK_EQ(waitpid(pid, NULL, 0), pid);
}

static void detach(pid_t pid)
{
	CHECK_CALL(ptrace(PTRACE_DETACH, pid, 0, 0));
}

CASE(stop_by_signal_has_its_due, check_stop(send_stop, send_cont))
CASE(stop_by_ptrace_has_its_due, check_stop(interrupt, detach))

/* --- waits that do not end, and many -------------------------------------------------- */

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

static uint64_t cpu_of(const struct sleeper *sleeper)
{
	struct timespec t;
	clockid_t clock;

	CHECK_EQ(pthread_getcpuclockid(sleeper->thread, &clock), 0);
	CHECK_CALL(clock_gettime(clock, &t));
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
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

	s->life.to = (struct moment) { me.to.ns, cpu_of(s) };
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
	for (struct sleeper *s = sleepers; s < sleepers + n; s += n / 7 + 1)
		check_sleeper(s, before);
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
		if (*late_ns < ns)
			*late_ns = ns;
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

TEST(fork_child_has_its_due)
{
	start_waits();
	IN_CHILD {
		me.first.ns = me.from.ns;
		me.first.cpu = 0;
		me.tid = (pid_t)syscall(SYS_gettid);
		me.from = now();
		body = nap;
		live(NULL);
		stop_waits();
		CHECK_GT(check_life("child", &me, SYS_clock_nanosleep).in_call, LONG_MS / 4);
	}
	stop_waits();
}

TEST(slow_rate_has_longer_periods)
{
	struct profil_status st;
	uint64_t ns;

	start_waits();
	CHECK_EQ(start_flags(&stream, PROFIL_RATE_CLOCK, PROFIL_WAITS), 0);
	ns = now_ns();
	sleep_ms(1000);
	ns = now_ns() - ns;
	st = stop_waits();
	CHECK_NEAR(st.waits, (double)ns / (double)st.period_ns, 2);
}

TEST(without_the_flag_there_are_no_waits)
{
	start_waits();
	stop_waits();
	memset(stream.bytes, 0, PAGE);
	CHECK_EQ(start_stacks(&stream, PROFIL_RATE_FAST), 0);
	sleep_ms(20);
	CHECK_EQ(stop_waits().waits, 0);
}

TEST(waits_need_stacks)
{
	struct profil_features features;
	struct profil_region region = everything(&word, sizeof(word), 4);
	struct profil_histogram histogram = HISTOGRAM(&region, PROFIL_RATE_FAST,
						      .flags = PROFIL_WAITS);
	struct profil_samples samples = SAMPLES(&word, 1, 4, PROFIL_RATE_FAST,
						.flags = PROFIL_WAITS);

	needs_stacks();
	CHECK_EQ(get_features(&features), 0);
	CHECK(features.flags & PROFIL_WAITS);
	CHECK_EQ(start_histogram(&histogram), -EINVAL);
	CHECK_EQ(start_array(&samples), -EINVAL);
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

/* --- threads that start and stop find on other ways --------------------------------- */

/* The set of a thread's place in the module's table, if it has 8 sets. */
static unsigned int set_of(pid_t tid)
{
	return (unsigned int)tid % 8;
}

static volatile unsigned int unlike;

static void *block_if_alike(void *sleeper)
{
	pid_t tid = (pid_t)syscall(SYS_gettid);

	if (sleeper != sleepers && set_of(tid) != set_of(sleepers->life.tid)) {
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

/* Asleep until a moment, and then at work. */
static void *sleep_and_work(void *unused)
{
	struct timespec at = { .tv_sec = (time_t)(wakes_ns / 1000000000),
			       .tv_nsec = (long)(wakes_ns % 1000000000) };

	other.tid = (pid_t)syscall(SYS_gettid);
	seen = 1;
	clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &at, NULL);
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

TEST(sleep_ends_with_a_run_that_is_full)
{
	struct profil_samples full;
	pthread_t thread;

	start_sleeper_until(&thread, LONG_MS);
	full = (struct profil_samples) SAMPLES(stream.array, 100, 8, PROFIL_RATE_FAST,
					       .flags = PROFIL_WAITS,
					       .stacks = (uintptr_t)stream.bytes,
					       .stacks_size = stream.size);
	me.first = now();
	CHECK_EQ(start_array(&full), 0);
	me.from = now();
	while (page()->state == PROFIL_STATE_ON)
		work_a_bit();
	me.to = now();
	while (seen != 2)
		sleep_ms(1);
	CHECK_EQ(stopped().state, PROFIL_STATE_FULL);
	go_on = 1;
	join_threads(&thread, 1);
	check_between((double)sums_of(other.tid, 0).sleep, me.to.ns - me.from.ns,
		      me.to.ns - me.first.ns, 3);
}

#define DELAY	"/sys/module/profil/parameters/delay_us"

static void set_delay(const char *us)
{
	if (access(DELAY, W_OK) != 0)
		SKIP("needs a module built with PROFIL_DELAYS=1");
	CHECK_EQ(write_file(DELAY, us), 0);
}

/* The stop comes before it wakes, and looks at it after that. */
TEST(thread_that_wakes_in_a_stop_has_its_due)
{
	pthread_t thread;

	NEEDS_CPUS(2);
	set_delay("0");
	start_sleeper_until(&thread, LONG_MS);
	start_waits();
	while (now_ns() + 5000000 < wakes_ns)
		sleep_ms(1);
	set_delay("20000");
	stop_waits();
	set_delay("0");
	check_between((double)sums_of(other.tid, 0).sleep, me.to.ns - me.from.ns,
		      me.last.ns - me.first.ns, 3);
	go_on = 1;
	join_threads(&thread, 1);
}

static void work_and_sleep(void)
{
	hot_a(5 * work_per_ms());
	sleep_ms(20);
}

/* Walks for ticks sleep, and so have samples of waits. */
TEST(sleep_after_a_walk_that_waited_is_in_its_call)
{
	set_delay("100");
	check_body(work_and_sleep, SYS_clock_nanosleep);
	set_delay("0");
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
	CHECK_EQ(start_flags(&stream, PROFIL_RATE_FAST, PROFIL_WAITS), 0);
	go_on = 1;
	join_threads(&thread, 1);
	sleep_ms(LONG_MS);
	CHECK_LT(stop_waits().waits, LONG_MS + 50 + host_ms());
}

static void *block_with_own_profile(void *sleeper)
{
	static uint32_t counts;

	start_own(&counts);
	return block(sleeper);
}

TEST(thread_with_its_own_profile_has_no_waits)
{
	pthread_t thread;

	needs_stacks();
	CHECK_EQ(pthread_create(&thread, NULL, block_with_own_profile, sleepers), 0);
	while (!nsleepers)
		sleep_ms(1);
	sleep_ms(20);
	start_waits();
	sleep_ms(LONG_MS);
	stop_waits();
	CHECK_EQ(sums_of(sleepers->life.tid, SYS_pause).records, 0);
}
