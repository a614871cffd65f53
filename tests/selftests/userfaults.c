// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Buffers under userfaultfd: a thread that faults there waits until another thread
 * answers. A tick's update must not wait like this, because any thread may apply it.
 */
#include "buffer.h"

/* Nobody serves the faults: a thread that faults waits for ever. */
static void stop_under_userfaultfd(int mode)
{
	void *buf = private_memory(SIZE);
	int fd = userfault_on(buf, SIZE, mode);

	start(buf);
	CHECK_EQ(check_stopped_by_fault().counted, 0);
	if (mode == UFFDIO_REGISTER_MODE_WP)
		CHECK_EQ(counter(buf, 0, 4), 0);
	check_others_go_on();
	check_can_start_again();
	close(fd);
}

CASE(buffer_under_userfaultfd_stops_the_profile,
	stop_under_userfaultfd(UFFDIO_REGISTER_MODE_MISSING))
/* Who has registered the range may want to know of any fault, even if it is under way. */
CASE(absent_page_under_write_protection_stops_the_profile,
	stop_under_userfaultfd(UFFDIO_REGISTER_MODE_WP))

TEST(array_that_comes_to_a_userfaultfd_range_stops_there)
{
	char *buf = private_memory(SIZE);
	struct profil_status st;
	int fd;

	memset(buf, 0, 4096);
	fd = userfault_on(buf + 4096, SIZE - 4096, UFFDIO_REGISTER_MODE_WP);
	start_in_the_first_page(buf, SIZE / 8);
	CHECK_EQ(page()->state, PROFIL_STATE_ON);
	CHECK_EQ(page()->faults, 0);
	CHECK_EQ(pages_present(buf + 4096, SIZE / 4096 - 1), 0);
	for (int i = 0; i < 10; i++)
		work_while_on();
	st = check_stopped_by_fault();
	CHECK_EQ(st.nsamples, 4096 / 8);
	CHECK_EQ(pages_present(buf + 4096, SIZE / 4096 - 1), 0);
	close(fd);
}

static void end_in_a_userfaultfd_range(int how)
{
	void *buf = private_memory(SIZE);

	userfault_on(buf, SIZE, UFFDIO_REGISTER_MODE_MISSING);
	start(buf);
	while (page()->ticks == 0)
		hot_a(100);
	switch (how) {
	case 0:
		CHECK_EQ(accounted().counted, 0);
		break;
	case 1:
		raise(SIGKILL);
	}
	_exit(0);
}

TEST(process_under_userfaultfd_can_stop_exit_and_be_killed)
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
	uint32_t *buf = private_memory(SIZE);
	int fd;

	buf[0] = 0;
	fd = userfault_on(buf, SIZE, UFFDIO_REGISTER_MODE_MISSING);
	start(buf);
	check_counts(buf);
	close(fd);
}

TEST(buffer_armed_with_userfaultfd_after_the_start_parks_nobody)
{
	char *buf = private_memory(SIZE);
	struct profil_region regions[2] = {
		one_counter(buf, 4, 4, text_a()), one_counter(buf + 32768, 4, 4, text_b()),
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
	uint32_t *buf = private_memory(SIZE);
	struct uffdio_writeprotect protect = {
		.range = { (uintptr_t)buf, SIZE }, .mode = UFFDIO_WRITEPROTECT_MODE_WP,
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
