// SPDX-License-Identifier: LGPL-2.1-or-later
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "linker_list.h"

#include <link.h>
#include <stdint.h>

/*
 * A fork child has its parent's lock of the list, which another thread may have
 * held: then nobody here will ever release it. The list is as it was at the
 * fork until this process's own dynamic linker changes it, which it could not
 * do without the lock; until then, it is not asked for.
 */
static bool lock_in_doubt;
static uintptr_t list_at_fork;

/* libc's, since 2.32: there have never been threads. */
extern char __libc_single_threaded __attribute__((weak));

/* Different for different lists; read without the lock, and only compared. */
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

bool linker_list_is_free(void)
{
	if (lock_in_doubt)
		lock_in_doubt = list_digest() == list_at_fork;
	return !lock_in_doubt;
}

void linker_list_after_fork(void)
{
	list_at_fork = list_digest();
	lock_in_doubt = !&__libc_single_threaded || !__libc_single_threaded;
}
