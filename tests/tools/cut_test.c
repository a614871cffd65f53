// SPDX-License-Identifier: LGPL-2.1-or-later
/* Files as the library and the kernel have them become files without unused space. */
#include "unit.h"
#include "run/profile_cut.h"
#include "reader/profile_samples.h"
#include "reader/profile_stream.h"
#include "synthetic.h"

#include <sys/wait.h>

#define ROOM		(64UL << 20)	/* for samples */
#define STACKS_AT	(SAMPLES_AT + ROOM)
#define STACKS_ROOM	(1UL << 38)	/* more than memory */

static struct synthetic file;
static char stacks[300000];
static size_t nsamples, nstacks;

/* The next writes are done, then this process ends, or writes fail. */
static int writes_left = -1;
static int error_then;

ssize_t __real_pwrite(int fd, const void *bytes, size_t size, off_t at);
ssize_t __wrap_pwrite(int fd, const void *bytes, size_t size, off_t at);

static bool another_cuts;
static int cut(void);

ssize_t __wrap_pwrite(int fd, const void *bytes, size_t size, off_t at)
{
	if (another_cuts) {
		another_cuts = false;
		writes_left = fork() ? -1 : 1;
		if (writes_left > 0)
			_exit(cut());
		wait(NULL);
	}
	if (writes_left < 0 || writes_left-- > 0)
		return __real_pwrite(fd, bytes, size, at);
	if (!error_then)
		_exit(0);
	writes_left = 0;
	errno = error_then;
	return -1;
}

static const char *write_file(size_t samples, size_t bytes)
{
	const char *path;
	int fd;

	synthetic_begin(&file);
	synthetic_object(&file, 0, "/bin/prog", 0x1000, 0x2000, 0);
	for (size_t i = 0; i < samples; i++)
		synthetic_samples(&file, 0x1000 + i % 256, 1);
	for (size_t i = 0; i < bytes; i++)
		stacks[i] = (char)(1 + i % 255);
	nsamples = samples;
	nstacks = bytes;
	file.header.state = PROFILE_RUNNING;
	file.header.capacity = ROOM / 8;
	file.header.stacks_offset = STACKS_AT;
	file.header.stacks_capacity = STACKS_ROOM;
	path = synthetic_write(&file, "prog.1", file.size);
	fd = open(path, O_RDWR);
	assert_true(fd >= 0);
	assert_int_equal(ftruncate(fd, STACKS_AT + STACKS_ROOM), 0);
	assert_int_equal(pwrite(fd, stacks, bytes, STACKS_AT), (ssize_t)bytes);
	close(fd);
	return path;
}

static int cut(void)
{
	int directory = open(synthetic_directory(), O_RDONLY | O_DIRECTORY), error;
	struct profile_file opened;

	assert_true(profile_file_peek(&opened, directory, "prog.1"));
	error = profile_cut(directory, &opened, profile_samples_end(&opened));
	profile_file_close(&opened);
	close(directory);
	return error;
}

static void count_good(void *context, const uint64_t *pcs, uint64_t n, uint64_t first)
{
	size_t *samples = context;
	uint64_t i;

	for (i = 0; i < n && pcs[i]; i++) {
		assert_int_equal(pcs[i], 0x1000 + (first + i) % 256);
		++*samples;
	}
	for (; i < n; i++)
		assert_int_equal(pcs[i], 0);
}

/* All that was written is there, and nothing else. */
static void check_open(struct profile_file *opened)
{
	size_t samples = 0, n;
	void *stream;

	assert_non_null(profile_file_record(opened, NULL));
	profile_samples_visit(opened, count_good, &samples);
	assert_int_equal(samples, nsamples);
	assert_int_not_equal(opened->header.stacks_offset, 0);
	assert_true(opened->header.capacity > samples);
	stream = profile_stream_read(opened, &n);
	if (!nstacks) {
		assert_null(stream);
		return;
	}
	assert_in_range(n, nstacks, nstacks + 4096);
	assert_memory_equal(stream, stacks, nstacks);
	assert_true(n == nstacks || !((char *)stream)[nstacks]);
	free(stream);
}

static void check(const char *path)
{
	struct profile_file opened;

	assert_true(profile_file_open(&opened, path));
	check_open(&opened);
	profile_file_close(&opened);
}

static off_t least_size(void)
{
	return (off_t)(sizeof(file.header) + file.header.log_used + nsamples * 8 + nstacks);
}

TEST(a_cut_file_has_nothing_but_its_contents)
{
	const size_t sizes[][2] = { { 1001, 290001 }, { 1001, 0 }, { 0, 0 }, { 7000, 100 } };

	for (size_t i = 0; i < 4; i++) {
		const char *path = write_file(sizes[i][0], sizes[i][1]);
		off_t size;

		check(path);
		assert_int_equal(cut(), 0);
		check(path);
		size = synthetic_size("prog.1");
		/* Without samples the log stays where it was. */
		assert_in_range(size, least_size(), least_size() + (i == 2 ? 4096 : 16 + 512));
		/* Once more changes nothing. */
		assert_int_equal(cut(), 0);
		assert_int_equal(synthetic_size("prog.1"), size);
	}
}

TEST(a_kill_at_any_step_loses_nothing)
{
	const char *path;
	int steps, status = 0;

	for (steps = 0; !status; steps++) {
		path = write_file(1001, 290000);
		if (fork() == 0) {
			writes_left = steps;
			cut();
			_exit(1);
		}
		wait(&status);
		check(path);
		assert_int_equal(cut(), 0);
		check(path);
		assert_true(synthetic_size("prog.1") < 310000);
		assert_int_equal(synthetic_size(".prog.1"), -1);
	}
	/* Three pieces of 128 KiB. */
	assert_int_equal(steps, 4);
}

TEST(two_that_cut_one_file_leave_it_whole)
{
	const char *path = write_file(1001, 290000);

	another_cuts = true;
	assert_int_equal(cut(), 0);
	check(path);
}

TEST(a_full_disk_leaves_the_file_and_no_page_without_contents)
{
	struct stat status;

	for (int steps = 0; steps < 3; steps++) {
		const char *path = write_file(1001, 290000);
		int fd = open(path, O_RDWR);

		/* As mlockall() does. */
		assert_int_equal(fallocate(fd, 0, SAMPLES_AT + ROOM / 2, 8 << 20), 0);
		writes_left = steps;
		error_then = ENOSPC;
		assert_int_equal(cut(), ENOSPC);
		writes_left = -1;
		error_then = 0;
		check(path);
		assert_int_equal(fstat(fd, &status), 0);
		close(fd);
		assert_int_equal(status.st_size, STACKS_AT + STACKS_ROOM);
		assert_in_range(status.st_blocks * 512, 290000, 1 << 20);
		assert_int_equal(synthetic_size(".prog.1"), -1);
	}
}

TEST(who_reads_meanwhile_has_the_old_file)
{
	const char *path = write_file(1001, 290000);
	struct profile_file reader;

	assert_true(profile_file_open(&reader, path));
	assert_int_equal(cut(), 0);
	check_open(&reader);
	profile_file_close(&reader);
}

TEST(a_full_array_stays_full)
{
	struct profile_file opened;
	const char *path;

	write_file(1001, 1000);
	file.header.capacity = 1001;
	path = synthetic_write(&file, "prog.1", file.size);
	assert_int_equal(truncate(path, 1 << 30), 0);
	assert_int_equal(cut(), 0);
	assert_true(profile_file_open(&opened, path));
	assert_int_equal(opened.header.capacity, 1001);
	profile_file_close(&opened);
}

/* Such a file must not make the reader fill the disk. */
TEST(what_is_behind_a_hole_is_no_stack)
{
	const char *path = write_file(1001, 5000);
	int fd = open(path, O_RDWR);

	assert_int_equal(pwrite(fd, "x", 1, STACKS_AT + STACKS_ROOM / 2), 1);
	close(fd);
	assert_int_equal(cut(), 0);
	check(path);
	assert_true(synthetic_size("prog.1") < 20000);
}

TEST(the_new_file_has_the_mode_and_owner_of_the_old_one)
{
	uid_t owner = geteuid() ? geteuid() : 65534;
	const char *path = write_file(1, 1);
	struct stat status;

	assert_int_equal(chmod(path, 0600) | chown(path, owner, (gid_t)-1), 0);
	assert_int_equal(cut(), 0);
	assert_int_equal(stat(path, &status), 0);
	assert_int_equal(status.st_mode & 07777, 0600);
	assert_int_equal(status.st_uid, owner);
}

UNIT_MAIN("cut", NULL, NULL, NULL, NULL)
