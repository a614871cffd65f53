/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What is wrong with a command line ends the process. */
#ifndef USAGE_H
#define USAGE_H

struct usage {
	const char	*command;	/* that has the --help */
	int		status;		/* that the process ends with */
};

/* Ends the process, and says where there is help. */
void usage_fail(const struct usage *usage) __attribute__((noreturn));

/* @text, a @what, as a number up to 1000000000. */
unsigned int usage_number(const struct usage *usage, const char *text,
			  const char *what);

#endif
