/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What is said on standard error. */
#ifndef MESSAGE_H
#define MESSAGE_H

/* A line on stderr that begins with the command's name. */
void warn(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* The same, and exit with EXIT_BROKEN. */
void die(const char *format, ...)
	__attribute__((format(printf, 1, 2), noreturn));

#endif
