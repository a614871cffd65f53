// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Opens objects at first use. Addresses are those of the object's file. Functions
 * without a symbol are known from the unwind table, and named by object and offset.
 * Code in no file is a function if a map says so; else it is a page.
 */
#include "object/symbols.h"
#include "common/memory.h"
#include "object/debuginfod.h"
#include "object/demangled_name.h"
#include "object/jit_map.h"
#include "object/linkage_table.h"
#include "object/symbol_table.h"
#include "object/system_calls.h"
#include "object/unwind_table.h"
#include <libprofil/profile_format.h>

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

static void add_system_calls(const struct object *object, struct symbols *symbols)
{
	system_calls_add(&symbols->functions, object);
	function_table_tidy(&symbols->functions);
}

static void add_code(struct object *object, struct symbols *symbols)
{
	struct addition addition = { .table = &symbols->functions };

	jit_map_read(object, add_function, &addition);
	/* A function is made again when more is known of it. */
	function_table_tidy(&symbols->functions);
	function_table_join(&symbols->functions);
}

static void open_debug(struct symbols *symbols)
{
	Dwarf *dwarf = symbols->file.module ?
		object_file_debug(&symbols->file, &symbols->bias) : NULL;

	if (dwarf)
		symbols->debug = debug_units_open(dwarf);
}

static void add_kept(struct function_table *table, const struct kept_object *object)
{
	size_t i;

	for (i = 0; i < object->nfunctions; i++) {
		const struct kept_function *kept = &object->functions[i];
		struct function *function;

		function_table_add(table, kept->start, kept->end, NULL);
		function = &table->list[table->n - 1];
		function->first = kept->first;
		function->last = kept->last;
		function->known = kept->name != NULL;
		if (kept->name)
			function->name = copy_text(kept->name);
	}
}

/*
 * Whether more was known when the names were kept than the file tells now. A program
 * keeps its build ID when symbols or debug information are removed.
 */
static bool is_kept_better(const struct symbols *symbols, const struct kept_object *kept)
{
	for (; kept; kept = kept->next)
		if (!symbols->file.module || (!symbols->debug && kept->naddresses) ||
		    object_file_symbols(&symbols->file) < kept->nsymbols)
			return true;
	return false;
}

static void open_file(struct object *object, struct symbols *symbols)
{
	const struct kept_object *kept;

	debuginfod_begin();
	object_file_open(&symbols->file, object);
	open_debug(symbols);
	debuginfod_end(symbols->debug);
	if (!is_kept_better(symbols, object->kept)) {
		if (symbols->file.module)
			add_tables(symbols);
		function_table_tidy(&symbols->functions);
		return;
	}
	symbols->kept = object->kept;
	for (kept = object->kept; kept; kept = kept->next)
		add_kept(&symbols->functions, kept);
	function_table_merge(&symbols->functions);
}

struct symbols *symbols_open(struct object *object)
{
	struct symbols *symbols = object->symbols;

	if (symbols)
		return symbols;
	symbols = object->symbols = allocate(sizeof(*symbols));
	if (object->kernel)
		add_system_calls(object, symbols);
	else if (!strcmp(object->path, MORE_CALLERS))
		function_table_add(&symbols->functions, 0, 1, MORE_CALLERS);
	else if (!strcmp(object->path, PROFILE_TRAMPOLINE))
		function_table_add(&symbols->functions, 0, 4096, PROFILE_TRAMPOLINE);
	else if (object->pid)
		add_code(object, symbols);
	else if (object->path[0] == '/' || !strcmp(object->path, "[vdso]"))
		open_file(object, symbols);
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
		function->name = system_calls_name(object, function->start);
	else if (object->pid)
		function->name = format_text("[page 0x%llx]",
					     (unsigned long long)function->start);
	else
		function->name = format_text("%s+0x%llx", object->name,
					     (unsigned long long)function->start);
	return function;
}

bool symbols_known(struct object *object)
{
	const struct symbols *symbols = symbols_open(object);

	return symbols->file.module || symbols->kept;
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
