/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The list of regions of one call, and how it is handed to the kernel. */
#ifndef LIBPROFIL_REGIONS_H
#define LIBPROFIL_REGIONS_H

#include <linux/profil.h>
#include <stddef.h>
#include <stdint.h>

#include "dialect.h"
#include "scope.h"

/*
 * Small enough for a thread's or a signal handler's stack, large enough for
 * what most callers pass.
 */
#define REGIONS_ON_STACK	4

/**
 * struct regions - room for the regions of one call; lives on its stack.
 * @tag:    whose rules apply.
 * @scope:  for the caller to set, after libprofil_regions_open().
 * @array:  the regions: @few, or an anonymous mapping.
 * @used:   how many there are.
 * @room:   how many fit.
 * @mapped: bytes of the mapping, or 0.
 * @few:    where most calls need no mapping.
 */
struct regions {
	enum profil_dialect	tag;
	struct scope		scope;
	struct profil_region	*array;
	size_t			used;
	size_t			room;
	size_t			mapped;
	struct profil_region	few[REGIONS_ON_STACK];
};

/* Makes room for up to room regions. 0, or -1 with errno ENOMEM. */
int libprofil_regions_open(struct regions *regions, enum profil_dialect tag,
			   size_t room);
/* Leaves errno alone. */
void libprofil_regions_close(struct regions *regions);

/*
 * Adds a range unless its scale turns it off. 0, or -1 with errno: EINVAL, the
 * scale is too large; E2BIG, no room.
 */
int libprofil_regions_add(struct regions *regions, const struct range *range);

/*
 * Starts a profile of these regions in the place of any other, or stops
 * profiling if there are none. 0, or -1 with errno.
 */
int libprofil_regions_start(struct regions *regions, enum profil_rate rate);

#endif
