// SPDX-License-Identifier: LGPL-2.1-or-later
#include "run/visit_files.h"
#include "common/memory.h"

#include <dirent.h>
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <unistd.h>

#define PIECE	32768

/* All names are read first. opendir(3) would make one more system call. */
static int visit_some(int directory, bool hidden, file_visitor *visit, void *context)
{
	char *entries = allocate(PIECE);
	size_t at = 0, end = 0;
	ssize_t size;
	int error;

	while ((size = getdents64(directory, entries + end, PIECE)) > 0) {
		end += (size_t)size;
		entries = resize(entries, end + PIECE);
	}
	error = size < 0 ? errno : 0;
	while (at < end) {
		const struct dirent64 *entry = (const void *)(entries + at);

		if ((entry->d_name[0] == '.') == hidden)
			visit(directory, entry->d_name, context);
		at += entry->d_reclen;
	}
	free(entries);
	return error;
}

int visit_files(int directory, file_visitor *visit, void *context)
{
	return visit_some(directory, false, visit, context);
}

int visit_files_hidden(int directory, file_visitor *visit, void *context)
{
	return visit_some(directory, true, visit, context);
}
