// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Reads the symbol table of /proc/self/exe. The file's addresses differ from those
 * in memory by the load bias.
 */
#include "symbols.h"

#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

struct function {
	uintptr_t	start;
	uintptr_t	end;
	const char	*name;
	unsigned long	count;
};

static const char *map_program(void)
{
	int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	struct stat st;
	void *file = MAP_FAILED;

	if (fd < 0)
		return NULL;
	if (fstat(fd, &st) == 0)
		file = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE,
			    fd, 0);
	close(fd);
	return file == MAP_FAILED ? NULL : file;
}

/* Addresses in memory minus addresses in the file. */
static uintptr_t load_bias(const char *file)
{
	const ElfW(Ehdr) *header = (const void *)file;
	const ElfW(Phdr) *segment = (const void *)(file + header->e_phoff);

	for (int i = 0; i < header->e_phnum; i++)
		if (segment[i].p_type == PT_LOAD)
			return (uintptr_t)__executable_start -
			       segment[i].p_vaddr;
	return 0;
}

static const ElfW(Shdr) *symbol_section(const char *file)
{
	const ElfW(Ehdr) *header = (const void *)file;
	const ElfW(Shdr) *section = (const void *)(file + header->e_shoff);

	for (int i = 0; i < header->e_shnum; i++)
		if (section[i].sh_type == SHT_SYMTAB)
			return &section[i];
	return NULL;
}

/* The last element counts samples outside all functions. */
static struct function *load_functions(size_t *n)
{
	const char *file = map_program();
	const ElfW(Shdr) *table = file ? symbol_section(file) : NULL;
	const ElfW(Shdr) *sections;
	const ElfW(Sym) *symbol;
	const char *names;
	struct function *functions;
	size_t symbols;

	if (!table)
		return NULL;
	sections = (const void *)(file + ((const ElfW(Ehdr) *)file)->e_shoff);
	symbol = (const void *)(file + table->sh_offset);
	names = file + sections[table->sh_link].sh_offset;
	symbols = table->sh_size / sizeof(*symbol);
	functions = calloc(symbols + 1, sizeof(*functions));
	if (!functions)
		return NULL;

	*n = 0;
	for (size_t i = 0; i < symbols; i++) {
		uintptr_t start = symbol[i].st_value + load_bias(file);

		if (ELF64_ST_TYPE(symbol[i].st_info) != STT_FUNC ||
		    symbol[i].st_size == 0)
			continue;
		functions[(*n)++] = (struct function){
			.start	= start,
			.end	= start + symbol[i].st_size,
			.name	= names + symbol[i].st_name,
		};
	}
	functions[(*n)++] = (struct function){ .name = "(no function)" };
	return functions;
}

static void charge(struct function *functions, size_t n, uintptr_t address,
		   unsigned int count)
{
	for (size_t i = 0; i + 1 < n; i++) {
		if (address >= functions[i].start && address < functions[i].end) {
			functions[i].count += count;
			return;
		}
	}
	functions[n - 1].count += count;
}

static int by_count(const void *left, const void *right)
{
	unsigned long a = ((const struct function *)left)->count;
	unsigned long b = ((const struct function *)right)->count;

	return (a < b) - (a > b);
}

long symbols_print(const unsigned short *counters, size_t n, uintptr_t start)
{
	size_t nfunctions;
	struct function *functions = load_functions(&nfunctions);
	unsigned long sum = 0;

	if (!functions)
		return -1;
	for (size_t i = 0; i < n; i++) {
		if (counters[i])
			charge(functions, nfunctions, start + 2 * i,
			       counters[i]);
		sum += counters[i];
	}
	qsort(functions, nfunctions, sizeof(*functions), by_count);

	printf("%8s %7s  %s\n", "samples", "percent", "function");
	for (size_t i = 0; i < nfunctions && functions[i].count; i++)
		printf("%8lu %7.1f  %s\n", functions[i].count,
		       100.0 * (double)functions[i].count / (double)sum,
		       functions[i].name);
	free(functions);
	return (long)sum;
}
