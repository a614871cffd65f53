// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The page that carries the profile, and all that a process can do to it. Also other file
 * operations of the device.
 */
#include <sys/file.h>
#include <sys/resource.h>

#include "setup.h"

#define TICKS	10

static void *page_address(void)
{
	return (void *)(uintptr_t)page();
}

static void start(void)
{
	start_tally(PROFIL_RATE_TICK);
}

static void check_goes_on(void)
{
	check_tally(TICKS);
}

static void check_is_over(void)
{
	uint32_t was = tally.n;

	CHECK_NE(status().state, PROFIL_STATE_ON);
	hot_a(1000 * 10000);
	CHECK_EQ(tally.n, was);
}

TEST(device_has_no_read_write_seek_or_lock)
{
	int fd = CHECK_CALL(open(DEVICE, O_RDWR));
	char byte = 0;

	CHECK_FAILS(read(fd, &byte, 1), EINVAL);
	CHECK_FAILS(write(fd, &byte, 1), EINVAL);
	CHECK_FAILS(pread(fd, &byte, 1, 0), EINVAL);
	CHECK_FAILS(flock(fd, LOCK_SH), EINVAL);
	CHECK_FAILS(lockf(fd, F_TLOCK, 1), EINVAL);
}

/* The device is mapped once, at page(). */
static void check_is_one_page(void)
{
	char line[512], want[64];

	CHECK_EQ((uintptr_t)page() % PAGE, 0);
	snprintf(want, sizeof(want), "%lx-%lx r--s ", (unsigned long)page(),
		 (unsigned long)page() + PAGE);
	CHECK_EQ(mappings(DEVICE, line), 1);
	CHECK_EQ(strncmp(line, want, strlen(want)), 0);
}

/* However many profiles were started. */
TEST(page_is_one_page_read_only_and_shared)
{
	for (int i = 0; i < 20; i++) {
		start();
		if (i % 2)
			stopped();
	}
	check_is_one_page();
}

TEST(page_cannot_be_made_writable_or_executable)
{
	start();
	CHECK_FAILS(mprotect(page_address(), PAGE, PROT_READ | PROT_WRITE), EACCES);
	CHECK_FAILS(mprotect(page_address(), PAGE, PROT_WRITE), EACCES);
	CHECK_FAILS(mprotect(page_address(), PAGE, PROT_READ | PROT_EXEC), EACCES);
	check_goes_on();
}

TEST(page_cannot_be_written_through_proc_mem)
{
	int fd = CHECK_CALL(open("/proc/self/mem", O_RDWR));
	uint32_t size = 0;

	start();
	CHECK_LE(pwrite(fd, &size, sizeof(size), (off_t)(uintptr_t)page()), -1);
	CHECK_EQ(page()->size, sizeof(struct profil_status));
	close(fd);
	check_goes_on();
}

TEST(unmapping_the_page_ends_the_profile_and_a_new_one_gets_one)
{
	start();
	CHECK(work_for_ticks(3));
	unmap_page();
	check_is_over();
	CHECK(!has_page());
	start();
	CHECK(has_page());
	check_goes_on();
}

TEST(page_cannot_be_moved_or_copied_and_the_profile_goes_on)
{
	const int dontunmap = 4;	/* MREMAP_DONTUNMAP */
	void *place, *was;

	start();
	CHECK(work_for_ticks(3));
	was = page_address();
	place = mapped(NULL, PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1);
	CHECK_FAILS((long)mremap(was, PAGE, PAGE, MREMAP_MAYMOVE | MREMAP_FIXED, place), EINVAL);
	/* The kernel has made a copy, and moved the page there, before the module refuses it. */
	CHECK_FAILS(msync(place, PAGE, MS_ASYNC), ENOMEM);
	check_is_one_page();
	CHECK_FAILS((long)mremap(was, PAGE, PAGE, MREMAP_MAYMOVE | dontunmap, NULL), EINVAL);
	/* With a length of 0 it would be a copy. */
	CHECK(mremap(was, 0, PAGE, MREMAP_MAYMOVE) == MAP_FAILED);
	CHECK(mremap(was, 0, PAGE, MREMAP_MAYMOVE | MREMAP_FIXED, place) == MAP_FAILED);
	/* And it cannot grow. */
	CHECK(mremap(was, PAGE, 2 * PAGE, MREMAP_MAYMOVE) == MAP_FAILED);
	CHECK_EQ(page()->state, PROFIL_STATE_ON);
	CHECK_GE(page()->ticks, 3);
	check_goes_on();
	/* The next start is told the same address. */
	start();
	CHECK(page_address() == was);
	IN_CHILD {
		CHECK_EQ(page()->state, PROFIL_STATE_ON);
	}
	check_goes_on();
	CHECK_CALL(munmap(was, PAGE));
	check_is_over();
}

TEST(mapping_with_a_wrong_length_protection_or_offset_fails)
{
	static const struct {
		size_t length;
		int protection, kind;
		off_t offset;
	} wrong[] = {
		{ 2 * PAGE, PROT_READ, MAP_SHARED, 0 }, { 1 << 20, PROT_READ, MAP_SHARED, 0 },
		{ PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, 0 },
		{ PAGE, PROT_WRITE, MAP_SHARED, 0 },
		{ PAGE, PROT_READ | PROT_EXEC, MAP_SHARED, 0 },
		{ PAGE, PROT_READ, MAP_PRIVATE, 0 },
		{ PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE, 0 },
		{ PAGE, PROT_READ, MAP_SHARED, 2 * PAGE },
		{ PAGE, PROT_READ, MAP_SHARED, (off_t)1 << 40 },
	};
	int fd = CHECK_CALL(open(DEVICE, O_RDWR));

	start();
	for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++)
		CHECK(mmap(NULL, wrong[i].length, wrong[i].protection,
			   wrong[i].kind, fd, wrong[i].offset) == MAP_FAILED);
	close(fd);
	check_goes_on();
}

TEST(children_without_the_page_are_not_profiled)
{
	start();
	CHECK_CALL(madvise(page_address(), PAGE, MADV_DONTFORK));
	IN_CHILD {
		check_is_over();
		/* It can have its own. */
		start();
		check_goes_on();
	}
	check_goes_on();
}

TEST(advice_on_the_page_does_not_disturb_the_profile)
{
	static const int advice[] = {
		MADV_DONTNEED, MADV_WILLNEED, MADV_COLD, MADV_PAGEOUT, MADV_FREE,
		MADV_HUGEPAGE, MADV_MERGEABLE, MADV_REMOVE, MADV_DONTDUMP,
	};

	start();
	for (size_t i = 0; i < sizeof(advice) / sizeof(advice[0]); i++)
		madvise(page_address(), PAGE, advice[i]);
	mlock(page_address(), PAGE);
	msync(page_address(), PAGE, MS_SYNC | MS_INVALIDATE);
	CHECK_EQ(page()->size, sizeof(struct profil_status));
	check_goes_on();
}

/* From now on each new page has to be locked, and only so many bytes may be. */
static void lock_all_up_to(rlim_t bytes)
{
	struct rlimit limit = { bytes, bytes };

	CHECK_CALL(mlockall(MCL_FUTURE));
	CHECK_CALL(setrlimit(RLIMIT_MEMLOCK, &limit));
}

TEST(start_that_may_lock_no_page_fails_and_leaves_nothing)
{
	NEEDS_ROOT();
	lock_all_up_to(0);
	CHECK_CALL(become_nobody());
	CHECK_EQ(start_region(everything(&tally.n, 4, 4), PROFIL_RATE_TICK), -EAGAIN);
	CHECK_EQ(start_samples(&tally, 1, 4, PROFIL_RATE_TICK), -EAGAIN);
	CHECK(!has_page());
	CHECK_EQ(status().mode, PROFIL_MODE_NONE);
	CHECK_CALL(munlockall());
	start();
	check_goes_on();
}

/* The limit is looked at, but the page is not charged to it. */
TEST(page_does_not_count_as_locked_memory)
{
	unsigned long before;

	NEEDS_ROOT();
	lock_all_up_to(1 << 20);
	CHECK_CALL(become_nobody());
	start();
	unmap_page();
	before = kb_of("/proc/self/status", "VmLck:");
	start();
	CHECK_EQ(kb_of("/proc/self/status", "VmLck:"), before);
	check_goes_on();
}
