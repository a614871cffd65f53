// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Entries of the linkage table have no symbols. Each ends in a jump through a word of
 * the global offset table, and the relocation of that word names the function. So the
 * rest of an entry and the order of entries do not matter.
 */
#include "object/linkage_table.h"
#include "common/memory.h"
#include "object/address_ranges.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define ENTRY	16UL	/* bytes; in .plt.got 8 */

struct plt {
	Elf		*elf;
	struct address_ranges	words;		/* words of the global offset table */
	char		**names;	/* the symbol of each word */
	size_t		n, room;
	uint64_t	got;		/* base of offsets in 32-bit code */
	bool		narrow;
	linkage_table_add		*add;
	void		*context;
};

static void add_word(struct plt *plt, uint64_t address, const char *symbol)
{
	if (!symbol || !symbol[0] || address + 1 == 0)
		return;
	ensure(plt->names, plt->n, plt->room);
	plt->names[plt->n] = format_text("%s@plt", symbol);
	address_ranges_add(&plt->words, address, address + 1, plt->n++);
}

static const char *symbol_name(Elf *elf, Elf_Data *symbols, size_t strings,
			       uint64_t index)
{
	GElf_Sym symbol;

	if (!symbols || index > INT32_MAX ||
	    !gelf_getsym(symbols, (int)index, &symbol))
		return NULL;
	return elf_strptr(elf, strings, symbol.st_name);
}

static void read_relocations(struct plt *plt, Elf_Scn *section,
			     const GElf_Shdr *header)
{
	Elf_Scn *linked = elf_getscn(plt->elf, header->sh_link);
	Elf_Data *data = elf_getdata(section, NULL), *symbols;
	GElf_Shdr symtab;
	size_t n, i;

	if (!data || !linked || !gelf_getshdr(linked, &symtab) ||
	    symtab.sh_type != SHT_DYNSYM || !header->sh_entsize)
		return;
	symbols = elf_getdata(linked, NULL);
	n = data->d_size / header->sh_entsize;
	for (i = 0; i < n && i < INT32_MAX; i++) {
		uint64_t offset, info;
		GElf_Rela rela;
		GElf_Rel rel;

		if (header->sh_type == SHT_RELA &&
		    gelf_getrela(data, (int)i, &rela)) {
			offset = rela.r_offset;
			info = rela.r_info;
		} else if (header->sh_type == SHT_REL &&
			   gelf_getrel(data, (int)i, &rel)) {
			offset = rel.r_offset;
			info = rel.r_info;
		} else {
			break;
		}
		add_word(plt, offset, symbol_name(plt->elf, symbols, symtab.sh_link,
						  GELF_R_SYM(info)));
	}
}

/* Finds the word of the jump @code at @address. Returns false for other code. */
static bool jump_word(const struct plt *plt, const unsigned char *code,
		      uint64_t address, uint64_t *word)
{
	int32_t distance;

	memcpy(&distance, code + 2, sizeof(distance));
	if (code[0] != 0xff)
		return false;
	if (code[1] == 0x25)		/* jmp *distance(%rip), or *address */
		*word = plt->narrow ? (uint32_t)distance :
			address + 6 + (uint64_t)(int64_t)distance;
	else if (code[1] == 0xa3)	/* jmp *distance(%ebx) */
		*word = (uint32_t)(plt->got + (uint64_t)(int64_t)distance);
	else
		return false;
	return true;
}

static void read_entry(struct plt *plt, const unsigned char *code, size_t size,
		       uint64_t address)
{
	uint64_t word;
	size_t i;

	for (i = 0; i + 6 <= size; i++) {
		ssize_t found;

		if (!jump_word(plt, code + i, address + i, &word))
			continue;
		found = address_ranges_find(&plt->words, word);
		if (found < 0)
			continue;
		plt->add(plt->context, address, address + size, plt->names[found]);
		return;
	}
}

static void read_table(struct plt *plt, Elf_Scn *section, const GElf_Shdr *header)
{
	Elf_Data *data = elf_getdata(section, NULL);
	size_t size = header->sh_entsize == 8 ? 8 : ENTRY, at;

	if (!data || !data->d_buf)
		return;
	for (at = 0; at + size <= data->d_size; at += size)
		read_entry(plt, (unsigned char *)data->d_buf + at, size,
			   header->sh_addr + at);
}

typedef void visitor(struct plt *plt, Elf_Scn *section, const GElf_Shdr *header,
		     const char *name);

static void visit_sections(struct plt *plt, visitor *visit)
{
	Elf_Scn *section = NULL;
	GElf_Shdr header;
	size_t strings;
	const char *name;

	if (elf_getshdrstrndx(plt->elf, &strings))
		return;
	while ((section = elf_nextscn(plt->elf, section))) {
		if (!gelf_getshdr(section, &header))
			continue;
		name = elf_strptr(plt->elf, strings, header.sh_name);
		if (name)
			visit(plt, section, &header, name);
	}
}

static void visit_words(struct plt *plt, Elf_Scn *section,
			const GElf_Shdr *header, const char *name)
{
	if (header->sh_type == SHT_RELA || header->sh_type == SHT_REL)
		read_relocations(plt, section, header);
	if (!strcmp(name, ".got.plt") || (!strcmp(name, ".got") && !plt->got))
		plt->got = header->sh_addr;
}

static void visit_tables(struct plt *plt, Elf_Scn *section,
			 const GElf_Shdr *header, const char *name)
{
	if (header->sh_type == SHT_PROGBITS && (header->sh_flags & SHF_EXECINSTR) &&
	    !strncmp(name, ".plt", 4))
		read_table(plt, section, header);
}

void linkage_table_read(Elf *elf, linkage_table_add *add, void *context)
{
	struct plt plt = { .elf = elf, .add = add, .context = context };
	GElf_Ehdr header;
	size_t i;

	if (!gelf_getehdr(elf, &header) ||
	    (header.e_machine != EM_X86_64 && header.e_machine != EM_386))
		return;
	plt.narrow = header.e_machine == EM_386;
	visit_sections(&plt, visit_words);
	address_ranges_sort(&plt.words);
	visit_sections(&plt, visit_tables);
	for (i = 0; i < plt.n; i++)
		free(plt.names[i]);
	free(plt.names);
	free(plt.words.list);
}
