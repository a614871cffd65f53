/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The code in the memory of a process, from its /proc/PID/maps and its memory. */
#ifndef CODE_MAP_H
#define CODE_MAP_H

#include "attach/target.h"

#include <libprofil/profile_format.h>
#include <linux/profil.h>

/* An executable segment of an object. */
struct code {
	uint64_t	start, end, bias, offset;	/* as in struct profile_object */
	uint64_t	eh_frame_hdr;
	uint64_t	inode;
	uint32_t	build_id_size;
	uint8_t		build_id[PROFILE_BUILD_ID_MAX];
	char		*path;
};

struct code_map {
	struct code	*code;		/* by address */
	size_t		n, room;
};

/* A later code_map_free() frees it. */
void code_map_read(struct code_map *map, const struct target *target);
void code_map_free(struct code_map *map);

/* Whether both are the same object at the same place. */
bool code_map_is_same(const struct code *one, const struct code *other);

/* The object whose code begins at @start has its .eh_frame_hdr elsewhere. */
void code_map_set_frames(struct code_map *map, uint64_t start, uint64_t eh_frame_hdr);

/* A sum over what the process maps of files. While it stays, so does all that is read here. */
uint64_t code_map_sum(const struct target *target);

/* The kernel's table: those that have call frame information. Returns their number. */
uint32_t code_map_table(const struct code_map *map, struct profil_object *objects);

/*
 * A file that an earlier profil has left mapped: its address and size. False: there is
 * none.
 */
bool code_map_leftover(const struct target *target, unsigned long *address,
		       size_t *size, uint32_t *run);

#endif
