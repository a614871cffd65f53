// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * profil-report: reads profile files and writes them in all forms. profil(1)
 * runs it as "profil report" and "profil annotate", so that running a command
 * does not have to load the libraries that are needed here.
 */
#include "common/memory.h"
#include "common/message.h"
#include "common/output.h"
#include "common/regular_file.h"
#include "content/calls_of_stacks.h"
#include "content/functions_of_places.h"
#include "content/report.h"
#include "content/text_columns.h"
#include "profile/load_path.h"
#include "profile/places.h"
#include "reader/profile_file.h"
#include "report/annotate.h"
#include "report/options.h"
#include "report/shortened_file.h"

#include <errno.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define DEFAULT_FILE	"profil.out"

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
		any |= load_path(profile, files[i]);
	places_finish(profile);
	return any && time_range_select(profile, &options->range) &&
	       selection_apply(profile, &options->selection);
}

/* Whether a profile has been named where the output is to go. */
static bool is_profile(const char *path)
{
	struct profile_file file = { .path = path,
				     .fd = regular_file_open(path) };
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
	if (written)
		return output_close(out);
	fclose(out);
	return false;
}

static bool load(struct report *report, const struct options *options,
		 char **files, int n)
{
	report->profile = allocate(sizeof(*report->profile));
	if (!add_files(report->profile, options, files, n))
		return false;
	functions_of_places(&report->functions, report->profile);
	if (profile_has_stacks(report->profile))
		calls_of_stacks(&report->calls, report->profile,
				&report->functions);
	return true;
}

static int report_main(const struct options *options, int argc, char **argv)
{
	char *older[] = { (char *)(uintptr_t)options->before };
	struct report before = { 0 };
	struct report report = {
		.object = options->selection.object, .limit = options->limit,
		.before = &before, .callee = options->callee,
		.by = options->by,
	};
	report_writer *write = options->special ? options->special :
						  options->format->write;
	bool written;
	FILE *out;

	if ((options->before && !load(&before, options, older, 1)) ||
	    !load(&report, options, argv, argc))
		return 1;
	out = open_output(options);
	report.width = text_columns_of(out);
	written = write(&report, out);
	return close_output(out, written) ? 0 : 1;
}

static int annotate_main(const struct options *options, int argc, char **argv)
{
	struct report report = { 0 };
	bool written;
	FILE *out;

	if (argc < 1) {
		warn("annotate needs a FUNCTION");
		options_fail();
	}
	if (!load(&report, options, argv, argc - 1))
		return 1;
	out = open_output(options);
	written = annotate(&report, argv[argc - 1], options->code, out);
	return close_output(out, written) ? 0 : 1;
}

int main(int argc, char **argv)
{
	struct options options = { 0 };
	bool annotates;

	if (argc < 2)
		options_fail();
	annotates = !strcmp(argv[1], "annotate");
	argc--;
	argv++;
	options_parse(&options, argc, argv);
	shortened_file_watch();
	argc -= optind;
	argv += optind;
	return annotates ? annotate_main(&options, argc, argv) :
			   report_main(&options, argc, argv);
}
