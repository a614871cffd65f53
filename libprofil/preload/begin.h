/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* How the profile of this process begins. */
#ifndef PRELOAD_BEGIN_H
#define PRELOAD_BEGIN_H

/*
 * Begins, if nobody has: calls that are taken over may come from constructors
 * that run before ours. Leaves errno alone.
 */
void preload_begin(void);

#endif
