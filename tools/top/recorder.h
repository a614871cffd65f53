/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The profil that makes the profile, a child of this process. All that it and its command
 * write to the terminal goes into a file without a name, until the terminal is free.
 */
#ifndef RECORDER_H
#define RECORDER_H

#include <stdbool.h>
#include <sys/types.h>

struct recorder {
	pid_t	pid;
	int	pidfd;		/* can be read when it has ended */
	int	output;
	off_t	shown;		/* bytes of the output */
	int	errors;		/* this process's standard error, while it goes there, too */
};

/* Runs @arguments, and sends messages of this process into the file. */
void recorder_start(struct recorder *recorder, char **arguments);

/* Waits for its end, but no longer than @ms. Returns whether it has ended. */
bool recorder_wait(const struct recorder *recorder, int ms);

/* The first or the last line of the output, cleaned. The caller frees it. */
char *recorder_line(const struct recorder *recorder, bool first);

/* Messages go to the terminal again. */
void recorder_release(struct recorder *recorder);

/* Prints what is new in the output. */
void recorder_show(struct recorder *recorder);

/* After its end: ends this process in the same way. */
void recorder_exit(const struct recorder *recorder) __attribute__((noreturn));

#endif
