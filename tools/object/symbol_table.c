// SPDX-License-Identifier: LGPL-2.1-or-later
#include "object/symbol_table.h"

#include <stdbool.h>

static bool is_code(const GElf_Sym *symbol, GElf_Word section)
{
	int type = GELF_ST_TYPE(symbol->st_info);

	if (section == SHN_UNDEF || section == SHN_ABS)
		return false;
	return type == STT_FUNC || type == STT_GNU_IFUNC ||
	       (type == STT_NOTYPE && symbol->st_size);
}

void symbol_table_read(Dwfl_Module *module, symbol_table_add *add, void *context)
{
	int n = dwfl_module_getsymtab(module), i;

	for (i = 1; i < n; i++) {
		GElf_Word section;
		GElf_Addr address;
		GElf_Sym symbol;
		const char *name = dwfl_module_getsym_info(module, i,
			&symbol, &address, &section, NULL, NULL);

		if (name && name[0] && is_code(&symbol, section))
			add(context, address, address + symbol.st_size, name);
	}
}
