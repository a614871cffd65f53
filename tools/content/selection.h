/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Selects samples by process, object and function. */
#ifndef SELECTION_H
#define SELECTION_H

#include "profile/profile.h"

/*
 * Patterns of glob(7). An object matches by name or path, a function with or without
 * its parameters. Inlined functions match as well.
 */
struct selection {
	const char	*command;	/* NULL: any */
	const char	*object;
	const char	*function;
	bool		has_pid;
	uint32_t	pid;
	bool		of_stacks;	/* selects stacks that contain object and function */
};

void selection_apply(struct profile *profile, const struct selection *selection);

/* Returns false, after a message, if a selection was made and left no @samples. */
bool selection_check(const struct selection *selection, uint64_t samples);

/* Whether an object's name or path matches. */
bool selection_is_object(const struct object *object, const char *pattern);

/* Whether a function's name matches. */
bool selection_is_called(const char *function, const char *pattern);

#endif
