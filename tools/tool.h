/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What all parts of the command share: messages and memory. */
#ifndef TOOL_H
#define TOOL_H

#include <stddef.h>

/* A line on stderr that begins with the command's name. */
void warn(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* The same, and exit with status 125, which no command that runs has. */
void die(const char *format, ...)
	__attribute__((format(printf, 1, 2), noreturn));

#define EXIT_BROKEN	125

/* As malloc, zeroed, and realloc; the process ends where they would fail. */
void *allocate(size_t size);
void *resize(void *memory, size_t size);
char *format_text(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Makes room for element @n of @array, doubling; @room is what there is. */
#define ensure(array, n, room)						\
	do {								\
		if ((n) >= (room)) {					\
			(room) = (n) < 8 ? 16 : 2 * (n);		\
			(array) = resize((array), (room) * sizeof(*(array))); \
		}							\
	} while (0)

#define length_of(array)	(sizeof(array) / sizeof((array)[0]))

#endif
