// SPDX-License-Identifier: LGPL-2.1-or-later
#include "object/demangled_name.h"
#include "common/clean_text.h"
#include "common/memory.h"

/* Part of binutils. Its place differs between Debian and Fedora. */
#if __has_include(<libiberty/demangle.h>)
#include <libiberty/demangle.h>
#else
#include <demangle.h>
#endif
#include <stdlib.h>
#include <string.h>

/*
 * D has no names for GCC's copies of a function, as .isra.0: they are as in C++ here. A thunk,
 * _DTi16 before the symbol or _DThn16_ instead of its _D, calls the function of an interface.
 */
static char *demangle_d(const char *symbol)
{
	const char *thunk = strncmp(symbol, "_DT", 3) ? NULL : strchr(symbol + 3, '_');
	const char *rest = thunk ? thunk + 1 : symbol + 2, *clone = strchr(symbol, '.');
	char *plain, *name, *whole;

	if (thunk && *rest == 'D')
		rest++;
	plain = format_text("_D%.*s", (int)strcspn(rest, "."), rest);
	name = dlang_demangle(plain, DMGL_NO_OPTS);
	free(plain);
	if (!name)
		return NULL;
	whole = format_text("%s%s%s%s%s", thunk ? "thunk to " : "", name,
			    clone ? " [clone " : "", clone ? clone : "", clone ? "]" : "");
	free(name);
	return whole;
}

static char *demangle(const char *symbol)
{
	char *name = NULL;

	if (!strncmp(symbol, "_R", 2) || strstr(symbol, "17h"))
		name = rust_demangle(symbol, DMGL_NO_OPTS);
	if (!name && !strncmp(symbol, "_Z", 2))
		name = cplus_demangle_v3(symbol, DMGL_PARAMS | DMGL_ANSI);
	if (!name && !strncmp(symbol, "_D", 2))
		name = demangle_d(symbol);
	return name;
}

/* What follows an at sign, as in "symbol@plt", is no part of the symbol. */
char *demangled_name(const char *symbol)
{
	size_t length = strcspn(symbol, "@");
	char *plain = format_text("%.*s", (int)length, symbol);
	char *name = demangle(plain), *whole, *clean;

	whole = format_text("%s%s", name ? name : plain, symbol + length);
	clean = clean_text(whole);
	free(whole);
	free(name);
	free(plain);
	return clean;
}
