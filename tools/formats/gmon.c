// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * gmon.out for gprof: the histogram of one object. The default is the program with the
 * most samples.
 */
#include "common/message.h"
#include "content/report.h"
#include "content/selection.h"
#include "formats/formats.h"
#include "libprofil/preload/gmon_out.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define TEXT_PER_BIN	2
#define TEXT_MOST	(1ULL << 29)	/* twice the largest programs */

/* The places of an object, by address. */
struct part {
	uint64_t		low, high;
	const struct place	*places;
	size_t			n;
};

/* Names of libraries end in ".so", or a version follows. */
static bool is_library(const struct object *object)
{
	const char *at = object->name;

	while ((at = strstr(at, ".so"))) {
		at += 3;
		if (!*at || *at == '.')
			return true;
	}
	return false;
}

static const struct object *choose(const struct report *report)
{
	const struct profile *profile = report->profile;
	const struct object *best = NULL;
	size_t i;

	for (i = 0; i < profile->nobjects; i++) {
		const struct object *object = &profile->objects[i];
		bool wanted = report->object ?
			selection_is_object(object, report->object) :
			object->path[0] == '/' && !is_library(object);

		if (wanted && object->low < object->high &&
		    (!best || object->samples > best->samples))
			best = object;
	}
	return best;
}

static uint32_t bin_of(const struct part *part, size_t place)
{
	return (uint32_t)((part->places[place].address - part->low) / TEXT_PER_BIN);
}

static bool next_bin(const void *source, size_t *i,
		     struct gmon_out_counter *counter)
{
	const struct part *part = source;

	if (*i == part->n)
		return false;
	counter->index = bin_of(part, *i);
	counter->count = 0;
	for (; *i < part->n && bin_of(part, *i) == counter->index; ++*i)
		counter->count += part->places[*i].samples;
	return true;
}

/* Places are sorted by object and address. */
static void find_places(struct part *part, const struct profile *profile,
			const struct object *object)
{
	size_t i;

	for (i = 0; i < profile->nplaces; i++) {
		const struct place *place = &profile->places[i];

		if (&profile->objects[place->object] != object ||
		    place->address < part->low || place->address >= part->high)
			continue;
		if (!part->n++)
			part->places = place;
	}
}

static void write_part(FILE *out, const struct part *part,
		       const struct profile *profile)
{
	struct gmon_out_histogram histogram = {
		.low = part->low,
		.high = part->high,
		.n = (uint32_t)((part->high - part->low) / TEXT_PER_BIN),
		.rate = (uint32_t)profile_rate(profile),
		.source = part,
		.next = next_bin,
	};

	gmon_out_write_header(out);
	gmon_out_write_histogram(out, &histogram);
}

bool report_gmon(const struct report *report, FILE *out)
{
	const struct object *object = choose(report);
	struct part part = { .n = 0 };

	if (!object) {
		warn(report->object ? "no object with samples matches '%s'" :
		     "no program has samples: select a library with --object%s",
		     report->object ? name_pattern_text(report->object) : "");
		return false;
	}
	if (report->profile->mixed) {
		warn("gmon.out holds only one rate: select profiles of the same rate");
		return false;
	}
	if (object->high - object->low > TEXT_MOST) {
		warn("%s: gmon.out cannot hold %" PRIu64 " MiB of code",
		     object->path, (object->high - object->low) >> 20);
		return false;
	}
	part.low = object->low & ~3ULL;
	part.high = object->high > UINT64_MAX - 3 ? object->high & ~3ULL :
						    (object->high + 3) & ~3ULL;
	find_places(&part, report->profile, object);
	write_part(out, &part, report->profile);
	return true;
}
