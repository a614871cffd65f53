/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The source or instructions of a function, with the samples of each line. */
#ifndef LISTING_H
#define LISTING_H

#include "content/report.h"

struct listing_line {
	uint64_t	samples;
	uint64_t	address;	/* instruction; else 0 */
	int		number;		/* source line; else 0 */
	char		*text;
};

struct listing {
	const char		*file;	/* to be cleaned */
	struct listing_line	*lines;
	size_t			n, room;
	uint64_t		elsewhere;	/* samples in unknown lines */
};

/*
 * Return false and an empty listing if there is no source or no code. What was kept with
 * the profile comes first: the source may have changed.
 */
bool listing_source(struct listing *listing, const struct report *report,
		    const struct row *row);
bool listing_code(struct listing *listing, const struct report *report,
		  const struct row *row);

/* Lists the addresses with samples, which are always known. */
void listing_addresses(struct listing *listing, const struct report *report,
		       const struct row *row);
void listing_free(struct listing *listing);

#endif
