/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Makes text safe to print: names and paths of programs can contain any byte. */
#ifndef CLEAN_TEXT_H
#define CLEAN_TEXT_H

/*
 * A copy of @text in valid UTF-8, which the caller frees. Control characters, and
 * those that change the direction of text, become \xNN or \uNNNN. Bytes that are
 * not UTF-8 are read as Latin-1.
 */
char *clean_text(const char *text);

/* The same, but keeps tabs, for a line of source. */
char *clean_text_line(const char *text);

#endif
