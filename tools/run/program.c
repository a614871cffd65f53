// SPDX-License-Identifier: LGPL-2.1-or-later
#include "run/program.h"
#include "common/memory.h"
#include "common/message.h"
#include "common/path.h"

#include <elf.h>
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

/* Whether it is glibc's dynamic linker, run as ld.so PROGRAM. */
static bool is_linker(const char *name)
{
	char path[4096];
	const char *base;

	if (!realpath(name, path))
		return false;
	base = path_name(path);
	return !strncmp(base, "ld-linux", 8) || !strncmp(base, "ld-2.", 5) ||
	       !strcmp(base, "ld64.so.1") || !strcmp(base, "ld64.so.2");
}

/* Returns false if the program would not start with a glibc library preloaded. */
static bool check_elf(const char *name, const unsigned char *file, size_t size)
{
	const Elf64_Ehdr *header = (const void *)file;
	const char *linker;

	if (size < sizeof(*header) || memcmp(file, ELFMAG, SELFMAG))
		return true;
	if (header->e_ident[EI_CLASS] != (sizeof(void *) == 8 ? ELFCLASS64 :
								ELFCLASS32)) {
		warn("%s has a different word size: it runs without a profile",
		     name);
		return true;
	}
	if (sizeof(void *) != 8 || header->e_type == ET_REL)
		return true;
	linker = interpreter(file, size);
	if (linker && !*linker && !is_linker(name))
		warn("%s is statically linked: it runs without a profile", name);
	if (!linker || !strstr(linker, "/ld-musl-"))
		return true;
	warn("%s uses another C library, musl: it runs without a profile",
	     name);
	return false;
}

static bool check_file(const char *path, bool script);

/* A script runs as its interpreter. */
static bool check_interpreter(char *line, size_t size)
{
	char *path;

	line[size - 1] = '\0';
	line[strcspn(line, "\n")] = '\0';
	path = line + 2 + strspn(line + 2, " \t");
	path[strcspn(path, " \t")] = '\0';
	return !*path || check_file(path, true);
}

/* The descriptor is closed when the command is executed. */
static bool check_file(const char *path, bool script)
{
	union {
		unsigned char	bytes[4096];
		Elf64_Ehdr	header;
	} file;
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	ssize_t size;

	if (fd < 0)
		return true;
	size = read(fd, file.bytes, sizeof(file.bytes));
	if (size > 2 && !memcmp(file.bytes, "#!", 2) && !script)
		return check_interpreter((char *)file.bytes, (size_t)size);
	return size <= 0 || check_elf(path, file.bytes, (size_t)size);
}

bool program_exists(const char *name)
{
	char *path = find_program(name);
	bool exists = path;

	free(path);
	return exists;
}

bool program_check(const char *name)
{
	char *path = find_program(name);
	bool starts = path && check_file(path, false);

	free(path);
	return starts;
}

static bool changes_user(const struct stat *status)
{
	return ((status->st_mode & S_ISUID) && status->st_uid != geteuid()) ||
	       ((status->st_mode & S_ISGID) && status->st_gid != getegid());
}

const char *program_privileges(const char *name)
{
	char *path = find_program(name);
	const char *privileges = NULL;
	struct stat status;

	if (path && stat(path, &status) == 0 && changes_user(&status))
		privileges = "changes its user or group";
	else if (path && geteuid() && getxattr(path, "security.capability", NULL, 0) > 0)
		privileges = "has file capabilities";
	free(path);
	return privileges;
}
