// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Hundreds of processes that profile themselves and do to themselves, and to
 * each other, what the kernel lets them, while memory is short, CPUs go off and
 * on, the tick's hook is switched off and on, and the module's removal is tried:
 *
 *	stress [-t SECONDS] [-p PROCESSES] [-s SEED] [-a NUMBER] [-n]
 *
 * runs that many at a time for that long (of the guest's clock; SLOWNESS=N
 * divides it by N; longer if something has not been done by then), as root, in a
 * guest, and reports in TAP. -a does only what process NUMBER of a seed does. -n
 * leaves the machine as it is: no hotplug, no hooks, no swap.
 */
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/swap.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "actor.h"
#include "chance.h"
#include "group.h"
#include "machine.h"
#include "options.h"
#include "outcome.h"
#include "request.h"

#define NOBODY		65534
#define MOST_ACTORS	256
#define DEATH_SECONDS	60
#define MOST_TIMES	10

static unsigned int seconds = 300, processes = 24;
static uint64_t seed;
static bool leave_machine;

/* --- the machine: memory, swap, CPUs, hooks ---------------------------------------- */

#define CPU_N	"/sys/devices/system/cpu/cpu%u/online"
#define KSM	"/sys/kernel/mm/ksm/"
#define THP	"/sys/kernel/mm/transparent_hugepage/enabled"

static void swap_on_zram(void)
{
	write_file("/sys/block/zram0/disksize", "67108864");
	if (make_swap("/dev/zram0", 16384))
		swapon("/dev/zram0", 0);
}

static void prepare_machine(void)
{
	write_file(THP, "madvise");
	group_make("64M");
	if (leave_machine)
		return;
	swap_on_zram();
	write_file(KSM "sleep_millisecs", "20");
	write_file(KSM "run", "1");
}

static void switch_cpu(struct chance *chance)
{
	unsigned int cpu = 1 + chance_of(chance, 3);
	bool on = chance_of(chance, 2);
	char path[64];

	snprintf(path, sizeof(path), CPU_N, cpu);
	if (write_file(path, on ? "1" : "0") == 0)
		did(on ? DID_CPU_ON : DID_CPU_OFF);
}

static void switch_hooks(struct chance *chance)
{
	bool on = chance_of(chance, 2);

	if (kernel_has_hooks() && set_hooks(on ? "1" : "0") == 0)
		did(on ? DID_HOOKS_ON : DID_HOOKS_OFF);
}

/* Longer windows between the steps of starts and stops, if there is the parameter. */
static void switch_delays(struct chance *chance)
{
	write_file("/sys/module/profil/parameters/delay_us",
		   chance_of(chance, 2) ? "300" : "0");
}

/* Somebody always uses it: see hold_module(). */
static void try_rmmod(void)
{
	if (syscall(SYS_delete_module, "profil", O_NONBLOCK) == 0)
		broken("the module was removed while it was in use");
	did(DID_RMMOD);
}

static void reclaim(struct chance *chance)
{
	write_file(GROUP "/memory.reclaim", chance_of(chance, 2) ? "4M" : "16M");
	if (chance_one_in(chance, 8))
		write_file("/proc/sys/vm/drop_caches", "1");
	if (chance_one_in(chance, 8))
		write_file("/proc/sys/vm/compact_memory", "1");
}

static void restore_machine(void)
{
	char path[64];

	set_hooks("1");
	for (unsigned int cpu = 1; cpu < 16; cpu++) {
		snprintf(path, sizeof(path), CPU_N, cpu);
		write_file(path, "1");
	}
	write_file(KSM "run", "2");
	swapoff("/dev/zram0");
}

/* Root's part of the trouble, until it is killed. */
__attribute__((noreturn)) static void make_weather(void)
{
	struct chance chance = chance_from(seed, 1ULL << 40);

	outcome_name("weather of seed %llu", (unsigned long long)seed);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	/* Each in its turn: some take so long that chance would leave others out. */
	for (;;) {
		try_rmmod();
		sleep_ms(chance_of(&chance, 100));
		switch_cpu(&chance);
		sleep_ms(chance_of(&chance, 100));
		reclaim(&chance);
		sleep_ms(chance_of(&chance, 100));
		switch_hooks(&chance);
		switch_delays(&chance);
		sleep_ms(chance_of(&chance, 100));
	}
}

/* --- what was done ------------------------------------------------------------------- */

/* Who does it: a process, root to the machine, or root where the kernel has hooks. */
enum doer {
	ACTOR,
	WEATHER,
	WEATHER_OF_HOOKS,
};

static const struct {
	enum stress_count count;
	const char *name;
	enum doer doer;
} things[] = {
	{ DID_START_HISTOGRAM, "starts of histograms", ACTOR },
	{ DID_START_SAMPLES, "starts of sample arrays", ACTOR },
	{ DID_REPLACE, "replacements", ACTOR },
	{ DID_STOP, "stops", ACTOR },
	{ DID_FORK, "forks", ACTOR },
	{ DID_VFORK, "vforks", ACTOR },
	{ DID_EXEC, "execs", ACTOR },
	{ DID_THREAD, "threads", ACTOR },
	{ DID_KILL_CHILD, "children killed", ACTOR },
	{ DID_DISCARD, "MADV_DONTNEED", ACTOR },
	{ DID_PAGEOUT, "MADV_PAGEOUT", ACTOR },
	{ DID_COLD, "MADV_COLD", ACTOR },
	{ DID_FREE, "MADV_FREE", ACTOR },
	{ DID_MERGEABLE, "MADV_MERGEABLE", ACTOR },
	{ DID_TRY_COLLAPSE, "tries of MADV_COLLAPSE", ACTOR },
	{ DID_COLLAPSE, "MADV_COLLAPSE", ACTOR },
	{ DID_PROTECT, "mprotects", ACTOR },
	{ DID_REMAP, "mremaps", ACTOR },
	{ DID_UNMAP_BUFFER, "buffers unmapped", ACTOR },
	{ DID_UNMAP_PAGE, "status pages unmapped", ACTOR },
	{ DID_REMAP_PAGE, "status pages moved", ACTOR },
	{ DID_SHARE, "counters shared", ACTOR },
	{ DID_STOP_OWN, "stops of threads' own", ACTOR },
	{ DID_LEAVE, "threads that left a profile", ACTOR },
	{ DID_SUMS, "buffers summed up", ACTOR },
	{ DID_KILLS, "processes killed", ACTOR },
	{ DID_DEFERRED, "updates deferred", ACTOR },
	{ DID_FAULTS, "faults", ACTOR },
	{ DID_CPU_OFF, "CPUs off", WEATHER },
	{ DID_CPU_ON, "CPUs on", WEATHER },
	{ DID_HOOKS_OFF, "hooks off", WEATHER_OF_HOOKS },
	{ DID_HOOKS_ON, "hooks on", WEATHER_OF_HOOKS },
	{ DID_RMMOD, "removals tried", WEATHER },
};

#define THINGS	(sizeof(things) / sizeof(*things))

static bool is_done_here(enum doer doer)
{
	return doer == ACTOR || (!leave_machine && (doer == WEATHER || kernel_has_hooks()));
}

/* A run that has not done something has not shown that it does no harm. */
static const char *not_done(void)
{
	for (size_t i = 0; i < THINGS; i++)
		if (outcome->counts[things[i].count] == 0 && is_done_here(things[i].doer))
			return things[i].name;
	return NULL;
}

static void say_what_was_done(void)
{
	for (size_t i = 0; i < THINGS; i++)
		say("%llu %s", (unsigned long long)outcome->counts[things[i].count],
		    things[i].name);
}

/* --- the processes -------------------------------------------------------------------- */

static struct {
	pid_t pid;
	uint64_t number;
	bool killed;
} actors[MOST_ACTORS];

static uint64_t next_number;

static void start_actor(unsigned int i)
{
	uint64_t number = next_number++;
	pid_t pid = fork();

	actors[i].pid = pid;
	actors[i].number = number;
	actors[i].killed = false;
	if (pid != 0)
		return;
	setpgid(0, 0);
	group_join();
	/* Else root's part, and kernel threads it waits for, hardly run. */
	setpriority(PRIO_PROCESS, 0, 10);
	/* Most of those who profile themselves are not root. */
	if (number % 4 && (setgid(NOBODY) != 0 || setuid(NOBODY) != 0))
		broken("cannot become nobody");
	act(seed, number);
}

static void actor_ended(unsigned int i, int status)
{
	bool was_killed = WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL;

	if (status != 0 && !(was_killed && actors[i].killed))
		broken("process %llu of seed %llu ended with %#x",
		       (unsigned long long)actors[i].number, (unsigned long long)seed,
		       (unsigned int)status);
	/* Whom it left behind. */
	kill(-actors[i].pid, SIGKILL);
	actors[i].pid = 0;
}

/* Also those whose parents have died: they are ours then. */
static bool reap(void)
{
	int status;
	pid_t pid = waitpid(-1, &status, WNOHANG);

	if (pid <= 0)
		return false;
	for (unsigned int i = 0; i < processes; i++)
		if (actors[i].pid == pid)
			actor_ended(i, status);
	return true;
}

static void kill_one(struct chance *chance)
{
	unsigned int i = chance_of(chance, processes);

	if (actors[i].pid <= 0)
		return;
	actors[i].killed = true;
	/* All its family, or it alone. */
	if (kill(chance_of(chance, 2) ? -actors[i].pid : actors[i].pid, SIGKILL) == 0)
		did(DID_KILLS);
}

/* Whether what began at this time, in ms, does. */
static bool goes_on(uint64_t from, uint64_t ms)
{
	static const char *told;
	uint64_t elapsed = now_ns() / 1000000 - from;
	const char *missing;

	if (elapsed < ms)
		return true;
	missing = not_done();
	if (missing && missing != told)
		say("after %llu ms there were no %s", (unsigned long long)elapsed, missing);
	told = missing;
	return missing && elapsed < MOST_TIMES * ms;
}

/* For this long, or some times as long if something has not been done by then. */
static void run_actors(uint64_t ms)
{
	struct chance chance = chance_from(seed, 2ULL << 40);
	uint64_t from = now_ns() / 1000000;

	while (goes_on(from, ms)) {
		while (reap())
			;
		for (unsigned int i = 0; i < processes; i++)
			if (actors[i].pid <= 0)
				start_actor(i);
		if (chance_one_in(&chance, 3))
			kill_one(&chance);
		sleep_ms(5 + chance_of(&chance, 20));
	}
}

/* False if one of them survives SIGKILL. */
static bool end_all(void)
{
	uint64_t end = now_ns() / 1000000 + DEATH_SECONDS * 1000;

	for (unsigned int i = 0; i < processes; i++) {
		actors[i].killed = true;
		if (actors[i].pid > 0)
			kill(-actors[i].pid, SIGKILL);
	}
	while (now_ns() / 1000000 < end) {
		while (reap())
			;
		if (waitpid(-1, NULL, WNOHANG) < 0 && errno == ECHILD)
			return true;
		sleep_ms(20);
	}
	return false;
}

/* Keeps the module in use, so that its removal must fail. */
static pid_t hold_module(void)
{
	pid_t pid = fork();

	if (pid == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		if (open_device() < 0)
			broken("cannot open " DEVICE);
		for (;;)
			pause();
	}
	/* Until it is open. */
	sleep_ms(200);
	return pid;
}

static void end(pid_t pid)
{
	if (pid <= 0)
		return;
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

/* --- all of it ------------------------------------------------------------------------- */

static int run(void)
{
	pid_t holder, weather = 0;
	const char *missing;
	long before;
	bool ended;

	say("seed %llu, %u processes for %u s", (unsigned long long)seed, processes, seconds);
	tap_plan(6);
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	prepare_machine();
	before = group_kernel_bytes();
	holder = hold_module();
	if (!leave_machine) {
		weather = fork();
		if (weather == 0)
			make_weather();
	}
	run_actors((uint64_t)seconds * 1000);
	end(weather);
	restore_machine();
	end(holder);
	ended = end_all();
	tap(ended, "every process dies when it is killed");
	tap(outcome->broken == 0, "no rule was broken");
	say_what_was_done();
	missing = not_done();
	tap(!missing, "everything was done%s%s", missing ? ", but for " : "",
	    missing ? missing : "");
	say("%llu ticks, %llu counted, %llu dropped by %llu processes",
	    (unsigned long long)outcome->counts[DID_TICKS],
	    (unsigned long long)outcome->counts[DID_COUNTED],
	    (unsigned long long)outcome->counts[DID_DROPPED],
	    (unsigned long long)outcome->counts[DID_ACTORS]);
	tap(outcome->counts[DID_COUNTED] > 0, "ticks were counted");
	tap(ended && group_memory_is_back(before), "the kernel has its memory back");
	tap(ended && module_goes(), "the module can be removed");
	return tap_failures() ? 1 : 0;
}

int main(int argc, char **argv)
{
	struct options options = {
		.usage = "stress [-t SECONDS] [-p PROCESSES] [-s SEED] [-a NUMBER] [-n]",
		.letters = "t:n",
		.most = MOST_ACTORS,
		.processes = processes,
	};
	int option;

	while ((option = options_next(&options, argc, argv)) != -1) {
		if (option == 't')
			seconds = (unsigned int)strtoul(optarg, NULL, 0);
		else
			leave_machine = true;
	}
	outcome_init();
	seed = options.seed;
	processes = options.processes;
	if (options.only != OPTIONS_ALL)
		act(seed, options.only);
	seconds /= slower();
	return run();
}
