/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The common part of every system's profil(): one range with 2-byte counters, at
 * the clock's rate. 0, or -1 with errno.
 */
#ifndef LIBPROFIL_PROFIL_H
#define LIBPROFIL_PROFIL_H

#include "regions.h"

int libprofil_profil(enum profil_dialect tag, const void *buf, size_t bufsiz,
		     uintptr_t offset, unsigned int scale);
int libprofil_profil_in(struct scope scope, enum profil_dialect tag,
			const void *buf, size_t bufsiz, uintptr_t offset,
			unsigned int scale);

#endif
