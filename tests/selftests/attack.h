/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Attacks: what a process does to the kernel, and not to itself. One that
 * succeeds may leave a thread that no signal ends; the test then fails and the
 * run goes on.
 */
#ifndef SELFTESTS_ATTACK_H
#define SELFTESTS_ATTACK_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/*
 * attack() in a process of its own, which must end with 0, and when killed
 * must die. It has no terminal: what it prints is passed on.
 */
void bounded(void (*attack)(void));

/*
 * Whether to go on with what is repeated: on a machine that is busy with other
 * things, it is repeated less often.
 */
bool time_left(void);

/* Waits for condition(arg), for as long as a hang is not the likelier reason. */
bool wait_for(bool (*condition)(const void *arg), const void *arg);

/* From /proc/TID/stat: 0 if there is no such thread. */
char thread_state(pid_t tid);
bool thread_exits(pid_t tid);

/* Sleeps this long, whatever happens. */
void pause_ms(unsigned int ms);

/* Zeroed memory that fork() shares. */
void *shared_with_children(size_t size);

#endif /* SELFTESTS_ATTACK_H */
