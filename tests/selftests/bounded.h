/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Attacks of a process on the kernel. An attack that succeeds may leave a thread that
 * no signal ends. Then the test fails and the run goes on.
 */
#ifndef SELFTESTS_BOUNDED_H
#define SELFTESTS_BOUNDED_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/*
 * Runs attack() in a process of its own. The process must exit with 0, or die when it
 * is killed. It has no terminal; its output is passed on.
 */
void bounded(void (*attack)(void));

/*
 * Whether a test may repeat its steps once more. On a busy machine, tests repeat them
 * less often.
 */
bool time_left(void);

/* Waits for condition(arg). Gives up when a hang has become the likelier reason. */
bool wait_for(bool (*condition)(const void *arg), const void *arg);

/* The state in /proc/TID/stat; 0 if there is no such thread. */
char thread_state(pid_t tid);
bool thread_exits(pid_t tid);

#endif /* SELFTESTS_BOUNDED_H */
