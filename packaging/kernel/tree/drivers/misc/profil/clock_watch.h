/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Nobody can switch a static call off, so there is nothing to watch: with hooks
 * that ftrace or kprobes make, this is where it is looked whether they are called.
 */
#ifndef _PROFIL_CLOCK_WATCH_H
#define _PROFIL_CLOCK_WATCH_H

static inline void profil_watch_begin(void) { }
static inline void profil_watch_end(void) { }
static inline void profil_watch_cancel(void) { }

#endif /* _PROFIL_CLOCK_WATCH_H */
