// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * What memory management does to a buffer while it is counted in: pages that
 * go away, come back elsewhere, are shared, split, merged or swapped. Nothing
 * of it may lose a count.
 */
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <sys/auxv.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/swap.h>
#include <sys/syscall.h>

#include "harness.h"
#include "machine.h"
#include "device.h"
#include "work.h"

#define PAGE	4096UL
#define HUGE	(2UL << 20)

#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE	23
#endif
#ifndef MADV_COLLAPSE
#define MADV_COLLAPSE	25
#endif

static void *memory(size_t size)
{
	void *mem = mmap(NULL, size, PROT_READ | PROT_WRITE,
			 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	CHECK(mem != MAP_FAILED);
	return mem;
}

static void start(void *buf)
{
	CHECK_EQ(start_region(everything(buf, 4, 4), PROFIL_RATE_TICK), 0);
}

static struct profil_status check_counted(const void *buf)
{
	struct profil_status st;

	CHECK_EQ(stop(&st), 0);
	CHECK_NOTHING_LOST(&st);
	CHECK_EQ(counter(buf, 0, 4), st.counted);
	return st;
}

/* The counts that were in a page that was thrown away are gone, no others. */
TEST(buffer_thrown_away_by_madvise_starts_again_at_0_and_goes_on)
{
	uint32_t *buf = memory(PAGE);
	struct profil_status st;
	uint64_t before = 0;

	start(buf);
	CHECK(work_for_ticks(10));
	for (int i = 0; i < 10; i++) {
		CHECK_CALL(madvise(buf, PAGE, MADV_DONTNEED));
		before = page()->ticks;
		CHECK(work_for_ticks(3));
	}
	CHECK_EQ(stop(&st), 0);
	CHECK_NOTHING_LOST(&st);
	CHECK_GE(buf[0], st.counted - before);
	CHECK_LT(buf[0], st.counted);
	CHECK_GE(st.deferred, 10);
}

TEST(sample_array_thrown_away_by_madvise_goes_on_from_its_position)
{
	uint64_t *array = memory(2 * PAGE), before, after;
	struct profil_status st;

	CHECK_EQ(start_samples(array, 2 * PAGE / 8, 8, PROFIL_RATE_TICK), 0);
	CHECK(work_for_ticks(20));
	before = page()->nsamples;
	CHECK_CALL(madvise(array, 2 * PAGE, MADV_DONTNEED));
	after = page()->ticks;
	CHECK(work_for_ticks(20));
	CHECK_EQ(stop(&st), 0);
	CHECK_NOTHING_LOST(&st);
	CHECK_EQ(st.nsamples, st.counted);
	for (uint64_t i = 0; i < st.nsamples; i++) {
		if (i < before)
			CHECK_EQ(array[i], 0);
		else if (i >= after)
			CHECK_NE(array[i], 0);
	}
	CHECK_EQ(array[st.nsamples], 0);
	CHECK_GE(st.nsamples, after + 20);
}

TEST(buffer_moved_by_mremap_is_no_longer_written_where_it_went)
{
	char *buf = memory(PAGE), *moved, *place = memory(PAGE);
	struct profil_status st;
	uint32_t was;

	start(buf);
	CHECK(work_for_ticks(5));
	moved = mremap(buf, PAGE, PAGE, MREMAP_MAYMOVE | MREMAP_FIXED, place);
	CHECK(moved == place);
	was = (uint32_t)counter(moved, 0, 4);
	for (int i = 0; i < 20000 && page()->state == PROFIL_STATE_ON; i++)
		hot_a(10000);
	CHECK_EQ(stop(&st), 0);
	CHECK_EQ(st.state, PROFIL_STATE_FAULT);
	CHECK_ACCOUNTS(&st);
	CHECK_EQ(counter(moved, 0, 4), was);
	CHECK_EQ(st.counted, was);
}

TEST(buffer_grown_in_place_by_mremap_goes_on_counting)
{
	char *buf = memory(64 * PAGE);

	CHECK_CALL(munmap(buf + PAGE, 63 * PAGE));
	start(buf);
	CHECK(work_for_ticks(5));
	CHECK(mremap(buf, PAGE, 32 * PAGE, 0) == buf);
	CHECK(work_for_ticks(5));
	CHECK_CALL(mprotect(buf + PAGE, PAGE, PROT_READ));
	CHECK(work_for_ticks(5));
	CHECK_GE(check_counted(buf).counted, 15);
}

TEST(other_memory_moved_under_the_buffer_is_counted_in)
{
	char *buf = memory(PAGE), *other = memory(PAGE);
	struct profil_status st;
	uint64_t before;

	start(buf);
	CHECK(work_for_ticks(5));
	other[0] = 0;
	before = page()->ticks;
	CHECK(mremap(other, PAGE, PAGE, MREMAP_MAYMOVE | MREMAP_FIXED, buf) == buf);
	CHECK(work_for_ticks(5));
	CHECK_EQ(stop(&st), 0);
	CHECK_NOTHING_LOST(&st);
	CHECK_GE(counter(buf, 0, 4), 5);
	CHECK_LE(counter(buf, 0, 4), st.counted - before);
}

static char *huge_page(void)
{
	char *mem = memory(2 * HUGE);
	char *huge = (char *)(((uintptr_t)mem + HUGE - 1) & ~(HUGE - 1));

	if (access("/sys/kernel/mm/transparent_hugepage/enabled", F_OK) != 0)
		SKIP("no transparent huge pages");
	CHECK_CALL(madvise(huge, HUGE, MADV_HUGEPAGE));
	return huge;
}

TEST(never_touched_huge_page_counts)
{
	char *huge = huge_page();

	start(huge + 123456);
	CHECK(work_for_ticks(10));
	CHECK_GE(check_counted(huge + 123456).deferred, 1);
}

TEST(huge_page_that_is_split_and_collapsed_loses_nothing)
{
	char *huge = huge_page();

	memset(huge, 0, HUGE);
	start(huge + 123456);
	for (int i = 0; i < 10; i++) {
		CHECK(work_for_ticks(1));
		/* Splits it, around the buffer and at the buffer. */
		CHECK_CALL(mprotect(huge + HUGE / 2, PAGE, PROT_READ));
		CHECK_CALL(madvise(huge + 40 * PAGE, PAGE, MADV_DONTNEED));
		CHECK(work_for_ticks(1));
		CHECK_CALL(mprotect(huge + HUGE / 2, PAGE, PROT_READ | PROT_WRITE));
		/* An old kernel does not know it; khugepaged does the same. */
		if (madvise(huge, HUGE, MADV_COLLAPSE) != 0 && errno != EINVAL)
			note("collapse: %m");
	}
	CHECK_GE(check_counted(huge + 123456).counted, 20);
}

static volatile int done;

static void *collapse_all_the_time(void *arg)
{
	char *huge = arg;

	while (!done) {
		mprotect(huge + HUGE / 2, PAGE, PROT_READ);
		mprotect(huge + HUGE / 2, PAGE, PROT_READ | PROT_WRITE);
		if (madvise(huge, HUGE, MADV_COLLAPSE) != 0)
			sched_yield();
	}
	return NULL;
}

TEST(huge_page_collapsed_by_another_thread_all_the_time_loses_nothing)
{
	char *huge = huge_page();
	pthread_t thread;

	memset(huge, 0, HUGE);
	start(huge + 54322);
	CHECK_EQ(pthread_create(&thread, NULL, collapse_all_the_time, huge), 0);
	CHECK(work_for_ticks(contended(200)));
	done = 1;
	CHECK_EQ(pthread_join(thread, NULL), 0);
	CHECK_GE(check_counted(huge + 54322).counted, contended(200));
}

#define KSM	"/sys/kernel/mm/ksm/"

static void some_b(void)
{
	hot_b(10000);
}

static unsigned long ksm(const char *name)
{
	char path[64], text[32];

	snprintf(path, sizeof(path), KSM "%s", name);
	CHECK_CALL(read_file(path, text, sizeof(text)));
	return strtoul(text, NULL, 10);
}

/* Two scans find that a page does not change, the next that it has an equal. */
static bool merged(void)
{
	struct timespec pause = { .tv_nsec = 20000000 };
	unsigned long last = ksm("full_scans") + 50;

	while (ksm("full_scans") < last) {
		if (ksm("pages_sharing") + ksm("pages_shared") >= 2)
			return true;
		nanosleep(&pause, NULL);
	}
	return false;
}

TEST(buffer_merged_with_an_equal_page_counts_in_its_own_copy)
{
	uint32_t *buf = memory(2 * PAGE), *twin = buf + PAGE / 4;
	bool were_merged;

	NEEDS_ROOT();
	if (access(KSM "run", W_OK) != 0)
		SKIP("no KSM");
	/* Not zeros: those may be merged with the zero page. */
	for (size_t i = 1; i < PAGE / 4; i++)
		buf[i] = twin[i] = (uint32_t)i * 2654435761U;
	buf[0] = twin[0] = 0;
	/* Nothing is counted, and the pages stay equal, until hot_b() runs. */
	CHECK_EQ(start_region(one_counter(buf, 4, 4, text_b()), PROFIL_RATE_TICK), 0);
	CHECK_CALL(madvise(buf, 2 * PAGE, MADV_MERGEABLE));
	CHECK_CALL(write_file(KSM "sleep_millisecs", "1"));
	CHECK_CALL(write_file(KSM "pages_to_scan", "10000"));
	CHECK_CALL(write_file(KSM "run", "1"));
	were_merged = merged();
	CHECK_CALL(write_file(KSM "run", "0"));
	CHECK(were_merged);
	CHECK(work_until(10, some_b));
	CHECK_CALL(write_file(KSM "run", "2"));
	CHECK_GE(check_counted(buf).counted, 8);
	for (size_t i = 1; i < PAGE / 4; i++)
		CHECK(buf[i] == twin[i]);
	CHECK_EQ(twin[0], 0);
}

TEST(buffer_that_is_copied_on_write_after_fork_loses_nothing)
{
	uint32_t *buf = memory(PAGE);

	start(buf);
	for (int i = 0; i < 30; i++) {
		pid_t pid = FORK();

		if (pid == 0)
			_exit(0);
		CHECK(work_for_ticks(1));
		wait_ok(pid);
	}
	CHECK_GE(check_counted(buf).deferred, 15);
}

TEST(locked_buffer_counts)
{
	uint32_t *buf = memory(PAGE);

	CHECK_CALL(mlock(buf, PAGE));
	start(buf);
	CHECK(work_for_ticks(10));
	CHECK_EQ(check_counted(buf).deferred, 0);
}

#define CLEARINGS	50

/*
 * A tick takes no page faults: where it is left to the kernel to set a page's
 * accessed bit, the first tick in the page after it was cleared is deferred, and
 * what comes until that is done. What else touches the page may be first.
 */
static void clear_accessed_bits(const char *what)
{
	struct profil_status before, after;
	uint64_t deferred, ticks;

	CHECK(work_for_ticks(5));
	before = *page();
	for (int i = 0; i < CLEARINGS; i++) {
		CHECK_CALL(write_file("/proc/self/clear_refs", "1"));
		CHECK(work_for_ticks(5));
	}
	after = *page();
	deferred = after.deferred - before.deferred;
	ticks = after.ticks - before.ticks;
	note("%s: cleared %d times, %llu of %llu ticks deferred", what, CLEARINGS,
	     (unsigned long long)deferred, (unsigned long long)ticks);
	if (cpu_marks_accessed_pages()) {
		CHECK_EQ(deferred, 0);
	} else {
		CHECK_GE(deferred, CLEARINGS / 2);
		CHECK_LE(deferred, ticks * 3 / 4);
	}
}

TEST(page_that_is_no_longer_marked_as_accessed_is_counted_in)
{
	uint32_t *buf = memory(PAGE);

	if (access("/proc/self/clear_refs", W_OK) != 0)
		SKIP("no clear_refs");
	buf[0] = 0;
	start(buf);
	clear_accessed_bits("every tick");
	check_counted(buf);
	buf[0] = 0;
	CHECK_EQ(start_region(everything(buf, 4, 4), PROFIL_RATE_FAST), 0);
	clear_accessed_bits("fast");
	check_counted(buf);
}

TEST(array_that_is_no_longer_marked_as_accessed_is_written)
{
	uint64_t *array = memory(4 * PAGE);
	struct profil_status st;

	if (access("/proc/self/clear_refs", W_OK) != 0)
		SKIP("no clear_refs");
	memset(array, 0, 4 * PAGE);
	CHECK_EQ(start_samples(array, 4 * PAGE / 8, 8, PROFIL_RATE_TICK), 0);
	clear_accessed_bits("array");
	CHECK_EQ(stop(&st), 0);
	CHECK_NOTHING_LOST(&st);
	CHECK_EQ(st.nsamples, st.counted);
}

TEST(clean_shared_file_page_is_made_dirty_and_counts)
{
	char path[] = "/tmp/selftest.XXXXXX";
	int fd = CHECK_CALL(mkstemp(path));
	uint32_t in_file;
	uint32_t *buf;

	CHECK_CALL(unlink(path));
	CHECK_CALL(ftruncate(fd, (off_t)PAGE));
	buf = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	CHECK(buf != MAP_FAILED);
	start(buf);
	for (int i = 0; i < 10; i++) {
		CHECK(work_for_ticks(1));
		CHECK_CALL(msync(buf, PAGE, MS_SYNC));
		CHECK_CALL(madvise(buf, PAGE, MADV_DONTNEED));
	}
	CHECK_GE(check_counted(buf).counted, 10);
	CHECK_EQ(pread(fd, &in_file, 4, 0), 4);
	CHECK_EQ(in_file, buf[0]);
}

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

#define SWAP_PAGES	1024

/*
 * A page that has just been brought in waits in a list of that CPU, where it
 * cannot be swapped out from before the list is emptied there. So we stay on
 * one CPU.
 */
static void stay_on_one_cpu(void)
{
	cpu_set_t one;

	CPU_ZERO(&one);
	CPU_SET(0, &one);
	CHECK_CALL(sched_setaffinity(0, sizeof(one), &one));
}

/* Nothing but a tick in hot_b() touches the buffer. */
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
	const char *disk = "/dev/ram0";
	struct profil_status st;
	unsigned int times = 0;

	NEEDS_ROOT();
	if (!make_swap(disk, SWAP_PAGES))
		SKIP("no RAM disk to swap to");
	CHECK_CALL(swapon(disk, 0));
	stay_on_one_cpu();
	CHECK_EQ(start_region(one_counter(buf, 4, 4, text_b()), PROFIL_RATE_TICK), 0);
	for (int i = 0; i < 10; i++) {
		count_twice();
		times += swapped_out(from, size, buf);
	}
	count_twice();
	CHECK_EQ(stop(&st), 0);
	CHECK_CALL(swapoff(disk));
	note("swapped out %u times, %llu updates deferred", times,
	     (unsigned long long)st.deferred);
	CHECK_NOTHING_LOST(&st);
	CHECK_EQ(buf[0], st.counted);
	CHECK_EQ(times, 10);
	CHECK_GE(st.deferred, 10);
}

TEST(buffer_that_is_swapped_out_is_brought_back_and_loses_nothing)
{
	uint32_t *buf = memory(PAGE);

	count_in_swapped_page(buf, (char *)buf, PAGE);
}

TEST(buffer_beside_the_profil_page_is_swapped_out_and_the_page_is_not)
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

/* Counters all over a buffer that is three times as large as what there is. */
static void count_under_pressure(void)
{
	size_t size = 12UL << 20;
	char *mem = memory(size);
	struct text text = text_wide();
	struct profil_region region = one_to_one(mem, size, 2, text);
	struct profil_status st;
	uint64_t total = 0;

	region.scale = 2048U << 16;
	CHECK_EQ(start_region(region, PROFIL_RATE_TICK), 0);
	for (size_t i = 0; page()->counted < 40; i++) {
		hot_wide(40);
		/* Beside the counters, and in ever another page. */
		mem[i * 17 * PAGE % size + 1000]++;
	}
	CHECK_EQ(stop(&st), 0);
	note("%llu updates deferred", (unsigned long long)st.deferred);
	CHECK_NOTHING_LOST(&st);
	CHECK_EQ(page()->counted, st.counted);
	for (uint64_t d = 0; d < text.hi - text.lo && d * 2048 < size; d++)
		total += counter(mem + d * 2048, 0, 2);
	CHECK_GE(st.counted, 40);
	CHECK_EQ(total, st.counted);
}

TEST(counts_under_memory_pressure_are_not_lost)
{
	const char *disk = "/dev/ram0";
	int status;
	pid_t pid;

	NEEDS_ROOT();
	if (!make_swap(disk, 3 * SWAP_PAGES))
		SKIP("no RAM disk to swap to");
	pid = FORK();
	if (pid == 0) {
		CHECK_CALL(swapon(disk, 0));
		if (!enter_small_cgroup("4M"))
			SKIP("no memory cgroups");
		count_under_pressure();
		_exit(0);
	}
	CHECK_EQ(waitpid(pid, &status, 0), pid);
	CHECK_CALL(swapoff(disk));
	rmdir(CGROUP "/small");
	umount(CGROUP);
	rmdir(CGROUP);
	if (WIFSIGNALED(status))
		FAIL("killed by signal %d", WTERMSIG(status));
	_exit(WEXITSTATUS(status));
}

#define MAP_REGIONS	4096
/* Of the map that so many regions are compiled into: see docs/security.md. */
#define MAP_BYTES	360472
#define MAP_PROCESSES	16

static int64_t cgroup_bytes(void)
{
	char text[32];

	CHECK_CALL(read_file(CGROUP "/small/memory.current", text, sizeof(text)));
	return strtoll(text, NULL, 10);
}

static struct profil_region *many_regions(void)
{
	struct profil_region *regions = memory(MAP_REGIONS * sizeof(*regions));
	static uint32_t counter;

	for (unsigned int i = 0; i < MAP_REGIONS; i++) {
		regions[i] = everything(&counter, sizeof(counter), 4);
		regions[i].flags = 0;
		regions[i].offset = 0x1000 + 16 * i;
		regions[i].pc_end = regions[i].offset + 16;
	}
	return regions;
}

/* What the cgroup is charged for some children, each with a profile or not. */
static int64_t bytes_of_children(const struct profil_region *regions, bool profiled)
{
	int64_t before = cgroup_bytes(), bytes;
	int ready[2], end[2];
	char c;

	CHECK_CALL(pipe(ready));
	CHECK_CALL(pipe(end));
	for (int i = 0; i < MAP_PROCESSES; i++) {
		if (FORK())
			continue;
		close(end[1]);
		if (profiled)
			CHECK_EQ(start_regions(regions, MAP_REGIONS, PROFIL_RATE_CLOCK), 0);
		CHECK_EQ(write(ready[1], "", 1), 1);
		_exit(read(end[0], &c, 1) != 0);
	}
	for (int i = 0; i < MAP_PROCESSES; i++)
		CHECK_EQ(read(ready[0], &c, 1), 1);
	bytes = cgroup_bytes() - before;
	close(end[1]);
	for (int i = 0; i < MAP_PROCESSES; i++)
		wait_ok(-1);
	return bytes;
}

static void compare_charges(void)
{
	struct profil_region *regions;
	int64_t with, without;

	if (!enter_small_cgroup("64M"))
		SKIP("no memory cgroups");
	regions = many_regions();
	without = bytes_of_children(regions, false);
	with = bytes_of_children(regions, true);
	note("%lld bytes without profiles, %lld with them", (long long)without,
	     (long long)with);
	/* Charges are made in advance, some pages for each CPU. */
	CHECK_GE(with - without, MAP_BYTES * MAP_PROCESSES * 3 / 4);
}

TEST(memory_of_a_profile_is_charged_to_its_cgroup)
{
	int status;
	pid_t pid;

	NEEDS_ROOT();
	pid = FORK();
	if (pid == 0) {
		compare_charges();
		_exit(0);
	}
	CHECK_EQ(waitpid(pid, &status, 0), pid);
	rmdir(CGROUP "/small");
	umount(CGROUP);
	rmdir(CGROUP);
	if (WIFSIGNALED(status))
		FAIL("killed by signal %d", WTERMSIG(status));
	_exit(WEXITSTATUS(status));
}

#define IGNORE_LOGLEVEL	"/sys/module/printk/parameters/ignore_loglevel"
#define PRINTK		"/proc/sys/kernel/printk"
#define CLEAR_LOG	5

/*
 * The kernel prints a backtrace when it kills for want of memory, and a guest
 * whose console shows one has failed. So for that time, the log is not shown
 * but read: no other complaint may be in it.
 */
struct console {
	char ignore[8], levels[64];
	int log;
};

static struct console quiet_console(void)
{
	struct console c;

	CHECK_CALL(read_file(IGNORE_LOGLEVEL, c.ignore, sizeof(c.ignore)));
	CHECK_CALL(read_file(PRINTK, c.levels, sizeof(c.levels)));
	c.log = CHECK_CALL(open("/dev/kmsg", O_RDONLY | O_NONBLOCK | O_CLOEXEC));
	CHECK_CALL(lseek(c.log, 0, SEEK_END));
	CHECK_CALL(write_file(IGNORE_LOGLEVEL, "N"));
	CHECK_CALL(write_file(PRINTK, "1"));
	return c;
}

/* A data race of the kernel with itself: not one between whose functions ours is. */
static bool race_of_the_kernel(const char *line)
{
	return strstr(line, "BUG: KCSAN: ") && !strstr(line, "[profil]");
}

/* Returns how many backtraces there were. */
static unsigned int restore_console(const struct console *c)
{
	static const char *const complaints[] = {
		"WARNING: ", "BUG: ", "UBSAN: ", "INFO: ", "refcount_t: ",
	};
	unsigned int traces = 0;
	char line[8192];
	ssize_t n;

	while ((n = read(c->log, line, sizeof(line) - 1)) > 0) {
		line[n] = '\0';
		traces += strstr(line, "Call Trace:") || strstr(line, "Call trace:");
		for (size_t i = 0; i < sizeof(complaints) / sizeof(*complaints); i++)
			if (strstr(line, complaints[i]) &&
			    !race_of_the_kernel(line))
				FAIL("the kernel says: %s", line);
	}
	/* What looks for backtraces in the log is not to find this one. */
	CHECK_CALL(syscall(SYS_syslog, CLEAR_LOG, NULL, 0));
	CHECK_CALL(write_file(PRINTK, c->levels));
	CHECK_CALL(write_file(IGNORE_LOGLEVEL, c->ignore));
	return traces;
}

struct eater {
	uint64_t array[4096];
	uint64_t counted, nsamples;
};

static void sample_and_eat_memory(struct eater *shared)
{
	size_t size = 1UL << 20;

	if (!enter_small_cgroup("4M"))
		SKIP("no memory cgroups");
	CHECK_EQ(start_samples(shared->array, 4096, 8, PROFIL_RATE_TICK), 0);
	CHECK(work_for_ticks(20));
	for (;;) {
		memset(memory(size), 1, size);
		hot_a(100000);
		shared->nsamples = page()->nsamples;
		shared->counted = page()->counted;
	}
}

TEST(process_killed_for_want_of_memory_leaves_every_sample)
{
	struct eater *shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE,
				    MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	struct console console;
	uint32_t *buf = memory(PAGE);
	unsigned int traces;
	int status;
	pid_t pid;

	NEEDS_ROOT();
	CHECK(shared != MAP_FAILED);
	console = quiet_console();
	pid = FORK();
	if (pid == 0)
		sample_and_eat_memory(shared);
	CHECK_EQ(waitpid(pid, &status, 0), pid);
	traces = restore_console(&console);
	rmdir(CGROUP "/small");
	umount(CGROUP);
	rmdir(CGROUP);
	if (WIFEXITED(status))
		_exit(WEXITSTATUS(status));
	CHECK_EQ(WTERMSIG(status), SIGKILL);
	CHECK_EQ(traces, 1);
	CHECK_GE(shared->nsamples, 20);
	CHECK_LE(shared->nsamples, shared->counted);
	for (uint64_t i = 0; i < shared->nsamples; i++)
		CHECK_NE(shared->array[i], 0);
	/* Others go on. */
	start(buf);
	CHECK(work_for_ticks(10));
	CHECK_GE(check_counted(buf).deferred, 1);
}

static void fail_any_allocation(const char *kind)
{
	char path[128];

	/* Also those that may wait, and without a word on the console. */
	snprintf(path, sizeof(path), "/sys/kernel/debug/%s/ignore-gfp-wait", kind);
	write_file(path, "N");
	snprintf(path, sizeof(path), "/sys/kernel/debug/%s/verbose", kind);
	write_file(path, "0");
}

/* Fails allocations in this process's requests, where the kernel offers it. */
TEST(request_that_finds_no_memory_changes_nothing)
{
	static uint32_t running, other;
	struct profil_status st;
	unsigned int failures = 0;
	char nth[16];

	if (access("/proc/self/fail-nth", W_OK) != 0)
		SKIP("no fault injection");
	fail_any_allocation("failslab");
	fail_any_allocation("fail_page_alloc");
	start(&running);
	for (int i = 1; i < 100; i++) {
		int fd = CHECK_CALL(open(DEVICE, O_RDWR));
		struct profil_region region = everything(&other, 4, 4);
		struct profil_histogram request = {
			.size = sizeof(request),
			.regions = (uintptr_t)&region,
			.nregions = 1,
			.region_size = sizeof(region),
			.rate = PROFIL_RATE_TICK,
			.tag = 1,
		};
		int ret;

		snprintf(nth, sizeof(nth), "%d", i);
		CHECK_CALL(write_file("/proc/thread-self/fail-nth", nth));
		ret = ioctl(fd, PROFIL_IOC_HISTOGRAM, &request);
		write_file("/proc/thread-self/fail-nth", "0");
		close(fd);
		CHECK_EQ(get_status(&st), 0);
		CHECK_EQ(st.state, PROFIL_STATE_ON);
		CHECK_EQ(st.tag, ret == 0);
		if (ret == 0)
			break;
		failures++;
	}
	note("%u failures", failures);
	CHECK_GE(failures, 1);
	CHECK_EQ(stop(&st), 0);
	CHECK_NOTHING_LOST(&st);
}

#ifdef __aarch64__
/*
 * Memory whose words have tags of their own (MTE): a load or store through a pointer
 * with another tag is a fault, at once or when the kernel is entered next, with a
 * signal then.
 */
#ifndef PROT_MTE
#define PROT_MTE	0x20
#endif
#ifndef HWCAP2_MTE
#define HWCAP2_MTE	(1UL << 18)
#endif
#define ANY_TAG		(0xfffeUL << PR_MTE_TAG_SHIFT)
#define GRANULE		16

/* A page of it with one tag, which the pointer has, too. */
__attribute__((target("arch=armv8.5-a+memtag")))
static void *tagged_memory(unsigned long checks)
{
	char *mem;

	if (!(getauxval(AT_HWCAP2) & HWCAP2_MTE))
		SKIP("no memory tags");
	CHECK_CALL(prctl(PR_SET_TAGGED_ADDR_CTRL,
			 PR_TAGGED_ADDR_ENABLE | ANY_TAG | checks, 0, 0, 0));
	mem = mmap(NULL, PAGE, PROT_READ | PROT_WRITE | PROT_MTE,
		   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	CHECK(mem != MAP_FAILED);
	__asm__("irg %0, %0" : "+r" (mem));
	CHECK_NE((uintptr_t)mem >> 56, 0);
	for (char *at = mem; at < mem + PAGE; at += GRANULE)
		__asm__ volatile("stg %0, [%0]" : : "r" (at) : "memory");
	return mem;
}

static void count_in_tagged_memory(void *buf, unsigned int width, void (*work)(void))
{
	struct profil_status st;

	CHECK_EQ(start_region(everything(buf, width, width), PROFIL_RATE_TICK), 0);
	CHECK(work_until(20, work));
	CHECK_EQ(stop(&st), 0);
	CHECK_NOTHING_LOST(&st);
	CHECK_EQ(st.deferred, 0);
	CHECK_EQ(counter(buf, 0, width), st.counted);
}

static void compute(void)
{
	hot_a(10000);
}

static void call_the_kernel(void)
{
	hot_syscall(10);
}

static void store_in_tagged_memory(uint64_t *array, uint64_t n)
{
	struct profil_status st;

	CHECK_EQ(start_samples(array, n, 8, PROFIL_RATE_TICK), 0);
	CHECK(work_for_ticks(20));
	CHECK_EQ(stop(&st), 0);
	CHECK_NOTHING_LOST(&st);
	CHECK_EQ(st.deferred, 0);
	CHECK_NE(array[st.nsamples - 1], 0);
}

/* A counter in a word, one that spans words, and samples. */
static void profile_into_tagged_memory(unsigned long checks)
{
	char *mem = tagged_memory(checks);

	count_in_tagged_memory(mem, 4, compute);
	count_in_tagged_memory(mem + 64, 4, call_the_kernel);
	count_in_tagged_memory(mem + 128 + 5, 4, compute);
	store_in_tagged_memory((uint64_t *)(mem + 256), (PAGE - 256) / 8);
}

TEST(memory_with_tags_of_its_own_is_written_without_looking_at_them)
{
	profile_into_tagged_memory(PR_MTE_TCF_SYNC);
	profile_into_tagged_memory(PR_MTE_TCF_ASYNC);
}
#endif
