// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Profile files with anything in them, in all forms. What makes a file one at
 * all is put right, so that what follows is what is tested. If the first byte is odd,
 * times are not kept.
 */
#include "fuzz.h"
#include "content/calls_of_stacks.h"
#include "content/functions_of_places.h"
#include "content/reached.h"
#include "content/report.h"
#include "content/selection.h"
#include "content/time_range.h"
#include "formats/format_table.h"
#include "object/sysroot.h"
#include "profile/load_path.h"
#include "profile/places.h"
#include "profile/waits.h"
#include "reader/profile_file.h"
#include "reader/profile_samples.h"
#include "report/annotate.h"
#include "report/diff.h"
#include "report/groups.h"
#include "report/tree.h"

#include <sys/mman.h>

static FILE *nowhere;
static struct name_pattern *callee, *objects;

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	(void)argc;
	(void)argv;
	unsetenv("DEBUGINFOD_URLS");
	/* Objects that are named have no file. */
	sysroot_set("/nonexistent");
	callee = name_pattern_make("*[0-7]000");
	objects = name_pattern_make("*.so*");
	nowhere = fopen("/dev/null", "w");
	return nowhere ? 0 : -1;
}

static void put_right(uint8_t *bytes, size_t size)
{
	struct profile_header *header = (void *)bytes;

	if (size < sizeof(*header))
		return;
	memcpy(header->magic, PROFILE_MAGIC, sizeof(header->magic));
	header->version = PROFILE_VERSION;
	header->header_size = sizeof(*header);
	header->byte_order = PROFILE_BYTE_ORDER;
	header->sample_width = header->sample_width % 2 ? 8 : 4;
}

/* A file in memory, whose path is that of its descriptor. */
static int make_file(const uint8_t *data, size_t size, char path[32])
{
	uint8_t *bytes = malloc(size ? size : 1);
	int fd = memfd_create("profile", 0);

	memcpy(bytes, data, size);
	put_right(bytes, size);
	if (fd < 0 || write(fd, bytes, size) != (ssize_t)size)
		abort();
	free(bytes);
	snprintf(path, 32, "/proc/self/fd/%d", fd);
	return fd;
}

static void write_all(struct report *report)
{
	bool timeless = report->profile->stacks.timeless;
	const struct format *format;
	struct name_pattern *function;

	report->before = report;
	report->width = report->profile->samples % 160;
	for (format = format_table; format->name; format++)
		if (!timeless || !(format->needs & NEEDS_TIMES))
			format->write(report, nowhere);
	report_diff(report, nowhere);
	report_tree(report, nowhere);
	report->callee = callee;
	report_tree_callers(report, nowhere);
	for (report->by = BY_THREAD; report->by <= BY_SYSCALL; report->by++)
		if (!timeless || report->by != BY_PHASE)
			report_groups(report, nowhere);
	if (!report->functions.n)
		return;
	function = name_pattern_make(report->functions.rows[0].name);
	if (!function)
		return;
	annotate(report, function, true, nowhere);
	name_pattern_free(function);
}

#define SUM(list, n)	(__extension__ ({				\
	uint64_t sum_ = 0;						\
									\
	for (size_t i = 0; i < (n); i++)				\
		sum_ += (list)[i].samples;				\
	sum_;								\
}))

/* So is each in one stack, one thread and one call. */
static void check_stacks(const struct report *report)
{
	const struct profile *profile = report->profile;
	const struct stacks *stacks = &profile->stacks;

	if (SUM(stacks->counts, stacks->ncounts) != profile->samples ||
	    SUM(stacks->threads, stacks->nthreads) != profile->samples ||
	    SUM(report->calls.calls, report->calls.n) != profile->samples ||
	    report->calls.calls[0].total != profile->samples)
		abort();
	for (size_t i = 0; i < report->functions.n; i++)
		if (report->functions.rows[i].reached > profile->samples)
			abort();
}

/* Each sample is in one place, one process and one function. */
static void check_sums(const struct report *report)
{
	const struct profile *profile = report->profile;

	if (SUM(profile->places, profile->nplaces) != profile->samples ||
	    SUM(profile->processes, profile->nprocesses) != profile->samples ||
	    SUM(report->functions.rows, report->functions.n) != profile->samples)
		abort();
	check_stacks(report);
}

static void forget(struct report *report)
{
	functions_free(&report->functions);
	call_tree_free(&report->calls);
}

static void count(struct report *report)
{
	struct reached reached;

	reached_begin(&reached, &report->profile->stacks);
	functions_of_places(&report->functions, report->profile);
	reached_end(&reached, &report->functions);
	calls_of_stacks(&report->calls, report->profile, &report->functions);
	check_sums(report);
}

static void release(struct report *report)
{
	for (size_t i = 0; i < report->profile->nobjects; i++)
		symbols_free(&report->profile->objects[i]);
	forget(report);
	profile_free(report->profile);
}

/* Without times there are neither phases nor a selection. */
static void read_profile(const char *path, bool timeless)
{
	const struct selection selection = { .object = objects };
	static const struct time_range range = {
		.from = { true, true, 0.2 }, .to = { true, true, 0.7 },
	};
	struct profile profile = { .shown = SHOW_WALL, .stacks.timeless = timeless };
	struct report report = { .profile = &profile };

	if (load_path(&profile, path)) {
		places_finish(&profile);
		waits_finish(&profile);
		count(&report);
		write_all(&report);
		if (!timeless) {
			forget(&report);
			time_range_select(&profile, &range);
			selection_apply(&profile, &selection);
			count(&report);
		}
	}
	release(&report);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char path[32];
	int fd = make_file(data, size, path);
	struct profile_file file = { .path = path, .fd = fd };

	if (profile_file_look(&file) && profile_samples_end(&file) > file.size)
		abort();
	read_profile(path, size && data[0] % 2);
	close(fd);
	return 0;
}
