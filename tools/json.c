// SPDX-License-Identifier: LGPL-2.1-or-later
#include "json.h"

#include <stddef.h>

/* Bytes of the UTF-8 character at @text; 0: it is none. */
static size_t utf8_length(const unsigned char *text)
{
	size_t length = text[0] >= 0xf0 && text[0] < 0xf5 ? 4 :
			text[0] >= 0xe0 && text[0] < 0xf0 ? 3 :
			text[0] >= 0xc2 && text[0] < 0xe0 ? 2 : 0;
	size_t i;

	for (i = 1; i < length; i++)
		if ((text[i] & 0xc0) != 0x80)
			return 0;
	/* Neither surrogates nor longer forms than needed. */
	if ((text[0] == 0xe0 && text[1] < 0xa0) ||
	    (text[0] == 0xed && text[1] > 0x9f) ||
	    (text[0] == 0xf0 && text[1] < 0x90) ||
	    (text[0] == 0xf4 && text[1] > 0x8f))
		return 0;
	return length;
}

void json_string(FILE *out, const char *text)
{
	const unsigned char *at = (const unsigned char *)text;

	fputc('"', out);
	while (*at) {
		size_t length = utf8_length(at);

		if (length) {
			fwrite(at, length, 1, out);
			at += length;
			continue;
		}
		if (*at < 0x20 || *at >= 0x7f || *at == '<' || *at == '&')
			fprintf(out, "\\u%04x", *at);
		else if (*at == '"' || *at == '\\')
			fprintf(out, "\\%c", *at);
		else
			fputc(*at, out);
		at++;
	}
	fputc('"', out);
}
