/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What is on the screen: a list of functions, of callers, or of threads. */
#ifndef VIEW_H
#define VIEW_H

#include "top/counts.h"

#define DEPTH_MOST	64

enum list { LIST_FUNCTIONS, LIST_CALLERS, LIST_THREADS };
enum order { ORDER_SHARE, ORDER_NOW, ORDER_TOTAL, ORDERS };

struct line {
	uint32_t	index;		/* of a function, call or thread */
	uint64_t	now, own, total;
};

struct view {
	struct counts	*counts;
	const char	*title;
	enum list	list;
	enum order	order;
	uint32_t	path[DEPTH_MOST];	/* the last one's callers are shown */
	size_t		depth;
	struct line	*lines;
	size_t		n, room;
	size_t		selected, first;	/* lines; the first on the screen */
	bool		helps, paused;
	bool		zeroes;			/* the key for that was pressed */
	uint64_t	begun_ns;		/* of the counts: CLOCK_MONOTONIC */
	uint64_t	interval_ns;		/* the last one */
};

/* After an interval, or when the list or its order changes. */
void view_update(struct view *view);

/* @said: the last line that the command has written. */
void view_draw(struct view *view, const char *said, uint64_t now_ns);

/* Returns false if the key ends the view. */
bool view_key(struct view *view, int key);
void view_free(struct view *view);

#endif
