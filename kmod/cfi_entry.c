// SPDX-License-Identifier: GPL-2.0-only
/*
 * CIEs and FDEs: from a pc to its row.
 *
 *	pc -> .eh_frame_hdr -> FDE, CIE -> their programs -> row
 *
 * DWARF 5, section 6.4, says what call frame information means, 7.24 how it is
 * encoded; LSB 5.0 Core, "Exception Frames", what is different in .eh_frame.
 *
 * Layer: ground.
 */
#include <linux/bits.h>
#include <linux/compiler.h>
#include <linux/limits.h>
#include <linux/string.h>

#include "cfi_bytes.h"
#include "cfi_entry.h"
#include "cfi_program.h"
#include "cfi_table.h"

/*
 * Opens a CIE or an FDE, and says what its second word is. The 64-bit format is
 * for entries of more than 4 GiB.
 */
static __always_inline u32 open_entry(struct profil_unwind *walk, u64 addr)
{
	u32 word[2];

	walk->window_at = addr;
	walk->window_bytes = 0;
	walk->next = 0;
	walk->ready = 0;
	walk->limit = addr + sizeof(word);
	memcpy(word, profil_cfi_take(walk, sizeof(word)), sizeof(word));
	if (word[0] == U32_MAX || word[0] < sizeof(word[1])) {
		profil_cfi_fail(walk, word[0] ? PROFIL_END_UNKNOWN : PROFIL_END_CFI);
		return 0;
	}
	profil_cfi_limit_to(walk, word[0] - sizeof(word[1]));

	return word[1];
}

/* The data that the letters of the augmentation announce: LSB, 10.6.1.1.1. */
static void take_augmentation(struct profil_unwind *walk, const u8 *letters)
{
	u64 bytes = profil_cfi_take_uleb(walk);
	u64 end = profil_cfi_position(walk) + bytes;
	u8 encoding;

	for (; *letters && !walk->end; letters++) {
		switch (*letters) {
		case 'R':
			walk->encoding = profil_cfi_take_u8(walk);
			break;
		case 'P':
			encoding = profil_cfi_take_u8(walk);
			profil_cfi_take_encoded(walk, encoding & PROFIL_PE_FORMAT);
			break;
		case 'L':
			profil_cfi_take_u8(walk);
			break;
		case 'S':
			walk->signal = true;
			break;
		default:
			profil_cfi_fail(walk, PROFIL_END_UNKNOWN);
		}
	}
	if (end < profil_cfi_position(walk))
		profil_cfi_fail(walk, PROFIL_END_CFI);
	else
		profil_cfi_skip(walk, end - profil_cfi_position(walk));
}

/* What a CIE says of all its FDEs, and then the first row of them. */
static noinline void parse_cie(struct profil_unwind *walk)
{
	u8 letters[8] = "";
	u8 version = profil_cfi_take_u8(walk);
	u64 ra;
	u32 i;

	for (i = 0; i < sizeof(letters); i++) {
		letters[i] = profil_cfi_take_u8(walk);
		if (!letters[i])
			break;
	}
	if ((version != 1 && version != 3) || i == sizeof(letters) ||
	    (i && letters[0] != 'z'))
		profil_cfi_fail(walk, PROFIL_END_UNKNOWN);

	walk->code_align = profil_cfi_take_uleb(walk);
	walk->data_align = profil_cfi_take_sleb(walk);
	ra = version == 1 ? profil_cfi_take_u8(walk) : profil_cfi_take_uleb(walk);
	if (ra != PROFIL_REG_PC)
		profil_cfi_fail(walk, PROFIL_END_UNKNOWN);
	walk->sized = i;
	if (walk->sized)
		take_augmentation(walk, letters + 1);
}

static bool has_expression(const struct profil_cfi_row *row)
{
	bool has = row->cfa_reg == PROFIL_CFA_BY_EXPRESSION;
	u32 i;

	for (i = 0; i < PROFIL_REGS; i++)
		has |= profil_cfi_rule_how(row->rule[i]) >= PROFIL_HOW_AT_EXPRESSION;

	return has;
}

static noinline void use_cie(struct profil_unwind *walk, u64 cie)
{
	walk->cie = 0;
	walk->encoding = PROFIL_PE_ABSPTR;
	walk->signal = false;
	memset(&walk->row, 0, sizeof(walk->row));
	walk->row.cfa_reg = PROFIL_CFA_NONE;
	if (open_entry(walk, cie))
		profil_cfi_fail(walk, PROFIL_END_CFI);
	parse_cie(walk);
	walk->initial = walk->row;
	profil_cfi_run(walk, 0, U64_MAX);
	walk->initial = walk->row;
	/* An expression is found by its distance from this FDE, not the next. */
	if (!walk->end && !has_expression(&walk->row))
		walk->cie = cie;
}

/* The row of an FDE at a pc. */
static void use_fde(struct profil_unwind *walk, u64 fde, u64 pc)
{
	u64 start, bytes, at, limit, cie;
	u32 to_cie;

	walk->frame_steps = walk->steps > PROFIL_CFI_OPS ?
			    walk->steps - PROFIL_CFI_OPS : 0;
	walk->nrows = 0;
	walk->fde = fde;
	to_cie = open_entry(walk, fde);
	at = profil_cfi_position(walk);
	limit = walk->limit;
	if (!to_cie)
		profil_cfi_fail(walk, PROFIL_END_CFI);
	if (walk->end)
		return;

	cie = at - sizeof(to_cie) - to_cie;
	/* Callers often are described by the CIE of those they have called. */
	if (likely(cie && walk->cie == cie)) {
		walk->row = walk->initial;
	} else {
		use_cie(walk, cie);
		profil_cfi_seek(walk, at, limit);
	}
	start = profil_cfi_take_address(walk, walk->encoding);
	bytes = profil_cfi_take_encoded(walk, walk->encoding & PROFIL_PE_FORMAT);
	if (walk->sized)
		profil_cfi_skip(walk, profil_cfi_take_uleb(walk));
	if (pc < start || pc - start >= bytes)
		profil_cfi_fail(walk, PROFIL_END_NO_ROW);
	walk->row_last = start + bytes - 1;
	profil_cfi_run(walk, start, pc);
}

/**
 * profil_cfi_begin() - nothing of an earlier walk is used.
 * @walk: a walk.
 */
void profil_cfi_begin(struct profil_unwind *walk)
{
	walk->window_bytes = 0;
	walk->cie = 0;
	walk->table = PROFIL_CFI_NO_TABLE;
}

/**
 * profil_cfi_look_up() - the row of a pc.
 * @walk: a walk; out: @row, @signal, and where the row begins and ends, or @end.
 * @hdr:  address of .eh_frame_hdr; 0 for none.
 * @pc:   a pc of that object.
 */
void profil_cfi_look_up(struct profil_unwind *walk, u64 hdr, u64 pc)
{
	u64 fde = profil_cfi_table_find(walk, hdr, pc);

	if (likely(!walk->end))
		use_fde(walk, fde, pc);
}
