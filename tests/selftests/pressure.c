// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Memory runs out while the kernel counts: swap, small cgroups. None of this may lose a
 * count. tests/stress/faultinj has allocations that fail.
 */
#include <sys/mount.h>
#include <sys/swap.h>

#include "buffer.h"
#include "stream.h"

static size_t swapped_kb(const void *address)
{
	char line[256];
	FILE *smaps = fopen("/proc/self/smaps", "re");
	size_t kb = 0;
	bool here = false;

	CHECK(smaps != NULL);
	while (fgets(line, sizeof(line), smaps)) {
		unsigned long from, to;

		if (sscanf(line, "%lx-%lx ", &from, &to) == 2)
			here = from <= (uintptr_t)address && (uintptr_t)address < to;
		else if (here)
			sscanf(line, "Swap: %zu kB", &kb);
	}
	fclose(smaps);
	return kb;
}

#define DISK		"/dev/ram0"
#define SWAP_PAGES	1024

/* Only ticks in hot_b() touch the buffer. */
static void count_twice(void)
{
	uint64_t end = page()->counted + 2;

	for (int i = 0; i < 20000 && page()->counted < end; i++)
		some_b();
	CHECK_GE(page()->counted, end);
}

static bool swapped_out(char *from, size_t size, const void *buf)
{
	for (int i = 0; i < 100 && swapped_kb(buf) == 0; i++)
		CHECK_CALL(madvise(from, size, MADV_PAGEOUT));
	return swapped_kb(buf) > 0;
}

/* All there is from @from on is swapped out, the page of @buf among it. */
static void count_in_swapped_page(uint32_t *buf, char *from, size_t size)
{
	struct profil_status st;
	unsigned int times = 0;

	NEEDS_ROOT();
	if (!make_swap(DISK, SWAP_PAGES))
		SKIP("no RAM disk to swap to");
	CHECK_CALL(swapon(DISK, 0));
	/*
	 * A page that has just been brought in waits in a list of that CPU, where it
	 * cannot be swapped out from before the list is emptied there.
	 */
	CHECK_CALL(pin(0));
	CHECK_EQ(start_region(one_counter(buf, 4, 4, text_b()), PROFIL_RATE_TICK), 0);
	for (int i = 0; i < 10; i++) {
		count_twice();
		times += swapped_out(from, size, buf);
	}
	count_twice();
	CHECK_EQ(stop(&st), 0);
	CHECK_CALL(swapoff(DISK));
	note("swapped out %u times, %llu updates deferred", times, (unsigned long long)st.deferred);
	CHECK_NOTHING_LOST(&st);
	CHECK_EQ(buf[0], st.counted);
	CHECK_EQ(times, 10);
	CHECK_GE(st.deferred, 10);
}

TEST(buffer_is_swapped_out_and_the_profil_page_is_not)
{
	static uint32_t first;
	uint32_t *buf = MAP_FAILED;
	char *status;

	start(&first);
	status = (char *)(uintptr_t)page();
	for (int side = -1; side <= 1 && buf == MAP_FAILED; side += 2)
		buf = mmap(status + side * (long)PAGE, PAGE, PROT_READ | PROT_WRITE,
			   MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
	if (buf == MAP_FAILED)
		SKIP("no room beside the page");
	count_in_swapped_page(buf, (char *)buf < status ? (char *)buf : status, 2 * PAGE);
	CHECK_EQ(page()->size, sizeof(struct profil_status));
	CHECK_EQ(page()->counted, buf[0]);
	CHECK_ACCOUNTS(page());
}

#define CGROUP	"/tmp/selftest.cgroup"

/* A new memory cgroup of this size, entered; false if there are none. */
static bool enter_small_cgroup(const char *bytes)
{
	char pid[16];

	mkdir(CGROUP, 0755);
	if (mount("none", CGROUP, "cgroup2", 0, NULL) != 0)
		return false;
	if (write_file(CGROUP "/cgroup.subtree_control", "+memory") != 0 ||
	    (mkdir(CGROUP "/small", 0755) != 0 && errno != EEXIST)) {
		umount(CGROUP);
		return false;
	}
	snprintf(pid, sizeof(pid), "%d", getpid());
	CHECK_CALL(write_file(CGROUP "/small/memory.max", bytes));
	CHECK_CALL(write_file(CGROUP "/small/cgroup.procs", pid));
	return true;
}

/* When this child has ended, which was in it: returns how. */
static int leave_small_cgroup(pid_t pid)
{
	int status;

	CHECK_EQ(waitpid(pid, &status, 0), pid);
	rmdir(CGROUP "/small");
	umount(CGROUP);
	rmdir(CGROUP);
	return status;
}

__attribute__((noreturn)) static void end_as(int status)
{
	if (WIFSIGNALED(status))
		FAIL("killed by signal %d", WTERMSIG(status));
	_exit(WEXITSTATUS(status));
}

/* Counters all over a buffer that is three times as large as what there is. */
static void count_under_pressure(void)
{
	size_t size = 12UL << 20;
	char *mem = private_memory(size);
	struct text text = text_wide();
	struct profil_region region = one_to_one(mem, size, 2, text);
	struct profil_status st;
	uint64_t total = 0;

	CHECK_CALL(swapon(DISK, 0));
	if (!enter_small_cgroup("4M"))
		SKIP("no memory cgroups");
	region.scale = 2048U << 16;
	CHECK_EQ(start_region(region, PROFIL_RATE_TICK), 0);
	for (size_t i = 0; page()->counted < 40; i++) {
		hot_wide(40);
		/* Beside the counters, and in ever another page. */
		mem[i * 17 * PAGE % size + 1000]++;
	}
	st = stopped();
	for (uint64_t d = 0; d < text.hi - text.lo && d * 2048 < size; d++)
		total += counter(mem + d * 2048, 0, 2);
	CHECK_GE(st.counted, 40);
	CHECK_EQ(total, st.counted);
}

TEST(counts_under_memory_pressure_are_not_lost)
{
	int status;

	NEEDS_ROOT();
	if (!make_swap(DISK, 3 * SWAP_PAGES))
		SKIP("no RAM disk to swap to");
	status = leave_small_cgroup(spawn(count_under_pressure));
	CHECK_CALL(swapoff(DISK));
	end_as(status);
}

#define MAP_REGIONS	4096
/* Of the map that so many regions are compiled into: see docs/security.md. */
#define MAP_BYTES	360472
/* With all else of a profile. */
#define PROFILE_BYTES	(545 << 10)
/* Charges are made in advance, some pages for each CPU. */
#define IN_ADVANCE	(2 << 20)
#define MAP_PROCESSES	64

static int64_t cgroup_bytes(void)
{
	char text[32];

	CHECK_CALL(read_file(CGROUP "/small/memory.current", text, sizeof(text)));
	return strtoll(text, NULL, 10);
}

/* Allocations of the kernel alone: page tables of children vary more than a table of rules. */
static int64_t cgroup_slab(void)
{
	char text[8192], *line;

	CHECK_CALL(read_file(CGROUP "/small/memory.stat", text, sizeof(text)));
	line = strstr(text, "\nslab_unreclaimable ");
	CHECK(line);
	return strtoll(strchr(line, ' '), NULL, 10);
}

static struct profil_region *regions;

static void make_regions(void)
{
	static uint32_t counter;

	regions = private_memory(MAP_REGIONS * sizeof(*regions));

	for (unsigned int i = 0; i < MAP_REGIONS; i++) {
		regions[i] = everything(&counter, sizeof(counter), 4);
		regions[i].flags = 0;
		regions[i].offset = 0x1000 + 16 * i;
		regions[i].pc_end = regions[i].offset + 16;
	}
}

static void start_many(void)
{
	CHECK_EQ(start_regions(regions, MAP_REGIONS, PROFIL_RATE_CLOCK), 0);
}

static void nothing(void) { }

/* Of the last children. */
static int64_t slab_bytes;

/* What the cgroup is charged for some children that call this. */
static int64_t bytes_of_children(void (*begin)(void))
{
	int64_t before = cgroup_bytes(), slab = cgroup_slab(), bytes;
	int ready[2], end[2];
	char c;

	CHECK_CALL(pipe(ready));
	CHECK_CALL(pipe(end));
	for (int i = 0; i < MAP_PROCESSES; i++) {
		if (FORK())
			continue;
		close(end[1]);
		begin();
		CHECK_EQ(write(ready[1], "", 1), 1);
		_exit(read(end[0], &c, 1) != 0);
	}
	for (int i = 0; i < MAP_PROCESSES; i++)
		CHECK_EQ(read(ready[0], &c, 1), 1);
	bytes = cgroup_bytes() - before;
	slab_bytes = cgroup_slab() - slab;
	close(end[1]);
	for (int i = 0; i < MAP_PROCESSES; i++)
		wait_ok(-1);
	return bytes;
}

/* @before and @begin: in the process, and in its children. */
static void compare(void (*before)(void), void (*begin)(void), int64_t least, int64_t most)
{
	int64_t with, without;

	if (!enter_small_cgroup("64M"))
		SKIP("no memory cgroups");
	without = bytes_of_children(nothing);
	before();
	with = bytes_of_children(begin);
	note("%lld bytes without, %lld with", (long long)without, (long long)with);
	CHECK_GE(with - without, least * MAP_PROCESSES);
	CHECK_LT(with - without, most * MAP_PROCESSES + IN_ADVANCE);
}

static void compare_charges(void)
{
	compare(make_regions, start_many, MAP_BYTES * 3 / 4, PROFILE_BYTES);
}

static void in_small_cgroup(void (*fn)(void))
{
	NEEDS_ROOT();
	end_as(leave_small_cgroup(spawn(fn)));
}

CASE(memory_of_a_profile_is_charged_to_its_cgroup, in_small_cgroup(compare_charges))

/* Most memory of a fork child until its first stack: docs/security.md has 17.1 KiB. */
#define FORK_BYTES	(42 << 10)
/* Of a profile with stacks, one thread, and some pages of the stream. */
#define STACKS_BYTES	(420 << 10)

static struct stream s;

static void start_and_walk(void)
{
	s = new_stream(1 << 20);
	set_own_objects();
	/* A child that only starts and waits shall have no sample, however slow the machine. */
	CHECK_EQ(start_flags(&s, PROFIL_RATE_CLOCK, PROFIL_USER_ONLY), 0);
	/* The first is the thread's name, and four walks have their rules elsewhere. */
	while (page()->stack_records < 7)
		hot_a(10000);
}

/* Without the first rules and the frames of a walk, which have 24 KiB, it is less. */
#define STACKS_SLAB	(78 << 10)

static void compare_stacks(void)
{
	int64_t with;

	compare(nothing, start_and_walk, INT32_MIN, STACKS_BYTES);
	with = slab_bytes;
	bytes_of_children(nothing);
	note("%lld bytes of slabs without, %lld with", (long long)slab_bytes, (long long)with);
	CHECK_GE(with - slab_bytes, STACKS_SLAB * MAP_PROCESSES);
}

static void compare_forks(void)
{
	compare(start_and_walk, nothing, INT32_MIN, FORK_BYTES - IN_ADVANCE / MAP_PROCESSES);
}

CASE(memory_of_stacks_is_charged_to_their_cgroup, needs_stacks(); in_small_cgroup(compare_stacks))
CASE(fork_allocates_little_for_stacks, needs_stacks(); in_small_cgroup(compare_forks))

/* Of 512 profiles that wait for RCU, and charges in advance: see docs/security.md. */
#define ENDED_BYTES	(6 << 20)

static void map_and_unmap(void)
{
	int fd = CHECK_CALL(open(DEVICE, O_RDWR));
	int64_t before, most = 0, now;

	if (!enter_small_cgroup("64M"))
		SKIP("no memory cgroups");
	before = cgroup_bytes();
	for (int i = 0; i < (slowness() == 1 ? 3000 : 1000); i++) {
		CHECK_CALL(munmap(mapped(NULL, PAGE, PROT_READ, MAP_SHARED, fd), PAGE));
		now = cgroup_bytes() - before;
		most = now > most ? now : most;
	}
	note("at most %lld bytes", (long long)most);
	CHECK_LT(most, ENDED_BYTES);
}

/* Grace periods last a second, as idle CPUs are not looked at before. */
TEST_WITH("/sys/module/rcutree/parameters/jiffies_till_first_fqs", "1000",
	  memory_of_profiles_that_have_ended_is_bounded)
{
	in_small_cgroup(map_and_unmap);
}
