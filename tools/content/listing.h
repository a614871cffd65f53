/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A function's source or disassembly, with the samples of each line. */
#ifndef LISTING_H
#define LISTING_H

#include "content/report.h"

struct listing_line {
	uint64_t	samples;
	uint64_t	address;	/* of an instruction; otherwise 0 */
	int		number;		/* of a source line; otherwise 0 */
	char		*text;
};

struct listing {
	char			*title;	/* the file */
	struct listing_line	*lines;
	size_t			n, room;
	uint64_t		elsewhere;	/* samples of no line */
};

/* False, with an empty listing: there is no such thing to be had. */
bool listing_source(struct listing *listing, const struct report *report,
		    const struct row *row);
bool listing_code(struct listing *listing, const struct report *report,
		  const struct row *row);

/* What is always there: the addresses that have samples. */
void listing_addresses(struct listing *listing, const struct report *report,
		       const struct row *row);
void listing_free(struct listing *listing);

#endif
