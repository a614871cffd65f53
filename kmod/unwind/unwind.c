// SPDX-License-Identifier: GPL-2.0-only
/*
 * Walks from frame to frame:
 *
 *	pc -> rule of an earlier walk
 *	pc -> object -> row (-> rule) -> caller
 */
#include <linux/build_bug.h>
#include <linux/compiler.h>
#include <linux/limits.h>
#include <linux/minmax.h>

#include "unwind/unwind.h"

void profil_unwind_begin(struct profil_unwind *walk)
{
	BUILD_BUG_ON(sizeof(struct profil_rule) != 32);
	BUILD_BUG_ON(PROFIL_RULE_SPAN & (PROFIL_RULE_SPAN - 1));
	BUILD_BUG_ON(PROFIL_RULE_SPAN > U8_MAX);
	BUILD_BUG_ON(sizeof(struct profil_unwind) > 1280);

	walk->end = PROFIL_END_NONE;
	walk->exact = true;
	walk->guessed = false;
	walk->left = 0;
	walk->steps = PROFIL_UNWIND_STEPS;
	walk->object = NULL;
	walk->window_bytes = 0;
	walk->cie = 0;
	/* An object may give this address: its table is empty. */
	walk->table = PROFIL_NO_TABLE;
	walk->entries = 0;
	if (walk->rules && walk->rules->generation != walk->objects->generation)
		profil_rules_clear(walk->rules, walk->objects->generation);
	if (walk->trail)
		profil_trail_begin(walk->trail, walk->objects->generation);
}

/*
 * The CFA of a frame whose SP is not known, as its callee was found by the frame pointer:
 * that is the address of the frame's record. 0: the rule has no record.
 */
static noinline u64 cfa_by_record(const struct profil_unwind_regs *regs,
				  const struct profil_rule *rule)
{
	const u8 *reg = rule->word + PROFIL_RULE_WORDS;
	long n;

	if (rule->cfa_reg != PROFIL_REG_SP || !(regs->known >> PROFIL_REG_FP & 1))
		return 0;
	for (n = rule->lowest; n; n++)
		if (reg[n] == PROFIL_REG_FP)
			return regs->reg[PROFIL_REG_FP] - PROFIL_WORD * n +
			       PROFIL_WORD * rule->above;
	return 0;
}

/* Goes to the caller, with one read. */
static __always_inline enum profil_unwind_end
follow_rule(struct profil_unwind *walk, const struct profil_rule *rule)
{
	struct profil_unwind_regs *regs = &walk->regs;
	/* Word n is n words from the CFA: a loop up to 0 is the shortest code. */
	const u8 *reg = rule->word + PROFIL_RULE_WORDS;
	profil_unwind_word *word = walk->word + PROFIL_RULE_WORDS;
	long n = rule->lowest;
	u64 cfa, top;

	if (unlikely(!(regs->known >> rule->cfa_reg & 1))) {
		if (rule->cfa_reg == PROFIL_RULE_OUTERMOST)
			return PROFIL_END_OUTERMOST;
		profil_unwind_rest(walk);
	}
	if (likely(regs->known >> rule->cfa_reg & 1)) {
		cfa = (profil_unwind_word)(regs->reg[rule->cfa_reg] + (u64)(s64)rule->cfa_offset);
	} else {
		cfa = PROFIL_HAS_RECORD ? cfa_by_record(regs, rule) : 0;
		if (!cfa)
			return PROFIL_END_REGISTER;
	}
	if (unlikely(!profil_unwind_is_above(walk, cfa)))
		return PROFIL_END_BACKWARDS;
	if (PROFIL_HAS_LINK && !(rule->restored >> PROFIL_REG_PC & 1)) {
		if (!(regs->known >> PROFIL_COLUMN_RA & 1))
			return PROFIL_END_REGISTER;
		regs->reg[PROFIL_REG_PC] = regs->reg[PROFIL_COLUMN_RA];
	}
	if (!PROFIL_HAS_LINK || n) {
		top = profil_rule_top(rule, cfa);
		if (unlikely(walk->read(walk->ctx, top + PROFIL_WORD * n, word + n,
					-PROFIL_WORD * n)))
			return PROFIL_END_MEMORY;
		do {
			regs->reg[reg[n]] = word[n];
		} while (++n);
	}
	regs->reg[PROFIL_REG_PC] = profil_unwind_return(walk, regs->reg[PROFIL_REG_PC]);
	regs->reg[PROFIL_REG_SP] = cfa;
	regs->known = (regs->known & PROFIL_REGS_SAVED) | rule->restored;
	walk->exact = false;
	return likely(regs->reg[PROFIL_REG_PC]) ? PROFIL_END_NONE :
						  PROFIL_END_OUTERMOST;
}

/* @pc is profil_unwind_pc(). @noting: add the frame to the trail. */
static __always_inline enum profil_unwind_end go_to_caller(struct profil_unwind *walk,
							   u64 pc, bool noting)
{
	const struct profil_rule *rule;
	enum profil_unwind_end why;
	struct profil_rule *set = walk->rules ? profil_rule_set(walk->rules, pc) : NULL;

	rule = set ? profil_rule_find(set, pc) : NULL;
	if (unlikely(!rule)) {
		rule = profil_rule_make(walk, set, pc);
		if (!rule) {
			if (noting)
				profil_trail_cut(walk->trail);
			return walk->end;
		}
	}
	if (noting && walk->exact)
		profil_trail_cut(walk->trail);
	else if (noting)
		profil_trail_pass(walk, rule);
	why = follow_rule(walk, rule);
	if (unlikely(why))
		walk->end = why;
	return why;
}

enum profil_unwind_end profil_unwind_next(struct profil_unwind *walk)
{
	return go_to_caller(walk, profil_unwind_pc(walk), false);
}

/* Is the last frame not a real one, but the result of a wrong row? */
static bool is_stray(struct profil_unwind *walk)
{
	return (profil_guess_is_undescribed(walk->end) ||
		walk->end == PROFIL_END_NO_OBJECT) && !walk->exact &&
	       !profil_guess_is_behind_call(walk, walk->regs.reg[PROFIL_REG_PC]);
}

/* Compiled once for walks with a trail, and once for those without. */
static __always_inline u32 walk_frames(struct profil_unwind *walk, u64 *pc, u32 most,
				       bool trail)
{
	u32 n = 0, rest;

	do {
		if (n == most) {
			walk->end = PROFIL_END_FRAMES;
			return n;
		}
		rest = !trail || walk->exact ? 0 : profil_trail_join(walk, most - n);
		if (rest)
			return n + rest;
		pc[n] = profil_unwind_pc(walk);
	} while (!go_to_caller(walk, pc[n++], trail));
	if (trail)
		profil_trail_end(walk);
	return n - is_stray(walk);
}

u32 profil_unwind_on(struct profil_unwind *walk, u64 *pc, u32 max)
{
	u32 most = min_t(u32, max, PROFIL_STACK_FRAMES);

	return walk->trail ? walk_frames(walk, pc, most, true) :
			     walk_frames(walk, pc, most, false);
}

u32 profil_unwind_frames(struct profil_unwind *walk, u64 *pc, u32 max)
{
	u32 n;

	profil_unwind_begin(walk);
	n = profil_unwind_on(walk, pc, max);
	if (walk->left)
		profil_trail_fill(walk->trail, pc + n - walk->left, walk->left);
	return n;
}
