/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Selects samples by process, object and function. */
#ifndef SELECTION_H
#define SELECTION_H

#include "content/name_pattern.h"
#include "profile/profile.h"

/* An object matches by name or path, a thread by name or number. NULL: any. */
struct selection {
	struct name_pattern	*command;
	struct name_pattern	*thread;
	struct name_pattern	*object;
	struct name_pattern	*function;	/* also where it is inlined */
	struct name_pattern	*ignored;	/* a function; NULL: none */
	bool			has_pid;
	uint32_t		pid;
	bool			of_stacks;	/* looks at callers, too */
};

bool selection_is_made(const struct selection *selection);
void selection_apply(struct profile *profile, const struct selection *selection);

/* Returns false, after a message, if a selection was made and left no @samples. */
bool selection_check(const struct selection *selection, uint64_t samples);

/* Whether an object's name or path matches. */
bool selection_is_object(const struct object *object, const struct name_pattern *pattern);

#endif
