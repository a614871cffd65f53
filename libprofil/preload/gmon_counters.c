// SPDX-License-Identifier: LGPL-2.1-or-later
#include "gmon_counters.h"
#include "preload.h"

#include <sys/mman.h>
#include <unistd.h>

/*
 * libc's geometry: one 2-byte counter for 4 bytes of text, and a number of counters
 * that fills whole longs. gprof adds up only histograms of the same geometry.
 */
#define TEXT_PER_COUNTER	4
#define COUNTERS_TOGETHER	(sizeof(long) / sizeof(unsigned short))

static struct {
	uint64_t	low;		/* run-time addresses */
	uint64_t	high;
	uint64_t	n;
	uint32_t	*count;
	uint64_t	next;		/* first sample not counted yet */
	uint64_t	at_fork;	/* samples of the parent at the fork */
	uint32_t	rate;		/* samples a second */
	bool		on;
} counters;

bool gmon_counters_are_there(void)
{
	return counters.count != NULL;
}

void gmon_counters_free(void)
{
	if (counters.count)
		munmap(counters.count, counters.n * sizeof(*counters.count));
	counters.count = NULL;
}

static void *zeroes(size_t size)
{
	void *memory = mmap(NULL, size, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	return memory == MAP_FAILED ? NULL : memory;
}

void gmon_counters_set_range(unsigned long low, unsigned long high)
{
	uint64_t n, period = preload.file.header->period_ns;

	low &= ~(TEXT_PER_COUNTER - 1UL);
	high = (high + TEXT_PER_COUNTER - 1) & ~(TEXT_PER_COUNTER - 1UL);
	n = (high - low) / TEXT_PER_COUNTER;
	n = (n + COUNTERS_TOGETHER - 1) / COUNTERS_TOGETHER * COUNTERS_TOGETHER;
	if (high <= low || !period)
		return;
	gmon_counters_free();
	counters.count = zeroes(n * sizeof(*counters.count));
	counters.low = low;
	counters.high = high;
	counters.n = n;
	counters.rate = (uint32_t)((1000000000 + period / 2) / period);
}

void gmon_counters_on(void)
{
	counters.next = sampler_position(&preload.sampler);
	counters.on = counters.count != NULL;
}

/* gprof assumes that the counters divide the range evenly. */
static void count_pc(uint64_t pc)
{
	if (pc >= counters.low && pc < counters.high)
		counters.count[(pc - counters.low) * counters.n / (counters.high - counters.low)]++;
}

#define SAMPLES_PER_PAGE	(4096 / sizeof(uintptr_t))

static void count_samples(uint64_t end)
{
	uint64_t i = counters.next;

	while (i < end) {
		uint64_t next = (i / SAMPLES_PER_PAGE + 1) * SAMPLES_PER_PAGE;

		if (next > end)
			next = end;
		if (file_has(&preload.file, i))
			for (; i < next; i++)
				count_pc(file_sample(&preload.file, i));
		i = next;
	}
	counters.next = end;
}

/* Stops the sampler for a moment, so that no sample is still on its way. */
void gmon_counters_off(void)
{
	bool runs = sampler_runs(&preload.sampler);

	if (!counters.on)
		return;
	counters.on = false;
	/* Where it goes on, for want of a descriptor, the last samples may be missing. */
	if (runs)
		runs = sampler_stop(&preload.sampler, -1);
	count_samples(sampler_position(&preload.sampler));
	if (runs)
		preload_resume(-1);
}

void gmon_counters_before_fork(void)
{
	counters.at_fork = counters.on ? sampler_position(&preload.sampler) : 0;
}

/* Counts samples from counters.next on, from a file with this @header. */
static void count_from(int fd, const struct profile_header *header)
{
	uintptr_t pcs[512];
	uint64_t i = counters.next;

	while (i < counters.at_fork) {
		uint64_t most = counters.at_fork - i, n;
		ssize_t bytes;

		if (most > sizeof(pcs) / sizeof(pcs[0]))
			most = sizeof(pcs) / sizeof(pcs[0]);
		bytes = pread(fd, pcs, most * sizeof(pcs[0]),
			      (off_t)(header->samples_offset +
				      i * sizeof(pcs[0])));
		if (bytes < (ssize_t)sizeof(pcs[0]))
			return;
		for (n = 0; n < (size_t)bytes / sizeof(pcs[0]); n++)
			count_pc(pcs[n]);
		i += n;
	}
}

void gmon_counters_after_fork(const struct file *parent)
{
	uint64_t size;
	int fd;

	if (!counters.on)
		return;
	fd = file_open(parent, &size);
	if (fd >= 0) {
		count_from(fd, parent->header);
		close(fd);
	}
	counters.next = 0;
	counters.at_fork = 0;
}

void gmon_counters_without_file(void)
{
	counters.on = false;
}

static bool next_counter(const void *source, size_t *cursor,
			 struct gmon_out_counter *counter)
{
	const uint32_t *count = source;

	for (; *cursor < counters.n; ++*cursor) {
		if (!count[*cursor])
			continue;
		counter->index = (uint32_t)*cursor;
		counter->count = count[*cursor];
		++*cursor;
		return true;
	}
	return false;
}

struct gmon_out_histogram gmon_counters_histogram(uint64_t bias)
{
	return (struct gmon_out_histogram){
		.low = counters.low - bias,
		.high = counters.high - bias,
		.n = (uint32_t)counters.n,
		.rate = counters.rate,
		.source = counters.count,
		.next = next_counter,
	};
}
