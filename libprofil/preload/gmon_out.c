// SPDX-License-Identifier: LGPL-2.1-or-later
#include "gmon_out.h"

#include <string.h>
#include <sys/gmon_out.h>

_Static_assert(sizeof(struct gmon_hdr) == GMON_OUT_HEADER_BYTES &&
	       sizeof(struct gmon_hist_hdr) == 2 * sizeof(void *) + 24 &&
	       sizeof(struct gmon_cg_arc_record) == 2 * sizeof(void *) + 4,
	       "libc's records have no padding");

#define ARC_BYTES	(1 + sizeof(struct gmon_cg_arc_record))
#define HISTOGRAM_BYTES	(1 + sizeof(struct gmon_hist_hdr))

static const struct gmon_hdr header = {
	.cookie = { 'g', 'm', 'o', 'n' },
	.version = { GMON_VERSION },
};

void gmon_out_write_header(FILE *out)
{
	fwrite(&header, sizeof(header), 1, out);
}

bool gmon_out_is_known(const char *file, size_t size)
{
	return size >= sizeof(header) &&
	       !memcmp(file, &header, offsetof(struct gmon_hdr, spare));
}

static void write_record(FILE *out, const struct gmon_out_histogram *histogram)
{
	struct gmon_hist_hdr record = { .dimen = "seconds", .dimen_abbrev = 's' };

	memcpy(record.low_pc, &histogram->low, sizeof(record.low_pc));
	memcpy(record.high_pc, &histogram->high, sizeof(record.high_pc));
	memcpy(record.hist_size, &histogram->n, sizeof(record.hist_size));
	memcpy(record.prof_rate, &histogram->rate, sizeof(record.prof_rate));
	putc(GMON_TAG_TIME_HIST, out);
	fwrite(&record, sizeof(record), 1, out);
}

/* In large pieces: most counters are 0. */
static void write_zeroes(FILE *out, uint64_t n)
{
	static const uint16_t zeroes[2048];

	while (n) {
		size_t some = n < 2048 ? n : 2048;

		fwrite(zeroes, sizeof(zeroes[0]), some, out);
		n -= some;
	}
}

/* Writes the part of each counter above @done. True: some need more than 16 bits. */
static bool write_counters(FILE *out, const struct gmon_out_histogram *histogram,
			   uint64_t done)
{
	struct gmon_out_counter counter;
	size_t cursor = 0;
	uint64_t at = 0;
	bool left = false;

	while (histogram->next(histogram->source, &cursor, &counter)) {
		uint64_t count = counter.count > done ? counter.count - done : 0;
		uint16_t held = count > UINT16_MAX ? UINT16_MAX : (uint16_t)count;

		write_zeroes(out, counter.index - at);
		fwrite(&held, sizeof(held), 1, out);
		left |= count > UINT16_MAX;
		at = (uint64_t)counter.index + 1;
	}
	write_zeroes(out, histogram->n - at);
	return left;
}

void gmon_out_write_histogram(FILE *out, const struct gmon_out_histogram *histogram)
{
	uint64_t done = 0;
	bool left;

	do {
		write_record(out, histogram);
		left = write_counters(out, histogram, done);
		done += UINT16_MAX;
	} while (left);
}

bool gmon_out_is_histogram(const char *at)
{
	return *at == GMON_TAG_TIME_HIST;
}

size_t gmon_out_record_bytes(const char *at, size_t left)
{
	size_t size;
	uint32_t n;

	if (*at == GMON_TAG_CG_ARC)
		size = ARC_BYTES;
	else if (!gmon_out_is_histogram(at) || left < HISTOGRAM_BYTES)
		return 0;
	else {
		memcpy(&n, at + 1 + offsetof(struct gmon_hist_hdr, hist_size),
		       sizeof(n));
		size = HISTOGRAM_BYTES + sizeof(uint16_t) * (size_t)n;
	}
	return size <= left ? size : 0;
}
