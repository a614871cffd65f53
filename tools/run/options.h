/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The options of profil COMMAND and profil -p PID. */
#ifndef OPTIONS_H
#define OPTIONS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct options {
	const char	*directory;
	const char	*rate;
	const char	*samples;
	const char	*limit;
	bool		alone;
	bool		no_stacks;
	bool		no_names;
	bool		waits;
	bool		quiet;
	pid_t		pid;		/* the process to attach to; 0: run a command */
	bool		follow;		/* attach to processes that it starts, too */
	double		seconds;	/* how long to profile; 0: no limit */
	double		delay;		/* how long to wait before */
	int		signal;		/* to profil, begins the profile and ends it; 0: none */
	bool		rotates;	/* begins new directories below @directory: */
	double		rotate_seconds;	/* when one is so old; 0: at no age */
	uint64_t	rotate_bytes;	/* or so large; 0: at no size */
	unsigned int	keep;		/* the newest ones; 0: all */
};

/* Whether it is the name of a report, which profil-report prints. */
bool options_is_report(const char *word);

/*
 * Parses the options before the command, which begins at argv[optind]; there is none
 * with a pid. @options has the defaults. An error ends the process.
 */
void options_parse(struct options *options, int argc, char **argv);

#endif
