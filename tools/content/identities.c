// SPDX-License-Identifier: LGPL-2.1-or-later
#include "content/identities.h"
#include "common/memory.h"

#include <search.h>
#include <stdlib.h>
#include <string.h>

int identities_compare(const struct identity *x, const struct identity *y)
{
	return strcmp(x->object->name, y->object->name) ?: strcmp(x->name, y->name) ?:
	       x->inlined - y->inlined;
}

static int compare(const void *a, const void *b)
{
	return identities_compare(a, b);
}

uint32_t identities_find(struct identities *identities,
			 const struct report *report, const struct row *row)
{
	struct identity *identity = allocate(sizeof(*identity)), **found;

	*identity = (struct identity){
		&report->profile->objects[row->object], row->name, row->inlined,
		(uint32_t)identities->n
	};
	found = tsearch(identity, &identities->index, compare);
	if (!found)
		out_of_memory();
	if (*found != identity) {
		free(identity);
		return (*found)->number;
	}
	ensure(identities->list, identities->n, identities->room);
	identities->list[identities->n++] = identity;
	return identity->number;
}

void identities_free(struct identities *identities)
{
	size_t i;

	for (i = 0; i < identities->n; i++)
		tdelete(identities->list[i], &identities->index, compare);
	for (i = 0; i < identities->n; i++)
		free(identities->list[i]);
	free(identities->list);
	*identities = (struct identities){ 0 };
}
