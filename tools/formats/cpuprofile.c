// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The CPU profile of gperftools, for google-pprof: 64-bit words, and the maps
 * of the process as text.
 */
#include "content/address_space.h"
#include "content/report.h"
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

		if (object->low >= object->high)
			continue;
		fprintf(out, "%" PRIx64 "-%" PRIx64 " r-xp %08" PRIx64 " 00:00 0 %s\n",
			bases[i] + low,
			(bases[i] + object->high + 4095) & ~(uint64_t)4095,
			object->offset & ~(uint64_t)4095, object->shown);
	}
}

bool report_cpuprofile(const struct report *report, FILE *out)
{
	const struct profile *profile = report->profile;
	uint64_t *bases = address_space_bases(profile);
	size_t i;

	write_word(out, 0);
	write_word(out, 3);
	write_word(out, 0);
	write_word(out, profile->period_ns / 1000);
	write_word(out, 0);
	for (i = 0; i < profile->nplaces; i++) {
		const struct place *place = &profile->places[i];

		write_word(out, place->samples);
		write_word(out, 1);
		write_word(out, bases[place->object] + place->address);
	}
	write_word(out, 0);
	write_word(out, 1);
	write_word(out, 0);
	write_maps(out, profile, bases);
	free(bases);
	return true;
}
