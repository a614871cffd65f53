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

#include <link.h>
#include <stdbool.h>
#include <string.h>
#include <sys/mman.h>

EXPORT void __monstartup(unsigned long low, unsigned long high);
EXPORT void monstartup(unsigned long low, unsigned long high);
EXPORT void _mcleanup(void);
EXPORT void moncontrol(int mode);

typedef void range_function(unsigned long, unsigned long);

/* libc's bytes of text for each counter. */
#define TEXT_PER_COUNTER	4

static struct {
	uint64_t	low;		/* run-time addresses */
	uint64_t	high;
	uint64_t	n;
	uint32_t	*counters;
	uint64_t	next;		/* first sample not counted yet */
	bool		on;
} gmon;

/* The kernel profiles, and libc only keeps the arcs. */
static bool ours(void)
{
	if (preload.error)
		message_fallback(preload.error);
	return preload.file.header != NULL;
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
	if (high <= low)
		return;
	if (gmon.counters)
		munmap(gmon.counters, gmon.n * sizeof(*gmon.counters));
	gmon.counters = zeroes(n * sizeof(*gmon.counters));
	gmon.low = low;
	gmon.high = high;
	gmon.n = n;
}

static void switch_on(void)
{
	gmon.next = sampler_position(&preload.sampler);
	gmon.on = gmon.counters != NULL;
}

static void count_samples(uint64_t end)
{
	uint64_t i;

	for (i = gmon.next; i < end; i++) {
		uint64_t pc = file_sample(&preload.file, i);

		if (pc >= gmon.low && pc < gmon.high)
			gmon.counters[(pc - gmon.low) / TEXT_PER_COUNTER]++;
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
	((range_function *)preload_next(symbol))(low, high);
	if (!ours())
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
	((void (*)(int))preload_next("moncontrol"))(mode);
	if (!ours())
		return;
	stop_libc();
	switch_off();
	if (mode)
		switch_on();
}

/* What has been counted stays, as it would with libc; new samples are new. */
void gmon_after_fork(void)
{
	gmon.next = 0;
}

static int program_bias(struct dl_phdr_info *info, size_t size, void *bias)
{
	(void)size;
	*(uint64_t *)bias = info->dlpi_addr;
	return 1;
}

static void write_histogram(void)
{
	uint64_t bias = 0;
	struct gmon_histogram histogram = {
		.n = gmon.n,
		.counters = gmon.counters,
		.rate = (uint32_t)((1000000000 +
				    preload.file.header->period_ns / 2) /
				   preload.file.header->period_ns),
	};
	int error;

	dl_iterate_phdr(program_bias, &bias);
	histogram.low = gmon.low - bias;
	histogram.high = gmon.high - bias;
	error = gmon_file_replace(&histogram);
	if (error)
		message("gmon.out has no histogram: %s", strerror(error));
}

void _mcleanup(void)
{
	if (ours())
		switch_off();
	((void (*)(void))preload_next("_mcleanup"))();
	if (!ours() || !gmon.counters)
		return;
	write_histogram();
	munmap(gmon.counters, gmon.n * sizeof(*gmon.counters));
	gmon.counters = NULL;
}
