/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What tests need of the machine that they are on. int: 0, or -1 and errno. */
#ifndef SELFTESTS_MACHINE_H
#define SELFTESTS_MACHINE_H

#include <stdbool.h>
#include <stdint.h>

/* CLOCK_MONOTONIC. */
uint64_t now_ns(void);
void sleep_ms(unsigned int ms);

/* The calling thread stays on this CPU. */
int pin(unsigned int cpu);

/* From now on the process has no privileges. */
#define NOBODY	65534
int become_nobody(void);

/* Local timer interrupts that a CPU has taken. */
uint64_t timer_interrupts(unsigned int cpu);

/* Does the kernel have its timers and softirqs in threads? */
bool kernel_is_realtime(void);

/* Or is that left to the kernel, in a page fault? Only who has chosen the CPU knows. */
bool cpu_marks_accessed_pages(void);

/* Is there anything to hook a function by, that can be switched off? */
bool kernel_has_hooks(void);

/* Switch ftrace and kprobes, what there is of them, off ("0") or on ("1"). */
int set_hooks(const char *on);

/* The same for the one that the tick is hooked by: ftrace, or kprobes without it. */
int set_tick_hook(const char *on);

/* Write the signature of a swap area of so many pages to a disk; false without the disk. */
bool make_swap(const char *path, uint32_t pages);

#endif /* SELFTESTS_MACHINE_H */
