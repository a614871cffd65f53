// SPDX-License-Identifier: LGPL-2.1-or-later
/* The reader, on good files and on bad ones. */
#include "unit.h"
#include "profile/later_objects.h"
#include "profile/load_path.h"
#include "profile/places.h"
#include "profile/pc_counts.h"
#include "profile/profile.h"
#include "reader/profile_file.h"
#include "synthetic.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static struct synthetic file;

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

static char said[4096];

/* What @path says; the reader's words on stderr are in @said. */
static struct profile load(const char *path, bool *read)
{
	struct profile profile = { 0 };
	int saved = dup(STDERR_FILENO);
	FILE *words = tmpfile();
	bool good;

	assert_non_null(words);
	dup2(fileno(words), STDERR_FILENO);
	good = load_path(&profile, path);
	fflush(stderr);
	dup2(saved, STDERR_FILENO);
	close(saved);
	rewind(words);
	said[fread(said, 1, sizeof(said) - 1, words)] = '\0';
	fclose(words);
	if (read)
		*read = good;
	else
		assert_true(good);
	places_finish(&profile);
	return profile;
}

static struct profile load_file(void)
{
	return load(synthetic_write(&file, "prog.4711", file.size), NULL);
}

/* Samples at @address of @name. */
static uint64_t samples_at(const struct profile *profile, const char *name,
			   uint64_t address)
{
	uint64_t samples = 0;
	size_t i;

	for (i = 0; i < profile->nplaces; i++) {
		const struct place *place = &profile->places[i];

		if (place->address == address &&
		    !strcmp(profile->objects[place->object].name, name))
			samples += place->samples;
	}
	return samples;
}

static void samples_are_counted_by_object_and_address(void **state)
{
	struct profile profile;

	(void)state;
	synthetic_begin(&file);
	synthetic_object(&file, 0, "/bin/prog", 0x10001000, 0x10002000, 0x10000000);
	synthetic_object(&file, 0, "/lib/libx.so", 0x20001000, 0x20002000, 0x20000000);
	synthetic_samples(&file, 0x10001234, 3);
	synthetic_samples(&file, 0x20001234, 2);
	synthetic_samples(&file, 0x10001234, 1);
	profile = load_file();
	assert_int_equal(profile.samples, 6);
	assert_int_equal(profile.ns, 6000000);
	assert_int_equal(samples_at(&profile, "prog", 0x1234), 4);
	assert_int_equal(samples_at(&profile, "libx.so", 0x1234), 2);
	assert_int_equal(profile.nplaces, 2);
	assert_string_equal(profile.commands[0], "prog");
	assert_int_equal(profile.lost + profile.running, 0);
	profile_free(&profile);
}

static void objects_at_one_address_follow_each_other(void **state)
{
	struct profile profile;

	(void)state;
	synthetic_begin(&file);
	synthetic_object(&file, 0, "/a.so", 0x1000, 0x2000, 0);
	synthetic_gone(&file, 2, 0x1000);
	synthetic_object(&file, 3, "/b.so", 0x1000, 0x2000, 0);
	synthetic_samples(&file, 0x1100, 5);
	profile = load_file();
	assert_int_equal(samples_at(&profile, "a.so", 0x1100), 2);
	/* The third sample is of what is found there next. */
	assert_int_equal(samples_at(&profile, "b.so", 0x1100), 3);
	profile_free(&profile);
}

static void an_object_replaces_what_was_there(void **state)
{
	struct profile profile;

	(void)state;
	synthetic_begin(&file);
	synthetic_object(&file, 0, "/a.so", 0x1000, 0x3000, 0);
	synthetic_object(&file, 1, "/b.so", 0x2000, 0x4000, 0x1000);
	synthetic_samples(&file, 0x2500, 1);
	synthetic_samples(&file, 0x2500, 1);
	profile = load_file();
	assert_int_equal(samples_at(&profile, "a.so", 0x2500), 1);
	assert_int_equal(samples_at(&profile, "b.so", 0x1500), 1);
	profile_free(&profile);
}

static void code_in_no_object_is_kept_by_process(void **state)
{
	struct profile profile;

	(void)state;
	synthetic_begin(&file);
	synthetic_samples(&file, 0xdead1000, 7);
	profile = load_file();
	assert_int_equal(samples_at(&profile, "[unknown]", 0xdead1000), 7);
	assert_int_equal(profile.objects[0].pid, 4711);
	profile_free(&profile);
}

/* What libc loads for itself is logged later. */
static void an_object_that_is_logged_later_has_its_samples(void **state)
{
	struct profile profile;

	(void)state;
	synthetic_begin(&file);
	synthetic_object(&file, 10, "/lib/early.so", 0x10000, 0x20000, 0x10000);
	synthetic_object(&file, 20, "/lib/late.so", 0x10000, 0x20000, 0x10000);
	synthetic_object(&file, 20, "/lib/bad.so", 0x30000, 0x40000, 0x50000);
	synthetic_samples(&file, 0x10010, 3);
	synthetic_samples(&file, 0x20000, 2);
	synthetic_samples(&file, 0x30010, 2);
	synthetic_samples(&file, 0x10010, 5);
	profile = load_file();
	assert_int_equal(samples_at(&profile, "early.so", 0x10), 8);
	assert_int_equal(samples_at(&profile, "[unknown]", 0x20000), 2);
	assert_int_equal(samples_at(&profile, "[unknown]", 0x30010), 2);
	profile_free(&profile);
}

#define MANY	400

/* Many objects, and as many addresses that are in none of them. */
static void write_many(uint64_t sample)
{
	unsigned int i;
	char name[16];

	synthetic_begin(&file);
	for (i = 0; i < MANY; i++) {
		snprintf(name, sizeof(name), "/lib/%u.so", i);
		synthetic_object(&file, sample, name, 0x100000 + 0x2000 * i,
				 0x101000 + 0x2000 * i, 0x100000);
		synthetic_samples(&file, 0x101000 + 0x2000 * i, 1);
	}
}

static void code_that_is_in_no_object_is_not_looked_for_in_each(void **state)
{
	struct profile profile;

	(void)state;
	write_many(1000000);
	records = 0;
	profile = load_file();
	assert_int_equal(profile.samples, MANY);
	assert_int_equal(profile.places[0].samples, 1);
	/* Each record once for the log, once to look for texts and so on. */
	assert_in_range(records, MANY, 20 * MANY);
	profile_free(&profile);
}

static void an_object_is_not_compared_with_all_others(void **state)
{
	struct profile profile;

	(void)state;
	write_many(0);
	comparisons = 0;
	profile = load_file();
	assert_int_equal(profile.nobjects, MANY + 1);
	assert_in_range(comparisons, 0, 5 * MANY);
	profile_free(&profile);
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

static void what_is_later_is_what_a_search_finds(void **state)
{
	const struct profile_record *from = NULL;
	struct profile_file open;
	struct later_objects *later;
	unsigned int i;

	(void)state;
	srand(1);
	synthetic_begin(&file);
	for (i = 0; i < 200; i++) {
		uint64_t start = (uint64_t)rand() % 300;

		synthetic_object(&file, 0, "/lib/any.so", start,
				 start + (uint64_t)rand() % 40, start + 1 - i % 3);
	}
	assert_true(profile_file_open(&open,
		synthetic_write(&file, "prog.4711", file.size)));
	later = later_objects_make(&open);
	while ((from = profile_file_record(&open, from)))
		for (i = 0; i < 350; i++)
			assert_ptr_equal(later_objects_find(later, i, from),
					 search(&open, i, from));
	later_objects_free(later);
	profile_file_close(&open);
}

static void zeroes_between_samples_are_lost_ticks(void **state)
{
	struct profile profile;

	(void)state;
	synthetic_begin(&file);
	synthetic_samples(&file, 0x1000, 2);
	synthetic_samples(&file, 0, 3);
	synthetic_samples(&file, 0x1000, 1);
	synthetic_samples(&file, 0, 1000);
	profile = load_file();
	assert_int_equal(profile.samples, 3);
	assert_int_equal(profile.lost, 3);
	profile_free(&profile);
}

/* Some blocks of the file were never written at all. */
static void a_hole_between_samples_is_lost_ticks(void **state)
{
	const uint64_t last = 0x1000;
	struct profile profile;
	const char *path;
	FILE *out;

	(void)state;
	synthetic_begin(&file);
	synthetic_samples(&file, 0x1000, 2);
	path = synthetic_write(&file, "prog.4711", file.size);
	out = fopen(path, "r+");
	assert_non_null(out);
	assert_int_equal(fseek(out, SAMPLES_AT + 8 * 100000, SEEK_SET), 0);
	assert_int_equal(fwrite(&last, sizeof(last), 1, out), 1);
	fclose(out);
	profile = load(path, NULL);
	assert_int_equal(profile.samples, 3);
	assert_int_equal(profile.lost, 99998);
	profile_free(&profile);
}

static void narrow_samples_are_read(void **state)
{
	uint32_t pcs[] = { 0x1100, 0x1100, 0xfffffff0 };
	struct profile profile;

	(void)state;
	synthetic_begin(&file);
	file.header.sample_width = 4;
	memcpy(file.bytes + file.size, pcs, sizeof(pcs));
	file.size += sizeof(pcs);
	profile = load_file();
	assert_int_equal(samples_at(&profile, "[unknown]", 0x1100), 2);
	assert_int_equal(samples_at(&profile, "[unknown]", 0xfffffff0), 1);
	profile_free(&profile);
}

static void files_of_a_directory_are_added_up(void **state)
{
	char path[300];
	struct profile profile;

	(void)state;
	snprintf(path, sizeof(path), "rm -rf %s/*", synthetic_directory());
	assert_int_equal(system(path), 0);
	synthetic_begin(&file);
	synthetic_object(&file, 0, "/bin/prog", 0x1000, 0x2000, 0);
	synthetic_samples(&file, 0x1234, 3);
	synthetic_write(&file, "prog.1", file.size);
	file.header.period_ns = 10000000;
	file.header.state = PROFILE_RUNNING;
	synthetic_write(&file, "prog.2.1", file.size);
	profile = load(synthetic_directory(), NULL);
	assert_int_equal(profile.nprocesses, 2);
	assert_int_equal(profile.samples, 6);
	assert_int_equal(profile.ns, 33000000);
	/* Each process has its own. */
	assert_int_equal(profile.nplaces, 2);
	assert_int_equal(samples_at(&profile, "prog", 0x1234), 6);
	assert_int_equal(profile.processes[0].samples, 3);
	assert_int_equal(profile.processes[1].ns, 30000000);
	assert_int_equal(profile.ncommands, 1);
	assert_true(profile.mixed);
	assert_int_equal(profile.running, 0);
	profile_free(&profile);
}

static void what_the_library_says_is_passed_on(void **state)
{
	struct profile profile;

	(void)state;
	synthetic_begin(&file);
	synthetic_samples(&file, 0x1000, 2);
	file.header.capacity = 2;
	file.header.dropped = 5;
	file.header.unprofiled = 4;
	file.header.stopped = 4;	/* PROFIL_STATE_FAULT */
	profile = load_file();
	assert_int_equal(profile.full, 1);
	assert_int_equal(profile.lost, 5);
	assert_int_equal(profile.unprofiled, 4);
	assert_int_equal(profile.faulted, 1);
	profile_free(&profile);
}

static void a_process_is_called_what_it_says(void **state)
{
	struct profile profile;

	(void)state;
	synthetic_begin(&file);
	synthetic_text(&file, PROFILE_NAME, "python3.11", 11);
	synthetic_text(&file, PROFILE_ARGUMENTS, "/bin/python3.11\0a b\0-c", 23);
	synthetic_text(&file, PROFILE_HOST, "here\x1b[1m", 9);
	profile = load(synthetic_write(&file, "python3.11.4711", file.size), NULL);
	assert_string_equal(profile.commands[0], "python3.11");
	assert_string_equal(profile_first(&profile)->arguments,
			    "/bin/python3.11 a b -c");
	assert_string_equal(profile_first(&profile)->host, "here\\x1b[1m");
	profile_free(&profile);
}

static void a_file_without_a_name_in_it_is_called_by_its_own(void **state)
{
	struct profile profile;

	(void)state;
	synthetic_begin(&file);
	profile = load(synthetic_write(&file, "a\nb.4711.1", file.size), NULL);
	assert_string_equal(profile.commands[0], "a\\x0ab");
	assert_null(profile_first(&profile)->arguments);
	profile_free(&profile);
}

static void wall_time_is_that_of_the_first_process(void **state)
{
	struct profile profile = { 0 };

	(void)state;
	synthetic_begin(&file);
	file.header.started_ns = 5000;
	file.header.ended_ns = 7000;
	load_path(&profile, synthetic_write(&file, "child.2", file.size));
	file.header.started_ns = 1000;
	file.header.ended_ns = 6000;
	load_path(&profile, synthetic_write(&file, "first.1", file.size));
	assert_string_equal(profile.commands[profile_first(&profile)->command],
			    "first");
	assert_int_equal(profile_wall(&profile), 6000);
	profile_free(&profile);
	file.header.state = PROFILE_RUNNING;
	profile = load(synthetic_write(&file, "first.1", file.size), NULL);
	assert_int_equal(profile_wall(&profile), 0);
	profile_free(&profile);
}

static bool is_prog(const struct profile *profile, const struct place *place,
		    const void *context)
{
	return !strcmp(profile->objects[place->object].name, context);
}

static void a_selection_is_counted_again(void **state)
{
	struct profile profile;

	(void)state;
	synthetic_begin(&file);
	synthetic_object(&file, 0, "/bin/prog", 0x1000, 0x2000, 0);
	synthetic_object(&file, 0, "/lib/x.so", 0x3000, 0x4000, 0);
	synthetic_samples(&file, 0x1100, 3);
	synthetic_samples(&file, 0x3100, 5);
	profile = load_file();
	places_select(&profile, is_prog, "prog");
	assert_int_equal(profile.samples, 3);
	assert_int_equal(profile.ns, 3000000);
	assert_int_equal(profile.all_samples, 8);
	assert_int_equal(profile.nplaces, 1);
	assert_int_equal(profile.processes[0].samples, 3);
	assert_int_equal(samples_at(&profile, "x.so", 0x3100), 0);
	profile_free(&profile);
}

/* --- damage ------------------------------------------------------------------ */

static bool is_refused(uint64_t size)
{
	bool read;
	struct profile profile =
		load(synthetic_write(&file, "bad", size), &read);

	profile_free(&profile);
	return !read;
}

static void good_file(void)
{
	synthetic_begin(&file);
	synthetic_object(&file, 0, "/bin/prog", 0x1000, 0x2000, 0);
	synthetic_object(&file, 1, "/lib/x.so", 0x3000, 0x4000, 0);
	synthetic_gone(&file, 2, 0x3000);
	synthetic_samples(&file, 0x1234, 100);
	synthetic_samples(&file, 0x3234, 100);
}

static void files_that_are_none_are_refused(void **state)
{
	(void)state;
	good_file();
	assert_false(is_refused(file.size));
	assert_true(is_refused(0));
	assert_true(is_refused(sizeof(struct profile_header) - 1));
	file.header.magic[3] ^= 1;
	assert_true(is_refused(file.size));
	good_file();
	file.header.version++;
	assert_true(is_refused(file.size));
	good_file();
	file.header.byte_order = 0x04030201;
	assert_true(is_refused(file.size));
	good_file();
	file.header.sample_width = 3;
	assert_true(is_refused(file.size));
	good_file();
	file.header.samples_offset++;
	assert_true(is_refused(file.size));
}

/* 100 samples, then 50 words of stacks. */
static void with_stacks(void)
{
	synthetic_begin(&file);
	synthetic_object(&file, 0, "/bin/prog", 0x1000, 0x2000, 0);
	synthetic_samples(&file, 0x1234, 100);
	file.header.capacity = 100;
	file.header.stacks_offset = file.size;
	file.header.stacks_capacity = 50 * 8;
	synthetic_samples(&file, 0x1111, 50);
}

static uint64_t samples_read(void)
{
	struct profile profile = load_file();
	uint64_t samples = profile.samples;

	profile_free(&profile);
	return samples;
}

static void stacks_are_no_samples(void **state)
{
	(void)state;
	with_stacks();
	assert_int_equal(samples_read(), 100);
	file.header.stacks_capacity = 0;
	assert_int_equal(samples_read(), 100);
	file.header.capacity = 99;
	assert_int_equal(samples_read(), 99);
	/* Cut before the stacks. */
	file.size -= 51 * 8;
	assert_int_equal(samples_read(), 99);
	assert_string_equal(said, "");
}

static void the_first_version_has_no_stacks(void **state)
{
	(void)state;
	with_stacks();
	file.header.version = 1;
	file.header.capacity = 7;
	assert_int_equal(samples_read(), 150);
	assert_string_equal(said, "");
	file.header.version = 0;
	assert_true(is_refused(file.size));
}

static void check_stacks_missing(void)
{
	assert_int_equal(samples_read(), 150);
	assert_non_null(strstr(said, "damaged: its stacks are missing"));
}

static void stacks_that_are_nowhere_are_left_out(void **state)
{
	(void)state;
	with_stacks();
	file.header.stacks_offset += 1;
	check_stacks_missing();
	with_stacks();
	file.header.stacks_offset -= 8;
	check_stacks_missing();
	with_stacks();
	file.header.stacks_offset = SAMPLES_AT - 8;
	check_stacks_missing();
	with_stacks();
	file.header.stacks_offset = UINT64_MAX & ~7ULL;
	check_stacks_missing();
	with_stacks();
	file.header.capacity += (uint64_t)1 << 61;
	check_stacks_missing();
}

static void a_truncated_file_gives_what_it_has(void **state)
{
	struct profile profile;

	(void)state;
	good_file();
	profile = load(synthetic_write(&file, "cut", file.size - 101), NULL);
	assert_int_equal(profile.samples, 187);
	assert_int_equal(samples_at(&profile, "prog", 0x1234), 100);
	profile_free(&profile);
	/* In the middle of the log: objects, and no samples. */
	profile = load(synthetic_write(&file, "cut", LOG_AT + 100), NULL);
	assert_int_equal(profile.samples, 0);
	profile_free(&profile);
}

static void a_log_that_lies_gives_what_is_right_in_it(void **state)
{
	struct profile_record *second;
	struct profile profile;

	(void)state;
	good_file();
	second = (void *)(file.bytes + LOG_AT);
	second = (void *)((char *)second + second->size);
	second->size = 1 << 30;
	profile = load_file();
	assert_int_equal(profile.samples, 200);
	assert_int_equal(samples_at(&profile, "prog", 0x1234), 100);
	assert_int_equal(samples_at(&profile, "[unknown]", 0x3234), 100);
	profile_free(&profile);

	good_file();
	file.header.log_used = UINT64_MAX - 7;
	profile = load_file();
	assert_int_equal(samples_at(&profile, "prog", 0x1234), 100);
	profile_free(&profile);

	good_file();
	file.header.log_offset = UINT64_MAX - 15;
	profile = load_file();
	assert_int_equal(samples_at(&profile, "[unknown]", 0x1234), 100);
	profile_free(&profile);
}

static void a_damaged_record_is_said(void **state)
{
	struct profile_record *second;
	struct profile profile;
	char wanted[200];

	(void)state;
	good_file();
	second = (void *)(file.bytes + LOG_AT);
	second = (void *)((char *)second + second->size);
	second->size = 12;
	profile = load_file();
	snprintf(wanted, sizeof(wanted), "of %llu bytes about objects, %zu can",
		 (unsigned long long)file.header.log_used,
		 (size_t)((unsigned char *)second - file.bytes) - LOG_AT);
	assert_non_null(strstr(said, wanted));
	assert_int_equal(samples_at(&profile, "prog", 0x1234), 100);
	profile_free(&profile);
	good_file();
	profile = load_file();
	assert_string_equal(said, "");
	profile_free(&profile);
}

static void a_log_is_held_to_its_capacity(void **state)
{
	const struct profile_record *first;
	struct profile profile;

	(void)state;
	good_file();
	first = (void *)(file.bytes + LOG_AT);
	file.header.log_capacity = first->size;
	profile = load_file();
	assert_non_null(strstr(said, "not all objects are known"));
	assert_int_equal(samples_at(&profile, "prog", 0x1234), 100);
	assert_int_equal(samples_at(&profile, "[unknown]", 0x3234), 100);
	profile_free(&profile);
}

static void what_is_said_leaves_the_terminal_alone(void **state)
{
	(void)state;
	good_file();
	file.header.version = 99;
	load(synthetic_write(&file, "a\x1b[2J\nb\x9b", file.size), &(bool){ false });
	assert_non_null(strstr(said, "/a\\x1b[2J\\x0ab\\x9b: profile file of version"));
	assert_ptr_equal(strchr(said, '\n'), said + strlen(said) - 1);
}

/* No damage makes the reader crash, hang, or count what is not there. */
static void random_damage_is_survived(void **state)
{
	struct profile profile;
	unsigned int round, i;
	size_t at;

	(void)state;
	srandom(1);
	for (round = 0; round < 3000; round++) {
		good_file();
		for (i = 0; i < 1 + round % 4; i++) {
			at = (size_t)random() % (round % 2 ? 208 : 600);
			if (at >= 208)
				at += LOG_AT - 208;
			file.bytes[at] = (unsigned char)random();
		}
		profile = load(synthetic_write(&file, "bad", file.size),
			       &(bool){ false });
		assert_true(profile.samples <= 2 * file.size / 4);
		profile_free(&profile);
	}
}

/* --- the table ---------------------------------------------------------------- */

static void the_table_counts_what_a_list_counts(void **state)
{
	struct pc_counts table = { 0 };
	static unsigned int expected[5000];
	unsigned int i;

	(void)state;
	srandom(2);
	for (i = 0; i < 100000; i++) {
		unsigned int n = (unsigned int)random() % 5000;

		expected[n]++;
		pc_counts_add(&table, 0x7f0000000000 + 16 * (uint64_t)n, 1);
	}
	assert_int_equal(table.n, 5000);
	for (i = 0; i < table.n; i++)
		assert_int_equal(table.list[i].count,
			expected[(table.list[i].pc - 0x7f0000000000) / 16]);
	pc_counts_free(&table);
}

/* It is gone through as often as objects come and go. */
static void a_table_that_was_cleared_is_small_again(void **state)
{
	struct pc_counts table = { 0 };
	uint64_t pc;

	(void)state;
	for (pc = 1; pc < 100000; pc++)
		pc_counts_add(&table, pc, 1);
	pc_counts_clear(&table);
	pc_counts_add(&table, 1, 1);
	pc_counts_clear(&table);
	pc_counts_add(&table, 1, 1);
	assert_int_equal(table.n, 1);
	assert_in_range(table.set.size, 2, 2048);
	pc_counts_free(&table);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(samples_are_counted_by_object_and_address),
		cmocka_unit_test(objects_at_one_address_follow_each_other),
		cmocka_unit_test(an_object_replaces_what_was_there),
		cmocka_unit_test(code_in_no_object_is_kept_by_process),
		cmocka_unit_test(an_object_that_is_logged_later_has_its_samples),
		cmocka_unit_test(code_that_is_in_no_object_is_not_looked_for_in_each),
		cmocka_unit_test(an_object_is_not_compared_with_all_others),
		cmocka_unit_test(what_is_later_is_what_a_search_finds),
		cmocka_unit_test(zeroes_between_samples_are_lost_ticks),
		cmocka_unit_test(a_hole_between_samples_is_lost_ticks),
		cmocka_unit_test(narrow_samples_are_read),
		cmocka_unit_test(files_of_a_directory_are_added_up),
		cmocka_unit_test(what_the_library_says_is_passed_on),
		cmocka_unit_test(a_process_is_called_what_it_says),
		cmocka_unit_test(a_file_without_a_name_in_it_is_called_by_its_own),
		cmocka_unit_test(wall_time_is_that_of_the_first_process),
		cmocka_unit_test(a_selection_is_counted_again),
		cmocka_unit_test(a_damaged_record_is_said),
		cmocka_unit_test(a_log_is_held_to_its_capacity),
		cmocka_unit_test(what_is_said_leaves_the_terminal_alone),
		cmocka_unit_test(files_that_are_none_are_refused),
		cmocka_unit_test(stacks_are_no_samples),
		cmocka_unit_test(the_first_version_has_no_stacks),
		cmocka_unit_test(stacks_that_are_nowhere_are_left_out),
		cmocka_unit_test(a_truncated_file_gives_what_it_has),
		cmocka_unit_test(a_log_that_lies_gives_what_is_right_in_it),
		cmocka_unit_test(random_damage_is_survived),
		cmocka_unit_test(the_table_counts_what_a_list_counts),
		cmocka_unit_test(a_table_that_was_cleared_is_small_again),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
