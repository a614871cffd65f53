/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Begins the profile of this process. */
#ifndef PRELOAD_BEGIN_H
#define PRELOAD_BEGIN_H

/*
 * Does nothing after the first call. Wrapped calls use it too, because constructors
 * that run before ours may make them. Leaves errno alone.
 */
void preload_begin(void);

#endif
