// SPDX-License-Identifier: LGPL-2.1-or-later
#include "environment.h"
#include "system.h"

#include <errno.h>
#include <linux/profil.h>
#include <stdlib.h>
#include <string.h>

#define DIRECTORY	"profil.out"

/* Not strtol(): nothing else here uses that part of libc, which takes 10,000 instructions. */
static uint64_t number(const char *digits)
{
	uint64_t n = 0;

	while (*digits >= '0' && *digits <= '9')
		n = n * 10 + (uint64_t)(*digits++ - '0');
	return n;
}

/* fast by default, as in profil(1); the sampler takes a lower rate if it must. */
uint32_t environment_rate(void)
{
	const char *rate = getenv("PROFIL_RATE");

	if (rate && !strcmp(rate, "clock"))
		return PROFIL_RATE_CLOCK;
	if (rate && !strcmp(rate, "tick"))
		return PROFIL_RATE_TICK;
	return PROFIL_RATE_FAST;
}

/* Absolute, because the program may change its directory before it forks. */
int environment_directory(char *directory, size_t size)
{
	const char *wanted = getenv("PROFIL_DIRECTORY");
	size_t length = 0, bytes;

	if (!wanted || !wanted[0])
		wanted = DIRECTORY;
	if (wanted[0] != '/') {
		if (!getcwd(directory, size))
			return errno;
		length = strlen(directory);
		directory[length++] = '/';
	}
	bytes = strlen(wanted) + 1;
	if (length + bytes > size)
		return ENAMETOOLONG;
	memcpy(directory + length, wanted, bytes);
	return 0;
}

uint64_t environment_capacity(void)
{
	const char *samples = getenv("PROFIL_SAMPLES");

	return samples ? number(samples) : 0;
}

bool environment_wants_stacks(void)
{
	const char *wanted = getenv("PROFIL_STACKS");
	/* Of 32-bit code, kernels walk only that of x86. */
#if defined(__LP64__) || defined(__x86_64__) || defined(__i386__)
	const bool walks = true;
#else
	const bool walks = false;
#endif

	return walks && (!wanted || strcmp(wanted, "0"));
}

bool environment_wants_waits(void)
{
	const char *wanted = getenv("PROFIL_WAITS");

	return wanted && !strcmp(wanted, "1");
}

bool environment_wants_this(void)
{
	const char *only = getenv("PROFIL_CHILDREN");

	return !only || (pid_t)number(only) == system_getpid();
}

bool environment_wants_children(void)
{
	return !getenv("PROFIL_CHILDREN");
}

pid_t environment_run(void)
{
	const char *process = getenv("PROFIL_PROCESS");

	return process ? (pid_t)number(process) : 0;
}

bool environment_is_unattended(void)
{
	pid_t pid = environment_run();

	return pid <= 0 || !system_has_process(pid);
}

bool environment_is_quiet(void)
{
	return getenv("PROFIL_QUIET");
}

void environment_be_quiet(void)
{
	setenv("PROFIL_QUIET", "1", 1);
}
