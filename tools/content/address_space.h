/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* One address space for the objects of all processes. */
#ifndef ADDRESS_SPACE_H
#define ADDRESS_SPACE_H

#include "profile/profile.h"

/*
 * For formats with one address space: what to add to the addresses of each object,
 * so that no two overlap. The caller frees it. Gives code in no object the pages of its
 * addresses.
 */
uint64_t *address_space_bases(struct profile *profile);

#endif
