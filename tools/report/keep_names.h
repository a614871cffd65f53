/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Keeps the names of a report's functions, for reports without the programs. */
#ifndef KEEP_NAMES_H
#define KEEP_NAMES_H

#include "content/report.h"

/*
 * Writes profil.names into @directory, with what reports of all of its profiles look up.
 * Returns false, after a message, if it cannot. The file has no permission that a profile
 * lacks.
 */
bool keep_names(const struct report *report, const char *directory);

#endif
