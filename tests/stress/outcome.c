// SPDX-License-Identifier: LGPL-2.1-or-later
/* What a run has found; see outcome.h. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "outcome.h"

/* As many are told in full. */
#define MOST_TOLD	20

struct outcome *outcome;

static char who[64] = "main";
static unsigned int planned, number, failures;

void outcome_init(void)
{
	outcome = mmap(NULL, sizeof(*outcome), PROT_READ | PROT_WRITE,
		       MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (outcome == MAP_FAILED)
		abort();
}

void did_many(unsigned int kind, uint64_t n)
{
	__atomic_fetch_add(&outcome->counts[kind], n, __ATOMIC_RELAXED);
}

void did(unsigned int kind)
{
	did_many(kind, 1);
}

bool did_ever(unsigned int kind)
{
	return __atomic_load_n(&outcome->counts[kind], __ATOMIC_RELAXED) != 0;
}

void outcome_name(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(who, sizeof(who), format, args);
	va_end(args);
}

void broken(const char *format, ...)
{
	char text[512];
	va_list args;

	if (__atomic_fetch_add(&outcome->broken, 1, __ATOMIC_RELAXED) >= MOST_TOLD)
		return;
	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	say("%s: %s", who, text);
}

void say(const char *format, ...)
{
	char line[600];
	va_list args;

	va_start(args, format);
	vsnprintf(line, sizeof(line), format, args);
	va_end(args);
	/* One write: many share the stream. */
	dprintf(STDOUT_FILENO, "# %s\n", line);
}

unsigned int slower(void)
{
	const char *value = getenv("SLOWNESS");
	unsigned int factor = value ? (unsigned int)strtoul(value, NULL, 10) : 1;

	return factor ? factor : 1;
}

void tap_plan(unsigned int n)
{
	planned = n;
	dprintf(STDOUT_FILENO, "1..%u\n", n);
}

void tap(bool ok, const char *format, ...)
{
	char text[256];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	failures += !ok;
	dprintf(STDOUT_FILENO, "%sok %u - %s\n", ok ? "" : "not ", ++number, text);
}

unsigned int tap_failures(void)
{
	return failures + (number != planned);
}
