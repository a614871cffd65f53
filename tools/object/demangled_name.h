/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Names as people write them. */
#ifndef DEMANGLED_NAME_H
#define DEMANGLED_NAME_H

/*
 * The C++, Rust or D name behind @symbol, or a copy of it, as clean_text() has
 * it; to be freed.
 */
char *demangled_name(const char *symbol);

#endif
