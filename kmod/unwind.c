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
#include <linux/bitops.h>
#include <linux/bits.h>
#include <linux/build_bug.h>
#include <linux/compiler.h>
#include <linux/minmax.h>
#include <linux/string.h>

#include "unwind.h"

/* The architecture: x86-64. */

/* By slot of a rule. */
static const u8 slot_register[PROFIL_SLOTS] = {
	3, PROFIL_REG_FP, 12, 13, 14, 15, PROFIL_REG_PC
};

#define SLOT_PC		(PROFIL_SLOTS - 1)
#define PC_BIT		BIT(PROFIL_REG_PC)
#define CALL_BYTES	7

/* Nobody has more: execve() allows 6 MiB of them, and each takes 10 bytes. */
#define ARGUMENTS_MAX	0x100000

/* Bytes of a call (FF /2), by its ModRM and SIB bytes: Intel SDM 2A, 2.1.5. */
static unsigned int indirect_call_bytes(u8 modrm, u8 sib)
{
	unsigned int mod = modrm >> 6;
	unsigned int bytes = 2 + ((modrm & 7) == 4 && mod != 3);

	if (mod == 1)
		return bytes + 1;
	if (mod == 2)
		return bytes + 4;
	if (mod == 0 && ((modrm & 7) == 5 ||
			 ((modrm & 7) == 4 && (sib & 7) == 5)))
		return bytes + 4;

	return bytes;
}

/* Can these bytes end with a call? */
static bool ends_with_call(const u8 code[CALL_BYTES])
{
	unsigned int i;

	if (code[CALL_BYTES - 5] == 0xe8)
		return true;
	for (i = 0; i + 1 < CALL_BYTES; i++)
		if (code[i] == 0xff && (code[i + 1] & 0x38) == 0x10 &&
		    indirect_call_bytes(code[i + 1],
					code[min_t(u32, i + 2, CALL_BYTES - 1)])
		    == CALL_BYTES - i)
			return true;

	return false;
}

/* Rules. */

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
			if (words - 1 >= PROFIL_SLOTS)
				return false;
			word = rule->word + PROFIL_SLOTS - words;
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
	for (i = 0; i < PROFIL_SLOTS; i++)
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

/* Where rules for a pc are kept; NULL if they are not. */
static __always_inline struct profil_unwind_rule *
rule_set(struct profil_unwind_rules *rules, u64 pc)
{
	u32 hash = (u32)(pc / PROFIL_RULE_SPAN) * 0x9e3779b1U;

	if (!rules)
		return NULL;

	return rules->rule + PROFIL_RULE_WAYS * (u64)(hash >> 16 & rules->mask);
}

static __always_inline const struct profil_unwind_rule *
find_rule(const struct profil_unwind_rule *set, u64 pc)
{
	const struct profil_unwind_rule *rule;

	if (!set)
		return NULL;
	for (rule = set; rule < set + PROFIL_RULE_WAYS; rule++)
		if (pc - rule->start < rule->bytes)
			return rule;

	return NULL;
}

static void keep_rule(struct profil_unwind_rule *set, const struct profil_unwind_rule *rule)
{
	u32 i;

	if (!set)
		return;
	for (i = PROFIL_RULE_WAYS - 1; i; i--)
		set[i] = set[i - 1];
	set[0] = *rule;
}

/* Drops rules of objects that are no longer the same. */
static void drop_rules(struct profil_unwind_rules *rules, u32 generation)
{
	if (rules->generation)
		memset(rules->rule, 0, profil_unwind_rules_bytes(rules->mask + 1) -
				       sizeof(*rules));
	rules->generation = generation;
}

/* All registers, with one read. */
static __always_inline enum profil_unwind_end
read_words(struct profil_unwind *walk, const struct profil_unwind_rule *rule, u64 cfa)
{
	/* Word n is n words from the CFA: a loop up to 0 is the shortest. */
	const u8 *reg = rule->word + PROFIL_SLOTS;
	u64 *word = walk->word + PROFIL_SLOTS;
	long n = rule->lowest;

	if (unlikely(walk->read(walk->ctx, cfa + 8 * n, word + n, -8 * n)))
		return PROFIL_END_MEMORY;
	do {
		walk->regs.reg[reg[n]] = word[n];
	} while (++n);

	return PROFIL_END_NONE;
}

/* Each register by itself. */
static enum profil_unwind_end
read_slots(struct profil_unwind *walk, const struct profil_unwind_rule *rule, u64 cfa)
{
	u64 fp = walk->regs.reg[PROFIL_REG_FP];
	enum profil_unwind_end why;
	u32 i;

	if (rule->by_fp && !(walk->regs.known >> PROFIL_REG_FP & 1))
		return PROFIL_END_REGISTER;
	for (i = 0; i < PROFIL_SLOTS; i++) {
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

/* @flags are the rule's. */
static __always_inline enum profil_unwind_end
follow(struct profil_unwind *walk, const struct profil_unwind_rule *rule, u8 flags)
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
		why = read_slots(walk, rule, cfa);
	else
		why = read_words(walk, rule, cfa);
	if (unlikely(why))
		return why;
	regs->reg[PROFIL_REG_SP] = cfa;
	regs->known = (regs->known & PROFIL_REGS_SAVED) | rule->restored;
	walk->exact = false;

	return likely(regs->reg[PROFIL_REG_PC]) ? PROFIL_END_NONE :
						  PROFIL_END_OUTERMOST;
}

static noinline enum profil_unwind_end
follow_uncommon(struct profil_unwind *walk, const struct profil_unwind_rule *rule)
{
	return follow(walk, rule, rule->flags);
}

/* Most rules have no flags: their way is compiled without a look at each. */
static __always_inline enum profil_unwind_end
follow_rule(struct profil_unwind *walk, const struct profil_unwind_rule *rule)
{
	return likely(!rule->flags) ? follow(walk, rule, 0) :
				      follow_uncommon(walk, rule);
}

/* Objects. */

/* Most often it is the one that the last search was in. */
static const struct profil_object *
find_object(struct profil_unwind *walk, u64 pc)
{
	const struct profil_object *object = walk->object;
	u32 low = 0, high = walk->objects->n;

	if (likely(object && pc - object->start < object->end - object->start))
		return object;
	object = walk->objects->object;
	while (low < high) {
		u32 middle = low + (high - low) / 2;

		if (object[middle].start <= pc)
			low = middle + 1;
		else
			high = middle;
	}
	if (!low || pc >= object[low - 1].end)
		return NULL;
	walk->object = &object[low - 1];

	return walk->object;
}

/* Without call frame information. */

static bool is_behind_call(struct profil_unwind *walk, u64 pc)
{
	u8 code[CALL_BYTES];

	return !profil_unwind_read(walk, pc - sizeof(code), code, sizeof(code)) &&
	       ends_with_call(code);
}

/*
 * The frame of code that was made at run time: psABI, figure 3.3. Registers
 * other than the frame pointer are lost.
 */
static void follow_frame_pointer(struct profil_unwind *walk)
{
	struct profil_unwind_regs *regs = &walk->regs;
	u64 fp = regs->reg[PROFIL_REG_FP], sp = regs->reg[PROFIL_REG_SP];
	u64 word[2];

	if (!(regs->known >> PROFIL_REG_FP & 1) || fp % sizeof(word[0]) ||
	    fp < sp || fp - sp > PROFIL_UNWIND_FRAME_BYTES ||
	    profil_unwind_read(walk, fp, word, sizeof(word)) ||
	    !is_behind_call(walk, word[1])) {
		if (!walk->end)
			walk->end = PROFIL_END_NO_OBJECT;
		return;
	}
	regs->reg[PROFIL_REG_FP] = word[0];
	regs->reg[PROFIL_REG_PC] = word[1];
	regs->reg[PROFIL_REG_SP] = fp + sizeof(word);
	regs->known = BIT_ULL(PROFIL_REG_FP) | BIT_ULL(PROFIL_REG_PC) |
		      BIT_ULL(PROFIL_REG_SP);
	walk->end = PROFIL_END_NONE;
	walk->exact = false;
	walk->guessed = true;
}

/*
 * Functions without call frame information are small, written in assembler, and
 * leave the stack alone: the return address is on top of it.
 */
static void follow_stack_top(struct profil_unwind *walk)
{
	struct profil_unwind_regs *regs = &walk->regs;
	u64 sp = regs->reg[PROFIL_REG_SP], pc;

	if (profil_unwind_read(walk, sp, &pc, sizeof(pc)) ||
	    !find_object(walk, pc) || !is_behind_call(walk, pc))
		return;
	regs->reg[PROFIL_REG_PC] = pc;
	regs->reg[PROFIL_REG_SP] = sp + sizeof(pc);
	regs->known = (regs->known & PROFIL_REGS_SAVED) |
		      BIT_ULL(PROFIL_REG_PC) | BIT_ULL(PROFIL_REG_SP);
	walk->end = PROFIL_END_NONE;
	walk->exact = false;
	walk->guessed = true;
}

/*
 * Where a process begins, in the dynamic linker, or in a libc other than glibc:
 * on top of the stack are argc, argv and a null pointer (psABI, figure 3.9).
 */
static bool is_process_entry(struct profil_unwind *walk)
{
	u64 sp = walk->regs.reg[PROFIL_REG_SP];
	u64 word[2], last;

	return !profil_unwind_read(walk, sp, word, sizeof(word)) &&
	       word[0] && word[0] <= ARGUMENTS_MAX && word[1] > sp &&
	       !profil_unwind_read(walk, sp + 8 * (word[0] + 1), &last, sizeof(last)) &&
	       !last;
}

/*
 * Code in an object, but without a row. A frame pointer may be anything there,
 * but not where it is the stack pointer: the compiler's own start and end code
 * has such frames, and calls atexit()'s functions and destructors.
 */
static void follow_undescribed(struct profil_unwind *walk)
{
	const u64 *reg = walk->regs.reg;

	if (is_process_entry(walk))
		walk->end = PROFIL_END_OUTERMOST;
	else if (walk->exact)
		follow_stack_top(walk);
	else if (reg[PROFIL_REG_FP] == reg[PROFIL_REG_SP])
		follow_frame_pointer(walk);
}

/* Walks. */

static bool is_undescribed(enum profil_unwind_end why)
{
	return why == PROFIL_END_NO_TABLE || why == PROFIL_END_TABLE ||
	       why == PROFIL_END_NO_ROW;
}

/*
 * A return address that no call has put there is the beginning of a function,
 * which starts with the row there, at @pc. Signals return to such functions, and
 * have a frame below; the function of makecontext() does, and has none.
 */
static void use_made_frame(struct profil_unwind *walk,
			   const struct profil_object *object, u64 pc)
{
	if (is_behind_call(walk, pc))
		return;
	walk->end = PROFIL_END_NONE;
	profil_cfi_look_up(walk, object->eh_frame_hdr, pc);
	if (!walk->end && !walk->signal)
		walk->end = PROFIL_END_OUTERMOST;
}

/*
 * Makes a rule for the frame, if its row is of the common kind, or else follows
 * the row; if there is neither, the walk may have ended.
 */
static noinline bool make_rule(struct profil_unwind *walk,
			       struct profil_unwind_rule *set,
			       struct profil_unwind_rule *rule, u64 pc)
{
	const struct profil_object *object = find_object(walk, pc);

	if (object) {
		profil_cfi_look_up(walk, object->eh_frame_hdr, pc);
		if (walk->end == PROFIL_END_NO_ROW && !walk->exact)
			use_made_frame(walk, object, pc + 1);
		if (!walk->end && compile(walk, rule, pc)) {
			keep_rule(set, rule);
			return true;
		}
	}
	if (!object)
		follow_frame_pointer(walk);
	else if (is_undescribed(walk->end))
		follow_undescribed(walk);
	else if (!walk->end)
		profil_cfi_follow(walk);
	if (!walk->end && !walk->exact && !walk->regs.reg[PROFIL_REG_PC])
		walk->end = PROFIL_END_OUTERMOST;

	return false;
}

void profil_unwind_begin(struct profil_unwind *walk)
{
	BUILD_BUG_ON(sizeof(struct profil_unwind_rule) != 32);
	BUILD_BUG_ON(sizeof(struct profil_unwind) > 1280);

	walk->end = PROFIL_END_NONE;
	walk->exact = true;
	walk->guessed = false;
	walk->steps = PROFIL_UNWIND_STEPS;
	walk->object = NULL;
	profil_cfi_begin(walk);
	if (walk->rules && walk->rules->generation != walk->objects->generation)
		drop_rules(walk->rules, walk->objects->generation);
}

/* @pc is profil_unwind_pc(). */
static __always_inline enum profil_unwind_end unwind_next(struct profil_unwind *walk,
							  u64 pc)
{
	struct profil_unwind_rule *set = rule_set(walk->rules, pc);
	const struct profil_unwind_rule *rule = find_rule(set, pc);
	struct profil_unwind_rule made;
	enum profil_unwind_end why;

	if (unlikely(!rule)) {
		if (!make_rule(walk, set, &made, pc))
			return walk->end;
		rule = &made;
	}
	why = follow_rule(walk, rule);
	if (unlikely(why))
		walk->end = why;

	return why;
}

enum profil_unwind_end profil_unwind_next(struct profil_unwind *walk)
{
	return unwind_next(walk, profil_unwind_pc(walk));
}

/* Is this no frame at all, but what a wrong row has taken for one? */
static bool is_stray(struct profil_unwind *walk)
{
	return (is_undescribed(walk->end) ||
		walk->end == PROFIL_END_NO_OBJECT) && !walk->exact &&
	       !is_behind_call(walk, walk->regs.reg[PROFIL_REG_PC]);
}

u32 profil_unwind_frames(struct profil_unwind *walk, u64 *pc, u32 max)
{
	u32 n = 0, most = min_t(u32, max, PROFIL_STACK_FRAMES);

	profil_unwind_begin(walk);
	do {
		if (n == most) {
			walk->end = PROFIL_END_FRAMES;
			break;
		}
		pc[n] = profil_unwind_pc(walk);
	} while (!unwind_next(walk, pc[n++]));

	return n - is_stray(walk);
}
