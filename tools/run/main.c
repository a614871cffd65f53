// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * profil: runs a command with libprofil-preload.so, or attaches to a process, then runs
 * profil-report to print where the time went. This program is small, because its own time adds to
 * that of each command.
 */
#include "common/message.h"
#include "run/command.h"
#include "run/options.h"
#include "run/outcome.h"
#include "run/own_files.h"
#include "run/preparation.h"

#include <errno.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static void __attribute__((noreturn)) run_report(char **arguments)
{
	char *program = own_files_report();

	/* "profil top" runs profil. */
	arguments[0] = own_files_profil();
	execv(program, arguments);
	die("cannot run %s: %s", program, strerror(errno));
}

static void wait_for(double seconds)
{
	struct timespec left = { .tv_sec = (time_t)seconds };

	left.tv_nsec = (long)((seconds - (double)left.tv_sec) * 1e9);
	while (nanosleep(&left, &left) < 0 && errno == EINTR)
		;
}

/* The process is checked before the delay: a wrong number is told at once. */
static void __attribute__((noreturn)) profile_process(const struct options *options)
{
	struct attached attached;
	struct attach attach;

	attach_check(options->pid);
	attach = preparation_attach(options);
	wait_for(options->delay);
	attached = attach_run(&attach);
	outcome_print_attached(options, &attached);
	exit(0);
}

int main(int argc, char **argv)
{
	struct options options = {
		.directory = "profil.out", .rate = "fast", .limit = "25",
		.waits = WAITS_BY_DEFAULT,
	};
	struct command_end end;
	bool profiled;

	if (argc > 1 && options_is_report(argv[1]))
		run_report(argv);
	options_parse(&options, argc, argv);
	if (options.pid)
		profile_process(&options);
	profiled = preparation_make(&options, argv[optind]);
	end = command_run(argv + optind, profiled && options.alone);
	if (profiled)
		outcome_print(&options, argv[optind], end.cpu_ns);
	command_exit(end.status);
}
