/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* One address space for the objects of all processes. */
#ifndef ADDRESS_SPACE_H
#define ADDRESS_SPACE_H

#include "profile/profile.h"

/*
 * Where objects are put in formats that have one address space for all, as what
 * is added to the addresses of each; to be freed. No two overlap, and programs
 * that cannot be moved are where they belong.
 */
uint64_t *address_space_bases(const struct profile *profile);

#endif
