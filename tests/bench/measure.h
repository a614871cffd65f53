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

/* Interrupts of a block; 250 to 1000 ticks a second for a quarter second. */
#define MEASURE_MAX	4096

/* Interrupts, in instructions each, in ascending order. */
struct gaps {
	unsigned int n;
	uint32_t length[MEASURE_MAX];
};

/* One more; and all that there are in order. */
void add_gap(struct gaps *gaps, uint32_t length);
void sort_gaps(struct gaps *gaps);

/* The program counter is in here nearly all the time. */
void measure_work(void);

/* Learns what a piece of work takes; fails if that is not a constant. */
int measure_init(void);

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

/* Typical time of calls of do_it(): the median. */
uint64_t measure_call(void (*do_it)(void), unsigned int calls);

/* The mean of the middle half of n numbers in ascending order. */
double middle(const uint32_t *number, unsigned int n);

/* The next interrupt that takes a sample: its instructions. */
uint32_t measure_sample(uint64_t (*samples)(void));

#endif /* _BENCH_MEASURE_H */
