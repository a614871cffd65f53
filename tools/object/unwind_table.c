// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The linker writes a sorted table into .eh_frame_hdr: pairs of 32-bit distances from
 * the address of .eh_frame_hdr.
 */
#include "object/unwind_table.h"

#include <dwarf.h>
#include <string.h>

#define TABLE_AT	12U

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

void unwind_table_read(Elf *elf, unwind_table_add *add, void *context)
{
	static const unsigned char format[4] = {
		1, DW_EH_PE_pcrel | DW_EH_PE_sdata4, DW_EH_PE_udata4,
		DW_EH_PE_datarel | DW_EH_PE_sdata4
	};
	Elf_Data *data;
	GElf_Phdr header;
	int32_t start;
	uint32_t n, i;

	if (!find_program_header(elf, PT_GNU_EH_FRAME, &header))
		return;
	data = elf_getdata_rawchunk(elf, (int64_t)header.p_offset,
				    header.p_filesz, ELF_T_BYTE);
	if (!data || data->d_size < TABLE_AT || memcmp(data->d_buf, format, 4))
		return;
	memcpy(&n, (char *)data->d_buf + 8, sizeof(n));
	if (n > (data->d_size - TABLE_AT) / 8)
		n = (uint32_t)((data->d_size - TABLE_AT) / 8);
	for (i = 0; i < n; i++) {
		memcpy(&start, (char *)data->d_buf + TABLE_AT + 8 * (size_t)i,
		       sizeof(start));
		add(context, header.p_vaddr + (uint64_t)start);
	}
}
