// SPDX-License-Identifier: LGPL-2.1-or-later
#include "run/options.h"
#include "common/memory.h"
#include "common/message.h"
#include "common/output.h"
#include "common/usage.h"

#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Options that have no letter. */
enum { NO_STACKS = 256 };

static const struct option long_options[] = {
	{ "output",	 required_argument, NULL, 'o' },
	{ "rate",	 required_argument, NULL, 'r' },
	{ "samples",	 required_argument, NULL, 's' },
	{ "limit",	 required_argument, NULL, 'n' },
	{ "no-children", no_argument,	    NULL, 'C' },
	{ "no-stacks",	 no_argument,	    NULL, NO_STACKS },
	{ "quiet",	 no_argument,	    NULL, 'q' },
	{ "help",	 no_argument,	    NULL, 'h' },
	{ "version",	 no_argument,	    NULL, 'V' },
	{ NULL, 0, NULL, 0 }
};

static const char usage_text[] =
"usage: profil [OPTION...] COMMAND [ARGUMENT...]\n"
"       profil report [OPTION...] [FILE...]\n"
"       profil annotate [OPTION...] [FILE] FUNCTION\n"
"\n"
"Runs COMMAND, whose code the kernel samples by its clock tick, and prints\n"
"where the time went, on standard error. Each process has a file of its own.\n"
"\n"
"  -o, --output=DIR   directory of the files; default: profil.out. Profiles\n"
"                     that are there already are removed.\n"
"  -r, --rate=RATE    fast (default): 1000 samples per second of CPU time, at\n"
"                     random distances; tick: every tick of the kernel;\n"
"                     clock: 100 per second\n"
"  -C, --no-children  not the processes that COMMAND starts\n"
"      --no-stacks    no call stacks: smaller files\n"
"  -n, --limit=N      print the N hottest functions; 0: all; default: 25\n"
"  -q, --quiet        print nothing\n"
"  -s, --samples=N    room for N samples in each file\n"
"  -h, --help         this text\n"
"  -V, --version      the version\n"
"\n"
"\"profil report --help\" describes the other two.\n";

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
	warn("no rate is called %s", name);
	usage_fail(&usage);
}

static const char *number(const char *text)
{
	if (!*text || text[strspn(text, "0123456789")]) {
		warn("%s is not a number", text);
		usage_fail(&usage);
	}
	return text;
}

/* As the report takes it, which would refuse it when the command has ended. */
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

void options_parse(struct options *options, int argc, char **argv)
{
	int option;

	while ((option = getopt_long(argc, argv, "+o:r:s:n:CqhV", long_options,
				     NULL)) != -1)
		take_option(options, option);
	if (optind == argc)
		usage_fail(&usage);
}
