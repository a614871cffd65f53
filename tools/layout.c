// SPDX-License-Identifier: LGPL-2.1-or-later
/* One address space for the objects of all processes. */
#include "report.h"
#include "tool.h"

#define FIRST_BASE	0x100000000000ULL
#define GAP		0x10000000ULL	/* keeps what is before the text apart */
#define PAGE		4096ULL

/* A program without position-independent code has its text far from 0. */
static bool is_fixed(const struct object *object)
{
	return object->pid || object->low - object->offset >= 0x10000;
}

uint64_t *report_layout(const struct profile *profile)
{
	uint64_t *bases = allocate(profile->nobjects * sizeof(*bases));
	uint64_t next = FIRST_BASE;
	size_t i;

	for (i = 0; i < profile->nobjects; i++) {
		const struct object *object = &profile->objects[i];

		if (is_fixed(object))
			continue;
		bases[i] = next;
		next += ((object->high + PAGE - 1) & ~(PAGE - 1)) + GAP;
	}
	return bases;
}

uint64_t report_rate(const struct profile *profile)
{
	if (!profile->period_ns)
		return 0;
	return (1000000000 + profile->period_ns / 2) / profile->period_ns;
}
