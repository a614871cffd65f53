/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Where the dynamic linker looks for a library by its name. */
#ifndef PRELOAD_LIBRARY_SEARCH_H
#define PRELOAD_LIBRARY_SEARCH_H

#include <stdbool.h>

/*
 * Whether it searches the same places for the code at @caller and for this library.
 * False if unknown.
 */
bool library_search_is_the_same(const void *caller);

#endif
