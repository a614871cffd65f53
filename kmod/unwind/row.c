// SPDX-License-Identifier: GPL-2.0-only
/* Follows rows of call frame information that do not fit a rule, such as expressions. */
#include <linux/bits.h>
#include <linux/compiler.h>
#include <linux/limits.h>
#include <linux/minmax.h>
#include <linux/nospec.h>

#include "unwind/bytes.h"
#include "unwind/unwind.h"

/* DWARF 5, 7.7.1: the operations in Debian's files, and some similar ones. */
enum {
	OP_DEREF	= 0x06,
	OP_CONST1U	= 0x08,
	OP_CONST8S	= 0x0f,
	OP_DROP		= 0x13,
	OP_AND		= 0x1a,
	OP_MINUS	= 0x1c,
	OP_MUL		= 0x1e,
	OP_PLUS		= 0x22,
	OP_PLUS_UCONST	= 0x23,
	OP_SHL		= 0x24,
	OP_GE		= 0x2a,
	OP_LIT0		= 0x30,
	OP_LIT31	= 0x4f,
	OP_BREG0	= 0x70,
	OP_BREG31	= 0x8f,
};

/* A word of the process's memory. */
static u64 read_word(struct profil_unwind *walk, u64 addr)
{
	enum profil_unwind_end why;
	profil_unwind_word word;

	why = profil_unwind_read(walk, addr, &word, sizeof(word));
	if (!why)
		return word;
	profil_bytes_fail(walk, why);
	return 0;
}

/* The frame's value of a register, by its number; the walk ends if it is not known. */
static u64 frame_register(struct profil_unwind *walk, u64 reg)
{
	if (reg < PROFIL_REGS) {
		reg = array_index_nospec(reg, PROFIL_REGS);
		if (walk->regs.known >> reg & 1)
			return walk->regs.reg[reg];
	}
	profil_bytes_fail(walk, PROFIL_END_REGISTER);
	return 0;
}

static void push(struct profil_unwind *walk, u64 value)
{
	if (walk->nvalues == PROFIL_CFI_VALUES)
		profil_bytes_fail(walk, PROFIL_END_UNKNOWN);
	else
		walk->value[walk->nvalues++] = (profil_unwind_word)value;
}

static u64 pop(struct profil_unwind *walk)
{
	if (!walk->nvalues) {
		profil_bytes_fail(walk, PROFIL_END_CFI);
		return 0;
	}
	walk->nvalues = array_index_nospec(walk->nvalues - 1U, PROFIL_CFI_VALUES);
	return walk->value[walk->nvalues];
}

static u64 combine(u8 op, u64 a, u64 b)
{
	switch (op) {
	case OP_AND:
		return a & b;
	case OP_MINUS:
		return a - b;
	case OP_MUL:
		return a * b;
	case OP_PLUS:
		return a + b;
	case OP_SHL:
		return b > 63 ? 0 : a << b;
	default:
		return (profil_unwind_sword)a >= (profil_unwind_sword)b;
	}
}

static void run(struct profil_unwind *walk, u8 op)
{
	u64 value;

	switch (op) {
	case OP_LIT0 ... OP_LIT31:
		push(walk, op - OP_LIT0);
		break;
	case OP_BREG0 ... OP_BREG31:
		value = frame_register(walk, profil_machine_reg(op - OP_BREG0));
		push(walk, value + profil_bytes_sleb(walk));
		break;
	case OP_CONST1U ... OP_CONST8S:
		push(walk, profil_bytes_fixed(walk, 1 << (op - OP_CONST1U) / 2, op & 1));
		break;
	case OP_DROP:
		pop(walk);
		break;
	case OP_DEREF:
		push(walk, read_word(walk, pop(walk)));
		break;
	case OP_PLUS_UCONST:
		value = pop(walk);
		push(walk, value + profil_bytes_uleb(walk));
		break;
	case OP_AND:
	case OP_MINUS:
	case OP_MUL:
	case OP_PLUS:
	case OP_SHL:
	case OP_GE:
		value = pop(walk);
		push(walk, combine(op, pop(walk), value));
		break;
	default:
		profil_bytes_fail(walk, PROFIL_END_UNKNOWN);
	}
}

/*
 * The value of the expression whose length is at @what from the FDE. Its first value is
 * @cfa, unless that is NULL.
 */
static u64 evaluate(struct profil_unwind *walk, s32 what, const u64 *cfa)
{
	enum profil_unwind_end why;

	walk->nvalues = 0;
	if (cfa)
		push(walk, *cfa);
	profil_bytes_seek(walk, walk->fde + (u64)(s64)what, U64_MAX);
	profil_bytes_limit(walk, profil_bytes_uleb(walk));
	while (!profil_bytes_at_limit(walk)) {
		u8 op = profil_bytes_u8(walk);

		/* Counted here, as the same bytes may run again for another register. */
		why = profil_bytes_count(walk, 1);
		if (why)
			profil_bytes_fail(walk, why);
		run(walk, op);
	}
	return pop(walk);
}

static u64 find_cfa(struct profil_unwind *walk)
{
	const struct profil_row *row = &walk->row;

	if (row->cfa_reg == PROFIL_CFA_BY_EXPRESSION)
		return evaluate(walk, row->cfa_offset, NULL);
	if (row->cfa_reg == PROFIL_CFA_NONE)
		profil_bytes_fail(walk, PROFIL_END_CFI);
	return (profil_unwind_word)(frame_register(walk, row->cfa_reg) + (u64)(s64)row->cfa_offset);
}

/* The caller's value of a register that has a rule. */
static u64 caller_value(struct profil_unwind *walk, u32 rule, u64 cfa)
{
	s32 what = profil_row_what(rule);

	switch (profil_row_how(rule)) {
	case PROFIL_HOW_AT_CFA:
		return read_word(walk, cfa + (u64)(s64)what);
	case PROFIL_HOW_CFA:
		return (profil_unwind_word)(cfa + (u64)(s64)what);
	case PROFIL_HOW_REGISTER:
		return frame_register(walk, (u32)what);
	case PROFIL_HOW_AT_EXPRESSION:
		return read_word(walk, evaluate(walk, what, &cfa));
	default:
		return evaluate(walk, what, &cfa);
	}
}

/*
 * The call has changed the register of the return address, so the caller's value is lost.
 * glibc's lazy binding has it above its CFA, where arm64's PLT has pushed it: what was
 * pushed is not the caller's.
 */
static void take_return_address(struct profil_unwind *walk)
{
	struct profil_unwind_regs *caller = &walk->caller;
	u32 rule = walk->row.rule[PROFIL_COLUMN_RA];

	if (walk->row.cfa_reg == PROFIL_REG_SP &&
	    profil_row_how(rule) == PROFIL_HOW_AT_CFA && profil_row_what(rule) >= 0)
		caller->reg[PROFIL_REG_SP] += (u64)profil_row_what(rule) + PROFIL_WORD;

	if (!(caller->known >> PROFIL_COLUMN_RA & 1))
		profil_bytes_fail(walk, PROFIL_END_REGISTER);
	caller->reg[PROFIL_REG_PC] = profil_unwind_return(walk, caller->reg[PROFIL_COLUMN_RA]);
	caller->known &= ~BIT_ULL(PROFIL_COLUMN_RA);
	caller->known |= BIT_ULL(PROFIL_REG_PC);
}

/*
 * Registers without a rule keep their values if calls preserve them, or are lost. A
 * register whose rule needs a lost one is lost too; for PC and SP that ends the walk.
 */
static void caller_registers(struct profil_unwind *walk, u64 cfa)
{
	struct profil_unwind_regs *caller = &walk->caller;
	u64 known;
	u32 i;

	caller->known = 0;
	for (i = 0; i < PROFIL_COLUMNS && !walk->end; i++) {
		u32 rule = walk->row.rule[i];
		u64 bit = BIT_ULL(i);

		known = bit;
		caller->reg[i] = walk->regs.reg[i];
		if (profil_row_how(rule) == PROFIL_HOW_UNSPECIFIED)
			known = walk->regs.known & bit &
				(PROFIL_REGS_SAVED | BIT(PROFIL_COLUMN_RA));
		else if (profil_row_how(rule) == PROFIL_HOW_UNDEFINED)
			known = 0;
		else if (profil_row_how(rule) == PROFIL_HOW_SAME)
			known = walk->regs.known & bit;
		else
			caller->reg[i] = caller_value(walk, rule, cfa);
		if (walk->end == PROFIL_END_REGISTER && i != PROFIL_COLUMN_RA &&
		    i != PROFIL_REG_SP) {
			walk->end = PROFIL_END_NONE;
			known = 0;
		}
		caller->known |= known;
	}
	if (profil_row_how(walk->row.rule[PROFIL_REG_SP]) == PROFIL_HOW_UNSPECIFIED) {
		caller->reg[PROFIL_REG_SP] = cfa;
		caller->known |= BIT_ULL(PROFIL_REG_SP);
	}
	if (PROFIL_HAS_LINK)
		take_return_address(walk);
	if (!(caller->known >> PROFIL_REG_SP & 1))
		profil_bytes_fail(walk, PROFIL_END_REGISTER);
	/* A signal handler may run on another stack; a PC of 0 is no frame. */
	if (!walk->signal && caller->reg[PROFIL_REG_PC] &&
	    !profil_unwind_is_above(walk, caller->reg[PROFIL_REG_SP]))
		profil_bytes_fail(walk, PROFIL_END_BACKWARDS);
	walk->regs = *caller;
}

/* Goes from a frame to its caller, by the row of @walk. */
void profil_row_follow(struct profil_unwind *walk)
{
	enum profil_row_how pc = profil_row_how(walk->row.rule[PROFIL_COLUMN_RA]);
	u64 cfa;

	if (pc == PROFIL_HOW_UNDEFINED) {
		profil_bytes_fail(walk, PROFIL_END_OUTERMOST);
		return;
	}
	if (!PROFIL_HAS_LINK &&
	    (pc == PROFIL_HOW_UNSPECIFIED || pc == PROFIL_HOW_SAME))
		profil_bytes_fail(walk, PROFIL_END_CFI);
	cfa = find_cfa(walk);
	if (!walk->end)
		caller_registers(walk, cfa);
	walk->exact = walk->signal;
}
