// SPDX-License-Identifier: LGPL-2.1-or-later
#include "report/options.h"
#include "common/memory.h"
#include "common/message.h"
#include "common/output.h"
#include "common/usage.h"
#include "object/sysroot.h"
#include "report/diff.h"
#include "report/diff_tree.h"
#include "report/groups.h"
#include "report/tree.h"

#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct option long_options[] = {
	{ "format",	required_argument, NULL, 'f' },
	{ "html",	no_argument,	   NULL, 'H' },
	{ "firefox",	no_argument,	   NULL, 'P' },
	{ "open",	no_argument,	   NULL, 'B' },
	{ "output",	required_argument, NULL, 'o' },
	{ "comm",	required_argument, NULL, 'C' },
	{ "pid",	required_argument, NULL, 'p' },
	{ "thread",	required_argument, NULL, 'T' },
	{ "object",	required_argument, NULL, 'O' },
	{ "function",	required_argument, NULL, 'F' },
	{ "ignore",	required_argument, NULL, 'I' },
	{ "phase",	required_argument, NULL, 'q' },
	{ "from",	required_argument, NULL, 'a' },
	{ "to",		required_argument, NULL, 'z' },
	{ "wall",	no_argument,	   NULL, 'w' },
	{ "waits",	no_argument,	   NULL, 'W' },
	{ "tree",	no_argument,	   NULL, 't' },
	{ "callers",	required_argument, NULL, 'l' },
	{ "by",		required_argument, NULL, 'b' },
	{ "diff",	required_argument, NULL, 'd' },
	{ "limit",	required_argument, NULL, 'n' },
	{ "min",	required_argument, NULL, 'm' },
	{ "sort",	required_argument, NULL, 's' },
	{ "root",	required_argument, NULL, 'r' },
	{ "no-debuginfod", no_argument, NULL, 'D' },
	{ "code",	no_argument,	   NULL, 'c' },
	{ "help",	no_argument,	   NULL, 'h' },
	{ "version",	no_argument,	   NULL, 'V' },
	{ NULL, 0, NULL, 0 }
};

static const char usage_head[] =
"usage: profil report [OPTION...] [FILE...]\n"
"       profil annotate [OPTION...] [FILE] FUNCTION\n"
"\n"
"Add up the profiles in each FILE (default: profil.out), and report them. A\n"
"directory stands for all profiles in it.\n"
"\n";

static const char usage_options[] =
"      --html           same as --format=html\n"
"      --firefox        same as --format=firefox, for the Firefox Profiler\n"
"      --open           write the page to profil.html, and open it in a browser;\n"
"                       with --firefox: write profil.json\n"
"  -o, --output=FILE    write to FILE instead of standard output\n"
"  -n, --limit=N        text, csv and html: only the first N functions (0: all;\n"
"                       default for text: 40)\n"
"      --min=PERCENT    text and csv: only rows with this share or more\n"
"      --sort=WHAT      text and csv: by self (default), total or name\n"
"      --comm=NAME      only processes of this name\n"
"      --pid=PID        only this process\n"
"      --thread=NAME    only threads of this name or number\n"
"      --object=NAME    only this program or library\n"
"      --function=NAME  only this function, also where it is inlined\n"
"      --ignore=NAME    all but this function\n"
"                       With --tree and --callers, the last three look at all\n"
"                       functions of a call stack. Names are patterns with *,\n"
"                       ? and [], as in the shell, or regular expressions\n"
"                       between slashes: /^(read|write)$/\n"
"      --phase=NAME     only phases of this name: see profil_phase(3)\n"
"      --from=TIME, --to=TIME\n"
"                       only samples from the first TIME to the second:\n"
"                       seconds since the start (1.5), or a share of the\n"
"                       run (10%)\n"
"      --wall           wall time: CPU time and waits, as profil -w records them\n"
"      --waits          waits alone\n"
"      --tree           text: print a call tree\n"
"      --callers=NAME   text: print the callers of this function\n"
"      --by=WHAT        text: samples by thread, process, object, syscall,\n"
"                       line or phase\n"
"      --diff=FILE      text, pprof, html: compare with an earlier profile, also\n"
"                       with --tree or --callers. To compare several runs,\n"
"                       repeat the option, and name several FILEs\n"
"      --root=DIR       look for programs, libraries and sources below DIR\n"
"      --no-debuginfod  ask no server for debug information\n"
"  -c, --code           annotate: print instructions even if there is source\n"
"  -h, --help           print this help\n"
"  -V, --version        print the version\n";

static const struct usage usage = { "profil report", 2 };

void options_fail(void)
{
	usage_fail(&usage);
}

#define USAGE_OPTION	"  -f, --format=FORMAT  "
#define USAGE_WIDTH	78

/* Prints the names of formats, in lines as wide as the others. */
static void print_formats(FILE *out)
{
	size_t used = (size_t)fprintf(out, USAGE_OPTION), left = used;
	const struct format *format;

	for (format = format_table; format->name; format++) {
		const char *comma = format[1].name ? "," : "";
		size_t size = strlen(format->name) + strlen(format->note) +
			      strlen(comma) + 1;

		if (used > left && used + size > USAGE_WIDTH)
			used = (size_t)fprintf(out, "\n%*s", (int)left, "") - 1;
		used += (size_t)fprintf(out, "%s%s%s%s",
					used > left ? " " : "", format->name,
					format->note, comma);
	}
	fputc('\n', out);
}

static void __attribute__((noreturn)) print_usage(void)
{
	fputs(usage_head, stdout);
	print_formats(stdout);
	fputs(usage_options, stdout);
	exit(output_close(stdout) ? 0 : 1);
}

static void __attribute__((noreturn)) print_version(void)
{
	puts("profil " VERSION);
	exit(output_close(stdout) ? 0 : 1);
}

static const struct format *find_format(const char *name)
{
	const struct format *format = format_table_find(name);

	if (!format) {
		warn("unknown format '%s': see profil report --help", name);
		options_fail();
	}
	return format;
}

/* These reports exclude each other, and are text. */
static void set_special(struct options *options, report_writer *special)
{
	if (options->special && options->special != special) {
		warn("use only one of --tree, --callers and --by");
		options_fail();
	}
	options->special = special;
}

/* The --diff variant of a report. */
static report_writer *find_diff(report_writer *special)
{
	if (!special)
		return report_diff;
	if (special == report_tree)
		return report_diff_tree;
	if (special == report_tree_callers)
		return report_diff_tree_callers;
	warn("--diff cannot be combined with --by");
	options_fail();
}

/* The index of @name in a list of @n; @most are for the message. */
static size_t find_word(const char *const *names, size_t n, const char *option,
			const char *name, const char *most)
{
	size_t i;

	for (i = 0; i < n; i++)
		if (!strcmp(name, names[i]))
			return i;
	warn("invalid %s '%s': use %s", option, name, most);
	options_fail();
}

static enum report_by find_by(const char *name)
{
	static const char *const names[] = {
		[BY_THREAD] = "thread", [BY_PROCESS] = "process",
		[BY_OBJECT] = "object", [BY_SYSCALL] = "syscall",
		[BY_LINE] = "line", [BY_PHASE] = "phase",
	};

	return (enum report_by)find_word(names, length_of(names), "--by", name,
					 "thread, process, object, syscall, line or phase");
}

static enum report_sort find_sort(const char *name)
{
	static const char *const names[] = {
		[SORT_SELF] = "self", [SORT_TOTAL] = "total", [SORT_NAME] = "name",
	};

	return (enum report_sort)find_word(names, length_of(names), "--sort", name,
					   "self, total or name");
}

static double percent(const char *text)
{
	char *end;
	double value = strtod(text, &end);

	if (text[0] >= '0' && text[0] <= '9' && value <= 100 &&
	    (!*end || !strcmp(end, "%")) && !strpbrk(text, "xXpP"))
		return value;
	warn("invalid percentage '%s': use a number up to 100", text);
	options_fail();
}

static struct name_pattern *name(const char *text)
{
	struct name_pattern *pattern = name_pattern_make(text);

	if (!pattern)
		options_fail();
	return pattern;
}

static void set_shown(struct options *options, enum profile_shown shown)
{
	if (options->shown && options->shown != shown) {
		warn("use only one of --wall and --waits");
		options_fail();
	}
	options->shown = shown;
}

static void take_time(struct time_point *point, const char *text)
{
	if (time_range_parse(point, text))
		return;
	warn("invalid time '%s': use seconds (1.5) or a percentage (10%%)", text);
	options_fail();
}

/* Takes an option that selects samples. Returns false for other options. */
static bool take_part(struct options *options, int option)
{
	struct selection *selection = &options->selection;

	switch (option) {
	case 'C':
		selection->command = name(optarg);
		return true;
	case 'p':
		selection->pid = usage_number(&usage, optarg, "process ID");
		selection->has_pid = true;
		return true;
	case 'T':
		selection->thread = name(optarg);
		return true;
	case 'I':
		selection->ignored = name(optarg);
		return true;
	case 'O':
		selection->object = name(optarg);
		return true;
	case 'F':
		selection->function = name(optarg);
		return true;
	case 'q':
		options->phase = name(optarg);
		return true;
	case 'a':
		take_time(&options->range.from, optarg);
		return true;
	case 'z':
		take_time(&options->range.to, optarg);
		return true;
	case 'w':
		set_shown(options, SHOW_WALL);
		return true;
	case 'W':
		set_shown(options, SHOW_WAITS);
		return true;
	default:
		return false;
	}
}

static void take_option(struct options *options, int option)
{
	if (take_part(options, option))
		return;
	switch (option) {
	case 'f':
		options->format = find_format(optarg);
		break;
	case 'H':
		options->format = find_format("html");
		break;
	case 'P':
		options->format = find_format("firefox");
		break;
	case 'B':
		options->open = true;
		break;
	case 'o':
		options->output = optarg;
		break;
	case 't':
		set_special(options, report_tree);
		break;
	case 'l':
		set_special(options, report_tree_callers);
		options->callee = name(optarg);
		break;
	case 'b':
		set_special(options, report_groups);
		options->by = find_by(optarg);
		break;
	case 'd':
		options->before[options->nbefore++] = optarg;
		break;
	case 'n':
		options->limit = usage_number(&usage, optarg, "number of functions");
		options->limited = true;
		break;
	case 'm':
		options->least = percent(optarg);
		break;
	case 's':
		options->sort = find_sort(optarg);
		break;
	case 'r':
		sysroot_set(optarg);
		break;
	case 'D':
		unsetenv("DEBUGINFOD_URLS");
		break;
	case 'c':
		options->code = true;
		break;
	case 'h':
		print_usage();
	case 'V':
		print_version();
	default:
		options_fail();
	}
}

/* The format and the file of --open. */
static void take_open(struct options *options)
{
	bool firefox = options->format->write == report_firefox;

	if (!options->open)
		return;
	if (!firefox)
		options->format = find_format("html");
	if (!options->output)
		options->output = firefox ? "profil.json" : "profil.html";
}

void options_parse(struct options *options, int argc, char **argv)
{
	int option;

	options->format = format_table;
	options->before = allocate((size_t)argc * sizeof(*options->before));
	while ((option = getopt_long(argc, argv, "f:o:n:chV", long_options,
				     NULL)) != -1)
		take_option(options, option);
	take_open(options);
	if (!options->limited)
		options->limit = options->format->limit;
	options->selection.of_stacks = options->special == report_tree ||
				       options->special == report_tree_callers;
	if (options->special && options->format != format_table) {
		warn("--tree, --callers and --by need --format=text");
		options_fail();
	}
	if (options->nbefore && options->format->write != report_pprof &&
	    options->format->write != report_html)
		options->special = find_diff(options->special);
	if (options->special && options->format != format_table) {
		warn("--diff needs --format=text, pprof or html");
		options_fail();
	}
}

static bool is_for_report(const struct options *options)
{
	return options->special || options->format != format_table || options->limited ||
	       options->least > 0 || options->sort;
}

void options_check(const struct options *options, bool annotates)
{
	if (annotates ? !is_for_report(options) : !options->code)
		return;
	warn(annotates ?
	     "annotate has only -c, -o, --root, --no-debuginfod and options that select samples" :
	     "-c is for annotate: use profil annotate -c FUNCTION");
	options_fail();
}
