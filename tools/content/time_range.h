/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Selects samples by time. */
#ifndef TIME_RANGE_H
#define TIME_RANGE_H

#include "profile/profile.h"

/* A time since the start of the first process. */
struct time_point {
	bool	given;
	bool	is_share;	/* value is a share of the whole run */
	double	value;		/* seconds, or a share from 0 to 1 */
};

struct time_range {
	struct time_point	from, to;
};

/* Parses seconds ("1.5") or a share ("10%"). Returns false for other text. */
bool time_range_parse(struct time_point *point, const char *text);

/* Keeps only the samples of @moment from @from on and before @to. False: none are left. */
bool time_range_cut(struct moment *moment, uint64_t from, uint64_t to);

/* The time of the first sample of @moment that is not before @from; UINT64_MAX: none. */
uint64_t time_range_next(const struct moment *moment, uint64_t from);

/*
 * Whether the time of samples is known: false, after a message that begins with @options_need, if
 * that of none is. Leaves out samples without one, and says how many.
 */
bool time_range_need(struct profile *profile, const char *options_need);

/*
 * Keeps only the samples in @range, and counts again. Returns false, after a message,
 * if none are left.
 */
bool time_range_select(struct profile *profile, const struct time_range *range);

#endif
