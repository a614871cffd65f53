// SPDX-License-Identifier: LGPL-2.1-or-later
#include "run/options.h"
#include "attach/attach.h"
#include "common/memory.h"
#include "common/message.h"
#include "common/output.h"
#include "common/usage.h"
#include "run/program.h"

#include <getopt.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Options without a letter. */
enum { NO_STACKS = 256, NO_NAMES, NO_WAITS, DELAY, FOLLOW, SIGNAL, ROTATE, KEEP };

static const struct option long_options[] = {
	{ "output",	 required_argument, NULL, 'o' },
	{ "rate",	 required_argument, NULL, 'r' },
	{ "samples",	 required_argument, NULL, 's' },
	{ "limit",	 required_argument, NULL, 'n' },
	{ "no-children", no_argument,	    NULL, 'C' },
	{ "no-stacks",	 no_argument,	    NULL, NO_STACKS },
	{ "no-names",	 no_argument,	    NULL, NO_NAMES },
	{ "pid",	 required_argument, NULL, 'p' },
	{ "duration",	 required_argument, NULL, 'd' },
	{ "delay",	 required_argument, NULL, DELAY },
	{ "follow",	 no_argument,	    NULL, FOLLOW },
	{ "signal",	 required_argument, NULL, SIGNAL },
	{ "rotate",	 required_argument, NULL, ROTATE },
	{ "keep",	 required_argument, NULL, KEEP },
	{ "waits",	 no_argument,	    NULL, 'w' },
	{ "no-waits",	 no_argument,	    NULL, NO_WAITS },
	{ "quiet",	 no_argument,	    NULL, 'q' },
	{ "help",	 no_argument,	    NULL, 'h' },
	{ "version",	 no_argument,	    NULL, 'V' },
	{ NULL, 0, NULL, 0 }
};

static const char usage_text[] =
"usage: profil [OPTION...] COMMAND [ARGUMENT...]\n"
"       profil [OPTION...] -p PID\n"
"       profil report [OPTION...] [FILE...]\n"
"       profil annotate [OPTION...] [FILE] FUNCTION\n"
"       profil top [OPTION...] {COMMAND [ARGUMENT...] | -p PID}\n"
"       profil serve [OPTION...] [COMMAND [ARGUMENT...] | -p PID]\n"
"\n"
"Run COMMAND, and print on standard error where its CPU time went. The kernel\n"
"samples the running code on its clock ticks. Each process has its own file.\n"
"With -p, profile a process that runs already, until it ends or ^C is typed.\n"
"\n"
"  -p, --pid=PID      attach to process PID\n"
"      --follow       attach to processes that have no profile and were started\n"
"                     by process PID, or by COMMAND\n"
"  -d, --duration=S   end the profile after S seconds\n"
"      --delay=S      begin it after S seconds\n"
"      --signal=NAME  begin it when profil gets the signal (USR1 or USR2), end\n"
"                     it at the next one, and so on\n"
"      --rotate=AGE,SIZE  with -p, begin a new directory in DIR when one is so old\n"
"                     or so large, for example 1h,100M, or 30m\n"
"      --keep=N       keep only the N newest of them\n"
"  -o, --output=DIR   write the files into DIR (default: profil.out); the\n"
"                     profiles in it go to DIR.old if there are new samples\n"
"  -r, --rate=RATE    fast (default): 1000 samples per second of CPU time, at\n"
"                     random distances; tick: one at each tick of the kernel;\n"
"                     clock: 100 per second\n"
"  -C, --no-children  profile COMMAND's own process only\n"
"      --no-stacks    store no call stacks, for smaller files\n"
"      --no-names     keep no names of functions with the profile\n"
"  -w, --waits        record waits, too, for report --wall\n"
"      --no-waits     record no waits (default)\n"
"  -n, --limit=N      print the N hottest functions (default: 25; 0: all)\n"
"  -q, --quiet        print only errors\n"
"  -s, --samples=N    leave room for N samples in each file\n"
"  -h, --help         print this help\n"
"  -V, --version      print the version\n"
"\n"
"\"profil report --help\" describes report and annotate, \"profil top --help\" top,\n"
"\"profil serve --help\" serve.\n";

static const struct usage usage = { "profil", EXIT_BROKEN };

static void __attribute__((noreturn)) say(const char *text)
{
	fputs(text, stdout);
	exit(output_close(stdout) ? 0 : EXIT_BROKEN);
}

static const char *rate(const char *name)
{
	static const char *const names[] = { "fast", "tick", "clock" };
	size_t i;

	for (i = 0; i < length_of(names); i++)
		if (!strcmp(name, names[i]))
			return name;
	warn("invalid rate '%s': use fast (1000 per second), tick (each tick) or clock (100)",
	     name);
	usage_fail(&usage);
}

/* The library gives a file no room for more. */
#define SAMPLES_MOST	((uint64_t)1 << 31)

/* 30 years. */
#define SECONDS_MOST	1e9

static const char *number(const char *text)
{
	char *end;
	unsigned long long value = strtoull(text, &end, 10);

	if (text[0] < '0' || text[0] > '9' || *end || !value || value > SAMPLES_MOST) {
		warn("invalid number of samples '%s': use a whole number from 1 to %llu",
		     text, (unsigned long long)SAMPLES_MOST);
		usage_fail(&usage);
	}
	return text;
}

static double duration(const char *text)
{
	char *end;
	double value = strtod(text, &end);

	if (text[0] < '0' || text[0] > '9' || *end || !(value > 0) ||
	    value > SECONDS_MOST) {
		warn("invalid time '%s': use seconds, for example 1.5", text);
		usage_fail(&usage);
	}
	return value;
}

/* Others mean something to profil, or to the terminal. */
static int signal_number(const char *text)
{
	const char *name = strncmp(text, "SIG", 3) ? text : text + 3;

	if (!strcmp(name, "USR1"))
		return SIGUSR1;
	if (!strcmp(name, "USR2"))
		return SIGUSR2;
	warn("invalid signal '%s': use USR1 or USR2", text);
	usage_fail(&usage);
}

static const char *unit(struct options *options, const char *text, double value)
{
	static const struct {
		char		letter;
		bool		is_time;
		double		value;
	} units[] = {
		{ 's', true, 1 }, { 'm', true, 60 }, { 'h', true, 3600 }, { 'd', true, 86400 },
		{ 'k', false, 1 << 10 }, { 'M', false, 1 << 20 }, { 'G', false, 1 << 30 },
	};
	size_t i;

	for (i = 0; i < length_of(units); i++) {
		if (*text != units[i].letter)
			continue;
		if (units[i].is_time ? options->rotate_seconds > 0 : options->rotate_bytes > 0)
			return NULL;
		if (units[i].is_time)
			options->rotate_seconds = value * units[i].value;
		else
			options->rotate_bytes = (uint64_t)(value * units[i].value);
		return text + 1;
	}
	return NULL;
}

/* An age, a size, or both. */
static void rotation(struct options *options, const char *text)
{
	const char *at = text;
	char *end;
	double value;

	options->rotate_seconds = 0;
	options->rotate_bytes = 0;
	do {
		value = *at >= '0' && *at <= '9' ? strtod(at, &end) : 0;
		at = value >= 1 && value <= 1000000 ? unit(options, end, value) : NULL;
	} while (at && *at == ',' && at++);
	if (!at || *at) {
		warn("invalid age or size '%s': use s, m, h or d, and k, M or G, for example 1h,100M",
		     text);
		usage_fail(&usage);
	}
	options->rotates = true;
}

/* Checked as profil-report does, which runs only after the command. */
static const char *limit(const char *text)
{
	usage_number(&usage, text, "number of functions");
	return text;
}

static void take_option(struct options *options, int option)
{
	switch (option) {
	case 'o':
		options->directory = optarg;
		break;
	case 'r':
		options->rate = rate(optarg);
		break;
	case 's':
		options->samples = number(optarg);
		break;
	case 'n':
		options->limit = limit(optarg);
		break;
	case 'C':
		options->alone = true;
		break;
	case NO_STACKS:
		options->no_stacks = true;
		break;
	case NO_NAMES:
		options->no_names = true;
		break;
	case 'p':
		options->pid = usage_process(&usage, optarg);
		break;
	case 'd':
		options->seconds = duration(optarg);
		break;
	case DELAY:
		options->delay = duration(optarg);
		break;
	case SIGNAL:
		options->signal = signal_number(optarg);
		break;
	case ROTATE:
		rotation(options, optarg);
		break;
	case KEEP:
		options->keep = usage_number(&usage, optarg, "number of directories");
		break;
	case FOLLOW:
		options->follow = true;
		break;
	case 'w':
		options->waits = true;
		break;
	case NO_WAITS:
		options->waits = false;
		break;
	case 'q':
		options->quiet = true;
		break;
	case 'h':
		say(usage_text);
	case 'V':
		say("profil " VERSION "\n");
	default:
		usage_fail(&usage);
	}
}

static bool is_of_process(const char *word)
{
	return !strcmp(word, "top") || !strcmp(word, "serve");
}

bool options_is_report(const char *word)
{
	return !strcmp(word, "report") || !strcmp(word, "annotate") || is_of_process(word);
}

/* profil -o DIR report: meant is a report, if there is no such program. */
static void refuse_report(const struct options *options, const char *word)
{
	if (options_is_report(word) && !program_exists(word))
		die("put %s first: profil %s %s%s", word, word,
		    is_of_process(word) ? "COMMAND" : options->directory,
		    word[0] == 'a' ? " FUNCTION" : "");
}

/* A process has no command. */
static void check_process(const struct options *options, const char *word)
{
	if (options->pid && word && is_of_process(word))
		die("put %s first: profil %s -p %d", word, word, options->pid);
	if (options->pid && word)
		warn("both -p and a command given: '%s'", word);
	else if (options->follow && !ATTACH_WORKS)
		warn("--follow works on x86-64 only");
	else if (options->signal && !ATTACH_WORKS)
		warn("--signal works on x86-64 only");
	else if (options->signal && options->delay > 0)
		warn("both --signal and --delay given");
	else if (options->rotates && !options->pid)
		warn("--rotate needs -p");
	else if (options->rotates && options->signal)
		warn("both --rotate and --signal given");
	else if (options->keep && !options->rotates)
		warn("--keep needs --rotate");
	else if (options->waits && options->no_stacks)
		warn("both --waits and --no-stacks given: waits need call stacks");
	else if (options->follow && options->alone)
		warn("both --follow and --no-children given");
	else
		return;
	usage_fail(&usage);
}

void options_parse(struct options *options, int argc, char **argv)
{
	static char name[] = "profil";
	int option;

	argv[0] = name;
	while ((option = getopt_long(argc, argv, "+o:r:s:n:p:d:CwqhV", long_options,
				     NULL)) != -1)
		take_option(options, option);
	check_process(options, argv[optind]);
	if (options->pid)
		return;
	if (optind == argc) {
		warn("no command given: use profil COMMAND, or profil report for the last profile");
		usage_fail(&usage);
	}
	refuse_report(options, argv[optind]);
}
