// SPDX-License-Identifier: LGPL-2.1-or-later
#include "run/outcome.h"
#include "common/message.h"
#include "run/command.h"
#include "run/own_files.h"
#include "run/profile_directory.h"
#include "run/program.h"

#include <stdio.h>
#include <stdlib.h>

static double seconds(uint64_t ns)
{
	return (double)ns / 1e9;
}

static void explain(const struct options *options, const char *command)
{
	if (program_changes_user(command))
		warn("%s changes its user or group: it ran without a profile",
		     command);
	else
		warn("%s: no process made a profile", options->directory);
}

static void explain_empty(const struct options *options,
			  const struct profile_directory_files *found,
			  uint64_t cpu_ns)
{
	if (found->faulted)
		warn("%s: no samples: it could not be written to: disk full, or not a local one?",
		     options->directory);
	else
		warn("no samples in %.3f s of CPU time", seconds(cpu_ns));
}

/*
 * Programs that the library does not get into have no file that could say so:
 * in another root directory, of another user, static ones. But their time was
 * counted. What samples stand for varies, and starting a program takes some
 * time before there are any.
 */
static void explain_missing(const struct profile_directory_files *found,
			    uint64_t cpu_ns)
{
	const uint64_t least = 100000000;

	if (found->ns < cpu_ns && cpu_ns - found->ns > cpu_ns / 4 + least)
		warn("of %.3f s of CPU time, %.3f s are in no profile: see CAVEATS in profil(1)",
		     seconds(cpu_ns), seconds(cpu_ns - found->ns));
}

static void print_table(const struct options *options)
{
	char *arguments[] = {
		own_files_report(), (char[]){ "report" }, (char[]){ "-n" },
		(char *)(uintptr_t)options->limit,
		(char *)(uintptr_t)options->directory, NULL
	};

	unsetenv("LD_PRELOAD");
	command_help(arguments);
	fprintf(stderr, "Files in %s; \"profil report\" shows more.\n",
		options->directory);
}

void outcome_print(const struct options *options, const char *command,
		   uint64_t cpu_ns)
{
	struct profile_directory_files found =
		profile_directory_finish(options->directory);

	if (!found.files)
		explain(options, command);
	if (options->quiet || !found.files)
		return;
	if (found.samples)
		print_table(options);
	else
		explain_empty(options, &found, cpu_ns);
	/* Its other processes are not asked for. */
	if (!options->alone)
		explain_missing(&found, cpu_ns);
}
