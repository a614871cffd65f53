// SPDX-License-Identifier: LGPL-2.1-or-later
#include "environment.h"
#include "system.h"

#include <errno.h>
#include <linux/profil.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define DIRECTORY	"profil.out"

static bool quiet;	/* this process prints no more messages */

/* Not strtol(): nothing else here uses that part of libc, which takes 10,000 instructions. */
static uint64_t number(const char *digits)
{
	uint64_t n = 0;

	while (*digits >= '0' && *digits <= '9')
		n = n * 10 + (uint64_t)(*digits++ - '0');
	return n;
}

/* Not getenv(), nor setenv(): a program may have functions of these names, as bash has. */
static const char *variable(const char *name)
{
	char *const *at;
	size_t i;

	for (at = __environ; at && *at; at++) {
		for (i = 0; name[i] && (*at)[i] == name[i]; i++)
			;
		if (!name[i] && (*at)[i] == '=')
			return *at + i + 1;
	}
	return NULL;
}

/* fast by default, as in profil(1); the sampler takes a lower rate if it must. */
uint32_t environment_rate(void)
{
	const char *rate = variable("PROFIL_RATE");

	if (rate && !strcmp(rate, "clock"))
		return PROFIL_RATE_CLOCK;
	if (rate && !strcmp(rate, "tick"))
		return PROFIL_RATE_TICK;
	return PROFIL_RATE_FAST;
}

/* Absolute, because the program may change its directory before it forks. */
int environment_directory(char *directory, size_t size)
{
	const char *wanted = variable("PROFIL_DIRECTORY");
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
	const char *samples = variable("PROFIL_SAMPLES");

	return samples ? number(samples) : 0;
}

bool environment_wants_stacks(void)
{
	const char *wanted = variable("PROFIL_STACKS");
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
	const char *wanted = variable("PROFIL_WAITS");

	return wanted && !strcmp(wanted, "1");
}

bool environment_wants_this(void)
{
	const char *only = variable("PROFIL_CHILDREN");

	return !only || (pid_t)number(only) == system_getpid();
}

bool environment_wants_children(void)
{
	return !variable("PROFIL_CHILDREN");
}

pid_t environment_run(void)
{
	const char *process = variable("PROFIL_PROCESS");

	return process ? (pid_t)number(process) : 0;
}

bool environment_is_unattended(void)
{
	pid_t pid = environment_run();

	return pid <= 0 || !system_has_process(pid);
}

bool environment_is_quiet(void)
{
	return quiet || variable("PROFIL_QUIET");
}

/* The programs that this process executes print none either. */
void environment_be_quiet(void)
{
	static char variable_quiet[] = "PROFIL_QUIET=1";
	char **more;
	size_t n = 0;

	quiet = true;
	while (__environ && __environ[n])
		n++;
	more = malloc((n + 2) * sizeof(*more));
	if (!more)
		return;
	if (n)
		memcpy(more, __environ, n * sizeof(*more));
	more[n] = variable_quiet;
	more[n + 1] = NULL;
	__environ = more;
}
