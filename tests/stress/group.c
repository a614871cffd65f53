// SPDX-License-Identifier: LGPL-2.1-or-later
/* A memory cgroup; see group.h. */
#include <sys/mount.h>

#include "device.h"
#include "group.h"
#include "machine.h"
#include "run.h"

#define CGROUPS		"/tmp/stress.cgroup"
/* Freed memory may stay in the CPUs' caches, a few pages for each. */
#define MOST_LEFT	(256L << 10)
/* Some ticks' time. */
#define TICKS_NS	20000000

void group_make(const char *high)
{
	mkdir(CGROUPS, 0755);
	if (mount("none", CGROUPS, "cgroup2", 0, NULL) != 0)
		return;
	write_file(CGROUPS "/cgroup.subtree_control", "+memory");
	mkdir(GROUP, 0755);
	if (high)
		write_file(GROUP "/memory.high", high);
}

void group_join(void)
{
	if (write_file(GROUP "/cgroup.procs", "0") != 0)
		broken("no memory cgroup: %s", strerror(errno));
}

long group_kernel_bytes(void)
{
	char text[8192], *at;

	if (read_file(GROUP "/memory.stat", text, sizeof(text)) != 0)
		return -1;
	at = strstr(text, "\nkernel ");
	return at ? strtol(at + strlen("\nkernel "), NULL, 10) : -1;
}

/*
 * What a CPU has counted may wait for work that runs once in two seconds, by a timer that
 * a sleeping CPU is not woken for.
 */
static void wake_cpus(void)
{
	cpu_set_t all;

	if (sched_getaffinity(0, sizeof(all), &all) != 0)
		return;
	for (unsigned int cpu = 0; cpu < CPU_SETSIZE; cpu++) {
		uint64_t from = now_ns();

		if (!CPU_ISSET(cpu, &all) || pin(cpu) != 0)
			continue;
		while (now_ns() - from < TICKS_NS)
			;
	}
	sched_setaffinity(0, sizeof(all), &all);
}

bool group_memory_is_back(long before)
{
	long left = -1;

	for (unsigned int i = 0; i < 100 * slowness(); i++) {
		left = group_kernel_bytes();
		if (left >= 0 && left - before <= MOST_LEFT)
			break;
		wake_cpus();
		sleep_ms(100);
	}
	note("%ld bytes of the kernel's before, %ld after", before, left);
	return left >= 0 && left - before <= MOST_LEFT;
}

/* A process may take a moment to give up its last reference. */
bool module_goes(void)
{
	for (int i = 0; i < 200; i++) {
		if (syscall(SYS_delete_module, "profil", O_NONBLOCK) == 0)
			return true;
		sleep_ms(50);
	}
	note("delete_module: %s", strerror(errno));
	return false;
}
