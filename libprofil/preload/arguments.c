// SPDX-License-Identifier: LGPL-2.1-or-later
#include "arguments.h"
#include "file_log.h"

#include <string.h>

#define MOST	4096

static const char *arguments;
static size_t arguments_size;

/* FNV-1a of the text that was logged last. */
static uint32_t logged;

static void log_text(struct file *file, size_t size)
{
	uint32_t hash = 0x811c9dc5;
	size_t i;

	for (i = 0; i < size; i++)
		hash = (hash ^ (unsigned char)arguments[i]) * 0x01000193;
	if (hash == logged)
		return;
	logged = hash;
	file_log(file, PROFILE_ARGUMENTS, 0, arguments, size - 1, "", 1);
}

void arguments_log(struct file *file, int argc, char **argv)
{
	size_t size = 0;
	int i;

	/* The kernel puts the arguments next to each other. */
	for (i = 0; i < argc && size < MOST && argv[i] == argv[0] + size; i++)
		size += strlen(argv[i]) + 1;
	if (!size)
		return;
	arguments = argv[0];
	arguments_size = size > MOST ? MOST : size;
	log_text(file, arguments_size);
}

void arguments_log_title(struct file *file)
{
	size_t size = arguments_size;

	if (!size)
		return;
	/* A longer title goes on in the environment, which is behind the arguments. */
	if (size < MOST && arguments[size - 1])
		size = strnlen(arguments, MOST - 1) + 1;
	log_text(file, size);
}
