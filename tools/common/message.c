// SPDX-License-Identifier: LGPL-2.1-or-later
#include "common/message.h"
#include "common/clean_text.h"
#include "common/memory.h"
#include "common/progress.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

static void say(const char *format, va_list arguments)
{
	char *text, *clean;

	fflush(stdout);
	if (vasprintf(&text, format, arguments) < 0)
		return;
	/* Paths could contain escape sequences for the terminal. */
	clean = clean_text(text);
	progress_hide();
	fprintf(stderr, "profil: %s\n", clean);
	progress_resume();
	free(clean);
	free(text);
}

void warn(const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	say(format, arguments);
	va_end(arguments);
}

void die(const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	say(format, arguments);
	va_end(arguments);
	exit(EXIT_BROKEN);
}
