// SPDX-License-Identifier: LGPL-2.1-or-later
/* What the reader looks for, and how often. reading.py has what it finds. */
#include "unit.h"
#include "profile/later_objects.h"
#include "profile/load_path.h"
#include "profile/pc_counts.h"
#include "profile/places.h"
#include "reader/profile_file.h"
#include "synthetic.h"

static struct synthetic file;
static struct profile profile;

/* How many records have been looked at, and how many strings compared. */
static size_t records, comparisons;

const struct profile_record *
__real_profile_file_record(const struct profile_file *from,
			   const struct profile_record *record);
const struct profile_record *
__wrap_profile_file_record(const struct profile_file *from,
			   const struct profile_record *record);
const struct profile_record *
__wrap_profile_file_record(const struct profile_file *from,
			   const struct profile_record *record)
{
	records++;
	return __real_profile_file_record(from, record);
}

int __real_strcmp(const char *x, const char *y);
int __wrap_strcmp(const char *x, const char *y);
int __wrap_strcmp(const char *x, const char *y)
{
	comparisons++;
	return __real_strcmp(x, y);
}

#define MANY	400

/* Many objects, and as many addresses that are in none of them. */
static void write_many(uint64_t sample)
{
	char name[16];

	synthetic_begin(&file);
	for (unsigned int i = 0; i < MANY; i++) {
		snprintf(name, sizeof(name), "/lib/%u.so", i);
		synthetic_object(&file, sample, name, 0x100000 + 0x2000 * i,
				 0x101000 + 0x2000 * i, 0x100000);
		synthetic_samples(&file, 0x101000 + 0x2000 * i, 1);
	}
}

static void load(void)
{
	assert_true(load_path(&profile,
			      synthetic_write(&file, "prog.4711", file.size)));
	places_finish(&profile);
}

static int end(void **state)
{
	(void)state;
	profile_free(&profile);
	profile = (struct profile){ 0 };
	return 0;
}

TEST(code_that_is_in_no_object_is_not_looked_for_in_each)
{
	write_many(1000000);
	records = 0;
	load();
	assert_int_equal(profile.samples, MANY);
	assert_int_equal(profile.places[0].samples, 1);
	/* Each record once for the log, once to look for texts and so on. */
	assert_in_range(records, MANY, 20 * MANY);
}

TEST(an_object_is_not_compared_with_all_others)
{
	write_many(0);
	comparisons = 0;
	load();
	assert_int_equal(profile.nobjects, MANY + 1);
	assert_in_range(comparisons, 0, 5 * MANY);
}

/* The first record from @from on with @pc in it, looked at one by one. */
static const struct profile_record *
search(const struct profile_file *from_file, uint64_t pc,
       const struct profile_record *from)
{
	for (; from; from = profile_file_record(from_file, from)) {
		const struct profile_object *object = (const void *)(from + 1);

		if (pc >= object->start && pc < object->end &&
		    object->bias <= object->start)
			return from;
	}
	return NULL;
}

TEST(what_is_later_is_what_a_search_finds)
{
	const struct profile_record *from = NULL;
	struct profile_file open;
	struct later_objects *later;

	srand(1);
	synthetic_begin(&file);
	for (unsigned int i = 0; i < 200; i++) {
		uint64_t start = (uint64_t)rand() % 300;

		synthetic_object(&file, 0, "/lib/any.so", start,
				 start + (uint64_t)rand() % 40, start + 1 - i % 3);
	}
	assert_true(profile_file_open(&open,
		synthetic_write(&file, "prog.4711", file.size)));
	later = later_objects_make(&open);
	while ((from = profile_file_record(&open, from)))
		for (unsigned int i = 0; i < 350; i++)
			assert_ptr_equal(later_objects_find(later, i, from),
					 search(&open, i, from));
	later_objects_free(later);
	profile_file_close(&open);
}

/* --- the table ---------------------------------------------------------------- */

TEST(the_table_counts_what_a_list_counts)
{
	struct pc_counts table = { 0 };
	static unsigned int expected[5000];

	srandom(2);
	for (unsigned int i = 0; i < 100000; i++) {
		unsigned int n = (unsigned int)random() % 5000;

		expected[n]++;
		pc_counts_add(&table, 0x7f0000000000 + 16 * (uint64_t)n, 1);
	}
	assert_int_equal(table.n, 5000);
	for (unsigned int i = 0; i < table.n; i++)
		assert_int_equal(table.list[i].count,
			expected[(table.list[i].pc - 0x7f0000000000) / 16]);
	pc_counts_free(&table);
}

/* It is gone through as often as objects come and go. */
TEST(a_table_that_was_cleared_is_small_again)
{
	struct pc_counts table = { 0 };

	for (uint64_t pc = 1; pc < 100000; pc++)
		pc_counts_add(&table, pc, 1);
	pc_counts_clear(&table);
	pc_counts_add(&table, 1, 1);
	pc_counts_clear(&table);
	pc_counts_add(&table, 1, 1);
	assert_int_equal(table.n, 1);
	assert_in_range(table.set.size, 2, 2048);
	pc_counts_free(&table);
}

UNIT_MAIN("reader", NULL, end, NULL, NULL)
