/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What is asked for on the command line. */
#ifndef OPTIONS_H
#define OPTIONS_H

#include <stdbool.h>

struct options {
	const char	*directory;
	const char	*rate;
	const char	*samples;
	const char	*limit;
	bool		alone;
	bool		no_stacks;
	bool		quiet;
};

/*
 * Takes the options before the command, which begins at argv[optind]; those that
 * are not there keep what @options has. What is wrong ends the process.
 */
void options_parse(struct options *options, int argc, char **argv);

#endif
