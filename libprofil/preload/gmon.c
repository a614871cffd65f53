// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Programs built with -pg, and those that call monstartup() themselves.
 *
 * libc keeps the arcs and writes gmon.out; this file replaces only its SIGPROF
 * histogram. libc calls its own profil() directly, which cannot be wrapped. So after
 * each call that makes libc start its timer, libc's profil(NULL) stops the timer.
 * The histogram comes from the samples in the profile file, when profiling is
 * switched off and at the end. It goes into gmon.out after libc has written it.
 */
#include "begin.h"
#include "gmon_counters.h"
#include "linker_list.h"
#include "gmon_file.h"
#include "message.h"
#include "preload.h"

#include <link.h>
#include <signal.h>
#include <stdbool.h>
#include <string.h>

EXPORT void __monstartup(unsigned long low, unsigned long high);
EXPORT void monstartup(unsigned long low, unsigned long high);
EXPORT void _mcleanup(void);
EXPORT void moncontrol(int mode);

typedef void range_function(unsigned long, unsigned long);

/*
 * True if the kernel profiles and libc only keeps the arcs. Libraries whose _init
 * calls __gmon_start__ (libm, libz, libstdc++) call this before our constructor.
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
	/* First: this takes time, in which libc's timer must not run. */
	bool starts = ours();

	next(low, high);
	/* Without _mcleanup() between them, libc ignores a second call. */
	if (!starts || gmon_counters_are_there())
		return;
	stop_libc();
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
	__typeof__(moncontrol) *next = NEXT(moncontrol);
	bool starts = ours();

	next(mode);
	if (!starts && !gmon_counters_are_there())
		return;
	stop_libc();
	gmon_counters_off();
	if (mode && starts)
		gmon_counters_on();
}

/* Not by dl_iterate_phdr(): in a fork child its lock may never be released. */
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
		message("cannot put the histogram into gmon.out: %s", strerror(error));
}

/*
 * Whether libc's arcs found no room. Then it writes no gmon.out, and a file of that name is
 * another run's; and it starts no timer any more.
 */
static bool libc_has_given_up(void)
{
	struct sigaction before, after;

	sigaction(SIGPROF, NULL, &before);
	NEXT(moncontrol)(1);
	sigaction(SIGPROF, NULL, &after);
	return before.sa_sigaction == after.sa_sigaction;
}

void _mcleanup(void)
{
	bool writes;

	if (ours())
		gmon_counters_off();
	writes = gmon_counters_are_there() && !libc_has_given_up();
	NEXT(_mcleanup)();
	if (writes)
		write_histogram();
	gmon_counters_free();
}
