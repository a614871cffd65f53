// SPDX-License-Identifier: LGPL-2.1-or-later
#include "object/demangled_name.h"
#include "common/clean_text.h"

/* Of binutils: Fedora has it elsewhere than Debian. */
#if __has_include(<libiberty/demangle.h>)
#include <libiberty/demangle.h>
#else
#include <demangle.h>
#endif
#include <stdlib.h>
#include <string.h>

char *demangled_name(const char *symbol)
{
	char *name = NULL, *clean;

	if (!strncmp(symbol, "_R", 2) || strstr(symbol, "17h"))
		name = rust_demangle(symbol, DMGL_NO_OPTS);
	if (!name && !strncmp(symbol, "_Z", 2))
		name = cplus_demangle_v3(symbol, DMGL_PARAMS | DMGL_ANSI);
	if (!name && !strncmp(symbol, "_D", 2))
		name = dlang_demangle(symbol, DMGL_NO_OPTS);
	if (!name)
		return clean_text(symbol);
	clean = clean_text(name);
	free(name);
	return clean;
}
