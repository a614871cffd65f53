// SPDX-License-Identifier: GPL-2.0-only
/* Makes rules from rows, and keeps them. */
#include <linux/bitops.h>
#include <linux/bits.h>
#include <linux/compiler.h>
#include <linux/limits.h>
#include <linux/minmax.h>
#include <linux/nospec.h>
#include <linux/string.h>

#include "unwind/unwind.h"

/* Does a register's rule in a row give another value than the frame's? */
static bool is_ruled(u32 rule)
{
	enum profil_row_how how = profil_row_how(rule);

	return how != PROFIL_HOW_UNSPECIFIED && how != PROFIL_HOW_SAME;
}

/* The number of the word below the CFA that has the register; huge if there is none. */
static u32 word_of(u32 rule)
{
	/* The bits of another way, or of an offset within a word, become the highest. */
	return ror32(PROFIL_HOW_AT_CFA - rule, PROFIL_HOW_BITS + (PROFIL_WORD == 8 ? 3 : 2));
}

/*
 * Number of words between the CFA and the first register: local variables may be above a
 * frame's record.
 */
static u32 words_above(const struct profil_row *row)
{
	u32 left, least = U8_MAX;

	if (!PROFIL_HAS_GAP)
		return 0;
	for (left = row->ruled; left; left &= left - 1) {
		u32 how = row->rule[__ffs(left)];

		if (profil_row_how(how) == PROFIL_HOW_AT_CFA)
			least = min_t(u32, least, word_of(how) - 1);
	}
	return least;
}

/* False: not all registers are in words below the CFA, one in each. */
static bool compile_words(struct profil_unwind *walk, struct profil_rule *rule)
{
	u32 left, lowest = PROFIL_RULE_WORDS, above = words_above(&walk->row);

	rule->restored = walk->row.ruled;
	rule->above = above;
	memset(rule->word, PROFIL_REGS, sizeof(rule->word));
	for (left = walk->row.ruled; left; left &= left - 1) {
		u32 reg = __ffs(left), how = walk->row.rule[reg];
		u32 word = PROFIL_RULE_WORDS + above - word_of(how);

		if (likely(word < PROFIL_RULE_WORDS)) {
			if (rule->word[word] != PROFIL_REGS)
				return false;
			rule->word[word] = reg == PROFIL_COLUMN_RA ? PROFIL_REG_PC : reg;
			if (lowest > word)
				lowest = word;
			continue;
		}
		if (is_ruled(how))
			return false;
		rule->restored &= ~BIT(reg);
	}
	rule->lowest = lowest - PROFIL_RULE_WORDS;
	if (PROFIL_HAS_LINK && rule->restored & BIT(PROFIL_COLUMN_RA))
		rule->restored ^= BIT(PROFIL_COLUMN_RA) | BIT(PROFIL_REG_PC);
	return true;
}

/* The pcs of the row that have the same hash as @pc. */
static void compile_range(struct profil_unwind *walk, struct profil_rule *rule,
			  u64 pc)
{
	u64 first = pc & -(u64)PROFIL_RULE_SPAN;
	u64 last = pc | (PROFIL_RULE_SPAN - 1);

	if (first < walk->row_first)
		first = walk->row_first;
	/* The end of a wrong row may be below. */
	if (last > walk->row_last)
		last = walk->row_last < pc ? pc : walk->row_last;
	rule->start = first;
	rule->bytes = last - first + 1;
}

/* Makes a rule of the row. False: the row is not of the common kind. */
static bool compile(struct profil_unwind *walk, struct profil_rule *rule, u64 pc)
{
	const struct profil_row *row = &walk->row;

	if (profil_row_how(row->rule[PROFIL_COLUMN_RA]) == PROFIL_HOW_UNDEFINED) {
		memset(rule, 0, sizeof(*rule));
		compile_range(walk, rule, pc);
		rule->cfa_reg = PROFIL_RULE_OUTERMOST;
		return true;
	}
	if (walk->signal || row->ruled & ~(PROFIL_REGS_SAVED | BIT(PROFIL_COLUMN_RA)) ||
	    row->cfa_reg >= PROFIL_COLUMNS || !compile_words(walk, rule))
		return false;
	if (!PROFIL_HAS_LINK && !(rule->restored & BIT(PROFIL_REG_PC)))
		return false;
	compile_range(walk, rule, pc);
	rule->cfa_reg = array_index_nospec(row->cfa_reg, PROFIL_COLUMNS);
	rule->cfa_offset = row->cfa_offset;
	rule->restored |= BIT(PROFIL_REG_SP);
	return true;
}

static __always_inline void keep(struct profil_unwind *walk, struct profil_rule *set,
				 const struct profil_rule *rule)
{
	if (set && profil_rule_keep(set, rule) && walk->rules->losses && !--walk->rules->losses)
		walk->grow = 1;
}

/*
 * A return address that does not follow a call is the beginning of a function. The row
 * at @pc describes it. Signal handlers return to such a function, whose caller is the
 * interrupted frame. A function given to makecontext() has no caller: the stack ends.
 */
static void use_made_frame(struct profil_unwind *walk,
			   const struct profil_object *object, u64 pc)
{
	if (profil_guess_is_behind_call(walk, pc))
		return;
	walk->end = PROFIL_END_NONE;
	profil_cfi_look_up(walk, object->eh_frame_hdr, pc);
	if (!walk->end && !walk->signal)
		walk->end = PROFIL_END_OUTERMOST;
}

/* Not inline, so that walks without shared rules take no longer. */
static noinline bool use_known(struct profil_unwind *walk, const struct profil_object *object,
			       struct profil_rule *set, u64 pc)
{
	if (!walk->sharing->known(walk, object, pc))
		return false;
	keep(walk, set, &walk->made);
	return true;
}

/**
 * profil_rule_make() - make a rule for a frame, or follow its row.
 * @walk: a walk.
 * @set:  where to keep the rule, or NULL.
 * @pc:   profil_unwind_pc().
 *
 * Return: the rule, until the next one is made. NULL: the registers are the caller's now,
 * or the walk has ended.
 */
const struct profil_rule *
profil_rule_make(struct profil_unwind *walk, struct profil_rule *set, u64 pc)
{
	struct profil_rule *rule = &walk->made;
	const struct profil_object *object;

	profil_unwind_rest(walk);
	if (PROFIL_SIGNALS_BY_CODE && profil_guess_signal(walk))
		return NULL;
	object = profil_object_of(walk, pc);
	if (object) {
		if (unlikely(walk->sharing) && use_known(walk, object, set, pc))
			return rule;
		profil_cfi_look_up(walk, object->eh_frame_hdr, pc);
		if (walk->end == PROFIL_END_NO_ROW && !walk->exact)
			use_made_frame(walk, object, pc + 1);
		if (!walk->end && compile(walk, rule, pc)) {
			keep(walk, set, rule);
			if (unlikely(walk->sharing))
				walk->sharing->learned(walk, object);
			return rule;
		}
	}
	if (!object)
		profil_guess_by_fp(walk);
	else if (profil_guess_is_undescribed(walk->end))
		profil_guess_caller(walk);
	else if (!walk->end)
		profil_row_follow(walk);
	if (!walk->end && !walk->exact && !walk->regs.reg[PROFIL_REG_PC])
		walk->end = PROFIL_END_OUTERMOST;
	return NULL;
}

/* Drops the rules of an older generation of objects. */
void profil_rules_clear(struct profil_rules *rules, u32 generation)
{
	if (rules->generation)
		memset(rules->rule, 0, profil_rules_bytes(rules->mask + 1));
	rules->generation = generation;
}

/* Each set of @to gets rules of one set of @from at most: it has room for them. */
void profil_rules_copy(struct profil_rules *to, const struct profil_rules *from)
{
	const struct profil_rule *rule = from->rule;
	const struct profil_rule *end = rule + PROFIL_RULE_WAYS * (from->mask + 1);
	struct profil_rule *at;

	to->generation = from->generation;
	for (; rule < end; rule++) {
		if (!rule->bytes)
			continue;
		at = profil_rule_set(to, rule->start);
		while (at->bytes)
			at++;
		*at = *rule;
	}
}
