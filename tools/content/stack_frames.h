/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The functions at the places of stacks. */
#ifndef STACK_FRAMES_H
#define STACK_FRAMES_H

#include <stddef.h>
#include <stdint.h>

#define NO_ROW	UINT32_MAX

/* Numbers of rows of functions, outermost first, in lists that end with NO_ROW. */
struct stack_frames {
	uint32_t	*rows;
	size_t		n, room;
	uint32_t	*of_node;	/* where the list of each stack_node begins; */
					/* 0: no sample is in it or below it */
};

/* Row @i has become row @to[i]. */
void stack_frames_renumber(struct stack_frames *frames, const uint32_t *to);
void stack_frames_free(struct stack_frames *frames);

#endif
