// SPDX-License-Identifier: LGPL-2.1-or-later
/* All text comes from clean_text(): valid UTF-8, without control characters. */
#include "content/text_columns.h"

#include <locale.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>
#include <wchar.h>

#define DOTS		".."
#define END_LEAST	4U

size_t text_columns_of(FILE *out)
{
	const char *said = getenv("COLUMNS");
	struct winsize size;

	if (!isatty(fileno(out)))
		return 0;
	if (said && atoi(said) > 0)
		return (size_t)atoi(said);
	if (ioctl(fileno(out), TIOCGWINSZ, &size) < 0)
		return 80;
	return size.ws_col ? size.ws_col : 80;
}

/* Bytes and columns of the character at @text. */
static size_t measure(const char *text, size_t *width)
{
	static const char *is_set;
	mbstate_t state = { 0 };
	wchar_t character;
	size_t n;
	int columns;

	/* The text is UTF-8 in any locale of the user. */
	if (!is_set)
		is_set = setlocale(LC_CTYPE, "C.UTF-8");
	n = mbrtowc(&character, text, strlen(text), &state);
	*width = 1;
	if (n == 0 || n > strlen(text))
		return 1;
	columns = wcwidth(character);
	*width = columns < 0 ? 1 : (size_t)columns;
	return n;
}

size_t text_columns_width(const char *text)
{
	size_t sum = 0, width;

	while (*text) {
		text += measure(text, &width);
		sum += width;
	}
	return sum;
}

/* Prints the start of @text, at most @width columns. Returns their number. */
static size_t print_start(FILE *out, const char *text, size_t width)
{
	size_t sum = 0, columns;

	while (*text) {
		size_t n = measure(text, &columns);

		if (sum + columns > width)
			break;
		fwrite(text, 1, n, out);
		text += n;
		sum += columns;
	}
	return sum;
}

/* The end of @text, of at most @width columns. */
static const char *find_end(const char *text, size_t width)
{
	size_t left = text_columns_width(text), columns;

	while (left > width) {
		text += measure(text, &columns);
		left -= columns;
	}
	return text;
}

static size_t print_short(FILE *out, const char *text, size_t width)
{
	size_t dots = strlen(DOTS), start, printed, end;

	if (width <= dots + 2)
		return print_start(out, text, width);
	/* Keep more of the start, where names differ, but enough of a version or line. */
	end = (width - dots) / 2 < END_LEAST ? (width - dots) / 2 : END_LEAST;
	start = (width - dots + 1) * 2 / 3;
	if (start > width - dots - end)
		start = width - dots - end;
	printed = print_start(out, text, start);
	fputs(DOTS, out);
	text = find_end(text, width - dots - start);
	fputs(text, out);
	return printed + dots + text_columns_width(text);
}

void text_columns_print(FILE *out, const char *text, size_t width, bool fill)
{
	size_t printed = text_columns_width(text);

	if (printed > width)
		printed = print_short(out, text, width);
	else
		fputs(text, out);
	for (; fill && printed < width; printed++)
		fputc(' ', out);
}
