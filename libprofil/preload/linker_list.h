/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The dynamic linker's list of objects, and whether it may be asked for. */
#ifndef PRELOAD_LINKER_LIST_H
#define PRELOAD_LINKER_LIST_H

#include <stdbool.h>

/*
 * Whether dl_iterate_phdr() may be called: not if it may wait for ever, in a fork
 * child.
 */
bool linker_list_is_free(void);

/* In a fork child. */
void linker_list_after_fork(void);

#endif
