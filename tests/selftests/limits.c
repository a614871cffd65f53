// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The administrator's settings of /dev/profil at run time: the users who may open it, the
 * number of profiles of a user, and the switch that stops all profiles.
 */
#include <grp.h>

#include "setup.h"

#define SOMEBODY	12345
#define SOMEBODY_ELSE	12346

static uint32_t buf;

static int start(void)
{
	buf = 0;
	return start_region(everything(&buf, sizeof(buf), 4), PROFIL_RATE_TICK);
}

static void become(uid_t uid)
{
	CHECK_CALL(setgroups(0, NULL));
	CHECK_CALL(setgid(uid));
	CHECK_CALL(setuid(uid));
}

TEST(module_makes_the_device_for_root_only)
{
	char text[512];

	CHECK_CALL(read_file("/sys/class/profil/profil/uevent", text, sizeof(text)));
	CHECK(strstr(text, "DEVNAME=profil\n") != NULL);
	CHECK(strstr(text, "DEVMODE") == NULL);	/* A node that asks for no mode gets 0600. */
}

struct holder {
	pid_t pid;
	int release;
};

/* A process that does this as that user, says what came of it, and holds it. */
static int hold(struct holder *holder, int (*fn)(void), uid_t uid)
{
	int up[2], down[2], result = -1;

	CHECK_CALL(pipe(up));
	CHECK_CALL(pipe(down));
	holder->pid = FORK();
	if (holder->pid == 0) {
		become(uid);
		result = fn();
		CHECK_EQ(write(up[1], &result, sizeof(result)), (ssize_t)sizeof(result));
		_exit(read(down[0], &result, 1) != 1);
	}
	close(up[1]);
	close(down[0]);
	CHECK_EQ(read(up[0], &result, sizeof(result)), (ssize_t)sizeof(result));
	close(up[0]);
	holder->release = down[1];
	return result;
}

static void release(struct holder *holder)
{
	CHECK_EQ(write(holder->release, "", 1), 1);
	close(holder->release);
	wait_ok(holder->pid);
}

TEST_WITH(MAX_PROFILES, "3", one_profile_more_than_a_user_may_have_is_refused)
{
	struct holder three[3], fourth;

	for (int i = 0; i < 3; i++) {
		/* What fails is not charged. */
		IN_CHILD {
			become(SOMEBODY);
			CHECK_EQ(start_samples(&buf, 1, 3, PROFIL_RATE_TICK), -EINVAL);
		}
		CHECK_EQ(hold(&three[i], start, SOMEBODY), 0);
	}
	CHECK_EQ(hold(&fourth, start, SOMEBODY), -EDQUOT);
	release(&fourth);
	CHECK_EQ(hold(&fourth, start, SOMEBODY_ELSE), 0);
	release(&fourth);
	/* Until one of them ends. */
	release(&three[1]);
	CHECK_EQ(hold(&fourth, start, SOMEBODY), 0);
	release(&fourth);
	release(&three[0]);
	release(&three[2]);
}

TEST_WITH(MAX_PROFILES, "0", root_without_the_capability_has_a_limit)
{
	CHECK_EQ(start(), -EDQUOT);
	CHECK(!has_page());
}

TEST(root_with_cap_sys_resource_has_no_limit)
{
	char was[16];
	int started;
	pid_t pid;

	NEEDS_ROOT();
	CHECK_CALL(read_file(MAX_PROFILES, was, sizeof(was)));
	CHECK_CALL(write_file(MAX_PROFILES, "0"));
	started = start();
	pid = FORK();
	if (pid == 0)
		_exit(started != 0 || page()->state != PROFIL_STATE_ON);
	waitid(P_PID, (id_t)pid, &(siginfo_t) {}, WEXITED | WNOWAIT);
	CHECK_CALL(write_file(MAX_PROFILES, was));
	CHECK_EQ(started, 0);
	wait_ok(pid);
}

ROLE(nothing)
{
	return 0;
}

/* Of 30 of each kind, one after the other: the next one would be refused. */
TEST_WITH(MAX_PROFILES, "1", profile_that_has_ended_counts_no_more_however_it_ended)
{
	int status;

	for (unsigned int i = 0; i < 90 / slowness(); i++) {
		pid_t pid = FORK();

		if (pid == 0) {
			become(SOMEBODY);
			CHECK_EQ(start(), 0);
			unmap_page();
			CHECK_EQ(start(), 0);
			if (i % 3 == 1)
				raise(SIGKILL);
			if (i % 3 == 2)
				execl("/proc/self/exe", "limits", "--role", "nothing", NULL);
			_exit(0);
		}
		CHECK_EQ(waitpid(pid, &status, 0), pid);
		CHECK_EQ(status, i % 3 == 1 ? SIGKILL : 0);
	}
}

TEST_WITH(MAX_PROFILES, "1", profiles_above_a_new_limit_go_on)
{
	CHECK_EQ(start(), 0);
	CHECK_CALL(write_file(MAX_PROFILES, "0"));
	CHECK(work_for_ticks(5));
	CHECK_EQ(stopped().counted, buf);
	/* The process still has its place: what replaces another takes no second one. */
	CHECK_EQ(start(), 0);
}

TEST_WITH(MAX_PROFILES, "7", limit_of_profiles_must_be_a_number)
{
	CHECK_FAILS(write_file(MAX_PROFILES, "-1"), EINVAL);
	CHECK_FAILS(write_file(MAX_PROFILES, "many"), EINVAL);
	CHECK_FAILS(write_file(MAX_PROFILES, "4294967296"), ERANGE);
}

/* Its page is there, and says so; all else is as if there were no profile. */
static void check_is_denied(void)
{
	uint32_t was = buf;

	CHECK_EQ(page()->state, PROFIL_STATE_DENIED);
	CHECK_EQ(page()->size, sizeof(struct profil_status));
	CHECK_EQ(page()->mode, PROFIL_MODE_NONE);
	CHECK_EQ(status().state, PROFIL_STATE_OFF);
	hot_a(500 * 10000);
	CHECK_EQ(buf, was);
	CHECK_EQ(accounted().mode, PROFIL_MODE_NONE);
}

TEST_WITH(MAX_PROFILES, "1", fork_child_above_the_limit_is_told_by_its_page)
{
	CHECK_EQ(start(), 0);
	IN_CHILD {
		check_is_denied();
		CHECK_EQ(start(), -EDQUOT);
		IN_CHILD {
			check_is_denied();
		}
		/* With a place for it, it can have its own. */
		CHECK_CALL(write_file(MAX_PROFILES, "2"));
		CHECK_EQ(start(), 0);
		CHECK(work_for_ticks(3));
		CHECK_EQ(stopped().counted, buf);
	}
	CHECK(work_for_ticks(5));
	CHECK_EQ(stopped().counted, buf);
}

static uid_t owner_of_namespace, id_in_namespace;
static pid_t namespace_of;

/* As a user whom the initial namespace knows as 100000 and more. */
static int start_in_namespace(void)
{
	char byte = 0, path[64];
	int unshared[2];
	pid_t pid;

	if (namespace_of) {
		snprintf(path, sizeof(path), "/proc/%d/ns/user", (int)namespace_of);
		CHECK_CALL(setns(open(path, O_RDONLY), CLONE_NEWUSER));
		CHECK_CALL(setuid(id_in_namespace));
		return start();
	}
	CHECK_CALL(pipe(unshared));
	pid = FORK();
	if (pid == 0) {
		close(unshared[1]);
		snprintf(path, sizeof(path), "/proc/%d/uid_map", (int)getppid());
		if (read(unshared[0], &byte, 1) == 1)
			CHECK_CALL(write_file(path, "0 100000 10"));
		_exit(0);
	}
	become(owner_of_namespace);
	if (unshare(CLONE_NEWUSER) < 0)
		return -ENOSYS;
	CHECK_EQ(write(unshared[1], &byte, 1), 1);
	wait_ok(pid);
	CHECK_CALL(setuid(id_in_namespace));
	return start();
}

/* User @id of a namespace that @owner makes; it stays until the profile is released. */
static int hold_in_namespace(struct holder *holder, uid_t owner, uid_t id)
{
	int result;

	owner_of_namespace = owner;
	id_in_namespace = id;
	result = hold(holder, start_in_namespace, 0);
	if (result == -ENOSYS)
		SKIP("no user namespaces");
	return result;
}

TEST_WITH(MAX_PROFILES, "1", users_of_a_namespace_count_for_its_owner)
{
	struct holder one, other;

	CHECK_EQ(hold_in_namespace(&other, SOMEBODY, 1), 0);
	release(&other);
	CHECK_EQ(hold(&one, start, SOMEBODY), 0);
	CHECK_EQ(hold_in_namespace(&other, SOMEBODY, 1), -EDQUOT);
	release(&other);
	release(&one);
}

/* User @id of a namespace of root's: of a new one, or of that of @like. */
static int hold_beside(struct holder *holder, const struct holder *like, uid_t id)
{
	namespace_of = like ? like->pid : 0;
	return hold_in_namespace(holder, 0, id);
}

TEST_WITH(MAX_PROFILES, "1", ids_of_a_root_namespace_count_for_themselves)
{
	struct holder one, again, other;

	CHECK_EQ(hold_beside(&one, NULL, 1), 0);
	CHECK_EQ(hold_beside(&again, &one, 1), -EDQUOT);
	CHECK_EQ(hold_beside(&other, &one, 2), 0);
	/* And not for root. */
	CHECK_EQ(start(), 0);
	release(&one);
	release(&again);
	release(&other);
}

/* A namespace has two limits, and all of root's together have four. */
TEST_WITH(MAX_PROFILES, "1", root_namespaces_have_limits_for_each_and_for_all)
{
	struct holder four[4], refused;

	CHECK_EQ(hold_beside(&four[0], NULL, 0), 0);
	CHECK_EQ(hold_beside(&four[1], &four[0], 1), 0);
	CHECK_EQ(hold_beside(&refused, &four[0], 2), -EDQUOT);
	release(&refused);
	CHECK_EQ(hold_beside(&four[2], NULL, 2), 0);
	CHECK_EQ(hold_beside(&four[3], &four[2], 3), 0);
	CHECK_EQ(hold_beside(&refused, NULL, 4), -EDQUOT);
	release(&refused);
	release(&four[0]);
	CHECK_EQ(hold_beside(&four[0], NULL, 4), 0);
	for (int i = 0; i < 4; i++)
		release(&four[i]);
}

TEST_WITH(ENABLED, "N", while_profiling_is_switched_off_each_start_is_refused)
{
	CHECK_EQ(start(), -EPERM);
	CHECK_EQ(start_samples(&buf, 1, 4, PROFIL_RATE_TICK), -EPERM);
	CHECK(!has_page());
	CHECK_EQ(features().rates, 0);
	accounted();
	CHECK_CALL(write_file(ENABLED, "Y"));
	CHECK_NE(features().rates, 0);
	CHECK_EQ(start(), 0);
}

TEST_WITH(ENABLED, "Y", switching_off_stops_what_runs_and_says_why)
{
	struct profil_status st;
	uint32_t counted;

	CHECK_EQ(start(), 0);
	CHECK(work_for_ticks(5));
	CHECK_CALL(write_file(ENABLED, "N"));
	counted = buf;
	CHECK_EQ(page()->state, PROFIL_STATE_DENIED);
	hot_a(500 * 10000);
	CHECK_EQ(buf, counted);
	CHECK_CALL(write_file(ENABLED, "Y"));
	/* It does not come back by itself. */
	hot_a(500 * 10000);
	CHECK_EQ(buf, counted);
	CHECK_EQ(stop(&st), 0);
	CHECK_EQ(st.state, PROFIL_STATE_DENIED);
	CHECK_NOTHING_LOST(&st);
	CHECK_EQ(st.counted, counted);
	CHECK_GE(counted, 5);
	CHECK_EQ(start(), 0);
	CHECK(work_for_ticks(5));
}

struct switched {
	volatile uint32_t times;	/* odd: it is off */
	volatile bool end;
};

/* Start and fork, and look whether one of both ever runs while it is off. */
static void start_and_fork(const struct switched *switched)
{
	while (!switched->end) {
		uint32_t before = switched->times;
		int started = start();
		uint32_t state = page() ? page()->state : PROFIL_STATE_OFF;

		if (before % 2 && switched->times == before) {
			CHECK_EQ(started, -EPERM);
			CHECK_NE(state, PROFIL_STATE_ON);
		}
		IN_CHILD {
			before = switched->times;
			state = page() ? page()->state : PROFIL_STATE_OFF;
			if (before % 2 && switched->times == before)
				CHECK_NE(state, PROFIL_STATE_ON);
		}
	}
	_exit(0);
}

TEST_WITH(ENABLED, "Y", nothing_runs_while_it_is_off_whatever_starts_and_forks)
{
	struct switched *switched = shared_memory(4096);
	pid_t pids[6];

	for (int i = 0; i < 6; i++) {
		pids[i] = FORK();
		if (pids[i] == 0)
			start_and_fork(switched);
	}
	for (unsigned int i = 0; i < 200 / slowness(); i++) {
		CHECK_CALL(write_file(ENABLED, "N"));
		switched->times++;
		usleep(2000);
		switched->times++;
		CHECK_CALL(write_file(ENABLED, "Y"));
		usleep(2000);
	}
	switched->end = true;
	for (int i = 0; i < 6; i++)
		wait_ok(pids[i]);
}
