// SPDX-License-Identifier: LGPL-2.1-or-later
#include "content/disassembly.h"
#include "common/memory.h"
#include "object/symbols.h"

#include <capstone/capstone.h>
#include <gelf.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* The code that capstone decodes, of the machine and class of @elf. */
static bool open_decoder(csh *decoder, Elf *elf)
{
	static const struct {
		GElf_Half	machine;
		cs_arch		arch;
		cs_mode		mode;
	} machines[] = {
		{ EM_X86_64,	CS_ARCH_X86,	CS_MODE_64 },
		{ EM_386,	CS_ARCH_X86,	CS_MODE_32 },
		{ EM_AARCH64,	CS_ARCH_ARM64,	CS_MODE_ARM },
	};
	GElf_Ehdr header;
	size_t i;

	if (!gelf_getehdr(elf, &header))
		return false;
	for (i = 0; i < length_of(machines); i++)
		if (machines[i].machine == header.e_machine)
			break;
	if (i == length_of(machines) ||
	    cs_open(machines[i].arch, machines[i].mode, decoder) != CS_ERR_OK)
		return false;
	/* As objdump and perf show it. */
	cs_option(*decoder, CS_OPT_SYNTAX, CS_OPT_SYNTAX_ATT);
	/* For the groups of instructions. What is no instruction gets a line of its own. */
	cs_option(*decoder, CS_OPT_DETAIL, CS_OPT_ON);
	cs_option(*decoder, CS_OPT_SKIPDATA, CS_OPT_ON);
	return true;
}

/* The bytes in the file from @start to @end, or to the end of their segment. */
static Elf_Data *find_code(Elf *elf, uint64_t start, uint64_t end)
{
	GElf_Phdr segment;
	size_t n = 0, i;

	elf_getphdrnum(elf, &n);
	for (i = 0; i < n && i < INT32_MAX; i++) {
		if (!gelf_getphdr(elf, (int)i, &segment) || segment.p_type != PT_LOAD ||
		    start < segment.p_vaddr ||
		    start - segment.p_vaddr >= segment.p_filesz)
			continue;
		start -= segment.p_vaddr;
		end -= segment.p_vaddr;
		if (end > segment.p_filesz)
			end = segment.p_filesz;
		return elf_getdata_rawchunk(elf, (int64_t)(segment.p_offset + start),
					    end - start, ELF_T_BYTE);
	}
	return NULL;
}

/* " <find+0x12>" for the target of a call or jump; else "". The caller frees it. */
static char *target_of(csh decoder, const cs_insn *at, struct object *object)
{
	const struct function *function;
	const char *number = strstr(at->op_str, "0x");
	uint64_t target;

	/* Not of an indirect one, as *0x2fe2(%rip). */
	if (!number || strpbrk(at->op_str, "*(%[") || !at->id ||
	    !(cs_insn_group(decoder, at, CS_GRP_CALL) ||
	      cs_insn_group(decoder, at, CS_GRP_JUMP)))
		return copy_text("");
	target = strtoull(number, NULL, 16);
	function = symbols_function(object, target);
	if (target == function->start)
		return format_text(" <%s>", function->name);
	return format_text(" <%s+0x%" PRIx64 ">", function->name,
			   target - function->start);
}

static void add(struct disassembly *disassembly, csh decoder, const cs_insn *at,
		struct object *object)
{
	char *target = target_of(decoder, at, object);

	ensure(disassembly->lines, disassembly->n, disassembly->room);
	disassembly->lines[disassembly->n++] = (struct instruction){
		at->address, format_text("%-6s%s%s%s", at->mnemonic,
					 at->op_str[0] ? " " : "", at->op_str, target),
	};
	free(target);
}

static void decode(struct disassembly *disassembly, csh decoder, const Elf_Data *code,
		   uint64_t address, struct object *object)
{
	const uint8_t *bytes = code->d_buf;
	size_t left = code->d_size;
	cs_insn *at = cs_malloc(decoder);

	if (!at)
		out_of_memory();
	while (cs_disasm_iter(decoder, &bytes, &left, &address, at))
		add(disassembly, decoder, at, object);
	cs_free(at, 1);
}

void disassembly_make(struct disassembly *disassembly, struct object *object,
		      uint64_t start, uint64_t end)
{
	Dwfl_Module *module = symbols_open(object)->file.module;
	GElf_Addr bias;
	Elf *elf = module ? dwfl_module_getelf(module, &bias) : NULL;
	Elf_Data *code;
	csh decoder;

	if (!elf || !open_decoder(&decoder, elf))
		return;
	code = find_code(elf, start, end);
	if (code)
		decode(disassembly, decoder, code, start, object);
	cs_close(&decoder);
}

void disassembly_free(struct disassembly *disassembly)
{
	size_t i;

	for (i = 0; i < disassembly->n; i++)
		free(disassembly->lines[i].text);
	free(disassembly->lines);
	*disassembly = (struct disassembly){ 0 };
}
