// SPDX-License-Identifier: LGPL-2.1-or-later
#include "formats/html_tree.h"
#include "common/bisect.h"
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
	size_t			nrows;
	bool			*kernel;	/* whether each row is of the kernel */
	uint32_t		few;		/* function for omitted calls */
	struct left		*left;		/* by keeper, after find_left() */
	size_t			nleft;
	uint32_t		*seen;		/* the last keeper of each row; see below */
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
static void sort_left(const struct maker *maker)
{
	const struct left *left = maker->left;
	struct sort_key *keys = sort_keys_make(maker->nleft);

	/* NO_ROW + 1 is 0: the function itself comes first. */
	sort_keys_by(keys, maker->nleft, i, left[i].kernel + 1);
	sort_keys_by(keys, maker->nleft, i, (uint64_t)left[i].keeper << 32 | left[i].row);
	sort_keys_apply(keys, maker->left, maker->nleft, sizeof(*left));
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

static size_t bytes_of(const struct maker *maker, uint32_t row)
{
	return 1 + varints_size(maker->functions[row]);
}

/* Returns the bytes of the callees that are kept and of the functions of omitted calls. */
static size_t find_left_of(struct maker *maker, uint32_t keeper)
{
	const struct call *calls = maker->calls->calls;
	uint32_t i = keeper + 1;
	size_t bytes = 0;

	while (i < calls[keeper].end) {
		struct left *left = &maker->left[maker->nleft];

		if (is_kept(maker, i)) {
			bytes += bytes_of(maker, calls[i].row);
			i = calls[i].end;
			continue;
		}
		if (calls[i].samples) {
			*left = make_left(maker, keeper, i);
			if (maker->seen[left->row] != keeper + 1)
				bytes += bytes_of(maker, left->row);
			maker->seen[left->row] = keeper + 1;
			maker->nleft++;
		}
		i++;
	}
	return bytes;
}

/*
 * Finds the omitted calls if those with fewer than @least samples are omitted. No call
 * below an omitted one is kept. Returns how many bytes the tree has at least: the larger
 * @least is, the fewer.
 */
static size_t find_left(struct maker *maker, uint64_t least)
{
	const struct call_tree *calls = maker->calls;
	size_t bytes = 0;
	uint32_t i = 0;

	maker->tree->least = least;
	maker->nleft = 0;
	memset(maker->seen, 0, maker->nrows * sizeof(*maker->seen));
	while (i < calls->n) {
		bytes += find_left_of(maker, i);
		for (i++; i < calls->n && !is_kept(maker, i);)
			i = calls->calls[i].end;
	}
	return bytes;
}

/* Returns the number of the node. */
static uint32_t add(struct maker *maker, uint32_t depth, uint32_t function,
		    struct html_node node)
{
	ensure(maker->tree->nodes, maker->tree->n, maker->tree->room);
	maker->tree->nodes[maker->tree->n] = node;
	varints_add(&maker->tree->packed, maker->depth + 1 - depth);
	varints_add(&maker->tree->packed, function);
	maker->depth = depth;
	return ++maker->tree->n;
}

/* Adds the omitted calls of a keeper, from @at on. */
static void add_left(struct maker *maker, size_t at)
{
	const struct left *left = maker->left, *before = NULL;
	uint32_t keeper = left[at].keeper;
	uint32_t depth = maker->calls->calls[keeper].depth + 1;
	uint32_t all = add(maker, depth, maker->few, (struct html_node){ 0 }), function = 0;

	for (left += at; at < maker->nleft && left->keeper == keeper; at++, left++) {
		bool other = !before || before->row != left->row;

		if (other)
			function = add(maker, depth + 1, maker->functions[left->row],
				       (struct html_node){ .around = all });
		if (left->kernel != NO_ROW && (other || before->kernel != left->kernel))
			add(maker, depth + 2, maker->functions[left->kernel],
			    (struct html_node){ .around = function });
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
		add(maker, calls[i].depth, maker->functions[calls[i].row],
		    (struct html_node){ .call = i });
		maker->tree->numbers[i] = maker->tree->n;
		open = i;
	}
}

static void try(struct maker *maker, uint64_t least)
{
	uint32_t *first = allocate(maker->calls->n * sizeof(*first));
	size_t i;

	varints_free(&maker->tree->packed);
	maker->tree->n = 0;
	maker->depth = 0;
	find_left(maker, least);
	sort_left(maker);
	for (i = maker->nleft; i--;)
		first[maker->left[i].keeper] = (uint32_t)i + 1;
	add_calls(maker, first);
	free(first);
}

/* Makes the tree with the least power of two for which it is small enough. */
void html_tree_make(struct html_tree *tree, const struct report *report,
		    const uint32_t *functions)
{
	const struct call_tree *calls = &report->calls;
	struct maker maker = {
		.tree = tree, .calls = calls, .functions = functions,
		.few = functions[report->functions.n],
		.kernel = find_kernel(report),
		.left = allocate(calls->n * sizeof(*maker.left)),
		.seen = allocate(report->functions.n * sizeof(*maker.seen)),
		.nrows = report->functions.n,
	};
	uint64_t whole = calls->calls[0].total;
	size_t powers = whole ? 64 - (size_t)__builtin_clzll(whole) : 0, i;

	*tree = (struct html_tree){ .numbers = allocate(calls->n * sizeof(*tree->numbers)) };
	i = bisect(j, powers, find_left(&maker, (uint64_t)1 << j) > TREE_MOST);
	do
		try(&maker, (uint64_t)1 << i++);
	while (tree->packed.n > TREE_MOST && tree->least <= whole);
	free(maker.kernel);
	free(maker.left);
	free(maker.seen);
}

void html_tree_free(struct html_tree *tree)
{
	free(tree->numbers);
	free(tree->nodes);
	varints_free(&tree->packed);
	*tree = (struct html_tree){ 0 };
}
