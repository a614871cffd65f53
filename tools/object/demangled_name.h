/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Names as in the source. */
#ifndef DEMANGLED_NAME_H
#define DEMANGLED_NAME_H

/* The C++, Rust or D name of @symbol, or else @symbol, cleaned. The caller frees it. */
char *demangled_name(const char *symbol);

#endif
