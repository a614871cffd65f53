// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Hundreds of processes that profile themselves and do to themselves and each other what the
 * kernel lets them, while memory is short, CPUs and the hook go off and on, and rmmod is tried:
 *
 *	stress [-t SECONDS] [-p PROCESSES] [-s SEED] [-a NUMBER]
 *
 * runs that many at a time for that long of the guest's clock, divided by SLOWNESS (longer if
 * something is not done by then), as root, in TAP. -a does only what process NUMBER does.
 */
#include <getopt.h>
#include <sys/resource.h>
#include <sys/swap.h>

#include "actor.h"
#include "group.h"
#include "machine.h"
#include "request.h"

#define MOST_TIMES	10

static unsigned int seconds = 300;

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

/* Longer windows between the steps of starts and stops, if there is the parameter. */
static void switch_delays(struct chance *chance)
{
	write_file("/sys/module/profil/parameters/delay_us", chance_of(chance, 2) ? "300" : "0");
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
	struct chance chance = chance_from(run.seed, 1ULL << 40);

	outcome_name("weather of seed %llu", (unsigned long long)run.seed);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	/* Each in its turn: some take so long that chance would leave others out. */
	for (;;) {
		try_rmmod();
		sleep_ms(chance_of(&chance, 100));
		switch_cpu(&chance);
		sleep_ms(chance_of(&chance, 100));
		reclaim(&chance);
		sleep_ms(chance_of(&chance, 100));
		switch_delays(&chance);
		sleep_ms(chance_of(&chance, 100));
	}
}

#define THING(name, text)	text,
static const char *const names[] = {
	STRESS_THINGS(THING)
	"ticks counted", "(ticks)", "(dropped)", "(processes)", NULL,
};

static void be_actor(uint64_t number)
{
	if (run.only == ALL_OF_THEM)
		group_join();
	/* Else root's part, and kernel threads it waits for, hardly run. */
	setpriority(PRIO_PROCESS, 0, 10);
	/* Most of those who profile themselves are not root. */
	if (number % 4 && become_nobody() != 0)
		broken("cannot become nobody");
	act(number);
}

/* Whether what began at this time, in ms, does. */
static bool goes_on(uint64_t from, uint64_t ms)
{
	static const char *told;
	uint64_t elapsed = now_ns() / 1000000 - from;
	const char *missing;

	if (elapsed < ms)
		return true;
	missing = not_done(names);
	if (missing && missing != told)
		note("after %llu ms there were no %s", (unsigned long long)elapsed, missing);
	told = missing;
	return missing && elapsed < MOST_TIMES * ms;
}

/* For this long, or some times as long if something has not been done by then. */
static void run_actors(uint64_t ms)
{
	struct chance chance = chance_from(run.seed, 2ULL << 40);
	uint64_t from = now_ns() / 1000000;

	while (goes_on(from, ms)) {
		run_go_on();
		if (chance_one_in(&chance, 3))
			run_kill_one(&chance);
		outcome->counts[DID_KILLS] = run.kills;
		sleep_ms(5 + chance_of(&chance, 20));
	}
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

int main(int argc, char **argv)
{
	pid_t holder, weather;
	long before;
	bool ended;

	run = (struct run) {
		.usage = "stress [-t SECONDS] [-p PROCESSES] [-s SEED] [-a NUMBER]",
		.letters = "t:", .processes = 24, .body = be_actor,
	};
	while (run_option(argc, argv) != -1)
		seconds = (unsigned int)strtoul(optarg, NULL, 0);
	seconds /= slowness();
	note("seed %llu, %u processes for %u s", (unsigned long long)run.seed, run.processes, seconds);
	prepare_machine();
	before = group_kernel_bytes();
	holder = hold_module();
	weather = fork();
	if (weather == 0)
		make_weather();
	run_actors((uint64_t)seconds * 1000);
	end(weather);
	restore_machine();
	end(holder);
	ended = tap_outcome(names);
	tap(ended && group_memory_is_back(before), "the kernel has its memory back");
	tap(ended && module_goes(), "the module can be removed");
	return tap_end();
}
