// SPDX-License-Identifier: LGPL-2.1-or-later
#include "object/debug_files.h"
#include "common/memory.h"
#include "common/message.h"
#include <libprofil/profile_format.h>

#include <dwarf.h>
#include <elfutils/libdwelf.h>
#include <libgen.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static bool is_special(const char *path)
{
	struct stat status;

	if (stat(path, &status) < 0 || S_ISREG(status.st_mode))
		return false;
	warn("%s: not a regular file", path);
	return true;
}

static char *below(const char *directory, const char *name)
{
	return name[0] == '/' ? copy_text(name) :
				format_text("%s/%s", directory, name);
}

bool debug_file_is_special(const char *directory, const char *name)
{
	char *path = below(directory, name);
	bool special = is_special(path);

	free(path);
	return special;
}

/* elfutils also tries @directory without its first components. */
bool debug_file_is_special_in(const char *tree, const char *directory,
			      const char *name)
{
	bool special = debug_file_is_special(tree, name);
	const char *rest;

	for (rest = directory; !special && rest; rest = strchr(rest + 1, '/')) {
		char *below_tree = format_text("%s/%s", tree, rest);

		special = debug_file_is_special(below_tree, name);
		free(below_tree);
	}
	return special;
}

bool debug_file_is_special_id(const char *tree, const unsigned char *id,
			      size_t size)
{
	char digits[2 * PROFILE_BUILD_ID_MAX + 1] = "", *path, *debug;
	bool special;
	size_t i;

	if (size < 2 || size > PROFILE_BUILD_ID_MAX)
		return false;
	for (i = 0; i < size; i++)
		sprintf(digits + 2 * i, "%02x", id[i]);
	path = format_text("%s/.build-id/%.2s/%s", tree, digits, digits + 2);
	debug = format_text("%s.debug", path);
	special = is_special(path) || is_special(debug);
	free(debug);
	free(path);
	return special;
}

/* The file that several programs share, made by dwz. */
static bool is_common_special(Dwarf *dwarf, const char *directory)
{
	const char *name;
	const void *build_id;

	return dwelf_dwarf_gnu_debugaltlink(dwarf, &name, &build_id) > 0 &&
	       debug_file_is_special(directory, name);
}

static const char *text_of(Dwarf_Die *unit, unsigned int name)
{
	Dwarf_Attribute attribute;

	return dwarf_formstring(dwarf_attr(unit, name, &attribute));
}

/* The file of a unit, made by gcc -gsplit-dwarf. */
static bool is_split_special(Dwarf_Die *unit, const char *directory)
{
	const char *name = text_of(unit, DW_AT_dwo_name);
	const char *compiled = text_of(unit, DW_AT_comp_dir);
	char *other;
	bool special;

	if (!name)
		name = text_of(unit, DW_AT_GNU_dwo_name);
	if (!name)
		return false;
	other = below(directory, compiled ? compiled : ".");
	special = debug_file_is_special(directory, name) ||
		  debug_file_is_special(other, name);
	free(other);
	return special;
}

static bool is_any_split_special(Dwarf *dwarf, const char *directory,
				 const char *file)
{
	char *package = format_text("%s.dwp", file);
	bool special = is_special(package);
	Dwarf_CU *unit = NULL;
	Dwarf_Die die;
	uint8_t type;

	while (!special && dwarf_get_units(dwarf, unit, &unit, NULL, &type, &die,
					   NULL) == 0)
		special = type == DW_UT_skeleton &&
			  is_split_special(&die, directory);
	free(package);
	return special;
}

/* Relative paths begin at the directory of the file, not of a link to it. */
bool debug_files_are_regular(Dwarf *dwarf, const char *file)
{
	char *path = file ? realpath(file, NULL) : NULL;
	char *copy = copy_text(path ? path : "/");
	const char *directory = dirname(copy);
	bool regular = !is_common_special(dwarf, directory) &&
		!is_any_split_special(dwarf, directory, path ? path : "");

	free(copy);
	free(path);
	return regular;
}
