/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A part of the time that a profile covers. */
#ifndef TIME_RANGE_H
#define TIME_RANGE_H

#include "profile/profile.h"

/* Since the start of what was started first. */
struct time_point {
	bool	given;
	bool	is_share;	/* of the time to the last sample: 0 to 1 */
	double	value;		/* seconds, or that */
};

struct time_range {
	struct time_point	from, to;
};

/* "1.5" is seconds, "10%" is a share. False: it is neither. */
bool time_range_parse(struct time_point *point, const char *text);

/*
 * Leaves the samples of that time, and counts again. False, with a message: there
 * are samples whose time is not known.
 */
bool time_range_select(struct profile *profile, const struct time_range *range);

#endif
