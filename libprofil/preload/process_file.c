// SPDX-License-Identifier: LGPL-2.1-or-later
#include "process_file.h"
#include "environment.h"
#include "file_create.h"
#include "file_size.h"
#include "linker_list.h"
#include "preload.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#define DIRECTORY_MOST	3072

/*
 * What a start logs: of an object, as most paths are short; and of the program, its arguments
 * included. A page more or less takes 6,000 instructions, and to reserve again 25,000.
 */
#define OBJECT_BYTES	160
#define OTHER_BYTES	1024

/* Of the directory, which is the beginning of the file's path. */
static size_t length;
static uint64_t capacity;
static bool stacks, children;

int process_file_create(uint64_t log)
{
	return file_create(&preload.file, process_file_directory(), preload.name,
			   capacity, stacks, log);
}

int process_file_make(bool alone)
{
	int error = environment_directory(preload.file.path, DIRECTORY_MOST);
	uint64_t log;

	capacity = environment_capacity();
	if (!capacity && alone)
		capacity = FILE_SIZE_SAMPLES_ALONE;
	stacks = environment_wants_stacks();
	children = environment_wants_children();
	length = strlen(preload.file.path);
	if (error)
		return error;
	log = linker_list_length() * OBJECT_BYTES + OTHER_BYTES;
	error = process_file_create(log);
	if (error == ENOENT && mkdir(process_file_directory(), 0755) == 0)
		error = process_file_create(log);
	return error;
}

bool process_file_for_children(void)
{
	return children;
}

const char *process_file_directory(void)
{
	preload.file.path[length] = '\0';
	return preload.file.path;
}
