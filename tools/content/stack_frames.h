/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The functions at the places of stacks. */
#ifndef STACK_FRAMES_H
#define STACK_FRAMES_H

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#define NO_ROW	UINT32_MAX

/* Lists of rows of functions, outermost first; each list ends with NO_ROW. */
struct stack_frames {
	uint32_t	*rows;
	size_t		n, room;
	uint32_t	*of_node;	/* the list of each stack_node; 0 if no */
					/* sample is in the node or below it */
};

/* Changes row @i to row @to[i]. */
static inline void stack_frames_renumber(struct stack_frames *frames,
					 const uint32_t *to)
{
	size_t i;

	for (i = 0; i < frames->n; i++)
		if (frames->rows[i] != NO_ROW)
			frames->rows[i] = to[frames->rows[i]];
}

static inline void stack_frames_free(struct stack_frames *frames)
{
	free(frames->rows);
	free(frames->of_node);
	*frames = (struct stack_frames){ 0 };
}

#endif
