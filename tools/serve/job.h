/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * One profile: a process that runs "profil -p", then "profil report", in a private
 * directory, which it removes. It has nothing of the server but two files without names.
 */
#ifndef JOB_H
#define JOB_H

#include <signal.h>
#include <stdbool.h>
#include <sys/types.h>

/* What all jobs have in common. */
struct job_options {
	const char	*profil;	/* the command */
	const char	*rate;
	bool		follow;
	sigset_t	mask;		/* of signals, for what it runs */
};

struct job {
	pid_t	pid;
	int	pidfd;			/* can be read when it has ended */
	int	output, messages;
};

/* False, and errno, if there is no process or no file left. */
bool job_start(struct job *job, const struct job_options *options, pid_t pid,
	       unsigned int seconds);

/* Ends it early; job_end() has to follow. */
void job_stop(const struct job *job);

/* Waits for the end. True: @output has a profile. The caller closes the files. */
bool job_end(struct job *job);

/* What it says about a failure, for people. The caller frees it. */
char *job_message(const struct job *job);

#endif
