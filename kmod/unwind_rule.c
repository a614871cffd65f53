// SPDX-License-Identifier: GPL-2.0-only
/*
 * Rules: made of rows, kept, and followed where they are not of the most common kind.
 *
 * Layer: ground.
 */
#include <linux/bitops.h>
#include <linux/bits.h>
#include <linux/compiler.h>
#include <linux/string.h>

#include "cfi_caller.h"
#include "cfi_entry.h"
#include "cfi_expression.h"
#include "unwind_guess.h"
#include "unwind_object.h"
#include "unwind_rule.h"

/* The architecture: x86-64. */

/* By slot of a rule. */
static const u8 slot_register[PROFIL_REG_SLOTS] = {
	3, PROFIL_REG_FP, 12, 13, 14, 15, PROFIL_REG_PC
};

#define PC_BIT		BIT(PROFIL_REG_PC)

static bool compile_cfa(struct profil_unwind *walk, struct profil_unwind_rule *rule)
{
	struct profil_cfi_place place;

	if (walk->row.cfa_reg == PROFIL_CFA_BY_EXPRESSION) {
		if (!profil_cfi_is_place(walk, walk->row.cfa_offset, &place))
			return false;
		rule->cfa_reg = place.reg;
		rule->cfa_offset = place.offset;
		rule->cfa_add = place.add;
		if (place.deref)
			rule->flags |= PROFIL_RULE_DEREF;
		return true;
	}
	rule->cfa_reg = walk->row.cfa_reg;
	rule->cfa_offset = walk->row.cfa_offset;

	return walk->row.cfa_reg < PROFIL_REGS;
}

/* Does a rule say where the caller's value is? */
static bool is_ruled(u32 rule)
{
	enum profil_cfi_how how = profil_cfi_rule_how(rule);

	return how != PROFIL_HOW_UNSPECIFIED && how != PROFIL_HOW_SAME;
}

/* Registers in the words below the CFA, none of them twice. */
static bool compile_words(struct profil_unwind *walk, struct profil_unwind_rule *rule)
{
	u32 left, most = 0;

	rule->restored = walk->row.ruled;
	memset(rule->word, PROFIL_REGS, sizeof(rule->word));
	for (left = walk->row.ruled; left; left &= left - 1) {
		u32 reg = __ffs(left), how = walk->row.rule[reg];
		/* From the CFA; a huge one if it is none, but between two. */
		u32 words = ror32(-profil_cfi_rule_what(how), 3);
		u8 *word;

		if (likely(profil_cfi_rule_how(how) == PROFIL_HOW_AT_CFA)) {
			if (words - 1 >= PROFIL_REG_SLOTS)
				return false;
			word = rule->word + PROFIL_REG_SLOTS - words;
			if (*word != PROFIL_REGS)
				return false;
			*word = reg;
			if (most < words)
				most = words;
			continue;
		}
		if (is_ruled(how))
			return false;
		rule->restored &= ~BIT(reg);
	}
	rule->lowest = -most;

	return true;
}

static bool compile_slot(struct profil_unwind *walk, struct profil_unwind_rule *rule,
			 u32 i)
{
	u32 how = walk->row.rule[slot_register[i]];
	s32 offset = profil_cfi_rule_what(how);
	struct profil_cfi_place place;

	switch (profil_cfi_rule_how(how)) {
	case PROFIL_HOW_UNSPECIFIED:
	case PROFIL_HOW_SAME:
		return true;
	case PROFIL_HOW_AT_CFA:
		break;
	case PROFIL_HOW_AT_EXPRESSION:
		if (!profil_cfi_is_place(walk, offset, &place) || place.deref ||
		    place.reg != PROFIL_REG_FP)
			return false;
		offset = place.offset;
		rule->by_fp |= BIT(i);
		break;
	default:
		return false;
	}
	rule->restored |= BIT(slot_register[i]);
	rule->slot[i] = (s8)(offset / 8);

	return rule->slot[i] * 8 == offset;
}

/* Registers anywhere near the CFA and the frame pointer. */
static bool compile_slots(struct profil_unwind *walk, struct profil_unwind_rule *rule)
{
	u32 i;

	rule->flags |= PROFIL_RULE_SLOTS;
	rule->restored = 0;
	for (i = 0; i < PROFIL_REG_SLOTS; i++)
		if (!compile_slot(walk, rule, i))
			return false;

	return true;
}

/* Which of the row's pcs are found where @pc is? */
static void compile_range(struct profil_unwind *walk, struct profil_unwind_rule *rule,
			  u64 pc)
{
	u64 first = pc & -(u64)PROFIL_RULE_SPAN;
	u64 last = pc | (PROFIL_RULE_SPAN - 1);

	if (first < walk->row_first)
		first = walk->row_first;
	if (last > walk->row_last)
		last = walk->row_last;
	rule->start = first;
	rule->bytes = last - first + 1;
}

/* The row as a rule, if it is of the common kind. */
static bool compile(struct profil_unwind *walk, struct profil_unwind_rule *rule, u64 pc)
{
	memset(rule, 0, sizeof(*rule));
	compile_range(walk, rule, pc);
	if (profil_cfi_rule_how(walk->row.rule[PROFIL_REG_PC]) == PROFIL_HOW_UNDEFINED) {
		rule->flags = PROFIL_RULE_OUTERMOST;
		return true;
	}
	if (walk->signal || walk->row.ruled & ~(PROFIL_REGS_SAVED | PC_BIT) ||
	    !compile_cfa(walk, rule) ||
	    (!compile_words(walk, rule) && !compile_slots(walk, rule)))
		return false;
	if (!(rule->restored & PC_BIT))
		return false;
	rule->restored |= BIT(PROFIL_REG_SP);

	return true;
}

static void keep(struct profil_unwind_rule *set, const struct profil_unwind_rule *rule)
{
	u32 i;

	if (!set)
		return;
	for (i = PROFIL_RULE_WAYS - 1; i; i--)
		set[i] = set[i - 1];
	set[0] = *rule;
}

/*
 * A return address that no call has put there is the beginning of a function,
 * which starts with the row there, at @pc. Signals return to such functions, and
 * have a frame below; the function of makecontext() does, and has none.
 */
static void use_made_frame(struct profil_unwind *walk,
			   const struct profil_object *object, u64 pc)
{
	if (profil_unwind_is_behind_call(walk, pc))
		return;
	walk->end = PROFIL_END_NONE;
	profil_cfi_look_up(walk, object->eh_frame_hdr, pc);
	if (!walk->end && !walk->signal)
		walk->end = PROFIL_END_OUTERMOST;
}

/**
 * profil_unwind_rule_make() - make a rule for a frame, or else follow its row.
 * @walk: a walk.
 * @set:  where the rule is to be kept, or NULL.
 * @rule: out.
 * @pc:   profil_unwind_pc().
 *
 * Return: there is a rule, as the row is of the common kind. Else the registers are
 * the caller's, or the walk has ended.
 */
bool profil_unwind_rule_make(struct profil_unwind *walk,
			     struct profil_unwind_rule *set,
			       struct profil_unwind_rule *rule, u64 pc)
{
	const struct profil_object *object = profil_unwind_object(walk, pc);

	if (object) {
		profil_cfi_look_up(walk, object->eh_frame_hdr, pc);
		if (walk->end == PROFIL_END_NO_ROW && !walk->exact)
			use_made_frame(walk, object, pc + 1);
		if (!walk->end && compile(walk, rule, pc)) {
			keep(set, rule);
			return true;
		}
	}
	if (!object)
		profil_unwind_guess_by_fp(walk);
	else if (profil_unwind_is_undescribed(walk->end))
		profil_unwind_guess(walk);
	else if (!walk->end)
		profil_cfi_follow(walk);
	if (!walk->end && !walk->exact && !walk->regs.reg[PROFIL_REG_PC])
		walk->end = PROFIL_END_OUTERMOST;

	return false;
}

/* Drops rules of objects that are no longer the same. */
void profil_unwind_rules_clear(struct profil_unwind_rules *rules, u32 generation)
{
	if (rules->generation)
		memset(rules->rule, 0, profil_unwind_rules_bytes(rules->mask + 1) -
				       sizeof(*rules));
	rules->generation = generation;
}

/* Each register by itself. */
enum profil_unwind_end
profil_unwind_rule_read_slots(struct profil_unwind *walk,
			      const struct profil_unwind_rule *rule, u64 cfa)
{
	u64 fp = walk->regs.reg[PROFIL_REG_FP];
	enum profil_unwind_end why;
	u32 i;

	if (rule->by_fp && !(walk->regs.known >> PROFIL_REG_FP & 1))
		return PROFIL_END_REGISTER;
	for (i = 0; i < PROFIL_REG_SLOTS; i++) {
		u64 from = rule->by_fp >> i & 1 ? fp : cfa;

		if (!(rule->restored >> slot_register[i] & 1))
			continue;
		why = profil_unwind_read(walk, from + (u64)(s64)rule->slot[i] * 8,
					 &walk->regs.reg[slot_register[i]], 8);
		if (why)
			return why;
	}

	return PROFIL_END_NONE;
}

/* Of any kind. */
enum profil_unwind_end
profil_unwind_rule_follow_uncommon(struct profil_unwind *walk,
				   const struct profil_unwind_rule *rule)
{
	return profil_unwind_rule_follow_by(walk, rule, rule->flags);
}
