// SPDX-License-Identifier: LGPL-2.1-or-later
/* The page takes not too many bytes. tests/clients/stacks-check.js has what is in them. */
#include "unit.h"
#include "common/memory.h"
#include "content/calls_of_stacks.h"
#include "content/functions_of_places.h"
#include "content/report.h"
#include "formats/html_bins.h"
#include "formats/html_tree.h"
#include "profile/places.h"

#include <stdlib.h>

#define PERIOD	1000000
#define STARTED	1000000000000

static struct profile profile;
static struct report report;
static struct html_bins bins;
static uint32_t program;

static int begin(void **state)
{
	static char path[] = "/none/program";

	(void)state;
	ensure(profile.processes, profile.nprocesses, profile.processes_room);
	profile.processes[profile.nprocesses++] = (struct process){
		.command = profile_find_command(&profile, format_text("program")),
		.pid = 1, .started_ns = STARTED, .period_ns = PERIOD,
	};
	program = profile_find_object(&profile, &(struct object){ .path = path });
	return 0;
}

static void finish(void)
{
	places_finish(&profile);
	report.profile = &profile;
	functions_of_places(&report.functions, &profile);
	calls_of_stacks(&report.calls, &profile, &report.functions);
}

static int end(void **state)
{
	(void)state;
	html_bins_free(&bins);
	call_tree_free(&report.calls);
	functions_free(&report.functions);
	for (size_t i = 0; i < profile.nobjects; i++)
		symbols_free(&profile.objects[i]);
	profile_free(&profile);
	profile = (struct profile){ 0 };
	report = (struct report){ 0 };
	return 0;
}

static uint32_t add_stack(uint32_t node, uint64_t address)
{
	return stacks_node(&profile.stacks, node, program, address);
}

static void add_moment(uint64_t at_ns, uint64_t span_ns, uint32_t samples,
		       uint32_t node, uint32_t thread)
{
	stacks_moment(&profile.stacks, &(struct moment){
		.time_ns = STARTED + at_ns, .span_ns = span_ns,
		.samples = samples, .node = node, .thread = thread }, 0);
}

static uint32_t *same_numbers(void)
{
	uint32_t *numbers = allocate(report.calls.n * sizeof(*numbers)), i;

	for (i = 0; i < report.calls.n; i++)
		numbers[i] = i;
	return numbers;
}

static void make_bins(void)
{
	uint32_t *numbers;

	finish();
	numbers = same_numbers();
	html_bins_make(&bins, &report, numbers, SIZE_MAX);
	free(numbers);
}

static uint64_t sum_of_bins(void)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < bins.n; i++)
		sum += bins.entries[i].samples;
	return sum;
}

/* --- bins ---------------------------------------------------------------------------- */

TEST(samples_of_a_long_moment_are_spread)
{
	uint32_t thread = stacks_thread(&profile.stacks, 0, 1);

	add_moment(500, 99 * PERIOD, 100, add_stack(0, 0x1000), thread);
	make_bins();
	assert_int_equal(bins.n, 100);
	for (size_t i = 0; i < bins.n; i++)
		assert_int_equal(bins.entries[i].samples, 1);
}

TEST(bins_become_wider_for_a_long_time)
{
	uint32_t thread = stacks_thread(&profile.stacks, 0, 1);
	uint32_t node = add_stack(0, 0x1000), *numbers;

	add_moment(0, 0, 1, node, thread);
	add_moment(1000000000000, 0, 1, node, thread);
	make_bins();
	assert_int_equal(bins.width_ns, 200000000);
	assert_int_equal(bins.count, 5001);
	numbers = same_numbers();
	html_bins_widen(&bins, &report, numbers);
	free(numbers);
	assert_int_equal(bins.width_ns, 500000000);
	assert_int_equal(bins.count, 2001);
	assert_int_equal(sum_of_bins(), 2);
}

TEST(moments_without_end_take_no_more_memory)
{
	uint32_t thread = stacks_thread(&profile.stacks, 0, 1), i;
	uint32_t node = add_stack(0, 0x1000);

	for (i = 0; i < 2000; i++)
		add_moment(i, i % 2 ? UINT64_MAX : INT64_MAX, UINT32_MAX, node,
			   thread);
	make_bins();
	assert_true(bins.count <= 8192);
	assert_true(bins.room <= 1 << 22);
	assert_int_equal(sum_of_bins(), 2000ULL * UINT32_MAX);
}

TEST(bins_say_that_they_are_too_narrow)
{
	uint32_t node = add_stack(0, 0x1000), *numbers, i;

	for (i = 0; i < 2000; i++)
		add_moment(0, 8000 * (uint64_t)PERIOD, 8000, node,
			   stacks_thread(&profile.stacks, 0, i + 1));
	make_bins();
	assert_true(bins.crowded);
	numbers = same_numbers();
	while (bins.crowded)
		html_bins_widen(&bins, &report, numbers);
	free(numbers);
	assert_int_equal(bins.width_ns, 10 * PERIOD);
	assert_in_range(bins.entries[400].samples, 2 * 9 * 1000, 2 * 11 * 1000);
}

TEST(many_threads_of_a_name_are_one_lane)
{
	struct stacks *stacks = &profile.stacks;
	uint32_t node = add_stack(0, 0x1000), i;

	for (i = 1; i <= 1002; i++) {
		uint32_t thread = stacks_thread(stacks, 0, i);

		stacks->threads[thread].name = format_text(i > 1 ? "worker" : "main");
		add_moment(i, 0, 1, node, thread);
	}
	make_bins();
	assert_int_equal(bins.nlanes, 2);
	assert_int_equal(bins.lanes[0].threads, 1);
	assert_int_equal(bins.lanes[1].threads, 1001);
	assert_int_equal(sum_of_bins(), 1002);
}

/* --- the tree -------------------------------------------------------------------------- */

/* Stacks that have nothing in common but main. */
static void add_different_stacks(uint32_t n, uint32_t depth)
{
	uint32_t thread = stacks_thread(&profile.stacks, 0, 1), i, j;
	uint32_t main_node = add_stack(0, 0x1000);

	for (i = 0; i < n; i++) {
		uint32_t node = main_node;

		for (j = 0; j < depth; j++)
			node = add_stack(node, 0x10000 + 0x1000 *
					 (uint64_t)((i >> j) * 7 % 64));
		add_moment(i, 0, 1, node, thread);
	}
	finish();
}

static void make_tree(struct html_tree *tree)
{
	uint32_t *numbers = allocate((report.functions.n + 1) * sizeof(*numbers));

	for (uint32_t i = 0; i <= report.functions.n; i++)
		numbers[i] = i;
	html_tree_make(tree, &report, numbers);
	free(numbers);
}

TEST(a_large_tree_is_cut_to_a_size)
{
	struct html_tree tree;

	add_different_stacks(60000, 25);
	make_tree(&tree);
	assert_true(report.calls.n > 700000);
	assert_true(tree.least > 1);
	assert_true(tree.packed.n <= 1500000);
	html_tree_free(&tree);
}

UNIT_MAIN("html", begin, end, NULL, NULL)
