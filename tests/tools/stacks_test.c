// SPDX-License-Identifier: LGPL-2.1-or-later
/* Stacks: from the stream and the array of a file to trees of calls. */
#include "unit.h"
#include "content/calls_of_stacks.h"
#include "content/functions_of_places.h"
#include "content/selection.h"
#include "object/frames.h"
#include "profile/load_path.h"
#include "profile/places.h"
#include "synthetic.h"

#include <stdlib.h>
#include <string.h>

static struct synthetic file;
static struct profile profile;
static struct functions functions;
static struct call_tree tree;

/* Functions of a program that is nowhere are its pages. */
#define MAIN	0x401010
#define ONE	0x402020
#define TWO	0x403030
#define LEAF	0x404040

static int begin(void **state)
{
	(void)state;
	synthetic_begin(&file);
	synthetic_object(&file, 0, "/none/prog", 0x401000, 0x408000, 0);
	profile = (struct profile){ 0 };
	return 0;
}

static int end(void **state)
{
	size_t i;

	(void)state;
	for (i = 0; i < profile.nobjects; i++)
		symbols_free(&profile.objects[i]);
	call_tree_free(&tree);
	functions_free(&functions);
	profile_free(&profile);
	return 0;
}

static void count(void)
{
	functions_of_places(&functions, &profile);
	if (profile_has_stacks(&profile))
		calls_of_stacks(&tree, &profile, &functions);
}

static void read_file(void)
{
	synthetic_end(&file);
	assert_true(load_path(&profile,
			      synthetic_write(&file, "prog.1", file.size)));
	places_finish(&profile);
}

static void load(void)
{
	read_file();
	count();
}

/* The tree as text: "name self/total" of each call, with its callees behind it. */
static void print_call(FILE *out, uint32_t i)
{
	const struct call *call = &tree.calls[i];
	const char *name = i ? functions.rows[call->row].name : "";
	const char *plus = strstr(name, "+0x");
	uint32_t next;

	fprintf(out, "%s %d/%d", plus ? plus + 3 : name, (int)call->samples,
		(int)call->total);
	for (next = i + 1; next < call->end; next = tree.calls[next].end) {
		assert_int_equal(tree.calls[next].parent, i);
		assert_int_equal(tree.calls[next].depth, call->depth + 1);
		fputs(next == i + 1 ? " (" : ", ", out);
		print_call(out, next);
	}
	if (call->end > i + 1)
		fputc(')', out);
}

static void assert_tree(const char *wanted)
{
	char *text;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	print_call(out, 0);
	fclose(out);
	assert_string_equal(text, wanted);
	free(text);
}

static uint64_t reached(const char *name)
{
	size_t i;

	for (i = 0; i < functions.n; i++)
		if (strstr(functions.rows[i].name, name))
			return functions.rows[i].reached;
	fail();
	return 0;
}

static void stacks_are_a_tree_of_calls(void **state)
{
	(void)state;
	synthetic_stack(&file, 1, 1, LEAF, ONE, MAIN);
	synthetic_stack(&file, 1, 2, LEAF, ONE + 4, MAIN + 8);
	synthetic_stack(&file, 1, 4, ONE, MAIN);
	synthetic_stack(&file, 1, 8, LEAF, TWO, MAIN);
	load();
	assert_int_equal(profile.samples, 15);
	assert_tree(" 0/15 (401000 0/15 (403000 0/8 (404000 8/8), "
		    "402000 4/7 (404000 3/3)))");
	assert_int_equal(reached("401000"), 15);
	assert_int_equal(reached("404000"), 11);
}

static void recursion_has_each_stack_once(void **state)
{
	(void)state;
	synthetic_stack(&file, 1, 3, LEAF, ONE, TWO, ONE, ONE, MAIN);
	synthetic_stack(&file, 1, 2, ONE, MAIN);
	load();
	assert_int_equal(reached("402000"), 5);
	assert_int_equal(reached("403000"), 3);
}

static void what_has_no_record_has_no_stack(void **state)
{
	(void)state;
	synthetic_stack(&file, 7, 1, LEAF, MAIN);
	synthetic_samples(&file, LEAF, 2);
	synthetic_samples(&file, ONE, 1);
	synthetic_stack(&file, 7, 1, LEAF, MAIN);
	load();
	assert_int_equal(profile.samples, 5);
	assert_tree(" 0/5 (404000 2/2, 401000 0/2 (404000 2/2), 402000 1/1)");
	assert_int_equal(profile.stacks.nthreads, 2);
	assert_int_equal(profile.stacks.threads[0].id, 7);
	assert_int_equal(profile.stacks.threads[0].samples, 2);
	assert_int_equal(profile.stacks.threads[1].id, 0);
	assert_int_equal(profile.stacks.threads[1].samples, 3);
}

static void what_the_array_has_lost_counts_as_well(void **state)
{
	(void)state;
	synthetic_stack(&file, 1, 1, LEAF, MAIN);
	synthetic_stack(&file, 1, 2, ONE, MAIN);
	memset(file.bytes + SAMPLES_AT + 8, 0, 8);
	synthetic_samples(&file, ONE, 1);
	load();
	assert_int_equal(profile.samples, 4);
	assert_int_equal(profile.lost, 0);
	assert_tree(" 0/4 (401000 0/3 (402000 2/2, 404000 1/1), 402000 1/1)");
}

static const struct moment *moment_of(size_t i)
{
	assert_true(i < profile.stacks.nmoments);
	return &profile.stacks.moments[i];
}

static void moments_are_in_order_of_time(void **state)
{
	const u64 frames[] = { ONE, MAIN };
	struct profil_stack_record late = {
		.sample = 0, .count = 1, .thread = 3, .frame = frames,
		.nframes = 2, .time_us = 5000000,
	};

	(void)state;
	file.header.started_ns = 1000000000000;
	synthetic_samples(&file, ONE, 1);
	synthetic_stack(&file, 1, 2, LEAF, MAIN);
	synthetic_samples(&file, TWO, 1);
	synthetic_stack(&file, 1, 1, LEAF, MAIN);
	synthetic_record(&file, &late);
	load();
	assert_int_equal(profile.stacks.nmoments, 4);
	assert_int_equal(moment_of(0)->time_ns, 1000000000000);
	assert_int_equal(moment_of(1)->time_ns, 1000001000000);
	assert_int_equal(moment_of(1)->span_ns, 1000000);
	assert_int_equal(moment_of(1)->samples, 2);
	/* Between samples 1, at 1 ms, and 4, at 4 ms. */
	assert_int_equal(moment_of(2)->time_ns, 1000003000000);
	assert_int_equal(moment_of(2)->flags, STACK_NONE);
	assert_int_equal(moment_of(3)->time_ns, 1000004000000);
	assert_int_equal(profile.stacks.threads[moment_of(0)->thread].id, 3);
}

static void threads_have_names(void **state)
{
	const struct profil_stack_record name = {
		.flags = PROFIL_STACK_NAME, .thread = 12, .name = "wor\nker",
	};

	(void)state;
	synthetic_stack(&file, 12, 1, LEAF, MAIN);
	synthetic_record(&file, &name);
	synthetic_stack(&file, 13, 1, LEAF, MAIN);
	load();
	assert_int_equal(profile.stacks.nthreads, 2);
	assert_string_equal(profile.stacks.threads[0].name, "wor\\x0aker");
	assert_null(profile.stacks.threads[1].name);
}

static void in_the_kernel(uint32_t flags, uint32_t number, u64 pc)
{
	const u64 frames[] = { pc, MAIN };
	const struct profil_stack_record record = {
		.sample = (file.size - SAMPLES_AT) / 8, .count = 1, .thread = 1,
		.flags = flags, .syscall = number, .frame = frames, .nframes = 2,
	};

	synthetic_record(&file, &record);
	synthetic_samples(&file, pc, 1);
}

static void time_in_the_kernel_is_a_call(void **state)
{
	const uint32_t call = PROFIL_STACK_KERNEL | PROFIL_STACK_SYSCALL;

	(void)state;
	in_the_kernel(call, 0, ONE);
	in_the_kernel(call, 999, ONE);
	in_the_kernel(call, 999, ONE);
	in_the_kernel(PROFIL_STACK_KERNEL, 0, LEAF);
	in_the_kernel(PROFIL_STACK_SYSCALL, 1, LEAF);
	load();
	assert_tree(" 0/5 (401000 0/5 (402000 0/3 ([syscall 999] 2/2, [read] 1/1), "
		    "404000 1/2 ([page fault] 1/1)))");
	/* The flat profile has where it was entered from. */
	assert_int_equal(profile.nplaces, 2);
	assert_int_equal(profile.places[0].samples, 3);
	assert_int_equal(functions.rows[0].samples, 3);
}

static void narrow_programs_have_system_calls_of_their_own(void **state)
{
	const u64 frames[] = { ONE };
	const struct profil_stack_record record = {
		.flags = PROFIL_STACK_KERNEL | PROFIL_STACK_SYSCALL, .count = 1,
		.syscall = 3, .frame = frames, .nframes = 1, .thread = 1,
	};
	const uint32_t pcs[] = { ONE, 0 };

	(void)state;
	file.header.sample_width = 4;
	synthetic_record(&file, &record);
	memcpy(file.bytes + file.size, pcs, sizeof(pcs));
	file.size += sizeof(pcs);
	load();
	assert_tree(" 0/1 (402000 0/1 ([read] 1/1))");
}

static void objects_are_those_of_the_time(void **state)
{
	const u64 frames[] = { 0x501010, MAIN };
	struct profil_stack_record late = {
		.sample = 0, .count = 1, .thread = 2, .frame = frames, .nframes = 2,
	};

	(void)state;
	synthetic_object(&file, 0, "/none/first", 0x501000, 0x502000, 0x500000);
	synthetic_samples(&file, 0x501010, 1);
	synthetic_stack(&file, 1, 1, 0x501010, MAIN);
	synthetic_gone(&file, 2, 0x501000);
	synthetic_object(&file, 2, "/none/second", 0x501000, 0x502000, 0x500000);
	synthetic_stack(&file, 1, 1, 0x501010, MAIN);
	synthetic_record(&file, &late);
	load();
	assert_int_equal(functions.n, 3);
	assert_string_equal(functions.rows[0].name, "first+0x1000");
	assert_int_equal(functions.rows[0].samples, 2);
	assert_string_equal(functions.rows[1].name, "second+0x1000");
	assert_tree(" 0/3 (401000 0/3 (1000 2/2, 1000 1/1))");
}

#define LIBRARY	FIXTURES "/inlined.so"

/* An address in what is inlined into has_calls(). */
static uint64_t find_inlined(void)
{
	static char path[] = LIBRARY;
	struct object object = { .path = path, .shown = path, .name = path };
	struct frame frames[FRAMES_MOST];
	uint64_t address = 0x1000;

	while (address < 0x40000 &&
	       (frames_at(&object, address, frames) != 2 ||
		strcmp(frames[1].name, "has_calls")))
		address++;
	symbols_free(&object);
	return address;
}

static void inlined_calls_are_calls(void **state)
{
	const uint64_t bias = 0x7f0000000000;

	(void)state;
	synthetic_object(&file, 0, LIBRARY, bias + 0x1000, bias + 0x40000, bias);
	synthetic_stack(&file, 1, 3, LEAF, bias + find_inlined(), MAIN);
	load();
	assert_tree(" 0/3 (401000 0/3 (has_calls 0/3 (twice(int) 0/3 "
		    "(404000 3/3))))");
}

static void stacks_are_selected_with_places(void **state)
{
	const struct selection selection = { .function = "*401000" };

	(void)state;
	synthetic_stack(&file, 1, 2, LEAF, MAIN);
	synthetic_stack(&file, 1, 1, MAIN);
	read_file();
	assert_true(selection_apply(&profile, &selection));
	count();
	assert_tree(" 0/1 (401000 1/1)");
	assert_int_equal(profile.stacks.nmoments, 1);
	assert_int_equal(profile.stacks.threads[0].samples, 1);
	assert_int_equal(profile.samples, 1);
}

static void files_without_stacks_are_added(void **state)
{
	(void)state;
	synthetic_samples(&file, LEAF, 5);
	assert_true(load_path(&profile,
			      synthetic_write(&file, "prog.2", file.size)));
	synthetic_begin(&file);
	synthetic_object(&file, 0, "/none/prog", 0x401000, 0x408000, 0);
	synthetic_stack(&file, 1, 2, LEAF, MAIN);
	load();
	assert_int_equal(profile.samples, 7);
	assert_tree(" 0/7 (404000 5/5, 401000 0/2 (404000 2/2))");
}

static void a_damaged_stream_is_read_as_far_as_it_goes(void **state)
{
	(void)state;
	synthetic_stack(&file, 1, 2, LEAF, MAIN);
	file.stream.bytes[file.stream.size] = 0x20;
	synthetic_stack(&file, 1, 1, ONE, MAIN);
	synthetic_end(&file);
	file.header.stacks_capacity -= 3;
	assert_true(load_path(&profile,
			      synthetic_write(&file, "prog.1", file.size - 3)));
	places_finish(&profile);
	count();
	assert_int_equal(profile.samples, 3);
	assert_tree(" 0/3 (401000 0/2 (404000 2/2), 402000 1/1)");
}

static void deep_stacks_are_whole(void **state)
{
	u64 frames[PROFIL_STACK_FRAMES];
	size_t i;

	(void)state;
	for (i = 0; i < PROFIL_STACK_FRAMES; i++)
		frames[i] = 0x401000 + 0x1000 * (i % 7);
	synthetic_frames(&file, 1, 3, frames, PROFIL_STACK_FRAMES);
	load();
	assert_int_equal(tree.n, PROFIL_STACK_FRAMES + 1);
	assert_int_equal(tree.calls[PROFIL_STACK_FRAMES].total, 3);
	assert_int_equal(reached("401000"), 3);
}

int main(void)
{
#define test(name) cmocka_unit_test_setup_teardown(name, begin, end)
	const struct CMUnitTest tests[] = {
		test(stacks_are_a_tree_of_calls),
		test(recursion_has_each_stack_once),
		test(what_has_no_record_has_no_stack),
		test(what_the_array_has_lost_counts_as_well),
		test(moments_are_in_order_of_time),
		test(threads_have_names),
		test(time_in_the_kernel_is_a_call),
		test(narrow_programs_have_system_calls_of_their_own),
		test(objects_are_those_of_the_time),
		test(inlined_calls_are_calls),
		test(stacks_are_selected_with_places),
		test(files_without_stacks_are_added),
		test(a_damaged_stream_is_read_as_far_as_it_goes),
		test(deep_stacks_are_whole),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
