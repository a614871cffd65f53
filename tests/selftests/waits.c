// SPDX-License-Identifier: LGPL-2.1-or-later
/* Whatever a thread waits for, its samples are its lifetime: see waits.h. */
#include <linux/futex.h>
#include <poll.h>
#include <sys/mount.h>
#include <sys/ptrace.h>

#include "bounded.h"
#include "waits.h"

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

static void sleep_long(void)
{
	sleep_ms(100);
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
	threads_that_exit++;
	if (vfork() == 0) {
		syscall(SYS_nanosleep, &(struct timespec) { .tv_nsec = 50000000 }, NULL);
		_exit(0);
	}
}

/* Both threads of the process have their due, and @call most of the sleep. */
static void check_body(void (*what)(void), long call)
{
	struct sums sums;

	body = what;
	start_waits();
	other.first.ns = now_ns();
	join_thread(start_thread(live, NULL));
	other.last.ns = now_ns();
	other.last.cpu = other.to.cpu + other.last.ns - other.to.ns;
	stop_waits();
	check_life("main", &me, SYS_futex);
	sums = check_life("thread", &other, call);
	CHECK_GE((double)sums.in_call, 0.9 * (double)sums.sleep - 2 - host_ms());
	CHECK_EQ(sums.walked, sums.records);
}

static void work_and_sleep(void)
{
	hot_a(5 * work_per_ms());
	sleep_ms(20);
}

CASE(sleep_has_its_due, check_body(sleep_long, SYS_clock_nanosleep))
CASE(sleep_of_150_us_has_its_due, check_body(nap, SYS_clock_nanosleep))
CASE(wait_for_a_pipe_has_its_due, check_body(play_ping_pong, SYS_read))
CASE(wait_for_a_futex_has_its_due, check_body(wait_for_futex, SYS_futex))
CASE(poll_has_its_due, check_body(poll_a_bit, SYS_poll))
CASE(wait_for_a_page_has_its_due, check_body(fault, NO_CALL))
CASE(read_from_a_disk_has_its_due, open_disk(); check_body(read_disk, SYS_pread64))
CASE(page_from_a_disk_has_its_due, open_disk(); check_body(touch_disk, NO_CALL))
/* To wait for its end is another call, which takes long on a busy machine. */
CASE(vfork_parent_has_its_due, signal(SIGCHLD, SIG_IGN); check_body(wait_for_child, SYS_vfork))
CASE(thread_that_only_works_has_its_due, check_body(work_a_bit, NO_CALL))

/* Walks for ticks sleep, and so have samples of waits. */
TEST(sleep_after_a_walk_that_waited_is_in_its_call)
{
	set_delay("100");
	check_body(work_and_sleep, SYS_clock_nanosleep);
	set_delay("0");
}

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
	/* Time in which the host has the CPU is one thread's CPU time: none waits then. */
	do {
		work_a_bit();
		me.to = now();
	} while (me.to.ns - me.from.ns < me.to.cpu - me.from.cpu + (uint64_t)(LONG_MS / 3 * MS));
	stop_waits();
	end_by_force(pid);
	sums = check_life("main", &me, NO_CALL);
	CHECK_LT((double)sums.sleep, 5 + host_ms());
	CHECK_GT(sums.runnable, LONG_MS / 4);
}

struct victim {
	volatile uint64_t rounds;
	volatile bool goes_on;
};

static bool goes_round(const void *v)
{
	return ((const struct victim *)v)->rounds > 1;
}

/* It stops for a while, in user mode or on its way there. */
static void check_stop(bool traced)
{
	struct victim *v = shared_memory(sizeof(*v));
	pid_t pid;

	needs_stacks();
	pid = FORK();
	if (pid == 0) {
		struct sums sums;

		start_waits();
		for (; !v->goes_on || now_ns() < me.from.ns + (uint64_t)(LONG_MS * MS); v->rounds++)
			work_a_bit();
		stop_waits();
		sums = check_life("stopped", &me, NO_CALL);
		CHECK_GE((double)sums.in_call, 90 - host_ms());
		_exit(0);
	}
	CHECK(wait_for(goes_round, v));
	CHECK_CALL(traced ? ptrace(PTRACE_SEIZE, pid, 0, 0) : kill(pid, SIGSTOP));
	if (traced)
		CHECK_CALL(ptrace(PTRACE_INTERRUPT, pid, 0, 0));
	CHECK_EQ(waitpid(pid, NULL, WUNTRACED), pid);
	sleep_ms(100);
	CHECK_CALL(traced ? ptrace(PTRACE_DETACH, pid, 0, 0) : kill(pid, SIGCONT));
	v->goes_on = true;
	wait_ok(pid);
}

CASE(stop_by_signal_has_its_due, check_stop(false))
CASE(stop_by_ptrace_has_its_due, check_stop(true))

TEST(fork_child_has_its_due)
{
	start_waits();
	IN_CHILD {
		me.first.ns = me.from.ns;
		me.first.cpu = 0;
		me.tid = (pid_t)syscall(SYS_gettid);
		me.from = now();
		body = sleep_long;
		live(NULL);
		stop_waits();
		CHECK_GT(check_life("child", &me, SYS_clock_nanosleep).in_call, LONG_MS / 4);
	}
	stop_waits();
}

TEST(slow_rate_has_longer_periods)
{
	struct profil_status st;

	start_waits();
	me.first = now();
	CHECK_EQ(start_flags(&stream, PROFIL_RATE_CLOCK, PROFIL_WAITS), 0);
	me.from = now();
	sleep_ms(1000);
	st = stop_waits();
	/* Two more or less than there are periods outside of its CPU time. */
	CHECK_GE((st.waits + 2) * st.period_ns,
		 me.to.ns - me.from.ns - (me.last.cpu - me.first.cpu));
	CHECK_LE(st.waits * st.period_ns,
		 me.last.ns - me.first.ns - (me.to.cpu - me.from.cpu) + 2 * st.period_ns);
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
