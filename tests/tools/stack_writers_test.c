// SPDX-License-Identifier: LGPL-2.1-or-later
/* Stacks in all formats that have them. Viewers read them in tests/clients. */
#include "unit.h"
#include "content/calls_of_stacks.h"
#include "content/functions_of_places.h"
#include "content/report.h"
#include "formats/formats.h"
#include "profile/load_path.h"
#include "profile/places.h"
#include "pprof.pb-c.h"
#include "synthetic.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

static struct synthetic file;
static struct profile profile;
static struct report report;

/* Functions of a program that is nowhere are its pages. */
#define MAIN	0x401010
#define ONE	0x402020
#define TWO	0x403030
#define LEAF	0x404040

static int load_file(void)
{
	synthetic_end(&file);
	profile = (struct profile){ 0 };
	report = (struct report){ .profile = &profile };
	if (!load_path(&profile, synthetic_write(&file, "prog.1", file.size)))
		return -1;
	places_finish(&profile);
	functions_of_places(&report.functions, &profile);
	calls_of_stacks(&report.calls, &profile, &report.functions);
	return 0;
}

/* 13 samples: 9 of thread 11, in three stretches, 3 of 12, and 1 of nobody. */
static int make_report(void **state)
{
	const u64 frames[] = { ONE, MAIN };
	const struct profil_stack_record name = {
		.flags = PROFIL_STACK_NAME, .thread = 12, .name = "worker",
	};
	struct profil_stack_record call = {
		.flags = PROFIL_STACK_KERNEL | PROFIL_STACK_SYSCALL, .count = 3,
		.thread = 12, .frame = frames, .nframes = 2,
	};

	(void)state;
	synthetic_begin(&file);
	synthetic_object(&file, 0, "/none/prog", 0x401000, 0x408000, 0);
	synthetic_stack(&file, 11, 2, LEAF, ONE, MAIN);
	synthetic_record(&file, &name);
	call.sample = 2;
	call.time_us = SYNTHETIC_BEGIN_NS / 1000 + 2000;
	synthetic_record(&file, &call);
	synthetic_samples(&file, ONE, 3);
	synthetic_stack(&file, 11, 3, TWO, ONE, TWO, MAIN);
	synthetic_stack(&file, 11, 4, LEAF, ONE, MAIN);
	synthetic_samples(&file, LEAF, 1);
	return load_file();
}

static int free_report(void **state)
{
	size_t i;

	(void)state;
	for (i = 0; i < profile.nobjects; i++)
		symbols_free(&profile.objects[i]);
	call_tree_free(&report.calls);
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

static void folded_stacks_are_whole(void **state)
{
	char *text = output(report_folded, NULL);

	(void)state;
	assert_string_equal(text,
		"prog;prog+0x401000;prog+0x402000;prog+0x404000 6\n"
		"prog;prog+0x401000;prog+0x402000;[read] 3\n"
		"prog;prog+0x401000;prog+0x403000;prog+0x402000;prog+0x403000 3\n"
		"prog;prog+0x404000 1\n");
	free(text);
}

static void the_table_has_what_functions_have_called(void **state)
{
	char *text = output(report_text, NULL);

	(void)state;
	assert_non_null(strstr(text, "  share   samples   seconds    total  function"));
	assert_non_null(strstr(text, " 53.85%         7     0.007   53.85%  prog+0x404000"));
	/* Once of each stack, and the kernel's time is where it was entered. */
	assert_non_null(strstr(text, " 23.08%         3     0.003   92.31%  prog+0x402000"));
	assert_non_null(strstr(text, " 23.08%         3     0.003   23.08%  prog+0x403000"));
	assert_null(strstr(text, "[read]"));
	assert_non_null(strstr(text, "\n12 samples with all callers, 0 with some, 1 with none\n"));
	free(text);
}

/* Of a function, as callgrind has it: in itself, and by its calls. */
struct cost {
	uint64_t	self, called;
};

static struct cost cost_of(const char *text, const char *function)
{
	struct cost cost = { 0, 0 };
	bool mine = false, called = false, is_call = false;
	char *copy = strdup(text), *line, *rest = copy;

	while ((line = strsep(&rest, "\n"))) {
		unsigned long long samples;

		if (!strncmp(line, "fn=", 3))
			mine = !strcmp(line + 3, function);
		else if (!strncmp(line, "cfn=", 4))
			called = !strcmp(line + 4, function);
		else if (!strncmp(line, "calls=", 6))
			is_call = true;
		else if (sscanf(line, "0x%*x %*d %llu", &samples) == 1) {
			if (is_call && called)
				cost.called += samples;
			if (!is_call && mine)
				cost.self += samples;
			is_call = false;
		}
	}
	free(copy);
	return cost;
}

static void callgrind_has_calls(void **state)
{
	char *text = output(report_callgrind, NULL);
	uint64_t samples = 0;
	size_t i;

	(void)state;
	for (i = 0; i < report.functions.n; i++) {
		const struct row *row = &report.functions.rows[i];
		struct cost cost = cost_of(text, row->name);

		assert_int_equal(cost.called, row->reached);
		samples += cost.self;
	}
	assert_int_equal(samples, 13);
	assert_int_equal(cost_of(text, "[read]").self, 3);
	assert_int_equal(cost_of(text, "prog+0x402000").self, 0);
	assert_non_null(strstr(text, "\nsummary: 13\n"));
	free(text);
}

/* A function that has been made twice, the second time with a call of the first. */
static int make_namesakes(void **state)
{
	static const char map[] = "1000 100 twice\n2000 100 twice\n3000 100 top\n";
	char path[256];
	FILE *out;

	free_report(state);
	snprintf(path, sizeof(path), "%s/perf-4711.map", synthetic_directory());
	out = fopen(path, "w");
	if (!out || fputs(map, out) < 0 || fclose(out))
		return -1;
	synthetic_begin(&file);
	synthetic_stack(&file, 11, 5, 0x1010, 0x2010, 0x3010);
	synthetic_stack(&file, 11, 2, 0x2020, 0x3010);
	return load_file();
}

static int make_report_again(void **state)
{
	free_report(state);
	return make_report(state);
}

/* Viewers know functions by their names, and add up what these are called with. */
static void callgrind_calls_namesakes_once(void **state)
{
	char *text = output(report_callgrind, NULL);

	(void)state;
	assert_int_equal(cost_of(text, "top").called, 7);
	assert_int_equal(cost_of(text, "twice").called, 7);
	assert_int_equal(cost_of(text, "twice").self, 7);
	free(text);
}

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

static const char *name_of(const PprofProfile *read, uint64_t location)
{
	const PprofLine *line = read->location[location - 1]->line[0];

	return read->string_table[read->function[line->function - 1]->name];
}

static void pprof_has_stacks_and_threads(void **state)
{
	static uint8_t bytes[65536];
	size_t size, i, j;
	char *packed = output(report_pprof, &size);
	PprofProfile *read;
	int64_t samples = 0, ns = 0, in_kernel = 0, of_worker = 0;

	(void)state;
	read = pprof_profile__unpack(NULL, gunzip(packed, size, bytes, sizeof(bytes)),
				     bytes);
	assert_non_null(read);
	for (i = 0; i < read->n_sample; i++) {
		const PprofSample *sample = read->sample[i];

		samples += sample->value[0];
		ns += sample->value[1];
		if (strcmp(name_of(read, sample->location[0]), "[read]"))
			continue;
		in_kernel += sample->value[0];
		assert_int_equal(sample->n_location, 3);
		assert_string_equal(name_of(read, sample->location[2]),
				    "prog+0x401000");
		for (j = 0; j < sample->n_label; j++)
			if (!strcmp(read->string_table[sample->label[j]->text],
				    "worker"))
				of_worker += sample->value[0];
	}
	assert_int_equal(samples, 13);
	assert_int_equal(ns, 13000000);
	assert_int_equal(in_kernel, 3);
	assert_int_equal(of_worker, 3);
	/* Each address is one. */
	assert_int_equal(read->n_location, 5);
	pprof_profile__free_unpacked(read, NULL);
	free(packed);
}

static void the_cpu_profile_has_return_addresses(void **state)
{
	size_t size, i, samples = 0;
	char *text = output(report_cpuprofile, &size);
	const uint64_t *words = (const void *)text;

	(void)state;
	/* Thread 11 has the most samples; its first stack, and its second. */
	assert_int_equal(words[5], 2);
	assert_int_equal(words[6], 3);
	assert_int_equal(words[7], words[8] + 0x2020 - 1);
	assert_int_equal(words[8], words[9] + 0x1010);
	assert_int_equal(words[10], 3);
	assert_int_equal(words[11], 4);
	for (i = 5; words[i]; i += 2 + words[i + 1])
		samples += words[i];
	assert_int_equal(samples, 13);
	free(text);
}

static void speedscope_has_threads_in_the_order_of_time(void **state)
{
	char *text = output(report_json, NULL);
	json_t *read = json_loads(text, 0, NULL), *profiles, *thread, *samples;

	(void)state;
	assert_non_null(read);
	profiles = json_object_get(read, "profiles");
	assert_int_equal(json_array_size(profiles), 3);
	thread = json_array_get(profiles, 0);
	assert_string_equal(json_string_value(json_object_get(thread, "name")),
			    "prog 4711, thread 11");
	samples = json_object_get(thread, "samples");
	assert_int_equal(json_array_size(samples), 3);
	assert_int_equal(json_array_size(json_array_get(samples, 1)), 4);
	assert_true(json_equal(json_array_get(samples, 0), json_array_get(samples, 2)));
	assert_int_equal(json_integer_value(json_object_get(thread, "endValue")),
			 9000000);
	thread = json_array_get(profiles, 1);
	assert_string_equal(json_string_value(json_object_get(thread, "name")),
			    "prog 4711, thread 12 worker");
	json_decref(read);
	free(text);
}

static uint64_t sum_of_bins(const char *text, size_t size)
{
	uint64_t sum = 0;
	size_t i;

	for (i = 20 + 41; i + 1 < size; i += 2)
		sum += (unsigned char)text[i] | (unsigned int)text[i + 1] << 8;
	return sum;
}

static void gmon_has_places_as_ever(void **state)
{
	size_t size;
	char *text = output(report_gmon, &size);

	(void)state;
	assert_int_equal(sum_of_bins(text, size), 13);
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(folded_stacks_are_whole),
		cmocka_unit_test(the_table_has_what_functions_have_called),
		cmocka_unit_test(callgrind_has_calls),
		cmocka_unit_test_setup_teardown(callgrind_calls_namesakes_once,
						make_namesakes, make_report_again),
		cmocka_unit_test(pprof_has_stacks_and_threads),
		cmocka_unit_test(the_cpu_profile_has_return_addresses),
		cmocka_unit_test(speedscope_has_threads_in_the_order_of_time),
		cmocka_unit_test(gmon_has_places_as_ever),
	};

	return cmocka_run_group_tests(tests, make_report, free_report);
}
