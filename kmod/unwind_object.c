// SPDX-License-Identifier: GPL-2.0-only
/*
 * Where code is: the object of a pc.
 *
 * Layer: ground.
 */
#include "unwind_object.h"

const struct profil_object *profil_unwind_object_search(struct profil_unwind *walk, u64 pc)
{
	const struct profil_object *object = walk->objects->object;
	u32 low = 0, high = walk->objects->n;

	while (low < high) {
		u32 middle = low + (high - low) / 2;

		if (object[middle].start <= pc)
			low = middle + 1;
		else
			high = middle;
	}
	if (!low || pc >= object[low - 1].end)
		return NULL;
	walk->object = &object[low - 1];

	return walk->object;
}
