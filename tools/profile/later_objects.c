// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * A segment tree. The leaves lie between the starts and ends of all objects, and each
 * object is in the few nodes that make up its range. So a lookup stays fast even if
 * the log has very many objects.
 */
#include "profile/later_objects.h"
#include "common/compare.h"
#include "common/memory.h"
#include "common/bisect.h"

#include <stdbool.h>
#include <stdlib.h>

/* The records of a node, in the order of the log. */
struct node {
	const struct profile_record	**list;
	size_t				n, room;
};

struct later_objects {
	uint64_t	*ends;		/* starts and ends, sorted and unique */
	size_t		n, room;
	struct node	*nodes;		/* of n leaves; the root is 1 */
};

static const struct profile_object *object_of(const struct profile_record *record)
{
	return (const void *)(record + 1);
}

static bool is_object(const struct profile_record *record)
{
	const struct profile_object *object = object_of(record);

	return record->type == PROFILE_OBJECT && object->start < object->end &&
	       object->bias <= object->start;
}

static int compare(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;

	return compare_numbers(*x, *y);
}

static void add_end(struct later_objects *later, uint64_t end)
{
	ensure(later->ends, later->n, later->room);
	later->ends[later->n++] = end;
}

static void sort_ends(struct later_objects *later)
{
	size_t i, n = 0;

	if (!later->n)
		return;
	qsort(later->ends, later->n, sizeof(*later->ends), compare);
	for (i = 1; i < later->n; i++)
		if (later->ends[i] != later->ends[n])
			later->ends[++n] = later->ends[i];
	later->n = n + 1;
}

/* The number of ends at or before @address. */
static size_t count_before(const struct later_objects *later, uint64_t address)
{
	return bisect(i, later->n, later->ends[i] <= address);
}

static void add_to(struct node *node, const struct profile_record *record)
{
	ensure(node->list, node->n, node->room);
	node->list[node->n++] = record;
}

static void add_record(struct later_objects *later,
		       const struct profile_record *record)
{
	size_t low = count_before(later, object_of(record)->start) - 1 + later->n;
	size_t high = count_before(later, object_of(record)->end) - 1 + later->n;

	for (; low < high; low /= 2, high /= 2) {
		if (low & 1)
			add_to(&later->nodes[low++], record);
		if (high & 1)
			add_to(&later->nodes[--high], record);
	}
}

struct later_objects *later_objects_make(const struct profile_file *file)
{
	struct later_objects *later = allocate(sizeof(*later));
	const struct profile_record *record = NULL;

	while ((record = profile_file_record(file, record))) {
		if (!is_object(record))
			continue;
		add_end(later, object_of(record)->start);
		add_end(later, object_of(record)->end);
	}
	sort_ends(later);
	later->nodes = allocate(2 * later->n * sizeof(*later->nodes));
	while ((record = profile_file_record(file, record)))
		if (is_object(record))
			add_record(later, record);
	return later;
}

/* The first record of the node at or after @from. */
static const struct profile_record *first_from(const struct node *node,
					       const struct profile_record *from)
{
	size_t i = bisect(k, node->n, node->list[k] < from);

	return i < node->n ? node->list[i] : NULL;
}

const struct profile_record *
later_objects_find(const struct later_objects *later, uint64_t pc,
		   const struct profile_record *from)
{
	size_t leaf = count_before(later, pc), i;
	const struct profile_record *found = NULL, *first;

	if (!leaf)
		return NULL;
	for (i = leaf - 1 + later->n; i; i /= 2) {
		first = first_from(&later->nodes[i], from);
		if (first && (!found || first < found))
			found = first;
	}
	return found;
}

void later_objects_free(struct later_objects *later)
{
	size_t i;

	if (!later)
		return;
	for (i = 0; i < 2 * later->n; i++)
		free(later->nodes[i].list);
	free(later->nodes);
	free(later->ends);
	free(later);
}
