// SPDX-License-Identifier: LGPL-2.1-or-later
#include "linker_list.h"

#include <stdint.h>

/*
 * A fork child has a copy of the list's lock. If another thread held the lock at the
 * fork, it is never released in the child. So the child does not use the list until
 * the list differs from that at the fork: then the child's own dynamic linker has
 * changed it, which needs a free lock.
 */
static bool lock_in_doubt;
static uintptr_t list_at_fork;

/* In glibc since 2.32: false once there have been threads. */
extern char __libc_single_threaded __attribute__((weak));

/* Differs for different lists. Reads the list without the lock. */
static uintptr_t list_digest(void)
{
	const struct link_map *map;
	uintptr_t digest = 0;

	if (_r_debug.r_state != RT_CONSISTENT)
		return list_at_fork;
	for (map = _r_debug.r_map; map; map = map->l_next)
		digest = digest * 31 + (uintptr_t)map + map->l_addr;
	return digest;
}

unsigned int linker_list_length(void)
{
	const struct link_map *map;
	unsigned int n = 0;

	for (map = _r_debug.r_map; map; map = map->l_next)
		n++;
	return n;
}

bool linker_list_is_free(void)
{
	if (lock_in_doubt)
		lock_in_doubt = list_digest() == list_at_fork;
	return !lock_in_doubt;
}

void linker_list_after_fork(void)
{
	bool threaded = !&__libc_single_threaded || !__libc_single_threaded;

	if (threaded)
		list_at_fork = list_digest();
	/* A fork child copies each page that it writes to. */
	if (lock_in_doubt != threaded)
		lock_in_doubt = threaded;
}
