// SPDX-License-Identifier: GPL-2.0-only
/*
 * What rules of a row say where values are: registers, words, and expressions
 * (DWARF 5, 2.5 and 7.7.1).
 *
 * Layer: ground.
 */
#include <linux/bits.h>
#include <linux/compiler.h>
#include <linux/limits.h>
#include <linux/minmax.h>

#include "cfi_bytes.h"
#include "cfi_expression.h"

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

/* A word of the process's memory. */
u64 profil_cfi_word(struct profil_unwind *walk, u64 addr)
{
	enum profil_unwind_end why;
	u64 word;

	why = profil_unwind_read(walk, addr, &word, sizeof(word));
	if (!why)
		return word;
	profil_cfi_fail(walk, why);

	return 0;
}

static void push(struct profil_unwind *walk, u64 value)
{
	if (walk->nvalues == PROFIL_CFI_VALUES)
		profil_cfi_fail(walk, PROFIL_END_UNKNOWN);
	else
		walk->value[walk->nvalues++] = value;
}

static u64 pop(struct profil_unwind *walk)
{
	if (walk->nvalues)
		return walk->value[--walk->nvalues];
	profil_cfi_fail(walk, PROFIL_END_CFI);

	return 0;
}

/* What the frame has in a register, if that is known. */
u64 profil_cfi_register(struct profil_unwind *walk, u64 reg)
{
	if (reg < PROFIL_REGS && walk->regs.known >> reg & 1)
		return walk->regs.reg[reg];
	profil_cfi_fail(walk, PROFIL_END_REGISTER);

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
		reg = op == OP_BREGX ? profil_cfi_take_uleb(walk) : reg;
		push(walk, profil_cfi_register(walk, reg) + profil_cfi_take_sleb(walk));
		return true;
	}

	switch (op) {
	case OP_CONST1U:
		push(walk, profil_cfi_take_u8(walk));
		return true;
	case OP_CONST1S:
		push(walk, (u64)(s8)profil_cfi_take_u8(walk));
		return true;
	case OP_CONST2U:
		push(walk, profil_cfi_take_u16(walk));
		return true;
	case OP_CONST2S:
		push(walk, (u64)(s16)profil_cfi_take_u16(walk));
		return true;
	case OP_CONST4U:
		push(walk, profil_cfi_take_u32(walk));
		return true;
	case OP_CONST4S:
		push(walk, (u64)(s32)profil_cfi_take_u32(walk));
		return true;
	case OP_CONST8U:
	case OP_CONST8S:
		push(walk, profil_cfi_take_u64(walk));
		return true;
	case OP_CONSTU:
		push(walk, profil_cfi_take_uleb(walk));
		return true;
	case OP_CONSTS:
		push(walk, profil_cfi_take_sleb(walk));
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
		push(walk, profil_cfi_word(walk, last));
		return true;
	case OP_NEG:
		push(walk, -last);
		return true;
	case OP_NOT:
		push(walk, ~last);
		return true;
	case OP_PLUS_UCONST:
		push(walk, last + profil_cfi_take_uleb(walk));
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

static bool compare(u8 op, s64 a, s64 b)
{
	switch (op) {
	case OP_EQ:
		return a == b;
	case OP_NE:
		return a != b;
	case OP_GE:
		return a >= b;
	case OP_GT:
		return a > b;
	case OP_LE:
		return a <= b;
	default:
		return a < b;
	}
}

/* Operations on two values. */
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
	default:
		push(walk, compare(op, (s64)a, (s64)b));
		return true;
	}
}

/* Opens the expression whose length stands at @what. */
static void open_expression(struct profil_unwind *walk, s32 what)
{
	u64 bytes;

	profil_cfi_seek(walk, walk->fde + (u64)(s64)what, U64_MAX);
	bytes = profil_cfi_take_uleb(walk);
	profil_cfi_seek(walk, profil_cfi_position(walk), profil_cfi_position(walk) + bytes);
}

/**
 * profil_cfi_evaluate() - the value of an expression, of the callee's registers.
 * @walk: a walk with a row.
 * @what: profil_cfi_rule_what().
 * @cfa:  pushed first, if not NULL.
 */
u64 profil_cfi_evaluate(struct profil_unwind *walk, s32 what, const u64 *cfa)
{
	enum profil_unwind_end why;

	walk->nvalues = 0;
	if (cfa)
		push(walk, *cfa);
	open_expression(walk, what);
	while (!profil_cfi_is_at_limit(walk)) {
		u8 op = profil_cfi_take_u8(walk);

		/* The same bytes may be run again for another register. */
		why = profil_cfi_count(walk, 1);
		if (why)
			profil_cfi_fail(walk, why);

		if (op == OP_NOP || push_operand(walk, op) ||
		    change_value(walk, op) || combine(walk, op))
			continue;
		profil_cfi_fail(walk, PROFIL_END_UNKNOWN);
	}

	return pop(walk);
}

/* A register and a distance, if that is all that an expression begins with. */
static bool is_based(struct profil_unwind *walk, s32 what, u8 *reg, s32 *offset)
{
	u64 distance;

	open_expression(walk, what);
	*reg = profil_cfi_take_u8(walk) - OP_BREG0;
	if (*reg >= PROFIL_REGS)
		return false;
	distance = profil_cfi_take_sleb(walk);
	*offset = (s32)distance;

	return !walk->end && (u64)(s64)*offset == distance;
}

/**
 * profil_cfi_is_place() - looks whether an expression of a row only says a place.
 * @walk:  a walk with a row.
 * @what:  profil_cfi_rule_what().
 * @place: out.
 *
 * Most do: reg + n, and, where functions have aligned their stack, *(reg + n) [+ m].
 *
 * Return: it does.
 */
bool profil_cfi_is_place(struct profil_unwind *walk, s32 what,
			 struct profil_cfi_place *place)
{
	u64 add;

	*place = (struct profil_cfi_place) {};
	if (!is_based(walk, what, &place->reg, &place->offset))
		return false;
	if (profil_cfi_is_at_limit(walk))
		return true;
	place->deref = true;
	if (profil_cfi_take_u8(walk) != OP_DEREF)
		return false;
	if (profil_cfi_is_at_limit(walk))
		return true;
	if (profil_cfi_take_u8(walk) != OP_PLUS_UCONST)
		return false;
	add = profil_cfi_take_uleb(walk);
	place->add = (u8)add;

	/* What could not be read is at the limit, too. */
	return add <= U8_MAX && profil_cfi_is_at_limit(walk) && !walk->end;
}
