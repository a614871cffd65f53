// SPDX-License-Identifier: GPL-2.0-only
/*
 * Call frame information: from a pc to its row.
 *
 *	pc -> .eh_frame_hdr -> FDE, CIE -> their programs -> row
 *
 * DWARF 5 describes call frame information in section 6.4 and its encoding in 7.24.
 * LSB 5.0 Core, "Exception Frames", describes the differences in .eh_frame.
 */
#include <linux/bits.h>
#include <linux/compiler.h>
#include <linux/limits.h>
#include <linux/minmax.h>
#include <linux/nospec.h>
#include <linux/string.h>

#include "unwind/bytes.h"
#include "unwind/unwind.h"

/* DWARF 5, 7.24: the first three have an operand in their low six bits. */
enum {
	CFA_ADVANCE_LOC		= 0x40,
	CFA_OFFSET		= 0x80,
	CFA_RESTORE		= 0xc0,
	CFA_NOP			= 0x00,
	CFA_SET_LOC		= 0x01,
	CFA_ADVANCE_LOC1	= 0x02,
	CFA_ADVANCE_LOC2	= 0x03,
	CFA_ADVANCE_LOC4	= 0x04,
	CFA_OFFSET_EXTENDED	= 0x05,
	CFA_RESTORE_EXTENDED	= 0x06,
	CFA_UNDEFINED		= 0x07,
	CFA_SAME_VALUE		= 0x08,
	CFA_REGISTER		= 0x09,
	CFA_REMEMBER_STATE	= 0x0a,
	CFA_RESTORE_STATE	= 0x0b,
	CFA_DEF_CFA		= 0x0c,
	CFA_DEF_CFA_REGISTER	= 0x0d,
	CFA_DEF_CFA_OFFSET	= 0x0e,
	CFA_DEF_CFA_EXPRESSION	= 0x0f,
	CFA_EXPRESSION		= 0x10,
	CFA_OFFSET_EXTENDED_SF	= 0x11,
	CFA_DEF_CFA_SF		= 0x12,
	CFA_DEF_CFA_OFFSET_SF	= 0x13,
	CFA_VAL_OFFSET		= 0x14,
	CFA_VAL_OFFSET_SF	= 0x15,
	CFA_VAL_EXPRESSION	= 0x16,
	/* AADWARF64, 4.3.3. */
	CFA_AARCH64_SET_RA_STATE = 0x2b,
	CFA_AARCH64_NEGATE_RA_STATE_WITH_PC = 0x2c,
	CFA_AARCH64_NEGATE_RA_STATE = 0x2d,
	/* LSB 5.0 Core, "DWARF Extensions". */
	CFA_GNU_ARGS_SIZE	= 0x2e,
	CFA_GNU_NEGATIVE_OFFSET	= 0x2f,
};

/* --- programs: DWARF 5, 6.4.2 --------------------------------------------------- */

static inline bool is_what(u64 what)
{
	return what + PROFIL_WHAT_MAX <= 2 * PROFIL_WHAT_MAX;
}

/*
 * Untracked registers (vectors) may have any rule. @reg has six bits before it is a number,
 * so that no wrong prediction of the branch leads out of struct profil_unwind.
 */
static inline void set_rule(struct profil_unwind *walk, u64 reg, enum profil_row_how how,
			    u64 what)
{
	if (reg >= PROFIL_COLUMNS)
		return;
	if (unlikely(!is_what(what))) {
		profil_bytes_fail(walk, PROFIL_END_UNKNOWN);
		return;
	}
	walk->row.ruled |= BIT(reg);
	walk->row.rule[reg] = (u32)what << PROFIL_HOW_BITS | how;
}

static inline void restore_rule(struct profil_unwind *walk, u64 reg)
{
	if (reg < PROFIL_COLUMNS)
		walk->row.rule[reg] = walk->initial.rule[reg];
}

/* A register of any number that an operand of an operation has named. */
static void set_any_rule(struct profil_unwind *walk, u64 reg, enum profil_row_how how,
			 u64 what)
{
	if (reg < PROFIL_COLUMNS)
		set_rule(walk, array_index_nospec(reg, PROFIL_COLUMNS), how, what);
}

static void restore_any_rule(struct profil_unwind *walk, u64 reg)
{
	if (reg < PROFIL_COLUMNS)
		restore_rule(walk, array_index_nospec(reg, PROFIL_COLUMNS));
}

static __always_inline void set_cfa(struct profil_unwind *walk, u64 reg, u64 offset)
{
	/* Also fails if an operation changes half of the CFA's rule and there is no rule. */
	if (unlikely(reg >= PROFIL_COLUMNS || (s64)offset != (s32)offset)) {
		profil_bytes_fail(walk, reg >= PROFIL_CFA_BY_EXPRESSION ?
				  PROFIL_END_CFI : PROFIL_END_UNKNOWN);
		return;
	}
	walk->row.cfa_reg = reg;
	walk->row.cfa_offset = (s32)offset;
}

static void forget_cie(struct profil_unwind *walk)
{
	walk->cie = 0;
	walk->cie_bytes = 0;
}

/*
 * Skips a block, and returns the distance from the FDE to the block's length. The rows of
 * a CIE with blocks cannot be used for another FDE.
 */
static u64 take_block(struct profil_unwind *walk)
{
	u64 at = profil_bytes_position(walk);

	forget_cie(walk);
	profil_bytes_skip(walk, profil_bytes_uleb(walk));
	return at - walk->fde;
}

/* Offsets are in units of the CIE's data alignment. */
static u64 take_offset(struct profil_unwind *walk)
{
	return profil_bytes_uleb(walk) * walk->data_align;
}

static u64 take_signed_offset(struct profil_unwind *walk)
{
	return profil_bytes_sleb(walk) * walk->data_align;
}

static void remember_row(struct profil_unwind *walk)
{
	if (walk->nrows == PROFIL_CFI_ROWS)
		profil_bytes_fail(walk, PROFIL_END_ROWS);
	else
		walk->remembered[walk->nrows++] = walk->row;
}

static void restore_row(struct profil_unwind *walk)
{
	if (!walk->nrows) {
		profil_bytes_fail(walk, PROFIL_END_CFI);
		return;
	}
	walk->nrows = array_index_nospec(walk->nrows - 1U, PROFIL_CFI_ROWS);
	walk->row = walk->remembered[walk->nrows];
}

/* An operation whose first operand is a register. */
static void run_for_register(struct profil_unwind *walk, u8 op)
{
	u64 reg = profil_machine_reg(profil_bytes_uleb(walk));

	switch (op) {
	case CFA_DEF_CFA:
		set_cfa(walk, reg, profil_bytes_uleb(walk));
		break;
	case CFA_DEF_CFA_SF:
		set_cfa(walk, reg, take_signed_offset(walk));
		break;
	case CFA_DEF_CFA_REGISTER:
		if (walk->row.cfa_reg >= PROFIL_COLUMNS)
			profil_bytes_fail(walk, PROFIL_END_CFI);
		else
			set_cfa(walk, reg, (u64)walk->row.cfa_offset);
		break;
	case CFA_OFFSET_EXTENDED:
		set_any_rule(walk, reg, PROFIL_HOW_AT_CFA, take_offset(walk));
		break;
	case CFA_OFFSET_EXTENDED_SF:
		set_any_rule(walk, reg, PROFIL_HOW_AT_CFA, take_signed_offset(walk));
		break;
	case CFA_GNU_NEGATIVE_OFFSET:
		set_any_rule(walk, reg, PROFIL_HOW_AT_CFA, -take_offset(walk));
		break;
	case CFA_VAL_OFFSET:
		set_any_rule(walk, reg, PROFIL_HOW_CFA, take_offset(walk));
		break;
	case CFA_VAL_OFFSET_SF:
		set_any_rule(walk, reg, PROFIL_HOW_CFA, take_signed_offset(walk));
		break;
	case CFA_RESTORE_EXTENDED:
		restore_any_rule(walk, reg);
		break;
	case CFA_UNDEFINED:
		set_any_rule(walk, reg, PROFIL_HOW_UNDEFINED, 0);
		break;
	case CFA_SAME_VALUE:
		set_any_rule(walk, reg, PROFIL_HOW_SAME, 0);
		break;
	case CFA_REGISTER:
		set_any_rule(walk, reg, PROFIL_HOW_REGISTER,
			     profil_machine_reg(profil_bytes_uleb(walk)));
		break;
	case CFA_EXPRESSION:
		set_any_rule(walk, reg, PROFIL_HOW_AT_EXPRESSION, take_block(walk));
		break;
	case CFA_VAL_EXPRESSION:
		set_any_rule(walk, reg, PROFIL_HOW_EXPRESSION, take_block(walk));
		break;
	default:
		profil_bytes_fail(walk, PROFIL_END_UNKNOWN);
	}
}

/* Does the operation say how return addresses are signed? All are taken for signed ones. */
static bool is_signature(struct profil_unwind *walk, u8 op)
{
	if (!PROFIL_RETURNS_SIGNED)
		return false;
	if (op != CFA_AARCH64_SET_RA_STATE)
		return op == CFA_AARCH64_NEGATE_RA_STATE ||
		       op == CFA_AARCH64_NEGATE_RA_STATE_WITH_PC;
	profil_bytes_uleb(walk);
	profil_bytes_sleb(walk);
	return true;
}

/*
 * A rare operation; its operands follow in the window. Returns how far the location
 * moves from @location, where the row begins.
 */
static noinline u64 run_other(struct profil_unwind *walk, u8 op, u64 location)
{
	switch (op) {
	case CFA_NOP:
		return 0;
	case CFA_SET_LOC:
		return profil_bytes_address(walk, walk->encoding) - location;
	case CFA_ADVANCE_LOC1 ... CFA_ADVANCE_LOC4:
		return profil_bytes_fixed(walk, 1 << (op - CFA_ADVANCE_LOC1), false) *
		       walk->code_align;
	case CFA_REMEMBER_STATE:
		remember_row(walk);
		return 0;
	case CFA_RESTORE_STATE:
		restore_row(walk);
		return 0;
	case CFA_DEF_CFA_OFFSET_SF:
		set_cfa(walk, walk->row.cfa_reg, take_signed_offset(walk));
		return 0;
	case CFA_DEF_CFA_EXPRESSION:
		set_cfa(walk, 0, take_block(walk));
		walk->row.cfa_reg = PROFIL_CFA_BY_EXPRESSION;
		return 0;
	case CFA_GNU_ARGS_SIZE:
		profil_bytes_uleb(walk);
		return 0;
	default:
		if (!is_signature(walk, op))
			run_for_register(walk, op);
		return 0;
	}
}

/*
 * Runs an operation at a location @left below @pc. Returns how far the location moves. Not
 * inline: most operations are run by run_common().
 */
static noinline u64 run_operation(struct profil_unwind *walk, u64 pc, u64 left)
{
	u32 op = profil_bytes_u8(walk);

	if (op < CFA_OFFSET) {
		if (op >= CFA_ADVANCE_LOC)
			return (op - CFA_ADVANCE_LOC) * walk->code_align;
		if (op != CFA_DEF_CFA_OFFSET)
			return run_other(walk, op, pc - left);
		set_cfa(walk, walk->row.cfa_reg, profil_bytes_uleb(walk));
	} else if (op < CFA_RESTORE) {
		set_rule(walk, profil_machine_reg(op - CFA_OFFSET), PROFIL_HOW_AT_CFA,
			 profil_bytes_uleb(walk) * walk->data_align);
	} else {
		restore_rule(walk, profil_machine_reg(op - CFA_RESTORE));
	}
	return 0;
}

/* A pair: CFA_ADVANCE_LOC with any distance, CFA_DEF_CFA_OFFSET, and an offset of one byte. */
#define PAIR		(CFA_ADVANCE_LOC | CFA_DEF_CFA_OFFSET << 8)
#define PAIR_MASK	(0xc0 | 0xff << 8 | 0x80 << 16)
#define PAIRS		(PAIR | (u64)PAIR << 24)
#define PAIRS_MASK	(PAIR_MASK | (u64)PAIR_MASK << 24)

/*
 * Runs two pairs at a time, of which ends of functions have several, from @at in the window on.
 * It reads eight bytes, of which @last is the last one that is there. Returns where it has
 * stopped.
 */
static __always_inline long run_pairs(struct profil_unwind *walk, long at, long last, u64 *left)
{
	u64 pairs, distance;

	while (at + 6 < last) {
		memcpy(&pairs, walk->window + at, sizeof(pairs));
		if ((pairs & PAIRS_MASK) != PAIRS)
			break;
		distance = ((pairs & 0x3f) + (pairs >> 24 & 0x3f)) * walk->code_align;
		if (distance > *left)
			break;
		*left -= distance;
		walk->row.cfa_offset = pairs >> 40 & 0xff;
		at += 6;
	}
	return at;
}

/*
 * Runs the most common operations while they are in the window: programs have hundreds of
 * them, and mostly in pairs, which move the location and set the CFA's offset. All others
 * are left to run_operation(), also long numbers, and what fails.
 *
 * Returns how far the next operation moves the location, if that is more than @left; else 0.
 */
static __always_inline u64 run_common(struct profil_unwind *walk, u64 *left)
{
	long at = walk->next, last = (long)walk->ready - 1;
	const u8 *byte = walk->window;
	u64 distance, what, reg;
	u32 op;

	if (unlikely(walk->row.cfa_reg >= PROFIL_COLUMNS))
		return 0;
	/* Most operations are two bytes, and all of these at most. */
	while (at < last) {
		op = byte[at];
		if (op - CFA_ADVANCE_LOC < CFA_OFFSET - CFA_ADVANCE_LOC) {
			distance = (op - CFA_ADVANCE_LOC) * walk->code_align;
			if (distance > *left)
				return distance;
			*left -= distance;
			at++;
			if (at < last && byte[at] == CFA_DEF_CFA_OFFSET &&
			    !(byte[at + 1] & 0x80)) {
				walk->row.cfa_offset = byte[at + 1];
				at = run_pairs(walk, at + 2, last, left);
			}
			continue;
		}
		/* Entries end with some. */
		if (op == CFA_NOP) {
			at++;
			continue;
		}
		if (byte[at + 1] & 0x80)
			break;
		if (op == CFA_DEF_CFA_OFFSET) {
			walk->row.cfa_offset = byte[at + 1];
		} else if (op - CFA_OFFSET < CFA_RESTORE - CFA_OFFSET) {
			what = byte[at + 1] * walk->data_align;
			if (!is_what(what))
				break;
			set_rule(walk, profil_machine_reg(op - CFA_OFFSET), PROFIL_HOW_AT_CFA,
				 what);
		} else if (op == CFA_DEF_CFA_REGISTER) {
			reg = profil_machine_reg(byte[at + 1]);
			if (reg >= PROFIL_COLUMNS)
				break;
			walk->row.cfa_reg = reg;
		} else if (op == CFA_ADVANCE_LOC1) {
			distance = byte[at + 1] * walk->code_align;
			if (distance > *left)
				return distance;
			*left -= distance;
		} else {
			break;
		}
		at += 2;
	}
	if (at == last && byte[at] == CFA_NOP)
		at++;
	walk->next = at;
	return 0;
}

/*
 * Goes from the row that begins at @location to the row of @pc, by the program in the
 * window up to the limit. Sets @row, @row_first and @row_last.
 */
static __always_inline void run_program(struct profil_unwind *walk, u64 location, u64 pc)
{
	u64 left = pc - location, distance;

	for (;;) {
		distance = run_common(walk, &left);
		if (!distance) {
			if (profil_bytes_at_limit(walk))
				break;
			distance = run_operation(walk, pc, left);
		}
		/* Rows are in ascending order; a program with another order ends. */
		if (distance > left) {
			walk->row_last = min_t(u64, walk->row_last,
					       pc - left + distance - 1);
			break;
		}
		left -= distance;
	}
	walk->row_first = pc - left;
}

/* --- CIEs and FDEs -------------------------------------------------------------- */

/*
 * Opens a CIE or an FDE, and returns its second word. The 64-bit format, for entries of
 * more than 4 GiB, is not supported.
 */
static __always_inline u32 open_entry(struct profil_unwind *walk, u64 addr)
{
	u32 word[2];

	walk->window_at = addr;
	walk->next = 0;
	walk->limit = addr + sizeof(word);
	if (!profil_bytes_fill(walk, sizeof(word)))
		return 0;
	memcpy(word, walk->window, sizeof(word));
	walk->next = sizeof(word);
	if (word[0] == U32_MAX || word[0] < sizeof(word[1])) {
		profil_bytes_fail(walk, word[0] ? PROFIL_END_UNKNOWN : PROFIL_END_CFI);
		return 0;
	}
	profil_bytes_limit(walk, word[0] - sizeof(word[1]));
	return word[1];
}

/* The data that the letters of the augmentation announce: LSB, 10.6.1.1.1. */
static void take_augmentation(struct profil_unwind *walk, const u8 *letters)
{
	u64 bytes = profil_bytes_uleb(walk);
	u64 end = profil_bytes_position(walk) + bytes;
	u8 encoding;

	for (; *letters && !walk->end; letters++) {
		switch (*letters) {
		case 'R':
			walk->encoding = profil_bytes_u8(walk);
			break;
		case 'P':
			encoding = profil_bytes_u8(walk);
			profil_bytes_encoded(walk, encoding & PROFIL_PE_FORMAT);
			break;
		case 'L':
			profil_bytes_u8(walk);
			break;
		case 'S':
			walk->signal = true;
			break;
		default:
			/* The key of signatures, and tags on the stack. */
			if (PROFIL_RETURNS_SIGNED && (*letters == 'B' || *letters == 'G'))
				break;
			profil_bytes_fail(walk, PROFIL_END_UNKNOWN);
		}
	}
	if (end < profil_bytes_position(walk))
		profil_bytes_fail(walk, PROFIL_END_CFI);
	else
		profil_bytes_skip(walk, end - profil_bytes_position(walk));
}

/* Reads the fields of a CIE, up to the program for the first row of its FDEs. */
static noinline void parse_cie(struct profil_unwind *walk)
{
	u8 letters[8] = "";
	u8 version = profil_bytes_u8(walk);
	u64 ra;
	u32 i;

	for (i = 0; i < sizeof(letters); i++) {
		letters[i] = profil_bytes_u8(walk);
		if (!letters[i])
			break;
	}
	if ((version != 1 && version != 3) || i == sizeof(letters) ||
	    (i && letters[0] != 'z'))
		profil_bytes_fail(walk, PROFIL_END_UNKNOWN);

	walk->code_align = profil_bytes_uleb(walk);
	walk->data_align = profil_bytes_sleb(walk);
	ra = version == 1 ? profil_bytes_u8(walk) : profil_bytes_uleb(walk);
	/* No sum of two distances overflows: see run_pairs(). */
	if (walk->code_align > U32_MAX || profil_machine_reg(ra) != PROFIL_COLUMN_RA)
		profil_bytes_fail(walk, PROFIL_END_UNKNOWN);
	walk->sized = i;
	if (walk->sized)
		take_augmentation(walk, letters + 1);
}

/*
 * Has this CIE the bytes of the last one, which may be of an earlier walk? Most objects have
 * the same CIE. This leaves the window as it is. It reads nothing of an FDE that is behind the
 * CIE.
 */
static noinline bool is_same_cie(struct profil_unwind *walk, u64 cie)
{
	u32 bytes = walk->cie_bytes;
	u8 byte[PROFIL_CIE_BYTES];

	return bytes && walk->fde - cie >= bytes &&
	       !profil_unwind_read(walk, cie, byte, bytes) &&
	       !memcmp(byte, walk->cie_byte, bytes);
}

/* The window has the beginning of a CIE. */
static void keep_cie_bytes(struct profil_unwind *walk)
{
	u64 bytes = walk->limit - walk->window_at;

	walk->cie_bytes = 0;
	if (bytes > PROFIL_CIE_BYTES || bytes > walk->window_bytes)
		return;
	memcpy(walk->cie_byte, walk->window, PROFIL_CIE_BYTES);
	walk->cie_bytes = bytes;
}

static noinline void use_cie(struct profil_unwind *walk, u64 cie)
{
	walk->cie = cie;
	walk->encoding = PROFIL_PE_ABSPTR;
	walk->signal = false;
	memset(&walk->row, 0, sizeof(walk->row));
	walk->row.cfa_reg = PROFIL_CFA_FIRST;
	if (open_entry(walk, cie))
		profil_bytes_fail(walk, PROFIL_END_CFI);
	keep_cie_bytes(walk);
	parse_cie(walk);
	walk->initial = walk->row;
	run_program(walk, 0, U64_MAX);
	walk->initial = walk->row;
	/* Another FDE of the CIE would not find them. */
	walk->nrows = 0;
	if (walk->end)
		forget_cie(walk);
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
	at = profil_bytes_position(walk);
	limit = walk->limit;
	if (!to_cie)
		profil_bytes_fail(walk, PROFIL_END_CFI);
	if (walk->end)
		return;

	cie = at - sizeof(to_cie) - to_cie;
	/* A caller and the function that it has called often have the same CIE. */
	if (likely(cie && (walk->cie == cie || is_same_cie(walk, cie)))) {
		walk->cie = cie;
		walk->row = walk->initial;
	} else {
		use_cie(walk, cie);
		profil_bytes_seek(walk, at, limit);
	}
	start = profil_bytes_address(walk, walk->encoding);
	bytes = profil_bytes_encoded(walk, walk->encoding & PROFIL_PE_FORMAT);
	if (walk->sized)
		profil_bytes_skip(walk, profil_bytes_uleb(walk));
	if (pc < start || pc - start >= bytes)
		profil_bytes_fail(walk, PROFIL_END_NO_ROW);
	walk->row_last = start + bytes - 1;
	run_program(walk, start, pc);
}

/* The row of @pc, whose object has its .eh_frame_hdr at @hdr; 0 for none. */
void profil_cfi_look_up(struct profil_unwind *walk, u64 hdr, u64 pc)
{
	u64 fde = profil_object_fde(walk, hdr, pc);

	if (likely(!walk->end))
		use_fde(walk, fde, pc);
}
