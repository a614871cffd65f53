/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What <linux/profil.h> says of regions, slowly.
 *
 * The reference that kmod/region.c is compared with: 128-bit arithmetic in the
 * words of the header, each region looked at for each pc. Nothing here is
 * shared with the code it checks.
 */
#ifndef _REGION_REFERENCE_H
#define _REGION_REFERENCE_H

#include "counter.h"

/* May a profile have these regions? */
bool reference_valid(const struct profil_region *r, u32 n);

/* Index of a distance's counter; U64_MAX if it does not fit. */
u64 reference_index(unsigned int rule, unsigned int width, u32 scale, u64 d);

/* As profil_counter_next(). */
enum profil_count reference_next(const struct profil_region *r, u64 old, u64 *new);

/*
 * Compiles valid regions and compares the map with the reference: at the pcs
 * given, and around both ends of each region. Says what differs on stderr.
 */
bool reference_agrees(const struct profil_region *r, u32 n, const u64 *pc, size_t npcs);

/* For callers that can wait until the work is done. */
int no_pause(void);

/* A map of valid regions, in memory of just the size it asks for. */
struct profil_map *build_map(const struct profil_region *r, u32 n);

#endif /* _REGION_REFERENCE_H */
