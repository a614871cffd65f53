/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Whether the dynamic linker's list of objects may be read. */
#ifndef PRELOAD_LINKER_LIST_H
#define PRELOAD_LINKER_LIST_H

#include <link.h>
#include <stdbool.h>

/*
 * The dynamic linker's. Weak, so that this library does not depend on one: to look it up once
 * more takes each start of a program 2,000 instructions.
 */
extern __typeof__(_r_debug) _r_debug __attribute__((weak));

/*
 * Whether dl_iterate_phdr() may be called. False in a fork child where it could wait
 * for ever.
 */
bool linker_list_is_free(void);

/* Its length; without the lock, so only while there is one thread. */
unsigned int linker_list_length(void);

/* In a fork child. */
void linker_list_after_fork(void);

#endif
