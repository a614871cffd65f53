/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The instructions in a range of an object's code, in AT&T's syntax on x86. */
#ifndef DISASSEMBLY_H
#define DISASSEMBLY_H

#include "profile/profile.h"

#include <stddef.h>
#include <stdint.h>

struct instruction {
	uint64_t	address;
	char		*text;
};

struct disassembly {
	struct instruction	*lines;
	size_t			n, room;
};

/* Empty if the object's file is not there, or of another machine than capstone knows. */
void disassembly_make(struct disassembly *disassembly, struct object *object,
		      uint64_t start, uint64_t end);
void disassembly_free(struct disassembly *disassembly);

#endif
