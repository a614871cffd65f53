/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* From the places of a profile and of its stacks to functions. */
#ifndef FUNCTIONS_OF_PLACES_H
#define FUNCTIONS_OF_PLACES_H

#include "content/functions.h"

void functions_of_places(struct functions *functions, struct profile *profile);

#endif
