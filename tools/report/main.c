// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * profil-report: reads profile files and writes reports. profil(1) runs it as
 * "profil report", "profil annotate" and "profil top". It is a program of its own because it loads
 * libraries that running a command does not need.
 */
#include "common/limits.h"
#include "common/memory.h"
#include "common/message.h"
#include "common/output.h"
#include "common/path.h"
#include "common/progress.h"
#include "common/regular_file.h"
#include "content/calls_of_stacks.h"
#include "content/phases.h"
#include "content/functions_of_places.h"
#include "content/reached.h"
#include "content/report.h"
#include "content/text_columns.h"
#include "content/time_range.h"
#include "formats/formats.h"
#include "object/source_file.h"
#include "profile/load_path.h"
#include "profile/places.h"
#include "profile/waits.h"
#include "reader/profile_file.h"
#include "report/annotate.h"
#include "report/diff.h"
#include "report/keep_names.h"
#include "report/options.h"
#include "report/shortened_file.h"
#include "top/top.h"

#include <errno.h>
#include <getopt.h>
#include <linux/profil_stacks.h>
#include <malloc.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define DEFAULT_FILE	"profil.out"

/* Larger tables go back to the kernel when they are freed, which malloc() would put off. */
#define TABLE_BYTES	(4 << 20)

static bool missing;	/* a file that was named */

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
	for (i = 0; i < n; i++) {
		any |= load_path(profile, files[i]);
		missing |= access(files[i], R_OK) < 0;
	}
	places_finish(profile);
	return any &&
	       (options->by != BY_PHASE || time_range_need(profile, "--by=phase needs")) &&
	       time_range_select(profile, &options->range) &&
	       phases_select(profile, options->phase);
}

/* Whether the output would overwrite a profile, or its names. */
static bool is_profile(const char *path)
{
	struct profile_file file = { .path = path,
				     .fd = regular_file_open(path) };
	bool is;

	if (file.fd < 0)
		return false;
	is = !strcmp(path_name(path), PROFILE_NAMES) || profile_file_look(&file);
	close(file.fd);
	return is;
}

static FILE *open_output(const struct options *options)
{
	FILE *out = stdout;

	if (options->output && is_profile(options->output))
		die("%s is a profile file: write the report to another file",
		    options->output);
	if (options->output) {
		progress_begin("writing the report");
		out = fopen(options->output, "we");
	}
	else if (options->format->binary && isatty(STDOUT_FILENO))
		die("cannot write %s to a terminal: use -o FILE",
		    options->format->name);
	if (!out)
		die("cannot open %s: %s", options->output, strerror(errno));
	return out;
}

static bool close_output(FILE *out, bool written)
{
	progress_end();
	if (written)
		return output_close(out);
	fclose(out);
	return false;
}

static void say_kept(const struct profile *profile)
{
	const char *first = NULL;
	char *others = NULL;
	size_t n = 0, i;

	for (i = 0; i < profile->nobjects; i++) {
		const struct object *object = &profile->objects[i];

		if (!object->symbols || !object->symbols->kept)
			continue;
		if (!n++)
			first = object->shown;
	}
	if (n > 1)
		others = format_text(" and %zu more", n - 1);
	if (n)
		warn("%s%s: gone or changed: names are those kept with the profile",
		     first, others ? others : "");
	free(others);
}

/* Of reports that neither have stacks nor the totals, which say it. */
static void say_deep(const struct profile *profile)
{
	unsigned int flags;

	for (flags = 0; flags < STACK_FLAGS; flags++)
		if (flags & STACK_DEEP && profile->stacks.by_flags[flags]) {
			warn("some samples have more than %d frames: the outermost are missing",
			     PROFIL_STACK_FRAMES);
			return;
		}
}

/* A selection needs times, too: then moments are counted again. */
static bool needs_times(const struct options *options)
{
	return options->format->needs & NEEDS_TIMES || options->phase ||
	       options->range.from.given || options->range.to.given ||
	       options->by == BY_PHASE ||
	       selection_is_made(&options->selection);
}

static bool load(struct report *report, const struct options *options,
		 char **files, int n)
{
	struct reached reached;
	bool reaches;

	if (!report->profile)
		report->profile = allocate(sizeof(*report->profile));
	report->profile->shown = options->shown;
	report->profile->stacks.timeless = !needs_times(options);
	progress_begin("loading");
	if (!add_files(report->profile, options, files, n))
		return false;
	if (options->shown && !report->profile->has_waits) {
		warn("%s: no waits were recorded: use profil -w",
		     n ? files[0] : DEFAULT_FILE);
		if (options->shown == SHOW_WAITS)
			return false;
	}
	selection_apply(report->profile, &options->selection);
	waits_finish(report->profile);
	if (report->profile->mixed)
		warn("the profiles have different rates: compare seconds, not samples");
	if (options->special == report_diff || options->format->write == report_csv)
		say_deep(report->profile);
	reaches = options->format->needs & NEEDS_TOTALS || report->profile->with_callers;
	progress_begin("looking up names");
	if (reaches)
		reached_begin(&reached, &report->profile->stacks);
	functions_of_places(&report->functions, report->profile);
	if (reaches)
		reached_end(&reached, &report->functions);
	if (options->special || options->format->needs & NEEDS_CALLS)
		calls_of_stacks(&report->calls, report->profile, &report->functions);
	progress_end();
	say_kept(report->profile);
	return true;
}

/* xdg-open returns when the browser has the page. The Firefox Profiler is one itself. */
static int open_page(const struct options *options)
{
	const char *path = options->output;
	/* "-x.html" would be an option, and "http:x.html" an address. */
	char *whole = realpath(path, NULL);
	char *arguments[] = { (char[]){ "xdg-open" },
			      whole ? whole : (char *)(uintptr_t)path, NULL };
	int status = 0, error;
	pid_t pid;

	if (options->format->write == report_firefox) {
		warn("open %s at https://profiler.firefox.com", path);
		free(whole);
		return 0;
	}
	limits_restore();
	error = posix_spawnp(&pid, arguments[0], NULL, NULL, arguments, environ);
	free(whole);
	if (!error && waitpid(pid, &status, 0) == pid && !status)
		return 0;
	warn("cannot run xdg-open: open %s in a browser", path);
	return 1;
}

/* The call tree has all that its formats need. The rest is large. */
static void forget_stacks(struct report *report)
{
	struct stacks *stacks = &report->profile->stacks;

	stack_frames_free(&report->functions.frames);
	free(stacks->nodes);
	stacks->nodes = NULL;
	stacks->nnodes = 0;
}

/* Keeps the names of DIRECTORY, too, if @keep: for profil, after a command. */
static int report_main(const struct options *options, int argc, char **argv, bool keep)
{
	struct report before = { 0 };
	struct report report = {
		.object = options->selection.object, .limit = options->limit,
		.before = &before, .callee = options->callee,
		.by = options->by, .sort = options->sort, .least = options->least,
	};
	report_writer *write = options->special ? options->special :
						  options->format->write;
	bool written;
	FILE *out;

	if ((options->nbefore &&
	     !load(&before, options, options->before, options->nbefore)) ||
	    !load(&report, options, argv, argc))
		return 1;
	/* One side may lack what is selected. */
	if (!selection_check(&options->selection, report.profile->samples +
			     (before.profile ? before.profile->samples : 0)))
		return 1;
	out = open_output(options);
	report.width = text_columns_of(out);
	if (!keep && !options->special && options->format->needs & NEEDS_CALLS)
		forget_stacks(&report);
	written = write(&report, out);
	fflush(out);
	if (keep)
		keep_names(&report, argv[0]);
	if (!close_output(out, written) || missing)
		return 1;
	return options->open ? open_page(options) : 0;
}

/* After annotate has failed: FILE alone was taken as the function. */
static int suggest_function(int argc, char **argv)
{
	if (argc == 1 && access(argv[0], F_OK) == 0)
		warn("%s is a file: use profil annotate %s FUNCTION", argv[0], argv[0]);
	return 1;
}

static int annotate_main(const struct options *options, int argc, char **argv)
{
	struct report report = { 0 };
	struct name_pattern *function;
	bool written;
	FILE *out;

	if (argc < 1) {
		warn("no function given: use profil annotate [FILE] FUNCTION");
		options_fail();
	}
	function = name_pattern_make(argv[argc - 1]);
	if (!function)
		options_fail();
	report.profile = allocate(sizeof(*report.profile));
	report.profile->with_callers = options->shown != SHOW_CPU;
	if (!load(&report, options, argv, argc - 1) ||
	    !selection_check(&options->selection, report.profile->samples))
		return suggest_function(argc, argv);
	out = open_output(options);
	written = annotate(&report, function, options->code, out);
	if (!written)
		suggest_function(argc, argv);
	return close_output(out, written) && !missing ? 0 : 1;
}

/* "keep", or "keep=USER", with the number of the user whose process was profiled. */
static bool take_keep(const char *word)
{
	unsigned int user = geteuid();
	char more;

	if (strcmp(word, "keep") &&
	    (sscanf(word, "keep=%u%c", &user, &more) != 1 || user == UINT32_MAX))
		return false;
	source_file_limit(user);
	return true;
}

int main(int argc, char **argv)
{
	struct options options = { 0 };
	bool annotates, keeps;

	mallopt(M_MMAP_THRESHOLD, TABLE_BYTES);
	mallopt(M_TRIM_THRESHOLD, 2 * TABLE_BYTES);
	/* libdebuginfod opens sockets. */
	output_begin();
	if (argc < 2)
		options_fail();
	if (!strcmp(argv[1], "top"))
		return top_main(argv[0], argc - 1, argv + 1);
	limits_raise();
	annotates = !strcmp(argv[1], "annotate");
	keeps = take_keep(argv[1]);
	argc--;
	argv++;
	argv[0] = format_text("profil %s", argv[0]);
	options_parse(&options, argc, argv);
	options_check(&options, annotates);
	shortened_file_watch();
	argc -= optind;
	argv += optind;
	return annotates ? annotate_main(&options, argc, argv) :
			   report_main(&options, argc, argv, keeps);
}
