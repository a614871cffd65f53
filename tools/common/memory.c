// SPDX-License-Identifier: LGPL-2.1-or-later
#include "common/memory.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

/* Does not call warn(), which would allocate memory. */
void out_of_memory(void)
{
	fflush(stdout);
	fputs("profil: out of memory\n", stderr);
	exit(EXIT_BROKEN);
}

#define LARGE	((size_t)8 << 20)
#define PAGE	4096

void *allocate(size_t size)
{
	void *memory = calloc(1, size ? size : 1);
	size_t before = (uintptr_t)memory % PAGE;

	if (!memory)
		out_of_memory();
	/* Large hash tables are read all over, which large pages make faster. */
	if (size >= LARGE)
		madvise((char *)memory - before, size + before, MADV_HUGEPAGE);
	return memory;
}

void *resize(void *memory, size_t size)
{
	memory = realloc(memory, size ? size : 1);
	if (!memory)
		out_of_memory();
	return memory;
}

char *copy_text(const char *text)
{
	char *copy = strdup(text);

	if (!copy)
		out_of_memory();
	return copy;
}

char *format_text(const char *format, ...)
{
	va_list arguments;
	char *text;

	va_start(arguments, format);
	if (vasprintf(&text, format, arguments) < 0)
		out_of_memory();
	va_end(arguments);
	return text;
}
