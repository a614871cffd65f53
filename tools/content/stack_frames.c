// SPDX-License-Identifier: LGPL-2.1-or-later
#include "content/stack_frames.h"

#include <stdlib.h>

void stack_frames_renumber(struct stack_frames *frames, const uint32_t *to)
{
	size_t i;

	for (i = 0; i < frames->n; i++)
		if (frames->rows[i] != NO_ROW)
			frames->rows[i] = to[frames->rows[i]];
}

void stack_frames_free(struct stack_frames *frames)
{
	free(frames->rows);
	free(frames->of_node);
	*frames = (struct stack_frames){ 0 };
}
