// SPDX-License-Identifier: LGPL-2.1-or-later
/* What profil(1) does with the directory of its files, before and after. */
#include "unit.h"
#include "directory.h"
#include "synthetic.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#define HOLE	(64UL << 20)

static struct synthetic file;

/* As long as the library makes it: most of it is a hole. */
static const char *write_long(const char *name)
{
	const char *path;

	file.header.capacity = HOLE / 8;
	path = synthetic_write(&file, name, file.size);
	assert_int_equal(truncate(path, SAMPLES_AT + HOLE), 0);
	return path;
}

static off_t size_of(const char *name)
{
	struct stat status;
	char path[300];

	snprintf(path, sizeof(path), "%s/%s", synthetic_directory(), name);
	return stat(path, &status) < 0 ? -1 : status.st_size;
}

static int clean(void **state)
{
	char command[300];

	(void)state;
	snprintf(command, sizeof(command), "rm -rf %s/*", synthetic_directory());
	synthetic_begin(&file);
	return system(command);
}

static void files_are_cut_to_what_is_in_them(void **state)
{
	struct directory_files found;

	(void)state;
	synthetic_samples(&file, 0x1000, 1000);
	write_long("prog.1");
	found = directory_finish(synthetic_directory());
	assert_int_equal(found.files, 1);
	assert_true(found.samples);
	assert_false(found.faulted);
	/* To a block of the file system, and nothing is lost. */
	assert_in_range(size_of("prog.1"), file.size, file.size + 65536);
	/* Once more changes nothing. */
	directory_finish(synthetic_directory());
	assert_in_range(size_of("prog.1"), file.size, file.size + 65536);
}

static void a_hole_between_samples_is_no_end(void **state)
{
	uint64_t last = 0x2000;
	const char *path;
	FILE *out;

	(void)state;
	synthetic_samples(&file, 0x1000, 10);
	path = write_long("prog.1");
	out = fopen(path, "r+");
	assert_non_null(out);
	assert_int_equal(fseek(out, SAMPLES_AT + HOLE / 2, SEEK_SET), 0);
	assert_int_equal(fwrite(&last, sizeof(last), 1, out), 1);
	fclose(out);
	directory_finish(synthetic_directory());
	assert_in_range(size_of("prog.1"), SAMPLES_AT + HOLE / 2 + 8,
			SAMPLES_AT + HOLE / 2 + 65536);
}

static void a_file_without_samples_is_cut_too(void **state)
{
	struct directory_files found;

	(void)state;
	file.header.stopped = 4;	/* PROFIL_STATE_FAULT */
	write_long("prog.1");
	found = directory_finish(synthetic_directory());
	assert_int_equal(found.files, 1);
	assert_false(found.samples);
	assert_true(found.faulted);
	assert_int_equal(size_of("prog.1"), SAMPLES_AT);
}

static void the_file_of_a_process_that_runs_is_left_alone(void **state)
{
	(void)state;
	file.header.state = PROFILE_RUNNING;
	file.header.pid = (uint32_t)getpid();
	write_long("prog.1");
	directory_finish(synthetic_directory());
	assert_int_equal(size_of("prog.1"), SAMPLES_AT + HOLE);
}

/* Cutting must not make a file longer. */
static void a_truncated_file_stays_as_it_is(void **state)
{
	(void)state;
	synthetic_write(&file, "prog.1", 1000);
	directory_finish(synthetic_directory());
	assert_int_equal(size_of("prog.1"), 1000);
}

static void only_old_profiles_are_removed(void **state)
{
	(void)state;
	synthetic_write(&file, "prog.1", file.size);
	synthetic_write(&file, "perf-123.map", 10);
	synthetic_write(&file, ".hidden", file.size);
	file.header.magic[0] = 'x';
	synthetic_write(&file, "notes", file.size);
	assert_int_equal(directory_make(synthetic_directory()), 0);
	assert_int_equal(size_of("prog.1"), -1);
	assert_int_equal(size_of("perf-123.map"), -1);
	assert_int_equal(size_of(".hidden"), (off_t)file.size);
	assert_int_equal(size_of("notes"), (off_t)file.size);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(files_are_cut_to_what_is_in_them, clean),
		cmocka_unit_test_setup(a_hole_between_samples_is_no_end, clean),
		cmocka_unit_test_setup(a_file_without_samples_is_cut_too, clean),
		cmocka_unit_test_setup(the_file_of_a_process_that_runs_is_left_alone,
				       clean),
		cmocka_unit_test_setup(a_truncated_file_stays_as_it_is, clean),
		cmocka_unit_test_setup(only_old_profiles_are_removed, clean),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
