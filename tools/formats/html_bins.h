/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * When which thread was where, as exactly as there is room for: samples of calls
 * in bins of time. Threads are put together into lanes if there are too many.
 */
#ifndef HTML_BINS_H
#define HTML_BINS_H

#include "content/report.h"

/* One thread, or the threads of a name, or of a process. */
struct html_lane {
	uint32_t	group;		/* as html_groups_of() */
	uint32_t	thread;		/* of the stacks: the first one */
	uint32_t	threads;	/* how many */
	uint64_t	period_ns;
};

struct html_bin {
	uint32_t	lane;
	uint32_t	bin;		/* from 1; 0: the time is not known */
	uint32_t	call;		/* the page's number */
	uint64_t	samples;
};

struct html_bins {
	struct html_lane		*lanes;
	size_t			nlanes, lanes_room;
	struct html_bin	*entries;	/* by lane, bin, call */
	size_t			n, room;
	uint64_t		start_ns;	/* of bin 1, since 1970 */
	uint64_t		width_ns;	/* of each */
	uint32_t		count;		/* the last bin; 0: no time is known */
	uint64_t		spread;		/* more that moments may be spread over */
};

/* @numbers: the page's, of calls. */
void html_bins_make(struct html_bins *bins, const struct report *report,
		    const uint32_t *numbers);

/* The next wider bins. */
void html_bins_widen(struct html_bins *bins, const struct report *report,
		     const uint32_t *numbers);
void html_bins_free(struct html_bins *bins);

#endif
