// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * A timer writes the line, as a step may be one long call of a library. Its handler
 * calls only write().
 */
#include "common/progress.h"

#include <signal.h>
#include <stdbool.h>
#include <string.h>
#include <unistd.h>

#define ERASE	"\r\033[K"
#define NONE	-1

static const char *volatile step;	/* NULL: none */
static volatile sig_atomic_t percent;	/* NONE: unknown */
static volatile sig_atomic_t shown;

static void write_all(const char *text, size_t size)
{
	if (write(STDERR_FILENO, text, size) < 0)
		shown = false;
}

static void show(int signal)
{
	char line[128] = ERASE "profil: ";
	size_t n = strlen(line), room = sizeof(line) - n - sizeof(": 100%");
	const char *what = step;
	int now = percent;

	(void)signal;
	/* It may come between alarm(0) and the end of a step, and once more after that. */
	if (!what)
		return;
	shown = true;
	n += strlen(strncpy(&line[n], what, room));
	if (now != NONE) {
		line[n++] = ':';
		line[n++] = ' ';
		if (now >= 10)
			line[n++] = (char)('0' + now / 10);
		line[n++] = (char)('0' + now % 10);
		line[n++] = '%';
	}
	write_all(line, n);
	alarm(1);
}

void progress_hide(void)
{
	if (!step)
		return;
	alarm(0);
	if (shown)
		write_all(ERASE, strlen(ERASE));
	shown = false;
}

void progress_resume(void)
{
	if (step)
		alarm(1);
}

void progress_end(void)
{
	progress_hide();
	step = NULL;
}

void progress_begin(const char *what)
{
	struct sigaction action = { .sa_handler = show, .sa_flags = SA_RESTART };

	progress_end();
	if (!isatty(STDERR_FILENO))
		return;
	percent = NONE;
	step = what;
	sigaction(SIGALRM, &action, NULL);
	alarm(1);
}

void progress_count(size_t done, size_t all)
{
	/* Below 100. */
	percent = (sig_atomic_t)(done * 100 / (all + 1));
}
