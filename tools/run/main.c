// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * profil: runs a command with libprofil-preload.so, or attaches to a process, then runs
 * profil-report to print where the time went. This program is small, because its own time adds to
 * that of each command.
 */
#include "common/memory.h"
#include "common/message.h"
#include "run/command.h"
#include "run/follow.h"
#include "run/options.h"
#include "run/outcome.h"
#include "run/own_files.h"
#include "run/preparation.h"
#include "run/rotation.h"
#include "run/switch.h"

#include <errno.h>
#include <getopt.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

static void __attribute__((noreturn)) run_report(char **arguments)
{
	char *program = strcmp(arguments[1], "serve") ? own_files_report() :
							own_files_server();

	/* "profil top" and "profil serve" run profil. */
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

static struct switching switching_of(const struct options *options)
{
	return (struct switching){ options->signal, options->follow, options->seconds };
}

static void announce_signal(const struct options *options, pid_t pid)
{
	if (!options->quiet)
		fprintf(stderr, "kill -USR%d %d begins a profile of process %d, or ends it.\n",
			options->signal == SIGUSR1 ? 1 : 2, (int)getpid(), (int)pid);
}

static void switch_here(const struct options *options, const struct attachment *root)
{
	struct switching switching = switching_of(options);
	sigset_t signal;

	sigemptyset(&signal);
	sigaddset(&signal, switching.signal);
	sigprocmask(SIG_BLOCK, &signal, NULL);
	announce_signal(options, root->attach.pid);
	switch_run(root, &switching);
}

/*
 * Other processes of profil attach. Each keeps the map of its process itself.
 */
static struct attached run_others(const struct options *options,
				  const struct attach *attach)
{
	struct attachment root = { .attach = *attach, .gate = -1 };
	struct attached attached = attach_leave();

	root.attach.quiet = true;
	root.attach.followed = true;
	if (options->follow)
		root.attach.seconds = 0;
	root.cpu_ns = mmap(NULL, sizeof(*root.cpu_ns), PROT_READ | PROT_WRITE,
			   MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (root.cpu_ns == MAP_FAILED)
		out_of_memory();
	wait_for(options->delay);
	if (options->signal)
		switch_here(options, &root);
	else if (!follow_run(&root, options->seconds, false))
		exit(EXIT_BROKEN);
	attached.cpu_ns = *root.cpu_ns;
	return attached;
}

static void __attribute__((noreturn)) rotate(const struct options *options,
					     const struct attach *attach)
{
	struct attachment attachment = { .attach = *attach, .gate = -1 };

	attachment.attach.seconds = 0;
	attachment.attach.quiet = true;
	attachment.attach.followed = true;
	wait_for(options->delay);
	exit(rotation_run(options, &attachment) ? 0 : EXIT_BROKEN);
}

/* The process is checked before the delay: a wrong number is told at once. */
static void __attribute__((noreturn)) profile_process(const struct options *options)
{
	struct attached attached;
	struct attach attach;

	/* If it is ignored, children leave no status. */
	signal(SIGCHLD, SIG_DFL);
	attach_check(options->pid);
	attach = preparation_attach(options);
	if (options->rotates)
		rotate(options, &attach);
	if (options->follow || options->signal) {
		attached = run_others(options, &attach);
	} else {
		wait_for(options->delay);
		attached = attach_run(&attach);
	}
	outcome_print_attached(options, &attached);
	exit(0);
}

/* At the exec of its program, or later. Returns the process that does this. */
static pid_t attach_to(const struct options *options, struct command *command,
		       const struct attach *attach, bool preloaded)
{
	struct attachment attachment = { .attach = *attach, .delay = options->delay };
	struct switching switching = switching_of(options);

	/* It does not wait until then: no process may keep its gate. */
	if (options->delay > 0 || options->signal)
		command_open(command);
	attachment.gate = command->gate;
	attachment.attach.pid = command->pid;
	attachment.attach.quiet = true;
	attachment.attach.followed = true;
	if (options->follow)
		attachment.attach.seconds = 0;
	if (options->signal) {
		announce_signal(options, command->pid);
		command->switching = switch_start(&attachment, &switching);
		return command->switching;
	}
	if (!options->follow)
		return attachment_start(&attachment);
	return follow_start(&attachment, options->seconds, preloaded);
}

static void __attribute__((noreturn)) profile_command(const struct options *options,
						      char **arguments)
{
	enum preparation prepared = preparation_make(options, arguments[0]);
	bool gated = prepared == PREPARATION_ATTACHED;
	bool attached = gated || (prepared && options->follow);
	struct attach attach = { .pid = 0 };
	struct command command;
	struct command_end end;
	pid_t other = 0;

	if (attached)
		attach = preparation_open(options);
	command = command_start(arguments, prepared && options->alone, gated);
	command.signal = options->signal;
	if (attached)
		other = attach_to(options, &command, &attach, !gated);
	command_open(&command);
	end = command_wait(&command);
	attachment_end(other);
	if (prepared)
		outcome_print(options, arguments[0], end.cpu_ns);
	command_exit(end.status);
}

int main(int argc, char **argv)
{
	struct options options = {
		.directory = "profil.out", .rate = "fast", .limit = "25",
	};

	if (argc > 1 && options_is_report(argv[1]))
		run_report(argv);
	options_parse(&options, argc, argv);
	if (options.pid)
		profile_process(&options);
	profile_command(&options, argv + optind);
}
