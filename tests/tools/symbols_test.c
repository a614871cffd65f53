// SPDX-License-Identifier: LGPL-2.1-or-later
/* Names and lines, and how much is read for them. objects.py has what reports show. */
#include "unit.h"
#include "content/functions.h"
#include "object/address_ranges.h"
#include "object/debuginfod.h"
#include "object/frames.h"
#include "object/symbols.h"

#include <dlfcn.h>
#include <unistd.h>

static size_t walked;

/* How many entries of debug information have been looked at. */
typeof(dwarf_siblingof) __real_dwarf_siblingof, __wrap_dwarf_siblingof;
int __wrap_dwarf_siblingof(Dwarf_Die *die, Dwarf_Die *result)
{
	walked++;
	return __real_dwarf_siblingof(die, result);
}

/* Asks for frames in each of the functions; how many have an inlined one. */
static unsigned int ask_all(struct object *object)
{
	void *library = dlopen(object->path, RTLD_NOW);
	struct frame frames[FRAMES_MOST];
	unsigned int i, inlined = 0;
	char name[32], *function;
	Dl_info info;

	assert_non_null(library);
	for (i = 100; i < 600; i++) {
		uint64_t address, start;

		snprintf(name, sizeof(name), "function_%u", i);
		function = dlsym(library, name);
		assert_int_not_equal(dladdr(function, &info), 0);
		start = (uint64_t)(function - (char *)info.dli_fbase);
		for (address = start; address < start + 8; address++)
			inlined += frames_at(object, address, frames) == 2;
	}
	return inlined;
}

TEST(a_unit_is_read_once_however_much_is_asked)
{
	static char path[] = FIXTURES "/many.so";
	struct object object = { .path = path, .shown = path, .name = "many", .high = 1 << 20 };

	walked = 0;
	assert_in_range(ask_all(&object), 500, 4000);
	/* 500 functions with an entry or two each. */
	assert_in_range(walked, 500, 5000);
	walked = 0;
	ask_all(&object);
	assert_int_equal(walked, 0);
	symbols_free(&object);
}

TEST(the_innermost_range_is_found)
{
	struct address_ranges ranges = { 0 };

	address_ranges_add(&ranges, 100, 200, 1);
	address_ranges_add(&ranges, 100, 1000, 2);
	address_ranges_add(&ranges, 500, 600, 3);
	address_ranges_add(&ranges, 550, 550, 4);
	address_ranges_sort(&ranges);
	static const struct { uint64_t address; int item; } cases[] = {
		{ 0, -1 }, { 99, -1 }, { 100, 1 }, { 199, 1 }, { 200, 2 },
		{ 550, 3 }, { 600, 2 }, { 999, 2 }, { 1000, -1 },
	};
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		assert_int_equal(address_ranges_find(&ranges, cases[i].address), cases[i].item);
	free(ranges.list);
}

TEST(inlined_functions_are_told_apart_by_name_and_source)
{
	struct row row = { .name = "f", .inlined = true }, g = row, later = row;

	g.name = "g";
	later.declared.number = 1;
	assert_true(functions_compare_rows(&row, &g) < 0);
	assert_true(functions_compare_rows(&row, &later) < 0);
}

TEST(a_server_that_sends_a_large_file_is_asked_again)
{
	setenv("DEBUGINFOD_URLS", "none:", 1);
	setenv("DEBUGINFOD_TIMEOUT", "1", 1);
	debuginfod_begin();
	usleep(1100000);
	debuginfod_end(true);
	assert_non_null(getenv("DEBUGINFOD_URLS"));
	debuginfod_end(false);
	assert_null(getenv("DEBUGINFOD_URLS"));
}

UNIT_MAIN("symbols", NULL, NULL, NULL, NULL)
