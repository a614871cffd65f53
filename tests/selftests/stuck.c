// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Processes whose mmap lock nobody can take: see fuse.h. Their profiles wait for the
 * lock. This must delay neither other processes nor their own threads.
 */
#include "fuse.h"

static struct victim *victim;

/* Starts a profile that counts the ticks of text b in @buf. */
static void start_victim(struct victim *me, void *buf)
{
	leave_server();
	victim = me;
	CHECK_EQ(start_region(one_counter(buf, 4, 4, text_b()), PROFIL_RATE_TICK), 0);
}

/* A process with an update that waits for the mmap lock, which no thread releases. */
static void become_victim(struct victim *me)
{
	void *buf = private_memory(PAGE);

	start_victim(me, buf);
	/* Only the buffer may be absent by then, so bring in all other memory. */
	CHECK_CALL(mlockall(MCL_CURRENT));
	CHECK_EQ(page()->mode, PROFIL_MODE_HISTOGRAM);
	CHECK_CALL(munlock(buf, PAGE));
	CHECK_CALL(madvise(buf, PAGE, MADV_DONTNEED));
	take_mmap_lock(me);
	while (page()->ticks - page()->outside < 2)
		hot_b(10000);
	me->goes_on = true;
}

/* One with nothing that waits, but a child that has taken its run over. */
static void become_victim_that_has_forked(struct victim *me)
{
	static uint32_t counter;

	start_victim(me, &counter);
	IN_CHILD {
		CHECK_EQ(page()->state, PROFIL_STATE_ON);
	}
	CHECK_CALL(mlockall(MCL_CURRENT));
	take_mmap_lock(me);
	CHECK_EQ(page()->deferred, 0);
}

static void work_as_victim(struct victim *me)
{
	become_victim(me);
	for (;;) {
		hot_b(10000);
		me->rounds++;
	}
}

static bool works_on(const void *arg)
{
	const struct victim *v = arg;

	return v->rounds > 100;
}

TEST(thread_whose_update_waits_for_a_held_mmap_lock_goes_on)
{
	struct victim *v = shared_memory(sizeof(*v));

	start_server();
	if (FORK() == 0)
		work_as_victim(v);
	CHECK(wait_for(works_on, v));
	CHECK_EQ(thread_state(v->mapper), 'D');
	end_server();
}

#define VICTIMS	264

struct victims {
	struct victim each[VICTIMS];
};

static int victims_that_go_on(const struct victims *v)
{
	int n = 0;

	for (int i = 0; i < VICTIMS; i++)
		n += v->each[i].goes_on;
	return n;
}

static bool all_go_on(const void *arg)
{
	return victims_that_go_on(arg) == VICTIMS;
}

static void count_in_a_fresh_page(void)
{
	uint32_t *buf = private_memory(PAGE);

	CHECK_EQ(start_region(one_counter(buf, 4, 4, text_b()), PROFIL_RATE_TICK), 0);
	for (int i = 0; i < 20000 && page()->counted == 0; i++)
		hot_b(10000);
	/* Without a stop, which would do it itself. */
	CHECK_GT(page()->counted, 0);
	CHECK_EQ(page()->counted, buf[0]);
}

/* More than there are workers in any pool of the kernel's. */
TEST(updates_that_264_held_mmap_locks_delay_delay_no_others)
{
	struct victims *v = shared_memory(sizeof(*v));

	NEEDS_CPUS(2);
	start_server();
	for (int i = 0; i < VICTIMS; i++) {
		if (FORK() == 0) {
			become_victim(&v->each[i]);
			for (;;)
				pause();
		}
	}
	if (!wait_for(all_go_on, v))
		wait_for(all_go_on, v);
	CHECK_EQ(victims_that_go_on(v), VICTIMS);
	wait_ok(spawn(count_in_a_fresh_page));
	end_server();
}

static void *stop_it(void *arg)
{
	struct profil_status st;
	uint32_t other;

	victim->stopper = (pid_t)syscall(SYS_gettid);
	if (arg)
		start_region(everything(&other, 4, 4), PROFIL_RATE_TICK);
	else
		stop(&st);
	return NULL;
}

/* @tid: of a thread, 0 until there is one. */
static bool thread_waits(const void *tid)
{
	pid_t id = *(const volatile pid_t *)tid;
	char state = id ? thread_state(id) : 0;

	return state == 'D' || state == 'S';
}

static bool stopper_exits(const void *arg)
{
	const struct victim *v = arg;

	return thread_exits(v->stopper);
}

static void kill_who_stops(void (*become)(struct victim *), bool by_a_start)
{
	struct victim *v = shared_memory(sizeof(*v));
	pid_t pid;

	start_server();
	pid = FORK();
	if (pid == 0) {
		static pthread_t thread;

		become(v);
		/* Its stack was there before the lock was taken. */
		stop_it(by_a_start ? &thread : NULL);
		for (;;)
			pause();
	}
	CHECK(wait_for(thread_waits, (const void *)&v->stopper));
	CHECK_CALL(kill(pid, SIGKILL));
	CHECK(wait_for(stopper_exits, v));
	/* The one that has the lock is none of the profile's. */
	CHECK_EQ(thread_state(v->mapper), 'D');
	end_server();
	CHECK_EQ(waitpid(pid, NULL, 0), pid);
}

CASE(stop_that_waits_for_a_held_mmap_lock_can_be_killed, kill_who_stops(become_victim, false))
CASE(start_that_waits_for_a_held_mmap_lock_can_be_killed, kill_who_stops(become_victim, true))

/* Nobody can tell that the fork is not under way any more. */
CASE(stop_after_a_fork_that_waits_for_the_lock_can_be_killed,
	kill_who_stops(become_victim_that_has_forked, false))

/* The page at @at begins with @report. */
static void give_page(int fd, void *at, const struct profil_status *report)
{
	static union {
		struct profil_status report;
		char bytes[PAGE];
	} from __attribute__((aligned(PAGE)));
	struct uffdio_copy copy = {
		.dst = (uintptr_t)at, .src = (uintptr_t)&from, .len = PAGE,
	};

	from.report = *report;
	CHECK_CALL(ioctl(fd, UFFDIO_COPY, &copy));
}

static volatile pid_t starter;

static void *start_late(void *request)
{
	starter = (pid_t)syscall(SYS_gettid);
	start_array(request);
	return NULL;
}

static struct profil_samples request_in(char *buf)
{
	return (struct profil_samples) SAMPLES(buf, 2 * PAGE / 8, 8, PROFIL_RATE_TICK, .tag = 7);
}

TEST_WITH(ENABLED, "Y", start_that_is_held_up_does_not_outlive_the_switch)
{
	struct profil_status *last = private_memory(PAGE), report = { .size = sizeof(report) };
	struct profil_samples request = request_in(private_memory(2 * PAGE));
	struct uffd_msg msg;
	pthread_t thread;
	int uffd;

	request.last = (uintptr_t)last;
	start_tally(PROFIL_RATE_TICK);
	uffd = userfault_on(last, PAGE, UFFDIO_REGISTER_MODE_MISSING);
	thread = start_thread(start_late, &request);
	/* The start has looked at the switch, and waits for its report. */
	CHECK_EQ(read(uffd, &msg, sizeof(msg)), (ssize_t)sizeof(msg));
	CHECK_CALL(write_file(ENABLED, "N"));
	give_page(uffd, last, &report);
	while (page()->tag != 7)
		hot_a(10000);
	for (int i = 0; i < 1000 && page()->state == PROFIL_STATE_ON; i++)
		hot_a(10000);
	CHECK_EQ(page()->state, PROFIL_STATE_DENIED);
	join_thread(thread);
}

/* The server never gives the second page of the array. */
TEST(stop_does_not_wait_for_pages_ahead_of_a_start)
{
	struct profil_samples request = request_in(private_memory(2 * PAGE));
	pthread_t thread;
	int fd;

	start_server();
	fd = CHECK_CALL(open(FUSE_FILE, O_RDONLY));
	mapped((char *)(uintptr_t)request.buf + PAGE, PAGE, PROT_READ | PROT_WRITE,
	       MAP_PRIVATE | MAP_FIXED, fd);
	start_tally(PROFIL_RATE_TICK);
	thread = start_thread(start_late, &request);
	CHECK(wait_for(thread_waits, (const void *)&starter));
	CHECK_EQ(accounted().mode, PROFIL_MODE_HISTOGRAM);
	end_server();
	join_thread(thread);
	CHECK_EQ(page()->tag, 7);
}
