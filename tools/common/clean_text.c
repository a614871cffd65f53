// SPDX-License-Identifier: LGPL-2.1-or-later
#include "common/clean_text.h"
#include "common/memory.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Length of the UTF-8 character at @text, and its @code; 0 if it is not valid. */
static size_t decode_many(const unsigned char *text, unsigned int *code)
{
	static const unsigned int least[] = { 0, 0, 0x80, 0x800, 0x10000 };
	size_t length = text[0] >= 0xf8 ? 0 : text[0] >= 0xf0 ? 4 :
			text[0] >= 0xe0 ? 3 : text[0] >= 0xc0 ? 2 : 0;
	size_t i;

	*code = text[0] & (0x7fU >> length);
	for (i = 1; i < length; i++) {
		if ((text[i] & 0xc0) != 0x80)
			return 0;
		*code = *code << 6 | (text[i] & 0x3f);
	}
	/* Reject overlong forms and surrogates. */
	if (*code < least[length] || *code > 0x10ffff ||
	    (*code >= 0xd800 && *code < 0xe000))
		return 0;
	return length;
}

/* The same for ASCII as well. If it returns 0, @code is the byte as Latin-1. */
static size_t decode(const unsigned char *text, unsigned int *code)
{
	size_t length = 1;

	*code = text[0];
	if (text[0] >= 0x80)
		length = decode_many(text, code);
	if (!length)
		*code = text[0];
	return length;
}

static bool is_plain(unsigned int code)
{
	if (code < 0x20 || (code >= 0x7f && code < 0xa0))
		return false;
	return !(code >= 0x200e && code <= 0x200f) &&
	       !(code >= 0x2028 && code <= 0x202e) &&
	       !(code >= 0x2066 && code <= 0x2069) && code != 0xfeff;
}

static void print_escape(FILE *out, unsigned int code)
{
	fprintf(out, code < 0x100 ? "\\x%02x" : "\\u%04x", code);
}

static char *clean(const char *text, bool tabs)
{
	const unsigned char *at = (const unsigned char *)text;
	unsigned int code;
	char *made;
	size_t size;
	FILE *out;

	/* Nearly all text is this. */
	while (*at >= 0x20 && *at < 0x7f)
		at++;
	if (!*at) {
		made = strdup(text);
		if (!made)
			out_of_memory();
		return made;
	}
	at = (const unsigned char *)text;
	out = open_memstream(&made, &size);
	if (!out)
		out_of_memory();
	while (*at) {
		size_t length = decode(at, &code);

		if (!is_plain(code) && !(tabs && code == '\t'))
			print_escape(out, code);
		else if (length)
			fwrite(at, length, 1, out);
		else	/* Latin-1: two bytes of UTF-8 */
			fprintf(out, "%c%c", 0xc0 | *at >> 6, 0x80 | (*at & 0x3f));
		at += length ? length : 1;
	}
	if (fclose(out))
		out_of_memory();
	return made;
}

char *clean_text(const char *text)
{
	return clean(text, false);
}

char *clean_text_line(const char *text)
{
	return clean(text, true);
}
