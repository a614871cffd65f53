// SPDX-License-Identifier: LGPL-2.1-or-later
/* Ways to profile; see method.h. */
#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include <linux/perf_event.h>

#include "measure.h"
#include "method.h"
#include "own_objects.h"

#define REGIONS		4096
#define BYSTANDERS	2000
#define SAMPLES		4096
#define COUNTERS	0x1000
/* Text that is counted: around the work. */
#define TEXT		((uintptr_t)measure_work & ~0xfffUL)

#define RING_PAGES	16
#define TICK_NS		4000000
#define CLOCK_NS	10000000

static int device = -1;
static struct profil_status *page;
static uint16_t counters[COUNTERS];
static uint64_t samples[SAMPLES];

void fail(const char *what)
{
	perror(what);
	exit(1);
}

/* --- the module -------------------------------------------------------------- */

static struct profil_region regions[REGIONS];

/* The first one is counted in, the others are somewhere else. */
static void fill_regions(void)
{
	for (unsigned int i = 0; i < REGIONS; i++) {
		regions[i] = (struct profil_region) {
			.buf = (uintptr_t)counters, .size = sizeof(counters),
			.offset = i ? TEXT + i * 0x10000ULL : TEXT, .scale = 0x10000,
			.width = sizeof(counters[0]),
		};
	}
}

static void start_histogram(unsigned int nregions, unsigned int rate)
{
	struct profil_histogram request = {
		.size = sizeof(request), .regions = (uintptr_t)regions,
		.nregions = nregions, .region_size = sizeof(regions[0]), .rate = rate,
	};

	if (ioctl(device, PROFIL_IOC_HISTOGRAM, &request))
		fail("PROFIL_IOC_HISTOGRAM");
	page = (void *)(uintptr_t)request.page;
}

/* What a page costs that is not there, or shared since a fork, is not asked. */
static void touch_counters(void)
{
	memset(counters, 0, sizeof(counters));
}

void start_regions(unsigned int n)
{
	touch_counters();
	start_histogram(n, PROFIL_RATE_TICK);
}

static void start_rate(unsigned int rate)
{
	touch_counters();
	start_histogram(1, rate);
}

static void start_array(unsigned int rate, unsigned int flags, void *stacks,
			unsigned int stacks_bytes)
{
	struct profil_samples request = {
		.size = sizeof(request), .buf = (uintptr_t)samples, .nsamples = SAMPLES,
		.width = sizeof(samples[0]), .rate = rate, .flags = flags,
		.stacks = stacks_bytes ? (uintptr_t)stacks : 0,
		.stacks_size = stacks_bytes,
	};

	if (ioctl(device, PROFIL_IOC_SAMPLES, &request))
		fail("PROFIL_IOC_SAMPLES");
	page = (void *)(uintptr_t)request.page;
}

/* --- stacks ---------------------------------------------------------------------- */

#define STREAM_BYTES	(1 << 20)

static unsigned char stream[STREAM_BYTES];

static void touch_memory(void)
{
	memset(samples, 0xff, sizeof(samples));
	memset(stream, 0, sizeof(stream));
}

void start_stacks(unsigned int bytes)
{
	touch_memory();
	start_array(PROFIL_RATE_TICK, 0, stream, bytes);
}

void start_stacks_at(unsigned int rate, unsigned int flags)
{
	touch_memory();
	start_array(rate, flags, stream, STREAM_BYTES);
}

uint64_t stack_bytes(void)
{
	return *(volatile __u64 *)&page->stack_bytes;
}

void tell_objects(void)
{
	static struct own_objects own;
	struct profil_object_table table = {
		.size = sizeof(table), .object_size = sizeof(own.object[0]),
		.objects = (uintptr_t)own.object,
	};

	own_objects_find(&own);
	table.nobjects = own.n;
	if (ioctl(device, PROFIL_IOC_OBJECTS, &table))
		fail("PROFIL_IOC_OBJECTS");
}

/* A frame has so much that what is copied of the stack is copied as a whole. */
__attribute__((noinline)) void with_frames(unsigned int frames, void (*what)(void))
{
	char room[1200];

	__asm__ volatile("" : : "r" (room) : "memory");
	if (frames)
		with_frames(frames - 1, what);
	else
		what();
	__asm__ volatile("" : : : "memory");	/* No tail call. */
}

/* The page is live. */
uint64_t profile_samples(void)
{
	return *(volatile __u64 *)&page->counted;
}

void stop_profile(void)
{
	struct profil_status status = { .size = sizeof(status) };

	if (ioctl(device, PROFIL_IOC_STOP, &status))
		fail("PROFIL_IOC_STOP");
	if (status.dropped) {
		fprintf(stderr, "a sample was dropped\n");
		exit(1);
	}
}

/*
 * A process that has been profiled keeps its profile, and is found in each tick,
 * as long as it maps the page.
 */
void forget_profile(void)
{
	if (page && munmap(page, getpagesize()))
		fail("munmap of the page");
	page = NULL;
}

/* --- others that are profiled, and sleep --------------------------------------- */

static pid_t bystanders[BYSTANDERS];
static unsigned int nbystanders;

static pid_t start_bystander(unsigned int rate)
{
	int ready[2];
	pid_t pid;
	char c;

	if (pipe(ready))
		fail("pipe");
	pid = fork();
	if (pid < 0)
		fail("fork");
	if (!pid) {
		start_rate(rate);
		close(ready[0]);
		close(ready[1]);
		pause();
		_exit(1);
	}
	close(ready[1]);
	if (read(ready[0], &c, 1))
		fail("read");
	close(ready[0]);

	return pid;
}

static void add_bystanders(unsigned int n, unsigned int rate)
{
	for (nbystanders = 0; nbystanders < n; nbystanders++)
		bystanders[nbystanders] = start_bystander(rate);
}

/* Beside them, this process is one that has nothing to do with profiling. */
void start_bystanders(unsigned int n, unsigned int rate)
{
	forget_profile();
	add_bystanders(n, rate);
}

static void start_bystanders_by_tick(unsigned int n)
{
	start_bystanders(n, PROFIL_RATE_TICK);
}

/* This process has been profiled, and is no more. */
static void start_bystanders_after_own(unsigned int n)
{
	start_regions(1);
	stop_profile();
	add_bystanders(n, PROFIL_RATE_TICK);
}

void stop_bystanders(void)
{
	int status;

	while (nbystanders) {
		pid_t pid = bystanders[--nbystanders];

		if (kill(pid, SIGKILL) || waitpid(pid, &status, 0) != pid ||
		    !WIFSIGNALED(status) || WTERMSIG(status) != SIGKILL)
			fail("a profiled process died too early");
	}
}

/* --- threads that wait, beside the one that works --------------------------------- */

static pthread_t thread[1023];
static unsigned int nthreads;
static sem_t end;

static void *wait_for_end(void *unused)
{
	while (sem_wait(&end))
		;
	return unused;
}

static void start_beside_threads(unsigned int n)
{
	for (nthreads = 0; nthreads < n; nthreads++)
		if (pthread_create(&thread[nthreads], NULL, wait_for_end, NULL))
			fail("pthread_create");
	start_regions(1);
}

static void stop_beside_threads(void)
{
	stop_profile();
	for (unsigned int i = 0; i < nthreads; i++)
		sem_post(&end);
	while (nthreads)
		pthread_join(thread[--nthreads], NULL);
}

/* --- libc's profil(): SIGPROF ---------------------------------------------------- */

typedef int profil_fn(unsigned short *buf, size_t size, size_t offset, unsigned int scale);
static profil_fn *libc_profil;

/* Whatever is preloaded. */
static void find_libc_profil(void)
{
	void *libc = dlopen("libc.so.6", RTLD_LAZY | RTLD_NOLOAD);

	if (libc)
		libc_profil = (profil_fn *)dlsym(libc, "profil");
	if (!libc_profil) {
		fprintf(stderr, "libc has no profil()\n");
		exit(1);
	}
}

/* 64 KiB of text to a counter: all of it is in the first one. */
static void start_libc(unsigned int unused)
{
	(void)unused;
	touch_counters();
	if (libc_profil(counters, sizeof(counters), TEXT, 2))
		fail("profil");
}

static uint64_t libc_samples(void)
{
	return *(volatile uint16_t *)counters;
}

static void stop_libc(void)
{
	libc_profil(NULL, 0, 0, 0);
}

/* --- perf_event_open(): the task clock, and a ring --------------------------------- */

static struct perf_event_mmap_page *ring;
static int perf = -1;

static void open_perf(struct perf_event_attr attr)
{
	attr.size = sizeof(attr);
	attr.type = PERF_TYPE_SOFTWARE;
	attr.config = PERF_COUNT_SW_TASK_CLOCK;
	perf = syscall(SYS_perf_event_open, &attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
	if (perf < 0)
		fail("perf_event_open");
	ring = mmap(NULL, (1 + RING_PAGES) * getpagesize(), PROT_READ | PROT_WRITE,
		    MAP_SHARED, perf, 0);
	if (ring == MAP_FAILED)
		fail("mmap of the perf ring");
}

void stop_perf(void)
{
	munmap(ring, (1 + RING_PAGES) * getpagesize());
	close(perf);
}

static void start_perf(unsigned int period)
{
	open_perf((struct perf_event_attr) {
		.sample_period = period, .sample_type = PERF_SAMPLE_IP });
}

static uint64_t perf_samples(void)
{
	return *(volatile __u64 *)&ring->data_head /
	       (sizeof(struct perf_event_header) + sizeof(uint64_t));
}

/* --- perf_event_open() with stacks, as perf record asks for them ----------------- */

/* Those that perf unwinds with: all; of x86-64, general registers, ip, flags, cs and ss. */
#ifdef __aarch64__
#define USER_REGISTERS	0x1ffffffffULL
#elif defined(__riscv)
#define USER_REGISTERS	0xffffffffULL
#else
#define USER_REGISTERS	0xff0fffULL
#endif
#define STACK_COPY	8192

/* Who, where, when, as in our records. */
#define STACK_SAMPLE	(PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME)

void start_perf_stacks(bool copy)
{
	open_perf((struct perf_event_attr) {
		.sample_period = TICK_NS, .sample_type = STACK_SAMPLE | (copy ?
			PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER : PERF_SAMPLE_CALLCHAIN),
		.sample_regs_user = copy ? USER_REGISTERS : 0,
		.sample_stack_user = copy ? STACK_COPY : 0 });
}

uint64_t perf_bytes(void)
{
	__u64 head = *(volatile __u64 *)&ring->data_head;

	/* Room for the next. */
	*(volatile __u64 *)&ring->data_tail = head;
	return head;
}

const struct method methods[] = {
	{ "histogram, 1 region, every tick", false,
	  start_regions, 1, profile_samples, stop_profile },
	{ "the same beside 1023 threads that wait", false,
	  start_beside_threads, 1023, profile_samples, stop_beside_threads },
	{ "sample array, every tick", false, start_stacks, 0, profile_samples, stop_profile },
	{ "histogram, 1 region, 100 per second", false,
	  start_rate, PROFIL_RATE_CLOCK, profile_samples, stop_profile },
	{ "another process is profiled", false,
	  start_bystanders_by_tick, 1, NULL, stop_bystanders },
	{ "the same, this one was before", false,
	  start_bystanders_after_own, 1, NULL, stop_bystanders },
	{ "2000 other processes are profiled", false,
	  start_bystanders_by_tick, BYSTANDERS, NULL, stop_bystanders },
	{ "libc's profil(), 100 per second", false, start_libc, 0, libc_samples, stop_libc },
	{ "perf task-clock, 100 per second", true, start_perf, CLOCK_NS, perf_samples, stop_perf },
	{ 0 }
};

/* --- context switches -------------------------------------------------------------- */

static pthread_t partner;
volatile uint64_t partner_yields;
static bool partner_ends;
static unsigned int partner_works;

static void *be_partner(void *unused)
{
	while (!__atomic_load_n(&partner_ends, __ATOMIC_RELAXED)) {
		for (volatile unsigned int n = partner_works; n; n--)
			;
		partner_yields = now();
		sched_yield();
	}
	return unused;
}

static void set_policy(int policy)
{
	struct sched_param param = { .sched_priority = policy == SCHED_FIFO };

	if (sched_setscheduler(0, policy, &param))
		fail("sched_setscheduler");
}

/* First in, first out: whoever yields goes behind the other one. */
void start_partner(unsigned int loops)
{
	partner_works = loops;
	set_policy(SCHED_FIFO);
	partner_ends = false;
	if (pthread_create(&partner, NULL, be_partner, NULL))
		fail("pthread_create");
}

void switch_to_partner(void)
{
	sched_yield();
}

void stop_partner(void)
{
	__atomic_store_n(&partner_ends, true, __ATOMIC_RELAXED);
	if (pthread_join(partner, NULL))
		fail("pthread_join");
	set_policy(SCHED_OTHER);
}

/* --- on and off ------------------------------------------------------------------- */

static void one_region_on_off(void)
{
	start_histogram(1, PROFIL_RATE_TICK);
	stop_profile();
}

static void many_regions_on_off(void)
{
	start_histogram(REGIONS, PROFIL_RATE_TICK);
	stop_profile();
}

static void samples_on_off(void)
{
	start_array(PROFIL_RATE_CLOCK, 0, NULL, 0);
	stop_profile();
}

static void libc_on_off(void)
{
	libc_profil(counters, sizeof(counters), TEXT, 2);
	libc_profil(NULL, 0, 0, 0);
}

const struct pair pairs[] = {
	{ "histogram, 1 region", one_region_on_off },
	{ "histogram, 4096 regions", many_regions_on_off },
	{ "sample array", samples_on_off },
	{ "libc's profil()", libc_on_off },
	{ 0 }
};

void methods_open(void)
{
	device = open("/dev/profil", O_RDWR | O_CLOEXEC);
	if (device < 0)
		fail("/dev/profil");
	fill_regions();
	find_libc_profil();
}

void methods_close(void)
{
	forget_profile();
	close(device);

	/* What the processes that were killed had is given back later. */
	for (int tries = 0; tries < 50; tries++) {
		if (!syscall(SYS_delete_module, "profil", O_NONBLOCK))
			return;
		usleep(100000);
	}
	fail("cannot unload the module");
}
