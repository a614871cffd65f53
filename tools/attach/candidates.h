/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Chooses the thread that profil stops. */
#ifndef CANDIDATES_H
#define CANDIDATES_H

#include "attach/interrupted.h"
#include "attach/target.h"
#include "attach/thread.h"

/* Stops the thread that notices it least. False after a message. */
bool candidates_hold(const struct target *target, struct thread *thread);

/*
 * Whether the program has one thread, besides @ours. It must not see that one: some system
 * calls refuse a process with threads.
 */
bool candidates_is_alone(const struct target *target, pid_t ours);

#endif
