/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Trails: what a walk has passed, so that the next one of the same thread need not
 * walk again where nothing has changed.
 *
 * A thread's callers stay where they are from tick to tick. Where a walk comes to a
 * frame that the walk before has passed, with the same pc, stack pointer and frame
 * pointer, the rest is the same if the words that it was read from are: the return
 * addresses, and the frame pointers that were saved. So only frames are kept whose way
 * on depends on nothing else: with a rule without flags, from the stack pointer or
 * the frame pointer, and an outermost frame by rule. All between the innermost that is
 * kept and the outermost are, or none further in. Frames that signals have
 * interrupted, that were guessed, or whose row is no such rule end what is kept on
 * their inner side.
 *
 * All that is believed of the process's memory is read again in the same walk, word by
 * word, from the inside out, as a walk does. Whose thread it is does not matter, nor
 * what becomes of mappings. What is not read again is what rules do without, too: call
 * frame information, until there are new objects; and words of registers that no pc
 * depends on, without which a walk would end where memory is gone.
 */
#ifndef _PROFIL_UNWIND_TRAIL_H
#define _PROFIL_UNWIND_TRAIL_H

#include <linux/bits.h>
#include <linux/compiler.h>
#include <linux/types.h>
#include <linux/profil_stacks.h>

#include "unwind_rule.h"
#include "unwind_state.h"

/* Outer frames that are kept of a stack. */
#define PROFIL_TRAIL_FRAMES	95

/* Walks of other threads that find a trail of one that has none any more. */
#define PROFIL_TRAIL_OTHERS	4
/* Walks in a row that have not met theirs; then it is tried twice in so many. */
#define PROFIL_TRAIL_MISSES	4
#define PROFIL_TRAIL_SELDOM	16

/* Where a caller's frame pointer is that cannot be told. */
#define PROFIL_TRAIL_NOWHERE	1

/**
 * struct profil_unwind_passed - a frame that a walk has passed, behind a call.
 * @pc:    its return address: PC.
 * @sp:    stack pointer. Its caller's is at least 8 above; the caller's @pc is in the
 *         word below the caller's @sp.
 * @fp:    frame pointer.
 * @fp_at: where its caller's frame pointer is, between both stack pointers; 0: the
 *         caller's is @fp.
 */
struct profil_unwind_passed {
	u64	pc;
	u64	sp;
	u64	fp;
	u64	fp_at;
};

/**
 * struct profil_unwind_trail - of a walk that has found the outermost frame.
 * @thread:     whose, by its id: another one's stack is elsewhere, most often.
 * @others:     walks of other threads since its last.
 * @missed:     walks that have not met it, in a row.
 * @generation: of the objects.
 * @nframes:    frames in @frame, from the outermost on.
 * @inner:      in a walk: frames of @frame from the outermost on that may be met.
 * @npassed:    in a walk: frames in its @passed, in the order that they were passed in.
 * @whole:      in a walk: the last of them is outermost.
 * @frame:      as they were found.
 *
 * All zero to begin with. Of one address space, and of one walk at a time.
 */
struct profil_unwind_trail {
	u32				thread;
	u32				others;
	u32				missed;
	u32				generation;
	u32				nframes;
	u32				inner;
	u32				npassed;
	bool				whole;
	struct profil_unwind_passed	frame[PROFIL_TRAIL_FRAMES];
};

u32 profil_unwind_trail_join(struct profil_unwind *walk, u64 *pc, u32 room);
void profil_unwind_trail_end(struct profil_unwind *walk);

/*
 * Is a walk of @thread to look at @trail and leave its own? To do so takes as long as to
 * walk the frames from kept rules, and so is not done for nothing again and again.
 */
static __always_inline bool profil_unwind_trail_use(struct profil_unwind_trail *trail,
						    u32 thread)
{
	if (unlikely(trail->thread != thread)) {
		if (trail->thread && trail->others++ < PROFIL_TRAIL_OTHERS)
			return false;
		/* Its first walk has enough to do. */
		trail->thread = thread;
		trail->nframes = 0;
		trail->missed = 0;
		trail->others = 0;
		return false;
	}
	trail->others = 0;

	return trail->missed++ < PROFIL_TRAIL_MISSES ||
	       trail->missed % PROFIL_TRAIL_SELDOM < 2;
}

/* The walk cannot be taken up in what is passed up to now, or here. */
static __always_inline void profil_unwind_trail_cut(struct profil_unwind_trail *trail)
{
	trail->npassed = 0;
	trail->whole = false;
}

static inline void profil_unwind_trail_begin(struct profil_unwind_trail *trail,
					     u32 generation)
{
	if (trail->generation != generation)
		trail->nframes = 0;
	trail->generation = generation;
	trail->inner = trail->nframes;
	profil_unwind_trail_cut(trail);
}

/*
 * Where the caller's frame pointer is, if the frame's way on depends on nothing but PC,
 * SP and FP, and on words between its SP and its caller's.
 */
static __always_inline u64
profil_unwind_trail_fp_at(const struct profil_unwind_regs *regs,
			  const struct profil_unwind_rule *rule)
{
	u64 sp = regs->reg[PROFIL_REG_SP], bytes, at;
	const u8 *reg = rule->word + PROFIL_REG_SLOTS;
	long n;

	if (rule->flags || !(regs->known >> PROFIL_REG_FP & 1) || reg[-1] != PROFIL_REG_PC ||
	    (rule->cfa_reg != PROFIL_REG_SP && rule->cfa_reg != PROFIL_REG_FP))
		return PROFIL_TRAIL_NOWHERE;
	bytes = regs->reg[rule->cfa_reg] + (u64)(s64)rule->cfa_offset - sp;
	/* Very many where the CFA is below: but then it is not followed. */
	if (bytes < 8)
		return PROFIL_TRAIL_NOWHERE;
	if (!(rule->restored >> PROFIL_REG_FP & 1))
		return 0;
	for (n = rule->lowest; n; n++) {
		at = sp + bytes + 8 * n;
		if (reg[n] == PROFIL_REG_FP)
			return at && at - sp < bytes ? at : PROFIL_TRAIL_NOWHERE;
	}
	return PROFIL_TRAIL_NOWHERE;
}

/* The walk goes on by @rule. */
static __always_inline void profil_unwind_trail_pass(const struct profil_unwind *walk,
						     const struct profil_unwind_rule *rule)
{
	struct profil_unwind_trail *trail = walk->trail;
	const struct profil_unwind_regs *regs = &walk->regs;
	bool whole = rule->flags == PROFIL_RULE_OUTERMOST;
	u64 fp_at = whole ? 0 : profil_unwind_trail_fp_at(regs, rule);

	if (unlikely(walk->exact || fp_at == PROFIL_TRAIL_NOWHERE ||
		     trail->npassed == PROFIL_STACK_FRAMES)) {
		profil_unwind_trail_cut(trail);
		return;
	}
	trail->whole = whole;
	walk->passed[trail->npassed++] = (struct profil_unwind_passed) {
		.pc	= regs->reg[PROFIL_REG_PC],
		.sp	= regs->reg[PROFIL_REG_SP],
		.fp	= regs->reg[PROFIL_REG_FP],
		.fp_at	= fp_at,
	};
}

#endif /* _PROFIL_UNWIND_TRAIL_H */
