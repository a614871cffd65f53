// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Interrupts and profiling. Softirqs of a process's own calls are its CPU time. Starts
 * leave other CPUs alone. Threads that run already get samples nevertheless. Many
 * processes cause no more timer interrupts than the timers of one process.
 */
#include <arpa/inet.h>
#include <sys/socket.h>
#include <linux/perf_event.h>

#include "hook.h"

#define MS		1000000ULL
#define MOST_CPUS	16
#define DISK_BYTES	0x200000

static uint32_t counts[2];

/* Two connected sockets of the loopback device, which delivers in a softirq. */
static void make_loopback(int type, int fd[2])
{
	struct sockaddr_in addr[2];
	socklen_t size = sizeof(addr[0]);
	int listener;

	for (int i = 0; i < 2; i++) {
		addr[i] = (struct sockaddr_in) {
			.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK),
		};
		CHECK_CALL(fd[i] = socket(AF_INET, type, 0));
		CHECK_CALL(bind(fd[i], (struct sockaddr *)&addr[i], size));
		CHECK_CALL(getsockname(fd[i], (struct sockaddr *)&addr[i], &size));
	}
	if (type == SOCK_STREAM) {
		listener = fd[1];
		CHECK_CALL(listen(listener, 1));
		CHECK_CALL(connect(fd[0], (struct sockaddr *)&addr[1], size));
		CHECK_CALL(fd[1] = accept(listener, NULL, NULL));
		return;
	}
	CHECK_CALL(connect(fd[0], (struct sockaddr *)&addr[1], size));
	CHECK_CALL(connect(fd[1], (struct sockaddr *)&addr[0], size));
}

static void make_local(int type, int fd[2])
{
	CHECK_CALL(socketpair(AF_UNIX, type, 0, fd));
}

static void make_pipe(int type, int fd[2])
{
	int end[2];

	CHECK_CALL(pipe2(end, type));
	fd[0] = end[1];
	fd[1] = end[0];
}

/* A file that is written through to the disk, which is memory. */
static void make_disk(int type, int fd[2])
{
	CHECK_CALL(fd[0] = open("/dev/ram1", O_WRONLY | type));
	CHECK_CALL(fd[1] = open("/dev/ram1", O_RDONLY));
}

struct load {
	const char	*name;
	void		(*make)(int type, int fd[2]);
	int		type;
};

static void send_to_itself(const int fd[2])
{
	static char text[4096];

	CHECK_EQ(write(fd[0], text, sizeof(text)), sizeof(text));
	for (size_t n = 0; n < sizeof(text);) {
		ssize_t got = read(fd[1], text, sizeof(text));

		CHECK_GT(got, 0);
		n += (size_t)got;
	}
	/* A disk has an end. */
	if (lseek(fd[0], 0, SEEK_CUR) >= DISK_BYTES)
		CHECK_CALL(lseek(fd[0], 0, SEEK_SET) | lseek(fd[1], 0, SEEK_SET));
}

/* perf samples the caller, once in each @period_ns. Its samples are headers only. */
static struct perf_event_mmap_page *start_perf(uint64_t period_ns)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE, .size = sizeof(attr),
		.config = PERF_COUNT_SW_CPU_CLOCK, .sample_period = period_ns,
	};
	int fd = (int)CHECK_CALL(syscall(SYS_perf_event_open, &attr, 0, -1, -1, 0));
	void *ring = mapped(NULL, 2 * PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, fd);

	CHECK_CALL(close(fd));
	return ring;
}

static uint64_t end_perf(struct perf_event_mmap_page *ring)
{
	uint64_t n = ring->data_head / sizeof(struct perf_event_header);

	CHECK_CALL(munmap(ring, 2 * PAGE));
	return n;
}

/* Within 1%. */
static bool is_near(uint64_t n, uint64_t due)
{
	return n * 100 >= due * 99 && n * 100 <= due * 101;
}

/* Samples in 0.4 s of CPU time in which the process sends messages to itself. */
static void check_samples_are_cpu_time(const struct load *load)
{
	struct perf_event_mmap_page *ring;
	uint64_t from, ns = 0, perfs, due;
	struct profil_status st;
	int fd[2];

	load->make(load->type, fd);
	start_tally(PROFIL_RATE_TICK);
	ring = start_perf(page()->period_ns);
	from = process_ns();
	while (ns < 400 * MS) {
		send_to_itself(fd);
		ns = process_ns() - from;
	}
	perfs = end_perf(ring);
	st = stopped();
	due = ns / st.period_ns;
	note("%s: %llu samples, %llu of perf, CPU time of %llu", load->name,
	     (unsigned long long)st.ticks, (unsigned long long)perfs, (unsigned long long)due);
	CHECK(is_near(st.ticks, due));
	/* perf counts interrupts whatever the kernel counts. */
	CHECK(getenv("IRQTIME") || is_near(perfs, due));
	CHECK_CALL(close(fd[0]));
	CHECK_CALL(close(fd[1]));
}

static bool has_sockets(int family)
{
	int fd = socket(family, SOCK_DGRAM, 0);

	return fd >= 0 && !close(fd);
}

TEST(softirqs_count_as_the_kernel_counts_cpu_time)
{
	static const struct load loads[] = {
		{ "pipe", make_pipe, 0 }, { "disk", make_disk, O_SYNC },
		{ "AF_UNIX", make_local, SOCK_STREAM }, { "TCP", make_loopback, SOCK_STREAM },
		{ "UDP", make_loopback, SOCK_DGRAM },
	};

	NEEDS_ICOUNT();
	NEEDS_ROOT();
	for (size_t i = 0; i < (has_sockets(AF_INET) ? 5 : has_sockets(AF_UNIX) ? 3 : 2); i++)
		check_samples_are_cpu_time(&loads[i]);
	if (!has_sockets(AF_INET))
		SKIP("no IPv4 in this kernel");
}

/* Makes a process that is profiled and sleeps. */
static void keep_profiled(void)
{
	volatile bool *ready = shared_memory(1);

	if (FORK() == 0) {
		start_tally(PROFIL_RATE_FAST);
		*ready = true;
		for (;;)
			pause();
	}
	while (!*ready)
		sleep_ms(1);
}

#define STARTS	4000

static unsigned int starts(void)
{
	return STARTS / slowness();
}

static void start_often(unsigned int rate, unsigned int n)
{
	while (n--)
		start_tally(rate);
}

/*
 * Starts on CPU 0 must not show in what other CPUs are called for: one call for
 * each start would. Wake-ups of the kernel's own threads do, a little.
 */
static void check_starts_are_quiet(unsigned int rate)
{
	uint64_t before[MOST_CPUS];

	for (unsigned int cpu = 1; cpu < cpus() && cpu < MOST_CPUS; cpu++)
		before[cpu] = function_calls(cpu);
	start_often(rate, starts());
	for (unsigned int cpu = 1; cpu < cpus() && cpu < MOST_CPUS; cpu++)
		CHECK_LE(function_calls(cpu) - before[cpu], starts() / 2);
}

TEST(starts_do_not_interrupt_cpus_that_do_not_run_the_process)
{
	NEEDS_CPUS(2);
	CHECK_CALL(pin(0));
	keep_profiled();
	for (unsigned int rate = 0; rate < 3; rate++)
		check_starts_are_quiet(rate);
}

static volatile bool spin_end, spinning;

static void *spin_on_cpu_1(void *unused)
{
	CHECK_CALL(pin(1));
	have_the_cpu(true);
	spinning = true;
	while (!spin_end)
		hot_b(10000);
	return unused;
}

/* A thread that runs on CPU 1 and never sleeps, beside us on CPU 0. */
static pthread_t start_spinner(void)
{
	pthread_t thread;

	CHECK_CALL(pin(0));
	spin_end = spinning = false;
	thread = start_thread(spin_on_cpu_1, NULL);
	while (!spinning)
		sleep_ms(1);
	return thread;
}

static void end_spinner(pthread_t thread)
{
	spin_end = true;
	join_thread(thread);
}

TEST(starts_hardly_interrupt_a_cpu_that_runs_the_process)
{
	pthread_t thread;

	NEEDS_CPUS(2);
	keep_profiled();
	thread = start_spinner();
	for (unsigned int rate = 0; rate < 3; rate++)
		check_starts_are_quiet(rate);
	end_spinner(thread);
}

/*
 * Both run all the time, so they get the same number of samples, but for what a
 * busy host takes from one; nearly none if the other thread is not found.
 */
static void check_spinner_is_seen(unsigned int rate)
{
	uint64_t here = 0, there = 0;

	for (int i = 0; i < 10; i++) {
		/* The timer that runs over there finds nothing, and ends. */
		work_ms(30);
		start_often(rate, 50 / slowness());
		start_both(counts, rate);
		work_ms(300);
		stopped();
		here += counts[0];
		there += counts[1];
	}
	note("rate %u: %llu samples of the thread that started, %llu of the other",
	     rate, (unsigned long long)here, (unsigned long long)there);
	CHECK_GE(there * 4, here);
}

TEST(thread_on_another_cpu_is_sampled_however_often_it_starts)
{
	pthread_t thread;

	NEEDS_CPUS(2);
	thread = start_spinner();
	check_spinner_is_seen(PROFIL_RATE_FAST);
	check_spinner_is_seen(PROFIL_RATE_TICK);
	end_spinner(thread);
}

/* Threads that only wait, older than the one that works. */
#define SLEEPERS	4500
#define SLEEPER_STACK	((size_t)256 << 10)

static void *sleep_for_ever(void *unused)
{
	for (;;)
		pause();
	return unused;
}

/*
 * Their stacks are one mapping: kernels that check an address space whenever it changes
 * take minutes for thousands of mappings.
 */
static void start_sleepers(void)
{
	char *stacks = mapped(NULL, SLEEPERS * SLEEPER_STACK, PROT_READ | PROT_WRITE,
			      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1);
	pthread_attr_t attr;
	pthread_t thread;

	/* Where there are huge pages, each stack would be a part of one. */
	madvise(stacks, SLEEPERS * SLEEPER_STACK, MADV_NOHUGEPAGE);
	CHECK_EQ(pthread_attr_init(&attr), 0);
	for (unsigned int i = 0; i < SLEEPERS; i++) {
		CHECK_EQ(pthread_attr_setstack(&attr, stacks + i * SLEEPER_STACK,
					       SLEEPER_STACK), 0);
		CHECK_EQ(pthread_create(&thread, &attr, sleep_for_ever, NULL), 0);
	}
}

TEST(thread_that_runs_on_another_cpu_is_sampled_among_4500)
{
	pthread_t thread;

	NEEDS_CPUS(2);
	NEEDS_ROOT();
	/* What there may be follows from the memory, and kernels for debugging take more. */
	CHECK_CALL(write_file("/proc/sys/kernel/threads-max", "16384"));
	start_sleepers();
	thread = start_spinner();
	check_spinner_is_seen(PROFIL_RATE_TICK);
	end_spinner(thread);
}

/* A thread that waits behind the spinner for its CPU, until it is taken from there. */
static volatile bool queued;

static void *queue_on_cpu_1(void *arg)
{
	CHECK_EQ(pthread_setschedparam(pthread_self(), SCHED_OTHER, &(struct sched_param) {}), 0);
	for (;;) {
		while (!queued)
			sleep_ms(1);
		CHECK_CALL(pin(1));
		queued = false;
	}
	return arg;
}

static void move_to_cpu_0(pthread_t thread)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(0, &set);
	CHECK_EQ(pthread_setaffinity_np(thread, sizeof(set), &set), 0);
}

/*
 * The other one is noted for CPU 1 last, and is not there any more. False: the spinner has
 * hardly run, as the kernel takes the CPU from what never sleeps, or the host does.
 */
static bool run_spinner_without(pthread_t other, pthread_t spinner)
{
	uint64_t ns;

	queued = true;
	work_ms(30);
	/* What comes soon after this one's interrupts waits for some time. */
	start_both(counts, PROFIL_RATE_TICK);
	work_ms(5);
	stopped();
	work_ms(15);
	start_both(counts, PROFIL_RATE_TICK);
	ns = ns_of(spinner);
	move_to_cpu_0(other);
	work_ms(300);
	stopped();
	while (queued)
		sleep_ms(1);
	return ns_of(spinner) - ns >= 200 * MS;
}

TEST(thread_that_runs_is_sampled_when_one_that_waited_leaves)
{
	pthread_t spinner, other;
	unsigned int seen = 0, runs = 0;

	NEEDS_CPUS(2);
	spinner = start_spinner();
	other = start_thread(queue_on_cpu_1, NULL);
	while (runs < 10) {
		if (!run_spinner_without(other, spinner))
			continue;
		runs++;
		seen += counts[1] * 20 >= counts[0];
	}
	note("seen %u times of %u", seen, runs);
	CHECK_GE(seen, 8);
	end_spinner(spinner);
}

TEST(thread_that_never_sleeps_is_sampled_where_timers_serve)
{
	pthread_t thread;

	NEEDS_CPUS(2);
	NEEDS_ROOT();
	have_timers_serve();
	thread = start_spinner();
	start_both(counts, PROFIL_RATE_TICK);
	work_ms(1000);
	stopped();
	end_spinner(thread);
	have_the_hook_serve();
	note("%u samples of the thread that started, %u of the other", counts[0], counts[1]);
	CHECK_GE(counts[1] * 20, counts[0]);
}

/* A process of the kind, that switches to the next one all the time. */
static pid_t yielding(unsigned int rate, volatile bool *go)
{
	pid_t pid = FORK();

	if (pid)
		return pid;
	start_tally(rate);
	while (!*go)
		sched_yield();
	for (;;) {
		hot_a(1000);
		sched_yield();
	}
}

TEST(processes_that_take_turns_share_the_timers_interrupts)
{
	volatile bool *go = shared_memory(1);
	uint64_t before, after, ns;
	double per_second;

	NEEDS_ICOUNT();
	for (int i = 0; i < 4; i++) {
		yielding(PROFIL_RATE_FAST, go);
		yielding(PROFIL_RATE_FAST, go);
		yielding(PROFIL_RATE_TICK, go);
	}
	sleep_ms(100);
	*go = true;
	ns = now_ns();
	before = timer_interrupts(0);
	sleep_ms(1000);
	after = timer_interrupts(0);
	ns = now_ns() - ns;
	per_second = (after - before) * 1e9 / ns;
	/*
	 * 1000 in each second of two thirds, the tick, and some of the timer that is left to
	 * the other third.
	 */
	CHECK_LE(per_second, 1700 + 1e9 / features().period_ns[PROFIL_RATE_TICK]);
	CHECK_GE(per_second, 667);
}
