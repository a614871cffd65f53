// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The file is read in parts of a fixed size, through the descriptor: it may become
 * shorter, or another one may take its name, at any time.
 *
 * A sample comes before its stack, and some samples have none. So samples count for their
 * function at once, and stacks for callers and threads.
 */
#include "top/live_file.h"
#include "common/clean_text.h"
#include "common/memory.h"
#include "common/message.h"
#include "libprofil/stack_decoder.h"
#include "profile/process_names.h"
#include "reader/profile_samples.h"
#include "reader/profile_stream.h"

#include <libprofil.h>
#include <stdlib.h>

#define SAMPLES_AT_ONCE	4096
#define BYTES_AT_ONCE	32768
/* A process may write faster than it can be read: the screen must not wait for the end. */
#define PARTS_MOST	256
/* More than a record has. */
#define RECORD_MOST	4096
#define PERIOD_USUAL	1000000	/* ns: of a file that does not say it yet */

static uint64_t period(const struct live_file *live)
{
	uint64_t ns = live->file.header.period_ns;

	return ns ? ns : PERIOD_USUAL;
}

/* Before sample @index. */
static void apply_log(struct live_file *live, uint64_t index)
{
	while (process_objects_next(&live->objects) <= index &&
	       process_objects_next(&live->objects) < UINT64_MAX)
		process_objects_apply(&live->objects);
}

/* --- samples ---------------------------------------------------------------------- */

static void take_sample(struct live_file *live, uint64_t pc)
{
	struct place place;

	apply_log(live, live->samples++);
	if (!pc)
		return;
	process_objects_find(&live->objects, pc, &place);
	counts_sample(live->counts, &place, period(live));
}

/*
 * The samples before number @end. Zeroes at the end are samples to come. Returns false if
 * there may be more already.
 */
static bool take_samples(struct live_file *live, uint64_t end)
{
	static uint64_t pcs[SAMPLES_AT_ONCE];
	unsigned int parts = 0;
	size_t n, i;

	do {
		n = end > live->samples ? end - live->samples : 0;
		n = profile_samples_read(&live->file, pcs, n < SAMPLES_AT_ONCE ?
					 n : SAMPLES_AT_ONCE, live->samples);
		while (n && !pcs[n - 1])
			n--;
		for (i = 0; i < n; i++)
			take_sample(live, pcs[i]);
	} while (n && ++parts < PARTS_MOST);
	return !n;
}

/* --- stacks ----------------------------------------------------------------------- */

static void take_name(struct live_file *live, const struct profil_stack *stack)
{
	uint32_t thread = counts_thread(live->counts, live->process, stack->thread);
	char **name = &live->counts->threads[thread].name;

	free(*name);
	*name = clean_text(stack->name);
}

/* The objects in memory are those of the time of the stack, or later ones. */
static void take_stack(struct live_file *live, const struct profil_stack *stack)
{
	struct place places[PROFIL_STACK_FRAMES];
	uint32_t i;

	if (stack->flags & PROFIL_STACK_WAIT || stack->count > UINT32_MAX)
		return;
	if (process_objects_next(&live->objects) <= stack->sample)
		take_samples(live, stack->sample);
	apply_log(live, stack->sample);
	for (i = 0; i < stack->nframes; i++)
		process_objects_find(&live->objects, stack->frame[i], &places[i]);
	counts_stack(live->counts, places, stack->nframes,
		     counts_thread(live->counts, live->process, stack->thread),
		     stack->count * period(live));
}

/* Returns 0 if there are no more records for now, -1 if the rest is damaged. */
static int take_record(struct live_file *live)
{
	struct profil_stack stack;
	int status = profil_stacks_next(live->stacks, &stack);

	if (status <= 0)
		return status;
	if (stack.flags & PROFIL_STACK_NAME)
		take_name(live, &stack);
	else
		take_stack(live, &stack);
	return 1;
}

/* Returns false if there are no more for now. A record at the end of @part may be cut. */
static bool take_part(struct live_file *live)
{
	static uint8_t part[BYTES_AT_ONCE];
	size_t n = profile_stream_part(&live->file, part, sizeof(part), live->stack_bytes);
	size_t most = n < sizeof(part) ? n : n - RECORD_MOST;
	int status = 1;

	libprofil_stacks_continue(live->stacks, part, n);
	while (status > 0 && profil_stacks_offset(live->stacks) < most)
		status = take_record(live);
	live->stack_bytes += profil_stacks_offset(live->stacks);
	if (status < 0) {
		warn("%s: damaged: only %llu bytes of stacks can be read", live->path,
		     (unsigned long long)live->stack_bytes);
		live->damaged = true;
	}
	return status > 0 && n == sizeof(part);
}

/* --- the file --------------------------------------------------------------------- */

static void set_name(struct live_file *live)
{
	char **name = &live->counts->processes[live->process].name;

	free(*name);
	*name = process_names_program(&live->file);
}

struct live_file *live_file_open(const char *path, struct counts *counts)
{
	struct live_file *live = allocate(sizeof(*live));

	live->counts = counts;
	live->path = copy_text(path);
	if (!profile_file_open(&live->file, live->path)) {
		free(live->path);
		free(live);
		return NULL;
	}
	live->stacks = profil_stacks_open(NULL, 0);
	if (!live->stacks)
		out_of_memory();
	process_objects_begin(&live->objects, &counts->profile, &live->file);
	live->process = counts_process(counts, live->file.header.pid);
	set_name(live);
	return live;
}

/* Whether there is more in the log, or the profile has begun. */
static bool has_changed(const struct live_file *live)
{
	struct profile_header now;

	return profile_file_read(&live->file, &now, sizeof(now), 0) == sizeof(now) &&
	       (now.log_used != live->file.header.log_used ||
		now.period_ns != live->file.header.period_ns);
}

bool live_file_read(struct live_file *live)
{
	bool goes_on = profile_file_is_live(&live->file), more = true;
	unsigned int parts;

	if (has_changed(live)) {
		if (!profile_file_reload(&live->file))
			return false;
		process_objects_reload(&live->objects);
		set_name(live);
	}
	for (parts = 0; parts < PARTS_MOST && more; parts++)
		more = !live->damaged && take_part(live);
	return !take_samples(live, UINT64_MAX) || goes_on || more;
}

void live_file_close(struct live_file *live)
{
	process_objects_end(&live->objects);
	profil_stacks_close(live->stacks);
	profile_file_close(&live->file);
	free(live->path);
	free(live);
}
