/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What programs that run processes by a seed are told on their command lines. */
#ifndef STRESS_OPTIONS_H
#define STRESS_OPTIONS_H

#include <stdint.h>

#define OPTIONS_ALL	UINT64_MAX

struct options {
	const char *usage;
	const char *letters;	/* what getopt() is to know besides -p, -s and -a */
	unsigned int most;	/* processes */
	unsigned int processes;	/* -p: at a time */
	uint64_t seed;		/* -s; else any */
	uint64_t only;		/* -a: that process alone; else OPTIONS_ALL */
};

/*
 * The next option of the program's own, with its argument in optarg, or -1: there
 * are no more. Ends the program where they are wrong; and at once where it is
 * what processes of a run exec. The last two members need not be set.
 */
int options_next(struct options *options, int argc, char **argv);

#endif /* STRESS_OPTIONS_H */
