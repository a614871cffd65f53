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
#include "begin.h"
#include "gmon_counters.h"
#include "gmon_file.h"
#include "message.h"
#include "preload.h"

#include <link.h>
#include <stdbool.h>
#include <string.h>

EXPORT void __monstartup(unsigned long low, unsigned long high);
EXPORT void monstartup(unsigned long low, unsigned long high);
EXPORT void _mcleanup(void);
EXPORT void moncontrol(int mode);

typedef void range_function(unsigned long, unsigned long);

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

static void start(const char *symbol, unsigned long low, unsigned long high)
{
	range_function *next = (range_function *)preload_next(symbol);
	/* To begin takes time, in which libc's timer must not run yet. */
	bool starts = ours();

	next(low, high);
	if (!starts)
		return;
	stop_libc();
	gmon_counters_off();
	gmon_counters_set_range(low, high);
	gmon_counters_on();
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
	if (!starts && !gmon_counters_are_there())
		return;
	stop_libc();
	gmon_counters_off();
	if (mode && starts)
		gmon_counters_on();
}

/* No dl_iterate_phdr(): a fork child may find its lock taken for ever. */
static uint64_t program_bias(void)
{
	return _r_debug.r_map ? _r_debug.r_map->l_addr : 0;
}

static void write_histogram(void)
{
	struct gmon_out_histogram histogram =
		gmon_counters_histogram(program_bias());
	int error = gmon_file_replace(&histogram);

	if (error)
		message("gmon.out has no histogram: %s", strerror(error));
}

void _mcleanup(void)
{
	if (ours())
		gmon_counters_off();
	((void (*)(void))preload_next("_mcleanup"))();
	if (!gmon_counters_are_there())
		return;
	write_histogram();
	gmon_counters_free();
}
