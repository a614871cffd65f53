// SPDX-License-Identifier: LGPL-2.1-or-later
#include "content/callers_of_functions.h"
#include "common/memory.h"
#include "content/call_builder.h"

#include <stdlib.h>

/* What of each call is in no call below it that is wanted, too; to be freed. */
static struct call *find_own(const struct call_tree *tree, const bool *wanted)
{
	struct call *own = allocate(tree->n * sizeof(*own));
	uint32_t *above = allocate(tree->n * sizeof(*above)), i;

	for (i = 1; i < tree->n; i++) {
		const struct call *call = &tree->calls[i];
		uint32_t caller = above[call->parent];

		above[i] = wanted[call->row] ? i : caller;
		if (!wanted[call->row])
			continue;
		own[i].samples += call->total;
		own[i].ns += call->total_ns;
		own[caller].samples -= call->total;
		own[caller].ns -= call->total_ns;
	}
	free(above);
	return own;
}

static void add_callers(struct call_builder *builder,
			const struct call_tree *tree, uint32_t call,
			const struct call *own)
{
	uint32_t at = 0;

	for (; call; call = tree->calls[call].parent)
		at = call_builder_find(builder, at, tree->calls[call].row);
	builder->tree->calls[at].samples += own->samples;
	builder->tree->calls[at].ns += own->ns;
}

void callers_of_functions(struct call_tree *callers,
			  const struct call_tree *tree,
			  const struct functions *functions,
			  callers_of_functions_wanted *wanted,
			  const void *context)
{
	bool *is_wanted = allocate(functions->n * sizeof(*is_wanted));
	struct call_builder builder;
	struct call *own;
	uint32_t i;

	for (i = 0; i < functions->n; i++)
		is_wanted[i] = wanted(&functions->rows[i], context);
	own = find_own(tree, is_wanted);
	call_builder_begin(&builder, callers);
	for (i = 1; i < tree->n; i++)
		if (own[i].samples && is_wanted[tree->calls[i].row])
			add_callers(&builder, tree, i, &own[i]);
	free(call_builder_end(&builder));
	free(own);
	free(is_wanted);
}
