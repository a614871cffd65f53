// SPDX-License-Identifier: LGPL-2.1-or-later
#include "directory.h"
#include "profile_file.h"
#include "tool.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <linux/profil.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

static bool has_magic(int directory, const char *name)
{
	int fd = openat(directory, name, O_RDONLY | O_CLOEXEC | O_NONBLOCK |
			O_NOFOLLOW);
	char magic[8] = "";
	bool has;

	if (fd < 0)
		return false;
	has = read(fd, magic, sizeof(magic)) == sizeof(magic) &&
	      !memcmp(magic, PROFILE_MAGIC, sizeof(magic));
	close(fd);
	return has;
}

/* Nothing that is not certain to be ours is removed. */
static bool is_ours(int directory, const char *name)
{
	unsigned int pid;
	int end = 0;

	if (sscanf(name, "perf-%u.map%n", &pid, &end) == 1 && end && !name[end])
		return true;
	return has_magic(directory, name);
}

typedef void visitor(int directory, const char *name, void *context);

/*
 * Calls @visit for each file that may be a profile or come with one; 0 or an
 * errno. System calls are few on the way to a command and back: opendir(3)
 * makes one more, and the directory is left for exit to close.
 */

static int visit_files(const char *path, visitor *visit, void *context)
{
	static union {
		char		bytes[32768];
		struct dirent64	first;
	} entries;
	int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	ssize_t size, at;

	if (fd < 0)
		return errno;
	while ((size = getdents64(fd, entries.bytes, sizeof(entries))) > 0) {
		const struct dirent64 *entry;

		for (at = 0; at < size; at += entry->d_reclen) {
			entry = (const void *)(entries.bytes + at);
			if (entry->d_name[0] != '.')
				visit(fd, entry->d_name, context);
		}
	}
	return size < 0 ? errno : 0;
}

static void remove_old(int directory, const char *name, void *context)
{
	(void)context;
	if (is_ours(directory, name))
		unlinkat(directory, name, 0);
}

/* Known ones of those that the kernel module does not wait for. */
static bool is_remote(const char *path)
{
	static const unsigned int magics[] = {
		AFS_FS_MAGIC, AFS_SUPER_MAGIC, CEPH_SUPER_MAGIC,
		CIFS_SUPER_MAGIC, CODA_SUPER_MAGIC, FUSE_SUPER_MAGIC,
		NFS_SUPER_MAGIC, SMB2_SUPER_MAGIC, SMB_SUPER_MAGIC, V9FS_MAGIC,
	};
	struct statfs status;
	size_t i;

	if (statfs(path, &status) < 0)
		return false;
	for (i = 0; i < length_of(magics); i++)
		if ((unsigned int)status.f_type == magics[i])
			return true;
	return false;
}

int directory_make(const char *path)
{
	bool made = mkdir(path, 0777) == 0;
	int error;

	if (!made && errno != EEXIST)
		return errno;
	if (is_remote(path))
		return EREMOTE;
	if (made)
		return 0;
	error = visit_files(path, remove_old, NULL);
	if (!error && access(path, W_OK | X_OK) < 0)
		error = errno;
	return error;
}

static void copy(FILE *from, FILE *to)
{
	char buffer[65536];
	size_t n;

	while ((n = fread(buffer, 1, sizeof(buffer), from)) > 0)
		fwrite(buffer, 1, n, to);
}

/* /tmp is no place to stay, and numbers of processes are used again. */
static void keep_map(const char *directory, uint32_t pid)
{
	char *name = format_text("/tmp/perf-%u.map", pid);
	char *kept = format_text("%s/perf-%u.map", directory, pid);
	FILE *from = fopen(name, "re"), *to = NULL;
	struct stat status;

	if (from && fstat(fileno(from), &status) == 0 &&
	    status.st_uid == geteuid())
		to = fopen(kept, "we");
	if (to) {
		copy(from, to);
		fclose(to);
	}
	if (from)
		fclose(from);
	free(name);
	free(kept);
}

static bool has_ended(const struct profile_file *file)
{
	return file->header.state == PROFILE_ENDED ||
	       (kill((pid_t)file->header.pid, 0) < 0 && errno == ESRCH);
}

/* As long as the library made it. */
static uint64_t full_size(const struct profile_header *header)
{
	return header->samples_offset + header->capacity * header->sample_width;
}

static void finish_profile(const char *directory, const char *path,
			   struct directory_files *files)
{
	struct profile_file file;
	uint64_t end;

	if (!profile_file_peek(&file, path))
		return;
	files->files++;
	files->faulted |= file.header.stopped == PROFIL_STATE_FAULT;
	end = profile_file_data_end(&file);
	if (end && end < full_size(&file.header) && has_ended(&file) &&
	    truncate(path, (off_t)end) < 0)
		warn("%s: %s", path, strerror(errno));
	if (end > file.header.samples_offset) {
		files->samples = true;
		keep_map(directory, file.header.pid);
	}
	profile_file_close(&file);
}

struct finish {
	const char		*path;
	struct directory_files	files;
};

static void finish_file(int directory, const char *name, void *context)
{
	struct finish *finish = context;
	char *path;

	(void)directory;
	/* Files without the magic may be anything. */
	if (!strncmp(name, "perf-", 5))
		return;
	path = format_text("%s/%s", finish->path, name);
	finish_profile(finish->path, path, &finish->files);
	free(path);
}

struct directory_files directory_finish(const char *path)
{
	struct finish finish = { .path = path };

	visit_files(path, finish_file, &finish);
	return finish.files;
}
