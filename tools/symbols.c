// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Symbols of one object, by elfutils: it finds separate debug files, by build
 * ID too, and asks debuginfod servers if there are any.
 *
 * Objects are opened when they are first asked for. An object is laid out at
 * the addresses of its own file. Where no symbol is known, the table of unwind
 * information still says where functions begin; those are named by object and
 * offset.
 */
#include "symbols.h"
#include "jit.h"
#include "names.h"
#include "tool.h"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <elfutils/libdwfl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct symbols {
	Dwfl		*dwfl;
	Dwfl_Module	*module;
	struct function	*functions;	/* by start, not overlapping */
	size_t		n, room;
	char		*file;
	Dwarf_Die	unit, scope;	/* of the function looked at last */
	Dwarf_Addr	bias;		/* of its addresses */
	bool		has_scope;
	char		**names;	/* of inlined functions, to be freed */
	size_t		nnames, names_room;
};

static const char *root = "", *map_directory;

void symbols_set_root(const char *directory)
{
	root = directory;
}

void symbols_set_directory(const char *directory)
{
	map_directory = directory;
}

static char *debuginfo_path;
static const Dwfl_Callbacks callbacks = {
	.find_elf = dwfl_build_id_find_elf,
	.find_debuginfo = dwfl_standard_find_debuginfo,
	.section_address = dwfl_offline_section_address,
	.debuginfo_path = &debuginfo_path,
};

/* --- finding the object's file ------------------------------------------- */

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

static Dwfl_Module *report_path(const struct object *object,
				struct symbols *symbols)
{
	char *path = format_text("%s%s", root, object->path);
	Dwfl_Module *module;
	GElf_Addr bias;

	dwfl_report_begin(symbols->dwfl);
	module = dwfl_report_elf(symbols->dwfl, object->name, path, -1, 0, true);
	dwfl_report_end(symbols->dwfl, NULL, NULL);
	if (module && dwfl_module_getelf(module, &bias) &&
	    has_build_id(object, module)) {
		symbols->file = path;
		return module;
	}
	if (module && access(path, R_OK) == 0)
		warn("%s is not the file that was profiled", path);
	free(path);
	return NULL;
}

/* The same build from elsewhere: a debug directory, or a debuginfod server. */
static Dwfl_Module *report_build_id(const struct object *object,
				    struct symbols *symbols)
{
	const char *main_file = NULL, *debug_file;
	Dwfl_Module *module;
	GElf_Addr bias;

	if (!object->build_id_size)
		return NULL;
	dwfl_report_begin(symbols->dwfl);
	module = dwfl_report_module(symbols->dwfl, object->name, 0, object->high);
	if (module)
		dwfl_module_report_build_id(module, object->build_id,
					    object->build_id_size, 0);
	dwfl_report_end(symbols->dwfl, NULL, NULL);
	if (!module || !dwfl_module_getelf(module, &bias))
		return NULL;
	dwfl_module_info(module, NULL, NULL, NULL, NULL, NULL, &main_file,
			 &debug_file);
	symbols->file = main_file ? format_text("%s", main_file) : NULL;
	return module;
}

/* --- the table of functions ------------------------------------------------ */

static void add_function(struct symbols *symbols, uint64_t start, uint64_t end,
			 const char *symbol)
{
	struct function function = { .start = start, .end = end };

	if (symbol)
		function.symbol = format_text("%s", symbol);
	ensure(symbols->functions, symbols->n, symbols->room);
	symbols->functions[symbols->n++] = function;
}

static bool is_code(const GElf_Sym *symbol, GElf_Word section)
{
	int type = GELF_ST_TYPE(symbol->st_info);

	if (section == SHN_UNDEF || section == SHN_ABS)
		return false;
	return type == STT_FUNC || type == STT_GNU_IFUNC ||
	       (type == STT_NOTYPE && symbol->st_size);
}

static void add_symbol_table(struct symbols *symbols)
{
	int n = dwfl_module_getsymtab(symbols->module), i;

	for (i = 1; i < n; i++) {
		GElf_Word section;
		GElf_Addr address;
		GElf_Sym symbol;
		const char *name = dwfl_module_getsym_info(symbols->module, i,
			&symbol, &address, &section, NULL, NULL);

		if (name && name[0] && is_code(&symbol, section))
			add_function(symbols, address, address + symbol.st_size,
				     name);
	}
}

static GElf_Phdr *find_program_header(Elf *elf, GElf_Word type, GElf_Phdr *header)
{
	size_t n, i;

	if (elf_getphdrnum(elf, &n))
		return NULL;
	for (i = 0; i < n; i++)
		if (gelf_getphdr(elf, (int)i, header) && header->p_type == type)
			return header;
	return NULL;
}

/*
 * The starts of functions in .eh_frame_hdr: a sorted table that the linker
 * makes, of pairs of 32-bit distances from the table's own address.
 */
static void add_unwind_table(struct symbols *symbols)
{
	static const unsigned char format[4] = {
		1, DW_EH_PE_pcrel | DW_EH_PE_sdata4, DW_EH_PE_udata4,
		DW_EH_PE_datarel | DW_EH_PE_sdata4
	};
	GElf_Addr bias;
	Elf *elf = dwfl_module_getelf(symbols->module, &bias);
	Elf_Data *data;
	GElf_Phdr header;
	int32_t start;
	uint32_t n, i;

	if (!elf || !find_program_header(elf, PT_GNU_EH_FRAME, &header))
		return;
	data = elf_getdata_rawchunk(elf, (int64_t)header.p_offset,
				    header.p_filesz, ELF_T_BYTE);
	if (!data || data->d_size < 12 || memcmp(data->d_buf, format, 4))
		return;
	memcpy(&n, (char *)data->d_buf + 8, sizeof(n));
	if (n > (data->d_size - 12) / 8)
		n = (uint32_t)((data->d_size - 12) / 8);
	for (i = 0; i < n; i++) {
		memcpy(&start, (char *)data->d_buf + 12 + 8 * (size_t)i,
		       sizeof(start));
		add_function(symbols, header.p_vaddr + bias + (uint64_t)start, 0,
			     NULL);
	}
}

/* Of several at one address: those with a name and a size, plain names first. */
static int rank(const struct function *function)
{
	const char *symbol = function->symbol;

	if (!symbol)
		return 100;
	return (function->end > function->start ? 0 : 50) +
	       (symbol[0] == '_') + (symbol[0] && symbol[1] == '_');
}

static int compare_functions(const void *a, const void *b)
{
	const struct function *x = a, *y = b;
	int order = rank(x) - rank(y);

	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	return order ? order : x->symbol && y->symbol ?
		strcmp(x->symbol, y->symbol) : 0;
}

/* True if the unwind table's start @next lies within the symbol @last. */
static bool is_within(const struct function *last, const struct function *next)
{
	return next->start == last->start ||
	       (!next->symbol && last->symbol && next->start < last->end);
}

/* Leaves one function for each start, and ends each where the next begins. */
static void tidy(struct symbols *symbols)
{
	struct function *functions = symbols->functions;
	size_t i, n = 0;

	if (!symbols->n)
		return;
	qsort(functions, symbols->n, sizeof(*functions), compare_functions);
	for (i = 1; i < symbols->n; i++) {
		if (is_within(&functions[n], &functions[i]))
			free(functions[i].symbol);
		else
			functions[++n] = functions[i];
	}
	symbols->n = n + 1;
	for (i = 0; i < symbols->n; i++) {
		uint64_t next = i + 1 < symbols->n ? functions[i + 1].start :
						     UINT64_MAX;

		if (functions[i].end <= functions[i].start ||
		    functions[i].end > next)
			functions[i].end = next;
	}
}

/* Index of the last function that does not begin after @address, or -1. */
static ssize_t search(const struct symbols *symbols, uint64_t address)
{
	size_t low = 0, high = symbols->n;

	while (low < high) {
		size_t middle = (low + high) / 2;

		if (symbols->functions[middle].start <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return (ssize_t)low - 1;
}

#define PAGE	4096ULL

/* A function for the page of @address, as far as no symbol is in it. */
static const struct function *insert(struct symbols *symbols, ssize_t after,
				     uint64_t address)
{
	size_t at = (size_t)(after + 1);
	uint64_t start = address & ~(PAGE - 1), end = start + PAGE;

	if (after >= 0 && symbols->functions[after].end > start)
		start = symbols->functions[after].end;
	if (at < symbols->n && symbols->functions[at].start < end)
		end = symbols->functions[at].start;
	add_function(symbols, 0, 0, NULL);
	memmove(&symbols->functions[at + 1], &symbols->functions[at],
		(symbols->n - 1 - at) * sizeof(symbols->functions[0]));
	symbols->functions[at] = (struct function){ .start = start, .end = end };
	return &symbols->functions[at];
}

/* --- opening ---------------------------------------------------------------- */

static void open_elf(struct object *object, struct symbols *symbols)
{
	symbols->dwfl = dwfl_begin(&callbacks);
	if (!symbols->dwfl)
		return;
	symbols->module = report_path(object, symbols);
	if (!symbols->module)
		symbols->module = report_build_id(object, symbols);
	if (!symbols->module)
		return;
	add_symbol_table(symbols);
	add_unwind_table(symbols);
	tidy(symbols);
}

static void add_jit(void *context, uint64_t start, uint64_t size, const char *name)
{
	add_function(context, start, start + size, name);
}

static struct symbols *open_symbols(struct object *object)
{
	if (object->symbols)
		return object->symbols;
	object->symbols = allocate(sizeof(struct symbols));
	if (object->path[0] == '/') {
		open_elf(object, object->symbols);
	} else if (object->pid) {
		jit_read(map_directory, object->pid, add_jit, object->symbols);
		tidy(object->symbols);
	}
	return object->symbols;
}

/* Functions move when others are inserted: names are made at once. */
const struct function *symbols_function(struct object *object, uint64_t address)
{
	struct symbols *symbols = open_symbols(object);
	ssize_t i = search(symbols, address);
	struct function *function;

	if (i < 0 || address >= symbols->functions[i].end) {
		insert(symbols, i, address);
		i++;
	}
	function = &symbols->functions[i];
	if (function->name)
		return function;
	if (function->symbol)
		function->name = demangle(function->symbol);
	else
		function->name = format_text("%s+0x%llx", object->name,
					     (unsigned long long)function->start);
	return function;
}

const char *symbols_file(struct object *object)
{
	return open_symbols(object)->file;
}

/* --- lines and inlined calls ------------------------------------------------- */

struct line symbols_line(struct object *object, uint64_t address)
{
	struct symbols *symbols = open_symbols(object);
	struct line line = { NULL, 0 };
	Dwfl_Line *found = NULL;

	if (symbols->module)
		found = dwfl_module_getsrc(symbols->module, address);
	if (found)
		line.file = (char *)(uintptr_t)dwfl_lineinfo(found, NULL,
			&line.number, NULL, NULL, NULL);
	return line;
}

static bool is_container(int tag)
{
	return tag == DW_TAG_namespace || tag == DW_TAG_module ||
	       tag == DW_TAG_class_type || tag == DW_TAG_structure_type;
}

/*
 * The function below @parent whose code @address is. dwarf_getscopes() is not
 * what is wanted: beyond an inlined call it goes on where that was defined.
 */
static bool find_function(Dwarf_Die *parent, uint64_t address, Dwarf_Die *found)
{
	Dwarf_Die child;
	int result = dwarf_child(parent, &child);

	for (; result == 0; result = dwarf_siblingof(&child, &child)) {
		int tag = dwarf_tag(&child);

		if (tag == DW_TAG_subprogram && dwarf_haspc(&child, address) == 1) {
			*found = child;
			return true;
		}
		if (is_container(tag) && find_function(&child, address, found))
			return true;
	}
	return false;
}

/*
 * The function that @address is in, as debug information has it. Addresses are
 * asked for in order: mostly it is the one that the last one was in.
 */
static Dwarf_Die *find_scope(struct symbols *symbols, uint64_t address)
{
	Dwarf_Die *unit;

	if (symbols->has_scope &&
	    dwarf_haspc(&symbols->scope, address - symbols->bias) == 1)
		return &symbols->scope;
	symbols->has_scope = false;
	unit = symbols->module ? dwfl_module_addrdie(symbols->module, address,
						     &symbols->bias) : NULL;
	if (!unit)
		return NULL;
	symbols->unit = *unit;
	symbols->has_scope = find_function(unit, address - symbols->bias,
					   &symbols->scope);
	return symbols->has_scope ? &symbols->scope : NULL;
}

struct line symbols_declaration(struct object *object, uint64_t address)
{
	Dwarf_Die *scope = find_scope(open_symbols(object), address);
	struct line line = { NULL, 0 };

	if (scope) {
		line.file = (char *)(uintptr_t)dwarf_decl_file(scope);
		dwarf_decl_line(scope, &line.number);
	}
	return line;
}

/* Keeps a demangled name for as long as the symbols. */
static const char *keep(struct symbols *symbols, const char *symbol)
{
	char *name = demangle(symbol);
	size_t i;

	for (i = 0; i < symbols->nnames; i++) {
		if (!strcmp(symbols->names[i], name)) {
			free(name);
			return symbols->names[i];
		}
	}
	ensure(symbols->names, symbols->nnames, symbols->names_room);
	return symbols->names[symbols->nnames++] = name;
}

static const char *inlined_name(struct symbols *symbols, Dwarf_Die *die)
{
	Dwarf_Attribute attribute;
	const char *name;

	if (dwarf_attr_integrate(die, DW_AT_linkage_name, &attribute)) {
		name = dwarf_formstring(&attribute);
		if (name)
			return keep(symbols, name);
	}
	name = dwarf_diename(die);
	return name ? name : "[inlined]";
}

/* Where the inlined function @die was called from. */
static struct line call_line(Dwarf_Die *unit, Dwarf_Die *die)
{
	Dwarf_Word file = 0, number = 0;
	Dwarf_Attribute attribute;
	struct line line = { NULL, 0 };
	Dwarf_Files *files;

	if (dwarf_attr(die, DW_AT_call_file, &attribute) &&
	    !dwarf_formudata(&attribute, &file) &&
	    !dwarf_getsrcfiles(unit, &files, NULL))
		line.file = (char *)(uintptr_t)dwarf_filesrc(files, file, NULL,
							     NULL);
	if (dwarf_attr(die, DW_AT_call_line, &attribute) &&
	    !dwarf_formudata(&attribute, &number))
		line.number = (int)number;
	return line;
}

/* The child of @parent that @address is in and that has code of its own. */
static bool find_child(Dwarf_Die *parent, uint64_t address, Dwarf_Die *child)
{
	int result = dwarf_child(parent, child);

	for (; result == 0; result = dwarf_siblingof(child, child)) {
		int tag = dwarf_tag(child);

		if ((tag == DW_TAG_inlined_subroutine ||
		     tag == DW_TAG_lexical_block) &&
		    dwarf_haspc(child, address) == 1)
			return true;
	}
	return false;
}

/* The inlined calls around @address, outermost first. */
static size_t find_inlined(struct symbols *symbols, uint64_t address,
			   Dwarf_Die calls[FRAMES_MOST])
{
	Dwarf_Die *scope = find_scope(symbols, address), parent, child;
	size_t n = 0;

	if (!scope)
		return 0;
	parent = *scope;
	while (n < FRAMES_MOST - 1 &&
	       find_child(&parent, address - symbols->bias, &child)) {
		if (dwarf_tag(&child) == DW_TAG_inlined_subroutine)
			calls[n++] = child;
		parent = child;
	}
	return n;
}

/* The same innermost first, as frames; @line becomes the line of the rest. */
static size_t inlined_frames(struct symbols *symbols, uint64_t address,
			     struct frame *frames, struct line *line)
{
	Dwarf_Die calls[FRAMES_MOST];
	size_t n = find_inlined(symbols, address, calls), i;

	for (i = 0; i < n; i++) {
		Dwarf_Die *call = &calls[n - 1 - i];

		frames[i].name = inlined_name(symbols, call);
		frames[i].line = *line;
		*line = call_line(&symbols->unit, call);
	}
	return n;
}

size_t symbols_frames(struct object *object, uint64_t address,
		      struct frame frames[FRAMES_MOST])
{
	const struct function *function = symbols_function(object, address);
	struct line line = symbols_line(object, address);
	size_t n = inlined_frames(object->symbols, address, frames, &line);

	frames[n].name = function->name;
	frames[n].line = line;
	return n + 1;
}

void symbols_free(struct object *object)
{
	struct symbols *symbols = object->symbols;
	size_t i;

	if (!symbols)
		return;
	for (i = 0; i < symbols->n; i++) {
		free(symbols->functions[i].name);
		free(symbols->functions[i].symbol);
	}
	for (i = 0; i < symbols->nnames; i++)
		free(symbols->names[i]);
	free(symbols->functions);
	free(symbols->names);
	free(symbols->file);
	if (symbols->dwfl)
		dwfl_end(symbols->dwfl);
	free(symbols);
	object->symbols = NULL;
}
