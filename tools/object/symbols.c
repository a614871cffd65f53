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
#include "object/symbols.h"
#include "common/clean_text.h"
#include "common/memory.h"
#include "common/message.h"
#include "common/regular_file.h"
#include "object/debug_files.h"
#include "object/demangled_name.h"
#include "object/jit_map.h"
#include "object/linkage_table.h"
#include "object/unwind_table.h"

#include <elfutils/libdwfl.h>
#include <errno.h>
#include <libgen.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

struct symbols {
	Dwfl		*dwfl;
	Dwfl_Module	*module;
	struct function	*functions;	/* by start, not overlapping */
	size_t		n, room;
	char		*file;
	struct debug	*debug;		/* NULL: there is none */
	Dwarf_Addr	bias;		/* of its addresses */
	bool		has_debug;	/* it has been looked for */
};

static char nowhere[] = "", *root = nowhere;
static char *debug_tree;	/* below the root; NULL: there is none */
static char *debuginfo_path;

/*
 * As elfutils has it, and the same below the root first. There, what is relative
 * is below the directory of a program.
 */
void symbols_set_root(const char *directory)
{
	if (root != nowhere)
		free(root);
	free(debug_tree);
	free(debuginfo_path);
	debug_tree = debuginfo_path = NULL;
	root = nowhere;
	if (!directory[0])
		return;
	root = realpath(directory, NULL);
	if (!root)
		root = format_text("%s", directory);
	debug_tree = format_text("%s/usr/lib/debug", root);
	debuginfo_path = format_text("+:.debug:%s:/usr/lib/debug", debug_tree);
}

/*
 * elfutils opens what it finds, and in a directory of somebody's that may be
 * anything.
 */
static bool is_id_special(Dwfl_Module *module)
{
	const unsigned char *id;
	GElf_Addr address;
	int size = dwfl_module_build_id(module, &id, &address);

	return debug_tree && size > 0 &&
	       beside_is_special_id(debug_tree, id, (size_t)size);
}

static bool is_link_special(const char *file, const char *link)
{
	char *copy = format_text("%s", file);
	const char *directory = dirname(copy);
	char *hidden = format_text("%s/.debug", directory);
	bool special = beside_is_special(directory, link) ||
		beside_is_special(hidden, link) ||
		(debug_tree && beside_is_special_in(debug_tree, directory, link));

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

/* The file behind @fd, which is taken over, if it is the object. */
static Dwfl_Module *report_file(const struct object *object,
				struct symbols *symbols, const char *path, int fd)
{
	Dwfl_Module *module;
	GElf_Addr bias;

	dwfl_report_begin(symbols->dwfl);
	module = dwfl_report_elf(symbols->dwfl, object->name, path, fd, 0, true);
	dwfl_report_end(symbols->dwfl, NULL, NULL);
	if (!module)
		close(fd);
	if (module && dwfl_module_getelf(module, &bias) &&
	    has_build_id(object, module))
		return module;
	if (module)
		warn("%s is not the file that was profiled", path);
	return NULL;
}

static Dwfl_Module *report_path(const struct object *object,
				struct symbols *symbols)
{
	char *path = format_text("%s%s", root, object->path);
	int fd = regular_open(path);
	Dwfl_Module *module = fd < 0 ? NULL :
		report_file(object, symbols, path, fd);

	if (fd < 0 && errno == EINVAL)
		warn("%s: not a regular file", path);
	if (module)
		symbols->file = path;
	else
		free(path);
	return module;
}

/*
 * The kernel's code in each process. It is in no file; the reader's own is the
 * same one on the same kernel, which the build ID tells.
 */
static Dwfl_Module *report_vdso(const struct object *object,
				struct symbols *symbols)
{
	const void *image = (const void *)getauxval(AT_SYSINFO_EHDR);
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	int fd;

	if (!image || !object->build_id_size)
		return NULL;
	fd = memfd_create("vdso", MFD_CLOEXEC);
	if (fd < 0)
		return NULL;
	/* Its size is known to nobody; the kernel writes as far as there is memory. */
	if (write(fd, image, 4 * page) < (ssize_t)page) {
		close(fd);
		return NULL;
	}
	return report_file(object, symbols, "[vdso]", fd);
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

struct addition {
	struct symbols	*symbols;
	GElf_Addr	bias;
};

static void add_start(void *context, uint64_t start)
{
	const struct addition *addition = context;

	add_function(addition->symbols, start + addition->bias, 0, NULL);
}

static void add_linkage(void *context, uint64_t start, uint64_t end,
			const char *name)
{
	const struct addition *addition = context;

	add_function(addition->symbols, start + addition->bias,
		     end + addition->bias, name);
}

/* What has no symbol of its own. */
static void add_tables(struct symbols *symbols)
{
	struct addition addition = { .symbols = symbols };
	Elf *elf = dwfl_module_getelf(symbols->module, &addition.bias);

	if (!elf)
		return;
	unwind_read(elf, add_start, &addition);
	plt_read(elf, add_linkage, &addition);
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

	/* The last page of all ends with the last address. */
	if (!end)
		end = UINT64_MAX;
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
	symbols->module = object->path[0] == '/' ?
		report_path(object, symbols) : report_vdso(object, symbols);
	if (!symbols->module)
		symbols->module = report_build_id(object, symbols);
	if (!symbols->module)
		return;
	add_symbol_table(symbols);
	add_tables(symbols);
	tidy(symbols);
}

static void add_jit(void *context, uint64_t start, uint64_t end, const char *name)
{
	add_function(context, start, end, name);
}

static struct symbols *open_symbols(struct object *object)
{
	if (object->symbols)
		return object->symbols;
	object->symbols = allocate(sizeof(struct symbols));
	if (object->pid) {
		jit_read(object->directory, object->pid, object->owner, add_jit,
			 object->symbols);
		tidy(object->symbols);
	} else if (object->path[0] == '/' || !strcmp(object->path, "[vdso]")) {
		open_elf(object, object->symbols);
	}
	return object->symbols;
}

/* Functions move when others are inserted: names are made at once. */
const struct function *symbols_function(struct object *object, uint64_t address)
{
	struct symbols *symbols = open_symbols(object);
	ssize_t i = search(symbols, address);
	struct function *function;

	if (i < 0 || !is_before(address, symbols->functions[i].end)) {
		insert(symbols, i, address);
		i++;
	}
	function = &symbols->functions[i];
	if (function->name)
		return function;
	function->known = function->symbol != NULL;
	if (function->known)
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

FILE *symbols_source(const char *path)
{
	char *below = format_text("%s%s", root, path);
	FILE *file = regular_stream(below);

	free(below);
	/* A program that was built here for there. */
	return file || !root[0] ? file : regular_stream(path);
}

/* --- lines and inlined calls ------------------------------------------------- */

/* The file that debug information is in; NULL: not known. */
static const char *debug_file(Dwfl_Module *module)
{
	const char *main_file = NULL, *separate = NULL;

	dwfl_module_info(module, NULL, NULL, NULL, NULL, NULL, &main_file,
			 &separate);
	return separate ? separate : main_file;
}

static struct debug *open_debug(struct object *object)
{
	struct symbols *symbols = open_symbols(object);
	Dwarf *dwarf;

	if (symbols->has_debug || !symbols->module)
		return symbols->debug;
	symbols->has_debug = true;
	dwarf = dwfl_module_getdwarf(symbols->module, &symbols->bias);
	if (dwarf && beside_is_regular(dwarf, debug_file(symbols->module)))
		symbols->debug = debug_open(dwarf);
	return symbols->debug;
}

struct line symbols_line(struct object *object, uint64_t address)
{
	struct debug *debug = open_debug(object);

	return debug ? debug_line(debug, address - object->symbols->bias) :
		       (struct line){ NULL, 0 };
}

struct line symbols_declaration(struct object *object, uint64_t address)
{
	struct debug *debug = open_debug(object);

	return debug ? debug_declaration(debug, address - object->symbols->bias) :
		       (struct line){ NULL, 0 };
}

size_t symbols_frames(struct object *object, uint64_t address,
		      struct frame frames[FRAMES_MOST])
{
	const struct function *function = symbols_function(object, address);
	struct debug *debug = open_debug(object);
	struct line line = symbols_line(object, address);
	size_t n = 0;

	if (debug)
		n = debug_calls(debug, address - object->symbols->bias, frames,
				&line);
	frames[n].name = function->name;
	frames[n].line = line;
	frames[n].declared = (struct line){ NULL, 0 };
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
	free(symbols->functions);
	debug_close(symbols->debug);
	free(symbols->file);
	if (symbols->dwfl)
		dwfl_end(symbols->dwfl);
	free(symbols);
	object->symbols = NULL;
}
