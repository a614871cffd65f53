// SPDX-License-Identifier: LGPL-2.1-or-later
/* Cutting files that have stacks behind room for many samples. */
#include "unit.h"
#include "reader/profile_cut.h"
#include "reader/profile_samples.h"
#include "reader/profile_stream.h"
#include "synthetic.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define ROOM		(64UL << 20)	/* for samples */
#define STACKS_AT	(SAMPLES_AT + ROOM)
#define STACKS_ROOM	(1UL << 38)	/* more than memory */

static struct synthetic file;
static char stacks[300000];
static size_t nsamples, nstacks;
static bool full;

/* The next writes are done, then this process ends, or writes fail. */
static int writes_left = -1;
static int error_then;

static int stopped(void)
{
	if (writes_left < 0 || writes_left-- > 0)
		return 0;
	if (!error_then)
		_exit(0);
	writes_left = 0;
	errno = error_then;
	return -1;
}

ssize_t __real_pwrite(int fd, const void *bytes, size_t size, off_t at);
int __real_ftruncate(int fd, off_t size);
ssize_t __wrap_pwrite(int fd, const void *bytes, size_t size, off_t at);
int __wrap_ftruncate(int fd, off_t size);

/* A write that is interrupted may have been done in part. */
ssize_t __wrap_pwrite(int fd, const void *bytes, size_t size, off_t at)
{
	if (writes_left == 0 && !error_then && size > 16)
		__real_pwrite(fd, bytes, size / 2, at);
	return stopped() ? -1 : __real_pwrite(fd, bytes, size, at);
}

int __wrap_ftruncate(int fd, off_t size)
{
	return !error_then && stopped() ? -1 : __real_ftruncate(fd, size);
}

/* As the library and the kernel have it. */
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

static int cut(const char *path)
{
	struct profile_file opened;
	int error;

	assert_true(profile_file_peek(&opened, AT_FDCWD, path));
	error = profile_cut(&opened, profile_samples_end(&opened));
	profile_file_close(&opened);
	return error;
}

static void count_good(void *context, const uint64_t *pcs, uint64_t n,
		       uint64_t first)
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
static void check(const char *path)
{
	static char bytes[sizeof(stacks) + 1];
	struct profile_file opened;
	size_t samples = 0, n;

	assert_true(profile_file_open(&opened, path));
	profile_samples_visit(&opened, count_good, &samples);
	assert_int_equal(samples, nsamples);
	assert_int_not_equal(opened.header.stacks_offset, 0);
	assert_int_equal(opened.header.capacity == samples, full);
	n = nstacks + 1 < opened.header.stacks_capacity ?
		nstacks + 1 : opened.header.stacks_capacity;
	n = profile_file_read(&opened, bytes, n, opened.header.stacks_offset);
	assert_true(n >= nstacks);
	assert_memory_equal(bytes, stacks, nstacks);
	assert_true(n == nstacks || !bytes[nstacks]);
	profile_file_close(&opened);
}

TEST(stacks_are_brought_to_the_samples)
{
	const char *path = write_file(1001, 200001);
	off_t size;

	check(path);
	assert_int_equal(cut(path), 0);
	check(path);
	size = synthetic_size("prog.1");
	assert_in_range(size, SAMPLES_AT + 1002 * 8 + 200001,
			SAMPLES_AT + 1002 * 8 + 200001 + 512);
	/* Once more changes nothing. */
	assert_int_equal(cut(path), 0);
	check(path);
	assert_int_equal(synthetic_size("prog.1"), size);
}

TEST(a_file_without_a_stack_has_none_afterwards)
{
	const char *path = write_file(1001, 0);

	assert_int_equal(cut(path), 0);
	check(path);
	assert_int_equal(synthetic_size("prog.1"), SAMPLES_AT + 1001 * 8);
	path = write_file(0, 0);
	assert_int_equal(cut(path), 0);
	check(path);
	assert_int_equal(synthetic_size("prog.1"), SAMPLES_AT);
}

/* In the middle of each write, and before each cut. */
TEST(a_kill_at_any_step_loses_nothing)
{
	const char *path;
	int steps, status;
	pid_t pid;

	for (steps = 0; steps < 20; steps++) {
		path = write_file(1001, 290000);
		pid = fork();
		if (pid == 0) {
			writes_left = steps;
			cut(path);
			_exit(1);
		}
		waitpid(pid, &status, 0);
		check(path);
		cut(path);
		check(path);
		assert_true(synthetic_size("prog.1") < (off_t)STACKS_AT);
		if (status)
			break;
	}
	/* capacity, three pieces, the place, the cut. */
	assert_int_equal(steps, 6);
}

TEST(a_full_disk_loses_nothing)
{
	const char *path;
	struct stat status;

	for (int steps = 0; steps < 5; steps++) {
		path = write_file(1001, 290000);
		writes_left = steps;
		error_then = ENOSPC;
		assert_int_equal(cut(path), ENOSPC);
		writes_left = -1;
		error_then = 0;
		check(path);
		assert_in_range(synthetic_size("prog.1"), STACKS_AT + 290000,
				steps ? STACKS_AT + 290512 :
					STACKS_AT + STACKS_ROOM);
		/* It is not there twice. */
		assert_int_equal(stat(path, &status), 0);
		assert_true(status.st_blocks * 512 < SAMPLES_AT + 8008 + 400000);
	}
}

/* It reads the header, another one cuts, and it goes on. */
TEST(who_comes_too_late_does_nothing)
{
	const char *path = write_file(1001, 290000);
	struct profile_file late;
	uint64_t end;

	assert_true(profile_file_peek(&late, AT_FDCWD, path));
	end = profile_samples_end(&late);
	assert_int_equal(cut(path), 0);
	assert_int_equal(profile_cut(&late, end), 0);
	profile_file_close(&late);
	check(path);
}

/* Where the header of before has room for samples, there are stacks by now. */
TEST(who_reads_meanwhile_takes_no_stacks_for_samples)
{
	const char *path = write_file(1001, 290000);
	struct profile_file reader;
	size_t samples = 0;

	assert_true(profile_file_open(&reader, path));
	assert_int_equal(cut(path), 0);
	assert_int_equal(profile_samples_end(&reader), SAMPLES_AT + 1001 * 8);
	profile_samples_visit(&reader, count_good, &samples);
	assert_int_equal(samples, nsamples);
	profile_file_close(&reader);
}

TEST(who_reads_meanwhile_finds_the_stacks)
{
	const char *path = write_file(1001, 290000);
	struct profile_file reader;
	void *stream;
	size_t size;

	assert_true(profile_file_open(&reader, path));
	assert_int_equal(cut(path), 0);
	stream = profile_stream_read(&reader, &size);
	assert_in_range(size, nstacks, nstacks + 512);
	assert_memory_equal(stream, stacks, nstacks);
	free(stream);
	profile_file_close(&reader);
}

TEST(who_meets_another_one_leaves_it_to_that)
{
	const char *path = write_file(1001, 290000);
	struct profile_file other;

	assert_true(profile_file_peek(&other, AT_FDCWD, path));
	assert_false(profile_file_is_live(&other));
	assert_int_equal(cut(path), 0);
	assert_int_equal(synthetic_size("prog.1"), STACKS_AT + STACKS_ROOM);
	assert_int_equal(profile_cut(&other, profile_samples_end(&other)), 0);
	profile_file_close(&other);
	check(path);
	assert_true(synthetic_size("prog.1") < (off_t)STACKS_AT);
}

/* What would overlap itself stays where it is. */
TEST(a_full_array_stays_before_its_stacks)
{
	const char *path = write_file(1001, 290000);
	const uint64_t capacity = 1001, at = SAMPLES_AT + 1001 * 8 + 4096;
	int fd = open(path, O_RDWR);

	assert_int_equal(pwrite(fd, stacks, nstacks, at), nstacks);
	assert_int_equal(ftruncate(fd, (off_t)(at + nstacks)), 0);
	assert_int_equal(ftruncate(fd, (off_t)(at + STACKS_ROOM)), 0);
	pwrite(fd, &capacity, 8, offsetof(struct profile_header, capacity));
	pwrite(fd, &at, 8, offsetof(struct profile_header, stacks_offset));
	close(fd);
	full = true;
	check(path);
	assert_int_equal(cut(path), 0);
	check(path);
	full = false;
	assert_in_range(synthetic_size("prog.1"), at + 290000, at + 290512);
}

/* Whoever made such a file does not get the disk filled. */
TEST(what_is_behind_a_hole_is_no_stack)
{
	const char *path = write_file(1001, 5000);
	int fd = open(path, O_RDWR);

	assert_int_equal(pwrite(fd, "x", 1, STACKS_AT + STACKS_ROOM / 2), 1);
	close(fd);
	assert_int_equal(cut(path), 0);
	check(path);
	assert_true(synthetic_size("prog.1") < (off_t)SAMPLES_AT + 1001 * 8 + 66000);
}

UNIT_MAIN("cut", NULL, NULL, NULL, NULL)
