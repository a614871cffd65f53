// SPDX-License-Identifier: LGPL-2.1-or-later
#include "run/outcome.h"
#include "common/memory.h"
#include "common/message.h"
#include "common/path.h"
#include "run/command.h"
#include "run/kept_map.h"
#include "run/own_files.h"
#include "run/profile_directory.h"
#include "run/program.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define NOBODY		65534
/* The user of this process. */
#define OWN		UINT32_MAX

/* CPU time that can be without samples: of a start, and by chance at 100 per second. */
#define LITTLE_NS	100000000

static double seconds(uint64_t ns)
{
	return (double)ns / 1e9;
}

/* It runs the command without our library, also as root. */
static bool is_sudo(const char *command)
{
	return command && !strcmp(path_name(command), "sudo");
}

#define SUDO_FIRST	"put sudo first: sudo profil COMMAND"

static void explain(const struct options *options, const char *command)
{
	const char *privileges = command ? program_privileges(command) : NULL;

	if (options->signal && !privileges)
		warn("no profile was made: one begins when profil is sent SIGUSR%d",
		     options->signal == SIGUSR1 ? 1 : 2);
	else if (options->delay > 0 && !privileges)
		warn("no profile was made: the command ended before --delay was over, or see CAVEATS in profil(1)");
	else if (privileges)
		warn("%s %s: it ran without a profile: %s", command, privileges,
		     is_sudo(command) ? SUDO_FIRST : "use a copy, or run profil as root");
	else
		warn("%s: no process made a profile: see CAVEATS in profil(1)", options->directory);
}

static void explain_empty(const struct options *options,
			  const struct profile_directory_files *found,
			  uint64_t cpu_ns)
{
	if (found->faulted)
		warn("%s: no samples: the files could not be written (disk full, or not local)",
		     options->directory);
	else if (found->live)
		warn("no samples yet, but a process still runs: use profil report %s later",
		     options->directory);
	else
		warn("no samples in %.3f s of CPU time%s", seconds(cpu_ns),
		     cpu_ns < LITTLE_NS && !found->unprofiled ? ": let it run for longer" : "");
}

/*
 * Some programs run without the library and so leave no file: static or set-user-ID
 * ones, or those in another root directory. Their CPU time shows that they ran. The
 * limit leaves room for the variation of sampling, and for the start of programs,
 * which has no samples.
 */
static void explain_missing(const struct profile_directory_files *found,
			    const char *command, uint64_t cpu_ns)
{
	if (found->ns < cpu_ns && cpu_ns - found->ns > cpu_ns / 4 + LITTLE_NS)
		warn("%.3f s of %.3f s of CPU time are in no profile: %s",
		     seconds(cpu_ns - found->ns), seconds(cpu_ns),
		     is_sudo(command) ? SUDO_FIRST : "see CAVEATS in profil(1)");
}

/* With whose rights to read sources. With --follow, processes may be of several users. */
static uid_t reader(const struct options *options, const struct attached *attached)
{
	uid_t own = geteuid();

	if (options->follow && own == 0)
		return NOBODY;
	return attached->owner == OWN ? own : attached->owner;
}

/* Prints the table if not quiet, and keeps names with the profile. */
static void run_report(const struct options *options, const struct attached *attached)
{
	const char *root = attached->root;
	char *arguments[] = {
		own_files_report(), options->no_names ? format_text("report") :
		format_text("keep=%u", reader(options, attached)),
		(char[]){ "-n" }, (char *)(uintptr_t)options->limit,
		format_text("--root=%s", root ? root : ""),
		(char[]){ "--" }, (char *)(uintptr_t)options->directory, NULL
	};

	if (options->quiet && options->no_names)
		return;
	unsetenv("LD_PRELOAD");
	/* A command should not take longer because of a server. */
	unsetenv("DEBUGINFOD_URLS");
	command_help(arguments, options->quiet);
	if (!options->quiet)
		fprintf(stderr, "Files in %s; \"profil report\" shows more.\n",
			options->directory);
}

static void print(const struct options *options,
		  const struct profile_directory_files *found, const char *command,
		  const struct attached *attached)
{
	if (found->restored)
		warn("no new profile: %s has the previous one again", options->directory);
	if (found->samples || found->stacks)
		run_report(options, attached);
	if (options->quiet || !found->files)
		return;
	if (!found->samples && !found->stacks)
		explain_empty(options, found, attached->cpu_ns);
	/* Then the other processes, or the rest of the time, are to have no samples. */
	if (!options->alone && (options->pid || !(options->seconds + options->delay > 0)) &&
	    !options->signal)
		explain_missing(found, command, attached->cpu_ns);
}

void outcome_print(const struct options *options, const char *command,
		   uint64_t cpu_ns)
{
	const struct attached own = { .owner = OWN, .cpu_ns = cpu_ns };
	struct profile_directory_files found =
		profile_directory_finish(options->directory);

	if (!found.files)
		explain(options, command);
	print(options, &found, command, &own);
}

void outcome_print_attached(const struct options *options,
			    const struct attached *attached)
{
	struct profile_directory_files found;

	if (attached->tmp)
		kept_map_take_from(options->directory, attached, options->pid);
	found = profile_directory_finish(options->directory);
	if (!found.files && options->signal)
		explain(options, NULL);
	print(options, &found, NULL, attached);
}
