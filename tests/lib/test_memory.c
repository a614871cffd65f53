// SPDX-License-Identifier: LGPL-2.1-or-later
/* libprofil/memory.c, against the real kernel. */
#include "kernel.h"

#include <string.h>
#include <sys/mman.h>

#include "../../libprofil/memory.h"

#define PAGE		4096UL

/* Three pages: read-write, read-only, none. */
static unsigned char *pages;

static int map_pages(void **state)
{
	(void)state;
	pages = mmap(NULL, 3 * PAGE, PROT_READ | PROT_WRITE,
		     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
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

static void mapped_memory_is_readable(void **state)
{
	(void)state;
	assert_true(libprofil_memory_is_readable(pages, 2 * PAGE));
	assert_true(libprofil_memory_is_readable(pages + 2 * PAGE - 1, 1));
}

static void one_unreadable_byte_at_the_end_is_found(void **state)
{
	(void)state;
	assert_false(libprofil_memory_is_readable(pages, 2 * PAGE + 1));
	assert_false(libprofil_memory_is_readable(pages + 2 * PAGE - 1, 2));
}

static void read_only_memory_is_not_writable(void **state)
{
	(void)state;
	assert_true(libprofil_memory_is_writable(pages, PAGE));
	assert_true(libprofil_memory_is_writable(pages + PAGE - 1, 1));
	assert_false(libprofil_memory_is_writable(pages, PAGE + 1));
	assert_false(libprofil_memory_is_writable(pages + PAGE - 1, 2));
	assert_false(libprofil_memory_is_writable(pages + 2 * PAGE, 1));
}

static void asking_changes_nothing(void **state)
{
	(void)state;
	errno = ERANGE;
	(void)libprofil_memory_is_writable(pages, 3 * PAGE);
	(void)libprofil_memory_is_readable(pages, 3 * PAGE);
	assert_int_equal(errno, ERANGE);
	for (size_t i = 0; i < 2 * PAGE; i++)
		assert_int_equal(pages[i], 0xa5);
}

static void untouched_memory_is_writable(void **state)
{
	unsigned char *fresh = mmap(NULL, PAGE, PROT_READ | PROT_WRITE,
				    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	(void)state;
	assert_true(fresh != MAP_FAILED);
	assert_true(libprofil_memory_is_writable(fresh, PAGE));
	assert_int_equal(munmap(fresh, PAGE), 0);
}

static void the_null_page_is_neither(void **state)
{
	(void)state;
	assert_false(libprofil_memory_is_readable(NULL, 1));
	assert_false(libprofil_memory_is_writable(NULL, 1));
}

static void no_bytes_are_always_good(void **state)
{
	(void)state;
	assert_true(libprofil_memory_is_readable(NULL, 0));
	assert_true(libprofil_memory_is_writable(NULL, 0));
	assert_true(libprofil_memory_is_user(UINT64_MAX, 0));
}

static void kernel_addresses_are_not_the_users(void **state)
{
	(void)state;
	assert_true(libprofil_memory_is_user((uintptr_t)pages, 3 * PAGE));
	assert_true(libprofil_memory_is_user(0, 1));
	assert_false(libprofil_memory_is_user(0xffff888000000000, 1));
	assert_false(libprofil_memory_is_user(0xffff888000000001, 1));
	assert_false(libprofil_memory_is_user((uintptr_t)pages, 1UL << 62));
}

static void ranges_that_wrap_are_bad(void **state)
{
	(void)state;
	assert_false(libprofil_memory_is_user((uintptr_t)pages, UINT64_MAX));
	assert_false(libprofil_memory_is_readable(pages, SIZE_MAX));
	assert_false(libprofil_memory_is_writable(pages, SIZE_MAX));
}

#define test(name) cmocka_unit_test_setup_teardown(name, map_pages, unmap_pages)

int main(void)
{
	static const struct CMUnitTest tests[] = {
		test(mapped_memory_is_readable),
		test(one_unreadable_byte_at_the_end_is_found),
		test(read_only_memory_is_not_writable),
		test(asking_changes_nothing),
		test(untouched_memory_is_writable),
		test(the_null_page_is_neither),
		test(no_bytes_are_always_good),
		test(kernel_addresses_are_not_the_users),
		test(ranges_that_wrap_are_bad),
	};

	return cmocka_run_group_tests_name("memory", tests, NULL, NULL);
}
