// SPDX-License-Identifier: LGPL-2.1-or-later
/* The preload library's file and sampler: room for stacks, and their way there. */
#include "kernel.h"

#include "file_create.h"
#include "file_room.h"
#include "objects.h"
#include "sampler.h"

#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define SAMPLES_MOST	(1UL << 33)
#define STACKS_MOST	(32 * SAMPLES_MOST)
#define PAGE		4096UL

static char directory[] = "/tmp/profil-test.XXXXXX";
static struct file file;
static struct sampler sampler;

static int make_directory(void **state)
{
	(void)state;
	return mkdtemp(directory) ? 0 : -1;
}

static int remove_directory(void **state)
{
	(void)state;
	return rmdir(directory);
}

static int begin(void **state)
{
	file = (struct file){ .header = NULL };
	sampler = (struct sampler){ .rate = PROFIL_RATE_FAST };
	return kernel_boot(state);
}

static int end(void **state)
{
	if (file.header) {
		munmap(file.stacks, file.stacks_room);
		munmap(file.samples, file.room * 8);
		file_forget(&file);
	}
	unlink(file.path);
	return kernel_halt(state);
}

static void make(uint64_t capacity, bool stacks)
{
	assert_int_equal(file_create(&file, directory, "test", capacity, stacks),
			 0);
}

static off_t size_of_file(void)
{
	struct stat status;

	assert_int_equal(stat(file.path, &status), 0);
	return status.st_size;
}

/* Two samples and 1000 bytes of stacks, of 7 ticks, 2 of them in no record. */
static void run_a_moment(void)
{
	kernel.status.nsamples = 7;
	kernel.status.ticks = kernel.status.counted = 7;
	kernel.status.stack_bytes = 1000;
	kernel.status.stackless = 2;
}

static void start(void)
{
	assert_int_equal(sampler_start(&sampler, &file,
				       sampler_position(&sampler), -1), 0);
}

/* --- room ----------------------------------------------------------------- */

static void stacks_are_behind_the_samples(void **state)
{
	(void)state;
	make(0, true);
	assert_int_equal(file.header->version, 2);
	assert_int_equal(file.room, SAMPLES_MOST);
	assert_int_equal(file.stacks_room, STACKS_MOST);
	assert_ptr_equal(file.stacks, file.samples + 8 * SAMPLES_MOST);
	assert_int_equal(file.header->stacks_offset,
			 file.header->samples_offset + 8 * SAMPLES_MOST);
	assert_int_equal(file.header->stacks_capacity, STACKS_MOST);
	assert_int_equal(size_of_file(),
			 file.header->stacks_offset + STACKS_MOST);
	assert_int_not_equal(file.header->monotonic_ns, 0);
	file.stacks[STACKS_MOST - 1] = 1;
}

static void stacks_that_are_not_wanted_take_no_room(void **state)
{
	(void)state;
	make(0, false);
	assert_int_equal(file.stacks_room, 0);
	assert_int_equal(file.header->stacks_offset, 0);
	assert_int_equal(file.header->stacks_capacity, 0);
	assert_int_equal(size_of_file(), file.header->samples_offset +
			 8 * SAMPLES_MOST);
}

static void room_for_stacks_is_in_proportion(void **state)
{
	(void)state;
	make(100001, true);
	assert_int_equal(file.room, 100001);
	assert_int_equal(file.header->stacks_offset % PAGE, 0);
	assert_true(file.header->stacks_offset >=
		    file.header->samples_offset + 800008);
	assert_in_range(file.stacks_room, 3200032, 3200032 + PAGE);
	assert_int_equal(size_of_file(),
			 file.header->stacks_offset + file.stacks_room);
}

static void few_samples_may_have_deep_stacks(void **state)
{
	(void)state;
	make(1, true);
	assert_int_equal(file.room, 1);
	assert_int_equal(file.stacks_room, 1 << 20);
}

/* With a limit of @bytes for files. */
static void make_limited(uint64_t bytes, uint64_t capacity)
{
	struct rlimit old, limit;

	getrlimit(RLIMIT_FSIZE, &old);
	limit = old;
	limit.rlim_cur = bytes;
	setrlimit(RLIMIT_FSIZE, &limit);
	make(capacity, true);
	setrlimit(RLIMIT_FSIZE, &old);
}

static void a_limit_of_file_sizes_is_shared(void **state)
{
	const uint64_t bytes = (64 << 20) - FILE_SAMPLES_AT;
	const uint64_t half = bytes / 2 & ~(PAGE - 1);

	(void)state;
	make_limited(FILE_SAMPLES_AT + 8 * SAMPLES_MOST + STACKS_MOST, 0);
	assert_int_equal(file.room, SAMPLES_MOST);
	assert_int_equal(file.stacks_room, STACKS_MOST);
	end(NULL);
	/* Samples have their half, and stacks all that is left. */
	make_limited(FILE_SAMPLES_AT + 8 * SAMPLES_MOST + STACKS_MOST - 1, 0);
	assert_int_equal(file.room, SAMPLES_MOST);
	assert_int_equal(file.stacks_room, STACKS_MOST - PAGE);
	end(NULL);
	make_limited(64 << 20, 0);
	assert_int_equal(file.room, half / 8);
	assert_int_equal(file.stacks_room, bytes - half);
	assert_int_equal(size_of_file(), 64 << 20);
	end(NULL);
	make_limited(64 << 20, 1000);
	assert_int_equal(file.room, 1000);
	assert_int_equal(file.stacks_room, 1 << 20);
}

static void a_limit_that_is_short_is_for_samples(void **state)
{
	(void)state;
	make_limited(FILE_SAMPLES_AT + (30 << 10), 0);
	assert_int_equal(file.room, (30 << 10) / 8);
	assert_int_equal(file.stacks_room, 0);
	assert_int_equal(file.header->stacks_offset, 0);
	end(NULL);
	make_limited(FILE_SAMPLES_AT + (32 << 10), 0);
	assert_int_equal(file.room, (16 << 10) / 8);
	assert_int_equal(file.stacks_room, 16 << 10);
}

/* Of address space: as much as there is now, and @bytes. */
static void limit_space(uint64_t bytes)
{
	struct rlimit limit;
	unsigned long pages = 0;
	FILE *statm = fopen("/proc/self/statm", "r");

	assert_non_null(statm);
	assert_int_equal(fscanf(statm, "%lu", &pages), 1);
	fclose(statm);
	getrlimit(RLIMIT_AS, &limit);
	limit.rlim_cur = pages * PAGE + bytes;
	assert_int_equal(setrlimit(RLIMIT_AS, &limit), 0);
}

static void end_limit_of_space(void)
{
	struct rlimit limit;

	getrlimit(RLIMIT_AS, &limit);
	limit.rlim_cur = limit.rlim_max;
	setrlimit(RLIMIT_AS, &limit);
}

/* Sanitizers have terabytes mapped, so that a limit is never near. */
static void a_limit_of_address_space_is_shared(void **state)
{
	uint64_t samples, stacks;

	(void)state;
	limit_space(100UL << 30);
	make(0, true);
	end_limit_of_space();
	samples = 8 * file.room;
	stacks = file.stacks_room;
	assert_true(samples + stacks <= 100UL << 30);
	assert_true(samples >= 1 << 20);
	assert_true(stacks >= samples);
	assert_int_equal(file.header->capacity, file.room);
	assert_int_equal(file.header->stacks_capacity, stacks);
	assert_int_equal(size_of_file(), file.header->stacks_offset + stacks);
}

static void a_child_inherits_no_stacks(void **state)
{
	unsigned char present;
	int status;

	(void)state;
	make(0, true);
	if (fork() == 0)
		_exit(mincore(file.stacks, PAGE, &present) == -1 &&
		      mincore(file.samples, PAGE, &present) == -1 &&
		      mincore((void *)file.header, PAGE, &present) == 0 ? 0 : 1);
	wait(&status);
	assert_int_equal(status, 0);
}

static void folded_stacks_come_back(void **state)
{
	(void)state;
	make(0, true);
	file.stacks[100000] = 42;
	file_room_fold(&file, 8192);
	assert_int_equal(file.room, 8192);
	assert_int_equal(file.stacks_room, PAGE);
	file_room_unfold(&file);
	assert_int_equal(file.room, SAMPLES_MOST);
	assert_int_equal(file.stacks_room, STACKS_MOST);
	assert_int_equal(file.stacks[100000], 42);
	assert_int_equal(file.header->stacks_capacity, STACKS_MOST);
}

static void a_limit_that_comes_later_is_shared(void **state)
{
	(void)state;
	make(0, true);
	file.stacks[100000] = 42;
	file_room_limit(&file, UINT64_MAX, 8192, 0);
	assert_int_equal(file.room, SAMPLES_MOST);
	assert_int_equal(file.stacks_room, STACKS_MOST);
	file_room_limit(&file, 256 << 20, 8192, 200000);
	assert_int_equal(file.room, (8 << 20) / 8);
	assert_int_equal(file.stacks_room, 8 << 20);
	assert_int_equal(file.header->capacity, file.room);
	assert_int_equal(file.header->stacks_capacity, 8 << 20);
	/* And no more than that comes back. */
	file_room_fold(&file, 512);
	file_room_unfold(&file);
	assert_int_equal(file.room, (8 << 20) / 8);
	assert_int_equal(file.stacks_room, 8 << 20);
	assert_int_equal(file.stacks[100000], 42);
}

static void a_limit_below_what_there_is_ends_stacks(void **state)
{
	(void)state;
	make(0, true);
	file_room_limit(&file, 256 << 20, (9 << 20) / 8, (8 << 20) - 1000);
	/* Samples go on, with what stacks had. */
	assert_int_equal(file.room, (16 << 20) / 8);
	assert_int_equal(file.stacks_room, 0);
	/* What is in the file stays. */
	assert_int_equal(file.header->stacks_capacity, STACKS_MOST);
	file_room_limit(&file, 1 << 20, (9 << 20) / 8, 8 << 20);
	assert_int_equal(file.room, (9 << 20) / 8);
	file_room_fold(&file, 512);
	file_room_unfold(&file);
	assert_int_equal(file.stacks_room, 0);
}

static void a_file_that_nobody_cuts_is_cut_behind_its_stacks(void **state)
{
	uint64_t end;

	(void)state;
	make(0, true);
	file_room_trim(&file, 1000, 20000);
	end = file.header->stacks_offset + 20000;
	assert_in_range(size_of_file(), end + (1 << 20), end + (64 << 20));
}

/* --- the kernel ------------------------------------------------------------- */

static void stacks_are_asked_for(void **state)
{
	(void)state;
	make(0, true);
	start();
	assert_int_equal(kernel.samples.stacks, (uintptr_t)file.stacks);
	assert_int_equal(kernel.samples.stacks_size, STACKS_MOST);
	assert_int_equal(kernel.samples.first_sample, 0);
	assert_int_equal(kernel.samples.buf, (uintptr_t)file.samples);
}

static void without_room_they_are_not(void **state)
{
	(void)state;
	make(0, false);
	start();
	assert_int_equal(kernel.samples.stacks, 0);
	assert_int_equal(kernel.samples.stacks_size, 0);
	assert_int_equal(kernel.ncommands, 1);
}

static void they_go_on_where_they_were(void **state)
{
	(void)state;
	make(0, true);
	start();
	run_a_moment();
	sampler_stop(&sampler);
	assert_int_equal(file.header->stack_bytes, 1000);
	assert_int_equal(file.header->stackless, 2);
	start();
	assert_int_equal(kernel.samples.buf, (uintptr_t)file.samples + 7 * 8);
	assert_int_equal(kernel.samples.stacks, (uintptr_t)file.stacks + 1000);
	assert_int_equal(kernel.samples.stacks_size, STACKS_MOST - 1000);
	assert_int_equal(kernel.samples.first_sample, 7);
	run_a_moment();
	sampler_stop(&sampler);
	assert_int_equal(file.header->ticks, 14);
	assert_int_equal(file.header->stack_bytes, 2000);
	assert_int_equal(file.header->stackless, 4);
}

static void ticks_while_there_is_no_room_have_no_stack(void **state)
{
	(void)state;
	make(0, true);
	start();
	run_a_moment();
	kernel.status.stack_bytes = 5000;
	sampler_stop(&sampler);
	file_room_fold(&file, 8192);
	start();
	assert_int_equal(kernel.samples.stacks, 0);
	kernel.status.ticks = 5;
	kernel.status.nsamples = 5;
	sampler_stop(&sampler);
	assert_int_equal(file.header->stack_bytes, 5000);
	assert_int_equal(file.header->stackless, 7);
	file_room_unfold(&file);
	start();
	assert_int_equal(kernel.samples.stacks, (uintptr_t)file.stacks + 5000);
	assert_int_equal(kernel.samples.first_sample, 12);
}

/* The rest is too small for the kernel. */
static void a_full_stream_ends(void **state)
{
	(void)state;
	make(1, true);
	start();
	kernel.status.stack_bytes = file.stacks_room - 4095;
	sampler_stop(&sampler);
	start();
	assert_int_equal(kernel.samples.stacks, 0);
	assert_int_equal(kernel.ncommands, 3);
}

static void an_older_kernel_stores_samples(void **state)
{
	(void)state;
	kernel.old = true;
	make(0, true);
	start();
	assert_int_equal(kernel.sampleses, 1);
	assert_int_equal(file.stacks_room, 0);
	assert_int_equal(file.header->stacks_offset, 0);
	assert_int_equal(file.header->stacks_capacity, 0);
	run_a_moment();
	sampler_stop(&sampler);
	start();
	assert_int_equal(kernel.ncommands, 4);
	assert_int_equal(file.header->stackless, 0);
}

static void what_forbids_samples_is_said(void **state)
{
	(void)state;
	kernel.start_error = EPERM;
	make(0, true);
	assert_int_equal(sampler_start(&sampler, &file, 0, -1), EPERM);
	/* It may be forbidden for now. */
	assert_int_equal(file.stacks_room, STACKS_MOST);
}

/* --- objects ------------------------------------------------------------------ */

/* In a process of its own, as only the first table decides. */
static void in_child(void (*check)(void))
{
	int status;

	fflush(NULL);
	if (fork() == 0) {
		check();
		end(NULL);
		_exit(0);
	}
	wait(&status);
	assert_int_equal(status, 0);
}

static bool is_in(const struct profil_object *object, uintptr_t address)
{
	return object->start <= address && address < object->end;
}

static const struct profil_object *object_of(uintptr_t address)
{
	unsigned int i;

	for (i = 0; i < kernel.nobjects; i++)
		if (is_in(&kernel.objects[i], address))
			return &kernel.objects[i];
	return NULL;
}

static void check_table(void)
{
	unsigned long vdso = getauxval(AT_SYSINFO_EHDR);

	make(0, true);
	objects_log_changes(&file, 0, -1);
	if (kernel.tables != 1 || !object_of((uintptr_t)check_table) ||
	    !object_of((uintptr_t)check_table)->eh_frame_hdr ||
	    !object_of((uintptr_t)*(void **)(void *)&(void *){ (void *)getpid })
		     ->eh_frame_hdr ||
	    (vdso && !object_of(vdso)))
		_exit(1);
	/* Nothing has changed. */
	objects_log_changes(&file, 0, -1);
	if (kernel.tables != 1)
		_exit(2);
}

static void the_kernel_learns_where_code_is(void **state)
{
	(void)state;
	in_child(check_table);
}

static void check_refusal(void)
{
	make(0, true);
	objects_log_changes(&file, 0, -1);
	if (file.stacks_room || file.header->stacks_offset)
		_exit(1);
	start();
	if (kernel.samples.stacks || kernel.ncommands > 2)
		_exit(2);
}

static void a_kernel_that_does_not_take_them_makes_no_stacks(void **state)
{
	(void)state;
	kernel.objects_error = EINVAL;
	in_child(check_refusal);
	kernel.objects_error = 0;
	kernel.old = true;
	in_child(check_refusal);
}

static void check_unwanted(void)
{
	make(0, false);
	objects_log_changes(&file, 0, -1);
	if (kernel.ncommands || !file.header->log_used)
		_exit(1);
}

static void without_stacks_the_kernel_need_not_know(void **state)
{
	(void)state;
	in_child(check_unwanted);
}

#define test(name) cmocka_unit_test_setup_teardown(name, begin, end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		test(stacks_are_behind_the_samples),
		test(stacks_that_are_not_wanted_take_no_room),
		test(room_for_stacks_is_in_proportion),
		test(few_samples_may_have_deep_stacks),
		test(a_limit_of_file_sizes_is_shared),
		test(a_limit_that_is_short_is_for_samples),
		test(a_limit_of_address_space_is_shared),
		test(a_child_inherits_no_stacks),
		test(folded_stacks_come_back),
		test(a_limit_that_comes_later_is_shared),
		test(a_limit_below_what_there_is_ends_stacks),
		test(a_file_that_nobody_cuts_is_cut_behind_its_stacks),
		test(stacks_are_asked_for),
		test(without_room_they_are_not),
		test(they_go_on_where_they_were),
		test(ticks_while_there_is_no_room_have_no_stack),
		test(a_full_stream_ends),
		test(an_older_kernel_stores_samples),
		test(what_forbids_samples_is_said),
		test(the_kernel_learns_where_code_is),
		test(a_kernel_that_does_not_take_them_makes_no_stacks),
		test(without_stacks_the_kernel_need_not_know),
	};

	return cmocka_run_group_tests_name("preload", tests, make_directory,
					   remove_directory);
}
