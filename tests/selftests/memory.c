// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Memory management changes a buffer while the kernel counts in it. Pages go away, come
 * back elsewhere, are shared, split, merged or swapped. None of this may lose a count.
 */
#include <sys/auxv.h>

#include "buffer.h"

#define HUGE	(2UL << 20)

#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE	23
#endif
#ifndef MADV_COLLAPSE
#define MADV_COLLAPSE	25
#endif

/* Only the counts in the discarded page are lost. */
TEST(buffer_thrown_away_by_madvise_starts_again_at_0_and_goes_on)
{
	uint32_t *buf = private_memory(PAGE);
	struct profil_status st;
	uint64_t before = 0;

	start(buf);
	CHECK(work_for_ticks(10));
	for (int i = 0; i < 10; i++) {
		CHECK_CALL(madvise(buf, PAGE, MADV_DONTNEED));
		before = page()->ticks;
		CHECK(work_for_ticks(3));
	}
	st = stopped();
	CHECK_GE(buf[0], st.counted - before);
	CHECK_LT(buf[0], st.counted);
	CHECK_GE(st.deferred, 10);
}

TEST(array_thrown_away_by_madvise_goes_on_from_its_position)
{
	uint64_t *array = private_memory(2 * PAGE), before, after;
	struct profil_status st;

	CHECK_EQ(start_samples(array, 2 * PAGE / 8, 8, PROFIL_RATE_TICK), 0);
	CHECK(work_for_ticks(20));
	before = page()->nsamples;
	CHECK_CALL(madvise(array, 2 * PAGE, MADV_DONTNEED));
	after = page()->ticks;
	CHECK(work_for_ticks(20));
	st = stopped();
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
	char *buf = private_memory(PAGE), *moved, *place = private_memory(PAGE);
	struct profil_status st;
	uint32_t was;

	start(buf);
	CHECK(work_for_ticks(5));
	moved = mremap(buf, PAGE, PAGE, MREMAP_MAYMOVE | MREMAP_FIXED, place);
	CHECK(moved == place);
	was = (uint32_t)counter(moved, 0, 4);
	work_while_on();
	CHECK_EQ(stop(&st), 0);
	CHECK_EQ(st.state, PROFIL_STATE_FAULT);
	CHECK_ACCOUNTS(&st);
	CHECK_EQ(counter(moved, 0, 4), was);
	CHECK_EQ(st.counted, was);
}

TEST(other_memory_moved_under_the_buffer_is_counted_in)
{
	char *buf = private_memory(PAGE), *other = private_memory(PAGE);
	struct profil_status st;
	uint64_t before;

	start(buf);
	CHECK(work_for_ticks(5));
	other[0] = 0;
	before = page()->ticks;
	CHECK(mremap(other, PAGE, PAGE, MREMAP_MAYMOVE | MREMAP_FIXED, buf) == buf);
	CHECK(work_for_ticks(5));
	st = stopped();
	CHECK_GE(counter(buf, 0, 4), 5);
	CHECK_LE(counter(buf, 0, 4), st.counted - before);
}

static char *huge_page(void)
{
	char *mem = private_memory(2 * HUGE);
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

TEST(buffer_that_is_copied_on_write_after_fork_loses_nothing)
{
	uint32_t *buf = private_memory(PAGE);

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
		CHECK(work_for_places(5));
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
	uint32_t *buf = private_memory(PAGE);

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
	uint64_t *array = private_memory(4 * PAGE);
	struct profil_status st;

	if (access("/proc/self/clear_refs", W_OK) != 0)
		SKIP("no clear_refs");
	memset(array, 0, 4 * PAGE);
	CHECK_EQ(start_samples(array, 4 * PAGE / 8, 8, PROFIL_RATE_TICK), 0);
	clear_accessed_bits("array");
	st = stopped();
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

/* Two pages of it with one tag, which the pointer has, too. */
__attribute__((target("arch=armv8.5-a+memtag")))
static void *tagged_memory(unsigned long checks)
{
	char *mem;

	if (!(getauxval(AT_HWCAP2) & HWCAP2_MTE))
		SKIP("no memory tags");
	CHECK_CALL(prctl(PR_SET_TAGGED_ADDR_CTRL,
			 PR_TAGGED_ADDR_ENABLE | ANY_TAG | checks, 0, 0, 0));
	mem = mmap(NULL, 2 * PAGE, PROT_READ | PROT_WRITE | PROT_MTE,
		   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	CHECK(mem != MAP_FAILED);
	__asm__("irg %0, %0" : "+r" (mem));
	CHECK_NE((uintptr_t)mem >> 56, 0);
	for (char *at = mem; at < mem + 2 * PAGE; at += GRANULE)
		__asm__ volatile("stg %0, [%0]" : : "r" (at) : "memory");
	return mem;
}

static void call_the_kernel(void)
{
	hot_syscall(10);
}

static void count_in_tagged_memory(void *buf, bool in_kernel)
{
	struct profil_status st;

	CHECK_EQ(start_region(everything(buf, 4, 4), PROFIL_RATE_TICK), 0);
	CHECK(in_kernel ? work_until(20, call_the_kernel) : work_for_ticks(20));
	st = stopped();
	CHECK_EQ(st.deferred, 0);
	CHECK_EQ(counter(buf, 0, 4), st.counted);
}

/* Stacks are behind the samples, if the module makes any. */
static void store_in_tagged_memory(uint64_t *array, uint64_t n)
{
	struct profil_samples request = SAMPLES(array, n, 8, PROFIL_RATE_TICK);
	struct profil_status st;

	if (features().stacks) {
		request.stacks = (uintptr_t)(array + n);
		request.stacks_size = PAGE;
	}
	CHECK_EQ(start_array(&request), 0);
	CHECK(work_for_ticks(20));
	st = stopped();
	CHECK_EQ(st.deferred, 0);
	CHECK_EQ(st.stackless, 0);
	CHECK_NE(array[st.nsamples - 1], 0);
}

/* A counter in a word, one that spans words, samples, and their stacks. */
static void profile_into_tagged_memory(unsigned long checks)
{
	char *mem = tagged_memory(checks);

	count_in_tagged_memory(mem, false);
	count_in_tagged_memory(mem + 64, true);
	count_in_tagged_memory(mem + 128 + 5, false);
	store_in_tagged_memory((uint64_t *)(mem + 256), (PAGE - 256) / 8);
}

TEST(tags_of_memory_are_not_looked_at)
{
	profile_into_tagged_memory(PR_MTE_TCF_SYNC);
	profile_into_tagged_memory(PR_MTE_TCF_ASYNC);
}
#endif
