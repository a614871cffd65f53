/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Matches functions of two profiles: they are the same if their names and the names
 * of their objects are. Addresses differ from build to build.
 */
#ifndef IDENTITIES_H
#define IDENTITIES_H

#include "content/report.h"

/* The strings belong to the first report with this function. */
struct identity {
	const struct object	*object;
	const char		*name;
	bool			inlined;
	uint32_t		number;
};

struct identities {
	void		*index;		/* tsearch() tree */
	struct identity	**list;		/* by number */
	size_t		n, room;
};

/* The number of the function in @row of @report; a new one if necessary. */
uint32_t identities_find(struct identities *identities,
			 const struct report *report, const struct row *row);
void identities_free(struct identities *identities);

/* Compares by the names of object and function. */
int identities_compare(const struct identity *x, const struct identity *y);

#endif
