// SPDX-License-Identifier: LGPL-2.1-or-later
#include "content/selection.h"
#include "common/memory.h"
#include "common/message.h"
#include "object/frames.h"
#include "object/symbols.h"
#include "profile/places.h"

#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

static bool matches(const char *pattern, const char *name)
{
	return !pattern || !strcmp(pattern, name) || !fnmatch(pattern, name, 0);
}

bool selection_is_called(const char *function, const char *pattern)
{
	char *bare;
	bool is;

	if (matches(pattern, function))
		return true;
	bare = format_text("%.*s", (int)strcspn(function, "("), function);
	is = bare[0] && matches(pattern, bare);
	free(bare);
	return is;
}

bool selection_is_object(const struct object *object, const char *pattern)
{
	return matches(pattern, object->name) || matches(pattern, object->shown);
}

static bool has_function(const struct profile *profile, const struct place *place,
			 const char *pattern)
{
	struct frame frames[FRAMES_MOST];
	size_t n = frames_at(&profile->objects[place->object],
				  place->address, frames), i;

	for (i = 0; i < n; i++)
		if (selection_is_called(frames[i].name, pattern))
			return true;
	return false;
}

static bool is_of_process(const struct profile *profile, const struct place *place,
			  const void *context)
{
	const struct selection *selection = context;

	if (selection->has_pid &&
	    profile->processes[place->process].pid != selection->pid)
		return false;
	return matches(selection->command, profile_command(profile, place));
}

static bool is_there(const struct profile *profile, const struct place *place,
		     const void *context)
{
	const struct selection *selection = context;
	const struct object *object = &profile->objects[place->object];

	return selection_is_object(object, selection->object) &&
	       (!selection->function ||
		has_function(profile, place, selection->function));
}

static bool is_wanted(const struct profile *profile, const struct place *place,
		      const void *context)
{
	return is_of_process(profile, place, context) &&
	       is_there(profile, place, context);
}

static bool is_made(const struct selection *selection)
{
	return selection->command || selection->object || selection->function ||
	       selection->has_pid;
}

void selection_apply(struct profile *profile, const struct selection *selection)
{
	if (!is_made(selection))
		return;
	if (selection->of_stacks) {
		places_select(profile, is_of_process, selection);
		places_select_stacks(profile, is_there, selection);
	} else {
		places_select(profile, is_wanted, selection);
	}
}

bool selection_check(const struct selection *selection, uint64_t samples)
{
	if (samples || !is_made(selection))
		return true;
	warn("no samples match the selection by --comm, --pid, --object or --function");
	return false;
}
