// SPDX-License-Identifier: LGPL-2.1-or-later
/* Traced interrupts; see measure.h. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <sys/mount.h>

#include "measure.h"
#include "method.h"

#define TRACING	"/sys/kernel/tracing/"
#define EVENTS	TRACING "events/irq_vectors/local_timer_"

static void put(const char *file, const char *text)
{
	int fd = open(file, O_WRONLY | O_TRUNC);
	ssize_t n = (ssize_t)strlen(text);

	if (fd < 0 || write(fd, text, (size_t)n) != n)
		fail(file);
	close(fd);
}

static void trace_events(const char *on)
{
	put(EVENTS "entry/enable", on);
	put(EVENTS "exit/enable", on);
}

void trace_begin(void)
{
	if (mount("tracefs", TRACING, "tracefs", 0, NULL) && errno != EBUSY)
		fail("mount of tracefs");
	/* This also empties the trace. */
	put(TRACING "trace_clock", "x86-tsc");
	trace_events("1");
}

/* "TASK-PID [CPU] FLAGS TIME: local_timer_entry: vector=N", or exit. */
static const char *event_time(const char *line, uint64_t *time)
{
	const char *event = strstr(line, ": local_timer_"), *at = event;

	if (!event)
		return "";
	while (at > line && at[-1] != ' ')
		at--;
	*time = strtoull(at, NULL, 10);

	return event + strlen(": local_timer_");
}

void trace_end(struct gaps *gaps)
{
	uint64_t entry = 0, time;
	const char *event;
	char line[256];
	FILE *trace;

	trace_events("0");
	trace = fopen(TRACING "trace", "r");
	if (!trace)
		fail(TRACING "trace");
	gaps->n = 0;
	while (fgets(line, sizeof(line), trace)) {
		event = event_time(line, &time);
		if (!strncmp(event, "entry", 5))
			entry = time;
		else if (entry && !strncmp(event, "exit", 4))
			add_gap(gaps, (uint32_t)(time - entry));
	}
	fclose(trace);
}
