/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The command that is profiled, as a child process. */
#ifndef COMMAND_H
#define COMMAND_H

#include <stdbool.h>
#include <stdint.h>

struct command_end {
	int		status;		/* as waitpid(2) has it */
	uint64_t	cpu_ns;		/* CPU time, with that of what it has waited for */
};

/*
 * Runs it to its end; signals that are sent to us go to it. With @alone the
 * environment names it as the only process to be profiled.
 */
struct command_end command_run(char **arguments, bool alone);

/*
 * Runs a program of our own with its standard output on our stderr; signals go
 * to it.
 */
void command_help(char **arguments);

/* Ends this process as @status says that the command ended. */
void command_exit(int status) __attribute__((noreturn));

#endif
