/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the preload library has to say, on stderr, to whoever started it. */
#ifndef PRELOAD_MESSAGE_H
#define PRELOAD_MESSAGE_H

/* A line on stderr. Async-signal-safe enough for a fork child. */
void message(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Once per process: profiling falls back to libc's SIGPROF, because of that. */
void message_fallback(const char *why);

/* The words for an errno of opening /dev/profil, and of what it was asked for. */
const char *message_open_error(int error);
const char *message_start_error(int error);

#endif
