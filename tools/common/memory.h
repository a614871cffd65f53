/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Memory allocation. If there is not enough, the process ends. */
#ifndef MEMORY_H
#define MEMORY_H

#include <stddef.h>

/* Exit status if profil itself fails. */
#define EXIT_BROKEN	125

/* Exits with EXIT_BROKEN, after a message. */
void out_of_memory(void) __attribute__((noreturn));

/* calloc, realloc, strdup and asprintf that do not fail. */
void *allocate(size_t size);
void *resize(void *memory, size_t size);
char *copy_text(const char *text);
char *format_text(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Makes room for element @n of @array, which has room for @room. */
#define ensure(array, n, room)						\
	do {								\
		if ((n) >= (room)) {					\
			(room) = (n) < 8 ? 16 : 2 * (n);		\
			(array) = resize((array), (room) * sizeof(*(array))); \
		}							\
	} while (0)

#define length_of(array)	(sizeof(array) / sizeof((array)[0]))

#endif
