// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Opens objects at first use. Addresses are those of the object's file. Functions
 * without a symbol are known from the unwind table, and named by object and offset.
 * Code in no file is a function if a map says so; else it is a page.
 */
#include "object/symbols.h"
#include "common/memory.h"
#include "object/demangled_name.h"
#include "object/jit_map.h"
#include "object/linkage_table.h"
#include "object/symbol_table.h"
#include "object/system_calls.h"
#include "object/unwind_table.h"

#include <stdlib.h>
#include <string.h>

struct addition {
	struct function_table	*table;
	GElf_Addr		bias;
};

static void add_function(void *context, uint64_t start, uint64_t end,
			 const char *name)
{
	const struct addition *addition = context;

	function_table_add(addition->table, start + addition->bias,
			   end + addition->bias, name);
}

static void add_start(void *context, uint64_t start)
{
	const struct addition *addition = context;

	function_table_add(addition->table, start + addition->bias, 0, NULL);
}

/* Symbols have addresses of the module. The other tables have those of the file. */
static void add_tables(struct symbols *symbols)
{
	struct addition addition = { .table = &symbols->functions };
	Dwfl_Module *module = symbols->file.module;
	Elf *elf;

	symbol_table_read(module, add_function, &addition);
	elf = dwfl_module_getelf(module, &addition.bias);
	if (!elf)
		return;
	unwind_table_read(elf, add_start, &addition);
	linkage_table_read(elf, add_function, &addition);
}

static void add_code(struct object *object, struct symbols *symbols)
{
	struct addition addition = { .table = &symbols->functions };

	jit_map_read(object->directory, object->pid, object->owner,
		     add_function, &addition);
	/* A function is made again when more is known of it. */
	function_table_tidy(&symbols->functions);
	function_table_join(&symbols->functions);
}

struct symbols *symbols_open(struct object *object)
{
	struct symbols *symbols = object->symbols;

	if (symbols)
		return symbols;
	symbols = object->symbols = allocate(sizeof(*symbols));
	if (object->kernel)
		system_calls_add(&symbols->functions, object->kernel);
	else if (!strcmp(object->path, MORE_CALLERS))
		function_table_add(&symbols->functions, 0, 1, MORE_CALLERS);
	else if (object->pid)
		add_code(object, symbols);
	else if (object->path[0] == '/' || !strcmp(object->path, "[vdso]"))
		object_file_open(&symbols->file, object);
	if (symbols->file.module)
		add_tables(symbols);
	if (!object->pid)
		function_table_tidy(&symbols->functions);
	return symbols;
}

/* Functions move when others are inserted, so the name is made at once. */
const struct function *symbols_function(struct object *object, uint64_t address)
{
	struct symbols *symbols = symbols_open(object);
	struct function *function =
		function_table_find(&symbols->functions, address);

	if (function->name)
		return function;
	function->known = function->symbol != NULL;
	if (function->known)
		function->name = demangled_name(function->symbol);
	else if (object->kernel)
		function->name = system_calls_name(function->start);
	else if (object->pid)
		function->name = format_text("[page 0x%llx]",
					     (unsigned long long)function->start);
	else
		function->name = format_text("%s+0x%llx", object->name,
					     (unsigned long long)function->start);
	return function;
}

const char *symbols_file(struct object *object)
{
	return symbols_open(object)->file.path;
}

void symbols_free(struct object *object)
{
	struct symbols *symbols = object->symbols;

	if (!symbols)
		return;
	function_table_free(&symbols->functions);
	debug_units_close(symbols->debug);
	object_file_close(&symbols->file);
	free(symbols);
	object->symbols = NULL;
}
