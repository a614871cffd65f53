// SPDX-License-Identifier: LGPL-2.1-or-later
/* The preload library's file and sampler: room for stacks, and their way there. */
#include "kernel.h"

#include "file_create.h"
#include "file_cut.h"
#include "file_log.h"
#include "file_room.h"
#include "fork.h"
#include "gmon_counters.h"
#include "objects.h"
#include "preload.h"
#include "process_file.h"
#include "sampler.h"

#include <link.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define SAMPLES_MOST	(1UL << 31)
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
	if (file.header)
		file_create_undo(&file);
	return kernel_halt(state);
}

static void make(uint64_t capacity, bool stacks)
{
	assert_int_equal(file_create(&file, directory, "test", capacity, stacks, 0), 0);
}

static struct stat status_of_file(void)
{
	struct stat status;

	assert_int_equal(stat(file.path, &status), 0);
	return status;
}

static off_t size_of_file(void)
{
	return status_of_file().st_size;
}

/* Two samples and 1000 bytes of stacks, of 7 ticks, 2 of them in no record. */
static void run_a_moment(void)
{
	kernel.status.nsamples = kernel.status.ticks = kernel.status.counted = 7;
	kernel.status.stack_bytes = 1000;
	kernel.status.stackless = 2;
	kernel.status.waits_lost = 3;
}

static void start(void)
{
	assert_int_equal(sampler_start(&sampler, &file, sampler_position(&sampler), -1), 0);
}

/* --- room ----------------------------------------------------------------- */

TEST(room_is_in_proportion_to_what_is_asked_for)
{
	make(0, false);
	assert_int_equal(file.stacks_room, 0);
	assert_int_equal(file.header->stacks_offset, 0);
	assert_int_equal(file.header->stacks_capacity, 0);
	assert_int_equal(size_of_file(), file.header->samples_offset + 8 * SAMPLES_MOST);
	end(NULL);
	make(100001, true);
	assert_int_equal(file.room, 100001);
	assert_int_equal(file.header->stacks_offset % PAGE, 0);
	assert_true(file.header->stacks_offset >= file.header->samples_offset + 800008);
	assert_in_range(file.stacks_room, 3200032, 3200032 + PAGE);
	assert_int_equal(size_of_file(), file.header->stacks_offset + file.stacks_room);
	end(NULL);
	/* Few samples may have deep stacks. */
	make(1, true);
	assert_int_equal(file.room, 1);
	assert_int_equal(file.stacks_room, 1 << 20);
}

static void set_limit(int resource, uint64_t bytes)
{
	struct rlimit limit;

	getrlimit(resource, &limit);
	limit.rlim_cur = bytes < limit.rlim_max ? bytes : limit.rlim_max;
	assert_int_equal(setrlimit(resource, &limit), 0);
}

/* With a limit of @bytes for files. */
static void make_limited(uint64_t bytes, uint64_t capacity)
{
	set_limit(RLIMIT_FSIZE, bytes);
	make(capacity, true);
	set_limit(RLIMIT_FSIZE, RLIM_INFINITY);
}

/* Samples have their half, and stacks all that is left; a short limit is for samples. */
TEST(a_limit_of_file_sizes_is_shared)
{
	const uint64_t all = 8 * SAMPLES_MOST + STACKS_MOST;
	const uint64_t bytes = (64 << 20) - FILE_SAMPLES_AT;
	const uint64_t half = bytes / 2 & ~(PAGE - 1);
	const struct { uint64_t limit, capacity, samples, stacks; } rows[] = {
		{ all, 0, SAMPLES_MOST, STACKS_MOST },
		{ all - 1, 0, SAMPLES_MOST, STACKS_MOST - PAGE },
		{ bytes, 0, half / 8, bytes - half }, { bytes, 1000, 1000, 1 << 20 },
		{ 32 << 10, 0, (16 << 10) / 8, 16 << 10 }, { 30 << 10, 0, (30 << 10) / 8, 0 },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		make_limited(FILE_SAMPLES_AT + rows[i].limit, rows[i].capacity);
		assert_int_equal(file.room, rows[i].samples);
		assert_int_equal(file.stacks_room, rows[i].stacks);
		assert_int_equal(!file.header->stacks_offset, !rows[i].stacks);
		if (i == 2)
			assert_int_equal(size_of_file(), 64 << 20);
		end(NULL);
	}
}

TEST(a_child_inherits_header_and_log_once_they_are_shared)
{
	unsigned char present;
	int status;

	make(0, true);
	for (int shared = 0; shared < 2; shared++) {
		assert_true(!shared || file_room_share(&file));
		if (fork() == 0)
			_exit(mincore(file.stacks, PAGE, &present) == -1 &&
			      mincore(file.samples, PAGE, &present) == -1 &&
			      mincore((void *)file.header, PAGE, &present) == shared - 1 ? 0 : 1);
		assert_int_equal(wait(&status) > 0 ? status : 1, 0);
	}
}

TEST(a_limit_that_comes_later_is_shared)
{
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

TEST(a_limit_below_what_there_is_ends_stacks)
{
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

TEST(a_file_that_its_process_cuts_has_only_its_contents)
{
	struct profile_header header;
	char bytes[2000];
	FILE *in;

	make(0, true);
	file_log(&file, PROFILE_NAME, 0, "name", 5, NULL, 0);
	memset(file.samples, 1, 800);
	memset(file.stacks, 2, 300);
	/* This would raise SIGXFSZ. */
	set_limit(RLIMIT_FSIZE, sizeof(header) + 24 + 800 + 8 + 299);
	file_cut(&file, 100, 300);
	assert_int_not_equal(size_of_file(), sizeof(header) + 24 + 808 + 300);
	set_limit(RLIMIT_FSIZE, RLIM_INFINITY);
	file_cut(&file, 100, 300);
	in = fopen(file.path, "r");
	assert_non_null(in);
	assert_int_equal(fread(&header, sizeof(header), 1, in), 1);
	assert_int_equal(fread(bytes, 1, sizeof(bytes), in), 24 + 800 + 8 + 300);
	assert_string_equal(bytes + sizeof(struct profile_record), "name");
	assert_int_equal(header.log_offset, sizeof(header));
	assert_int_equal(header.samples_offset, sizeof(header) + 24);
	assert_int_equal(header.capacity, 101);
	assert_int_equal(header.stacks_offset, header.samples_offset + 808);
	assert_int_equal(header.stacks_capacity, 300);
	assert_memory_equal(bytes + 24, file.samples, 800);
	assert_memory_equal(bytes + 24 + 808, file.stacks, 300);
	fclose(in);
	/* It is another file by now, which may be a later process's. */
	file_cut(&file, 50, 0);
	assert_int_equal(size_of_file(), sizeof(header) + 24 + 808 + 300);
}

TEST(a_process_without_profil_has_room_for_an_hour)
{
	setenv("PROFIL_DIRECTORY", directory, 1);
	preload = (struct preload){ .name = "test" };
	assert_int_equal(process_file_make(true), 0);
	assert_int_equal(preload.file.room, 1 << 22);
	assert_int_equal(preload.file.stacks_room, 32 << 22);
	file_create_undo(&preload.file);
}

TEST(others_cannot_write_whatever_the_umask)
{
	const mode_t masks[] = { 0, 002, 022, 077 };

	for (size_t i = 0; i < ARRAY_SIZE(masks); i++) {
		mode_t before = umask(masks[i]);

		make(1, false);
		umask(before);
		assert_int_equal(status_of_file().st_mode & 0777, 0644 & ~masks[i]);
		end(NULL);
	}
}

/* --- the kernel ------------------------------------------------------------- */

TEST(stacks_go_on_where_they_were)
{
	make(0, true);
	start();
	assert_int_equal(kernel.samples.stacks_size, STACKS_MOST);
	run_a_moment();
	sampler_stop(&sampler, -1);
	assert_int_equal(file.header->stack_bytes, 1000);
	assert_int_equal(file.header->stackless, 2);
	start();
	assert_int_equal(kernel.samples.buf, (uintptr_t)file.samples + 7 * 8);
	assert_int_equal(kernel.samples.stacks, (uintptr_t)file.stacks + 1000);
	assert_int_equal(kernel.samples.stacks_size, STACKS_MOST - 1000);
	assert_int_equal(kernel.samples.first_sample, 7);
	run_a_moment();
	sampler_stop(&sampler, -1);
	assert_int_equal(file.header->ticks, 14);
	assert_int_equal(file.header->stack_bytes, 2000);
	assert_int_equal(file.header->stackless, 4);
	assert_int_equal(file.header->waits_lost, 6);
}

TEST(ticks_while_there_is_no_room_have_no_stack)
{
	make(0, true);
	start();
	run_a_moment();
	kernel.status.stack_bytes = 5000;
	sampler_stop(&sampler, -1);
	file_room_fold(&file, 8192);
	start();
	assert_int_equal(kernel.samples.stacks, 0);
	kernel.status.ticks = kernel.status.nsamples = 5;
	sampler_stop(&sampler, -1);
	assert_int_equal(file.header->stack_bytes, 5000);
	assert_int_equal(file.header->stackless, 7);
	file_room_unfold(&file);
	start();
	assert_int_equal(kernel.samples.stacks, (uintptr_t)file.stacks + 5000);
	assert_int_equal(kernel.samples.first_sample, 12);
}

/* The rest is too small for the kernel. */
TEST(a_full_stream_ends)
{
	make(1, true);
	start();
	kernel.status.stack_bytes = file.stacks_room - 4095;
	sampler_stop(&sampler, -1);
	start();
	assert_int_equal(kernel.samples.stacks, 0);
	assert_int_equal(kernel.ncommands, 3);
}

TEST(an_older_kernel_stores_samples)
{
	kernel.old = true;
	make(0, true);
	start();
	assert_int_equal(kernel.sample_starts, 1);
	assert_int_equal(file.stacks_room, 0);
	assert_int_equal(file.header->stacks_offset, 0);
	assert_int_equal(file.header->stacks_capacity, 0);
	run_a_moment();
	sampler_stop(&sampler, -1);
	start();
	assert_int_equal(kernel.ncommands, 5);
	assert_int_equal(file.header->stackless, 0);
}

/* By what the kernel does, the file has room for, and the user wants. */
TEST(waits_come_where_they_can_and_cost_nothing_else)
{
	const uint32_t both = PROFIL_WAITS | PROFIL_LAZY;
	const struct { int error; uint32_t lacks; bool room, wanted; uint32_t flags; } rows[] = {
		{ 0, 0, true, true, both }, { ENOMEM, 0, true, true, PROFIL_LAZY },
		{ EOPNOTSUPP, PROFIL_WAITS, true, true, PROFIL_LAZY },
		{ 0, PROFIL_LAZY, true, true, PROFIL_WAITS }, { 0, both, true, true, 0 },
		{ 0, 0, false, true, PROFIL_LAZY }, { 0, 0, true, false, PROFIL_LAZY },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		kernel_boot(NULL);
		kernel.waits_error = rows[i].error;
		kernel.features.flags &= ~rows[i].lacks;
		make(0, rows[i].room);
		sampler.waits = rows[i].wanted;
		start();
		assert_int_equal(!kernel.samples.stacks, !rows[i].room);
		assert_int_equal(kernel.samples.stacks_size, rows[i].room ? STACKS_MOST : 0);
		assert_int_equal(kernel.samples.flags & both, rows[i].flags);
		assert_int_equal(file.header->flags & both, rows[i].flags & PROFIL_WAITS);
		kernel.features.flags &= ~PROFIL_DONTFORK;
		assert_int_equal(sampler_start(&sampler, &file, 0, -1), EINVAL);
		end(NULL);
	}
}

TEST(an_error_that_may_pass_costs_neither_waits_nor_stacks)
{
	const int errors[] = { EAGAIN, EDQUOT, EPERM, EFAULT };

	make(0, true);
	sampler.waits = true;
	for (size_t i = 0; i < ARRAY_SIZE(errors); i++) {
		kernel.start_error = errors[i];
		kernel.ncommands = 0;
		assert_int_equal(sampler_start(&sampler, &file, 0, -1), errors[i]);
		assert_true(kernel.ncommands <= 2);
		assert_int_equal(file.stacks_room, STACKS_MOST);
	}
	kernel.ioctl_eintr = 1000000000;
	assert_int_equal(sampler_start(&sampler, &file, 0, -1), EPERM);
	kernel.start_error = 0;
	kernel.ioctl_eintr = 2;
	start();
	assert_true(kernel.samples.stacks && kernel.samples.flags & PROFIL_WAITS);
}

TEST(a_later_start_keeps_the_rate_and_waits_of_the_file)
{
	make(0, true);
	sampler.waits = true;
	kernel.features.rates = 3;
	start();
	run_a_moment();
	sampler_stop(&sampler, -1);
	kernel.features.rates = 7;
	kernel.waits_error = ENOMEM;
	start();
	assert_false(kernel.samples.flags & PROFIL_WAITS);
	assert_true(file.header->flags & PROFIL_WAITS);
	sampler_stop(&sampler, -1);
	kernel.features.rates = 1;
	assert_int_equal(sampler_start(&sampler, &file, 7, -1), EACCES);
	assert_int_equal(file.header->rate, PROFIL_RATE_TICK);
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

static void check_refusal(void)
{
	make(0, true);
	objects_log_changes(&file, 0, -1);
	if (file.stacks_room || file.header->stacks_offset)
		_exit(1);
	start();
	if (kernel.samples.stacks || kernel.ncommands > 3)
		_exit(2);
}

static void check_passing(void)
{
	make(0, true);
	objects_log_changes(&file, 0, -1);
	kernel.objects_error = 0;
	preload.file = file;
	preload_resume(-1);
	preload_resume(-1);
	if (!file.stacks_room || kernel.tables != 1)
		_exit(1);
}

TEST(a_kernel_that_does_not_take_them_makes_no_stacks)
{
	kernel.objects_error = EDQUOT;
	in_child(check_passing);
	kernel.objects_error = EINVAL;
	in_child(check_refusal);
	kernel.objects_error = 0;
	kernel.old = true;
	in_child(check_refusal);
}

/* The linker's list, if it is not the real one. */
static struct dl_phdr_info list[40];
static unsigned int nlist;

typedef int visit_function(struct dl_phdr_info *info, size_t size, void *argument);

int __real_dl_iterate_phdr(visit_function *visit, void *argument);
int __wrap_dl_iterate_phdr(visit_function *visit, void *argument);

int __wrap_dl_iterate_phdr(visit_function *visit, void *argument)
{
	int result = 0;

	if (!nlist)
		return __real_dl_iterate_phdr(visit, argument);
	for (unsigned int i = 0; i < nlist && !result; i++)
		result = visit(&list[i], sizeof(list[i]), argument);
	return result;
}

/* Objects of a page of code each, at @places; "/a" and so on by their letters. */
static void change_list(const char *letters, const uintptr_t *places)
{
	static const ElfW(Phdr) code = {
		.p_type = PT_LOAD, .p_flags = PF_R | PF_X, .p_memsz = PAGE,
	};
	static char names[40][3];
	static unsigned long long changes;

	changes++;
	for (nlist = 0; letters[nlist]; nlist++) {
		memcpy(names[nlist], (char[]){ '/', letters[nlist], '\0' }, 3);
		list[nlist] = (struct dl_phdr_info){
			.dlpi_addr = places[nlist], .dlpi_name = names[nlist],
			.dlpi_phdr = &code, .dlpi_phnum = 1,
			.dlpi_adds = changes, .dlpi_subs = changes,
		};
	}
	objects_log_changes(&file, 0, -1);
}

/* Whether the log is @expected: "+" and a letter for an object, "-" for its end. */
static bool log_is(const char *expected)
{
	uint64_t at = 0;
	char what[64];
	size_t n = 0;

	while (at < file.header->log_used && n + 3 < sizeof(what)) {
		const struct profile_record *record = (const void *)(file.log + at);
		const struct profile_object *object = (const void *)(record + 1);

		what[n++] = record->type == PROFILE_OBJECT ? '+' : '-';
		if (record->type == PROFILE_OBJECT)
			what[n++] = object->path[1];
		at += record->size;
	}
	what[n] = '\0';
	return !strcmp(what, expected);
}

/* The reader ends what begins at the address of a GONE: that must be the old one. */
static void check_replaced(void)
{
	char exe[4096] = "";

	make(0, true);
	change_list("ab", (uintptr_t[]){ 0x10000, 0x20000 });
	change_list("ac", (uintptr_t[]){ 0x10000, 0x20000 });
	if (!log_is("+a+b-+c"))
		_exit(1);
	change_list("ad", (uintptr_t[]){ 0x10000, 0x20800 });
	if (!log_is("+a+b-+c-+d") || kernel.nobjects != 2 || kernel.objects[1].start != 0x20800)
		_exit(2);
	change_list("a", (uintptr_t[]){ 0x10000 });
	if (!log_is("+a+b-+c-+d-") || kernel.nobjects != 1)
		_exit(3);
	/* Paths are unknown to it: the program's is exe's. */
	list[0].dlpi_name = "";
	list[0].dlpi_subs++;
	objects_log_changes(&file, 0, -1);
	if (readlink("/proc/self/exe", exe, sizeof(exe)) < 0 ||
	    !memmem(file.log, file.header->log_used, exe, strlen(exe) + 1))
		_exit(4);
}

CASE(an_object_in_the_place_of_another_follows_its_end, in_child(check_replaced))

static void check_added(void)
{
	make(0, true);
	change_list("a", (uintptr_t[]){ 0x10000 });
	list[0].dlpi_adds++;
	list[nlist] = list[0];
	list[nlist++].dlpi_addr = 0x20000;
	list[0].dlpi_name = "/x";
	objects_log_changes(&file, 0, -1);
	if (!log_is("+a+a") || kernel.nobjects != 2)
		_exit(1);
}

CASE(only_what_was_added_is_looked_at_if_nothing_was_removed, in_child(check_added))

static void check_many(void)
{
	static const char letters[] = "abcdefghijklmnopqrstuvwxyz0123456789ABCD";
	uintptr_t places[40];
	uint64_t used;

	make(0, true);
	for (uintptr_t i = 0; i < 40; i++)
		places[i] = (i + 1) << 16;
	change_list(letters, places);
	used = file.header->log_used;
	change_list(letters, places);
	if (kernel.nobjects != 40 || file.header->log_used != used)
		_exit(1);
}

CASE(more_objects_than_small_data_has_room_for_are_known_once, in_child(check_many))

/* --- forks ---------------------------------------------------------------------- */

/* As preload_begin() begins this process. */
static void begin_process(void)
{
	setenv("PROFIL_DIRECTORY", directory, 1);
	preload = (struct preload){ .name = "test", .sampler.rate = PROFIL_RATE_FAST };
	assert_int_equal(process_file_make(false), 0);
	assert_int_equal(sampler_start(&preload.sampler, &preload.file, 0, -1), 0);
}

/*
 * Forks a process; whether @check is true after fork_child(), and what the parent's file
 * then says of children without a profile, of those the kernel refused, and of reasons.
 */
static void child_must(bool (*check)(void), void (*before)(void), uint32_t unprofiled,
		       uint32_t refused, uint32_t start_error, uint32_t file_error)
{
	volatile struct profile_header *header = preload.file.header;
	int status;

	header->run = 4711;
	fflush(NULL);
	fork_prepare();
	if (fork() == 0) {
		/* By PROFIL_DONTFORK. */
		kernel.status.state = PROFIL_STATE_OFF;
		before();
		fork_child();
		_exit(!check());
	}
	wait(&status);
	assert_int_equal(status, 0);
	assert_int_equal(header->unprofiled, unprofiled);
	assert_int_equal(header->refused, refused);
	assert_int_equal(header->start_error, start_error);
	assert_int_equal(header->file_error, file_error);
	file_create_undo(&preload.file);
}

#define CHILD(name, ...)	CASE(name, begin_process(); child_must(__VA_ARGS__))

TEST(a_new_directory_is_not_writable_by_others)
{
	mode_t before = umask(0);
	struct stat status;
	char path[100];

	snprintf(path, sizeof(path), "%s/new", directory);
	setenv("PROFIL_DIRECTORY", path, 1);
	assert_int_equal(process_file_make(false), 0);
	umask(before);
	assert_int_equal(stat(path, &status), 0);
	assert_int_equal(status.st_mode & 07777, 0755);
	file_create_undo(&preload.file);
	assert_int_equal(rmdir(path), 0);
}

TEST(a_profile_that_cannot_go_on_is_incomplete)
{
	begin_process();
	for (int error = 0; error <= EPERM; error += EPERM) {
		sampler_stop(&preload.sampler, -1);
		kernel.start_error = error;
		preload_resume(-1);
		assert_int_equal(preload.file.header->stopped, error ? PROFIL_STATE_DENIED : 0);
		assert_int_equal(preload.file.header->start_error, error);
	}
	/* Readers see that it is full, too. */
	preload_note_stop(PROFIL_STATE_FULL);
	assert_int_equal(preload.file.header->stopped, PROFIL_STATE_DENIED);
	file_create_undo(&preload.file);
}

static void nothing(void) { }

static bool has_file(void)
{
	bool has = preload.file.header && access(preload.file.path, F_OK) == 0;

	if (has)
		unlink(preload.file.path);
	return has && kernel.status.state == PROFIL_STATE_ON;
}

static bool has_run_of_parent(void)
{
	return preload.file.header->run == 4711 && has_file();
}

CHILD(a_child_belongs_to_its_parents_run, has_run_of_parent, nothing, 0, 0, 0, 0)

static bool has_none(void)
{
	return !preload.file.header && kernel.status.state == PROFIL_STATE_OFF;
}

static void refuse_start(void)
{
	kernel.start_error = EDQUOT;
}

static bool has_left_none(void)
{
	unsigned char present;

	return has_none() && access(preload.file.path, F_OK) < 0 &&
	       mincore(preload.file.samples, PAGE, &present) < 0 &&
	       mincore(preload.file.stacks, PAGE, &present) < 0;
}

CHILD(a_child_that_cannot_start_leaves_no_file_and_is_counted, has_left_none, refuse_start, 1, 1,
      EDQUOT, 0)

static void forbid_files(void)
{
	set_limit(RLIMIT_FSIZE, 0);
}

CHILD(a_child_that_gets_no_file_is_counted_with_the_reason, has_none, forbid_files, 1, 0, 0, EFBIG)

static void run_own(void)
{
	preload.taken = true;
	kernel_run(PROFIL_MODE_HISTOGRAM, 1);
}

static bool has_rate_of_parent(void)
{
	gmon_counters_set_range(TEXT, TEXT + 4096);
	return has_file() && gmon_counters_histogram(0).rate == 1000;
}

CHILD(monstartup_works_in_a_child_that_profiles_itself, has_rate_of_parent, run_own, 0, 0, 0, 0)

static bool has_no_counters(void)
{
	preload.file.header->period_ns = 0;
	gmon_counters_set_range(TEXT, TEXT + 4096);
	return has_file() && !gmon_counters_are_there();
}

CHILD(without_a_period_there_is_no_histogram, has_no_counters, nothing, 0, 0, 0, 0)

TEST(a_cleared_environment_does_not_bring_children_in)
{
	setenv("PROFIL_CHILDREN", "1", 1);
	begin_process();
	unsetenv("PROFIL_CHILDREN");
	child_must(has_none, nothing, 0, 0, 0, 0);
}

static bool takes_a_page(void)
{
	struct stat status;

	return stat(preload.file.path, &status) == 0 && status.st_blocks <= 8 && has_file();
}

TEST(a_child_has_no_room_for_phases_that_it_does_not_copy)
{
	begin_process();
	for (unsigned int i = 0; i < 1000; i++)
		file_log_phase(&preload.file, 0, "phase");
	child_must(takes_a_page, nothing, 0, 0, 0, 0);
}

static void *other;

/* As a thread that calls mlockall() while another one maps something. */
static void use_room_of_log(void)
{
	file_room_fold(&preload.file, 512);
	other = mmap(preload.file.log + preload.file.reserved, PAGE, PROT_READ,
		     MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
}

static bool has_other(void)
{
	unsigned char present;

	return has_file() && mincore(other, PAGE, &present) == 0;
}

CHILD(a_child_unmaps_only_its_parents_file, has_other, use_room_of_log, 0, 0, 0, 0)

TEST(a_thread_that_forks_may_look_at_the_header_while_it_moves)
{
	struct profile_header *before;

	begin_process();
	before = preload.file.header;
	use_room_of_log();
	file_room_unfold(&preload.file);
	assert_memory_equal(preload.file.header, before, sizeof(*before));
	child_must(has_file, nothing, 0, 0, 0, 0);
}

UNIT_MAIN("preload", begin, end, make_directory, remove_directory)
