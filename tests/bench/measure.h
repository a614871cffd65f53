/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Interrupts, seen from the program that they interrupt, in instructions.
 *
 * In a guest whose clock counts instructions, a piece of work takes the same
 * time whenever it is done, unless it is interrupted: then it takes longer by
 * what the interrupt and all that came with it did, to the instruction. A
 * block is a fixed number of such pieces, and the list of what interrupted it.
 */
#ifndef _BENCH_MEASURE_H
#define _BENCH_MEASURE_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Instructions so far. QEMU gives the counter of its newest CPU of arm64 steps of 1 ns, too. */
static inline uint64_t now(void)
{
#ifdef __aarch64__
	uint64_t count;

	__asm__ volatile("isb; mrs %0, cntvct_el0" : "=r" (count));
	return count;
#elif defined(__riscv)
	uint64_t count;

	__asm__ volatile("rdinstret %0" : "=r" (count));
	return count;
#else
	return __builtin_ia32_rdtsc();
#endif
}

/* Interrupts of a block; 250 to 1000 ticks a second for a quarter second. */
#define MEASURE_MAX	4096

/* Interrupts, in instructions each. */
struct gaps {
	unsigned int n;
	double length[MEASURE_MAX];
};

void add_gap(struct gaps *gaps, uint32_t length);

/* The program counter is in here nearly all the time. */
void measure_work(void);

/* Learns what a piece of work takes; ends the program if that is not a constant. */
void measure_init(void);

/**
 * struct block - what interrupted a block of work.
 * @time:    of all of it, interrupts included.
 * @sampled: interrupts that took a sample.
 * @other:   those that did not.
 */
struct block {
	uint64_t time;
	struct gaps sampled;
	struct gaps other;
};

/*
 * Does a block of work. samples() is called after each interrupt and says how
 * many samples there are by now; NULL if there are none.
 */
void measure_block(struct block *block, uint64_t (*samples)(void));

/*
 * Typical time of calls of do_it(), or of the rest of each from the time that *@from then is:
 * the mean of the middle half. The clock has steps of some instructions, which a median shows.
 */
double measure_call(void (*do_it)(void), unsigned int calls, const volatile uint64_t *from);

/* The mean of the middle half of them, which are sorted, too. */
double typical(struct gaps *gaps);

/* Sorts them, too. */
double median(double *number, int n);

/* The next interrupt that takes a sample: its instructions. */
uint32_t measure_sample(uint64_t (*samples)(void));

/*
 * The timer's interrupts alone, in instructions: from the kernel's trace of them,
 * with the time stamp counter as its clock. What a thread does on its way back to
 * user mode is not in it. From trace_begin() to trace_end(), the length of each, and
 * of what is traced of it.
 */
void trace_begin(void);
void trace_end(struct gaps *gaps);

#endif /* _BENCH_MEASURE_H */
