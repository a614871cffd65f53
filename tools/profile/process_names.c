// SPDX-License-Identifier: LGPL-2.1-or-later
#include "profile/process_names.h"
#include "common/clean_text.h"
#include "common/memory.h"
#include "common/path.h"

#include <stdlib.h>
#include <string.h>

/* The program's name: the library calls files "name.pid" or "name.pid.n". */
static char *command_name(const char *path)
{
	char *name = copy_text(path_name(path));
	size_t length = strlen(name);
	int numbers;

	for (numbers = 0; numbers < 2; numbers++) {
		size_t end = length;

		while (end && strchr("0123456789", name[end - 1]))
			end--;
		if (end < 2 || end == length || name[end - 1] != '.')
			break;
		length = end - 1;
	}
	name[length] = '\0';
	return name;
}

static const struct profile_record *find_record(const struct profile_file *file,
						uint32_t type)
{
	const struct profile_record *record = NULL;

	while ((record = profile_file_record(file, record)))
		if (record->type == type)
			break;
	return record;
}

/* The text of the first record of a type, cleaned, or NULL. */
static char *logged_text(const struct profile_file *file, uint32_t type)
{
	const struct profile_record *record = find_record(file, type);

	return record ? clean_text((const char *)(record + 1)) : NULL;
}

/*
 * The last command line is the title, if the process has set one. Each argument ends with
 * a zero, and more zeroes fill the record.
 */
char *process_names_command_line(const struct profile_file *file)
{
	const struct profile_record *record = NULL, *next = NULL;
	char *line, *clean;
	size_t n, i;

	while ((next = profile_file_record(file, next)))
		if (next->type == PROFILE_ARGUMENTS)
			record = next;
	if (!record)
		return NULL;
	n = record->size - sizeof(*record);
	line = allocate(n + 1);
	memcpy(line, record + 1, n);
	while (n && !line[n - 1])
		n--;
	for (i = 0; i < n; i++)
		if (!line[i])
			line[i] = ' ';
	clean = clean_text(line);
	free(line);
	return clean;
}

char *process_names_program(const struct profile_file *file)
{
	char *name = logged_text(file, PROFILE_NAME), *guess;

	if (name)
		return name;
	guess = command_name(file->path);
	name = clean_text(guess);
	free(guess);
	return name;
}

char *process_names_host(const struct profile_file *file)
{
	return logged_text(file, PROFILE_HOST);
}
