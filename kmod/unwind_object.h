/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _PROFIL_UNWIND_OBJECT_H
#define _PROFIL_UNWIND_OBJECT_H

#include <linux/compiler.h>
#include <linux/types.h>
#include <linux/profil.h>

#include "unwind_state.h"

/**
 * struct profil_unwind_objects - all of them.
 * @object:     by ascending address, without overlaps. In any other order
 *              stacks are cut short or wrong, and nothing worse.
 * @n:          their number.
 * @generation: never 0, and another one whenever @object has changed.
 */
struct profil_unwind_objects {
	const struct profil_object	*object;
	u32				n;
	u32				generation;
};

const struct profil_object *profil_unwind_object_search(struct profil_unwind *walk, u64 pc);

/* The object of a pc, or NULL. Most often it is the one that the last search was in. */
static __always_inline const struct profil_object *
profil_unwind_object(struct profil_unwind *walk, u64 pc)
{
	const struct profil_object *object = walk->object;

	if (likely(object && pc - object->start < object->end - object->start))
		return object;
	return profil_unwind_object_search(walk, pc);
}

#endif /* _PROFIL_UNWIND_OBJECT_H */
