// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Long requests, of up to 65,536 regions: they end, and delay no other process.
 *
 * All time limits here are fractions of the time of one such request in the same run.
 */
#include "setup.h"

#define MOST		65536
#define TAG		0x5eed

static uint32_t counters[16];

/* Overlapping regions in random order, so that the kernel must sort them. */
static struct profil_region *scattered(unsigned int n)
{
	struct profil_region *regions = calloc(n, sizeof(*regions));

	CHECK(regions != NULL);
	for (unsigned int i = 0; i < n; i++) {
		uint64_t z = (i + 1) * 0x9e3779b97f4a7c15ULL;

		regions[i] = (struct profil_region) {
			.buf = (uintptr_t)counters, .size = sizeof(counters),
			.offset = (z ^ z >> 29) >> 17,
			.pc_end = ((z ^ z >> 29) >> 17) + (1ULL << 40), .width = 4,
		};
	}
	return regions;
}

static struct {
	struct profil_histogram request;
	uint8_t added;
	volatile bool end;
} contested;

/* To the last byte of a request that the kernel refuses, and may not change. */
static void *add_to_last_byte(void *arg)
{
	uint8_t *byte = (uint8_t *)&contested.request.last - 1;

	for (; !contested.end; contested.added++)
		__atomic_add_fetch(byte, 1, __ATOMIC_SEQ_CST);
	return arg;
}

TEST(refused_request_loses_no_store_of_another_thread)
{
	int fd = CHECK_CALL(open(DEVICE, O_RDWR));
	pthread_t adder;

	contested.request = (struct profil_histogram) {
		.size = offsetof(struct profil_histogram, last),
		.region_size = sizeof(struct profil_region),
	};
	adder = start_thread(add_to_last_byte, NULL);
	for (int round = 0; round < 100000 / (int)slowness(); round++)
		CHECK_FAILS(ioctl(fd, PROFIL_IOC_HISTOGRAM, &contested.request), EINVAL);
	contested.end = true;
	join_thread(adder);
	CHECK_EQ(contested.request.page >> 56, contested.added);
}

static void allow_regions(const char *limit)
{
	CHECK_CALL(write_file(MAX_REGIONS, limit));
}

static void run_first(void)
{
	struct sched_param param = { .sched_priority = 10 };

	CHECK_CALL(pin(0));
	CHECK_CALL(sched_setscheduler(0, SCHED_FIFO | SCHED_RESET_ON_FORK, &param));
}

static uint64_t start_ns(const struct profil_region *regions, unsigned int n)
{
	uint64_t ns = now_ns();

	CHECK_EQ(start_regions(regions, n, PROFIL_RATE_TICK), 0);
	return now_ns() - ns;
}

struct sharer {
	const struct profil_region *regions;
	volatile bool done;
};

static int start_once(void *arg)
{
	struct sharer *sharer = arg;

	start_regions(sharer->regions, MOST, PROFIL_RATE_TICK);
	sharer->done = true;
	return 0;
}

/* A process that shares our memory, so that its profile is ours. */
static pid_t share(int (*fn)(void *), void *arg)
{
	static char stack[65536] __attribute__((aligned(16)));

	return CHECK_CALL(clone(fn, stack + sizeof(stack), CLONE_VM | SIGCHLD, arg));
}

TEST(start_killed_while_it_compiles_leaves_the_profile)
{
	struct profil_region region = everything(&tally, 4, 4);
	struct profil_histogram request = HISTOGRAM(&region, PROFIL_RATE_TICK, .tag = TAG);
	struct sharer sharer = { .done = false };
	struct profil_status st;
	uint64_t ns, killed;
	int status;
	pid_t pid;

	NEEDS_ROOT();
	NEEDS_ICOUNT();
	sharer.regions = scattered(MOST);
	allow_regions("65536");
	ns = start_ns(sharer.regions, MOST);
	CHECK_EQ(start_histogram(&request), 0);
	run_first();
	pid = share(start_once, &sharer);
	sleep_until(now_ns() + ns / 2);
	CHECK(!sharer.done);
	killed = now_ns();
	CHECK_CALL(kill(pid, SIGKILL));
	CHECK_EQ(waitpid(pid, &status, 0), pid);
	killed = now_ns() - killed;
	allow_regions("4096");
	CHECK(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
	note("%llu us, ended after %llu us", (unsigned long long)ns / 1000,
	     (unsigned long long)killed / 1000);
	CHECK_LT(killed, ns / 16);

	CHECK_EQ(get_status(&st), 0);
	CHECK_EQ(st.tag, TAG);
	check_tally(5);
}

/* What the others compile takes them longer than they have the CPU at a time. */
#define OTHERS		64
#define THEIRS		16384
#define OURS		4096

static void compile_for_ever(const void *regions)
{
	for (;;)
		start_regions(regions, THEIRS, PROFIL_RATE_TICK);
}

static void spin_for_ever(const void *unused)
{
	(void)unused;
	for (;;)
		hot_b(1000000);
}

/* What some starts take while others do that. */
static uint64_t starts_among(void (*others)(const void *), const struct profil_region *regions)
{
	pid_t pids[OTHERS];
	uint64_t ns;

	for (int i = 0; i < OTHERS; i++) {
		pids[i] = FORK();
		if (pids[i] == 0)
			others(regions);
	}
	/* Past what each of them does first. */
	start_ns(regions, OURS);
	ns = 0;
	for (int i = 0; i < 3; i++)
		ns += start_ns(regions, OURS);
	for (int i = 0; i < OTHERS; i++)
		end_by_force(pids[i]);
	return ns;
}

TEST(start_among_64_that_compile_gets_its_share_of_the_cpu)
{
	struct profil_region *regions;
	uint64_t share_ns, ns;

	NEEDS_ROOT();
	NEEDS_ICOUNT();
	regions = scattered(THEIRS);
	allow_regions("16384");
	share_ns = starts_among(spin_for_ever, regions);
	ns = starts_among(compile_for_ever, regions);
	allow_regions("4096");
	note("%llu ms among those that compile, %llu ms among those that spin",
	     (unsigned long long)ns / 1000000, (unsigned long long)share_ns / 1000000);
	CHECK_LT(ns, 2 * share_ns);
}
