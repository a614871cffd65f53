/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Stacks: from the registers of a thread to the pcs of its callers.
 *
 * Pure code without locks, allocation or direct access to user memory: the module, the
 * unit tests and the fuzzer compile the same files. @read reads the process's memory. It
 * may fail, and the memory may contain anything: a walk only reads, ends within its
 * bounds, and says why it ended.
 *
 *	n = profil_unwind_frames(&walk, pc, PROFIL_STACK_FRAMES);
 *	if (walk.end != PROFIL_END_OUTERMOST)
 *		cut short;
 *
 * struct profil_unwind and the functions take 1.6 KiB of stack together. No
 * function is recursive.
 */
#ifndef _PROFIL_UNWIND_H
#define _PROFIL_UNWIND_H

#include <linux/bits.h>
#include <linux/compiler.h>
#include <linux/limits.h>
#include <linux/string.h>
#include <linux/types.h>
#include <linux/profil.h>
#include <linux/profil_stacks.h>

/*
 * A machine is described by unwind/machine_*.h, by its guess_*.c, and by stack/registers.h.
 * Tests on the host choose another machine than theirs.
 *
 * PROFIL_REGS		number of registers
 * PROFIL_COLUMNS	number of those that rows have rules for: the first ones
 * PROFIL_COLUMN_RA	column of the return address: PC, or the register that calls set
 * PROFIL_REGS_SAVED	those that calls preserve
 * profil_unwind_word	a word of the stack, an address, or a register's value
 * profil_machine_reg()	a register by its DWARF number; without one, PROFIL_REGS or more
 */
#ifdef PROFIL_FOR_i386
#include "unwind/machine_i386.h"
#elif defined(__aarch64__) || defined(PROFIL_FOR_arm64)
#include "unwind/machine_arm64.h"
#elif defined(__riscv) || defined(PROFIL_FOR_riscv64)
#include "unwind/machine_riscv64.h"
#elif defined(__x86_64__)
#include "unwind/machine_x86_64.h"
#else
#error "No machine_*.h describes this machine"
#endif

/* Bytes of a word. */
#define PROFIL_WORD		((int)sizeof(profil_unwind_word))

/*
 * Steps are bytes of call frame information, operations of expressions, and reads. This
 * is the limit of a frame: the last row of the interpreter in riscv64's python3 takes 42,000.
 */
#define PROFIL_CFI_OPS		49152

/* The limit of a walk, some 300 us. */
#define PROFIL_UNWIND_STEPS	65536

/* Most rows that a frame's program remembers at a time: compilers use 4. */
#define PROFIL_CFI_ROWS		6

/* Bytes of call frame information, or entries of .eh_frame_hdr, read at a time. */
#define PROFIL_CFI_WINDOW		64
#define PROFIL_CFI_ENTRIES		(PROFIL_CFI_WINDOW / 8)

/* CIEs of at most this size, most of all, are compared with the last one. */
#define PROFIL_CIE_BYTES		32

/* Most bytes that are read at a time: those, or the words of a rule. */
#define PROFIL_UNWIND_READ		\
	(PROFIL_CFI_WINDOW > 8 * PROFIL_RULE_WORDS ? PROFIL_CFI_WINDOW : 8 * PROFIL_RULE_WORDS)

/* Most values of an expression at a time. */
#define PROFIL_CFI_VALUES		16

/* An entry of .eh_frame_hdr: a function and its FDE, as distances from the header. */
struct profil_cfi_entry {
	s32	start;
	s32	fde;
};

/* Why a walk has ended: 0 while it has not, or enum profil_stack_end + 1. */
enum profil_unwind_end {
	PROFIL_END_NONE,
	PROFIL_END_OUTERMOST,
	PROFIL_END_FRAMES,
	PROFIL_END_STEPS,
	PROFIL_END_MEMORY,
	PROFIL_END_NO_OBJECT,
	PROFIL_END_NO_TABLE,
	PROFIL_END_TABLE,
	PROFIL_END_NO_ROW,
	PROFIL_END_CFI,
	PROFIL_END_UNKNOWN,
	PROFIL_END_OPS,
	PROFIL_END_ROWS,
	PROFIL_END_REGISTER,
	PROFIL_END_BACKWARDS,
	PROFIL_ENDS
};

/**
 * struct profil_unwind_regs - registers of a frame.
 * @reg:   by number. The last element takes words of no register.
 * @known: bit n is set if @reg[n] has the frame's value. Or PROFIL_KNOWN_LATER.
 */
struct profil_unwind_regs {
	u64	reg[PROFIL_REGS + 1];
	u64	known;
};

/* In @known of the innermost frame: @rest of the walk gets the other registers. */
#define PROFIL_KNOWN_LATER	BIT_ULL(62)

/* In @known: @thread of the walk is known, and the walk has not changed stacks by it. */
#define PROFIL_KNOWN_THREAD	BIT_ULL(61)

/**
 * struct profil_row - rules for all registers at a pc, in call frame information.
 * @rule:       by register: profil_row_how() and profil_row_what().
 * @ruled:      bit n is set if register n may have a rule.
 * @cfa_reg:    register of the CFA (canonical frame address), or PROFIL_CFA_*.
 * @cfa_offset: the CFA minus that register; or the place of an expression.
 */
struct profil_row {
	u32	rule[PROFIL_COLUMNS];
	u32	ruled;
	u32	cfa_reg;
	s32	cfa_offset;
};

/*
 * How a register's rule finds the caller's value. profil_row_what() is an offset from the
 * CFA, a register, or the distance from the FDE to an expression's length.
 */
enum profil_row_how {
	PROFIL_HOW_UNSPECIFIED,
	PROFIL_HOW_UNDEFINED,
	PROFIL_HOW_SAME,
	PROFIL_HOW_AT_CFA,
	PROFIL_HOW_CFA,
	PROFIL_HOW_REGISTER,
	PROFIL_HOW_AT_EXPRESSION,
	PROFIL_HOW_EXPRESSION,
};

#define PROFIL_HOW_BITS		3
#define PROFIL_WHAT_MAX		((1ULL << (31 - PROFIL_HOW_BITS)) - 1)

/* Values of @cfa_reg that are no register. */
#define PROFIL_CFA_NONE			(~0U)
#define PROFIL_CFA_BY_EXPRESSION	(~1U)

static inline enum profil_row_how profil_row_how(u32 rule)
{
	return rule & ((1U << PROFIL_HOW_BITS) - 1);
}

static inline s32 profil_row_what(u32 rule)
{
	return (s32)rule >> PROFIL_HOW_BITS;
}

/**
 * struct profil_rule - a row of the most common kind, in few bytes: all registers that the
 *                      frame has saved are in a few words below the CFA.
 * @start:      first pc of the rule.
 * @bytes:      number of pcs: those of its row in the same PROFIL_RULE_SPAN bytes.
 * @cfa_reg:    register of the CFA. PROFIL_RULE_OUTERMOST: there is no caller.
 * @cfa_offset: the CFA minus that register.
 * @restored:   bit n is set if register n is in one of the words. Without PC, the return
 *              address is in its register.
 * @lowest:     number of the lowest word, counted from their end: negative.
 * @above:      with PROFIL_HAS_GAP: number of words between their end and the CFA; else
 *              they end at the CFA.
 * @word:       the last -@lowest elements are the registers in these words.
 */
struct profil_rule {
	u64	start;
	s32	cfa_offset;
	profil_rule_regs restored;
	u8	bytes;
	u8	cfa_reg;
	s8	lowest;
	u8	above;
	u8	word[PROFIL_RULE_WORDS];
};

/* A register that is never known. */
#define PROFIL_RULE_OUTERMOST	PROFIL_REGS
/* Pcs in the same span of this many bytes have the same hash. A power of two. */
#define PROFIL_RULE_SPAN	64U
/* Rules of a set. */
#define PROFIL_RULE_WAYS	4

/**
 * struct profil_rules - rules of earlier walks. With them, most frames are followed
 *                       without their call frame information.
 * @mask:       number of sets - 1, a power of two less 1; at most 65,535.
 * @generation: generation of the objects; rules of another generation are dropped.
 * @losses:     when full sets have lost so many more rules, a walk asks for more sets, by its
 *              @grow; 0: it does not.
 * @rule:       PROFIL_RULE_WAYS for each set, the oldest first.
 *
 * Initially all zero but @mask, @losses and @rule. For one address space, and one walk at a time.
 */
struct profil_rules {
	u32			mask;
	u32			generation;
	u32			losses;
	struct profil_rule	*rule;
};

/* The set that may have a rule of @pc. */
static __always_inline struct profil_rule *profil_rule_set(const struct profil_rules *rules,
							   u64 pc)
{
	u32 hash = (u32)(pc / PROFIL_RULE_SPAN) * 0x9e3779b1U;

	return rules->rule + PROFIL_RULE_WAYS * (u64)(hash >> 16 & rules->mask);
}

/* The rule of @pc in its set; NULL: there is none. */
static __always_inline const struct profil_rule *profil_rule_find(const struct profil_rule *set,
								  u64 pc)
{
	u32 i;

	for (i = 0; i < PROFIL_RULE_WAYS; i++)
		if (pc - set[i].start < set[i].bytes)
			return set + i;
	return NULL;
}

/* Adds a rule to its set. True: the set has lost its oldest one. */
static __always_inline bool profil_rule_keep(struct profil_rule *set,
					     const struct profil_rule *rule)
{
	bool full;
	u32 i = 0;

	while (i < PROFIL_RULE_WAYS && set[i].bytes)
		i++;
	full = i == PROFIL_RULE_WAYS;
	if (unlikely(full))
		memmove(set, set + 1, --i * sizeof(*set));
	set[i] = *rule;
	return full;
}

/* Bytes of @rule. */
static inline size_t profil_rules_bytes(u32 sets)
{
	return PROFIL_RULE_WAYS * sizeof(struct profil_rule) * sets;
}

/* Most outer frames of a trail. */
#define PROFIL_TRAIL_FRAMES	95

/**
 * struct profil_passed - a frame that a walk has passed, behind a call.
 * @pc:    its return address: PC.
 * @sp:    stack pointer, a multiple of a word. The caller's @sp is above.
 * @fp:    frame pointer.
 * @fp_at: address of the caller's frame pointer, between both stack pointers; 0: the
 *         caller has the same one, or this is the outermost frame. With PROFIL_HAS_RECORD,
 *         it is 0 only then.
 */
struct profil_passed {
	u64	pc;
	u64	sp;
	u64	fp;
	u64	fp_at;
};

/* The address of the caller's PC. The caller is the element before. */
static __always_inline u64 profil_passed_pc_at(const struct profil_passed *frame)
{
	return PROFIL_HAS_RECORD ? frame->fp_at + PROFIL_WORD :
				   frame[-1].sp - PROFIL_WORD;
}

/**
 * struct profil_trail - the frames of a complete stack, for the thread's next walk:
 *                       see trail.c.
 * @thread:     id of the thread.
 * @others:     walks of other threads since the thread's last walk.
 * @missed:     walks in a row that have not met the trail.
 * @generation: generation of the objects.
 * @nframes:    number of frames in @frame.
 * @inner:      in a walk: outermost frames of @frame that it may still meet.
 * @npassed:    in a walk: frames in its @passed, in the order of the walk.
 * @whole:      in a walk: the last frame in @passed is the outermost. After it: @frame has
 *              the outermost frames of the walk's stack.
 * @record:     for the caller: what it has made of @frame; 0: nothing.
 * @frame:      the frames, from the outermost.
 *
 * Initially all zero. For one address space, and one walk at a time.
 */
struct profil_trail {
	u64			record;
	u32			thread;
	u32			missed;
	u32			generation;
	u16			nframes;
	u16			inner;
	u16			npassed;
	u8			others;
	bool			whole;
	struct profil_passed	frame[PROFIL_TRAIL_FRAMES];
};

/**
 * struct profil_unwind_objects - all objects of an address space.
 * @object:     by ascending address, without overlaps. A wrong order makes stacks short
 *              or wrong, and does no other harm.
 * @n:          their number.
 * @generation: never 0, and a new number whenever @object has changed.
 */
struct profil_unwind_objects {
	const struct profil_object	*object;
	u32				n;
	u32				generation;
};

struct profil_unwind;

/**
 * struct profil_sharing - how processes share rules.
 * @known:   sets @made of the walk to the rule of @pc in an object; false: nobody has shared it.
 * @learned: shares @made.
 */
struct profil_sharing {
	bool	(*known)(struct profil_unwind *walk, const struct profil_object *object, u64 pc);
	void	(*learned)(struct profil_unwind *walk, const struct profil_object *object);
};

/**
 * struct profil_unwind - a walk from frame to frame.
 * @objects: the objects of the address space.
 * @rules:   rules of earlier walks; NULL for none.
 * @read:    copies @n bytes of the process's memory at @addr, at any alignment, at most
 *           PROFIL_UNWIND_READ. Returns 0 if it could. Bytes that are read ahead are in
 *           the same 4 KiB.
 * @narrow:  the steps of a search that need no absent page, at most 32, and not counted as
 *           steps of the walk: @low starts at or before @distance, or is the first, and @high
 *           starts after it. True: @found is the last one that starts at or before it. NULL:
 *           each step uses @read.
 * @trail:   of the thread's last walk; NULL for none.
 * @passed:  with @trail: room for PROFIL_STACK_FRAMES frames, for this walk only.
 * @same:    with @trail: compares the words of @n frames, the innermost last. For each
 *           frame these are its caller's PC at profil_passed_pc_at(), and its
 *           caller's FP at fp_at, if that is not 0. Returns 0 if they are the same, or
 *           the index of the innermost frame with a difference.
 * @rest:    gets registers that few walks need; it clears PROFIL_KNOWN_LATER.
 * @sharing: with other processes; NULL: none.
 * @ctx:     for @read and @same.
 * @grow:    for the caller: number of walks until it should add memory; 0: there is enough. A
 *           walk sets it to 1 if @rules have too few sets.
 * @pc_mask: with PROFIL_RETURNS_SIGNED: the bits of a return address that are not its
 *           signature.
 * @regs:    the frame's registers: PC, SP and all others that are known.
 * @thread:  with PROFIL_KNOWN_THREAD: the base of the thread's own variables.
 *
 * The caller sets these. A walk sets:
 *
 * @end:     why the walk has ended.
 * @exact:   PC is the next instruction of the frame, not the one behind a call.
 * @guessed: a frame was found without call frame information: see guess_*.c.
 * @left:    number of outermost frames that are in @trail: see profil_unwind_on().
 * @steps:   rest of PROFIL_UNWIND_STEPS. The read of a rule is not counted.
 */
struct profil_unwind {
	const struct profil_unwind_objects *objects;
	struct profil_rules	*rules;
	int				(*read)(void *ctx, u64 addr, void *to,
						size_t n);
	bool				(*narrow)(u64 table, s64 distance, u32 *low,
						  u32 *high,
						  struct profil_cfi_entry *found);
	struct profil_trail	*trail;
	struct profil_passed	*passed;
	u32				(*same)(void *ctx,
						const struct profil_passed *frame,
						u32 n);
	void				(*rest)(struct profil_unwind *walk);
	const struct profil_sharing	*sharing;
	void				*ctx;
	u32				grow;
	u64				pc_mask;
	struct profil_unwind_regs	regs;
	u64				thread;

	enum profil_unwind_end		end;
	bool				exact;
	bool				guessed;
	u32				left;
	u32				steps;

	/* private: call frame information as it is read. */
	u64				window_at;
	u64				limit;
	u32				window_bytes;
	u32				next;
	u32				ready;
	u32				frame_steps;
	union {
		u8			window[PROFIL_CFI_WINDOW];
		/* Entries of a table, before a CIE or FDE is opened, by ascending start. */
		struct profil_cfi_entry	entry[PROFIL_CFI_ENTRIES];
	};

	/* private: the object of the last search, and its table. */
	const struct profil_object	*object;
	u64				table;
	u32				entries;

	/* private: the last CIE, with its bytes if they are few, the frame's FDE, and rows. */
	u64				cie;
	u8				cie_byte[PROFIL_CIE_BYTES];
	u32				cie_bytes;
	u64				code_align;
	u64				data_align;
	u64				fde;
	u8				encoding;
	bool				sized;
	bool				signal;
	u8				nrows;
	struct profil_row		row;
	struct profil_row		initial;
	/* The row's pcs, from the first to the last. */
	u64				row_first;
	u64				row_last;
	/* Not a variable: those are cleared at each frame. */
	struct profil_rule		made;
	u8				nvalues;
	union {
		/* While the program of a row is run. */
		struct profil_row	remembered[PROFIL_CFI_ROWS];
		/* While the row is followed. */
		struct {
			struct profil_unwind_regs caller;
			u64			value[PROFIL_CFI_VALUES];
		};
		/* While a rule is followed. */
		profil_unwind_word	word[PROFIL_RULE_WORDS];
	};
};

static __always_inline enum profil_unwind_end
profil_unwind_read(struct profil_unwind *walk, u64 addr, void *to, size_t n)
{
	if (unlikely(!walk->steps))
		return PROFIL_END_STEPS;
	walk->steps--;
	return likely(!walk->read(walk->ctx, addr, to, n)) ? PROFIL_END_NONE :
							     PROFIL_END_MEMORY;
}

/* Get all registers of the frame. */
static __always_inline void profil_unwind_rest(struct profil_unwind *walk)
{
	if (walk->regs.known & PROFIL_KNOWN_LATER)
		walk->rest(walk);
}

/*
 * Is @sp the stack pointer of a caller? Stacks grow down. A called function has at least
 * its return address there; an interrupted one may have removed it (vfork).
 */
static __always_inline bool profil_unwind_is_above(const struct profil_unwind *walk, u64 sp)
{
	return sp + walk->exact > walk->regs.reg[PROFIL_REG_SP];
}

/* A return address without its signature. */
static __always_inline u64 profil_unwind_return(const struct profil_unwind *walk, u64 word)
{
	return PROFIL_RETURNS_SIGNED ? word & walk->pc_mask : word;
}

/* Begins a walk step by step, at an exact PC. */
void profil_unwind_begin(struct profil_unwind *walk);

/* From a frame to its caller. Returns @walk->end. */
enum profil_unwind_end profil_unwind_next(struct profil_unwind *walk);

/*
 * The address to look up for a frame: PC, or the last byte of the call, as PC behind the
 * call may be in another line or function.
 */
static inline u64 profil_unwind_pc(const struct profil_unwind *walk)
{
	return walk->regs.reg[PROFIL_REG_PC] - 1 + walk->exact;
}

/**
 * profil_unwind_frames() - all frames, from the innermost.
 * @walk: a walk that has not begun.
 * @pc:   out: profil_unwind_pc() of each frame.
 * @max:  room in @pc, from 1 to PROFIL_STACK_FRAMES.
 *
 * Return: the number of frames, at least 1; @walk->end says why there are no more.
 */
u32 profil_unwind_frames(struct profil_unwind *walk, u64 *pc, u32 max);

/*
 * The same for a walk that has begun and not ended, with its remaining steps. @walk->left
 * of the outermost frames are in the trail and not in @pc: profil_trail_fill() gets them.
 */
u32 profil_unwind_on(struct profil_unwind *walk, u64 *pc, u32 max);

/* Copies all rules to an empty table with more sets. */
void profil_rules_copy(struct profil_rules *to, const struct profil_rules *from);

#ifdef PROFIL_MACHINE_X86_64
/* The same for 32-bit code: see i386.c. */
void profil_unwind_begin_i386(struct profil_unwind *walk);
enum profil_unwind_end profil_unwind_next_i386(struct profil_unwind *walk);
u32 profil_unwind_on_i386(struct profil_unwind *walk, u64 *pc, u32 max);
#endif

/* --- between the files of unwind/ ----------------------------------------------- */

/* The address of no header. */
#define PROFIL_NO_TABLE		U64_MAX

u64 profil_object_fde(struct profil_unwind *walk, u64 at, u64 pc);
const struct profil_object *profil_object_search(struct profil_unwind *walk, u64 pc);

/* The object of a pc, or NULL. It is mostly that of the last search. */
static __always_inline const struct profil_object *
profil_object_of(struct profil_unwind *walk, u64 pc)
{
	const struct profil_object *object = walk->object;

	if (likely(object && pc - object->start < object->end - object->start))
		return object;
	return profil_object_search(walk, pc);
}

void profil_cfi_look_up(struct profil_unwind *walk, u64 hdr, u64 pc);

/* The end of the words of a rule. */
static __always_inline u64 profil_rule_top(const struct profil_rule *rule, u64 cfa)
{
	return PROFIL_HAS_GAP ? cfa - PROFIL_WORD * rule->above : cfa;
}

/* The largest frame that is found by its frame pointer: 1 MiB. */
#define PROFIL_UNWIND_FRAME_BYTES	0x100000U

/* Does no call frame information describe the frame? */
static inline bool profil_guess_is_undescribed(enum profil_unwind_end why)
{
	return why == PROFIL_END_NO_TABLE || why == PROFIL_END_TABLE ||
	       why == PROFIL_END_NO_ROW;
}

void profil_row_follow(struct profil_unwind *walk);
const struct profil_rule *
profil_rule_make(struct profil_unwind *walk, struct profil_rule *set, u64 pc);
void profil_rules_clear(struct profil_rules *rules, u32 generation);

/* Forget the frames that the walk has passed. */
static __always_inline void profil_trail_cut(struct profil_trail *trail)
{
	trail->npassed = 0;
	trail->whole = false;
}

static __always_inline void profil_trail_begin(struct profil_trail *trail, u32 generation)
{
	if (trail->generation != generation)
		trail->nframes = 0;
	trail->generation = generation;
	trail->inner = trail->nframes;
	profil_trail_cut(trail);
}

bool profil_trail_use(struct profil_trail *trail, u32 thread);
u64 profil_trail_fp_at(const struct profil_unwind_regs *regs, const struct profil_rule *rule);
void profil_trail_pass(const struct profil_unwind *walk, const struct profil_rule *rule);
u32 profil_trail_join(struct profil_unwind *walk, u32 room);
void profil_trail_fill(const struct profil_trail *trail, u64 *pc, u32 n);
void profil_trail_end(struct profil_unwind *walk);

bool profil_guess_is_behind_call(struct profil_unwind *walk, u64 pc);
bool profil_guess_signal(struct profil_unwind *walk);
void profil_guess_by_fp(struct profil_unwind *walk);
void profil_guess_caller(struct profil_unwind *walk);

#endif /* _PROFIL_UNWIND_H */
