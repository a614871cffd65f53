/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A child process that profil profiles from the first instruction of its program on. */
#ifndef EXECUTED_H
#define EXECUTED_H

#include <stdbool.h>
#include <sys/types.h>

/* Traces process @pid, which is about to execute a program. False after a message. */
bool executed_seize(pid_t pid);

/* Waits until it has, and is stopped. NULL: it has ended. */
const struct thread *executed_hold(void);

#endif
