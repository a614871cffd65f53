/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Stacks: from the registers of a thread to the pcs of its callers.
 *
 * Pure code without locks, allocation or access to user memory of its own: the
 * module, the unit tests, the fuzzer and readers compile the same files.
 * All memory of the process comes through one function that may fail, and none
 * of it is trusted: whatever it holds, a walk reads only, ends within its
 * bounds, and says why it ended.
 *
 *	walk.objects = objects;
 *	walk.rules = rules;
 *	walk.trail = NULL;
 *	walk.read = read;
 *	walk.ctx = ctx;
 *	walk.regs = regs;
 *	n = profil_unwind_frames(&walk, pc, PROFIL_STACK_FRAMES);
 *	if (walk.end != PROFIL_END_OUTERMOST)
 *		cut short;
 *
 * It runs where the process's memory may be brought in: its own context, on its
 * way to user mode. struct profil_unwind and the functions take less than 1.5 KiB
 * of stack together; nothing is recursive.
 */
#ifndef _PROFIL_UNWIND_H
#define _PROFIL_UNWIND_H

#include <linux/types.h>
#include <linux/profil.h>
#include <linux/profil_stacks.h>

#include "unwind_object.h"
#include "unwind_rule.h"
#include "unwind_state.h"

/**
 * profil_unwind_begin() - begin a walk step by step.
 * @walk: with @objects, @rules, @trail, @read, @ctx and @regs set, @regs.PC exact;
 *        with a trail, @passed and @same, too.
 */
void profil_unwind_begin(struct profil_unwind *walk);

/**
 * profil_unwind_next() - from a frame to its caller's.
 * @walk: a walk that has begun and not ended.
 *
 * Return: PROFIL_END_NONE, and @walk->regs are the caller's; or why there is
 * none, which is also in @walk->end.
 */
enum profil_unwind_end profil_unwind_next(struct profil_unwind *walk);

/**
 * profil_unwind_pc() - the address that tells where a frame is.
 * @walk: a walk.
 *
 * Return: PC; of a frame that has called another one, where PC is behind the
 * call and may be in another line or function, the call's last byte.
 */
static inline u64 profil_unwind_pc(const struct profil_unwind *walk)
{
	return walk->regs.reg[PROFIL_REG_PC] - 1 + walk->exact;
}

/**
 * profil_unwind_frames() - all frames, from the innermost.
 * @walk: as for profil_unwind_begin().
 * @pc:   out: profil_unwind_pc() of each frame.
 * @max:  room in @pc, from 1 to PROFIL_STACK_FRAMES.
 *
 * Return: the number of frames, at least 1; @walk->end says why not more.
 */
u32 profil_unwind_frames(struct profil_unwind *walk, u64 *pc, u32 max);

/**
 * profil_unwind_on() - all frames, from where a walk is.
 * @walk: a walk that has begun and not ended; what is left of its steps is all
 *        that there is.
 * @pc:   as above.
 * @max:  likewise.
 *
 * Return: likewise.
 */
u32 profil_unwind_on(struct profil_unwind *walk, u64 *pc, u32 max);

#endif /* _PROFIL_UNWIND_H */
