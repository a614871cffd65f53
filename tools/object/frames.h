/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* From addresses of an object to lines and inlined calls. */
#ifndef FRAMES_H
#define FRAMES_H

#include "object/symbols.h"

#define FRAMES_MOST	(CALLS_MOST + 1)

/* The line of @address. */
struct line frames_line(struct object *object, uint64_t address);

/* The same in the function that contains the inlined calls. */
struct line frames_outer_line(struct object *object, uint64_t address);

/* The line that declares the function at @address. */
struct line frames_declaration(struct object *object, uint64_t address);

/*
 * The frames of @address, innermost first; at least one. Names are valid as long as the
 * object's symbols.
 */
size_t frames_at(struct object *object, uint64_t address,
		 struct frame frames[FRAMES_MOST]);

#endif
