/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Runs the profiled command as a child process. */
#ifndef COMMAND_H
#define COMMAND_H

#include <stdbool.h>
#include <stdint.h>

struct command_end {
	int		status;		/* of waitpid(2) */
	uint64_t	cpu_ns;		/* CPU time, with that of children it waited for */
};

/*
 * Runs the command to its end and passes signals on to it. With @alone, the
 * environment tells the library to profile only this process.
 */
struct command_end command_run(char **arguments, bool alone);

/* Runs a program of profil's own, with its output on stderr; if @quiet, nowhere. */
void command_help(char **arguments, bool quiet);

/* Ends this process in the same way as the command: @status is of waitpid(2). */
void command_exit(int status) __attribute__((noreturn));

#endif
