// SPDX-License-Identifier: LGPL-2.1-or-later
#include "process_file.h"
#include "environment.h"
#include "file_create.h"
#include "file_size.h"
#include "preload.h"

#include <errno.h>
#include <sys/stat.h>

static char directory[3072];
static uint64_t capacity;
static bool stacks, children;

int process_file_create(uint64_t log)
{
	return file_create(&preload.file, directory, preload.name, capacity,
			   stacks, log);
}

int process_file_make(bool alone)
{
	int error = environment_directory(directory, sizeof(directory));

	capacity = environment_capacity();
	if (!capacity && alone)
		capacity = FILE_SIZE_SAMPLES_ALONE;
	stacks = environment_wants_stacks();
	children = environment_wants_children();
	if (error)
		return error;
	error = process_file_create(0);
	if (error == ENOENT && mkdir(directory, 0755) == 0)
		error = process_file_create(0);
	return error;
}

bool process_file_for_children(void)
{
	return children;
}

const char *process_file_directory(void)
{
	return directory;
}
