// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Buffers that are not there, not yet there, or there no longer. Memory that
 * can be written is written; all other stops the profile, or the region, and
 * never the process.
 */
#include <fcntl.h>
#include <linux/userfaultfd.h>
#include <pthread.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/shm.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#include "harness.h"
#include "device.h"
#include "work.h"

#define SIZE	(64UL << 10)

static void *memory(size_t size, int protection, int flags)
{
	void *mem = mmap(NULL, size, protection, MAP_PRIVATE | MAP_ANONYMOUS | flags, -1, 0);

	CHECK(mem != MAP_FAILED);
	return mem;
}

static void *fresh(void)
{
	return memory(SIZE, PROT_READ | PROT_WRITE, 0);
}

static void start(void *buf)
{
	CHECK_EQ(start_region(everything(buf, 4, 4), PROFIL_RATE_TICK), 0);
}

/* The fault has stopped the profile, with every tick accounted for. */
static struct profil_status check_stopped_by_fault(void)
{
	struct profil_status st;

	CHECK(work_while_on());
	CHECK_EQ(get_status(&st), 0);
	CHECK_EQ(st.state, PROFIL_STATE_FAULT);
	/* Ticks from around the fault may still wait for their page. */
	CHECK_EQ(stop(&st), 0);
	CHECK_EQ(st.state, PROFIL_STATE_FAULT);
	CHECK_GE(st.faults, 1);
	CHECK_GE(st.dropped, 1);
	CHECK_ACCOUNTS(&st);
	return st;
}

/* And the process can start anew. */
static void check_can_start_again(void)
{
	uint32_t buf = 0;
	struct profil_status st;

	start(&buf);
	CHECK(work_for_ticks(5));
	CHECK_EQ(stop(&st), 0);
	CHECK_NOTHING_LOST(&st);
	CHECK_EQ(buf, st.counted);
}

/* All ticks end up in the buffer. */
static struct profil_status check_counts(const void *buf)
{
	struct profil_status st;

	CHECK(work_for_ticks(20));
	CHECK_EQ(stop(&st), 0);
	CHECK_NOTHING_LOST(&st);
	CHECK_GE(st.counted, 20);
	CHECK_EQ(counter(buf, 0, 4), st.counted);
	return st;
}

TEST(buffer_unmapped_while_profiling_stops_it_and_the_process_lives)
{
	void *buf = fresh();
	struct profil_status st;

	start(buf);
	CHECK(work_for_ticks(5));
	CHECK_CALL(munmap(buf, SIZE));
	st = check_stopped_by_fault();
	CHECK_GE(st.counted, 5);
	check_can_start_again();
}

TEST(buffer_made_read_only_while_profiling_stops_it_and_is_not_changed)
{
	void *buf = fresh();
	struct profil_status st;

	start(buf);
	CHECK(work_for_ticks(5));
	CHECK_CALL(mprotect(buf, SIZE, PROT_READ));
	st = check_stopped_by_fault();
	CHECK_EQ(counter(buf, 0, 4), st.counted);
	check_can_start_again();
}

TEST(buffer_made_inaccessible_while_profiling_stops_it)
{
	void *buf = fresh();
	struct profil_status st;

	start(buf);
	CHECK(work_for_ticks(5));
	CHECK_CALL(mprotect(buf, SIZE, PROT_NONE));
	st = check_stopped_by_fault();
	CHECK_CALL(mprotect(buf, SIZE, PROT_READ));
	CHECK_EQ(counter(buf, 0, 4), st.counted);
	check_can_start_again();
}

TEST(buffer_that_was_never_mapped_stops_the_profile)
{
	void *buf = fresh();

	CHECK_CALL(munmap(buf, SIZE));
	start(buf);
	check_stopped_by_fault();
	check_can_start_again();
}

TEST(buffer_at_address_0_stops_the_profile)
{
	start(NULL);
	check_stopped_by_fault();
	check_can_start_again();
}

TEST(buffer_at_the_end_of_user_space_stops_the_profile)
{
	/* 47 bits less a page, on every 64-bit machine's default layout. */
	start((void *)(((1UL << (sizeof(long) == 8 ? 47 : 30)) - 8192)));
	check_stopped_by_fault();
	check_can_start_again();
}

TEST(buffer_in_inaccessible_memory_stops_the_profile)
{
	start(memory(SIZE, PROT_NONE, 0));
	check_stopped_by_fault();
	check_can_start_again();
}

TEST(buffer_in_read_only_memory_stops_the_profile_and_is_not_changed)
{
	uint32_t *buf = memory(SIZE, PROT_READ, 0);

	start(buf);
	check_stopped_by_fault();
	CHECK_EQ(buf[0], 0);
	check_can_start_again();
}

TEST(buffer_in_the_program_text_stops_the_profile_and_is_not_changed)
{
	uint32_t *buf = (uint32_t *)text_b().lo;
	uint32_t was = buf[0];

	start(buf);
	check_stopped_by_fault();
	CHECK_EQ(buf[0], was);
	check_can_start_again();
}

TEST(buffer_in_a_read_only_file_mapping_stops_the_profile)
{
	int fd = CHECK_CALL(open("/proc/self/exe", O_RDONLY));
	uint32_t *buf = mmap(NULL, 4096, PROT_READ, MAP_SHARED, fd, 0);
	uint32_t was;

	CHECK(buf != MAP_FAILED);
	was = buf[0];
	start(buf);
	check_stopped_by_fault();
	CHECK_EQ(buf[0], was);
	check_can_start_again();
}

TEST(buffer_in_a_private_writable_file_mapping_counts_in_the_copy)
{
	int fd = CHECK_CALL(open("/proc/self/exe", O_RDONLY));
	unsigned char *buf = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE, fd, 0);
	struct profil_status st;
	uint32_t was, in_file;

	CHECK(buf != MAP_FAILED);
	was = (uint32_t)counter(buf, 1, 4);
	CHECK_EQ(start_region(everything(buf + 4, 4, 4), PROFIL_RATE_TICK), 0);
	CHECK(work_for_ticks(10));
	CHECK_EQ(stop(&st), 0);
	CHECK_NOTHING_LOST(&st);
	CHECK_EQ((uint32_t)counter(buf, 1, 4), was + (uint32_t)st.counted);
	CHECK_EQ(pread(fd, &in_file, 4, 4), 4);
	CHECK_EQ(in_file, was);
}

TEST(buffer_on_the_profil_page_itself_stops_the_profile)
{
	uint32_t buf = 0;
	struct profil_status st;

	start(&buf);
	CHECK_EQ(stop(&st), 0);
	start((void *)((uintptr_t)page() + 2048));
	check_stopped_by_fault();
	check_can_start_again();
}

TEST(buffer_in_the_vdso_stops_the_profile)
{
	char line[512];
	unsigned long at = 0;
	FILE *maps = fopen("/proc/self/maps", "re");

	CHECK(maps != NULL);
	while (fgets(line, sizeof(line), maps))
		if (strstr(line, "[vvar") && !at)
			at = strtoul(line, NULL, 16);
	fclose(maps);
	if (!at)
		SKIP("no vvar mapping");
	start((void *)at);
	check_stopped_by_fault();
	check_can_start_again();
}

TEST(shared_file_mapping_cut_short_stops_the_profile_without_a_signal)
{
	int fd = CHECK_CALL(memfd_create("buffer", 0));
	void *buf;

	CHECK_CALL(ftruncate(fd, SIZE));
	buf = mmap(NULL, SIZE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	CHECK(buf != MAP_FAILED);
	start(buf);
	CHECK(work_for_ticks(5));
	CHECK_CALL(ftruncate(fd, 0));
	check_stopped_by_fault();
	check_can_start_again();
}

TEST(buffer_in_a_shared_file_mapping_counts_in_the_file)
{
	int fd = CHECK_CALL(memfd_create("buffer", 0));
	struct profil_status st;
	uint32_t in_file;
	void *buf;

	CHECK_CALL(ftruncate(fd, SIZE));
	buf = mmap(NULL, SIZE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	CHECK(buf != MAP_FAILED);
	start(buf);
	st = check_counts(buf);
	CHECK_EQ(pread(fd, &in_file, 4, 0), 4);
	CHECK_EQ(in_file, st.counted);
}

TEST(never_touched_buffer_from_dev_zero_counts)
{
	static const int kinds[] = { MAP_PRIVATE, MAP_SHARED };

	for (int i = 0; i < 2; i++) {
		int fd = CHECK_CALL(open("/dev/zero", O_RDWR));
		void *buf = mmap(NULL, SIZE, PROT_READ | PROT_WRITE, kinds[i], fd, 0);

		CHECK(buf != MAP_FAILED);
		close(fd);
		start(buf);
		CHECK_GE(check_counts(buf).deferred, 1);
	}
}

TEST(never_touched_buffer_in_system_v_shared_memory_counts)
{
	int id = shmget(IPC_PRIVATE, SIZE, IPC_CREAT | 0600);
	void *buf;

	if (id < 0)
		SKIP("no System V shared memory");
	buf = shmat(id, NULL, 0);
	shmctl(id, IPC_RMID, NULL);
	CHECK(buf != (void *)-1);
	start(buf);
	CHECK_GE(check_counts(buf).deferred, 1);
}

TEST(never_touched_buffer_of_2_mb_from_sbrk_counts)
{
	char *buf = sbrk(2 << 20);
	struct profil_status st;

	CHECK(buf != (void *)-1);
	start(buf + (1 << 20));
	st = check_counts(buf + (1 << 20));
	CHECK_GE(st.deferred, 1);
}

TEST(never_touched_buffer_in_unreserved_memory_counts)
{
	char *buf = memory(1UL << 30, PROT_READ | PROT_WRITE, MAP_NORESERVE);
	struct profil_status st;

	start(buf + (512 << 20));
	st = check_counts(buf + (512 << 20));
	CHECK_GE(st.deferred, 1);
	CHECK_CALL(munmap(buf, 1UL << 30));
}

/* The many pages of a buffer with a byte of counters per bit of text. */
TEST(never_touched_buffer_hit_all_over_counts)
{
	size_t size = 16UL << 20;
	unsigned char *buf = memory(size, PROT_READ | PROT_WRITE, MAP_NORESERVE);
	struct text text = text_wide();
	struct profil_region region = one_to_one(buf, size, 2, text);
	struct profil_status st;
	uint64_t total = 0;

	/* Page by page; where there are no huge pages, this fails. */
	madvise(buf, size, MADV_NOHUGEPAGE);
	region.scale = 4096U << 16;
	CHECK_EQ(start_region(region, PROFIL_RATE_TICK), 0);
	while (page()->ticks < 120)
		hot_wide(40);
	CHECK_EQ(stop(&st), 0);
	CHECK_NOTHING_LOST(&st);
	for (uint64_t d = 0; d < text.hi - text.lo && d * 4096 < size; d++)
		total += counter(buf + d * 4096, 0, 2);
	CHECK_GE(st.deferred, 10);
	CHECK_GE(st.counted, 80);
	CHECK_EQ(total, st.counted);
}

TEST(never_touched_array_of_a_big_bss_counts)
{
	static char bss[4 << 20];

	start(bss + (2 << 20));
	check_counts(bss + (2 << 20));
}

TEST(buffer_below_the_stack_pointer_within_reach_of_the_stack_is_no_harm)
{
	/* The stack grows for the process's own stores; for its updates it may not. */
	char *below = (char *)__builtin_frame_address(0) - (256 << 10);
	struct profil_status st;

	start(below);
	for (int i = 0; i < 200 && page()->ticks < 5; i++)
		hot_a(10000);
	CHECK_EQ(stop(&st), 0);
	CHECK_ACCOUNTS(&st);
	check_can_start_again();
}

TEST(fault_with_scope_region_stops_that_region_only)
{
	static uint32_t good;
	uint32_t *bad = fresh();
	struct profil_region regions[2] = {
		one_counter(bad, 4, 4, text_a()),
		one_counter(&good, 4, 4, text_b()),
	};
	struct profil_status st;
	uint64_t end;

	regions[0].on_fault = PROFIL_FAULT_STOP_REGION;
	CHECK_EQ(start_regions(regions, 2, PROFIL_RATE_TICK), 0);
	CHECK(work_for_ticks(5));
	CHECK_CALL(munmap(bad, SIZE));
	CHECK(work_for_ticks(10));
	CHECK_EQ(page()->state, PROFIL_STATE_ON);
	end = page()->ticks + 20;
	while (page()->ticks < end)
		hot_b(10000);
	CHECK_EQ(stop(&st), 0);
	CHECK_EQ(st.state, PROFIL_STATE_OFF);
	CHECK_ACCOUNTS(&st);
	CHECK_GE(st.faults, 1);
	CHECK_GE(good, 15);
	CHECK_GE(st.counted, good);
}

TEST(region_stopped_by_a_fault_is_not_written_when_its_memory_comes_back)
{
	uint32_t *buf = fresh();
	struct profil_region region = one_counter(buf, 4, 4, text_a());
	struct profil_status st;
	uint32_t was;

	region.on_fault = PROFIL_FAULT_STOP_REGION;
	CHECK_EQ(start_region(region, PROFIL_RATE_TICK), 0);
	CHECK(work_for_ticks(5));
	CHECK_CALL(mprotect(buf, SIZE, PROT_READ));
	CHECK(work_for_ticks(10));
	CHECK_CALL(mprotect(buf, SIZE, PROT_READ | PROT_WRITE));
	was = buf[0];
	CHECK(work_for_ticks(10));
	CHECK_EQ(buf[0], was);
	CHECK_EQ(stop(&st), 0);
	CHECK_ACCOUNTS(&st);
	CHECK_EQ(buf[0], st.counted);
}

TEST(profile_stopped_by_a_fault_is_not_resumed_when_the_memory_comes_back)
{
	uint32_t *buf = fresh();
	uint32_t was;

	start(buf);
	CHECK(work_for_ticks(5));
	CHECK_CALL(mprotect(buf, SIZE, PROT_READ));
	CHECK(work_while_on());
	CHECK_CALL(mprotect(buf, SIZE, PROT_READ | PROT_WRITE));
	was = buf[0];
	for (int i = 0; i < 1000; i++)
		hot_a(10000);
	CHECK_EQ(buf[0], was);
	CHECK_EQ(page()->state, PROFIL_STATE_FAULT);
}

TEST(fork_child_of_a_profile_stopped_by_a_fault_is_not_profiled)
{
	void *buf = memory(SIZE, PROT_NONE, 0);
	pid_t pid;

	start(buf);
	CHECK(work_while_on());
	CHECK_CALL(mprotect(buf, SIZE, PROT_READ | PROT_WRITE));
	pid = FORK();
	if (pid == 0) {
		struct profil_status st;

		CHECK_EQ(get_status(&st), 0);
		CHECK_NE(st.state, PROFIL_STATE_ON);
		for (int i = 0; i < 500; i++)
			hot_a(10000);
		CHECK_EQ(counter(buf, 0, 4), 0);
		_exit(0);
	}
	wait_ok(pid);
}

static int userfault_on(void *mem, size_t size, unsigned int mode)
{
	struct uffdio_api api = { .api = UFFD_API };
	struct uffdio_register reg = {
		.range = { (uintptr_t)mem, size },
		.mode = mode,
	};
	int fd = (int)syscall(SYS_userfaultfd, O_CLOEXEC | O_NONBLOCK);

	if (fd < 0)
		SKIP("no userfaultfd");
	CHECK_CALL(ioctl(fd, UFFDIO_API, &api));
	if (mode & UFFDIO_REGISTER_MODE_WP && !(api.features & UFFD_FEATURE_PAGEFAULT_FLAG_WP))
		SKIP("no userfaultfd of writes");
	CHECK_CALL(ioctl(fd, UFFDIO_REGISTER, &reg));
	return fd;
}

/* Another process's deferred updates still get done. */
static void check_others_go_on(void)
{
	pid_t pid = FORK();

	if (pid == 0) {
		void *buf = fresh();

		start(buf);
		CHECK_GE(check_counts(buf).deferred, 1);
		_exit(0);
	}
	wait_ok(pid);
}

/* Nobody serves the faults: who takes one waits for ever. */
TEST(buffer_armed_with_userfaultfd_stops_the_profile_and_parks_nobody)
{
	void *buf = fresh();
	int fd = userfault_on(buf, SIZE, UFFDIO_REGISTER_MODE_MISSING);

	start(buf);
	check_stopped_by_fault();
	check_others_go_on();
	check_can_start_again();
	close(fd);
}

/*
 * Who has registered the range may want to know of any fault there, and what
 * is registered can change while a thread is about to take one.
 */
TEST(absent_page_that_userfaultfd_would_only_protect_stops_the_profile_all_the_same)
{
	void *buf = fresh();
	int fd = userfault_on(buf, SIZE, UFFDIO_REGISTER_MODE_WP);

	start(buf);
	CHECK_EQ(check_stopped_by_fault().counted, 0);
	CHECK_EQ(counter(buf, 0, 4), 0);
	check_others_go_on();
	check_can_start_again();
	close(fd);
}

static unsigned int pages_present(void *mem, size_t size)
{
	unsigned char in[SIZE / 4096];
	unsigned int n = 0;

	CHECK_CALL(mincore(mem, size, in));
	for (size_t i = 0; i < size / 4096; i++)
		n += in[i] & 1;
	return n;
}

TEST(sampling_array_that_comes_to_a_userfaultfd_range_stops_there_and_not_before)
{
	char *buf = fresh();
	struct profil_status st;
	int fd;

	memset(buf, 0, 4096);
	fd = userfault_on(buf + 4096, SIZE - 4096, UFFDIO_REGISTER_MODE_WP);
	CHECK_EQ(start_samples(buf, SIZE / 8, 8, PROFIL_RATE_FAST), 0);
	CHECK(work_for_ticks(200));
	CHECK_EQ(page()->state, PROFIL_STATE_ON);
	CHECK_EQ(page()->faults, 0);
	CHECK_EQ(pages_present(buf + 4096, SIZE - 4096), 0);
	for (int i = 0; i < 10; i++)
		work_while_on();
	st = check_stopped_by_fault();
	CHECK_EQ(st.nsamples, 4096 / 8);
	CHECK_EQ(pages_present(buf + 4096, SIZE - 4096), 0);
	close(fd);
}

static void end_in_a_userfaultfd_range(int how)
{
	void *buf = fresh();
	struct profil_status st;

	userfault_on(buf, SIZE, UFFDIO_REGISTER_MODE_MISSING);
	start(buf);
	while (page()->ticks == 0)
		hot_a(100);
	switch (how) {
	case 0:
		CHECK_EQ(stop(&st), 0);
		CHECK_ACCOUNTS(&st);
		CHECK_EQ(st.counted, 0);
		break;
	case 1:
		raise(SIGKILL);
	}
	_exit(0);
}

TEST(process_with_a_buffer_that_nobody_brings_in_can_stop_exit_and_be_killed)
{
	for (int i = 0; i < 30; i++) {
		int status;
		pid_t pid = FORK();

		if (pid == 0)
			end_in_a_userfaultfd_range(i % 3);
		CHECK_EQ(waitpid(pid, &status, 0), pid);
		if (i % 3 == 1)
			CHECK(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
		else if (WEXITSTATUS(status) == HARNESS_SKIP)
			_exit(HARNESS_SKIP);
		else
			CHECK_EQ(status, 0);
	}
	check_others_go_on();
}

TEST(present_page_of_a_userfaultfd_range_counts)
{
	uint32_t *buf = fresh();
	int fd;

	buf[0] = 0;
	fd = userfault_on(buf, SIZE, UFFDIO_REGISTER_MODE_MISSING);
	start(buf);
	check_counts(buf);
	close(fd);
}

TEST(buffer_armed_with_userfaultfd_after_the_start_parks_nobody)
{
	char *buf = fresh();
	struct profil_region regions[2] = {
		one_counter(buf, 4, 4, text_a()),
		one_counter(buf + 32768, 4, 4, text_b()),
	};
	int fd;

	CHECK_EQ(start_regions(regions, 2, PROFIL_RATE_TICK), 0);
	CHECK(work_for_ticks(5));
	fd = userfault_on(buf, SIZE, UFFDIO_REGISTER_MODE_MISSING);
	for (int i = 0; i < 20000 && page()->state == PROFIL_STATE_ON; i++)
		hot_b(10000);
	check_stopped_by_fault();
	check_others_go_on();
	close(fd);
}

TEST(buffer_write_protected_by_userfaultfd_parks_nobody)
{
	uint32_t *buf = fresh();
	struct uffdio_writeprotect protect = {
		.range = { (uintptr_t)buf, SIZE },
		.mode = UFFDIO_WRITEPROTECT_MODE_WP,
	};
	int fd;

	buf[0] = 0;
	fd = userfault_on(buf, SIZE, UFFDIO_REGISTER_MODE_WP);
	start(buf);
	CHECK(work_for_ticks(3));
	CHECK_CALL(ioctl(fd, UFFDIO_WRITEPROTECT, &protect));
	check_stopped_by_fault();
	check_others_go_on();
	check_can_start_again();
	close(fd);
}

TEST(sampling_array_armed_with_userfaultfd_parks_nobody)
{
	void *buf = fresh();
	int fd = userfault_on(buf, SIZE, UFFDIO_REGISTER_MODE_MISSING);

	CHECK_EQ(start_samples(buf, 100, 8, PROFIL_RATE_TICK), 0);
	CHECK_EQ(check_stopped_by_fault().nsamples, 0);
	check_others_go_on();
	close(fd);
}

TEST(buffer_in_hugetlb_memory_counts_or_stops_cleanly)
{
	size_t size = 2UL << 20;
	struct profil_status st;
	uint32_t *buf;

	NEEDS_ROOT();
	write_file("/proc/sys/vm/nr_hugepages", "4");
	buf = mmap(NULL, size, PROT_READ | PROT_WRITE,
		   MAP_PRIVATE | MAP_ANONYMOUS | MAP_HUGETLB, -1, 0);
	if (buf == MAP_FAILED)
		SKIP("no huge pages");
	start(buf);
	for (int i = 0; i < 1000; i++)
		hot_a(10000);
	CHECK_EQ(stop(&st), 0);
	CHECK_ACCOUNTS(&st);
	CHECK_EQ(buf[0], st.counted);
	/* Once it is there, it counts. */
	buf[0] = 0;
	start(buf);
	check_counts(buf);
	CHECK_CALL(munmap(buf, size));
	write_file("/proc/sys/vm/nr_hugepages", "0");
}

static void *unmap_and_map(void *arg)
{
	char *buf = arg;

	for (int i = 0; i < 400; i++) {
		madvise(buf, SIZE, MADV_DONTNEED);
		mprotect(buf, SIZE, PROT_READ);
		sched_yield();
		mmap(buf, SIZE, PROT_READ | PROT_WRITE,
		     MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
	}
	return NULL;
}

TEST(buffer_mapped_and_unmapped_all_the_time_keeps_the_account)
{
	struct profil_status st;
	char *buf = fresh();
	pthread_t thread;

	CHECK_EQ(pthread_create(&thread, NULL, unmap_and_map, buf), 0);
	for (int i = 0; i < 100; i++) {
		start(buf);
		hot_a(50000);
		CHECK_EQ(stop(&st), 0);
		CHECK_ACCOUNTS(&st);
	}
	CHECK_EQ(pthread_join(thread, NULL), 0);
	check_can_start_again();
}

TEST(process_killed_with_updates_pending_leaves_nothing_behind)
{
	for (int i = 0; i < 60; i++) {
		pid_t pid = FORK();

		if (pid == 0) {
			for (;;) {
				void *buf = fresh();

				start_region(everything(buf, 4, 4), PROFIL_RATE_TICK);
				while (page()->ticks == 0)
					hot_a(100);
				munmap(buf, SIZE);
			}
		}
		hot_a(100000 + (unsigned long)i * 5000);
		CHECK_CALL(kill(pid, SIGKILL));
		CHECK_EQ(waitpid(pid, NULL, 0), pid);
	}
	check_others_go_on();
}
