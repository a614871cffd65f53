/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _PROFIL_OBJECTS_H
#define _PROFIL_OBJECTS_H

#include <linux/kref.h>
#include <linux/types.h>
#include <linux/profil.h>

/**
 * struct profil_table - where code is, as a process has said.
 * @ref:        who looks at it: profiles, and walks.
 * @n:          number of objects.
 * @generation: never 0, and another one in each table of a profile.
 * @object:     by ascending address, without overlaps.
 */
struct profil_table {
	struct kref		ref;
	u32			n;
	u32			generation;
	struct profil_object	object[];
};

struct profil_table *profil_table_copy(const struct profil_object_table *req);
void profil_table_put(struct profil_table *table);

#endif /* _PROFIL_OBJECTS_H */
