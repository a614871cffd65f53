/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Where the dynamic linker looks for a library that is asked for by name. */
#ifndef PRELOAD_LIBRARY_SEARCH_H
#define PRELOAD_LIBRARY_SEARCH_H

#include <stdbool.h>

/*
 * Whether it looks at the same places for the code at @caller and for ours. False
 * also if that cannot be told.
 */
bool library_search_is_the_same(const void *caller);

#endif
