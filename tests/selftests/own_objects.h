/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The objects of the program that asks, for walks of its own stack. */
#ifndef _TESTS_OWN_OBJECTS_H
#define _TESTS_OWN_OBJECTS_H

#include <link.h>
#include <stdlib.h>

#include <linux/profil.h>

#define OWN_OBJECTS	64

struct own_objects {
	struct profil_object object[OWN_OBJECTS];
	unsigned int n;
};

static inline int own_object(struct dl_phdr_info *info, size_t size, void *data)
{
	struct own_objects *own = data;
	struct profil_object *o = &own->object[own->n];

	(void)size;
	*o = (struct profil_object) { .start = ~0ULL };
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) p = info->dlpi_phdr[i];
		__u64 start = info->dlpi_addr + p.p_vaddr;

		if (p.p_type == PT_GNU_EH_FRAME)
			o->eh_frame_hdr = start;
		/* arm64's vDSO may be in the hole between the linker's segments. */
		if (p.p_type != PT_LOAD || !(p.p_flags & PF_X))
			continue;
		o->start = start < o->start ? start : o->start;
		o->end = start + p.p_memsz > o->end ? start + p.p_memsz : o->end;
	}
	own->n += o->start < o->end;
	return own->n == OWN_OBJECTS;
}

static inline int own_object_compare(const void *a, const void *b)
{
	const struct profil_object *x = a, *y = b;

	return x->start < y->start ? -1 : x->start > y->start;
}

static inline void own_objects_find(struct own_objects *own)
{
	own->n = 0;
	dl_iterate_phdr(own_object, own);
	qsort(own->object, own->n, sizeof(own->object[0]), own_object_compare);
}

static inline struct profil_object *own_object_of(struct own_objects *own, __u64 pc)
{
	unsigned int i = 0;

	while (i < own->n - 1 && (pc < own->object[i].start || pc >= own->object[i].end))
		i++;
	return &own->object[i];
}

#endif /* _TESTS_OWN_OBJECTS_H */
