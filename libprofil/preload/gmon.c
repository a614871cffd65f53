// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Programs built with -pg, and those that call monstartup() themselves.
 *
 * libc keeps the arcs and writes gmon.out; only its SIGPROF histogram is not
 * wanted. Its calls to its own profil() cannot be taken over, so each call of
 * ours that makes libc start the timer is followed by libc's profil(NULL),
 * which stops it. The histogram is made from the samples in the profile file,
 * when profiling is switched off and at the end, and put into gmon.out after
 * libc has written that.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "gmon.h"
#include "gmon_file.h"
#include "message.h"
#include "preload.h"

#include <fcntl.h>
#include <link.h>
#include <stdbool.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

EXPORT void __monstartup(unsigned long low, unsigned long high);
EXPORT void monstartup(unsigned long low, unsigned long high);
EXPORT void _mcleanup(void);
EXPORT void moncontrol(int mode);

typedef void range_function(unsigned long, unsigned long);

/*
 * libc's geometry: a 2-byte counter for 4 bytes of text, of which there are as
 * many as fill a whole number of longs. gprof adds up only what has the same.
 */
#define TEXT_PER_COUNTER	4
#define COUNTERS_TOGETHER	(sizeof(long) / sizeof(unsigned short))

static struct {
	uint64_t	low;		/* run-time addresses */
	uint64_t	high;
	uint64_t	n;
	uint32_t	*counters;
	uint64_t	next;		/* first sample not counted yet */
	uint64_t	at_fork;	/* samples of a fork child's parent */
	uint32_t	rate;		/* samples a second */
	bool		on;
} gmon;

/*
 * The kernel profiles, and libc only keeps the arcs. Libraries whose _init
 * calls __gmon_start__ (libm, libz, libstdc++) bring us here before our
 * constructor.
 */
static bool ours(void)
{
	preload_begin();
	if (preload.error)
		message_fallback(preload.why);
	return preload_has_file();
}

static void stop_libc(void)
{
	int (*profil)(unsigned short *, size_t, size_t, unsigned int) =
		(int (*)(unsigned short *, size_t, size_t, unsigned int))
			preload_next("profil");

	profil(NULL, 0, 0, 0);
}

static void *zeroes(size_t size)
{
	void *memory = mmap(NULL, size, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	return memory == MAP_FAILED ? NULL : memory;
}

/* The range that libc makes of it. */
static void set_range(unsigned long low, unsigned long high)
{
	uint64_t n;

	low &= ~(TEXT_PER_COUNTER - 1UL);
	high = (high + TEXT_PER_COUNTER - 1) & ~(TEXT_PER_COUNTER - 1UL);
	n = (high - low) / TEXT_PER_COUNTER;
	n = (n + COUNTERS_TOGETHER - 1) / COUNTERS_TOGETHER * COUNTERS_TOGETHER;
	if (high <= low)
		return;
	if (gmon.counters)
		munmap(gmon.counters, gmon.n * sizeof(*gmon.counters));
	gmon.counters = zeroes(n * sizeof(*gmon.counters));
	gmon.low = low;
	gmon.high = high;
	gmon.n = n;
	gmon.rate = (uint32_t)((1000000000 +
				preload.file.header->period_ns / 2) /
			       preload.file.header->period_ns);
}

static void switch_on(void)
{
	gmon.next = sampler_position(&preload.sampler);
	gmon.on = gmon.counters != NULL;
}

/* gprof takes the counters to divide the range evenly. */
static void count(uint64_t pc)
{
	if (pc >= gmon.low && pc < gmon.high)
		gmon.counters[(pc - gmon.low) * gmon.n / (gmon.high - gmon.low)]++;
}

#define SAMPLES_PER_PAGE	(4096 / sizeof(uintptr_t))

static void count_samples(uint64_t end)
{
	uint64_t i = gmon.next;

	while (i < end) {
		uint64_t next = (i / SAMPLES_PER_PAGE + 1) * SAMPLES_PER_PAGE;

		if (next > end)
			next = end;
		if (file_has(&preload.file, i))
			for (; i < next; i++)
				count(file_sample(&preload.file, i));
		i = next;
	}
	gmon.next = end;
}

/* Stopping is what makes sure that no sample is on its way. */
static void switch_off(void)
{
	bool runs = sampler_runs(&preload.sampler);

	if (!gmon.on)
		return;
	gmon.on = false;
	if (runs)
		sampler_stop(&preload.sampler);
	count_samples(sampler_position(&preload.sampler));
	if (runs)
		preload_resume();
}

static void start(const char *symbol, unsigned long low, unsigned long high)
{
	range_function *next = (range_function *)preload_next(symbol);
	/* To begin takes time, in which libc's timer must not run yet. */
	bool starts = ours();

	next(low, high);
	if (!starts)
		return;
	stop_libc();
	switch_off();
	set_range(low, high);
	switch_on();
}

void __monstartup(unsigned long low, unsigned long high)
{
	start("__monstartup", low, high);
}

void monstartup(unsigned long low, unsigned long high)
{
	start("monstartup", low, high);
}

void moncontrol(int mode)
{
	void (*next)(int) = (void (*)(int))preload_next("moncontrol");
	bool starts = ours();

	next(mode);
	if (!starts && !gmon.counters)
		return;
	stop_libc();
	switch_off();
	if (mode && starts)
		switch_on();
}

void gmon_before_fork(void)
{
	gmon.at_fork = gmon.on ? sampler_position(&preload.sampler) : 0;
}

/* Samples from @next on, as the file's @header has them. */
static void count_from(int fd, const struct profile_header *header)
{
	uintptr_t pcs[512];
	uint64_t i = gmon.next;

	while (i < gmon.at_fork) {
		uint64_t most = gmon.at_fork - i, n;
		ssize_t bytes;

		if (most > sizeof(pcs) / sizeof(pcs[0]))
			most = sizeof(pcs) / sizeof(pcs[0]);
		bytes = pread(fd, pcs, most * sizeof(pcs[0]),
			      (off_t)(header->samples_offset +
				      i * sizeof(pcs[0])));
		if (bytes < (ssize_t)sizeof(pcs[0]))
			return;
		for (n = 0; n < (size_t)bytes / sizeof(pcs[0]); n++)
			count(pcs[n]);
		i += n;
	}
}

void gmon_after_fork(const struct file *parent)
{
	uint64_t size;
	int fd;

	if (gmon.on) {
		fd = file_open(parent, &size);
		if (fd >= 0) {
			count_from(fd, parent->header);
			close(fd);
		}
	}
	gmon.next = 0;
	gmon.at_fork = 0;
	/* What is in no file is not counted. */
	gmon.on = gmon.on && preload.file.header;
}

/* No dl_iterate_phdr(): a fork child may find its lock taken for ever. */
static uint64_t program_bias(void)
{
	return _r_debug.r_map ? _r_debug.r_map->l_addr : 0;
}

static void write_histogram(void)
{
	uint64_t bias = program_bias();
	struct gmon_histogram histogram = {
		.low = gmon.low - bias,
		.high = gmon.high - bias,
		.n = gmon.n,
		.counters = gmon.counters,
		.rate = gmon.rate,
	};
	int error = gmon_file_replace(&histogram);

	if (error)
		message("gmon.out has no histogram: %s", strerror(error));
}

void _mcleanup(void)
{
	if (ours())
		switch_off();
	((void (*)(void))preload_next("_mcleanup"))();
	if (!gmon.counters)
		return;
	write_histogram();
	munmap(gmon.counters, gmon.n * sizeof(*gmon.counters));
	gmon.counters = NULL;
}
