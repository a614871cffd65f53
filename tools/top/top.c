// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Runs profil for the command or process, reads the files that it makes, and shows what
 * they have. When it has ended, prints what it and the command have written, and the
 * table.
 */
#include "top/top.h"
#include "common/limits.h"
#include "common/memory.h"
#include "common/message.h"
#include "common/output.h"
#include "common/path.h"
#include "common/usage.h"
#include "object/sysroot.h"
#include "top/live_profile.h"
#include "top/recorder.h"
#include "top/screen.h"
#include "top/view.h"

#include <curses.h>
#include <getopt.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define INTERVAL_USUAL	1.0
#define INTERVAL_LEAST	0.1
#define INTERVAL_MOST	3600.0
/* A command that cannot be run has no screen. */
#define FIRST_MS	300
#define LOOK_MS		100

struct options {
	const char	*directory;
	const char	*pid;		/* NULL: a command */
	char		**command;
	double		interval;	/* in seconds */
};

static struct recorder recorder;

static const struct option long_options[] = {
	{ "pid",	required_argument, NULL, 'p' },
	{ "delay",	required_argument, NULL, 'd' },
	{ "output",	required_argument, NULL, 'o' },
	{ "help",	no_argument,	   NULL, 'h' },
	{ NULL, 0, NULL, 0 }
};

static const char usage_text[] =
"usage: profil top [OPTION...] COMMAND [ARGUMENT...]\n"
"       profil top [OPTION...] -p PID\n"
"\n"
"Profile COMMAND, or a process that runs already, and show meanwhile which functions\n"
"use the CPU time. The key h describes the keys. The profile stays in DIR, as after\n"
"profil COMMAND.\n"
"\n"
"  -p, --pid=PID      attach to process PID\n"
"  -d, --delay=S      refresh the screen every S seconds (default: 1)\n"
"  -o, --output=DIR   write the files into DIR (default: profil.out)\n"
"  -h, --help         print this help\n";

static const struct usage usage = { "profil top", EXIT_BROKEN };

static double interval(const char *text)
{
	char *end;
	double value = strtod(text, &end);

	if (text[0] < '0' || text[0] > '9' || *end || value < INTERVAL_LEAST ||
	    value > INTERVAL_MOST) {
		warn("invalid time '%s': use seconds from 0.1 to 3600", text);
		usage_fail(&usage);
	}
	return value;
}

static void take_option(struct options *options, int option)
{
	switch (option) {
	case 'p':
		usage_process(&usage, optarg);
		options->pid = optarg;
		break;
	case 'd':
		options->interval = interval(optarg);
		break;
	case 'o':
		options->directory = optarg;
		break;
	case 'h':
		fputs(usage_text, stdout);
		exit(output_close(stdout) ? 0 : EXIT_BROKEN);
	default:
		usage_fail(&usage);
	}
}

static void parse(struct options *options, int argc, char **argv)
{
	static char name[] = "profil top";
	int option;

	argv[0] = name;
	while ((option = getopt_long(argc, argv, "+p:d:o:h", long_options, NULL)) != -1)
		take_option(options, option);
	options->command = &argv[optind];
	if (options->pid && options->command[0])
		warn("both -p and a command given: '%s'", options->command[0]);
	else if (!options->pid && !options->command[0])
		warn("no command given: use profil top COMMAND, or profil top -p PID");
	else
		return;
	usage_fail(&usage);
}

/* --- the beginning ---------------------------------------------------------------- */

static void start(const struct options *options, const char *profil)
{
	const char *fixed[] = { profil, "-q", "-o", options->directory,
				options->pid ? "-p" : "--", options->pid };
	size_t n = 0, i;
	char **arguments;

	while (options->command[n])
		n++;
	arguments = allocate((length_of(fixed) + n + 1) * sizeof(*arguments));
	memcpy(arguments, fixed, sizeof(fixed));
	for (i = 0; i < n; i++)
		arguments[length_of(fixed) - 1 + i] = options->command[i];
	recorder_start(&recorder, arguments);
	free(arguments);
}

/* A process in a container has its programs there. */
static void find_root(const char *pid)
{
	char *theirs = format_text("/proc/%s/ns/mnt", pid);
	char one[64] = "", other[64] = "";

	if (readlink(theirs, one, sizeof(one) - 1) > 0 &&
	    readlink("/proc/self/ns/mnt", other, sizeof(other) - 1) > 0 &&
	    strcmp(one, other))
		sysroot_set(format_text("/proc/%s/root", pid));
	free(theirs);
}

static char *process_title(const char *pid)
{
	char *path = format_text("/proc/%s/comm", pid), name[64] = "?";
	FILE *file = fopen(path, "re");

	if (file && fgets(name, sizeof(name), file))
		name[strcspn(name, "\n")] = '\0';
	if (file)
		fclose(file);
	free(path);
	return format_text("%s (%s)", name, pid);
}

/* --- the screen ------------------------------------------------------------------- */

static uint64_t now_ns(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_nsec;
}

struct clock {
	uint64_t	interval, read;		/* ns; when files were read */
};

static void read_profile(struct live_profile *live, struct view *view, struct clock *clock)
{
	uint64_t now;

	/* The first time takes long, with all functions to be found: samples go on. */
	live_profile_read(live);
	now = now_ns();
	view->interval_ns = now - clock->read;
	clock->read = now;
	if (view->zeroes) {
		counts_zero(view->counts);
		view->begun_ns = now;
		view->zeroes = false;
	}
	view_update(view);
}

/* Returns false for the end: a key, that of the profile, or that of the terminal. */
static bool wait_for_keys(struct view *view, int ms)
{
	struct pollfd events[] = {
		{ .fd = STDIN_FILENO, .events = POLLIN },
		{ .fd = recorder.pidfd, .events = POLLIN },
	};
	int key;

	poll(events, length_of(events), ms);
	if (events[1].revents || events[0].revents & ~POLLIN)
		return false;
	while ((key = getch()) != ERR)
		if (!view_key(view, key))
			return false;
	return true;
}

static void watch(struct live_profile *live, struct view *view, struct clock *clock)
{
	uint64_t now, next = 0;
	char *said;

	do {
		now = now_ns();
		if (view->zeroes || (now >= next && !view->paused)) {
			read_profile(live, view, clock);
			now = now_ns();
			next = now + clock->interval;
		}
		/* profil's first message may tell why there are no samples. */
		said = recorder_line(&recorder, !live->counts.nfunctions);
		view_draw(view, said, now);
		free(said);
	} while (wait_for_keys(view, view->paused ? -1 :
			       next > now ? (int)((next - now) / 1000000) + 1 : 0));
}

/* --- the end ---------------------------------------------------------------------- */

/* Also if memory runs out. */
static void leave_terminal(void)
{
	screen_end();
	recorder_release(&recorder);
	recorder_show(&recorder);
}

/* The command goes on, with its output on the terminal. */
static void wait_for_end(const struct options *options)
{
	if (recorder_wait(&recorder, 0))
		return;
	if (options->pid)
		kill(recorder.pid, SIGINT);
	else
		warn("%s still runs: ^C ends it", options->command[0]);
	while (!recorder_wait(&recorder, LOOK_MS))
		recorder_show(&recorder);
}

static void print_table(const struct options *options)
{
	pid_t pid = fork();

	if (pid == 0) {
		execl("/proc/self/exe", "profil-report", "report", "-n", "25", "--",
		      options->directory, NULL);
		_exit(EXIT_BROKEN);
	}
	if (pid > 0)
		waitpid(pid, NULL, 0);
}

int top_main(const char *profil, int argc, char **argv)
{
	struct options options = { .directory = "profil.out", .interval = INTERVAL_USUAL };
	struct live_profile live = { .nfiles = 0 };
	struct view view = { .counts = &live.counts };
	struct clock clock;

	parse(&options, argc, argv);
	screen_check();
	start(&options, profil);
	atexit(leave_terminal);
	unsetenv("DEBUGINFOD_URLS");
	limits_raise();
	if (options.pid)
		find_root(options.pid);
	view.title = options.pid ? process_title(options.pid) :
				   path_name(options.command[0]);
	live.directory = options.directory;
	live.run = (uint32_t)recorder.pid;
	clock = (struct clock){ (uint64_t)(options.interval * 1e9), now_ns() };
	view.begun_ns = clock.read;
	if (!recorder_wait(&recorder, FIRST_MS)) {
		screen_begin();
		watch(&live, &view, &clock);
	}
	leave_terminal();
	wait_for_end(&options);
	leave_terminal();
	live_profile_read(&live);
	if (live.counts.nfunctions)
		print_table(&options);
	live_profile_free(&live);
	view_free(&view);
	recorder_exit(&recorder);
}
