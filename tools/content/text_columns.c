// SPDX-License-Identifier: LGPL-2.1-or-later
/* Text is as clean_text() has it: valid UTF-8, without control characters. */
#include "content/text_columns.h"

#include <locale.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>
#include <wchar.h>

#define DOTS	".."

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

	/* What text is in is UTF-8, whatever the user's locale is. */
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

/* Prints what of @text is in the first @width columns; how many they are. */
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

/* The end of @text that has no more than @width columns. */
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
	size_t dots = strlen(DOTS), start, printed;

	if (width <= dots + 2)
		return print_start(out, text, width);
	/* More of the start: that is where names differ. */
	start = (width - dots + 1) * 2 / 3;
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
