// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * elfutils finds separate debug files, also by build ID and on debuginfod servers.
 */
#include "object/object_file.h"
#include "common/memory.h"
#include "common/message.h"
#include "common/regular_file.h"
#include "object/debug_files.h"
#include "object/sysroot.h"

#include <dirent.h>
#include <errno.h>
#include <libgen.h>
#include <limits.h>
#include <search.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* elfutils opens what it finds, which may be a FIFO in another user's directory. */
static bool is_id_special(Dwfl_Module *module)
{
	const unsigned char *id;
	GElf_Addr address;
	int size = dwfl_module_build_id(module, &id, &address);

	return sysroot_debug_tree() && size > 0 &&
	       debug_file_is_special_id(sysroot_debug_tree(), id, (size_t)size);
}

static bool is_link_special(const char *file, const char *link)
{
	char *copy = copy_text(file);
	const char *directory = dirname(copy);
	const char *tree = sysroot_debug_tree();
	char *hidden = format_text("%s/.debug", directory);
	bool special = debug_file_is_special(directory, link) ||
		debug_file_is_special(hidden, link) ||
		(tree && debug_file_is_special_in(tree, directory, link));

	free(hidden);
	free(copy);
	return special;
}

static int find_elf(Dwfl_Module *module, void **data, const char *name,
		    Dwarf_Addr base, char **found, Elf **elf)
{
	if (is_id_special(module))
		return -1;
	return dwfl_build_id_find_elf(module, data, name, base, found, elf);
}

static int find_debuginfo(Dwfl_Module *module, void **data, const char *name,
			  Dwarf_Addr base, const char *file, const char *link,
			  GElf_Word crc, char **found)
{
	if (is_id_special(module) || (file && link && is_link_special(file, link)))
		return -1;
	return dwfl_standard_find_debuginfo(module, data, name, base, file, link,
					    crc, found);
}

static const Dwfl_Callbacks callbacks = {
	.find_elf = find_elf,
	.find_debuginfo = find_debuginfo,
	.section_address = dwfl_offline_section_address,
	.debuginfo_path = &sysroot_debuginfo_path,
};

static bool has_build_id(const struct object *object, Dwfl_Module *module)
{
	const unsigned char *bits;
	GElf_Addr address;
	int n = dwfl_module_build_id(module, &bits, &address);

	if (!object->build_id_size)
		return true;
	return n == (int)object->build_id_size &&
	       !memcmp(bits, object->build_id, (size_t)n);
}

/* Reports the file @fd to elfutils. Takes @fd over. Returns NULL if it is another one. */
static Dwfl_Module *report_file(const struct object *object,
				struct object_file *file, const char *path, int fd)
{
	Dwfl_Module *module;
	GElf_Addr bias;

	dwfl_report_begin(file->dwfl);
	module = dwfl_report_elf(file->dwfl, object->name, path, fd, 0, true);
	dwfl_report_end(file->dwfl, NULL, NULL);
	if (!module)
		close(fd);
	if (module && dwfl_module_getelf(module, &bias) &&
	    has_build_id(object, module))
		return module;
	/* elfutils would take it for the next file if that has the same addresses. */
	dwfl_report_begin(file->dwfl);
	dwfl_report_end(file->dwfl, NULL, NULL);
	return NULL;
}

/* Without a build ID: whether the names were kept for another file at this path. */
static bool is_replaced(const struct object *object, int fd)
{
	struct stat status;

	return object->kept && !object->build_id_size &&
	       (fstat(fd, &status) < 0 || !kept_names_are_of(object->kept, &status));
}

/* Sets *@error to an errno if there is no such file, or to 0 if it is another one. */
static Dwfl_Module *report_path(const struct object *object,
				struct object_file *file, int *error)
{
	char *path = sysroot_path(object->path);
	int fd = sysroot_open(object->path);
	Dwfl_Module *module = NULL;

	*error = fd < 0 ? errno : 0;
	if (fd >= 0 && is_replaced(object, fd))
		close(fd);
	else if (fd >= 0)
		module = report_file(object, file, path, fd);
	if (module)
		file->path = path;
	else
		free(path);
	return module;
}

/* In a container, what /proc writes begins with the directory of that. */
static bool is_removed_file(int directory, const char *name, const char *path)
{
	char link[PATH_MAX] = "", *removed = format_text("%s (deleted)", path);
	ssize_t length = readlinkat(directory, name, link, sizeof(link) - 1);
	size_t end = strlen(removed);
	bool is = length >= (ssize_t)end && !strcmp(link + length - end, removed);

	free(removed);
	return is;
}

/* The name below /proc/PID of a file that the process has mapped; NULL: none, or no right. */
static char *mapped_file(const struct object *object)
{
	char *path = format_text("/proc/%u/map_files", object->process), *found = NULL;
	DIR *files = opendir(path);
	const struct dirent *entry;

	while (files && !found && (entry = readdir(files)))
		if (is_removed_file(dirfd(files), entry->d_name, object->path))
			found = format_text("%s/%s", path, entry->d_name);
	if (files)
		closedir(files);
	free(path);
	return found;
}

/* @path is NULL, or from malloc(), and @file's if it has the object. */
static Dwfl_Module *report_link(const struct object *object, struct object_file *file, char *path)
{
	int fd = path ? regular_file_open(path) : -1;
	Dwfl_Module *module = fd >= 0 ? report_file(object, file, path, fd) : NULL;

	if (module)
		file->path = path;
	else
		free(path);
	return module;
}

/* The file may be removed, or replaced, but the process still has it: the build ID tells. */
static Dwfl_Module *report_running(const struct object *object, struct object_file *file)
{
	Dwfl_Module *module;

	if (!object->build_id_size || !object->process)
		return NULL;
	module = report_link(object, file, format_text("/proc/%u/exe", object->process));
	return module ? module : report_link(object, file, mapped_file(object));
}

/*
 * The vDSO is in no file, but profil-report has one too. If the build IDs are equal, it
 * is that of the same kernel.
 */
static Dwfl_Module *report_vdso(const struct object *object,
				struct object_file *file)
{
	const void *image = (const void *)getauxval(AT_SYSINFO_EHDR);
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	int fd;

	if (!image || !object->build_id_size)
		return NULL;
	fd = memfd_create("vdso", MFD_CLOEXEC);
	if (fd < 0)
		return NULL;
	/* The size is unknown. write() stops at the end of the mapping. */
	if (write(fd, image, 4 * page) < (ssize_t)page) {
		close(fd);
		return NULL;
	}
	return report_file(object, file, "[vdso]", fd);
}

/* Finds the same build in a debug directory or on a debuginfod server. */
static Dwfl_Module *report_build_id(const struct object *object,
				    struct object_file *file)
{
	const char *main_file = NULL, *debug_file;
	Dwfl_Module *module;
	GElf_Addr bias;

	if (!object->build_id_size)
		return NULL;
	dwfl_report_begin(file->dwfl);
	module = dwfl_report_module(file->dwfl, object->name, 0, object->high);
	if (module)
		dwfl_module_report_build_id(module, object->build_id,
					    object->build_id_size, 0);
	dwfl_report_end(file->dwfl, NULL, NULL);
	if (!module || !dwfl_module_getelf(module, &bias))
		return NULL;
	dwfl_module_info(module, NULL, NULL, NULL, NULL, NULL, &main_file,
			 &debug_file);
	file->path = main_file ? copy_text(main_file) : NULL;
	return module;
}

/* The file with the debug information; NULL if unknown. */
static const char *debug_file(Dwfl_Module *module)
{
	const char *main_file = NULL, *separate = NULL;

	dwfl_module_info(module, NULL, NULL, NULL, NULL, NULL, &main_file,
			 &separate);
	return separate ? separate : main_file;
}

Dwarf *object_file_debug(struct object_file *file, Dwarf_Addr *bias)
{
	Dwarf *dwarf = dwfl_module_getdwarf(file->module, bias);

	return dwarf && debug_files_are_regular(dwarf, debug_file(file->module)) ?
		dwarf : NULL;
}

uint32_t object_file_symbols(const struct object_file *file)
{
	int n = dwfl_module_getsymtab(file->module);

	return n > 0 ? (uint32_t)n : 0;
}

static int compare_paths(const void *a, const void *b)
{
	return strcmp(a, b);
}

/* Two profiles that are compared have the same objects. */
static bool is_said(const char *path)
{
	static void *said;
	char *copy = copy_text(path), **found;

	found = tsearch(copy, &said, compare_paths);
	if (!found)
		out_of_memory();
	if (*found == copy)
		return false;
	free(copy);
	return true;
}

static void say_missing(const struct object *object, int error)
{
	const char *why = !error ? "not the file that was profiled" :
			  error == ENOENT ? "not found" :
			  error == EINVAL ? "not a regular file" : strerror(error);

	if (is_said(object->path))
		return;
	warn("%s: %s: no names of functions, only pages", object->path, why);
}

void object_file_open(struct object_file *file, const struct object *object)
{
	int error = 0;

	file->dwfl = dwfl_begin(&callbacks);
	if (!file->dwfl)
		return;
	file->module = object->path[0] == '/' ? report_path(object, file, &error) :
						report_vdso(object, file);
	if (!file->module && !object->kept && object->path[0] == '/')
		file->module = report_running(object, file);
	if (!file->module && !object->kept)
		file->module = report_build_id(object, file);
	if (!file->module && !object->kept && object->path[0] == '/')
		say_missing(object, error);
}

void object_file_close(struct object_file *file)
{
	if (file->dwfl)
		dwfl_end(file->dwfl);
	free(file->path);
}
