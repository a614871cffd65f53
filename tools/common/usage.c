// SPDX-License-Identifier: LGPL-2.1-or-later
#include "common/usage.h"
#include "common/message.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>

void usage_fail(const struct usage *usage)
{
	fprintf(stderr, "Try '%s --help'.\n", usage->command);
	exit(usage->status);
}

unsigned int usage_number(const struct usage *usage, const char *text,
			  const char *what)
{
	char *end;
	unsigned long value = strtoul(text, &end, 10);

	if (text[0] < '0' || text[0] > '9' || *end || value > 1000000000) {
		warn("invalid %s '%s': use a whole number up to 1000000000",
		     what, text);
		usage_fail(usage);
	}
	return (unsigned int)value;
}

pid_t usage_process(const struct usage *usage, const char *text)
{
	char *end;
	long value = strtol(text, &end, 10);

	if (text[0] < '0' || text[0] > '9' || *end || !value || value > INT_MAX) {
		warn("invalid process '%s': use its number, as ps prints it", text);
		usage_fail(usage);
	}
	return (pid_t)value;
}
