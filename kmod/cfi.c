// SPDX-License-Identifier: GPL-2.0-only
/*
 * Call frame information: from a pc to its row, and from a row to the caller.
 *
 * See cfi.h.
 *
 *	pc -> .eh_frame_hdr -> FDE, CIE -> row -> caller
 *
 * DWARF 5, section 6.4, says what call frame information means, 2.5 what
 * expressions do, 7.7.1 and 7.24 how both are encoded; LSB 5.0 Core, "Exception
 * Frames", what is different in .eh_frame, and what .eh_frame_hdr is.
 *
 * What is read belongs to the process and may be anything. So each operation
 * and each read is counted against a bound, every number is used as if it were
 * random, and an error is sticky: what reads on after it reads zeroes, to the end
 * of the entry.
 *
 * Layer: ground.
 */
#include <linux/bits.h>
#include <linux/build_bug.h>
#include <linux/compiler.h>
#include <linux/limits.h>
#include <linux/minmax.h>
#include <linux/string.h>

#include "cfi.h"

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
	/* LSB 5.0 Core, "DWARF Extensions". */
	CFA_GNU_ARGS_SIZE	= 0x2e,
	CFA_GNU_NEGATIVE_OFFSET	= 0x2f,
};

/* DWARF 5, 7.7.1: those that linkers, compilers and libc use, and their like. */
enum {
	OP_DEREF	= 0x06,
	OP_CONST1U	= 0x08,
	OP_CONST1S	= 0x09,
	OP_CONST2U	= 0x0a,
	OP_CONST2S	= 0x0b,
	OP_CONST4U	= 0x0c,
	OP_CONST4S	= 0x0d,
	OP_CONST8U	= 0x0e,
	OP_CONST8S	= 0x0f,
	OP_CONSTU	= 0x10,
	OP_CONSTS	= 0x11,
	OP_DUP		= 0x12,
	OP_DROP		= 0x13,
	OP_OVER		= 0x14,
	OP_SWAP		= 0x16,
	OP_AND		= 0x1a,
	OP_MINUS	= 0x1c,
	OP_MUL		= 0x1e,
	OP_NEG		= 0x1f,
	OP_NOT		= 0x20,
	OP_OR		= 0x21,
	OP_PLUS		= 0x22,
	OP_PLUS_UCONST	= 0x23,
	OP_SHL		= 0x24,
	OP_SHR		= 0x25,
	OP_SHRA		= 0x26,
	OP_XOR		= 0x27,
	OP_EQ		= 0x29,
	OP_GE		= 0x2a,
	OP_GT		= 0x2b,
	OP_LE		= 0x2c,
	OP_LT		= 0x2d,
	OP_NE		= 0x2e,
	OP_LIT0		= 0x30,
	OP_LIT31	= 0x4f,
	OP_BREG0	= 0x70,
	OP_BREG31	= 0x8f,
	OP_BREGX	= 0x92,
	OP_NOP		= 0x96,
};

/* LSB 5.0 Core, "DWARF Exception Header Encoding". */
enum {
	PE_ABSPTR	= 0x00,
	PE_ULEB128	= 0x01,
	PE_UDATA2	= 0x02,
	PE_UDATA4	= 0x03,
	PE_UDATA8	= 0x04,
	PE_SLEB128	= 0x09,
	PE_SDATA2	= 0x0a,
	PE_SDATA4	= 0x0b,
	PE_SDATA8	= 0x0c,
	PE_FORMAT	= 0x0f,
	PE_PCREL	= 0x10,
	PE_DATAREL	= 0x30,
};

/* User memory is read ahead up to here: what has one byte has all. */
#define PAGE_BYTES	4096U

/* .eh_frame_hdr as linkers make it: LSB 5.0 Core, "The .eh_frame_hdr section". */
struct hdr {
	u8	version;
	u8	frame_encoding;
	u8	count_encoding;
	u8	table_encoding;
	s32	frame;
	u32	count;
};

/* Memory of the process. */

/* The first error stays, and ends what is read. */
static noinline void fail(struct profil_unwind *walk, enum profil_unwind_end why)
{
	if (!walk->end)
		walk->end = why;
	walk->ready = walk->next;
	walk->limit = walk->window_at + walk->next;
}

static u64 read_word(struct profil_unwind *walk, u64 addr)
{
	enum profil_unwind_end why;
	u64 word;

	why = profil_unwind_read(walk, addr, &word, sizeof(word));
	if (!why)
		return word;
	fail(walk, why);

	return 0;
}

/* Where in memory the next byte is. */
static __always_inline u64 position(const struct profil_unwind *walk)
{
	return walk->window_at + walk->next;
}

static __always_inline bool is_at_limit(const struct profil_unwind *walk)
{
	return unlikely(walk->next == walk->ready) &&
	       position(walk) == walk->limit;
}

/* Call frame information is read from @at on, and not behind @limit. */
static void seek(struct profil_unwind *walk, u64 at, u64 limit)
{
	u64 in = at - walk->window_at;

	if (in >= walk->window_bytes) {
		walk->window_at = at;
		walk->window_bytes = 0;
		in = 0;
	}
	walk->next = in;
	walk->ready = min_t(u64, walk->window_bytes, limit - walk->window_at);
	walk->limit = limit;
	if (unlikely(limit < at || walk->end))
		fail(walk, PROFIL_END_CFI);
}

/* What is read from here on ends after so many bytes. */
static __always_inline void limit_to(struct profil_unwind *walk, u32 bytes)
{
	walk->limit = position(walk) + bytes;
	walk->ready = min_t(u64, walk->window_bytes, walk->next + (u64)bytes);
	if (unlikely(walk->limit < bytes))
		fail(walk, PROFIL_END_CFI);
}

/* So many steps more: may they be done? */
static __always_inline enum profil_unwind_end count(struct profil_unwind *walk, u32 n)
{
	if (unlikely(walk->steps < walk->frame_steps + n))
		return walk->frame_steps ? PROFIL_END_OPS : PROFIL_END_STEPS;
	walk->steps -= n;

	return PROFIL_END_NONE;
}

/*
 * Reads ahead, at least the next @n bytes, which are not in the window. Bytes are
 * counted here so that operations need not be: none of them is shorter.
 */
static noinline bool fill_window(struct profil_unwind *walk, u32 n)
{
	u64 at = position(walk);
	u32 bytes = PAGE_BYTES - (at & (PAGE_BYTES - 1));
	enum profil_unwind_end why = PROFIL_END_CFI;

	/* A number may itself cross into another page. */
	bytes = min_t(u32, bytes, PROFIL_CFI_WINDOW);
	bytes = bytes < n ? n : bytes;
	walk->window_at = at;
	walk->next = 0;
	walk->window_bytes = 0;
	if (walk->limit - at >= n)
		why = count(walk, bytes);
	if (!why && walk->read(walk->ctx, at, walk->window, bytes))
		why = PROFIL_END_MEMORY;
	if (why) {
		fail(walk, why);
		return false;
	}
	walk->window_bytes = bytes;
	walk->ready = min_t(u64, bytes, walk->limit - at);

	return true;
}

/* The next @n bytes, at most 8. */
static __always_inline const u8 *take(struct profil_unwind *walk, u32 n)
{
	static const u8 nothing[8];
	u32 in = walk->next;

	if (unlikely(walk->ready - in < n)) {
		if (!fill_window(walk, n))
			return nothing;
		in = 0;
	}
	walk->next = in + n;

	return walk->window + in;
}

static __always_inline u8 take_u8(struct profil_unwind *walk)
{
	return *take(walk, 1);
}

static u16 take_u16(struct profil_unwind *walk)
{
	u16 value;

	memcpy(&value, take(walk, sizeof(value)), sizeof(value));
	return value;
}

static u32 take_u32(struct profil_unwind *walk)
{
	u32 value;

	memcpy(&value, take(walk, sizeof(value)), sizeof(value));
	return value;
}

static u64 take_u64(struct profil_unwind *walk)
{
	u64 value;

	memcpy(&value, take(walk, sizeof(value)), sizeof(value));
	return value;
}

/* DWARF 5, 7.6. Up to ten bytes; what does not fit in 64 bits is lost. */
static noinline u64 take_long_leb(struct profil_unwind *walk, bool is_signed,
				  u64 value)
{
	unsigned int shift = 7;
	u8 byte;

	do {
		if (shift > 63) {
			fail(walk, PROFIL_END_CFI);
			return 0;
		}
		byte = take_u8(walk);
		value |= (u64)(byte & 0x7f) << shift;
		shift += 7;
	} while (byte & 0x80);

	if (is_signed && shift < 64 && (byte & 0x40))
		value |= ~0ULL << shift;

	return value;
}

static __always_inline u64 take_uleb(struct profil_unwind *walk)
{
	u8 byte = take_u8(walk);

	if (likely(!(byte & 0x80)))
		return byte;

	return take_long_leb(walk, false, byte & 0x7f);
}

static u64 take_sleb(struct profil_unwind *walk)
{
	u8 byte = take_u8(walk);

	if (byte & 0x80)
		return take_long_leb(walk, true, byte & 0x7f);

	return byte & 0x40 ? byte | ~0x7fULL : byte;
}

static __always_inline void skip(struct profil_unwind *walk, u64 bytes)
{
	u64 at = position(walk);

	if (likely(bytes <= walk->ready - walk->next))
		walk->next += bytes;
	else if (walk->limit - at < bytes)
		fail(walk, PROFIL_END_CFI);
	else
		seek(walk, at + bytes, walk->limit);
}

/* A block's length and bytes: says where the length stands. */
static u64 take_block(struct profil_unwind *walk)
{
	u64 at = position(walk);
	u64 bytes = take_uleb(walk);

	skip(walk, bytes);

	return at;
}

static noinline u64 take_other_encoded(struct profil_unwind *walk, u8 format)
{
	switch (format) {
	case PE_ABSPTR:
	case PE_UDATA8:
	case PE_SDATA8:
		return take_u64(walk);
	case PE_ULEB128:
		return take_uleb(walk);
	case PE_SLEB128:
		return take_sleb(walk);
	case PE_UDATA2:
		return take_u16(walk);
	case PE_SDATA2:
		return (u64)(s16)take_u16(walk);
	case PE_UDATA4:
		return take_u32(walk);
	}
	fail(walk, PROFIL_END_UNKNOWN);

	return 0;
}

static __always_inline u64 take_encoded(struct profil_unwind *walk, u8 format)
{
	/* What linkers write. */
	if (likely(format == PE_SDATA4))
		return (u64)(s32)take_u32(walk);

	return take_other_encoded(walk, format);
}

/* An address; 0 is not relative to anything. */
static __always_inline u64 take_address(struct profil_unwind *walk, u8 encoding)
{
	u64 from = position(walk);
	u64 value = take_encoded(walk, encoding & PE_FORMAT);

	switch (encoding & ~PE_FORMAT) {
	case 0:
		return value;
	case PE_PCREL:
		return value ? from + value : 0;
	}
	fail(walk, PROFIL_END_UNKNOWN);

	return 0;
}

/* Rows: DWARF 5, 6.4.1 and 6.4.2. */

/* Registers beyond those that are tracked (vectors) may have any rule. */
static void set_rule(struct profil_unwind *walk, u64 reg, enum profil_cfi_how how, u64 what)
{
	if (reg >= PROFIL_REGS)
		return;
	if (unlikely(what + PROFIL_WHAT_MAX > 2 * PROFIL_WHAT_MAX)) {
		fail(walk, PROFIL_END_UNKNOWN);
		return;
	}
	walk->row.ruled |= BIT(reg);
	walk->row.rule[reg] = (u32)what << PROFIL_HOW_BITS | how;
}

static void restore_rule(struct profil_unwind *walk, u64 reg)
{
	if (reg < PROFIL_REGS)
		walk->row.rule[reg] = walk->initial.rule[reg];
}

static void set_cfa(struct profil_unwind *walk, u64 reg, u64 offset)
{
	if (reg >= PROFIL_REGS || (s64)offset != (s32)offset) {
		fail(walk, PROFIL_END_UNKNOWN);
		return;
	}
	walk->row.cfa_reg = reg;
	walk->row.cfa_offset = (s32)offset;
}

/* Half of the CFA's rule can be changed only if the other half is there. */
static void set_cfa_register(struct profil_unwind *walk, u64 reg)
{
	if (walk->row.cfa_reg >= PROFIL_REGS)
		fail(walk, PROFIL_END_CFI);
	else
		set_cfa(walk, reg, (u64)walk->row.cfa_offset);
}

static __always_inline void set_cfa_offset(struct profil_unwind *walk, u64 offset)
{
	if (unlikely(walk->row.cfa_reg >= PROFIL_REGS))
		fail(walk, PROFIL_END_CFI);
	else if (unlikely((s64)offset != (s32)offset))
		fail(walk, PROFIL_END_UNKNOWN);
	else
		walk->row.cfa_offset = (s32)offset;
}

static void remember_row(struct profil_unwind *walk)
{
	if (walk->nrows == PROFIL_CFI_ROWS)
		fail(walk, PROFIL_END_ROWS);
	else
		walk->remembered[walk->nrows++] = walk->row;
}

static void restore_row(struct profil_unwind *walk)
{
	if (walk->nrows)
		walk->row = walk->remembered[--walk->nrows];
	else
		fail(walk, PROFIL_END_CFI);
}

/* DWARF 5, 6.4.2.2, and the rows as such. */
static bool run_cfa(struct profil_unwind *walk, u8 op)
{
	u64 reg;

	switch (op) {
	case CFA_DEF_CFA:
		reg = take_uleb(walk);
		set_cfa(walk, reg, take_uleb(walk));
		return true;
	case CFA_DEF_CFA_SF:
		reg = take_uleb(walk);
		set_cfa(walk, reg, take_sleb(walk) * walk->data_align);
		return true;
	case CFA_DEF_CFA_REGISTER:
		set_cfa_register(walk, take_uleb(walk));
		return true;
	case CFA_DEF_CFA_OFFSET_SF:
		set_cfa_offset(walk, take_sleb(walk) * walk->data_align);
		return true;
	case CFA_DEF_CFA_EXPRESSION:
		set_cfa(walk, 0, take_block(walk) - walk->fde);
		walk->row.cfa_reg = PROFIL_CFA_BY_EXPRESSION;
		return true;
	case CFA_REMEMBER_STATE:
		remember_row(walk);
		return true;
	case CFA_RESTORE_STATE:
		restore_row(walk);
		return true;
	case CFA_GNU_ARGS_SIZE:
		take_uleb(walk);
		return true;
	}

	return false;
}

/* Operations whose first operand is a register that gets a rule. */
#define RULE_OPERATIONS	(BIT_ULL(CFA_OFFSET_EXTENDED) |			\
			 BIT_ULL(CFA_RESTORE_EXTENDED) |			\
			 BIT_ULL(CFA_UNDEFINED) | BIT_ULL(CFA_SAME_VALUE) | \
			 BIT_ULL(CFA_REGISTER) | BIT_ULL(CFA_EXPRESSION) | \
			 BIT_ULL(CFA_OFFSET_EXTENDED_SF) |		\
			 BIT_ULL(CFA_VAL_OFFSET) |			\
			 BIT_ULL(CFA_VAL_OFFSET_SF) |			\
			 BIT_ULL(CFA_VAL_EXPRESSION) |			\
			 BIT_ULL(CFA_GNU_NEGATIVE_OFFSET))

/* DWARF 5, 6.4.2.3 and 6.4.2.4. */
static bool run_rule(struct profil_unwind *walk, u8 op)
{
	u64 reg;

	if (!(RULE_OPERATIONS >> op & 1))
		return false;
	reg = take_uleb(walk);
	switch (op) {
	case CFA_OFFSET_EXTENDED:
		set_rule(walk, reg, PROFIL_HOW_AT_CFA, take_uleb(walk) * walk->data_align);
		return true;
	case CFA_OFFSET_EXTENDED_SF:
		set_rule(walk, reg, PROFIL_HOW_AT_CFA, take_sleb(walk) * walk->data_align);
		return true;
	case CFA_GNU_NEGATIVE_OFFSET:
		set_rule(walk, reg, PROFIL_HOW_AT_CFA, -take_uleb(walk) * walk->data_align);
		return true;
	case CFA_VAL_OFFSET:
		set_rule(walk, reg, PROFIL_HOW_CFA, take_uleb(walk) * walk->data_align);
		return true;
	case CFA_VAL_OFFSET_SF:
		set_rule(walk, reg, PROFIL_HOW_CFA, take_sleb(walk) * walk->data_align);
		return true;
	case CFA_RESTORE_EXTENDED:
		restore_rule(walk, reg);
		return true;
	case CFA_UNDEFINED:
		set_rule(walk, reg, PROFIL_HOW_UNDEFINED, 0);
		return true;
	case CFA_SAME_VALUE:
		set_rule(walk, reg, PROFIL_HOW_SAME, 0);
		return true;
	case CFA_REGISTER:
		set_rule(walk, reg, PROFIL_HOW_REGISTER, take_uleb(walk));
		return true;
	case CFA_EXPRESSION:
		set_rule(walk, reg, PROFIL_HOW_AT_EXPRESSION, take_block(walk) - walk->fde);
		return true;
	case CFA_VAL_EXPRESSION:
		set_rule(walk, reg, PROFIL_HOW_EXPRESSION, take_block(walk) - walk->fde);
		return true;
	}

	return false;
}

/* DWARF 5, 6.4.2.1: how far from @location, if the operation says that. */
static bool run_location(struct profil_unwind *walk, u8 op, u64 location,
			 u64 *distance)
{
	switch (op) {
	case CFA_ADVANCE_LOC1:
		*distance = take_u8(walk) * walk->code_align;
		return true;
	case CFA_ADVANCE_LOC2:
		*distance = take_u16(walk) * walk->code_align;
		return true;
	case CFA_ADVANCE_LOC4:
		*distance = take_u32(walk) * walk->code_align;
		return true;
	case CFA_SET_LOC:
		*distance = take_address(walk, walk->encoding) - location;
		return true;
	}

	return false;
}

/* Operations without an operand in their low bits. */
static noinline u64 run_other(struct profil_unwind *walk, u8 op, u64 location)
{
	u64 distance = 0;

	if (op != CFA_NOP && !run_cfa(walk, op) && !run_rule(walk, op) &&
	    !run_location(walk, op, location, &distance))
		fail(walk, PROFIL_END_UNKNOWN);

	return distance;
}

/* One operation; and how far it goes, with @left from its location to @pc. */
static __always_inline u64 run_operation(struct profil_unwind *walk, u64 pc,
					 u64 left)
{
	u32 op = take_u8(walk);

	/* Most operations are of four kinds. */
	if (op < CFA_OFFSET) {
		if (op >= CFA_ADVANCE_LOC)
			return (op - CFA_ADVANCE_LOC) * walk->code_align;
		if (op != CFA_DEF_CFA_OFFSET)
			return run_other(walk, op, pc - left);
		set_cfa_offset(walk, take_uleb(walk));
	} else if (op < CFA_RESTORE) {
		set_rule(walk, op - CFA_OFFSET, PROFIL_HOW_AT_CFA,
			 take_uleb(walk) * walk->data_align);
	} else {
		restore_rule(walk, op - CFA_RESTORE);
	}

	return 0;
}

/* From the row at @location to the one that contains @pc. */
static __always_inline void run(struct profil_unwind *walk, u64 location, u64 pc)
{
	u64 left = pc - location;

	while (!is_at_limit(walk)) {
		u64 distance = run_operation(walk, pc, left);

		/* Rows are in ascending order: one that is not is the last. */
		if (distance > left) {
			walk->row_last = min_t(u64, walk->row_last,
					       pc - left + distance - 1);
			break;
		}
		left -= distance;
	}
	walk->row_first = pc - left;
}

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
	memcpy(word, take(walk, sizeof(word)), sizeof(word));
	if (word[0] == U32_MAX || word[0] < sizeof(word[1])) {
		fail(walk, word[0] ? PROFIL_END_UNKNOWN : PROFIL_END_CFI);
		return 0;
	}
	limit_to(walk, word[0] - sizeof(word[1]));

	return word[1];
}

/* The data that the letters of the augmentation announce: LSB, 10.6.1.1.1. */
static void take_augmentation(struct profil_unwind *walk, const u8 *letters)
{
	u64 bytes = take_uleb(walk);
	u64 end = position(walk) + bytes;
	u8 encoding;

	for (; *letters && !walk->end; letters++) {
		switch (*letters) {
		case 'R':
			walk->encoding = take_u8(walk);
			break;
		case 'P':
			encoding = take_u8(walk);
			take_encoded(walk, encoding & PE_FORMAT);
			break;
		case 'L':
			take_u8(walk);
			break;
		case 'S':
			walk->signal = true;
			break;
		default:
			fail(walk, PROFIL_END_UNKNOWN);
		}
	}
	if (end < position(walk))
		fail(walk, PROFIL_END_CFI);
	else
		skip(walk, end - position(walk));
}

/* What a CIE says of all its FDEs, and then the first row of them. */
static noinline void parse_cie(struct profil_unwind *walk)
{
	u8 letters[8] = "";
	u8 version = take_u8(walk);
	u64 ra;
	u32 i;

	for (i = 0; i < sizeof(letters); i++) {
		letters[i] = take_u8(walk);
		if (!letters[i])
			break;
	}
	if ((version != 1 && version != 3) || i == sizeof(letters) ||
	    (i && letters[0] != 'z'))
		fail(walk, PROFIL_END_UNKNOWN);

	walk->code_align = take_uleb(walk);
	walk->data_align = take_sleb(walk);
	ra = version == 1 ? take_u8(walk) : take_uleb(walk);
	if (ra != PROFIL_REG_PC)
		fail(walk, PROFIL_END_UNKNOWN);
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
	walk->encoding = PE_ABSPTR;
	walk->signal = false;
	memset(&walk->row, 0, sizeof(walk->row));
	walk->row.cfa_reg = PROFIL_CFA_NONE;
	if (open_entry(walk, cie))
		fail(walk, PROFIL_END_CFI);
	parse_cie(walk);
	walk->initial = walk->row;
	run(walk, 0, U64_MAX);
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
	at = position(walk);
	limit = walk->limit;
	if (!to_cie)
		fail(walk, PROFIL_END_CFI);
	if (walk->end)
		return;

	cie = at - sizeof(to_cie) - to_cie;
	/* Callers often are described by the CIE of those they have called. */
	if (likely(cie && walk->cie == cie)) {
		walk->row = walk->initial;
	} else {
		use_cie(walk, cie);
		seek(walk, at, limit);
	}
	start = take_address(walk, walk->encoding);
	bytes = take_encoded(walk, walk->encoding & PE_FORMAT);
	if (walk->sized)
		skip(walk, take_uleb(walk));
	if (pc < start || pc - start >= bytes)
		fail(walk, PROFIL_END_NO_ROW);
	walk->row_last = start + bytes - 1;
	run(walk, start, pc);
}

/* Expressions: DWARF 5, 2.5. */

static void push(struct profil_unwind *walk, u64 value)
{
	if (walk->nvalues == PROFIL_CFI_VALUES)
		fail(walk, PROFIL_END_UNKNOWN);
	else
		walk->value[walk->nvalues++] = value;
}

static u64 pop(struct profil_unwind *walk)
{
	if (walk->nvalues)
		return walk->value[--walk->nvalues];
	fail(walk, PROFIL_END_CFI);

	return 0;
}

static u64 register_value(struct profil_unwind *walk, u64 reg)
{
	if (reg < PROFIL_REGS && walk->regs.known >> reg & 1)
		return walk->regs.reg[reg];
	fail(walk, PROFIL_END_REGISTER);

	return 0;
}

/* Operations that only add a value. */
static bool push_operand(struct profil_unwind *walk, u8 op)
{
	u64 reg = op - OP_BREG0;

	if (op >= OP_LIT0 && op <= OP_LIT31) {
		push(walk, op - OP_LIT0);
		return true;
	}
	if (op == OP_BREGX || (op >= OP_BREG0 && op <= OP_BREG31)) {
		reg = op == OP_BREGX ? take_uleb(walk) : reg;
		push(walk, register_value(walk, reg) + take_sleb(walk));
		return true;
	}

	switch (op) {
	case OP_CONST1U:
		push(walk, take_u8(walk));
		return true;
	case OP_CONST1S:
		push(walk, (u64)(s8)take_u8(walk));
		return true;
	case OP_CONST2U:
		push(walk, take_u16(walk));
		return true;
	case OP_CONST2S:
		push(walk, (u64)(s16)take_u16(walk));
		return true;
	case OP_CONST4U:
		push(walk, take_u32(walk));
		return true;
	case OP_CONST4S:
		push(walk, (u64)(s32)take_u32(walk));
		return true;
	case OP_CONST8U:
	case OP_CONST8S:
		push(walk, take_u64(walk));
		return true;
	case OP_CONSTU:
		push(walk, take_uleb(walk));
		return true;
	case OP_CONSTS:
		push(walk, take_sleb(walk));
		return true;
	}

	return false;
}

#define CHANGES		(BIT_ULL(OP_DROP) | BIT_ULL(OP_DUP) | BIT_ULL(OP_DEREF) | \
			 BIT_ULL(OP_NEG) | BIT_ULL(OP_NOT) | BIT_ULL(OP_OVER) | \
			 BIT_ULL(OP_SWAP) | BIT_ULL(OP_PLUS_UCONST))

/* Operations on the last value, and on the order of values. */
static bool change_value(struct profil_unwind *walk, u8 op)
{
	u64 last, before;

	if (op >= 64 || !(CHANGES >> op & 1))
		return false;
	last = pop(walk);
	switch (op) {
	case OP_DROP:
		return true;
	case OP_DUP:
		push(walk, last);
		push(walk, last);
		return true;
	case OP_DEREF:
		push(walk, read_word(walk, last));
		return true;
	case OP_NEG:
		push(walk, -last);
		return true;
	case OP_NOT:
		push(walk, ~last);
		return true;
	case OP_PLUS_UCONST:
		push(walk, last + take_uleb(walk));
		return true;
	case OP_OVER:
		before = pop(walk);
		push(walk, before);
		push(walk, last);
		push(walk, before);
		return true;
	case OP_SWAP:
		before = pop(walk);
		push(walk, last);
		push(walk, before);
		return true;
	}

	return false;
}

#define COMBINATIONS	(BIT_ULL(OP_PLUS) | BIT_ULL(OP_MINUS) | BIT_ULL(OP_MUL) | \
			 BIT_ULL(OP_AND) | BIT_ULL(OP_OR) | BIT_ULL(OP_XOR) | \
			 BIT_ULL(OP_SHL) | BIT_ULL(OP_SHR) | BIT_ULL(OP_SHRA) | \
			 BIT_ULL(OP_EQ) | BIT_ULL(OP_NE) | BIT_ULL(OP_GE) | \
			 BIT_ULL(OP_GT) | BIT_ULL(OP_LE) | BIT_ULL(OP_LT))

/* Operations on two values. Comparisons are signed. */
static bool combine(struct profil_unwind *walk, u8 op)
{
	unsigned int shift;
	u64 a, b;

	if (op >= 64 || !(COMBINATIONS >> op & 1))
		return false;
	b = pop(walk);
	a = pop(walk);
	shift = min_t(u64, b, 63);
	switch (op) {
	case OP_PLUS:
		push(walk, a + b);
		return true;
	case OP_MINUS:
		push(walk, a - b);
		return true;
	case OP_MUL:
		push(walk, a * b);
		return true;
	case OP_AND:
		push(walk, a & b);
		return true;
	case OP_OR:
		push(walk, a | b);
		return true;
	case OP_XOR:
		push(walk, a ^ b);
		return true;
	case OP_SHL:
		push(walk, b > 63 ? 0 : a << shift);
		return true;
	case OP_SHR:
		push(walk, b > 63 ? 0 : a >> shift);
		return true;
	case OP_SHRA:
		push(walk, (u64)((s64)a >> shift));
		return true;
	case OP_EQ:
		push(walk, a == b);
		return true;
	case OP_NE:
		push(walk, a != b);
		return true;
	case OP_GE:
		push(walk, (s64)a >= (s64)b);
		return true;
	case OP_GT:
		push(walk, (s64)a > (s64)b);
		return true;
	case OP_LE:
		push(walk, (s64)a <= (s64)b);
		return true;
	case OP_LT:
		push(walk, (s64)a < (s64)b);
		return true;
	}

	return false;
}

/* Opens the expression whose length stands at @what. */
static void open_expression(struct profil_unwind *walk, s32 what)
{
	u64 bytes;

	seek(walk, walk->fde + (u64)(s64)what, U64_MAX);
	bytes = take_uleb(walk);
	seek(walk, position(walk), position(walk) + bytes);
}

/* Its value, of the callee's registers; @cfa is pushed first, if not NULL. */
static noinline u64 evaluate(struct profil_unwind *walk, s32 what, const u64 *cfa)
{
	enum profil_unwind_end why;

	walk->nvalues = 0;
	if (cfa)
		push(walk, *cfa);
	open_expression(walk, what);
	while (!is_at_limit(walk)) {
		u8 op = take_u8(walk);

		/* The same bytes may be run again for another register. */
		why = count(walk, 1);
		if (why)
			fail(walk, why);

		if (op == OP_NOP || push_operand(walk, op) ||
		    change_value(walk, op) || combine(walk, op))
			continue;
		fail(walk, PROFIL_END_UNKNOWN);
	}

	return pop(walk);
}

/* From a frame to its caller, by a row. */

static u64 row_cfa(struct profil_unwind *walk)
{
	const struct profil_cfi_row *row = &walk->row;

	if (row->cfa_reg == PROFIL_CFA_BY_EXPRESSION)
		return evaluate(walk, row->cfa_offset, NULL);
	if (row->cfa_reg == PROFIL_CFA_NONE)
		fail(walk, PROFIL_END_CFI);

	return register_value(walk, row->cfa_reg) + (u64)(s64)row->cfa_offset;
}

/* What the caller had in a register for which there is a rule. */
static u64 row_value(struct profil_unwind *walk, u32 rule, u64 cfa)
{
	s32 what = profil_cfi_rule_what(rule);

	switch (profil_cfi_rule_how(rule)) {
	case PROFIL_HOW_AT_CFA:
		return read_word(walk, cfa + (u64)(s64)what);
	case PROFIL_HOW_CFA:
		return cfa + (u64)(s64)what;
	case PROFIL_HOW_REGISTER:
		return register_value(walk, (u32)what);
	case PROFIL_HOW_AT_EXPRESSION:
		return read_word(walk, evaluate(walk, what, &cfa));
	default:
		return evaluate(walk, what, &cfa);
	}
}

/*
 * Registers without a rule are as before, if calls preserve them, or else lost.
 * One with a rule that cannot be followed is lost, unless it leads on.
 */
static void row_registers(struct profil_unwind *walk, u64 cfa)
{
	struct profil_unwind_regs *caller = &walk->caller;
	u64 known;
	u32 i;

	caller->known = 0;
	for (i = 0; i < PROFIL_REGS && !walk->end; i++) {
		u32 rule = walk->row.rule[i];
		u64 bit = BIT_ULL(i);

		known = bit;
		caller->reg[i] = walk->regs.reg[i];
		if (profil_cfi_rule_how(rule) == PROFIL_HOW_UNSPECIFIED)
			known = walk->regs.known & PROFIL_REGS_SAVED & bit;
		else if (profil_cfi_rule_how(rule) == PROFIL_HOW_UNDEFINED)
			known = 0;
		else if (profil_cfi_rule_how(rule) == PROFIL_HOW_SAME)
			known = walk->regs.known & bit;
		else
			caller->reg[i] = row_value(walk, rule, cfa);
		if (walk->end == PROFIL_END_REGISTER && i != PROFIL_REG_PC &&
		    i != PROFIL_REG_SP) {
			walk->end = PROFIL_END_NONE;
			known = 0;
		}
		caller->known |= known;
	}
	if (profil_cfi_rule_how(walk->row.rule[PROFIL_REG_SP]) == PROFIL_HOW_UNSPECIFIED) {
		caller->reg[PROFIL_REG_SP] = cfa;
		caller->known |= BIT_ULL(PROFIL_REG_SP);
	}
	if (!(caller->known >> PROFIL_REG_SP & 1))
		fail(walk, PROFIL_END_REGISTER);
	/* A signal may have come on a stack of its own. */
	if (!walk->signal && !profil_unwind_is_above(walk, caller->reg[PROFIL_REG_SP]))
		fail(walk, PROFIL_END_BACKWARDS);
	walk->regs = *caller;
}

void profil_cfi_follow(struct profil_unwind *walk)
{
	enum profil_cfi_how pc = profil_cfi_rule_how(walk->row.rule[PROFIL_REG_PC]);
	u64 cfa;

	if (pc == PROFIL_HOW_UNDEFINED) {
		fail(walk, PROFIL_END_OUTERMOST);
		return;
	}
	if (pc == PROFIL_HOW_UNSPECIFIED || pc == PROFIL_HOW_SAME)
		fail(walk, PROFIL_END_CFI);
	cfa = row_cfa(walk);
	if (!walk->end)
		row_registers(walk, cfa);
	walk->exact = walk->signal;
}

/* Places. */

/* A register and a distance, if that is all that an expression begins with. */
static bool is_based(struct profil_unwind *walk, s32 what, u8 *reg, s32 *offset)
{
	u64 distance;

	open_expression(walk, what);
	*reg = take_u8(walk) - OP_BREG0;
	if (*reg >= PROFIL_REGS)
		return false;
	distance = take_sleb(walk);
	*offset = (s32)distance;

	return !walk->end && (u64)(s64)*offset == distance;
}

/*
 * The places that most expressions say: reg + n, and, where functions have aligned
 * their stack, *(reg + n) [+ m].
 */
bool profil_cfi_is_place(struct profil_unwind *walk, s32 what,
			 struct profil_cfi_place *place)
{
	u64 add;

	*place = (struct profil_cfi_place) {};
	if (!is_based(walk, what, &place->reg, &place->offset))
		return false;
	if (is_at_limit(walk))
		return true;
	place->deref = true;
	if (take_u8(walk) != OP_DEREF)
		return false;
	if (is_at_limit(walk))
		return true;
	if (take_u8(walk) != OP_PLUS_UCONST)
		return false;
	add = take_uleb(walk);
	place->add = (u8)add;

	/* What could not be read is at the limit, too. */
	return add <= U8_MAX && is_at_limit(walk) && !walk->end;
}

/* The table. */

/* Where no header is. */
#define NO_TABLE	U64_MAX

/* Is this the form whose table can be searched? */
static bool is_searchable(const struct hdr *hdr)
{
	u8 frame = hdr->frame_encoding & PE_FORMAT;

	return hdr->version == 1 && hdr->count_encoding == PE_UDATA4 &&
	       hdr->table_encoding == (PE_DATAREL | PE_SDATA4) &&
	       (frame == PE_UDATA4 || frame == PE_SDATA4);
}

/* @n entries of the table, at most PROFIL_CFI_ENTRIES. */
static bool read_entries(struct profil_unwind *walk, u32 first, u32 n)
{
	enum profil_unwind_end why;

	why = profil_unwind_read(walk, walk->table + sizeof(struct hdr) +
			      (u64)sizeof(walk->entry[0]) * first,
			walk->entry, n * sizeof(walk->entry[0]));
	if (why)
		fail(walk, why);

	return !why;
}

/*
 * The FDE that is the last to start at or before pc. The last steps of the search
 * are done in as many entries as can be read at a time.
 */
static u64 search_table(struct profil_unwind *walk, u64 pc)
{
	s64 distance = (s64)(pc - walk->table);
	u32 low = 0, high = walk->entries, i;

	/* Entry @low is not behind pc, or the first; @high is behind it. */
	while (high - low > PROFIL_CFI_ENTRIES) {
		u32 middle = low + (high - low) / 2;

		if (!read_entries(walk, middle, 1))
			return 0;
		if (walk->entry[0].start > distance)
			high = middle;
		else
			low = middle;
	}
	if (high > low && !read_entries(walk, low, high - low))
		return 0;
	for (i = low > 0; i < high - low; i++)
		if (walk->entry[i].start > distance)
			break;
	if (i)
		return walk->table + (u64)(s64)walk->entry[i - 1].fde;
	fail(walk, PROFIL_END_NO_ROW);

	return 0;
}

/* The header is that of the last search, most often. */
static u64 find_fde(struct profil_unwind *walk, u64 at, u64 pc)
{
	enum profil_unwind_end why = PROFIL_END_NO_TABLE;
	struct hdr hdr;

	if (likely(at == walk->table))
		return search_table(walk, pc);
	if (at)
		why = profil_unwind_read(walk, at, &hdr, sizeof(hdr));
	if (!why && !is_searchable(&hdr))
		why = PROFIL_END_TABLE;
	if (why) {
		fail(walk, why);
		return 0;
	}
	walk->table = at;
	walk->entries = hdr.count;

	return search_table(walk, pc);
}

void profil_cfi_begin(struct profil_unwind *walk)
{
	BUILD_BUG_ON(sizeof(struct hdr) != 12);
	BUILD_BUG_ON(sizeof(walk->entry) != sizeof(walk->window));

	walk->window_bytes = 0;
	walk->cie = 0;
	walk->table = NO_TABLE;
}

void profil_cfi_look_up(struct profil_unwind *walk, u64 hdr, u64 pc)
{
	u64 fde = find_fde(walk, hdr, pc);

	if (likely(!walk->end))
		use_fde(walk, fde, pc);
}
