// SPDX-License-Identifier: LGPL-2.1-or-later
/* The writers, whose output is read back. Viewers read it in tests/clients. */
#include "unit.h"
#include "common/clean_text.h"
#include "content/functions_of_places.h"
#include "content/report.h"
#include "content/selection.h"
#include "formats/format_table.h"
#include "object/demangled_name.h"
#include "profile/load_path.h"
#include "profile/places.h"
#include "report/diff.h"
#include "pprof.pb-c.h"
#include "synthetic.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

static struct synthetic file;
static struct profile profile;
static struct report report;

/* A program and a library that are nowhere: functions are pages. */
static int make_report(void **state)
{
	(void)state;
	synthetic_begin(&file);
	synthetic_object(&file, 0, "/none/prog", 0x401000, 0x403000, 0);
	synthetic_object(&file, 0, "/none/lib;x.so", 0x7f0000001000,
			 0x7f0000002000, 0x7f0000000000);
	synthetic_samples(&file, 0x401004, 10);
	synthetic_samples(&file, 0x401008, 20);
	synthetic_samples(&file, 0x402000, 5);
	synthetic_samples(&file, 0x7f0000001010, 40);
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
	size_t i;

	(void)state;
	for (i = 0; i < profile.nobjects; i++)
		symbols_free(&profile.objects[i]);
	functions_free(&report.functions);
	profile_free(&profile);
	return 0;
}

static char *output(report_writer *write, size_t *size)
{
	char *text;
	size_t length;
	FILE *out = open_memstream(&text, &length);

	assert_true(write(&report, out));
	fclose(out);
	if (size)
		*size = length;
	return text;
}

static void the_table_has_all_functions_by_time(void **state)
{
	char *text = output(report_text, NULL);
	const char *library = strstr(text, "lib;x.so+0x1000");
	const char *program = strstr(text, "prog+0x401000");

	(void)state;
	assert_non_null(library);
	assert_non_null(program);
	assert_true(library < program);
	assert_non_null(strstr(text, " 53.33%        40     0.040  lib;x.so+"));
	assert_non_null(strstr(text, "0x401008\n"));
	assert_non_null(strstr(text, "75 samples, 0.075 s of CPU time in 1 process"));
	assert_non_null(strstr(text, "\n0 lost, 0 outside"));
	free(text);
}

static void a_limited_table_says_what_is_missing(void **state)
{
	char *text;

	(void)state;
	report.limit = 1;
	text = output(report_text, NULL);
	report.limit = 0;
	assert_non_null(strstr(text, "and 2 more functions"));
	assert_null(strstr(text, "prog+0x401000"));
	free(text);
}

static void the_table_says_what_is_not_known(void **state)
{
	char *text = output(report_text, NULL);

	(void)state;
	assert_null(strstr(text, "still run"));
	assert_null(strstr(text, "samples were lost"));
	free(text);
	profile.running = 2;
	profile.lost = 3;
	profile.faulted = 1;
	text = output(report_text, NULL);
	profile.running = profile.faulted = profile.lost = 0;
	assert_non_null(strstr(text, "\n2 process(es) still run\n"));
	assert_non_null(strstr(text, "\n3 samples were lost: their memory could not be written in time\n"));
	assert_non_null(strstr(text, "\n1 file(s) could not be written"));
	free(text);
}

static void folded_stacks_have_no_foreign_separators(void **state)
{
	char *text = output(report_folded, NULL);

	(void)state;
	assert_string_equal(text,
		"prog;lib:x.so;lib:x.so+0x1000 40\n"
		"prog;prog;prog+0x401000 30\n"
		"prog;prog;prog+0x402000 5\n");
	free(text);
}

static uint64_t gmon_sum(const char *text, size_t size, unsigned int *records)
{
	uint64_t sum = 0;
	size_t at = 20;

	*records = 0;
	while (at < size) {
		uint32_t n, i;
		uint16_t bin;

		assert_int_equal(text[at], 0);
		memcpy(&n, text + at + 17, sizeof(n));
		for (i = 0; i < n; i++) {
			memcpy(&bin, text + at + 41 + 2 * i, sizeof(bin));
			sum += bin;
		}
		at += 41 + 2 * n;
		++*records;
	}
	assert_int_equal(at, size);
	return sum;
}

static void gmon_has_the_program_and_counts_beyond_16_bits(void **state)
{
	unsigned int records;
	uint64_t low, high;
	uint32_t rate;
	size_t size;
	char *text = output(report_gmon, &size);

	(void)state;
	assert_memory_equal(text, "gmon\1\0\0\0", 8);
	memcpy(&low, text + 21, 8);
	memcpy(&high, text + 29, 8);
	memcpy(&rate, text + 41, 4);
	assert_int_equal(low, 0x401000);
	assert_int_equal(high, 0x403000);
	assert_int_equal(rate, 1000);
	assert_int_equal(gmon_sum(text, size, &records), 35);
	assert_int_equal(records, 1);
	free(text);

	profile.places[0].samples += 3 * 65535;
	text = output(report_gmon, &size);
	profile.places[0].samples -= 3 * 65535;
	assert_int_equal(gmon_sum(text, size, &records), 35 + 3 * 65535);
	assert_int_equal(records, 4);
	free(text);
}

static void gmon_of_a_library_is_asked_for(void **state)
{
	unsigned int records;
	size_t size;
	char *text;

	(void)state;
	report.object = "lib;x.so";
	text = output(report_gmon, &size);
	report.object = NULL;
	assert_int_equal(gmon_sum(text, size, &records), 40);
	free(text);
}

/* --- what only a damaged or hostile file has --------------------------------- */

/* A report of another file than that of make_report(); to be freed. */
static struct report *load(struct synthetic *other)
{
	struct report *made = calloc(1, sizeof(*made));

	made->profile = calloc(1, sizeof(*made->profile));
	assert_true(load_path(made->profile,
			      synthetic_write(other, "other.2", other->size)));
	places_finish(made->profile);
	functions_of_places(&made->functions, made->profile);
	return made;
}

static void unload(struct report *made)
{
	size_t i;

	for (i = 0; i < made->profile->nobjects; i++)
		symbols_free(&made->profile->objects[i]);
	functions_free(&made->functions);
	profile_free(made->profile);
	free(made->profile);
	free(made);
}

static void a_gmon_of_more_text_than_there_is_memory_is_refused(void **state)
{
	static struct synthetic other;
	struct report *made;
	char *text;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	(void)state;
	synthetic_begin(&other);
	synthetic_object(&other, 0, "/none/prog", 0x1000, 1ULL << 40, 0);
	synthetic_samples(&other, (1ULL << 40) - 8, 1);
	made = load(&other);
	assert_false(report_gmon(made, out));
	fclose(out);
	assert_int_equal(size, 0);
	free(text);
	unload(made);
}

static void samples_at_the_end_of_the_address_space_have_an_end(void **state)
{
	static struct synthetic other;
	struct report *made;

	(void)state;
	synthetic_begin(&other);
	synthetic_samples(&other, 0xfffffffffffff010, 1);
	synthetic_samples(&other, UINT64_MAX, 2);
	made = load(&other);
	assert_int_equal(made->functions.n, 1);
	assert_int_equal(made->functions.rows[0].samples, 3);
	unload(made);
}

/* --- formats of others -------------------------------------------------------- */

static size_t gunzip(const char *packed, size_t size, uint8_t *out, size_t room)
{
	z_stream stream = {
		.next_in = (void *)(uintptr_t)packed, .avail_in = (unsigned int)size,
		.next_out = out, .avail_out = (unsigned int)room,
	};

	assert_int_equal(inflateInit2(&stream, 16 + MAX_WBITS), Z_OK);
	assert_int_equal(inflate(&stream, Z_FINISH), Z_STREAM_END);
	inflateEnd(&stream);
	return stream.total_out;
}

static void pprof_is_consistent(void **state)
{
	static uint8_t bytes[65536];
	int64_t samples = 0, ns = 0;
	PprofProfile *read;
	size_t size, i;
	char *packed = output(report_pprof, &size);

	(void)state;
	size = gunzip(packed, size, bytes, sizeof(bytes));
	read = pprof_profile__unpack(NULL, size, bytes);
	assert_non_null(read);
	assert_string_equal(read->string_table[0], "");
	assert_int_equal(read->period, 1000000);
	assert_int_equal(read->n_mapping, 2);
	assert_int_equal(read->n_function, 3);
	for (i = 0; i < read->n_sample; i++) {
		assert_int_equal(read->sample[i]->n_location, 1);
		assert_in_range(read->sample[i]->location[0], 1, read->n_location);
		samples += read->sample[i]->value[0];
		ns += read->sample[i]->value[1];
	}
	for (i = 0; i < read->n_location; i++) {
		PprofMapping *mapping =
			read->mapping[read->location[i]->mapping - 1];

		assert_in_range(read->location[i]->address, mapping->start,
				mapping->limit - 1);
		assert_in_range(read->location[i]->line[0]->function, 1,
				read->n_function);
	}
	assert_int_equal(samples, 75);
	assert_int_equal(ns, 75000000);
	pprof_profile__free_unpacked(read, NULL);
	free(packed);
}

static void cpuprofile_has_samples_between_header_and_maps(void **state)
{
	size_t size;
	char *text = output(report_cpuprofile, &size);
	const uint64_t *words = (const void *)text;
	uint64_t samples = 0;
	size_t at;

	(void)state;
	assert_int_equal(words[1], 3);
	assert_int_equal(words[3], 1000);
	for (at = 5; words[at]; at += 3) {
		assert_int_equal(words[at + 1], 1);
		samples += words[at];
	}
	assert_int_equal(samples, 75);
	assert_int_equal(words[at + 1], 1);
	assert_non_null(strstr(text + 8 * (at + 3), "r-xp 00401000 00:00 0 /none/prog\n"));
	free(text);
}

static void callgrind_totals_are_those_of_its_lines(void **state)
{
	char *text = output(report_callgrind, NULL), *line;
	unsigned long samples = 0, n;

	(void)state;
	assert_non_null(strstr(text, "\nob=/none/prog\nfl=???\nfn=prog+0x401000\n"));
	assert_non_null(strstr(text, "\ntotals: 75\n"));
	for (line = strtok(text, "\n"); line; line = strtok(NULL, "\n"))
		if (sscanf(line, "0x%*x %*u %lu", &n) == 1)
			samples += n;
	assert_int_equal(samples, 75);
	free(text);
}

static void text_of_others_is_cleaned(void **state)
{
	static const struct {
		const char	*text;
		const char	*clean;
	} cases[] = {
		{ "plain \"a\\b",	"plain \"a\\b" },
		{ "line\nend\x7f\t",	"line\\x0aend\\x7f\\x09" },
		{ "\x1b[31mred",	"\\x1b[31mred" },
		{ "\xc3\xa9",		"\xc3\xa9" },
		{ "\xe9t\xe9",		"\xc3\xa9t\xc3\xa9" },
		{ "\xc2\x9b" "1m",	"\\x9b1m" },
		{ "\x9b",		"\\x9b" },
		{ "\xc3",		"\xc3\x83" },
		{ "\xc0\x8a",		"\xc3\x80\\x8a" },
		{ "\xed\xa0\x80",	"\xc3\xad\xc2\xa0\\x80" },
		{ "\xf0\x9f\x98\x80",	"\xf0\x9f\x98\x80" },
		{ "a\xe2\x80\xae" "b",	"a\\u202eb" },
		{ "",			"" },
	};
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		char *clean = clean_text(cases[i].text);

		assert_string_equal(clean, cases[i].clean);
		free(clean);
	}
}

static void a_line_of_source_has_its_tabs(void **state)
{
	char *clean = clean_text_line("\tint\tx;\x1b");

	(void)state;
	assert_string_equal(clean, "\tint\tx;\\x1b");
	free(clean);
}

static void names_are_demangled(void **state)
{
	static const struct {
		const char	*symbol;
		const char	*name;
	} cases[] = {
		{ "main",			"main" },
		{ "_ZN4work3SumImE5up_toEm",	"work::Sum<unsigned long>::up_to(unsigned long)" },
		{ "_RNvC6_123foo3bar",		"123foo::bar" },
		{ "_ZN4core3fmt5write17h0123456789abcdefE", "core::fmt::write" },
		{ "_Zbroken",			"_Zbroken" },
	};
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		char *name = demangled_name(cases[i].symbol);

		assert_string_equal(name, cases[i].name);
		free(name);
	}
}

static void the_page_has_all_samples(void **state)
{
	char *text = output(report_html, NULL);

	(void)state;
	assert_int_equal(strncmp(text, "<!DOCTYPE html>", 15), 0);
	assert_non_null(strstr(text, "{\"name\":\"lib;x.so+0x1000\",\"object\":"
			       "1,\"samples\":40,"));
	assert_non_null(strstr(text, "[20,\"401008\",\"\"]"));
	assert_non_null(strstr(text, "\"by\":[[0,40,40000000]]"));
	assert_null(strstr(text, "src="));
	free(text);
}

/* --- other profiles ------------------------------------------------------------ */

static char *output_of(struct report *made, report_writer *write, size_t *size)
{
	char *text;
	size_t length;
	FILE *out = open_memstream(&text, &length);

	assert_true(write(made, out));
	fclose(out);
	if (size)
		*size = length;
	return text;
}

#define EVIL	"/none/a\nfn=b\x1b[2J</script>.so"

static void names_of_others_end_no_line(void **state)
{
	static struct synthetic other;
	struct report *made;
	const struct format *format;

	(void)state;
	synthetic_begin(&other);
	synthetic_object(&other, 0, EVIL, 0x401000, 0x403000, 0);
	synthetic_text(&other, PROFILE_NAME, "x\nfn=y\x1b", 7);
	synthetic_samples(&other, 0x401004, 10);
	made = load(&other);
	for (format = format_table; format->name; format++) {
		char *text;

		if (format->binary)
			continue;
		text = output_of(made, format->write, NULL);
		assert_null(strchr(text, '\x1b'));
		assert_null(strstr(text, "\nfn=b"));
		assert_null(strstr(text, "\nfn=y"));
		assert_true(format->write != report_html ||
			    !strstr(text, "[2J</script>"));
		free(text);
	}
	unload(made);
}

/* The mapping that cpuprofile has of an object. */
static void find_mapping(const char *text, size_t size, const char *path,
			 uint64_t *low, uint64_t *high)
{
	const char *end = text + size, *at = text;
	unsigned long long from, to;
	char line[300];

	*low = *high = 0;
	/* Words without a newline come first. */
	for (; at < end; at++) {
		snprintf(line, sizeof(line), "%.*s", (int)(end - at < 200 ?
			 end - at : 200), at);
		line[strcspn(line, "\n")] = '\0';
		if (sscanf(line, "%llx-%llx r-xp", &from, &to) == 2 &&
		    strstr(line, path)) {
			*low = from;
			*high = to;
			return;
		}
	}
}

static void programs_that_cannot_be_moved_do_not_overlap(void **state)
{
	static struct synthetic other;
	uint64_t low[2], high[2];
	struct report *made;
	size_t size;
	char *text;

	(void)state;
	synthetic_begin(&other);
	synthetic_fixed(&other, 0, "/none/first", 0x401000, 0x403000);
	synthetic_fixed(&other, 10, "/none/second", 0x400000, 0x402000);
	synthetic_samples(&other, 0x401004, 10);
	synthetic_samples(&other, 0x401004, 11);
	made = load(&other);
	text = output_of(made, report_cpuprofile, &size);
	find_mapping(text, size, "/none/first", &low[0], &high[0]);
	find_mapping(text, size, "/none/second", &low[1], &high[1]);
	/* The one with more samples is where it was. */
	assert_int_equal(low[1], 0x400000);
	assert_int_equal(high[0] - low[0], 0x2000);
	assert_true(low[0] >= high[1]);
	free(text);
	unload(made);
}

/* Characters of the longest line of the table. */
static size_t longest(const char *text)
{
	size_t most = 0, length;

	for (; *text && *text != '\n'; text += length + 1) {
		length = strcspn(text, "\n");
		if (length > most)
			most = length;
		if (!text[length])
			break;
	}
	return most;
}

static void a_table_is_as_wide_as_its_terminal(void **state)
{
	static struct synthetic other;
	struct report *made;
	char *text;

	(void)state;
	synthetic_begin(&other);
	synthetic_object(&other, 0, "/none/a-library-of-a-very-long-name-that-"
			 "goes-on-and-on-and-on-and-does-not-end-so-soon.so.1.2.3",
			 0x1000, 0x3000, 0);
	synthetic_samples(&other, 0x1004, 10);
	synthetic_samples(&other, 0x2004, 10);
	made = load(&other);
	text = output_of(made, report_text, NULL);
	assert_true(longest(text) > 200);
	assert_non_null(strstr(text, "so-soon.so.1.2.3+0x1000 "));
	free(text);
	for (made->width = 50; made->width < 200; made->width++) {
		text = output_of(made, report_text, NULL);
		assert_in_range(longest(text), made->width - 3, made->width);
		assert_non_null(strstr(text, ".."));
		free(text);
	}
	unload(made);
}

static void processes_have_shares_and_times(void **state)
{
	static struct synthetic other;
	struct report made = { 0 };
	struct profile both = { 0 };
	char *text;

	(void)state;
	made.profile = &both;
	synthetic_begin(&other);
	other.header.pid = 12;
	other.header.started_ns = 1000000000;
	other.header.ended_ns = 1200000000;
	synthetic_text(&other, PROFILE_ARGUMENTS, "make\0-s", 8);
	synthetic_samples(&other, 0x1004, 10);
	assert_true(load_path(&both,
			      synthetic_write(&other, "make.12", other.size)));
	synthetic_begin(&other);
	other.header.pid = 13;
	other.header.started_ns = 1100000000;
	other.header.state = PROFILE_RUNNING;
	synthetic_samples(&other, 0x1004, 30);
	assert_true(load_path(&both,
			      synthetic_write(&other, "cc1.13", other.size)));
	places_finish(&both);
	functions_of_places(&made.functions, &both);
	text = output_of(&made, report_text, NULL);
	assert_non_null(strstr(text, "\n        13     0.030   75.00%         -      -  cc1\n"
			       "        12     0.010   25.00%     0.200     5%  make -s\n"));
	assert_non_null(strstr(text, "0.200 s from start to end: 20% of a CPU"));
	free(text);
	functions_free(&made.functions);
	symbols_free(&both.objects[0]);
	symbols_free(&both.objects[1]);
	profile_free(&both);
}

static void a_difference_has_both_sides(void **state)
{
	static struct synthetic other;
	struct report *before;
	char *text;

	(void)state;
	synthetic_begin(&other);
	synthetic_object(&other, 0, "/else/where/prog", 0x401000, 0x403000, 0);
	synthetic_samples(&other, 0x401004, 15);
	synthetic_samples(&other, 0x402000, 5);
	before = load(&other);
	report.before = before;
	text = output(report_diff, NULL);
	report.before = NULL;
	assert_non_null(strstr(text, "   0.00%   53.33%   +53.33      0.040     +0.040  lib;x.so+0x1000"));
	assert_non_null(strstr(text, "  75.00%   40.00%   -35.00      0.030     +0.015  prog+0x401000"));
	assert_non_null(strstr(text, "  25.00%    6.67%   -18.33      0.005     +0.000  prog+0x402000"));
	assert_non_null(strstr(text, "0.075 s of CPU time, 0.020 s before: +0.055 s, +275.00%"));
	free(text);
	unload(before);
}

static void a_selected_object_is_the_only_one(void **state)
{
	static const struct selection selection = { .object = "pr?g" };
	struct report *made;
	char *text;

	(void)state;
	made = load(&file);
	functions_free(&made->functions);
	assert_true(selection_apply(made->profile, &selection));
	functions_of_places(&made->functions, made->profile);
	text = output_of(made, report_text, NULL);
	assert_null(strstr(text, "lib;x.so"));
	assert_non_null(strstr(text, " 85.71%        30     0.030  prog+0x401000"));
	assert_non_null(strstr(text, "46.67% of 75 samples"));
	free(text);
	unload(made);
}

/* A make of a large project has thousands of them. */
static void many_processes_are_shown_by_name(void **state)
{
	static struct synthetic other;
	struct report made = { 0 };
	struct profile many = { 0 };
	char name[20], *text;
	unsigned int i;

	(void)state;
	made.profile = &many;
	for (i = 1; i <= 201; i++) {
		synthetic_begin(&other);
		synthetic_object(&other, 0, "/none/prog", 0x401000, 0x403000, 0);
		synthetic_samples(&other, 0x401004, 1);
		other.header.pid = i;
		snprintf(name, sizeof(name), "%s.%u", i % 2 ? "odd" : "even", i);
		assert_true(load_path(&many, synthetic_write(&other, name,
							     other.size)));
	}
	places_finish(&many);
	functions_of_places(&made.functions, &many);
	text = output_of(&made, report_html, NULL);
	assert_non_null(strstr(text, "\"processes\":[{\"name\":\"odd\",\"title\":"
			       "\"odd\"},{\"name\":\"even\",\"title\":\"even\"}]"));
	assert_non_null(strstr(text, "\"by\":[[0,101,101000000],[1,100,100000000]]"));
	free(text);
	functions_free(&made.functions);
	symbols_free(&many.objects[0]);
	profile_free(&many);
}

static void speedscope_has_all_of_the_time(void **state)
{
	char *text = output(report_json, NULL);

	(void)state;
	assert_non_null(strstr(text, "\"endValue\":75000000,"));
	/* What is in one function is one stack. */
	assert_non_null(strstr(text, "\"weights\":[30000000,5000000,40000000]"));
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_table_has_all_functions_by_time),
		cmocka_unit_test(a_limited_table_says_what_is_missing),
		cmocka_unit_test(the_table_says_what_is_not_known),
		cmocka_unit_test(folded_stacks_have_no_foreign_separators),
		cmocka_unit_test(gmon_has_the_program_and_counts_beyond_16_bits),
		cmocka_unit_test(gmon_of_a_library_is_asked_for),
		cmocka_unit_test(a_gmon_of_more_text_than_there_is_memory_is_refused),
		cmocka_unit_test(samples_at_the_end_of_the_address_space_have_an_end),
		cmocka_unit_test(pprof_is_consistent),
		cmocka_unit_test(cpuprofile_has_samples_between_header_and_maps),
		cmocka_unit_test(callgrind_totals_are_those_of_its_lines),
		cmocka_unit_test(text_of_others_is_cleaned),
		cmocka_unit_test(a_line_of_source_has_its_tabs),
		cmocka_unit_test(names_of_others_end_no_line),
		cmocka_unit_test(programs_that_cannot_be_moved_do_not_overlap),
		cmocka_unit_test(a_table_is_as_wide_as_its_terminal),
		cmocka_unit_test(processes_have_shares_and_times),
		cmocka_unit_test(a_difference_has_both_sides),
		cmocka_unit_test(a_selected_object_is_the_only_one),
		cmocka_unit_test(many_processes_are_shown_by_name),
		cmocka_unit_test(speedscope_has_all_of_the_time),
		cmocka_unit_test(names_are_demangled),
		cmocka_unit_test(the_page_has_all_samples),
	};

	return cmocka_run_group_tests(tests, make_report, free_report);
}
