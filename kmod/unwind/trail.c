// SPDX-License-Identifier: GPL-2.0-only
/*
 * Trails: a trail keeps the frames that a walk has passed. The thread's next walk uses
 * them if they have not changed.
 *
 * A walk meets the trail at a frame with the same pc, stack pointer and frame pointer as
 * in the walk before. The walk then compares the words of all outer frames: the return
 * addresses and saved frame pointers. If they are the same, the rest of the stack is the
 * same. So a trail has only frames whose rules depend on nothing else, without a gap up
 * to the outermost frame.
 *
 * From there on the walk reads only these words. It reads no call frame information
 * until there are new objects, and no saved registers that no pc depends on.
 */
#include <linux/bits.h>
#include <linux/compiler.h>

#include "unwind/unwind.h"

/* After this many walks of other threads a trail goes to another thread. */
#define OTHERS_MOST	4
/* After this many walks in a row that did not meet the trail, 2 of SELDOM use it. */
#define MISSES_MOST	4
#define SELDOM		16

/* The caller's frame pointer is unknown. */
#define NOWHERE		1

/*
 * Should a walk of @thread use @trail? Making a trail takes as long as walking the frames
 * by kept rules, so a thread that never meets its trail makes one seldom.
 */
bool profil_trail_use(struct profil_trail *trail, u32 thread)
{
	if (unlikely(trail->thread != thread)) {
		if (trail->thread && trail->others++ < OTHERS_MOST)
			return false;
		/* Its first walk makes no trail: it has rules to make. */
		trail->thread = thread;
		trail->nframes = 0;
		trail->record = 0;
		trail->missed = 0;
		trail->others = 0;
		return false;
	}
	trail->others = 0;
	return trail->missed++ < MISSES_MOST ||
	       trail->missed % SELDOM < 2;
}

/*
 * The address of the caller's frame pointer, if the way to the caller depends only on PC,
 * SP, FP, and words between the frame's SP and its caller's. 0: it is the frame's own.
 */
u64 profil_trail_fp_at(const struct profil_unwind_regs *regs, const struct profil_rule *rule)
{
	u64 sp = regs->reg[PROFIL_REG_SP], bytes, at;
	const u8 *reg = rule->word + PROFIL_RULE_WORDS;
	long n;

	if (!(regs->known >> PROFIL_REG_FP & 1) ||
	    (PROFIL_HAS_RECORD ? !(regs->known >> PROFIL_REG_SP & 1) :
				 reg[-1] != PROFIL_REG_PC || (PROFIL_HAS_GAP && rule->above)) ||
	    (rule->cfa_reg != PROFIL_REG_SP && rule->cfa_reg != PROFIL_REG_FP))
		return NOWHERE;
	bytes = (profil_unwind_word)(regs->reg[rule->cfa_reg] + (u64)(s64)rule->cfa_offset) - sp;
	/*
	 * A huge number if the CFA is below, but then the walk does not follow the rule. And
	 * @same reads whole words: on riscv64, the kernel may not do so at any address.
	 */
	if (bytes < PROFIL_WORD || (sp | bytes) % PROFIL_WORD)
		return NOWHERE;
	if (!(rule->restored >> PROFIL_REG_FP & 1))
		return PROFIL_HAS_RECORD ? NOWHERE : 0;
	for (n = rule->lowest; n + PROFIL_HAS_RECORD; n++) {
		at = profil_rule_top(rule, sp + bytes) + PROFIL_WORD * n;
		if (reg[n] != PROFIL_REG_FP)
			continue;
		if (PROFIL_HAS_RECORD && reg[n + 1] != PROFIL_REG_PC)
			break;
		return at && at - sp < bytes ? at : NOWHERE;
	}
	return NOWHERE;
}

/* The walk follows @rule from a frame behind a call. */
void profil_trail_pass(const struct profil_unwind *walk, const struct profil_rule *rule)
{
	struct profil_trail *trail = walk->trail;
	const struct profil_unwind_regs *regs = &walk->regs;
	bool whole = rule->cfa_reg == PROFIL_RULE_OUTERMOST;
	u64 fp_at = whole ? 0 : profil_trail_fp_at(regs, rule);

	if (unlikely(fp_at == NOWHERE || trail->npassed == PROFIL_STACK_FRAMES)) {
		profil_trail_cut(trail);
		return;
	}
	trail->whole = whole;
	walk->passed[trail->npassed++] = (struct profil_passed) {
		.pc	= regs->reg[PROFIL_REG_PC],
		.sp	= regs->reg[PROFIL_REG_SP],
		.fp	= regs->reg[PROFIL_REG_FP],
		.fp_at	= fp_at,
	};
}

/* Adds the frames that were passed to the @n outermost ones, as far as there is room. */
static __always_inline void take_up(struct profil_unwind *walk, u32 n)
{
	struct profil_trail *trail = walk->trail;
	u32 i = trail->npassed, end = n + i;

	if (end > PROFIL_TRAIL_FRAMES)
		end = PROFIL_TRAIL_FRAMES;
	trail->nframes = end;
	while (n < end)
		trail->frame[n++] = walk->passed[--i];
}

/**
 * profil_trail_join() - take all other frames from the trail, if it has this frame.
 * @walk: at a frame behind a call.
 * @room: number of frames that the walk may still have.
 *
 * Return: their number, and the walk has ended; 0: the walk goes on.
 */
u32 profil_trail_join(struct profil_unwind *walk, u32 room)
{
	struct profil_trail *trail = walk->trail;
	const struct profil_unwind_regs *regs = &walk->regs;
	const struct profil_passed *here;
	u32 n = trail->inner;

	while (n && trail->frame[n - 1].sp < regs->reg[PROFIL_REG_SP])
		n--;
	trail->inner = n;
	if (!n)
		return 0;
	here = &trail->frame[n - 1];
	if (here->sp != regs->reg[PROFIL_REG_SP] ||
	    here->pc != regs->reg[PROFIL_REG_PC] || here->fp != regs->reg[PROFIL_REG_FP] ||
	    !(regs->known >> PROFIL_REG_FP & 1))
		return 0;
	/* Neither a frame that differs nor frames inside it can match: compare none twice. */
	trail->inner = n > room ? 0 : walk->same(walk->ctx, trail->frame, n);
	if (n > room || trail->inner)
		return 0;
	take_up(walk, n);
	trail->whole = true;
	trail->missed = 0;
	walk->left = n;
	walk->end = PROFIL_END_OUTERMOST;
	return n;
}

/* Gets profil_unwind_pc() of the @n outermost frames, in the order of a walk. */
void profil_trail_fill(const struct profil_trail *trail, u64 *pc, u32 n)
{
	while (n)
		*pc++ = trail->frame[--n].pc - 1;
}

/* The walk has ended without joining the trail. */
void profil_trail_end(struct profil_unwind *walk)
{
	if (walk->trail->whole)
		take_up(walk, 0);
}
