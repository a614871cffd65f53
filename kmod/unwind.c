// SPDX-License-Identifier: GPL-2.0-only
/*
 * Stacks: walks from frame to frame by call frame information.
 *
 * See unwind.h. A frame is found in this order:
 *
 *	pc -> rule of an earlier walk
 *	pc -> object -> row (-> rule) -> caller
 *
 * Layer: ground.
 */
#include <linux/build_bug.h>
#include <linux/compiler.h>
#include <linux/limits.h>
#include <linux/minmax.h>

#include "cfi_entry.h"
#include "unwind.h"
#include "unwind_guess.h"
#include "unwind_trail.h"

void profil_unwind_begin(struct profil_unwind *walk)
{
	BUILD_BUG_ON(sizeof(struct profil_unwind_rule) != 32);
	BUILD_BUG_ON(PROFIL_RULE_SPAN & (PROFIL_RULE_SPAN - 1));
	BUILD_BUG_ON(PROFIL_RULE_SPAN > U8_MAX);
	BUILD_BUG_ON(sizeof(struct profil_unwind) > 1280);

	walk->end = PROFIL_END_NONE;
	walk->exact = true;
	walk->guessed = false;
	walk->steps = PROFIL_UNWIND_STEPS;
	walk->object = NULL;
	profil_cfi_begin(walk);
	if (walk->rules && walk->rules->generation != walk->objects->generation)
		profil_unwind_rules_clear(walk->rules, walk->objects->generation);
	if (walk->trail)
		profil_unwind_trail_begin(walk->trail, walk->objects->generation);
}

/* @pc is profil_unwind_pc(). @noting: what is passed, in the trail. */
static __always_inline enum profil_unwind_end unwind_next(struct profil_unwind *walk,
							  u64 pc, bool noting)
{
	struct profil_unwind_rule *set = profil_unwind_rule_set(walk->rules, pc);
	const struct profil_unwind_rule *rule = profil_unwind_rule_find(set, pc);
	struct profil_unwind_rule made;
	enum profil_unwind_end why;

	if (unlikely(!rule)) {
		if (!profil_unwind_rule_make(walk, set, &made, pc)) {
			if (noting)
				profil_unwind_trail_cut(walk->trail);
			return walk->end;
		}
		rule = &made;
	}
	if (noting)
		profil_unwind_trail_pass(walk, rule);
	why = profil_unwind_rule_follow(walk, rule);
	if (unlikely(why))
		walk->end = why;

	return why;
}

enum profil_unwind_end profil_unwind_next(struct profil_unwind *walk)
{
	return unwind_next(walk, profil_unwind_pc(walk), false);
}

/* Is this no frame at all, but what a wrong row has taken for one? */
static bool is_stray(struct profil_unwind *walk)
{
	return (profil_unwind_is_undescribed(walk->end) ||
		walk->end == PROFIL_END_NO_OBJECT) && !walk->exact &&
	       !profil_unwind_is_behind_call(walk, walk->regs.reg[PROFIL_REG_PC]);
}

static noinline u32 unwind_on(struct profil_unwind *walk, u64 *pc, u32 most)
{
	u32 n = 0;

	do {
		if (n == most) {
			walk->end = PROFIL_END_FRAMES;
			break;
		}
		pc[n] = profil_unwind_pc(walk);
	} while (!unwind_next(walk, pc[n++], false));

	return n - is_stray(walk);
}

/* The same with a trail: in a function of its own, so that neither looks for it. */
static noinline u32 unwind_on_trail(struct profil_unwind *walk, u64 *pc, u32 most)
{
	u32 n = 0, rest;

	do {
		if (n == most) {
			walk->end = PROFIL_END_FRAMES;
			return n;
		}
		rest = walk->exact ? 0 : profil_unwind_trail_join(walk, pc + n, most - n);
		if (rest)
			return n + rest;
		pc[n] = profil_unwind_pc(walk);
	} while (!unwind_next(walk, pc[n++], true));
	profil_unwind_trail_end(walk);

	return n - is_stray(walk);
}

u32 profil_unwind_on(struct profil_unwind *walk, u64 *pc, u32 max)
{
	u32 most = min_t(u32, max, PROFIL_STACK_FRAMES);

	return walk->trail ? unwind_on_trail(walk, pc, most) : unwind_on(walk, pc, most);
}

u32 profil_unwind_frames(struct profil_unwind *walk, u64 *pc, u32 max)
{
	profil_unwind_begin(walk);

	return profil_unwind_on(walk, pc, max);
}
