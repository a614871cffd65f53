/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* --follow: the processes that a process starts, and those that they start. */
#ifndef FOLLOW_H
#define FOLLOW_H

#include "run/attachment.h"

/*
 * Attaches to the process of @root and to its descendants that have no profile, until it
 * has ended, @seconds have passed (0: no limit), or a signal ends this process. Returns
 * false if the process itself could not be attached to; with @preloaded, that may have
 * the library.
 */
bool follow_run(const struct attachment *root, double seconds, bool preloaded);

/* The same in a process of its own, which SIGTERM ends. */
pid_t follow_start(const struct attachment *root, double seconds, bool preloaded);

#endif
