// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Functions that were inlined, in the table and in what is made of it. FIXTURES
 * has the library that the samples are in.
 */
#include "unit.h"
#include "content/functions_of_places.h"
#include "content/report.h"
#include "content/selection.h"
#include "formats/formats.h"
#include "object/frames.h"
#include "profile/load_path.h"
#include "profile/places.h"
#include "report/annotate.h"
#include "synthetic.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define LIBRARY	FIXTURES "/inlined.so"
#define BIAS	0x7f0000000000
#define SIZE	0x40000

static struct synthetic file;
static struct profile profile;
static struct report report;

/* A name, or a part of it that begins with a colon. */
static bool is_called(const char *name, const char *wanted)
{
	return wanted[0] == ':' ? strstr(name, wanted) != NULL :
				  !strcmp(name, wanted);
}

/* An address with these frames and no others. */
static uint64_t find_address(const char *inner, const char *outer)
{
	static char path[] = LIBRARY;
	struct object object = { .path = path, .shown = path, .name = path };
	struct frame frames[FRAMES_MOST];
	uint64_t address, found = 0;

	for (address = 0x1000; address < SIZE && !found; address++) {
		size_t n = frames_at(&object, address, frames);

		if (n == (inner ? 2 : 1) && is_called(frames[n - 1].name, outer) &&
		    (!inner || !strcmp(frames[0].name, inner)))
			found = address;
	}
	symbols_free(&object);
	assert_int_not_equal(found, 0);
	return found;
}

static int make_report(void **state)
{
	(void)state;
	synthetic_begin(&file);
	synthetic_object(&file, 0, LIBRARY, BIAS, BIAS + SIZE, BIAS);
	synthetic_samples(&file, BIAS + find_address("twice(int)", "::operator()"),
			  30);
	synthetic_samples(&file, BIAS + find_address("twice(int)", "has_calls"), 5);
	synthetic_samples(&file, BIAS + find_address(NULL, "::operator()"), 10);
	profile = (struct profile){ 0 };
	report = (struct report){ .profile = &profile };
	if (!load_path(&profile, synthetic_write(&file, "prog.1", file.size)))
		return -1;
	places_finish(&profile);
	functions_of_places(&report.functions, &profile);
	return 0;
}

static int free_report(void **state)
{
	(void)state;
	symbols_free(&profile.objects[0]);
	functions_free(&report.functions);
	profile_free(&profile);
	return 0;
}

static char *text;
static size_t text_size;

static char *output_of(const struct report *made, report_writer *write)
{
	FILE *out = open_memstream(&text, &text_size);

	assert_true(write(made, out));
	fclose(out);
	return text;
}

static char *output(report_writer *write)
{
	return output_of(&report, write);
}

static const struct row *find_row(const char *part, bool inlined)
{
	size_t i;

	for (i = 0; i < report.functions.n; i++)
		if (strstr(report.functions.rows[i].name, part) &&
		    report.functions.rows[i].inlined == inlined)
			return &report.functions.rows[i];
	return NULL;
}

static void an_inlined_function_has_a_row_of_its_own(void **state)
{
	const struct row *twice = find_row("twice(int)", true);
	const struct row *lambda = find_row("::operator()", false);
	const struct row *caller = find_row("has_calls", false);

	(void)state;
	assert_non_null(twice);
	assert_int_equal(twice->samples, 35);
	assert_int_equal(twice->nsites, 2);
	assert_int_equal(twice->sites[0].samples, 30);
	assert_non_null(strstr(twice->sites[0].name, "::operator()"));
	/* What it is inlined into has what is left, and all of it. */
	assert_int_equal(lambda->samples, 10);
	assert_int_equal(lambda->total, 40);
	assert_non_null(caller);
}

static void the_table_adds_up(void **state)
{
	uint64_t samples = 0;
	size_t i;

	(void)state;
	for (i = 0; i < report.functions.n; i++)
		samples += report.functions.rows[i].samples;
	assert_int_equal(samples, 45);
	output(report_text);
	assert_non_null(strstr(text, " 77.78%        35     0.035  "
			       "twice(int) (inlined into 2 functions)"));
	free(text);
}

static void speedscope_has_inlined_frames(void **state)
{
	(void)state;
	output(report_json);
	assert_non_null(strstr(text, "{\"name\":\"twice(int)\",\"file\":\""));
	/* Command, object, function and what is inlined into it. */
	assert_non_null(strstr(text, "\"samples\":[[0,1,2,3],[0,1,2],[0,1,4,3]]"));
	free(text);
}

static void callgrind_counts_what_is_inlined_where_it_is(void **state)
{
	(void)state;
	output(report_callgrind);
	assert_non_null(strstr(text, "::operator()"));
	assert_null(strstr(text, "fn=twice"));
	assert_non_null(strstr(text, "\ntotals: 45\n"));
	free(text);
}

static char *annotated(const char *name, bool code)
{
	FILE *out = open_memstream(&text, &text_size);

	assert_true(annotate(&report, name, code, out));
	fclose(out);
	return text;
}

static void the_source_of_an_inlined_function_has_its_samples(void **state)
{
	char *line;
	unsigned int samples = 0, n, number;
	double share;

	(void)state;
	annotated("twice", false);
	assert_non_null(strstr(text, "twice(int), inlined into "));
	assert_non_null(strstr(text, ": 35 samples, 77.78%; "));
	assert_non_null(strstr(text, "inline int twice(int value)\n"));
	for (line = strtok(text, "\n"); line; line = strtok(NULL, "\n")) {
		if (sscanf(line, "%lf%% %u %u  ", &share, &n, &number) != 3)
			continue;
		samples += n;
		assert_in_range(number, 6, 12);
	}
	assert_int_equal(samples, 35);
	free(text);
}

static void the_code_of_an_inlined_function_is_shown_where_it_is(void **state)
{
	char *line;
	unsigned int samples = 0, lines = 0, n;
	double share;

	(void)state;
	annotated("twice", true);
	/* What is around it is not shown. */
	assert_null(strstr(text, "  ret"));
	for (line = strtok(text, "\n"); line; line = strtok(NULL, "\n")) {
		lines++;
		if (sscanf(line, "%lf%% %u", &share, &n) == 2)
			samples += n;
	}
	assert_int_equal(samples, 35);
	assert_in_range(lines, 4, 10);
	free(text);
}

static void a_function_has_what_is_inlined_into_it(void **state)
{
	(void)state;
	annotated("*operator()*", false);
	assert_non_null(strstr(text, ": 40 samples, 88.89%, 30 of them in what is "
			       "inlined into it; "));
	assert_non_null(strstr(text, "100.00%        40     25  \t\treturn twice(value) + 1;\n"));
	free(text);
}

static void a_selected_function_is_selected_where_it_is_inlined(void **state)
{
	static const struct selection selection = { .function = "twice" };
	struct profile part = { 0 };

	(void)state;
	assert_true(
		load_path(&part, synthetic_write(&file, "prog.1", file.size)));
	places_finish(&part);
	assert_true(selection_apply(&part, &selection));
	assert_int_equal(part.samples, 35);
	symbols_free(&part.objects[0]);
	profile_free(&part);
}

static void what_a_process_says_it_made_is_not_outside(void **state)
{
	struct profile made = { 0 };
	struct report jit = { .profile = &made };
	char path[300];
	FILE *map;

	(void)state;
	snprintf(path, sizeof(path), "%s/perf-4711.map", synthetic_directory());
	map = fopen(path, "w");
	assert_non_null(map);
	fprintf(map, "5000 100 made\n");
	fclose(map);
	synthetic_begin(&file);
	synthetic_samples(&file, 0x5010, 7);
	synthetic_samples(&file, 0x9010, 2);
	assert_true(load_path(&made,
			      synthetic_write(&file, "jit.4711", file.size)));
	places_finish(&made);
	functions_of_places(&jit.functions, &made);
	output_of(&jit, report_text);
	assert_non_null(strstr(text, "  made  "));
	assert_non_null(strstr(text, "0 lost, 2 outside all objects"));
	free(text);
	functions_free(&jit.functions);
	symbols_free(&made.objects[0]);
	profile_free(&made);
	unlink(path);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_inlined_function_has_a_row_of_its_own),
		cmocka_unit_test(the_table_adds_up),
		cmocka_unit_test(speedscope_has_inlined_frames),
		cmocka_unit_test(callgrind_counts_what_is_inlined_where_it_is),
		cmocka_unit_test(the_source_of_an_inlined_function_has_its_samples),
		cmocka_unit_test(the_code_of_an_inlined_function_is_shown_where_it_is),
		cmocka_unit_test(a_function_has_what_is_inlined_into_it),
		cmocka_unit_test(a_selected_function_is_selected_where_it_is_inlined),
		cmocka_unit_test(what_a_process_says_it_made_is_not_outside),
	};

	return cmocka_run_group_tests(tests, make_report, free_report);
}
