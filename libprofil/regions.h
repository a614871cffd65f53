/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The list of regions of one call, and its way to the kernel. */
#ifndef LIBPROFIL_REGIONS_H
#define LIBPROFIL_REGIONS_H

#include <linux/profil.h>
#include <stddef.h>
#include <stdint.h>

#include "dialect.h"
#include "scope.h"

/*
 * Small enough for the stack of a thread or a signal handler, large enough for
 * most callers.
 */
#define REGIONS_ON_STACK	4

/**
 * struct regions - room for the regions of one call; lives on its stack.
 * @tag:    the dialect of the call.
 * @scope:  set by the caller after libprofil_regions_open().
 * @array:  the regions: @few, or an anonymous mapping.
 * @used:   number of regions.
 * @room:   maximum number of regions.
 * @mapped: bytes of the mapping, or 0.
 * @few:    saves most calls a mapping.
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

/* Makes room for @room regions. 0, or -1 with errno ENOMEM. */
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
 * Starts a profile of these regions, which replaces any other, or stops profiling
 * if there are none. 0, or -1 with errno.
 */
int libprofil_regions_start(struct regions *regions, enum profil_rate rate);

#endif
