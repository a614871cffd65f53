// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * profil-report: reads profile files and writes them in all forms. profil(1)
 * runs it as "profil report" and "profil annotate", so that running a command
 * does not have to load the libraries that are needed here.
 */
#include "common/memory.h"
#include "common/message.h"
#include "common/regular_file.h"
#include "content/report.h"
#include "content/selection.h"
#include "content/text_columns.h"
#include "formats/formats.h"
#include "object/sysroot.h"
#include "profile/load.h"
#include "reader/profile_file.h"
#include "report/annotate.h"
#include "report/diff.h"

#include <errno.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define DEFAULT_FILE	"profil.out"

static const struct format {
	const char	*name;
	report_writer	*write;
	bool		binary;
} formats[] = {
	{ "text",	report_text,		false },
	{ "folded",	report_folded,		false },
	{ "gmon",	report_gmon,		true },
	{ "pprof",	report_pprof,		true },
	{ "cpuprofile",	report_cpuprofile,	true },
	{ "callgrind",	report_callgrind,	false },
	{ "json",	report_json,		false },
	{ "html",	report_html,		false },
};

struct options {
	const struct format	*format;
	const char		*output;
	const char		*before;
	struct selection	selection;
	unsigned int		limit;
	bool			limited;
	bool			code;
};

static const struct option long_options[] = {
	{ "format",	required_argument, NULL, 'f' },
	{ "html",	no_argument,	   NULL, 'H' },
	{ "output",	required_argument, NULL, 'o' },
	{ "comm",	required_argument, NULL, 'C' },
	{ "pid",	required_argument, NULL, 'p' },
	{ "object",	required_argument, NULL, 'O' },
	{ "function",	required_argument, NULL, 'F' },
	{ "diff",	required_argument, NULL, 'd' },
	{ "limit",	required_argument, NULL, 'n' },
	{ "root",	required_argument, NULL, 'r' },
	{ "code",	no_argument,	   NULL, 'c' },
	{ "help",	no_argument,	   NULL, 'h' },
	{ NULL, 0, NULL, 0 }
};

static const char usage_text[] =
"usage: profil report [OPTION...] [FILE...]\n"
"       profil annotate [OPTION...] [FILE] FUNCTION\n"
"\n"
"Prints what is in profile files, together; a directory stands for all its\n"
"files. Without FILE it is profil.out.\n"
"\n"
"  -f, --format=FORMAT  text (default), folded, gmon, pprof, cpuprofile,\n"
"                       callgrind, json (speedscope), html\n"
"      --html           same as --format=html\n"
"  -o, --output=FILE    write there instead of to standard output\n"
"  -n, --limit=N        text and html: only the N hottest functions; 0: all\n"
"      --comm=NAME      only processes of this name\n"
"      --pid=PID        only this process\n"
"      --object=NAME    only this program or library\n"
"      --function=NAME  only this function, and where it has been inlined\n"
"                       Names are patterns: *, ? and [] are as in the shell.\n"
"      --diff=FILE      what has changed since FILE, another profile\n"
"      --root=DIR       look for programs, libraries and sources below DIR\n"
"  -c, --code           annotate: disassembly, even if there is source\n"
"  -h, --help           this text\n";

static void bad_usage(void)
{
	fprintf(stderr, "Try 'profil report --help'.\n");
	exit(2);
}

static const struct format *find_format(const char *name)
{
	size_t i;

	for (i = 0; i < length_of(formats); i++)
		if (!strcmp(formats[i].name, name))
			return &formats[i];
	warn("no format is called %s", name);
	bad_usage();
	return NULL;
}

static unsigned int number(const char *text, const char *what)
{
	char *end;
	unsigned long value = strtoul(text, &end, 10);

	if (text[0] < '0' || text[0] > '9' || *end || value > 1000000000) {
		warn("%s is not a %s", text, what);
		bad_usage();
	}
	return (unsigned int)value;
}

static void take_option(struct options *options, int option)
{
	switch (option) {
	case 'f':
		options->format = find_format(optarg);
		break;
	case 'H':
		options->format = find_format("html");
		break;
	case 'o':
		options->output = optarg;
		break;
	case 'C':
		options->selection.command = optarg;
		break;
	case 'p':
		options->selection.pid = number(optarg, "process ID");
		options->selection.has_pid = true;
		break;
	case 'O':
		options->selection.object = optarg;
		break;
	case 'F':
		options->selection.function = optarg;
		break;
	case 'd':
		options->before = optarg;
		break;
	case 'n':
		options->limit = number(optarg, "number of functions");
		options->limited = true;
		break;
	case 'r':
		sysroot_set(optarg);
		break;
	case 'c':
		options->code = true;
		break;
	case 'h':
		fputs(usage_text, stdout);
		exit(0);
	default:
		bad_usage();
	}
}

static void parse(struct options *options, int argc, char **argv)
{
	int option;

	options->format = &formats[0];
	while ((option = getopt_long(argc, argv, "f:o:n:ch", long_options,
				     NULL)) != -1)
		take_option(options, option);
	if (!options->limited)
		options->limit = options->format->write == report_html ? 0 : 40;
	if (options->before && options->format->write != report_text) {
		warn("--diff is text");
		bad_usage();
	}
}

static bool add_files(struct profile *profile, const struct options *options,
		      char **files, int n)
{
	static char name[] = DEFAULT_FILE, *standard[] = { name };
	bool any = false;
	int i;

	if (!n) {
		files = standard;
		n = 1;
	}
	for (i = 0; i < n; i++)
		any |= profile_load(profile, files[i]);
	profile_finish(profile);
	return any && select_places(profile, &options->selection);
}

/* Whether a profile has been named where the output is to go. */
static bool is_profile(const char *path)
{
	struct profile_file file = { .path = path, .fd = regular_open(path) };
	bool is;

	if (file.fd < 0)
		return false;
	is = profile_file_look(&file);
	close(file.fd);
	return is;
}

static FILE *open_output(const struct options *options)
{
	FILE *out = stdout;

	if (options->output && is_profile(options->output))
		die("%s is a profile: it is not written over", options->output);
	if (options->output)
		out = fopen(options->output, "we");
	else if (options->format->binary && isatty(STDOUT_FILENO))
		die("%s is not for terminals: use -o FILE", options->format->name);
	if (!out)
		die("%s: %s", options->output, strerror(errno));
	return out;
}

static bool close_output(FILE *out, bool written)
{
	bool failed = ferror(out);

	failed |= fclose(out) != 0;
	if (failed && written)
		warn("cannot write all of the output");
	return written && !failed;
}

static bool load(struct report *report, const struct options *options,
		 char **files, int n)
{
	report->profile = allocate(sizeof(*report->profile));
	if (!add_files(report->profile, options, files, n))
		return false;
	functions_make(&report->functions, report->profile);
	return true;
}

static int report_main(const struct options *options, int argc, char **argv)
{
	char *older[] = { (char *)(uintptr_t)options->before };
	struct report before = { NULL };
	struct report report = {
		.object = options->selection.object, .limit = options->limit,
		.before = &before,
	};
	bool written;
	FILE *out;

	if ((options->before && !load(&before, options, older, 1)) ||
	    !load(&report, options, argv, argc))
		return 1;
	out = open_output(options);
	report.width = columns_of(out);
	written = options->before ? report_diff(&report, out) :
				    options->format->write(&report, out);
	return close_output(out, written) ? 0 : 1;
}

static int annotate_main(const struct options *options, int argc, char **argv)
{
	struct report report = { NULL };
	bool written;
	FILE *out;

	if (argc < 1) {
		warn("annotate needs a FUNCTION");
		bad_usage();
	}
	if (!load(&report, options, argv, argc - 1))
		return 1;
	out = open_output(options);
	written = annotate(&report, argv[argc - 1], options->code, out);
	return close_output(out, written) ? 0 : 1;
}

int main(int argc, char **argv)
{
	struct options options = { NULL };
	bool annotates;

	if (argc < 2)
		bad_usage();
	annotates = !strcmp(argv[1], "annotate");
	argc--;
	argv++;
	parse(&options, argc, argv);
	argc -= optind;
	argv += optind;
	return annotates ? annotate_main(&options, argc, argv) :
			   report_main(&options, argc, argv);
}
