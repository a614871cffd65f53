// SPDX-License-Identifier: LGPL-2.1-or-later
#include "content/name_pattern.h"
#include "common/memory.h"
#include "common/message.h"

#include <ctype.h>
#include <fnmatch.h>
#include <regex.h>
#include <stdlib.h>
#include <string.h>

struct name_pattern {
	const char	*text;
	bool		is_expression;
	regex_t		expression;
};

struct name_pattern *name_pattern_make(const char *text)
{
	struct name_pattern *pattern = allocate(sizeof(*pattern));
	size_t length = strlen(text);
	char *inner, message[200];
	int error;

	pattern->text = text;
	if (length < 2 || text[0] != '/' || text[length - 1] != '/')
		return pattern;
	inner = format_text("%.*s", (int)length - 2, text + 1);
	error = regcomp(&pattern->expression, inner, REG_EXTENDED | REG_NOSUB);
	free(inner);
	pattern->is_expression = true;
	if (!error)
		return pattern;
	regerror(error, &pattern->expression, message, sizeof(message));
	warn("invalid regular expression '%s': %s", text, message);
	free(pattern);
	return NULL;
}

void name_pattern_free(struct name_pattern *pattern)
{
	if (pattern->is_expression)
		regfree(&pattern->expression);
	free(pattern);
}

const char *name_pattern_text(const struct name_pattern *pattern)
{
	return pattern->text;
}

bool name_pattern_matches(const struct name_pattern *pattern, const char *name)
{
	if (!pattern)
		return true;
	if (pattern->is_expression)
		return regexec(&pattern->expression, name, 0, NULL, 0) == 0;
	return !strcmp(pattern->text, name) || !fnmatch(pattern->text, name, 0);
}

#define OPERATOR	"operator"

/* What "operator" in @name begins, or NULL. */
static char *find_operator(char *name)
{
	char *at = name, *found = NULL;

	for (; (at = strstr(at, OPERATOR)); at++) {
		unsigned char next = (unsigned char)at[strlen(OPERATOR)];

		if ((at == name || at[-1] == ':' || at[-1] == ' ') && next != '_' &&
		    !isalnum(next))
			found = at;
	}
	return found;
}

/* Cuts the parameters, and what comes behind them: " const [clone .cold]". */
static void cut_parameters(char *name)
{
	char *at = strrchr(name, ')');
	int depth = 0;

	if (!at || !strchr(" &[.@", at[1]))
		return;
	for (; at > name; at--) {
		depth += (*at == ')') - (*at == '(');
		if (!depth)
			break;
	}
	/* "operator()" and "(anonymous namespace)" are no parameters. */
	if (at > name && find_operator(name) != at - strlen(OPERATOR))
		*at = '\0';
}

static int depth_change(char c)
{
	return !!strchr("<({[", c) - !!strchr(">)}]", c);
}

/* Behind the type that a template returns: "int max<int>". "operator new" has a blank. */
static char *after_type(char *name)
{
	char *at = find_operator(name);
	int depth = 0;

	if (!at)
		at = name + strlen(name);
	while (at-- > name) {
		depth += depth_change(*at);
		if (!depth && *at == ' ')
			return at + 1;
	}
	return name;
}

/* Cuts the arguments of templates, but no "operator<" or "operator->". */
static void cut_arguments(char *name)
{
	char *to = name, *at = name, *symbol = find_operator(name);
	int depth = 0;

	if (symbol)
		symbol += strlen(OPERATOR);
	for (; *at; at++) {
		if (at == symbol)
			while (*at && strchr("<>=-", *at))
				*to++ = *at++;
		depth += *at == '<';
		if (!depth)
			*to++ = *at;
		depth -= *at == '>' && depth;
		if (!*at)
			return;
	}
	/* "operator<< <char>" has a blank. */
	to -= to > name && to[-1] == ' ';
	*to = '\0';
}

bool name_pattern_matches_function(const struct name_pattern *pattern, const char *name)
{
	char *copy, *bare;
	bool matches;

	if (name_pattern_matches(pattern, name))
		return true;
	copy = copy_text(name);
	cut_parameters(copy);
	matches = copy[0] && name_pattern_matches(pattern, copy);
	bare = after_type(copy);
	matches = matches || name_pattern_matches(pattern, bare);
	cut_arguments(bare);
	matches = matches || name_pattern_matches(pattern, bare);
	free(copy);
	return matches;
}
