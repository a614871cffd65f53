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

#include "cfi.h"

/* A frame that is found by its frame pointer is no larger: 1 MiB. */
#define PROFIL_UNWIND_FRAME_BYTES	0x100000U

/**
 * struct profil_unwind_objects - all of them.
 * @object:     by ascending address, without overlaps. In any other order
 *              stacks are cut short or wrong, and nothing worse.
 * @n:          their number.
 * @generation: never 0, and another one whenever @object has changed.
 */
struct profil_unwind_objects {
	const struct profil_object	*object;
	u32				n;
	u32				generation;
};

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
		u8	word[PROFIL_SLOTS];
		s8	slot[PROFIL_SLOTS];
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

/**
 * profil_unwind_begin() - begin a walk step by step.
 * @walk: with @objects, @rules, @read, @ctx and @regs set, @regs.PC exact.
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

#endif /* _PROFIL_UNWIND_H */
