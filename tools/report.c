// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * profil-report: reads profile files and writes them in all forms. profil(1)
 * runs it as "profil report" and "profil annotate", so that running a command
 * does not have to load the libraries that are needed here.
 */
#include "report.h"
#include "annotate.h"
#include "tool.h"

#include <errno.h>
#include <getopt.h>
#include <libgen.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
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
	const char		*object;
	unsigned int		limit;
	bool			limited;
	bool			code;
};

static const struct option long_options[] = {
	{ "format",	required_argument, NULL, 'f' },
	{ "html",	no_argument,	   NULL, 'H' },
	{ "output",	required_argument, NULL, 'o' },
	{ "object",	required_argument, NULL, 'O' },
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
"      --object=NAME    gmon: this program or library\n"
"      --root=DIR       look for programs and libraries below DIR\n"
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

static unsigned int number(const char *text)
{
	char *end;
	unsigned long value = strtoul(text, &end, 10);

	if (!*text || *end || value > 1000000000) {
		warn("%s is not a number of functions", text);
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
	case 'O':
		options->object = optarg;
		break;
	case 'n':
		options->limit = number(optarg);
		options->limited = true;
		break;
	case 'r':
		symbols_set_root(optarg);
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
}

/* Where the files are is where perf-PID.map files may have been put. */
static void set_map_directory(const char *path)
{
	struct stat status;
	static char *directory;

	directory = format_text("%s", path);
	if (stat(path, &status) == 0 && !S_ISDIR(status.st_mode))
		directory = dirname(directory);
	symbols_set_directory(directory);
}

static bool add_files(struct profile *profile, char **files, int n)
{
	static char name[] = DEFAULT_FILE, *standard[] = { name };
	bool any = false;
	int i;

	if (!n) {
		files = standard;
		n = 1;
	}
	set_map_directory(files[0]);
	for (i = 0; i < n; i++)
		any |= profile_add(profile, files[i]);
	profile_finish(profile);
	return any;
}

static FILE *open_output(const struct options *options)
{
	FILE *out = stdout;

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

static int report_main(const struct options *options, int argc, char **argv)
{
	struct profile profile = { NULL };
	struct report report = {
		.profile = &profile, .object = options->object,
		.limit = options->limit,
	};
	bool read = add_files(&profile, argv, argc), written;
	FILE *out;

	if (!read)
		return 1;
	functions_make(&report.functions, &profile);
	out = open_output(options);
	written = options->format->write(&report, out);
	return close_output(out, written) ? 0 : 1;
}

static int annotate_main(const struct options *options, int argc, char **argv)
{
	struct profile profile = { NULL };
	struct report report = { .profile = &profile };
	bool written;
	FILE *out;

	if (argc < 1) {
		warn("annotate needs a FUNCTION");
		bad_usage();
	}
	if (!add_files(&profile, argv, argc - 1))
		return 1;
	functions_make(&report.functions, &profile);
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
