/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The instructions in a range of an object's file, from objdump. */
#ifndef DISASSEMBLY_H
#define DISASSEMBLY_H

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

/* Empty if there is no objdump, or if it cannot read the file. */
void disassembly_make(struct disassembly *disassembly, const char *file,
		      uint64_t start, uint64_t end);
void disassembly_free(struct disassembly *disassembly);

#endif
