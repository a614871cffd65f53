// SPDX-License-Identifier: LGPL-2.1-or-later
#include "content/selection.h"
#include "common/memory.h"
#include "common/message.h"
#include "object/frames.h"
#include "object/symbols.h"
#include "profile/places.h"

#include <inttypes.h>
#include <stdlib.h>

bool selection_is_object(const struct object *object, const struct name_pattern *pattern)
{
	return name_pattern_matches(pattern, object->name) ||
	       name_pattern_matches(pattern, object->shown);
}

static bool has_function(const struct profile *profile, const struct place *place,
			 const struct name_pattern *pattern)
{
	struct frame frames[FRAMES_MOST];
	size_t n = frames_at(&profile->objects[place->object],
				  place->address, frames), i;

	for (i = 0; i < n; i++)
		if (name_pattern_matches_function(pattern, frames[i].name))
			return true;
	return false;
}

/* By name or number. */
static bool is_thread(const struct thread *thread, const struct name_pattern *pattern)
{
	char *id;
	bool is;

	if (!pattern)
		return true;
	id = format_text("%" PRIu32, thread->id);
	is = (thread->id && name_pattern_matches(pattern, id)) ||
	     (thread->name && name_pattern_matches(pattern, thread->name));
	free(id);
	return is;
}

static bool is_of_thread(const struct profile *profile, const struct place *place,
			 const struct thread *thread, const void *context)
{
	const struct selection *selection = context;

	if (selection->has_pid &&
	    profile->processes[place->process].pid != selection->pid)
		return false;
	return name_pattern_matches(selection->command, profile_command(profile, place)) &&
	       is_thread(thread, selection->thread);
}

static bool is_there(const struct profile *profile, const struct place *place,
		     const struct thread *thread, const void *context)
{
	const struct selection *selection = context;
	const struct object *object = &profile->objects[place->object];

	(void)thread;
	return selection_is_object(object, selection->object) &&
	       (!selection->function ||
		has_function(profile, place, selection->function));
}

static bool is_ignored(const struct profile *profile, const struct place *place,
		       const struct thread *thread, const void *context)
{
	const struct selection *selection = context;

	(void)thread;
	return has_function(profile, place, selection->ignored);
}

bool selection_is_made(const struct selection *selection)
{
	return selection->command || selection->thread || selection->object ||
	       selection->function || selection->ignored || selection->has_pid;
}

void selection_apply(struct profile *profile, const struct selection *selection)
{
	places_selector *select;

	if (!selection_is_made(selection))
		return;
	places_select(profile, is_of_thread, true, selection);
	select = selection->of_stacks ? places_select_stacks : places_select;
	if (selection->object || selection->function)
		select(profile, is_there, true, selection);
	if (selection->ignored)
		select(profile, is_ignored, false, selection);
}

bool selection_check(const struct selection *selection, uint64_t samples)
{
	if (samples || !selection_is_made(selection))
		return true;
	warn("no samples match the options that select them");
	return false;
}
