/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The part of a profile that is asked for. */
#ifndef SELECTION_H
#define SELECTION_H

#include "profile/profile.h"

/*
 * Patterns of glob(7). An object is named by its name or its path, a function
 * with or without its parameters, be it inlined or not.
 */
struct selection {
	const char	*command;	/* NULL: any */
	const char	*object;
	const char	*function;
	bool		has_pid;
	uint32_t	pid;
	bool		of_stacks;	/* those that the function is in */
};

/* False, with a message: nothing in @profile is meant. */
bool selection_apply(struct profile *profile,
		     const struct selection *selection);

/* Whether an object is called that, with or without directories. */
bool selection_is_object(const struct object *object, const char *pattern);

/* Whether a function is called that. */
bool selection_is_called(const char *function, const char *pattern);

#endif
