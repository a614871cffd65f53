// SPDX-License-Identifier: LGPL-2.1-or-later
#include "object/debuginfod.h"
#include "common/message.h"
#include "common/progress.h"

#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#define URLS		"DEBUGINFOD_URLS"
#define TIMEOUT		"DEBUGINFOD_TIMEOUT"	/* s without an answer */
#define TIMEOUT_USUAL	"5"
#define MAXTIME		"DEBUGINFOD_MAXTIME"	/* s for a file */
#define MAXTIME_USUAL	"60"

static time_t begun;

static time_t now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return time.tv_sec;
}

void debuginfod_begin(void)
{
	if (!getenv(URLS))
		return;
	progress_hide();
	setenv(TIMEOUT, TIMEOUT_USUAL, 0);
	setenv(MAXTIME, MAXTIME_USUAL, 0);
	if (isatty(STDERR_FILENO))
		setenv("DEBUGINFOD_PROGRESS", "1", 0);
	begun = now();
}

void debuginfod_end(bool found)
{
	long limit;

	if (!getenv(URLS))
		return;
	progress_resume();
	/* A large file takes long. */
	if (found)
		return;
	limit = atol(getenv(TIMEOUT));
	if (limit <= 0 || now() - begun < limit)
		return;
	warn(URLS ": no answer within %ld s: no more objects are looked up there", limit);
	unsetenv(URLS);
}
