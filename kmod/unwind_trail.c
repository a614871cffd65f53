// SPDX-License-Identifier: GPL-2.0-only
/*
 * Trails: see unwind_trail.h.
 *
 * Layer: ground.
 */
#include <linux/compiler.h>

#include "unwind_trail.h"

/*
 * What has been passed is in front of the first @n frames from the outermost on, up to
 * where there is no more room.
 */
static void take_up(struct profil_unwind *walk, u32 n)
{
	struct profil_unwind_trail *trail = walk->trail;
	u32 i = trail->npassed, end = n + i;

	if (end > PROFIL_TRAIL_FRAMES)
		end = PROFIL_TRAIL_FRAMES;
	trail->nframes = end;
	while (n < end)
		trail->frame[n++] = walk->passed[--i];
}

/**
 * profil_unwind_trail_join() - all other frames, if the walk before has passed here.
 * @walk: at a frame behind a call.
 * @pc:   out: profil_unwind_pc() of the frame and of all its callers.
 * @room: in @pc.
 *
 * Return: their number, and the walk has ended; 0: it has to go on.
 */
u32 profil_unwind_trail_join(struct profil_unwind *walk, u64 *pc, u32 room)
{
	struct profil_unwind_trail *trail = walk->trail;
	const struct profil_unwind_regs *regs = &walk->regs;
	const struct profil_unwind_passed *here;
	u32 n = trail->inner, i;

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
	/* Up to what has changed, no other frame will do either: none is compared twice. */
	trail->inner = n > room ? 0 : walk->same(walk->ctx, trail->frame, n);
	if (n > room || trail->inner)
		return 0;
	for (i = 0; i < n; i++)
		pc[i] = here[-(long)i].pc - 1;
	take_up(walk, n);
	trail->missed = 0;
	walk->end = PROFIL_END_OUTERMOST;

	return n;
}

/* The walk has ended by itself. */
void profil_unwind_trail_end(struct profil_unwind *walk)
{
	if (walk->trail->whole)
		take_up(walk, 0);
}
