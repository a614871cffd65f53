// SPDX-License-Identifier: LGPL-2.1-or-later
#include "run/visit_files.h"

#include <dirent.h>
#include <errno.h>
#include <unistd.h>

/* opendir(3) would make one more system call. */
int visit_files(int directory, file_visitor *visit, void *context)
{
	static union {
		char		bytes[32768];
		struct dirent64	first;
	} entries;
	ssize_t size, at;

	if (lseek(directory, 0, SEEK_SET) < 0)
		return errno;
	while ((size = getdents64(directory, entries.bytes, sizeof(entries))) > 0) {
		const struct dirent64 *entry;

		for (at = 0; at < size; at += entry->d_reclen) {
			entry = (const void *)(entries.bytes + at);
			if (entry->d_name[0] != '.')
				visit(directory, entry->d_name, context);
		}
	}
	return size < 0 ? errno : 0;
}
