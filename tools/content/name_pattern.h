/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The names that options select by: patterns of glob(7), or extended regular expressions
 * between slashes, as /^read|write$/, which match any part of a name.
 */
#ifndef NAME_PATTERN_H
#define NAME_PATTERN_H

#include <stdbool.h>

struct name_pattern;

/* @text is not copied. Returns NULL, after a message, if it is no regular expression. */
struct name_pattern *name_pattern_make(const char *text);
void name_pattern_free(struct name_pattern *pattern);

/* The text of a pattern, for messages. */
const char *name_pattern_text(const struct name_pattern *pattern);

/* Whether a name matches; NULL matches all. */
bool name_pattern_matches(const struct name_pattern *pattern, const char *name);

/*
 * The same for a function. Its parameters may be omitted, and then also the type that it
 * returns, and then also all arguments of templates.
 */
bool name_pattern_matches_function(const struct name_pattern *pattern, const char *name);

#endif
