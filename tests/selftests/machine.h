/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Properties and settings of the machine. Functions of type int return 0, or -1 and errno. */
#ifndef SELFTESTS_MACHINE_H
#define SELFTESTS_MACHINE_H

#include <stdbool.h>
#include <stdint.h>
#include <time.h>

/* The time of a clock, and of CLOCK_MONOTONIC. */
uint64_t clock_ns(clockid_t clock);
uint64_t now_ns(void);
void sleep_ms(unsigned int ms);
void sleep_until(uint64_t ns);

/* Binds the calling thread to this CPU. */
int pin(unsigned int cpu);

/* Drops the privileges of the process. */
#define NOBODY	65534
int become_nobody(void);

/* Local timer interrupts, and interrupts for function calls, that a CPU has taken. */
uint64_t timer_interrupts(unsigned int cpu);
uint64_t function_calls(unsigned int cpu);

/* Does the kernel run timers and softirqs in threads? */
bool kernel_is_realtime(void);

/* If not, the kernel marks them in a page fault. The environment has NO_ACCESS_FLAGS then. */
bool cpu_marks_accessed_pages(void);

bool kernel_has_ftrace(void);

/* Switch ftrace off ("0") or on ("1"). */
int set_ftrace(const char *on);

/* Writes the signature of a swap area of this many pages to a disk; false: no such disk. */
bool make_swap(const char *path, uint32_t pages);

#endif /* SELFTESTS_MACHINE_H */
