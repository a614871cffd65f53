// SPDX-License-Identifier: LGPL-2.1-or-later
#include "run/program.h"
#include "common/memory.h"
#include "common/message.h"
#include "common/path.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

static bool is_program(const char *path)
{
	struct stat status;

	if (stat(path, &status) < 0 || !S_ISREG(status.st_mode))
		return false;
	/* eaccess() makes six system calls; most programs are for everybody. */
	return (status.st_mode & 0111) == 0111 || eaccess(path, X_OK) == 0;
}

/* The file that execvp(3) would run, or NULL. The caller frees it. */
static char *find_program(const char *name)
{
	const char *at = strchr(name, '/') ? "" : getenv("PATH");
	size_t length;
	char *path;

	if (!at)
		at = "/bin:/usr/bin";
	for (;; at += length + 1) {
		length = strcspn(at, ":");
		path = format_text("%.*s%s%s", (int)length, at,
				   length ? "/" : "", name);
		if (is_program(path))
			return path;
		free(path);
		if (!at[length])
			return NULL;
	}
}

/*
 * The dynamic linker that a program names; "" if none, NULL if unknown. A dynamic
 * section would not tell: static-pie programs have one too.
 */
static const char *interpreter(const unsigned char *file, size_t size)
{
	const Elf64_Ehdr *header = (const void *)file;
	size_t i;

	for (i = 0; i < header->e_phnum; i++) {
		size_t at = header->e_phoff + i * header->e_phentsize;
		Elf64_Phdr segment;

		if (at > size - sizeof(segment))
			return NULL;
		memcpy(&segment, file + at, sizeof(segment));
		if (segment.p_type != PT_INTERP)
			continue;
		if (segment.p_offset >= size ||
		    !memchr(file + segment.p_offset, 0, size - segment.p_offset))
			return NULL;
		return (const char *)file + segment.p_offset;
	}
	return "";
}

static bool is_linker_name(const char *path)
{
	const char *name = path_name(path);

	return !strncmp(name, "ld-linux", 8) || !strncmp(name, "ld-2.", 5) ||
	       !strcmp(name, "ld64.so.1") || !strcmp(name, "ld64.so.2");
}

/*
 * Whether it is glibc's dynamic linker: a program's, or run as ld.so PROGRAM. If it is not
 * there, @missing is the answer.
 */
static bool is_linker(const char *name, bool missing)
{
	char path[4096];

	if (is_linker_name(name))
		return true;
	return realpath(name, path) ? is_linker_name(path) : missing;
}

static bool changes_user(const struct stat *status)
{
	return ((status->st_mode & S_ISUID) && status->st_uid != geteuid()) ||
	       ((status->st_mode & S_ISGID) && status->st_gid != getegid());
}

static const char *privileges_of(const char *path)
{
	struct stat status;

	if (stat(path, &status) == 0 && changes_user(&status))
		return "changes its user or group";
	return geteuid() && getxattr(path, "security.capability", NULL, 0) > 0 ?
	       "has file capabilities" : NULL;
}

static enum program_kind elf_kind(const char *name, const unsigned char *file, size_t size)
{
	const Elf64_Ehdr *header = (const void *)file;
	const char *linker;

	if (size < sizeof(*header) || memcmp(file, ELFMAG, SELFMAG))
		return PROGRAM_PRELOADED;
	if (header->e_ident[EI_CLASS] != (sizeof(void *) == 8 ? ELFCLASS64 :
								ELFCLASS32))
		return PROGRAM_WIDTH;
	if (sizeof(void *) != 8 || header->e_type == ET_REL)
		return PROGRAM_PRELOADED;
	linker = interpreter(file, size);
	if (!linker || is_linker(*linker ? linker : name, *linker) || privileges_of(name))
		return PROGRAM_PRELOADED;
	return *linker || strstr(name, "/ld-musl-") ? PROGRAM_FOREIGN : PROGRAM_STATIC;
}

static enum program_kind file_kind(const char *path, bool script, bool keep);

/* A script runs as its interpreter. */
static enum program_kind interpreter_kind(char *line, size_t size, bool keep)
{
	char *path;

	line[size - 1] = '\0';
	line[strcspn(line, "\n")] = '\0';
	path = line + 2 + strspn(line + 2, " \t");
	path[strcspn(path, " \t")] = '\0';
	return *path ? file_kind(path, true, keep) : PROGRAM_PRELOADED;
}

static enum program_kind file_kind(const char *path, bool script, bool keep)
{
	union {
		unsigned char	bytes[4096];
		Elf64_Ehdr	header;
	} file;
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	ssize_t size;

	if (fd < 0) {
		if (errno == EMFILE || errno == ENFILE)
			warn("cannot look at %s: %s", path, strerror(errno));
		return PROGRAM_PRELOADED;
	}
	size = read(fd, file.bytes, sizeof(file.bytes));
	if (!keep)
		close(fd);
	if (size > 2 && !memcmp(file.bytes, "#!", 2) && !script)
		return interpreter_kind((char *)file.bytes, (size_t)size, keep);
	return size > 0 ? elf_kind(path, file.bytes, (size_t)size) : PROGRAM_PRELOADED;
}

bool program_exists(const char *name)
{
	char *path = find_program(name);
	bool exists = path;

	free(path);
	return exists;
}

enum program_kind program_kind(const char *name, bool keep)
{
	char *path = find_program(name);
	enum program_kind kind = path ? file_kind(path, false, keep) : PROGRAM_NONE;

	free(path);
	return kind;
}

const char *program_privileges(const char *name)
{
	char *path = find_program(name);
	const char *privileges = path ? privileges_of(path) : NULL;

	free(path);
	return privileges;
}
