/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Messages on standard error. */
#ifndef MESSAGE_H
#define MESSAGE_H

/* Prints a line that begins with "profil: ". */
void warn(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* The same, then exits with EXIT_BROKEN. */
void die(const char *format, ...)
	__attribute__((format(printf, 1, 2), noreturn));

#endif
