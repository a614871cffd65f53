// SPDX-License-Identifier: LGPL-2.1-or-later
#include "content/merged_calls.h"
#include "common/memory.h"
#include "content/call_builder.h"

#include <stdlib.h>

/* The number of the function in each row. The caller frees it. */
static uint32_t *find_numbers(struct identities *identities,
			      const struct report *report)
{
	const struct functions *functions = &report->functions;
	uint32_t *numbers = allocate(functions->n * sizeof(*numbers));
	size_t i;

	for (i = 0; i < functions->n; i++)
		numbers[i] = identities_find(identities, report,
					     &functions->rows[i]);
	return numbers;
}

/* Returns the merged call of each call of @tree; the caller frees it. */
static uint32_t *merge(struct merged_calls *merged, struct call_builder *builder,
		       const struct report *report, const struct call_tree *tree,
		       bool before)
{
	uint32_t *numbers = find_numbers(&merged->functions, report);
	uint32_t *to = allocate(tree->n * sizeof(*to));
	size_t i;

	for (i = 1; i < tree->n; i++) {
		const struct call *call = &tree->calls[i];
		struct made_call *found;

		to[i] = call_builder_find(builder, to[call->parent], numbers[call->row]);
		found = &builder->calls[to[i]];
		if (before)
			found->samples += call->ns;
		else
			found->ns += call->ns;
	}
	free(numbers);
	return to;
}

void merged_calls_make(struct merged_calls *merged, const struct report *report,
		       const struct call_tree *before, const struct call_tree *after)
{
	struct call_builder builder;
	uint32_t *sorted;
	size_t i;

	*merged = (struct merged_calls){ .functions = { 0 } };
	call_builder_begin(&builder, after->n);
	free(merge(merged, &builder, report->before, before, true));
	merged->of_after = merge(merged, &builder, report, after, false);
	sorted = call_builder_end(&builder, &merged->tree);
	for (i = 1; i < after->n; i++)
		merged->of_after[i] = sorted[merged->of_after[i]];
	free(sorted);
}

void merged_calls_free(struct merged_calls *merged)
{
	free(merged->of_after);
	call_tree_free(&merged->tree);
	identities_free(&merged->functions);
}
