/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Messages of the preload library, on stderr. */
#ifndef PRELOAD_MESSAGE_H
#define PRELOAD_MESSAGE_H

/* Writes one line without allocating, so that a fork child may call it. */
void message(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Says, once per process, that libc profiles with SIGPROF, and why. */
void message_fallback(const char *why);

/* The text for an errno of opening /dev/profil, and of starting a profile. */
const char *message_open_error(int error);
const char *message_start_error(int error);

#endif
