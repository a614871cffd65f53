// SPDX-License-Identifier: LGPL-2.1-or-later
/* What the reader looks for, and how often. reading.py has what it finds. */
#include "unit.h"
#include "common/hash_set.h"
#include "common/memory.h"
#include "profile/later_objects.h"
#include "profile/load_path.h"
#include "profile/pc_counts.h"
#include "profile/places.h"
#include "reader/profile_file.h"
#include "synthetic.h"

#include <inttypes.h>

static struct synthetic file;
static struct profile profile;

/* How many records have been looked at, and how many strings compared. */
static size_t records, comparisons;

typeof(profile_file_record) __real_profile_file_record, __wrap_profile_file_record;
const struct profile_record *
__wrap_profile_file_record(const struct profile_file *from, const struct profile_record *record)
{
	records++;
	return __real_profile_file_record(from, record);
}

typeof(strcmp) __real_strcmp, __wrap_strcmp;
int __wrap_strcmp(const char *x, const char *y)
{
	comparisons++;
	return __real_strcmp(x, y);
}

#define MANY	400

/* It runs itself, where this is the first test. */
TEST(each_process_hashes_with_keys_of_its_own)
{
	uint64_t own = hash_set_mix(0, 1), other;
	char *command = format_text("KEYS= '%s' 2>&1 >/dev/null", program_invocation_name);
	FILE *pipe = getenv("KEYS") ? NULL : popen(command, "r");

	if (!pipe)
		_exit(dprintf(STDERR_FILENO, "%" PRIu64, own) < 0);
	assert_int_equal(fscanf(pipe, "%" SCNu64, &other), 1);
	assert_int_equal(pclose(pipe), 0);
	assert_int_not_equal(other, own);
	free(command);
}

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
	assert_true(load_path(&profile, synthetic_write(&file, "prog.4711", file.size)));
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
search(const struct profile_file *from_file, uint64_t pc, const struct profile_record *from)
{
	for (; from; from = profile_file_record(from_file, from)) {
		const struct profile_object *object = (const void *)(from + 1);

		if (pc >= object->start && pc < object->end && object->bias <= object->start)
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
	assert_true(profile_file_open(&open, synthetic_write(&file, "prog.4711", file.size)));
	later = later_objects_make(&open);
	while ((from = profile_file_record(&open, from)))
		for (unsigned int i = 0; i < 350; i++)
			assert_ptr_equal(later_objects_find(later, i, from),
					 search(&open, i, from));
	later_objects_free(later);
	profile_file_close(&open);
}

/* It is gone through as often as objects come and go. */
TEST(a_table_counts_and_is_small_again_when_it_was_cleared)
{
	struct pc_counts table = { 0 };

	for (uint64_t pc = 0; pc < 200000; pc++)
		pc_counts_add(&table, pc % 100000, 1);
	for (size_t i = 0; i < 100000; i++)
		assert_true(table.list[i].pc == i && table.list[i].count == 2);
	for (size_t i = 0; i < 2; i++) {
		pc_counts_clear(&table);
		pc_counts_add(&table, 1, 1);
	}
	assert_int_equal(table.n, 1);
	assert_in_range(table.set.size, 2, 2048);
	pc_counts_free(&table);
}

UNIT_MAIN("reader", NULL, end, NULL, NULL)
