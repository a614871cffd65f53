// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Buffers in memory that is absent, not yet present, or gone. Memory that can be written
 * gets the counts. Other memory stops the profile or the region, but never the process.
 */
#include "buffer.h"

static void *memory(int protection)
{
	return mapped(NULL, SIZE, protection, MAP_PRIVATE | MAP_ANONYMOUS, -1);
}

/* In place of mprotect()'s argument. Each of these changes stops the profile. */
#define UNMAPPED	(-1)

static void check_stops_when(int protection)
{
	void *buf = private_memory(SIZE);
	struct profil_status st;

	start(buf);
	CHECK(work_for_ticks(5));
	if (protection == UNMAPPED)
		CHECK_CALL(munmap(buf, SIZE));
	else
		CHECK_CALL(mprotect(buf, SIZE, protection));
	st = check_stopped_by_fault();
	CHECK_GE(st.counted, 5);
	if (protection != UNMAPPED) {
		CHECK_CALL(mprotect(buf, SIZE, PROT_READ));
		CHECK_EQ(counter(buf, 0, 4), st.counted);
	}
	check_can_start_again();
}

CASE(buffer_unmapped_while_profiling_stops_the_profile, check_stops_when(UNMAPPED))
CASE(buffer_made_read_only_stops_the_profile, check_stops_when(PROT_READ))
CASE(buffer_made_inaccessible_stops_the_profile, check_stops_when(PROT_NONE))

static void check_stops(void *buf)
{
	start(buf);
	check_stopped_by_fault();
	check_can_start_again();
}

static void check_stops_unchanged(const uint32_t *buf)
{
	uint32_t was = buf[0];

	check_stops((void *)(uintptr_t)buf);
	CHECK_EQ(buf[0], was);
}

/* 47 bits less a page, on every 64-bit machine's default layout. */
#define LAST	((void *)((1UL << (sizeof(long) == 8 ? 47 : 30)) - 8192))

CASE(buffer_at_address_0_stops_the_profile, check_stops(NULL))
CASE(buffer_at_the_end_of_user_space_stops_the_profile, check_stops(LAST))
CASE(buffer_in_inaccessible_memory_stops_the_profile, check_stops(memory(PROT_NONE)))
CASE(read_only_buffer_stops_the_profile_and_is_not_changed,
	check_stops_unchanged(memory(PROT_READ)))
CASE(buffer_in_the_text_stops_the_profile_and_is_not_changed,
	check_stops_unchanged((uint32_t *)text_b().lo))

TEST(buffer_in_a_read_only_file_mapping_stops_the_profile)
{
	int fd = CHECK_CALL(open("/proc/self/exe", O_RDONLY));

	check_stops_unchanged(mapped(NULL, PAGE, PROT_READ, MAP_SHARED, fd));
}

TEST(buffer_in_a_private_file_mapping_counts_in_the_copy)
{
	int fd = CHECK_CALL(open("/proc/self/exe", O_RDONLY));
	uint32_t *buf = mapped(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE, fd);
	uint32_t was = buf[1], in_file;

	start(&buf[1]);
	CHECK(work_for_ticks(10));
	CHECK_EQ(was + (uint32_t)stopped().counted, buf[1]);
	CHECK_EQ(pread(fd, &in_file, 4, 4), 4);
	CHECK_EQ(in_file, was);
}

TEST(buffer_on_the_profil_page_itself_stops_the_profile)
{
	uint32_t buf = 0;

	start(&buf);
	stopped();
	check_stops((void *)((uintptr_t)page() + 2048));
}

TEST(buffer_in_the_vdso_stops_the_profile)
{
	char line[512];

	if (!mappings("[vvar", line))
		SKIP("no vvar mapping");
	check_stops((void *)strtoul(line, NULL, 16));
}

TEST(file_mapping_cut_short_stops_the_profile_without_a_signal)
{
	int fd = CHECK_CALL(memfd_create("buffer", 0));
	void *buf;

	CHECK_CALL(ftruncate(fd, SIZE));
	buf = mapped(NULL, SIZE, PROT_READ | PROT_WRITE, MAP_SHARED, fd);
	start(buf);
	CHECK(work_for_ticks(5));
	CHECK_CALL(ftruncate(fd, 0));
	check_stopped_by_fault();
	check_can_start_again();
}

TEST(buffer_below_the_stack_pointer_is_no_harm)
{
	/* The stack grows for the process's own stores; for its updates it may not. */
	char *below = (char *)__builtin_frame_address(0) - (256 << 10);

	start(below);
	for (int i = 0; i < 200 && page()->ticks < 5; i++)
		hot_a(10000);
	accounted();
	check_can_start_again();
}

TEST(profile_stopped_by_a_fault_stays_so_when_memory_comes_back)
{
	uint32_t *buf = private_memory(SIZE);
	uint32_t was;

	start(buf);
	CHECK(work_for_ticks(5));
	CHECK_CALL(mprotect(buf, SIZE, PROT_READ));
	CHECK(work_while_on());
	CHECK_CALL(mprotect(buf, SIZE, PROT_READ | PROT_WRITE));
	was = buf[0];
	hot_a(1000 * 10000);
	CHECK_EQ(buf[0], was);
	CHECK_EQ(page()->state, PROFIL_STATE_FAULT);
}

TEST(fork_child_of_a_profile_stopped_by_a_fault_is_not_profiled)
{
	void *buf = memory(PROT_NONE);

	start(buf);
	CHECK(work_while_on());
	CHECK_CALL(mprotect(buf, SIZE, PROT_READ | PROT_WRITE));
	IN_CHILD {
		CHECK_NE(status().state, PROFIL_STATE_ON);
		hot_a(500 * 10000);
		CHECK_EQ(counter(buf, 0, 4), 0);
	}
}

TEST(buffer_in_hugetlb_memory_counts_or_stops_cleanly)
{
	size_t size = 2UL << 20;
	uint32_t *buf;

	NEEDS_ROOT();
	write_file("/proc/sys/vm/nr_hugepages", "4");
	buf = mmap(NULL, size, PROT_READ | PROT_WRITE,
		   MAP_PRIVATE | MAP_ANONYMOUS | MAP_HUGETLB, -1, 0);
	if (buf == MAP_FAILED)
		SKIP("no huge pages");
	start(buf);
	hot_a(1000 * 10000);
	CHECK_EQ(accounted().counted, buf[0]);
	/* Once it is there, it counts. */
	buf[0] = 0;
	start(buf);
	check_counts(buf);
	CHECK_CALL(munmap(buf, size));
	write_file("/proc/sys/vm/nr_hugepages", "0");
}
