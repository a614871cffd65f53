/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Errors in the command line. */
#ifndef USAGE_H
#define USAGE_H

#include <sys/types.h>

struct usage {
	const char	*command;	/* for a hint at its --help */
	int		status;		/* exit status */
};

/* Ends the process, after a hint at --help. */
void usage_fail(const struct usage *usage) __attribute__((noreturn));

/* @text as a number up to 1000000000. An error message calls it a @what. */
unsigned int usage_number(const struct usage *usage, const char *text,
			  const char *what);

/* @text as the number of a process, at least 1. */
pid_t usage_process(const struct usage *usage, const char *text);

#endif
