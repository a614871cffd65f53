// SPDX-License-Identifier: LGPL-2.1-or-later
/* What profil(1) does with the directory of its files, before and after. */
#include "unit.h"
#include "run/previous_profile.h"
#include "run/profile_directory.h"
#include "synthetic.h"

#include <fcntl.h>
#include <sys/file.h>
#include <time.h>

#define HOLE	(64UL << 20)
#define CUT_AT	sizeof(struct profile_header)	/* of samples, behind an empty log */
#define NO_PROCESS	(90000000 + getpid())	/* another one in each run */
#define MAP_NAME	(map_path + strlen("/tmp/"))

static struct synthetic file;
static char map_path[40];

/* As long as the library makes it: most of it is a hole. */
static const char *write_long(const char *name)
{
	const char *path;

	file.header.capacity = HOLE / 8;
	path = synthetic_write(&file, name, file.size);
	assert_int_equal(truncate(path, SAMPLES_AT + HOLE), 0);
	return path;
}

static void plant_map(void)
{
	assert_int_equal(system("echo 1000 10 made >$MAP"), 0);
	synthetic_samples(&file, 0x1000, 1);
	synthetic_write(&file, "prog.1", file.size);
}

static struct profile_directory_files finish(void)
{
	return profile_directory_finish(synthetic_directory());
}

/* Of one file as long as the library makes it and locked by a reader: it has @size bytes then. */
static struct profile_directory_files finish_long(off_t size)
{
	struct flock lock = { .l_type = F_RDLCK, .l_whence = SEEK_SET };
	int reader = open(write_long("prog.1"), O_RDONLY);
	struct profile_directory_files found;

	assert_int_equal(flock(reader, LOCK_EX) | fcntl(reader, F_OFD_SETLK, &lock), 0);
	found = finish();
	close(reader);
	assert_int_equal(found.files, 1);
	assert_int_equal(synthetic_size("prog.1"), size);
	return found;
}

static void make(struct profile_directory *directory)
{
	assert_int_equal(profile_directory_make(directory, synthetic_directory()), 0);
}

static int clean(void **state)
{
	char command[900];

	(void)state;
	snprintf(map_path, sizeof(map_path), "/tmp/perf-%d.map", NO_PROCESS);
	setenv("MAP", map_path, 1);
	snprintf(command, sizeof(command), "rm -rf %s/* %s/.[!.]* %s.old $MAP",
		 synthetic_directory(), synthetic_directory(), synthetic_directory());
	synthetic_begin(&file);
	file.header.pid = NO_PROCESS;
	return system(command);
}

TEST(files_are_cut_to_what_is_in_them)
{
	struct profile_directory_files found;

	synthetic_samples(&file, 0x1000, 1000);
	found = finish_long(CUT_AT + 8000);
	assert_int_equal(found.samples, 1000);
	assert_int_equal(found.ns, 1000000000);
	assert_false(found.faulted);
	/* Once more changes nothing. */
	assert_int_equal(finish().samples, 1000);
	assert_int_equal(synthetic_size("prog.1"), CUT_AT + 8000);
}

TEST(a_hole_between_samples_is_no_end)
{
	uint64_t last = 0x2000;
	struct stat status;
	const char *path;
	FILE *out;

	synthetic_samples(&file, 0x1000, 10);
	path = write_long("prog.1");
	out = fopen(path, "r+");
	assert_non_null(out);
	assert_int_equal(fseek(out, SAMPLES_AT + HOLE / 2, SEEK_SET), 0);
	assert_int_equal(fwrite(&last, sizeof(last), 1, out), 1);
	fclose(out);
	finish();
	assert_int_equal(synthetic_size("prog.1"), CUT_AT + HOLE / 2 + 8);
	assert_int_equal(stat(path, &status), 0);
	assert_true(status.st_blocks * 512 < 300000);
}

TEST(a_file_without_samples_is_cut_too)
{
	struct profile_directory_files found;

	file.header.stopped = 4;	/* PROFIL_STATE_FAULT */
	found = finish_long((off_t)file.header.log_offset);
	assert_int_equal(found.samples, 0);
	assert_true(found.faulted);
}

/* It has executed another program, or its number is another's by now. */
TEST(a_file_that_is_not_mapped_is_cut_whoever_has_its_number)
{
	file.header.state = PROFILE_RUNNING;
	file.header.pid = (uint32_t)getpid();
	synthetic_samples(&file, 0x1000, 1);
	finish_long(CUT_AT + 8);
}

/* The kernel brings pages in before there are samples for them. */
TEST(pages_without_samples_are_cut)
{
	synthetic_samples(&file, 0x1000, 3);
	synthetic_samples(&file, 0, 8000);
	assert_int_equal(finish_long(CUT_AT + 24).samples, 3);
}

TEST(narrow_samples_stay_whole)
{
	file.header.sample_width = 4;
	file.bytes[SAMPLES_AT + 4] = 1;
	file.size = SAMPLES_AT + 100;
	finish_long(CUT_AT + 8);
}

/* Cutting must not make a file longer. */
TEST(a_truncated_file_stays_as_it_is)
{
	synthetic_write(&file, "prog.1", 1000);
	finish();
	assert_int_equal(synthetic_size("prog.1"), 1000);
}

static off_t size_beside(const char *suffix, const char *name)
{
	struct stat status;
	char path[300];

	snprintf(path, sizeof(path), "%s%s/%s", synthetic_directory(), suffix, name);
	return stat(path, &status) < 0 ? -1 : status.st_size;
}

/* A command begins, and as much as nothing else happens. */
static void begin(void)
{
	struct profile_directory directory;

	make(&directory);
	close(directory.fd);
	assert_false(directory.shared);
}

TEST(only_old_profiles_are_put_aside)
{
	file.header.pid = 123;
	synthetic_samples(&file, 0x1000, 1);
	synthetic_write(&file, "prog.1", file.size);
	synthetic_write(&file, "perf-123.map", 10);
	synthetic_write(&file, "perf-124.map", 10);
	synthetic_write(&file, PROFILE_NAMES, 10);
	synthetic_write(&file, ".hidden", file.size);
	file.header.magic[0] = 'x';
	synthetic_write(&file, "notes", file.size);
	begin();
	assert_int_equal(synthetic_size("prog.1"), -1);
	assert_int_equal(synthetic_size("perf-123.map"), -1);
	assert_int_equal(synthetic_size(PROFILE_NAMES), -1);
	/* It belongs to none of the profiles. */
	assert_int_equal(synthetic_size("perf-124.map"), 10);
	assert_int_equal(synthetic_size(".hidden"), (off_t)file.size);
	assert_int_equal(synthetic_size("notes"), (off_t)file.size);
}

TEST(a_run_without_samples_costs_no_profile)
{
	const size_t empty = file.size;

	synthetic_samples(&file, 0x1000, 1);
	synthetic_write(&file, "prog.1", file.size);
	synthetic_write(&file, MAP_NAME, 10);
	begin();
	synthetic_begin(&file);
	synthetic_write(&file, "prog.2", empty);
	assert_true(finish().restored);
	assert_int_equal(synthetic_size("prog.2"), -1);
	assert_int_not_equal(synthetic_size("prog.1"), -1);
	assert_int_equal(synthetic_size(MAP_NAME), 10);
	assert_int_equal(size_beside("/.old", ""), -1);
	assert_int_equal(size_beside(".old", ""), -1);
}

TEST(a_previous_profile_that_was_not_finished_is)
{
	plant_map();
	write_long("prog.1");
	begin();
	assert_in_range(size_beside("/.old", "prog.1"), 1, SAMPLES_AT + 100);
	assert_int_equal(size_beside("/.old", MAP_NAME), 13);
}

TEST(a_run_that_only_waited_or_goes_on_is_a_profile)
{
	struct flock lock = { .l_type = F_WRLCK, .l_whence = SEEK_SET };
	int running;

	synthetic_samples(&file, 0x1000, 1);
	synthetic_write(&file, "prog.1", file.size);
	begin();
	synthetic_begin(&file);
	file.header.capacity = 1;
	file.header.stacks_offset = file.size + 8;
	file.header.stacks_capacity = 8;
	file.bytes[file.size + 8] = 1;
	file.size += 9;
	synthetic_write(&file, "prog.2", file.size);
	assert_true(finish().stacks);
	assert_int_not_equal(synthetic_size("prog.2"), -1);
	assert_int_not_equal(size_beside(".old", "prog.1"), -1);
	begin();
	synthetic_begin(&file);
	running = open(synthetic_write(&file, "prog.3", file.size), O_RDWR);
	assert_int_equal(fcntl(running, F_OFD_SETLK, &lock), 0);
	assert_false(finish().restored);
	close(running);
}

/* Also if profil is killed before it can settle. */
TEST(samples_keep_the_previous_profile_only)
{
	static const char *const names[] = { "prog.1", "prog.2", "prog.3" };

	synthetic_samples(&file, 0x1000, 1);
	for (size_t i = 0; i < 3; i++) {
		begin();
		synthetic_write(&file, names[i], file.size);
	}
	assert_false(finish().restored);
	assert_int_not_equal(synthetic_size("prog.3"), -1);
	assert_int_equal(synthetic_size("prog.2"), -1);
	assert_int_not_equal(size_beside(".old", "prog.2"), -1);
	assert_int_equal(size_beside(".old", "prog.1"), -1);
	assert_int_equal(size_beside("/.old", ""), -1);
}

/* And nothing else: the owner of such a directory may put files into it. */
TEST(all_that_is_left_of_profiles_can_be_removed)
{
	int directory = open(synthetic_directory(), O_RDONLY);

	assert_int_equal(fchdir(directory), 0);
	assert_int_equal(system("printf '\\177PROF' | tee .cut.1 >cut.1; printf '\\177PRN' | "
				"tee ." PROFILE_NAMES ".1 >" PROFILE_NAMES "; mkdir a.1; "
				"touch empty.1 .empty.1 ." PROFILE_NAMES ".2 perf-1.map b .b; "
				"echo x | tee .b.1 b.1 .perf-1.map perf-1.map.c >perf-c.map"), 0);
	previous_profile_remove_all(directory);
	close(directory);
	assert_int_equal(system("test \"`echo .[!.]* *`\" = '.b .b.1 .perf-1.map a.1 b b.1 "
				"perf-1.map.c perf-c.map'"), 0);
}

/* A profil was killed between two files; @where the next ones have them. */
static void tear(const char *mark, const char *other, const char *where)
{
	char command[900];

	snprintf(command, sizeof(command), "mkdir -p %s.old %s", synthetic_directory(),
		 synthetic_path(mark));
	assert_int_equal(system(command), 0);
	synthetic_samples(&file, 0x1000, 1);
	synthetic_write(&file, ".old/prog.1", file.size);
	synthetic_write(&file, other, file.size);
	synthetic_write(&file, "prog.3", file.size);
	begin();
	begin();
	assert_int_not_equal(size_beside(where, "prog.1"), -1);
	assert_int_not_equal(size_beside(where, "prog.2"), -1);
}

TEST(a_kill_while_files_move_loses_none)
{
	char old[300];

	tear(".old/.filling", "prog.2", "/.old");
	assert_int_equal(clean(NULL), 0);
	snprintf(old, sizeof(old), "../%s.old/prog.2", strrchr(synthetic_directory(), '/'));
	tear(".old/.leaving", old, ".old");
}

TEST(a_directory_of_maps_or_other_files_is_refused)
{
	struct profile_directory directory;

	assert_int_equal(profile_directory_make(&directory, "/tmp"), EBUSY);
	synthetic_write(&file, "perf-123.map", 10);
	assert_int_equal(profile_directory_make(&directory, synthetic_directory()), ENOTEMPTY);
	assert_int_equal(synthetic_size("perf-123.map"), 10);
	/* With a profile it is a directory of profiles. */
	synthetic_write(&file, "prog.1", file.size);
	begin();
	assert_int_equal(synthetic_size("prog.1"), -1);
	assert_int_equal(synthetic_size("perf-123.map"), 10);
}

TEST(empty_and_hidden_files_are_not_in_the_way)
{
	synthetic_write(&file, "prog.1", 0);
	synthetic_write(&file, ".hidden", 10);
	begin();
}

static mode_t mode_of(const char *path)
{
	struct stat status;

	assert_int_equal(stat(path, &status), 0);
	return status.st_mode & 07777;
}

TEST(others_cannot_write_whatever_the_umask)
{
	mode_t before = umask(0);
	struct profile_directory directory;
	char path[300];

	snprintf(path, sizeof(path), "%s/new", synthetic_directory());
	assert_int_equal(profile_directory_make(&directory, path), 0);
	close(directory.fd);
	plant_map();
	finish();
	umask(before);
	assert_int_equal(mode_of(path), 0755);
	snprintf(path, sizeof(path), "%s/%s", synthetic_directory(), MAP_NAME);
	assert_int_equal(mode_of(path), 0644);
	assert_int_equal(chmod(synthetic_write(&file, "prog.1", file.size), 0600), 0);
	finish();
	assert_int_equal(mode_of(path), 0600);
}

/* Up to a hole, which costs nothing until it is copied. */
TEST(what_a_process_says_of_its_code_is_kept)
{
	plant_map();
	assert_int_equal(truncate(map_path, 1 << 20), 0);
	finish();
	assert_int_equal(synthetic_size(MAP_NAME), 13);
	/* That of a later process with its number. */
	assert_int_equal(truncate(map_path, 5), 0);
	finish();
	assert_int_equal(synthetic_size(MAP_NAME), 13);
}

/* A FIFO that was opened for reading would wait for ever. */
TEST(a_fifo_or_a_link_is_no_map)
{
	plant_map();
	unlink(map_path);
	assert_int_equal(mkfifo(map_path, 0666), 0);
	alarm(20);
	finish();
	alarm(0);
	assert_int_equal(synthetic_size(MAP_NAME), -1);
	unlink(map_path);
	assert_int_equal(symlink("/etc/passwd", map_path), 0);
	finish();
	assert_int_equal(synthetic_size(MAP_NAME), -1);
}

/* How many seconds before, and by how many the clock has been set back since. */
TEST(a_map_from_before_the_process_is_none)
{
	static const struct { time_t age, back; off_t kept; } cases[] = {
		{ 4, 0, -1 }, { 2, 0, 13 }, { 1, 9, 13 }
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct timespec now, times[2] = { 0 };

		clock_gettime(CLOCK_MONOTONIC, &now);
		file.header.monotonic_ns = (uint64_t)now.tv_sec * 1000000000;
		times[0].tv_sec = times[1].tv_sec = time(NULL) - cases[i].age;
		file.header.started_ns = (uint64_t)(time(NULL) + cases[i].back) * 1000000000;
		plant_map();
		assert_int_equal(utimensat(AT_FDCWD, map_path, times, 0), 0);
		finish();
		assert_int_equal(synthetic_size(MAP_NAME), cases[i].kept);
		unlink(synthetic_path(MAP_NAME));
	}
}

/* The profile of what root has started as somebody else. */
TEST(a_map_is_kept_for_the_owner_of_the_profile_only)
{
	struct stat status;

	if (geteuid())
		skip();
	plant_map();
	assert_int_equal(chown(map_path, 65534, 65534), 0);
	finish();
	assert_int_equal(synthetic_size(MAP_NAME), -1);
	plant_map();
	assert_int_equal(chown(map_path, 65534, 65534), 0);
	assert_int_equal(chown(synthetic_path("prog.1"), 65534, 65534), 0);
	finish();
	assert_int_equal(stat(synthetic_path(MAP_NAME), &status), 0);
	assert_int_equal(status.st_uid, 65534);
}

/* Nothing is written through what is in the place of the copy. */
TEST(nothing_is_written_through_a_link)
{
	plant_map();
	assert_int_equal(symlink(synthetic_write(&file, "victim", 100),
				 synthetic_path(MAP_NAME)), 0);
	finish();
	assert_int_equal(synthetic_size("victim"), 100);
	assert_int_equal(synthetic_size(MAP_NAME), 13);
}

/* Nor is a file that is not here cut. */
TEST(a_link_to_a_profile_is_none)
{
	synthetic_samples(&file, 0x1000, 1);
	assert_int_equal(symlink(write_long(".away"), synthetic_path("prog.1")), 0);
	assert_int_equal(finish().files, 0);
	assert_int_equal(synthetic_size(".away"), SAMPLES_AT + HOLE);
	unlink(synthetic_path(".away"));
}

UNIT_MAIN("directory", clean, NULL, NULL, clean)
