/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Rules: how to get from a frame to its caller, in few bytes, kept from walk to walk.
 * What a frame with a kept rule takes is here, so that it is compiled in one piece.
 */
#ifndef _PROFIL_UNWIND_RULE_H
#define _PROFIL_UNWIND_RULE_H

#include <linux/bits.h>
#include <linux/compiler.h>
#include <linux/types.h>

#include "unwind_state.h"

/**
 * struct profil_unwind_rule - how to get from a frame to its caller: the common
 *                             cases, in few bytes.
 * @start:      the rule is for the pcs from here on,
 * @cfa_offset: the canonical frame address (CFA) is this far from @cfa_reg, or,
 *              with PROFIL_RULE_DEREF, stands there, but for
 * @restored:   bit n is set if the caller has register n from here.
 * @bytes:      so many: those of its row that are in the same PROFIL_RULE_SPAN
 *              bytes of code.
 * @cfa_add:    what is added to it then.
 * @cfa_reg:    a register.
 * @flags:      PROFIL_RULE_*
 * @lowest:     all registers have been saved from this word on, counted from the
 *              CFA, so negative, up to the CFA,
 * @word:       the last so many of these say which one in each word.
 * @by_fp:      with PROFIL_RULE_SLOTS: bit n is set if slot n is counted from the
 *              frame pointer,
 * @slot:       where each register that calls preserve has been saved, then the
 *              return address: in words from the CFA or the frame pointer.
 */
struct profil_unwind_rule {
	u64	start;
	s32	cfa_offset;
	u32	restored;
	u8	bytes;
	u8	cfa_add;
	u8	cfa_reg;
	u8	flags;
	s8	lowest;
	u8	by_fp;
	union {
		u8	word[PROFIL_REG_SLOTS];
		s8	slot[PROFIL_REG_SLOTS];
	};
};

#define PROFIL_RULE_DEREF	1
/* There is no caller. */
#define PROFIL_RULE_OUTERMOST	2
/* Registers are elsewhere than in the words below the CFA. */
#define PROFIL_RULE_SLOTS	4

/* Rules are found by this part of their pcs: a power of two. */
#define PROFIL_RULE_SPAN	64U

/* Rules that may be kept for pcs of a kind. */
#define PROFIL_RULE_WAYS	4

/**
 * struct profil_unwind_rules - the rules of the last pcs, so that most frames need
 *                              no look at their call frame information.
 * @mask:       number of sets - 1, a power of two less 1; at most 65,535.
 * @generation: of the objects that the rules are of; others are dropped.
 * @rule:       PROFIL_RULE_WAYS for each set, the newest first.
 *
 * All zero but @mask to begin with. Of one address space, and of one walk at a
 * time. What the process writes over its own call frame information later is not
 * noticed.
 */
struct profil_unwind_rules {
	u32				mask;
	u32				generation;
	struct profil_unwind_rule	rule[];
};

/**
 * profil_unwind_rules_bytes() - memory that rules take.
 * @sets: a power of two.
 */
static inline size_t profil_unwind_rules_bytes(u32 sets)
{
	return sizeof(struct profil_unwind_rules) +
	       PROFIL_RULE_WAYS * sizeof(struct profil_unwind_rule) * sets;
}

bool profil_unwind_rule_make(struct profil_unwind *walk, struct profil_unwind_rule *set,
			     struct profil_unwind_rule *rule, u64 pc);
void profil_unwind_rules_clear(struct profil_unwind_rules *rules, u32 generation);
enum profil_unwind_end
profil_unwind_rule_read_slots(struct profil_unwind *walk,
			      const struct profil_unwind_rule *rule, u64 cfa);
enum profil_unwind_end
profil_unwind_rule_follow_uncommon(struct profil_unwind *walk,
				   const struct profil_unwind_rule *rule);

/* Where rules for a pc are kept; NULL if they are not. */
static __always_inline struct profil_unwind_rule *
profil_unwind_rule_set(struct profil_unwind_rules *rules, u64 pc)
{
	u32 hash = (u32)(pc / PROFIL_RULE_SPAN) * 0x9e3779b1U;

	if (!rules)
		return NULL;

	return rules->rule + PROFIL_RULE_WAYS * (u64)(hash >> 16 & rules->mask);
}

/* The rule of a pc, or NULL. */
static __always_inline const struct profil_unwind_rule *
profil_unwind_rule_find(const struct profil_unwind_rule *set, u64 pc)
{
	const struct profil_unwind_rule *rule;

	if (!set)
		return NULL;
	for (rule = set; rule < set + PROFIL_RULE_WAYS; rule++)
		if (pc - rule->start < rule->bytes)
			return rule;

	return NULL;
}

/* All registers, with one read. */
static __always_inline enum profil_unwind_end
profil_unwind_rule_read_words(struct profil_unwind *walk,
			      const struct profil_unwind_rule *rule, u64 cfa)
{
	/* Word n is n words from the CFA: a loop up to 0 is the shortest. */
	const u8 *reg = rule->word + PROFIL_REG_SLOTS;
	u64 *word = walk->word + PROFIL_REG_SLOTS;
	long n = rule->lowest;

	if (unlikely(walk->read(walk->ctx, cfa + 8 * n, word + n, -8 * n)))
		return PROFIL_END_MEMORY;
	do {
		walk->regs.reg[reg[n]] = word[n];
	} while (++n);

	return PROFIL_END_NONE;
}

/* @flags are the rule's. */
static __always_inline enum profil_unwind_end
profil_unwind_rule_follow_by(struct profil_unwind *walk,
			     const struct profil_unwind_rule *rule, u8 flags)
{
	struct profil_unwind_regs *regs = &walk->regs;
	enum profil_unwind_end why;
	u64 cfa;

	if (flags & PROFIL_RULE_OUTERMOST)
		return PROFIL_END_OUTERMOST;
	if (unlikely(!(regs->known >> rule->cfa_reg & 1)))
		return PROFIL_END_REGISTER;

	cfa = regs->reg[rule->cfa_reg] + (u64)(s64)rule->cfa_offset;
	if (flags & PROFIL_RULE_DEREF) {
		why = profil_unwind_read(walk, cfa, &cfa, sizeof(cfa));
		if (why)
			return why;
		cfa += rule->cfa_add;
	}
	if (unlikely(!profil_unwind_is_above(walk, cfa)))
		return PROFIL_END_BACKWARDS;

	if (flags & PROFIL_RULE_SLOTS)
		why = profil_unwind_rule_read_slots(walk, rule, cfa);
	else
		why = profil_unwind_rule_read_words(walk, rule, cfa);
	if (unlikely(why))
		return why;
	regs->reg[PROFIL_REG_SP] = cfa;
	regs->known = (regs->known & PROFIL_REGS_SAVED) | rule->restored;
	walk->exact = false;

	return likely(regs->reg[PROFIL_REG_PC]) ? PROFIL_END_NONE :
						  PROFIL_END_OUTERMOST;
}

/* Most rules have no flags: their way is compiled without a look at each. */
static __always_inline enum profil_unwind_end
profil_unwind_rule_follow(struct profil_unwind *walk,
			  const struct profil_unwind_rule *rule)
{
	return likely(!rule->flags) ? profil_unwind_rule_follow_by(walk, rule, 0) :
				      profil_unwind_rule_follow_uncommon(walk, rule);
}

#endif /* _PROFIL_UNWIND_RULE_H */
