// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Programs at fixed addresses stay there. If two of them overlap, the one with more
 * samples stays. All other objects follow from FIRST_BASE on.
 */
#include "content/address_space.h"
#include "common/compare.h"
#include "common/memory.h"

#include <stdlib.h>

#define FIRST_BASE	0x100000000000ULL
#define GAP		0x10000000ULL	/* room for what lies before the text */
#define PAGE		4096ULL

/* The used addresses of an object. */
struct extent {
	uint64_t	low, high;
	size_t		object;
	uint64_t	samples;
};

/* A program that is not position-independent has its text far from 0. */
static bool is_fixed(const struct object *object)
{
	return object->pid || object->low - object->offset >= 0x10000;
}

/* Code in no object has only the addresses of its samples, and of their callers. */
static void widen_unknown(struct profile *profile)
{
	const struct stacks *stacks = &profile->stacks;
	size_t i;

	for (i = 1; i < stacks->nnodes; i++) {
		struct object *object = &profile->objects[stacks->nodes[i].object];
		uint64_t page = stacks->nodes[i].address & ~(PAGE - 1);

		if (!object->directory)
			continue;
		if (page < object->low)
			object->low = page;
		if (page >= object->high)
			object->high = page + PAGE > page ? page + PAGE : UINT64_MAX;
	}
}

static struct extent *find_extents(struct profile *profile)
{
	struct extent *extents = allocate(profile->nobjects * sizeof(*extents));
	size_t i;

	widen_unknown(profile);
	for (i = 0; i < profile->nobjects; i++) {
		const struct object *object = &profile->objects[i];

		extents[i] = (struct extent){ object->low, object->high, i,
					      object->samples };
	}
	return extents;
}

static int compare_samples(const void *a, const void *b)
{
	const struct extent *x = a, *y = b;

	return compare_numbers(y->samples, x->samples) ?:
	       compare_numbers(x->object, y->object);
}

/* Whether no object that stays overlaps extent @n. */
static bool is_free(const struct extent *extents, const bool *stays, size_t n)
{
	size_t i;

	for (i = 0; i < n; i++)
		if (stays[i] && extents[i].low < extents[n].high &&
		    extents[n].low < extents[i].high)
			return false;
	return extents[n].high < FIRST_BASE || extents[n].low >= 2 * FIRST_BASE;
}

uint64_t *address_space_bases(struct profile *profile)
{
	struct extent *extents = find_extents(profile);
	bool *stays = allocate(profile->nobjects * sizeof(*stays));
	uint64_t *bases = allocate(profile->nobjects * sizeof(*bases));
	uint64_t next = FIRST_BASE, skipped;
	size_t i;

	if (profile->nobjects)
		qsort(extents, profile->nobjects, sizeof(*extents), compare_samples);
	for (i = 0; i < profile->nobjects; i++) {
		const struct extent *extent = &extents[i];

		stays[i] = is_fixed(&profile->objects[extent->object]) &&
			   is_free(extents, stays, i);
		if (stays[i] || extent->low >= extent->high)
			continue;
		skipped = is_fixed(&profile->objects[extent->object]) ?
			extent->low & ~(PAGE - 1) : 0;
		bases[extent->object] = next - skipped;
		next += ((extent->high - skipped + PAGE - 1) & ~(PAGE - 1)) + GAP;
	}
	free(extents);
	free(stays);
	return bases;
}
