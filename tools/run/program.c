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
#include <unistd.h>

/* The file that execvp(3) would run; NULL: none. To be freed. */
static char *find_program(const char *name)
{
	const char *at = getenv("PATH");

	if (strchr(name, '/'))
		return format_text("%s", name);
	while (at && *at) {
		size_t length = strcspn(at, ":");
		char *path = format_text("%.*s%s%s", (int)length, at,
					 length ? "/" : "", name);

		if (access(path, X_OK) == 0)
			return path;
		free(path);
		at += length + (at[length] == ':');
	}
	return NULL;
}

/*
 * The dynamic linker that a program asks for; "": none. Static-pie programs
 * have a dynamic section too, but nobody to read it. NULL: cannot tell.
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

/* glibc's dynamic linker, which runs the program that follows: ld.so PROGRAM. */
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

/* False: with our library, which is glibc's, the program would not start. */
static bool check_elf(const char *name, const unsigned char *file, size_t size)
{
	const Elf64_Ehdr *header = (const void *)file;
	const char *linker;

	if (size < sizeof(*header) || memcmp(file, ELFMAG, SELFMAG))
		return true;
	if (header->e_ident[EI_CLASS] != (sizeof(void *) == 8 ? ELFCLASS64 :
								ELFCLASS32)) {
		warn("%s is a program of another word size: it runs without a profile",
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
	warn("%s is a program of another C library, musl: it runs without a profile",
	     name);
	return false;
}

static bool check_file(const char *path, bool script);

/* A script is as good as its interpreter. */
static bool check_interpreter(char *line, size_t size)
{
	char *path;

	line[size - 1] = '\0';
	line[strcspn(line, "\n")] = '\0';
	path = line + 2 + strspn(line + 2, " \t");
	path[strcspn(path, " \t")] = '\0';
	return !*path || check_file(path, true);
}

/* The descriptor closes itself when the command is executed, or we exit. */
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

bool program_check(const char *name)
{
	char *path = find_program(name);
	bool starts = !path || check_file(path, false);

	free(path);
	return starts;
}

bool program_changes_user(const char *name)
{
	char *path = find_program(name);
	struct stat status;
	bool changes;

	changes = path && stat(path, &status) == 0 &&
		  (((status.st_mode & S_ISUID) && status.st_uid != geteuid()) ||
		   ((status.st_mode & S_ISGID) && status.st_gid != getegid()));
	free(path);
	return changes;
}
