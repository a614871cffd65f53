// SPDX-License-Identifier: LGPL-2.1-or-later
#include "formats/html_tree.h"
#include "common/memory.h"
#include "common/sort_keys.h"

#include <stdlib.h>
#include <string.h>

#define TREE_MOST	1500000	/* bytes, before base64 */

/*
 * An omitted call. Its keeper is the innermost of its callers that is in the page. Time
 * in the kernel stays with the function that entered it.
 */
struct left {
	uint32_t	keeper;
	uint32_t	row, kernel;	/* or NO_ROW */
	uint32_t	call;
};

struct maker {
	struct html_tree	*tree;
	const struct call_tree	*calls;
	const uint32_t		*functions;
	bool			*kernel;	/* whether each row is of the kernel */
	uint32_t		few;		/* function for omitted calls */
	struct left		*left;
	size_t			nleft;
	uint32_t		depth;		/* of the call added last */
};

static bool *find_kernel(const struct report *report)
{
	const struct functions *functions = &report->functions;
	bool *kernel = allocate(functions->n * sizeof(*kernel));
	size_t i;

	for (i = 0; i < functions->n; i++)
		kernel[i] = report->profile->objects[functions->rows[i].object].kernel;
	return kernel;
}

static bool is_large(const struct maker *maker, uint32_t call)
{
	return !call || maker->calls->calls[call].total >= maker->tree->least;
}

static bool is_kernel(const struct maker *maker, uint32_t call)
{
	return maker->kernel[maker->calls->calls[call].row];
}

static bool is_kept(const struct maker *maker, uint32_t call)
{
	return is_large(maker, call) ||
	       (is_large(maker, maker->calls->calls[call].parent) &&
		is_kernel(maker, call));
}

/* By keeper, row, kernel, call; they are in the order of calls. */
static struct left *sort_left(struct left *left, size_t n)
{
	struct left *sorted = allocate(n * sizeof(*sorted));
	struct sort_key *keys = sort_keys_make(n);
	size_t i;

	/* NO_ROW + 1 is 0: the function itself comes first. */
	sort_keys_by(keys, n, j, left[j].kernel + 1);
	sort_keys_by(keys, n, j, (uint64_t)left[j].keeper << 32 | left[j].row);
	for (i = 0; i < n; i++)
		sorted[i] = left[keys[i].index];
	free(keys);
	free(left);
	return sorted;
}

static struct left make_left(const struct maker *maker, uint32_t keeper,
			     uint32_t i)
{
	const struct call *call = &maker->calls->calls[i];

	if (is_kernel(maker, i))
		return (struct left){ keeper, maker->calls->calls[call->parent].row,
				      call->row, i };
	return (struct left){ keeper, call->row, NO_ROW, i };
}

/* Finds the omitted calls. @first: index + 1 of the first for each keeper; 0: none. */
static void find_left(struct maker *maker, uint32_t *first)
{
	const struct call_tree *calls = maker->calls;
	uint32_t *keeper = allocate(calls->n * sizeof(*keeper)), i;

	maker->left = allocate(calls->n * sizeof(*maker->left));
	maker->nleft = 0;
	for (i = 1; i < calls->n; i++) {
		const struct call *call = &calls->calls[i];

		if (is_kept(maker, i))
			continue;
		keeper[i] = is_kept(maker, call->parent) ? call->parent :
			    keeper[call->parent];
		if (call->samples)
			maker->left[maker->nleft++] =
				make_left(maker, keeper[i], i);
	}
	free(keeper);
	maker->left = sort_left(maker->left, maker->nleft);
	for (i = (uint32_t)maker->nleft; i--;)
		first[maker->left[i].keeper] = i + 1;
}

static void add(struct maker *maker, uint32_t depth, uint32_t function, uint32_t call)
{
	ensure(maker->tree->calls, maker->tree->n, maker->tree->room);
	maker->tree->calls[maker->tree->n] = call;
	varints_add(&maker->tree->packed, maker->depth + 1 - depth);
	varints_add(&maker->tree->packed, function);
	maker->depth = depth;
	maker->tree->n++;
}

/* Adds the omitted calls of a keeper, from @at on. */
static void add_left(struct maker *maker, size_t at)
{
	const struct left *left = maker->left, *before = NULL;
	uint32_t keeper = left[at].keeper;
	uint32_t depth = maker->calls->calls[keeper].depth + 1;

	add(maker, depth, maker->few, 0);
	for (left += at; at < maker->nleft && left->keeper == keeper; at++, left++) {
		bool other = !before || before->row != left->row;

		if (other)
			add(maker, depth + 1, maker->functions[left->row], 0);
		if (left->kernel != NO_ROW && (other || before->kernel != left->kernel))
			add(maker, depth + 2, maker->functions[left->kernel], 0);
		maker->tree->numbers[left->call] = maker->tree->n;
		before = left;
	}
}

/* Adds all calls. The omitted calls below a call come after its other callees. */
static void add_calls(struct maker *maker, const uint32_t *first)
{
	const struct call *calls = maker->calls->calls;
	uint32_t open = 0, i;

	for (i = 1; i <= maker->calls->n; i++) {
		if (i < maker->calls->n && !is_kept(maker, i))
			continue;
		if (maker->tree->packed.n > TREE_MOST && maker->tree->least <= calls[0].total)
			return;
		while (i == maker->calls->n || i >= calls[open].end) {
			if (first[open])
				add_left(maker, first[open] - 1);
			if (!open)
				return;
			open = calls[open].parent;
		}
		add(maker, calls[i].depth, maker->functions[calls[i].row], i);
		maker->tree->numbers[i] = maker->tree->n;
		open = i;
	}
}

static void try(struct maker *maker)
{
	uint32_t *first = allocate(maker->calls->n * sizeof(*first));

	varints_free(&maker->tree->packed);
	maker->tree->n = 0;
	maker->depth = 0;
	find_left(maker, first);
	add_calls(maker, first);
	free(maker->left);
	free(first);
}

/*
 * Whether the calls that are kept take too much, with those of the omitted ones that are
 * below a call that is kept: callees of one call are of different functions.
 */
static bool is_too_much(const struct maker *maker)
{
	const struct call *calls = maker->calls->calls;
	size_t bytes = 0;
	uint32_t i;

	for (i = 1; i < maker->calls->n && bytes <= TREE_MOST; i++)
		if (is_kept(maker, i) || (calls[i].samples && !is_kernel(maker, i) &&
					  is_kept(maker, calls[i].parent)))
			bytes += 1 + varints_size(maker->functions[calls[i].row]);
	return bytes > TREE_MOST;
}

void html_tree_make(struct html_tree *tree, const struct report *report,
		    const uint32_t *functions)
{
	struct maker maker = {
		.tree = tree, .calls = &report->calls,
		.functions = functions,
		.few = functions[report->functions.n],
	};
	uint64_t whole = report->calls.calls[0].total;

	maker.kernel = find_kernel(report);
	*tree = (struct html_tree){ .least = 1 };
	tree->numbers = allocate(report->calls.n * sizeof(*tree->numbers));
	while (is_too_much(&maker) && tree->least <= whole)
		tree->least *= 2;
	try(&maker);
	while (tree->packed.n > TREE_MOST && tree->least <= whole) {
		tree->least *= 2;
		try(&maker);
	}
	free(maker.kernel);
}

void html_tree_free(struct html_tree *tree)
{
	free(tree->numbers);
	free(tree->calls);
	varints_free(&tree->packed);
	*tree = (struct html_tree){ 0 };
}
