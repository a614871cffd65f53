/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Memory: there is enough, or the process ends. */
#ifndef MEMORY_H
#define MEMORY_H

#include <stddef.h>

/* The status that profil(1) ends with if it fails; no command that runs has it. */
#define EXIT_BROKEN	125

/* Says so on stderr, and exits with EXIT_BROKEN. */
void out_of_memory(void) __attribute__((noreturn));

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
