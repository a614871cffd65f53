/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* How the profile of this process begins, is forked, and ends. */
#ifndef PRELOAD_PRELOAD_H
#define PRELOAD_PRELOAD_H

/*
 * Begins, if nobody has: calls that are taken over may come from constructors
 * that run before ours. Leaves errno alone.
 */
void preload_begin(void);

#endif
