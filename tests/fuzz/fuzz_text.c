// SPDX-License-Identifier: LGPL-2.1-or-later
/* Any text becomes text that can be printed, and that stays as it is then. */
#include "fuzz.h"
#include "common/clean_text.h"
#include "content/text_columns.h"

#include <jansson.h>

static void check_clean(const char *clean)
{
	char *again = clean_text(clean);
	json_t *string = json_string(clean);
	const char *at;

	/* JSON takes UTF-8 and nothing else. */
	if (strcmp(clean, again) || !string)
		abort();
	for (at = clean; *at; at++)
		if ((unsigned char)*at < ' ' || *at == 0x7f)
			abort();
	json_decref(string);
	free(again);
}

static void check_width(const char *clean, size_t width)
{
	char *shown;
	size_t size;
	FILE *out = open_memstream(&shown, &size);

	text_columns_print(out, clean, width, true);
	fclose(out);
	if (text_columns_width(shown) > width)
		abort();
	free(shown);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = strndup((const char *)data, size), *clean = clean_text(text);

	check_clean(clean);
	check_width(clean, size % 60);
	free(clean);
	free(text);
	return 0;
}
