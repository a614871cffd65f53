/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Numbers that look random and are the same for the same seed. */
#ifndef STRESS_CHANCE_H
#define STRESS_CHANCE_H

#include <stdbool.h>
#include <stdint.h>

struct chance {
	uint64_t state;
};

static inline uint64_t chance_next(struct chance *c)
{
	uint64_t z = c->state += 0x9e3779b97f4a7c15U;

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9U;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebU;
	return z ^ (z >> 31);
}

/* 0 to n - 1. */
static inline unsigned int chance_of(struct chance *c, unsigned int n)
{
	return (unsigned int)(chance_next(c) >> 33) % n;
}

/* Once in n times. */
static inline bool chance_one_in(struct chance *c, unsigned int n)
{
	return chance_of(c, n) == 0;
}

/* A sequence of its own for each number. */
static inline struct chance chance_from(uint64_t seed, uint64_t number)
{
	struct chance c = { .state = seed * 0x9e3779b97f4a7c15U + number };

	chance_next(&c);
	return c;
}

#endif /* STRESS_CHANCE_H */
