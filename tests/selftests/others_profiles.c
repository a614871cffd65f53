// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Profiles of threads, seen from elsewhere: from threads that name them by their page,
 * fork children, processes that share the memory, and programs after exec.
 */
#include "own_profiles.h"

static uint32_t all, mine, other;

static page_t *volatile published;
static volatile int end;

static void *work_until_end(void *unused)
{
	published = start_own(&mine);
	while (!end)
		hot_a(20000);
	return unused;
}

TEST(another_thread_reads_and_stops_a_profile_by_its_page)
{
	struct profil_status st;
	pthread_t thread = start_thread(work_until_end, NULL);
	uint32_t counted;

	while (!published || published->ticks < 20)
		usleep(1000);
	CHECK_GE(thread_status(published).ticks, 20);
	CHECK_EQ(published->state, PROFIL_STATE_ON);
	st = thread_stop(published);
	counted = mine;
	CHECK_EQ(st.counted, counted);
	usleep(50000);
	CHECK_EQ(mine, counted);
	CHECK_EQ(published->state, PROFIL_STATE_OFF);
	end = 1;
	join_thread(thread);
}

TEST(exited_threads_profile_is_read_stopped_and_unmapped)
{
	page_t *process = start_process(&all), *own;
	struct profil_status st;
	uint32_t counted;

	in_thread(leave_a_profile, &own);
	/* After the join, the thread may still be in its exit. */
	work_for(process, 20);
	counted = left_behind;
	CHECK_GE(counted, 20);
	work_for(process, 20);
	CHECK_EQ(left_behind, counted);
	st = thread_status(own);
	CHECK_EQ(st.counted, counted);
	st = thread_stop(own);
	CHECK_EQ(st.counted, counted);
	CHECK_EQ(own->counted, counted);
	unmap(own);
	CHECK_EQ(thread_command(PROFIL_IOC_THREAD_STATUS, own, &st), -EINVAL);
	CHECK_EQ(stopped().counted, all);
}

TEST(page_names_the_profile_of_the_process_as_well)
{
	page_t *process = start_process(&all);

	work_for(process, 5);
	CHECK_GE(thread_status(process).ticks, 5);
	CHECK_EQ(thread_stop(process).counted, all);
	CHECK_EQ(process->state, PROFIL_STATE_OFF);
}

static void *spin_until_end(void *unused)
{
	while (!end)
		hot_a(20000);
	return unused;
}

/* @before: what its buffer had at least when it was copied. */
static void child_goes_on(page_t *own, page_t *process, uint32_t before)
{
	struct profil_status st;
	pthread_t thread;

	CHECK_EQ(own->state, PROFIL_STATE_ON);
	CHECK_EQ(own->flags, 0);
	CHECK_LE(own->ticks, few());
	CHECK_EQ(process->state, PROFIL_STATE_DENIED);
	/* It is the process's: a thread that is made later counts, too. */
	CHECK_EQ(thread_status(NULL).mode, PROFIL_MODE_NONE);
	thread = start_thread(spin_until_end, NULL);
	while (own->ticks < 40)
		usleep(10000);
	end = 1;
	join_thread(thread);
	work_for(own, 20);
	CHECK_GE(thread_status(own).counted, 60);
	st = stopped();
	CHECK_GE(mine - st.counted, before);
	CHECK_LE(mine - st.counted, before + few());
	/* And it may be profiled anew. */
	CHECK_EQ((uintptr_t)start_process(&other), (uintptr_t)own);
	work_for(own, 10);
	CHECK_EQ(stopped().counted, other);
}

static void *fork_with_a_profile(void *arg)
{
	page_t *own = start_own(&mine), *process = arg;
	uint32_t before;

	work_for(own, 10);
	before = mine;
	IN_CHILD {
		child_goes_on(own, process, before);
	}
	work_for(own, 10);
	CHECK_EQ(thread_stop(NULL).counted, mine);
	return NULL;
}

TEST(fork_child_of_a_thread_has_its_profile_as_the_processs)
{
	in_thread(fork_with_a_profile, (void *)(uintptr_t)start_process(&all));
	CHECK_EQ(stopped().counted, all);
}

/* Mapped before the process's, its page is above that, and copied later. */
TEST(fork_child_has_one_profile_whichever_page_is_copied_first)
{
	page_t *own = start_own(&mine), *process = start_process(&all);

	IN_CHILD {
		CHECK_EQ(own->state, PROFIL_STATE_ON);
		CHECK_EQ(process->state, PROFIL_STATE_DENIED);
		work_for(own, 10);
		CHECK_EQ(thread_stop(own).mode, PROFIL_MODE_HISTOGRAM);
	}
	thread_stop(NULL);
	stopped();
}

TEST(fork_child_of_a_thread_that_stopped_has_the_processs)
{
	page_t *process = start_process(&all), *own = start_own(&mine);

	work_for(own, 5);
	thread_stop(NULL);
	IN_CHILD {
		CHECK_EQ(own->state, PROFIL_STATE_DENIED);
		CHECK_EQ(process->state, PROFIL_STATE_ON);
		work_for(process, 10);
		stopped();
		/* And its thread may have one of its own. */
		work_for(start_own(&other), 10);
		CHECK_EQ(thread_stop(NULL).counted, other);
	}
	CHECK_EQ(stopped().counted, all);
}

TEST(profiles_of_other_threads_are_not_in_a_fork_child)
{
	page_t *process = start_process(&all);
	struct profil_status st;
	pthread_t thread = start_thread(work_until_end, NULL);

	while (!published || published->ticks < 5)
		usleep(1000);
	IN_CHILD {
		CHECK_EQ(published->state, PROFIL_STATE_DENIED);
		CHECK_EQ(thread_status(published).mode, PROFIL_MODE_NONE);
		CHECK_EQ(thread_status(NULL).mode, PROFIL_MODE_NONE);
		work_for(process, 10);
		/* It may have one of its own. */
		work_for(start_own(&other), 10);
		CHECK_EQ(thread_stop(NULL).counted, other);
	}
	end = 1;
	join_thread(thread);
	st = thread_stop(published);
	CHECK_EQ(st.counted, mine);
	stopped();
}

TEST(grandchild_of_a_child_without_a_tick_has_the_profile_too)
{
	page_t *own = start_own(&mine);

	IN_CHILD {
		IN_CHILD {
			CHECK_EQ(own->state, PROFIL_STATE_ON);
			work_for(own, 10);
			CHECK_GE(stopped().counted, 10);
		}
		work_for(own, 10);
		stopped();
	}
	thread_stop(NULL);
}

static int clone_body(void *arg)
{
	page_t *process = arg;

	work_for(process, 10);
	CHECK_EQ(thread_status(NULL).mode, PROFIL_MODE_NONE);
	return 0;
}

TEST(process_that_shares_the_memory_is_not_the_thread)
{
	static char stack[65536] __attribute__((aligned(64)));
	page_t *process = start_process(&all), *own = start_own(&mine);
	uint64_t before;
	int status;
	pid_t pid;

	work_for(own, 5);
	before = own->ticks;
	pid = CHECK_CALL(clone(clone_body, stack + sizeof(stack),
			       CLONE_VM | CLONE_VFORK | SIGCHLD, (void *)(uintptr_t)process));
	CHECK_LE(own->ticks, before + few());
	CHECK_EQ(waitpid(pid, &status, 0), pid);
	CHECK_EQ(status, 0);
	work_for(own, 5);
	CHECK_EQ(thread_stop(NULL).counted, mine);
	CHECK_EQ(stopped().counted, all);
}

ROLE(has_no_page)
{
	CHECK(!has_page());
	CHECK_EQ(thread_status(NULL).mode, PROFIL_MODE_NONE);
	CHECK_EQ(status().mode, PROFIL_MODE_NONE);
	work_thread_ms(20);
	/* And it can have its own. */
	start_tally(PROFIL_RATE_TICK);
	check_tally(5);
	return 0;
}

static void *exec_with_a_profile(void *unused)
{
	work_for(start_own(&mine), 5);
	execl("/proc/self/exe", "others_profiles", "--role", "has_no_page", NULL);
	return unused;
}

TEST(exec_ends_the_profiles_of_the_process_and_of_threads)
{
	start_process(&all);
	start_own(&other);
	in_thread(exec_with_a_profile, NULL);
	FAIL("no exec: %s", strerror(errno));
}
