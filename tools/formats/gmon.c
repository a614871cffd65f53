// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * gmon.out for gprof: the histogram of one object, the busiest program unless
 * one is named. Counters have 16 bits; records of the same range follow each
 * other until all is counted, and gprof adds them up.
 */
#include "common/memory.h"
#include "common/message.h"
#include "content/report.h"
#include "content/selection.h"
#include "formats/formats.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define TEXT_PER_BIN	2
#define TEXT_MOST	(1ULL << 29)	/* the largest programs have half of it */

struct histogram {
	uint64_t		low, high;
	uint32_t		n;
	uint32_t		rate;
	const struct place	*places;	/* of the object, by address */
	size_t			nplaces;
};

/* Libraries are named like that; a program hardly ever is. */
static bool is_library(const struct object *object)
{
	return strstr(object->name, ".so") != NULL;
}

static const struct object *choose(const struct report *report)
{
	const struct profile *profile = report->profile;
	const struct object *best = NULL;
	size_t i;

	for (i = 0; i < profile->nobjects; i++) {
		const struct object *object = &profile->objects[i];
		bool wanted = report->object ? select_is_object(object, report->object) :
			object->path[0] == '/' && !is_library(object);

		if (wanted && object->low < object->high &&
		    (!best || object->samples > best->samples))
			best = object;
	}
	return best;
}

static void write_bytes(FILE *out, const void *bytes, size_t size)
{
	fwrite(bytes, size, 1, out);
}

/* Most bins are empty. */
static void write_zeroes(FILE *out, uint64_t n)
{
	static const uint16_t zeroes[32768];

	while (n) {
		size_t some = n < length_of(zeroes) ? n : length_of(zeroes);

		fwrite(zeroes, sizeof(zeroes[0]), some, out);
		n -= some;
	}
}

static uint64_t bin_of(const struct histogram *histogram, size_t place)
{
	return (histogram->places[place].address - histogram->low) / TEXT_PER_BIN;
}

/* One bin, from place @i on; true if a count is left for the next record. */
static bool write_bin(FILE *out, const struct histogram *histogram, size_t *i,
		      uint64_t done)
{
	uint64_t bin = bin_of(histogram, *i), count = 0;
	uint16_t written;

	for (; *i < histogram->nplaces && bin_of(histogram, *i) == bin; ++*i)
		count += histogram->places[*i].samples;
	count = count > done ? count - done : 0;
	written = count > UINT16_MAX ? UINT16_MAX : (uint16_t)count;
	write_bytes(out, &written, sizeof(written));
	return count > UINT16_MAX;
}

static bool write_bins(FILE *out, const struct histogram *histogram, uint64_t done)
{
	uint64_t at = 0;
	bool left = false;
	size_t i = 0;

	while (i < histogram->nplaces) {
		uint64_t bin = bin_of(histogram, i);

		write_zeroes(out, bin - at);
		left |= write_bin(out, histogram, &i, done);
		at = bin + 1;
	}
	write_zeroes(out, histogram->n - at);
	return left;
}

/* One record; true if counts above 16 bits are left for the next. */
static bool write_record(FILE *out, const struct histogram *histogram,
			 uint64_t done)
{
	fputc(0, out);
	write_bytes(out, &histogram->low, 8);
	write_bytes(out, &histogram->high, 8);
	write_bytes(out, &histogram->n, 4);
	write_bytes(out, &histogram->rate, 4);
	write_bytes(out, "seconds\0\0\0\0\0\0\0\0s", 16);
	return write_bins(out, histogram, done);
}

/* Places are sorted by object and address. */
static void find_places(struct histogram *histogram, const struct profile *profile,
			const struct object *object)
{
	size_t i;

	for (i = 0; i < profile->nplaces; i++) {
		const struct place *place = &profile->places[i];

		if (&profile->objects[place->object] != object ||
		    place->address < histogram->low ||
		    place->address >= histogram->high)
			continue;
		if (!histogram->nplaces++)
			histogram->places = place;
	}
}

bool report_gmon(const struct report *report, FILE *out)
{
	const struct object *object = choose(report);
	struct histogram histogram = {
		.rate = (uint32_t)profile_rate(report->profile),
	};
	uint64_t done = 0;

	if (!object) {
		warn(report->object ? "no samples in %s" :
		     "no program has samples: name an object with --object%s",
		     report->object ? report->object : "");
		return false;
	}
	if (report->profile->mixed) {
		warn("gmon.out has one rate, and these files have several");
		return false;
	}
	if (object->high - object->low > TEXT_MOST) {
		warn("%s: %" PRIu64 " MiB of code are more than a gmon.out can have",
		     object->path, (object->high - object->low) >> 20);
		return false;
	}
	histogram.low = object->low & ~3ULL;
	histogram.high = object->high > UINT64_MAX - 3 ? object->high & ~3ULL :
						(object->high + 3) & ~3ULL;
	histogram.n = (uint32_t)((histogram.high - histogram.low) / TEXT_PER_BIN);
	find_places(&histogram, report->profile, object);
	write_bytes(out, "gmon\1\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0", 20);
	while (write_record(out, &histogram, done))
		done += UINT16_MAX;
	return true;
}
