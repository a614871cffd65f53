/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Functions of several profiles that are the same: called the same in objects of
 * one name. That is what stays between two builds.
 */
#ifndef IDENTITIES_H
#define IDENTITIES_H

#include "content/report.h"

/* What is pointed to belongs to the report that had it first. */
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

/* The one of @row of @report; it is made if there is none. */
uint32_t identities_find(struct identities *identities,
			 const struct report *report, const struct row *row);
void identities_free(struct identities *identities);

/* Their order by name. */
int identities_compare(const struct identity *x, const struct identity *y);

#endif
