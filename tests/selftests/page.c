// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The page that carries the profile: what a process can do to it, and what
 * else the device's file operations say.
 */
#include <fcntl.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/uio.h>

#include "harness.h"
#include "machine.h"
#include "device.h"
#include "work.h"

#define TICKS	10

static uint32_t buf;
static size_t page_size;

static void start(void)
{
	page_size = (size_t)sysconf(_SC_PAGESIZE);
	buf = 0;
	CHECK_EQ(start_region(everything(&buf, sizeof(buf), 4), PROFIL_RATE_TICK), 0);
}

static void *page_address(void)
{
	return (void *)(uintptr_t)page();
}

static void check_goes_on(void)
{
	struct profil_status st;

	CHECK_EQ(page()->state, PROFIL_STATE_ON);
	CHECK(work_for_ticks(TICKS));
	CHECK_EQ(stop(&st), 0);
	CHECK_NOTHING_LOST(&st);
	CHECK_EQ(buf, st.counted);
}

static void check_is_over(void)
{
	struct profil_status st;
	uint32_t was;

	CHECK_EQ(get_status(&st), 0);
	CHECK_NE(st.state, PROFIL_STATE_ON);
	was = buf;
	for (int i = 0; i < 1000; i++)
		hot_a(10000);
	CHECK_EQ(buf, was);
}

/* As by the rule of udev that is installed; limits.c has the module's own. */
TEST(device_is_open_to_everyone)
{
	struct stat st;

	CHECK_CALL(stat(DEVICE, &st));
	CHECK(S_ISCHR(st.st_mode));
	CHECK_EQ(st.st_mode & 0777, 0666);
}

TEST(device_opens_read_only_and_write_only)
{
	struct profil_status st = { .size = sizeof(st) };
	int fd = CHECK_CALL(open(DEVICE, O_RDONLY));

	CHECK_CALL(ioctl(fd, PROFIL_IOC_STATUS, &st));
	close(fd);
	fd = CHECK_CALL(open(DEVICE, O_WRONLY));
	CHECK_CALL(ioctl(fd, PROFIL_IOC_STATUS, &st));
	close(fd);
}

TEST(device_has_no_read_write_or_seek)
{
	int fd = CHECK_CALL(open(DEVICE, O_RDWR));
	char byte = 0;

	CHECK_FAILS(read(fd, &byte, 1), EINVAL);
	CHECK_FAILS(write(fd, &byte, 1), EINVAL);
	CHECK_FAILS(pread(fd, &byte, 1, 0), EINVAL);
	close(fd);
}

TEST(page_is_one_page_read_only_and_shared)
{
	char line[512], want[64];
	bool found = false;
	FILE *maps;

	start();
	CHECK_EQ((uintptr_t)page() % page_size, 0);
	snprintf(want, sizeof(want), "%lx-%lx r--s ", (unsigned long)page(),
		 (unsigned long)page() + page_size);
	maps = fopen("/proc/self/maps", "re");
	CHECK(maps != NULL);
	while (fgets(line, sizeof(line), maps))
		found |= strncmp(line, want, strlen(want)) == 0 && strstr(line, DEVICE);
	fclose(maps);
	CHECK(found);
}

TEST(there_is_one_page_however_many_profiles_were_started)
{
	char line[512];
	int found = 0;
	FILE *maps;

	for (int i = 0; i < 20; i++) {
		struct profil_status st;

		start();
		if (i % 2)
			CHECK_EQ(stop(&st), 0);
	}
	maps = fopen("/proc/self/maps", "re");
	CHECK(maps != NULL);
	while (fgets(line, sizeof(line), maps))
		found += strstr(line, DEVICE) != NULL;
	fclose(maps);
	CHECK_EQ(found, 1);
}

TEST(page_cannot_be_made_writable_or_executable)
{
	start();
	CHECK_FAILS(mprotect(page_address(), page_size, PROT_READ | PROT_WRITE), EACCES);
	CHECK_FAILS(mprotect(page_address(), page_size, PROT_WRITE), EACCES);
	CHECK_FAILS(mprotect(page_address(), page_size, PROT_READ | PROT_EXEC), EACCES);
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

TEST(page_made_unreadable_and_readable_again_still_carries_the_profile)
{
	struct profil_status st;

	start();
	CHECK_CALL(mprotect(page_address(), page_size, PROT_NONE));
	for (int i = 0; i < 500; i++)
		hot_a(10000);
	CHECK_EQ(get_status(&st), 0);
	CHECK_EQ(st.state, PROFIL_STATE_ON);
	CHECK_CALL(mprotect(page_address(), page_size, PROT_READ));
	check_goes_on();
}

TEST(unmapping_the_page_ends_the_profile)
{
	start();
	CHECK(work_for_ticks(3));
	CHECK_CALL(munmap(page_address(), page_size));
	check_is_over();
	CHECK(!has_page());
}

TEST(after_unmapping_the_page_a_new_profile_gets_a_new_one)
{
	start();
	CHECK_CALL(munmap(page_address(), page_size));
	start();
	CHECK(has_page());
	check_goes_on();
}

TEST(mapping_something_over_the_page_ends_the_profile)
{
	start();
	CHECK(work_for_ticks(3));
	CHECK(mmap(page_address(), page_size, PROT_READ | PROT_WRITE,
		   MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) != MAP_FAILED);
	check_is_over();
	CHECK(!has_page());
}

/* Either it moves and carries on, or it stays and carries on. */
TEST(moving_the_page_keeps_the_profile)
{
	struct profil_status st;
	void *place, *moved;

	start();
	CHECK(work_for_ticks(3));
	place = mmap(NULL, page_size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	CHECK(place != MAP_FAILED);
	moved = mremap(page_address(), page_size, page_size,
		       MREMAP_MAYMOVE | MREMAP_FIXED, place);
	note(moved == MAP_FAILED ? "refused: %m" : "moved");
	for (int i = 0; i < 1000; i++)
		hot_a(10000);
	CHECK_EQ(get_status(&st), 0);
	CHECK_EQ(st.state, PROFIL_STATE_ON);
	CHECK_GT(st.ticks, 3);
	CHECK(has_page());
	CHECK_EQ(stop(&st), 0);
	CHECK_NOTHING_LOST(&st);
	CHECK_EQ(buf, st.counted);
	if (moved != MAP_FAILED)
		CHECK_EQ(((struct profil_status *)moved)->ticks, st.ticks);
	else
		CHECK_EQ(page()->ticks, st.ticks);
	/* And the next profile is told the page's right address. */
	start();
	CHECK(moved == MAP_FAILED || page_address() == moved);
	check_goes_on();
}

TEST(page_cannot_grow)
{
	start();
	CHECK(mremap(page_address(), page_size, 2 * page_size, MREMAP_MAYMOVE) == MAP_FAILED);
	check_goes_on();
}

/* Shared mappings may be duplicated by an mremap() of length 0. */
TEST(second_mapping_of_the_page_by_mremap_is_refused_or_harmless)
{
	void *second;

	start();
	second = mremap(page_address(), 0, page_size, MREMAP_MAYMOVE);
	note(second == MAP_FAILED ? "refused: %m" : "granted");
	CHECK_EQ(page()->state, PROFIL_STATE_ON);
	if (second != MAP_FAILED)
		CHECK_CALL(munmap(second, page_size));
	if (page()->state == PROFIL_STATE_ON)
		check_goes_on();
	else
		check_is_over();
}

TEST(mapping_the_device_with_a_wrong_length_protection_offset_or_kind_fails)
{
	int fd = CHECK_CALL(open(DEVICE, O_RDWR));

	start();
	CHECK(mmap(NULL, 2 * page_size, PROT_READ, MAP_SHARED, fd, 0) == MAP_FAILED);
	CHECK(mmap(NULL, 1 << 20, PROT_READ, MAP_SHARED, fd, 0) == MAP_FAILED);
	CHECK(mmap(NULL, page_size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0) == MAP_FAILED);
	CHECK(mmap(NULL, page_size, PROT_WRITE, MAP_SHARED, fd, 0) == MAP_FAILED);
	CHECK(mmap(NULL, page_size, PROT_READ | PROT_EXEC, MAP_SHARED, fd, 0) == MAP_FAILED);
	CHECK(mmap(NULL, page_size, PROT_READ, MAP_PRIVATE, fd, 0) == MAP_FAILED);
	CHECK(mmap(NULL, page_size, PROT_READ | PROT_WRITE, MAP_PRIVATE, fd, 0) == MAP_FAILED);
	CHECK(mmap(NULL, page_size, PROT_READ, MAP_SHARED, fd, 2 * (off_t)page_size) == MAP_FAILED);
	CHECK(mmap(NULL, page_size, PROT_READ, MAP_SHARED, fd, (off_t)1 << 40) == MAP_FAILED);
	close(fd);
	check_goes_on();
}

TEST(mapping_the_device_by_hand_fails_or_disturbs_nothing)
{
	int fd = CHECK_CALL(open(DEVICE, O_RDWR));
	void *by_hand;

	page_size = (size_t)sysconf(_SC_PAGESIZE);
	by_hand = mmap(NULL, page_size, PROT_READ, MAP_SHARED, fd, 0);
	note(by_hand == MAP_FAILED ? "refused: %m" : "granted");
	start();
	if (by_hand != MAP_FAILED)
		CHECK_EQ(((struct profil_status *)by_hand)->state, page()->state);
	check_goes_on();
	start();
	by_hand = mmap(NULL, page_size, PROT_READ, MAP_SHARED, fd, 0);
	if (by_hand != MAP_FAILED)
		CHECK_CALL(munmap(by_hand, page_size));
	check_goes_on();
	close(fd);
}

TEST(page_is_kept_from_children_by_dontfork_and_they_are_not_profiled)
{
	struct profil_status st;
	pid_t pid;

	start();
	if (madvise(page_address(), page_size, MADV_DONTFORK) != 0) {
		check_goes_on();
		return;
	}
	pid = FORK();
	if (pid == 0) {
		uint32_t was = buf;

		CHECK_EQ(get_status(&st), 0);
		CHECK_EQ(st.state, PROFIL_STATE_OFF);
		for (int i = 0; i < 500; i++)
			hot_a(10000);
		CHECK_EQ(buf, was);
		/* It can have its own. */
		start();
		check_goes_on();
		_exit(0);
	}
	wait_ok(pid);
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
		madvise(page_address(), page_size, advice[i]);
	mlock(page_address(), page_size);
	msync(page_address(), page_size, MS_SYNC | MS_INVALIDATE);
	CHECK_EQ(page()->size, sizeof(struct profil_status));
	check_goes_on();
}

TEST(profile_with_all_memory_locked_counts)
{
	struct profil_status st;

	CHECK_CALL(mlockall(MCL_CURRENT | MCL_FUTURE));
	start();
	CHECK(work_for_ticks(TICKS));
	CHECK_EQ(stop(&st), 0);
	CHECK_NOTHING_LOST(&st);
	CHECK_EQ(buf, st.counted);
	start();
	check_goes_on();
}

/* From now on each new page has to be locked, and only so many bytes may be. */
static void lock_all_up_to(rlim_t bytes)
{
	struct rlimit limit = { bytes, bytes };

	CHECK_CALL(mlockall(MCL_FUTURE));
	CHECK_CALL(setrlimit(RLIMIT_MEMLOCK, &limit));
}

TEST(start_that_may_lock_no_page_is_told_to_try_again_and_leaves_nothing)
{
	struct profil_status st;

	NEEDS_ROOT();
	lock_all_up_to(0);
	CHECK_CALL(become_nobody());
	CHECK_EQ(start_region(everything(&buf, 4, 4), PROFIL_RATE_TICK), -EAGAIN);
	CHECK_EQ(start_samples(&buf, 1, 4, PROFIL_RATE_TICK), -EAGAIN);
	CHECK(!has_page());
	CHECK_EQ(get_status(&st), 0);
	CHECK_EQ(st.mode, PROFIL_MODE_NONE);
	CHECK_CALL(munlockall());
	start();
	check_goes_on();
}

TEST(start_with_a_page_that_is_there_already_locks_none)
{
	struct profil_status st;

	NEEDS_ROOT();
	start();
	CHECK_EQ(stop(&st), 0);
	buf = 0;
	lock_all_up_to(0);
	CHECK_CALL(become_nobody());
	start();
	check_goes_on();
}

static long locked_kb(void)
{
	char text[4096], *at;

	CHECK_CALL(read_file("/proc/self/status", text, sizeof(text)));
	at = strstr(text, "VmLck:");
	CHECK(at != NULL);
	return strtol(at + 6, NULL, 10);
}

/* The limit is looked at, but the page is not charged to it. */
TEST(page_does_not_count_as_locked_memory)
{
	long before;

	NEEDS_ROOT();
	lock_all_up_to(1 << 20);
	CHECK_CALL(become_nobody());
	start();
	CHECK_CALL(munmap(page_address(), page_size));
	before = locked_kb();
	start();
	CHECK_EQ(locked_kb(), before);
	check_goes_on();
}

TEST(start_in_a_full_address_space_fails_and_leaves_nothing)
{
	struct rlimit none = { 4096, 4096 };
	struct profil_status st;

	CHECK_CALL(setrlimit(RLIMIT_AS, &none));
	CHECK_EQ(start_region(everything(&buf, 4, 4), PROFIL_RATE_TICK), -ENOMEM);
	CHECK_EQ(get_status(&st), 0);
	CHECK_EQ(st.state, PROFIL_STATE_OFF);
	CHECK_EQ(st.mode, PROFIL_MODE_NONE);
}
