// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * First adds calls in any order, then sorts them into the order of a walk. Nothing
 * here recurses, so stacks may be deep.
 */
#include "content/call_builder.h"
#include "common/compare.h"
#include "common/memory.h"
#include "content/stack_frames.h"

#include <stdlib.h>

/* The wanted call is stored behind the others. */
static bool is_same_call(const void *context, uint32_t i)
{
	const struct call_builder *builder = context;
	const struct made_call *x = &builder->calls[i], *y = &builder->calls[builder->n];

	return x->parent == y->parent && x->row == y->row;
}

static void add_call(struct call_builder *builder, uint32_t parent, uint32_t row)
{
	ensure(builder->calls, builder->n, builder->room);
	builder->calls[builder->n] = (struct made_call){ .parent = parent, .row = row };
}

static uint64_t hash_call(uint32_t parent, uint32_t row)
{
	return hash_set_mix(0, (uint64_t)parent << 32 | row);
}

void call_builder_fetch(const struct call_builder *builder, uint32_t parent,
			uint32_t row)
{
	hash_set_fetch(&builder->set, hash_call(parent, row));
}

uint32_t call_builder_find(struct call_builder *builder, uint32_t parent,
			   uint32_t row)
{
	uint32_t *slot;

	hash_set_reserve(&builder->set, builder->n);
	add_call(builder, parent, row);
	slot = hash_set_find(&builder->set, hash_call(parent, row), is_same_call, builder);
	if (!*slot)
		*slot = (uint32_t)++builder->n;
	return *slot - 1;
}

void call_builder_begin(struct call_builder *builder, size_t n)
{
	*builder = (struct call_builder){
		.calls = allocate((n + 2) * sizeof(*builder->calls)), .room = n + 2,
	};
	hash_set_begin(&builder->set, n + 1);
	add_call(builder, 0, NO_ROW);
	builder->n++;
}

/* --- the order of calls --------------------------------------------------------- */

/* What decides about the order of a call among its caller's. */
struct callee {
	uint64_t	ns;		/* with what it called */
	uint32_t	row;
	uint32_t	call;
};

struct order {
	const struct made_call	*calls;
	size_t			n;
	uint32_t		*sizes;		/* calls in the subtree of each */
	uint64_t		*ns;		/* time in it */
	uint32_t		*ends;		/* of the callees of each in the list */
	uint32_t		*callees;
};

/* Callers come before their callees. */
static void add_up(struct order *order)
{
	size_t i;

	for (i = order->n; i--;) {
		uint32_t parent = order->calls[i].parent;

		order->sizes[i]++;
		order->ns[i] += order->calls[i].ns;
		if (i) {
			order->sizes[parent] += order->sizes[i];
			order->ns[parent] += order->ns[i];
		}
	}
}

/* Lists the callees of each call, one call after the other. */
static void list_callees(struct order *order)
{
	uint32_t at = 0, more;
	size_t i;

	for (i = 1; i < order->n; i++)
		order->ends[order->calls[i].parent]++;
	for (i = 0; i < order->n; i++) {
		more = order->ends[i];
		order->ends[i] = at;
		at += more;
	}
	for (i = 1; i < order->n; i++)
		order->callees[order->ends[order->calls[i].parent]++] = (uint32_t)i;
}

static int compare_callees(const void *a, const void *b)
{
	const struct callee *x = a, *y = b;

	return compare_numbers(y->ns, x->ns) ?: compare_numbers(x->row, y->row);
}

/* Sorts callees: those with most time first, then by row. */
static void sort_callees(const struct order *order, uint32_t *callees, size_t n)
{
	struct callee few[64], *list = few;
	size_t i;

	if (n > length_of(few))
		list = allocate(n * sizeof(*list));
	for (i = 0; i < n; i++)
		list[i] = (struct callee){ order->ns[callees[i]],
					   order->calls[callees[i]].row, callees[i] };
	qsort(list, n, sizeof(*list), compare_callees);
	for (i = 0; i < n; i++)
		callees[i] = list[i].call;
	if (list != few)
		free(list);
}

/* The new index of each call: after its caller and the callees that come earlier. */
static uint32_t *number_calls(const struct order *order)
{
	uint32_t *to = allocate(order->n * sizeof(*to)), at = 0, end, next;
	size_t i;

	for (i = 0; i < order->n; i++, at = end) {
		end = order->ends[i];
		if (end - at > 1)
			sort_callees(order, &order->callees[at], end - at);
		for (next = to[i] + 1; at < end; at++) {
			to[order->callees[at]] = next;
			next += order->sizes[order->callees[at]];
		}
	}
	return to;
}

/* Puts the calls in order, and frees them. Their ends are sizes until they are added up. */
static void put_in_order(struct call_tree *tree, struct call_builder *builder,
			 const uint32_t *to)
{
	size_t i;

	*tree = (struct call_tree){ allocate(builder->n * sizeof(*tree->calls)),
				    builder->n, tree->of_node };
	for (i = 0; i < builder->n; i++) {
		const struct made_call *call = &builder->calls[i];

		tree->calls[to[i]] = (struct call){
			.parent = to[call->parent], .row = call->row, .end = 1,
			.samples = call->samples, .ns = call->ns,
			.total = call->samples, .total_ns = call->ns,
		};
	}
	free(builder->calls);
	for (i = 1; i < tree->n; i++)
		tree->calls[i].depth = tree->calls[tree->calls[i].parent].depth + 1;
	while (--i) {
		struct call *parent = &tree->calls[tree->calls[i].parent];

		parent->total += tree->calls[i].total;
		parent->total_ns += tree->calls[i].total_ns;
		parent->end += tree->calls[i].end;
		tree->calls[i].end += (uint32_t)i;
	}
}

uint32_t *call_builder_end(struct call_builder *builder, struct call_tree *tree)
{
	size_t n = builder->n;
	struct order order = {
		.calls = builder->calls, .n = n,
		.sizes = allocate(n * sizeof(*order.sizes)),
		.ns = allocate(n * sizeof(*order.ns)),
		.ends = allocate(n * sizeof(*order.ends)),
		.callees = allocate(n * sizeof(*order.callees)),
	};
	uint32_t *to;

	hash_set_free(&builder->set);
	add_up(&order);
	list_callees(&order);
	to = number_calls(&order);
	free(order.ns);
	free(order.ends);
	free(order.callees);
	free(order.sizes);
	put_in_order(tree, builder, to);
	return to;
}
