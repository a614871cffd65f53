/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Text that came from somewhere else: names and paths of the profiled programs
 * may have any byte in them.
 */
#ifndef CLEAN_TEXT_H
#define CLEAN_TEXT_H

/*
 * A copy of @text, to be freed, that is valid UTF-8 and changes nothing but the
 * line it is printed on: control characters, and those that turn the direction
 * of text around, are written as \xNN or \uNNNN. Bytes that are not UTF-8 are
 * taken as Latin-1.
 */
char *clean_text(const char *text);

/* The same for a line of a program's source: it may have tabs. */
char *clean_text_line(const char *text);

#endif
