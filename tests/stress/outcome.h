/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What a run has found, in memory that all of its processes share: rules that
 * were broken, and how often each thing was done.
 */
#ifndef STRESS_OUTCOME_H
#define STRESS_OUTCOME_H

#include <stdbool.h>
#include <stdint.h>

#define OUTCOME_COUNTS	64

struct outcome {
	uint64_t broken;
	uint64_t counts[OUTCOME_COUNTS];
};

extern struct outcome *outcome;

void outcome_init(void);

/* One more of a kind. */
void did(unsigned int kind);
void did_many(unsigned int kind, uint64_t n);
bool did_ever(unsigned int kind);

/* A rule does not hold: said at once, the first times. */
void broken(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Who is at work, for broken(). */
void outcome_name(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* SLOWNESS, as the selftests know it. */
unsigned int slower(void);

/* A line of TAP; counts failures. */
void tap_plan(unsigned int n);
void tap(bool ok, const char *format, ...) __attribute__((format(printf, 2, 3)));
unsigned int tap_failures(void);
void say(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif /* STRESS_OUTCOME_H */
