// SPDX-License-Identifier: LGPL-2.1-or-later
/* What profil(1) does with the directory of its files, before and after. */
#include "unit.h"
#include "run/profile_directory.h"
#include "synthetic.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define HOLE	(64UL << 20)
#define MAP	99999999	/* number of no process */

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
	snprintf(command, sizeof(command), "rm -rf %s/* /tmp/perf-%d.map",
		 synthetic_directory(), MAP);
	synthetic_begin(&file);
	file.header.pid = MAP;
	return system(command);
}

static void files_are_cut_to_what_is_in_them(void **state)
{
	struct profile_directory_files found;

	(void)state;
	synthetic_samples(&file, 0x1000, 1000);
	write_long("prog.1");
	found = profile_directory_finish(synthetic_directory());
	assert_int_equal(found.files, 1);
	assert_int_equal(found.samples, 1000);
	assert_int_equal(found.ns, 1000000000);
	assert_false(found.faulted);
	/* To a block of the file system, and nothing is lost. */
	assert_in_range(size_of("prog.1"), file.size, file.size + 65536);
	/* Once more changes nothing. */
	profile_directory_finish(synthetic_directory());
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
	profile_directory_finish(synthetic_directory());
	assert_in_range(size_of("prog.1"), SAMPLES_AT + HOLE / 2 + 8,
			SAMPLES_AT + HOLE / 2 + 65536);
}

static void a_file_without_samples_is_cut_too(void **state)
{
	struct profile_directory_files found;

	(void)state;
	file.header.stopped = 4;	/* PROFIL_STATE_FAULT */
	write_long("prog.1");
	found = profile_directory_finish(synthetic_directory());
	assert_int_equal(found.files, 1);
	assert_int_equal(found.samples, 0);
	assert_true(found.faulted);
	assert_int_equal(size_of("prog.1"), SAMPLES_AT);
}

/* As the library does it: the descriptor is closed, the mapping stays. */
static void *map_locked(const char *path)
{
	int fd = open(path, O_RDWR);
	void *map = mmap(NULL, 4096, PROT_READ, MAP_SHARED, fd, 0);

	assert_ptr_not_equal(map, MAP_FAILED);
	assert_int_equal(flock(fd, LOCK_EX | LOCK_NB), 0);
	close(fd);
	return map;
}

static void the_file_of_a_process_that_runs_is_left_alone(void **state)
{
	struct profile_directory directory;
	void *map;

	(void)state;
	synthetic_samples(&file, 0x1000, 1);
	map = map_locked(write_long("prog.1"));
	assert_int_equal(((struct profile_header *)map)->unattended, 0);
	profile_directory_finish(synthetic_directory());
	/* It is to be cut by the process. */
	assert_int_equal(((struct profile_header *)map)->unattended, 1);
	assert_int_equal(size_of("prog.1"), SAMPLES_AT + HOLE);
	assert_int_equal(
		profile_directory_make(&directory, synthetic_directory()), 0);
	close(directory.fd);
	assert_int_equal(size_of("prog.1"), SAMPLES_AT + HOLE);
	munmap(map, 4096);
	profile_directory_finish(synthetic_directory());
	assert_int_equal(size_of("prog.1"), SAMPLES_AT + 8);
}

/* It has executed another program, or its number is another's by now. */
static void a_file_that_is_not_mapped_is_cut_whoever_has_its_number(void **state)
{
	(void)state;
	file.header.state = PROFILE_RUNNING;
	file.header.pid = (uint32_t)getpid();
	synthetic_samples(&file, 0x1000, 1);
	write_long("prog.1");
	profile_directory_finish(synthetic_directory());
	assert_int_equal(size_of("prog.1"), SAMPLES_AT + 8);
}

/* The kernel brings pages in before there are samples for them. */
static void pages_without_samples_are_cut(void **state)
{
	struct profile_directory_files found;

	(void)state;
	synthetic_samples(&file, 0x1000, 3);
	synthetic_samples(&file, 0, 8000);
	write_long("prog.1");
	found = profile_directory_finish(synthetic_directory());
	assert_int_equal(found.samples, 3);
	assert_int_equal(size_of("prog.1"), SAMPLES_AT + 24);
}

static void narrow_samples_stay_whole(void **state)
{
	(void)state;
	file.header.sample_width = 4;
	file.bytes[SAMPLES_AT + 4] = 1;
	file.size = SAMPLES_AT + 100;
	write_long("prog.1");
	profile_directory_finish(synthetic_directory());
	assert_int_equal(size_of("prog.1"), SAMPLES_AT + 8);
}

/* Cutting must not make a file longer. */
static void a_truncated_file_stays_as_it_is(void **state)
{
	(void)state;
	synthetic_write(&file, "prog.1", 1000);
	profile_directory_finish(synthetic_directory());
	assert_int_equal(size_of("prog.1"), 1000);
}

static void only_old_profiles_are_removed(void **state)
{
	struct profile_directory directory;

	(void)state;
	synthetic_write(&file, "prog.1", file.size);
	synthetic_write(&file, "perf-123.map", 10);
	synthetic_write(&file, ".hidden", file.size);
	file.header.magic[0] = 'x';
	synthetic_write(&file, "notes", file.size);
	assert_int_equal(
		profile_directory_make(&directory, synthetic_directory()), 0);
	close(directory.fd);
	assert_false(directory.shared);
	assert_int_equal(size_of("prog.1"), -1);
	assert_int_equal(size_of("perf-123.map"), -1);
	assert_int_equal(size_of(".hidden"), (off_t)file.size);
	assert_int_equal(size_of("notes"), (off_t)file.size);
}

/* The first still has its command when the second comes. */
static void what_another_command_has_profiled_stays(void **state)
{
	struct profile_directory first, second, third;

	(void)state;
	assert_int_equal(profile_directory_make(&first, synthetic_directory()),
			 0);
	synthetic_write(&file, "prog.1", file.size);
	synthetic_write(&file, "perf-123.map", 10);
	assert_int_equal(profile_directory_make(&second, synthetic_directory()),
			 0);
	assert_true(second.shared);
	close(first.fd);
	/* The second is still there. */
	assert_int_equal(profile_directory_make(&third, synthetic_directory()),
			 0);
	assert_true(third.shared);
	assert_int_equal(size_of("prog.1"), (off_t)file.size);
	assert_int_equal(size_of("perf-123.map"), 10);
	close(second.fd);
	close(third.fd);
}

/* --- perf-PID.map ------------------------------------------------------------- */

static char map_path[64];

static void plant_map(void)
{
	FILE *out;

	snprintf(map_path, sizeof(map_path), "/tmp/perf-%d.map", MAP);
	out = fopen(map_path, "w");
	assert_non_null(out);
	fputs("1000 10 made\n", out);
	fclose(out);
	synthetic_samples(&file, 0x1000, 1);
	synthetic_write(&file, "prog.1", file.size);
}

static off_t size_of_map(void)
{
	char name[32];

	snprintf(name, sizeof(name), "perf-%d.map", MAP);
	return size_of(name);
}

static void what_a_process_says_of_its_code_is_kept(void **state)
{
	(void)state;
	plant_map();
	profile_directory_finish(synthetic_directory());
	assert_int_equal(size_of_map(), 13);
	/* In the place of what was kept before. */
	assert_int_equal(truncate(map_path, 5), 0);
	profile_directory_finish(synthetic_directory());
	assert_int_equal(size_of_map(), 5);
}

/* A hole costs nothing until it is copied. */
static void a_map_ends_where_it_is_no_text(void **state)
{
	(void)state;
	plant_map();
	assert_int_equal(truncate(map_path, 1 << 20), 0);
	profile_directory_finish(synthetic_directory());
	assert_int_equal(size_of_map(), 13);
}

/* A FIFO that was opened for reading would wait for ever. */
static void a_fifo_is_no_map(void **state)
{
	(void)state;
	plant_map();
	unlink(map_path);
	assert_int_equal(mkfifo(map_path, 0666), 0);
	alarm(20);
	profile_directory_finish(synthetic_directory());
	alarm(0);
	assert_int_equal(size_of_map(), -1);
}

static void a_symbolic_link_is_no_map(void **state)
{
	(void)state;
	plant_map();
	unlink(map_path);
	assert_int_equal(symlink("/etc/passwd", map_path), 0);
	profile_directory_finish(synthetic_directory());
	assert_int_equal(size_of_map(), -1);
}

static void a_map_of_another_user_is_none(void **state)
{
	(void)state;
	if (geteuid())
		skip();
	plant_map();
	assert_int_equal(chown(map_path, 65534, 65534), 0);
	profile_directory_finish(synthetic_directory());
	assert_int_equal(size_of_map(), -1);
}

/* The profile of what root has started as somebody else. */
static void what_is_kept_belongs_to_the_owner_of_the_profile(void **state)
{
	char path[300], kept[300];
	struct stat status;

	(void)state;
	if (geteuid())
		skip();
	plant_map();
	snprintf(path, sizeof(path), "%s/prog.1", synthetic_directory());
	snprintf(kept, sizeof(kept), "%s/perf-%d.map", synthetic_directory(), MAP);
	assert_int_equal(chown(path, 65534, 65534), 0);
	assert_int_equal(chown(map_path, 65534, 65534), 0);
	profile_directory_finish(synthetic_directory());
	assert_int_equal(stat(kept, &status), 0);
	assert_int_equal(status.st_uid, 65534);
}

/* Nothing is written through what is in the place of the copy. */
static void nothing_is_written_through_a_link(void **state)
{
	char kept[300], victim[300];

	(void)state;
	plant_map();
	synthetic_write(&file, "victim", 100);
	snprintf(victim, sizeof(victim), "%s/victim", synthetic_directory());
	snprintf(kept, sizeof(kept), "%s/perf-%d.map", synthetic_directory(), MAP);
	assert_int_equal(symlink(victim, kept), 0);
	profile_directory_finish(synthetic_directory());
	assert_int_equal(size_of("victim"), 100);
	assert_int_equal(size_of_map(), 13);
}

/* Nor is a file that is not here cut. */
static void a_link_to_a_profile_is_none(void **state)
{
	char path[300], away[300];

	(void)state;
	synthetic_samples(&file, 0x1000, 1);
	write_long(".away");
	snprintf(away, sizeof(away), "%s/.away", synthetic_directory());
	snprintf(path, sizeof(path), "%s/prog.1", synthetic_directory());
	assert_int_equal(symlink(away, path), 0);
	assert_int_equal(profile_directory_finish(synthetic_directory()).files,
			 0);
	assert_int_equal(size_of(".away"), SAMPLES_AT + HOLE);
	unlink(away);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(files_are_cut_to_what_is_in_them, clean),
		cmocka_unit_test_setup(a_hole_between_samples_is_no_end, clean),
		cmocka_unit_test_setup(a_file_without_samples_is_cut_too, clean),
		cmocka_unit_test_setup(the_file_of_a_process_that_runs_is_left_alone,
				       clean),
		cmocka_unit_test_setup(
			a_file_that_is_not_mapped_is_cut_whoever_has_its_number,
			clean),
		cmocka_unit_test_setup(pages_without_samples_are_cut, clean),
		cmocka_unit_test_setup(narrow_samples_stay_whole, clean),
		cmocka_unit_test_setup(a_truncated_file_stays_as_it_is, clean),
		cmocka_unit_test_setup(only_old_profiles_are_removed, clean),
		cmocka_unit_test_setup(what_another_command_has_profiled_stays, clean),
		cmocka_unit_test_setup(what_a_process_says_of_its_code_is_kept, clean),
		cmocka_unit_test_setup(a_map_ends_where_it_is_no_text, clean),
		cmocka_unit_test_setup(a_fifo_is_no_map, clean),
		cmocka_unit_test_setup(a_symbolic_link_is_no_map, clean),
		cmocka_unit_test_setup(a_map_of_another_user_is_none, clean),
		cmocka_unit_test_setup(what_is_kept_belongs_to_the_owner_of_the_profile,
				       clean),
		cmocka_unit_test_setup(nothing_is_written_through_a_link, clean),
		cmocka_unit_test_setup(a_link_to_a_profile_is_none, clean),
	};

	return cmocka_run_group_tests(tests, NULL, clean);
}
