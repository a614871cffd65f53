// SPDX-License-Identifier: LGPL-2.1-or-later
/* libprofil/memory.c, against the real kernel. */
#include "kernel.h"

#include <sys/mman.h>

#include "../../libprofil/memory.h"

#define PAGE		4096UL

/* Three pages: read-write, read-only, none. */
static unsigned char *pages;

static int map_pages(void **state)
{
	(void)state;
	pages = mmap(NULL, 3 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	assert_true(pages != MAP_FAILED);
	memset(pages, 0xa5, 2 * PAGE);
	assert_int_equal(mprotect(pages + PAGE, PAGE, PROT_READ), 0);
	assert_int_equal(mprotect(pages + 2 * PAGE, PAGE, PROT_NONE), 0);
	return 0;
}

static int unmap_pages(void **state)
{
	(void)state;
	return munmap(pages, 3 * PAGE);
}

TEST(each_byte_counts)
{
	static const struct { size_t from, bytes; bool readable, writable; } rows[] = {
		{ 0, PAGE, true, true }, { PAGE - 1, 1, true, true },
		{ 0, PAGE + 1, true, false }, { PAGE - 1, 2, true, false },
		{ 0, 2 * PAGE, true, false }, { 2 * PAGE - 1, 1, true, false },
		{ 0, 2 * PAGE + 1, false, false }, { 2 * PAGE - 1, 2, false, false },
		{ 2 * PAGE, 1, false, false }, { 0, SIZE_MAX, false, false },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		unsigned char *from = pages + rows[i].from;

		assert_int_equal(libprofil_memory_is_readable(from, rows[i].bytes),
				 rows[i].readable);
		assert_int_equal(libprofil_memory_is_writable(from, rows[i].bytes),
				 rows[i].writable);
	}
	assert_false(libprofil_memory_is_readable(NULL, 1));
	assert_false(libprofil_memory_is_writable(NULL, 1));
}

TEST(no_bytes_are_always_good)
{
	assert_true(libprofil_memory_is_readable(NULL, 0));
	assert_true(libprofil_memory_is_writable(NULL, 0));
	assert_true(libprofil_memory_is_user(UINT64_MAX, 0));
}

TEST(kernel_addresses_are_not_the_users)
{
	assert_true(libprofil_memory_is_user((uintptr_t)pages, 3 * PAGE));
	assert_true(libprofil_memory_is_user(0, 1));
	assert_false(libprofil_memory_is_user(0xffff888000000000, 1));
	assert_false(libprofil_memory_is_user(0xffff888000000001, 1));
	assert_false(libprofil_memory_is_user((uintptr_t)pages, 1UL << 62));
	assert_false(libprofil_memory_is_user((uintptr_t)pages, UINT64_MAX));
}

TEST(a_probe_stays_in_the_word_of_the_first_byte)
{
	static char bytes[64] __attribute__((aligned(64)));

	assert_true(libprofil_memory_is_readable(bytes + 9, 20));
	assert_ptr_equal(kernel.probed, bytes + 8);
	assert_true(libprofil_memory_is_readable(bytes + 32, 4));
	assert_ptr_equal(kernel.probed, bytes + 32);
}

UNIT_MAIN("memory", map_pages, unmap_pages, NULL, NULL)
