/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The samples of each call in each bin of time, for each lane. A lane is a thread, or
 * several threads if there are too many.
 */
#ifndef HTML_BINS_H
#define HTML_BINS_H

#include "content/report.h"

/* A thread, or the threads with the same name, or of the same process. */
struct html_lane {
	uint32_t	group;		/* process, or name: see html_bins_groups() */
	uint32_t	thread;		/* its first thread */
	uint32_t	threads;	/* its number of threads */
	uint64_t	period_ns;
};

struct html_bin {
	uint32_t	lane;
	uint32_t	bin;		/* from 1; 0: time unknown */
	uint32_t	call;		/* its number in the page */
	uint64_t	samples;
};

struct html_bins {
	struct html_lane		*lanes;
	size_t			nlanes, lanes_room;
	struct html_bin	*entries;	/* by lane, bin, call */
	size_t			n, room;
	uint64_t		start_ns;	/* of bin 1, since 1970 */
	uint64_t		end_ns;		/* of the last moment */
	uint64_t		width_ns;	/* of each bin */
	uint32_t		count;		/* the last bin; 0: all times unknown */
	uint64_t		spread;		/* how many more to spread moments over */
	bool			crowded;	/* it was not enough */
};

/* There are more, unless bins are so wide that few are left. */
#define HTML_BINS_FEWEST	64

/*
 * @numbers: the number of each call in the page. Bins are made wide at once if there would
 * be more entries than @most.
 */
void html_bins_make(struct html_bins *bins, const struct report *report,
		    const uint32_t *numbers, size_t most);

/* Makes the bins again, with the next larger width. */
void html_bins_widen(struct html_bins *bins, const struct report *report,
		     const uint32_t *numbers);
void html_bins_free(struct html_bins *bins);

/* Whether processes are grouped by name, and the number of groups. */
bool html_bins_by_name(const struct profile *profile);
size_t html_bins_groups(const struct profile *profile);

#endif
