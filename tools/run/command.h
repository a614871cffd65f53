/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Runs the profiled command as a child process. */
#ifndef COMMAND_H
#define COMMAND_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct command {
	pid_t		pid;
	sigset_t	blocked;	/* signals that profil takes one by one */
	int		gate;		/* see command_start() */
	int		signal;		/* one that is passed on to another process; or 0 */
	pid_t		switching;	/* that process */
};

struct command_end {
	int		status;		/* of waitpid(2) */
	uint64_t	cpu_ns;		/* CPU time, with that of children it waited for */
};

/*
 * Starts the command. With @alone, the environment tells the library to profile only this
 * process. With @gated, it waits to execute its program until a byte is written to the
 * socket command.gate, or all who have that have closed it. One byte can be read there
 * when other processes of profil may trace it.
 */
struct command command_start(char **arguments, bool alone, bool gated);

/* Closes this process's end of the gate. */
void command_open(struct command *command);

/* Waits for its end, and passes signals on to it. */
struct command_end command_wait(const struct command *command);

/* Runs a program of profil's own, with its output on stderr; if @quiet, nowhere. */
void command_help(char **arguments, bool quiet);

/* Ends this process in the same way as the command: @status is of waitpid(2). */
void command_exit(int status) __attribute__((noreturn));

#endif
