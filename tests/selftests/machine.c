// SPDX-License-Identifier: LGPL-2.1-or-later
#include "machine.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "device.h"

#define FTRACE	"/proc/sys/kernel/ftrace_enabled"

uint64_t clock_ns(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return (uint64_t)t.tv_sec * 1000000000U + (uint64_t)t.tv_nsec;
}

uint64_t now_ns(void)
{
	return clock_ns(CLOCK_MONOTONIC);
}

void sleep_ms(unsigned int ms)
{
	struct timespec t = { .tv_sec = ms / 1000, .tv_nsec = (long)(ms % 1000) * 1000000 };

	while (nanosleep(&t, &t) != 0)
		;
}

void sleep_until(uint64_t ns)
{
	struct timespec ts = {
		.tv_sec = (time_t)(ns / 1000000000U), .tv_nsec = (long)(ns % 1000000000U),
	};

	while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &ts, NULL) == EINTR)
		;
}

int pin(unsigned int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	return sched_setaffinity(0, sizeof(set), &set);
}

int become_nobody(void)
{
	return setgid(NOBODY) ? -1 : setuid(NOBODY);
}

/* In the first line that has one of these texts. */
static uint64_t interrupts(const char *const *names, unsigned int cpu)
{
	static char text[65536];
	char *at = NULL;

	if (read_file("/proc/interrupts", text, sizeof(text)) >= 0)
		while (*names && !(at = strstr(text, *names)))
			names++;
	if (!at) {
		fputs("# /proc/interrupts has no such line\n", stderr);
		abort();
	}
	while (at > text && at[-1] != '\n')
		at--;
	at = strchr(at, ':') + 1;
	for (unsigned int i = 0; i < cpu; i++)
		strtoull(at, &at, 10);
	return strtoull(at, NULL, 10);
}

/* What their line is known by: x86, arm64, riscv64. */
uint64_t timer_interrupts(unsigned int cpu)
{
	return interrupts((const char *const[]){ "LOC:", "arch_timer\n", "riscv-timer\n", NULL },
			  cpu);
}

uint64_t function_calls(unsigned int cpu)
{
	return interrupts((const char *const[]){ "Function call interrupts", NULL }, cpu);
}

bool kernel_is_realtime(void)
{
	struct utsname name;

	return uname(&name) == 0 && strstr(name.version, "PREEMPT_RT");
}

bool cpu_marks_accessed_pages(void)
{
	return !getenv("NO_ACCESS_FLAGS");
}

bool kernel_has_ftrace(void)
{
	return access(FTRACE, F_OK) == 0;
}

int set_ftrace(const char *on)
{
	return write_file(FTRACE, on);
}

bool make_swap(const char *path, uint32_t pages)
{
	union {
		char page[4096];
		struct {
			char boot[1024];
			uint32_t version;
			uint32_t last_page;
		} info;
	} header = { .info = { .version = 1, .last_page = pages - 1 } };
	int fd = open(path, O_RDWR | O_CLOEXEC);
	ssize_t n;

	if (fd < 0)
		return false;
	memcpy(header.page + sizeof(header.page) - 10, "SWAPSPACE2", 10);
	n = write(fd, &header, sizeof(header));
	fsync(fd);
	close(fd);
	return n == sizeof(header);
}
