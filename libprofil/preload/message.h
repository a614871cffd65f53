/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the preload library has to say, on stderr, to whoever started it. */
#ifndef PRELOAD_MESSAGE_H
#define PRELOAD_MESSAGE_H

/* A line on stderr. Async-signal-safe enough for a fork child. */
void message(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Once per process: profiling falls back to libc's SIGPROF, for this errno. */
void message_fallback(int error);

/* The words for an errno of /dev/profil. */
const char *message_device_error(int error);

#endif
