// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The CPU profile of gperftools, for google-pprof: 64-bit words, then the maps of the
 * process as text. Stacks come thread by thread, in order of time.
 */
#include "content/address_space.h"
#include "content/report.h"
#include "content/timeline.h"
#include "formats/formats.h"

#include <inttypes.h>
#include <stdlib.h>

static void write_word(FILE *out, uint64_t word)
{
	fwrite(&word, sizeof(word), 1, out);
}

static void write_maps(FILE *out, const struct profile *profile,
		       const uint64_t *bases)
{
	size_t i;

	for (i = 0; i < profile->nobjects; i++) {
		const struct object *object = &profile->objects[i];
		uint64_t low = object->low & ~(uint64_t)4095;

		if (object->low >= object->high || object->kernel)
			continue;
		fprintf(out, "%" PRIx64 "-%" PRIx64 " r-xp %08" PRIx64 " 00:00 0 %s\n",
			bases[i] + low,
			(bases[i] + object->high + 4095) & ~(uint64_t)4095,
			object->offset & ~(uint64_t)4095, object->shown);
	}
}

/*
 * The format has no names for the kernel, so its time counts for the place that entered
 * it. For callers, readers expect the return address and subtract 1.
 */
static void write_stack(FILE *out, const struct profile *profile,
			const uint64_t *bases, uint32_t innermost)
{
	const struct stack_node *nodes = profile->stacks.nodes;
	uint64_t n = 0;
	uint32_t i;

	if (profile->objects[nodes[innermost].object].kernel)
		innermost = nodes[innermost].parent;
	for (i = innermost; i; i = nodes[i].parent)
		n++;
	write_word(out, n);
	for (i = innermost; i; i = nodes[i].parent)
		write_word(out, bases[nodes[i].object] + nodes[i].address +
				(i != innermost));
}

static void write_stacks(FILE *out, struct profile *profile,
			 const uint64_t *bases)
{
	struct timeline timeline;
	size_t i;

	timeline_make(&timeline, profile);
	for (i = 0; i < timeline.n; i++) {
		write_word(out, timeline.list[i].samples);
		write_stack(out, profile, bases, timeline.list[i].node);
	}
	timeline_free(&timeline);
}

bool report_cpuprofile(const struct report *report, FILE *out)
{
	struct profile *profile = report->profile;
	uint64_t *bases = address_space_bases(profile);

	write_word(out, 0);
	write_word(out, 3);
	write_word(out, 0);
	write_word(out, profile->period_ns / 1000);
	write_word(out, 0);
	write_stacks(out, profile, bases);
	write_word(out, 0);
	write_word(out, 1);
	write_word(out, 0);
	write_maps(out, profile, bases);
	free(bases);
	return true;
}
