/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Making the rows of a profile. */
#ifndef FUNCTION_ROWS_H
#define FUNCTION_ROWS_H

#include "content/rows.h"

void functions_make(struct functions *functions, struct profile *profile);
void functions_free(struct functions *functions);

/* Which of the @n frames is the row's; NULL: none. */
const struct frame *functions_frame(const struct row *row,
				    const struct frame *frames, size_t n);

#endif
