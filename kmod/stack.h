/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Stacks: from the registers of a thread to the pcs of its callers.
 *
 * Pure code without locks, allocation or access to user memory of its own: the
 * module, the unit tests, the fuzzer and readers compile the same two files.
 * All memory of the process comes through one function that may fail, and none
 * of it is trusted: whatever it holds, a walk reads only, ends within its
 * bounds, and says why it ended.
 *
 *	walk.objects = objects;
 *	walk.rules = rules;
 *	walk.read = read;
 *	walk.ctx = ctx;
 *	walk.regs = regs;
 *	n = profil_stack_walk(&walk, pc, PROFIL_STACK_FRAMES);
 *	if (walk.end != PROFIL_END_OUTERMOST)
 *		cut short;
 *
 * It runs where the process's memory may be brought in: its own context, on its
 * way to user mode. struct profil_walk and the functions take less than 1.5 KiB
 * of stack together; nothing is recursive.
 */
#ifndef _PROFIL_STACK_H
#define _PROFIL_STACK_H

#include <linux/types.h>
#include <linux/profil.h>
#include <linux/profil_stacks.h>

/*
 * Most bytes of call frame information that are read for a frame, operations of
 * expressions, and reads: 3% of the rows of GCC's cc1 have more than 1,024
 * operations, the longest 13,358.
 */
#define PROFIL_FRAME_OPS	32768

/*
 * Rows that a frame's program may have remembered at a time: compilers have not
 * been seen to need more than 4.
 */
#define PROFIL_ROWS		6

/* Most of these of a walk: some 300 us. */
#define PROFIL_WALK_STEPS	65536

/* A frame that is found by its frame pointer is no larger: 1 MiB. */
#define PROFIL_FRAME_BYTES	0x100000U

/* Bytes of call frame information that are read at a time, */
#define PROFIL_WINDOW		64
/* or entries of .eh_frame_hdr. */
#define PROFIL_ENTRIES		(PROFIL_WINDOW / 8)

/* Values that an expression may have at a time. */
#define PROFIL_VALUES		16

/*
 * Registers are called by their DWARF numbers. An architecture is described by
 * these names, and by what stack.c has under "The architecture".
 */
#if defined(__x86_64__)
/* x86-64 psABI, figure 3.36: rax rdx rcx rbx rsi rdi rbp rsp r8-r15 RA. */
#define PROFIL_REGS		17
#define PROFIL_REG_FP		6
#define PROFIL_REG_SP		7
#define PROFIL_REG_PC		16
/* Figure 3.4, preserved across calls: rbx, rbp, r12 to r15. */
#define PROFIL_REGS_SAVED	0xf048U
/* That many, and the return address. */
#define PROFIL_SLOTS		7
#else
/* arm64 would be x0-x30, sp (AADWARF64 4.1): 32 registers, and the pc. */
#error "stack.h does not describe the registers of this architecture"
#endif

/**
 * enum profil_end - why a walk has ended where it has.
 * @PROFIL_END_NONE:       it has not.
 * @PROFIL_END_OUTERMOST:  the stack is complete.
 * @PROFIL_END_FRAMES:     there are more frames than were asked for.
 * @PROFIL_END_STEPS:      PROFIL_WALK_STEPS are done.
 * @PROFIL_END_MEMORY:     memory could not be read.
 * @PROFIL_END_NO_OBJECT:  code in no object, and no frame pointer leads on.
 * @PROFIL_END_NO_TABLE:   an object without .eh_frame_hdr.
 * @PROFIL_END_TABLE:      its .eh_frame_hdr has another form than linkers make.
 * @PROFIL_END_NO_ROW:     code that no call frame information describes.
 * @PROFIL_END_CFI:        call frame information that makes no sense.
 * @PROFIL_END_UNKNOWN:    an operation or encoding outside the known ones.
 * @PROFIL_END_OPS:        more than PROFIL_FRAME_OPS in a frame.
 * @PROFIL_END_ROWS:       more than PROFIL_ROWS remembered.
 * @PROFIL_END_REGISTER:   a register is needed whose value is lost.
 * @PROFIL_END_BACKWARDS:  the caller's frame would not be above its callee's.
 * @PROFIL_ENDS:           number of these.
 */
enum profil_end {
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
 * struct profil_objects - all of them.
 * @object:     by ascending address, without overlaps. In any other order
 *              stacks are cut short or wrong, and nothing worse.
 * @n:          their number.
 * @generation: never 0, and another one whenever @object has changed.
 */
struct profil_objects {
	const struct profil_object	*object;
	u32				n;
	u32				generation;
};

/**
 * struct profil_regs - registers of a frame.
 * @reg:   by DWARF number. The last takes words that are of no register.
 * @known: bit n is set if @reg[n] has the frame's value.
 */
struct profil_regs {
	u64	reg[PROFIL_REGS + 1];
	u64	known;
};

/**
 * struct profil_rule - how to get from a frame to its caller: the common cases,
 *                      in few bytes.
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
struct profil_rule {
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
 * struct profil_rules - the rules of the last pcs, so that most frames need no
 *                       look at their call frame information.
 * @mask:       number of sets - 1, a power of two less 1; at most 65,535.
 * @generation: of the objects that the rules are of; others are dropped.
 * @rule:       PROFIL_RULE_WAYS for each set, the newest first.
 *
 * All zero but @mask to begin with. Of one address space, and of one walk at a
 * time. What the process writes over its own call frame information later is not
 * noticed.
 */
struct profil_rules {
	u32			mask;
	u32			generation;
	struct profil_rule	rule[];
};

/**
 * struct profil_row - rules for all registers at a pc, as call frame information
 *                     has them.
 * @rule:       by register: what and how, see stack.c.
 * @ruled:      bit n is set if there may be a rule for register n.
 * @cfa_reg:    the CFA is
 * @cfa_offset: this far from a register; or the result of an expression.
 */
struct profil_row {
	u32	rule[PROFIL_REGS];
	u32	ruled;
	u32	cfa_reg;
	s32	cfa_offset;
};

/**
 * struct profil_entry - one of the table in .eh_frame_hdr, by ascending @start.
 * @start: where a function starts,
 * @fde:   and its FDE: distances from the header.
 */
struct profil_entry {
	s32	start;
	s32	fde;
};

/**
 * struct profil_walk - a walk from frame to frame.
 * @objects: where code is.
 * @rules:   rules of earlier walks; NULL for none.
 * @read:    copies @n bytes of the process's memory at @addr, at any alignment,
 *           and returns 0; or something else. Not more than PROFIL_WINDOW. What
 *           it reads ahead does not cross into another 4 KiB.
 * @ctx:     for @read.
 * @regs:    the frame's registers. PC, SP and whatever else is known: after an
 *           interrupt all of them; in a system call those that calls preserve.
 *
 * These are set by the caller. After profil_stack_walk(), or to be read between
 * profil_walk_begin() and profil_walk_next():
 *
 * @end:     why the walk has ended.
 * @exact:   PC is an instruction that was to be executed, and not the one
 *           behind a call.
 * @guessed: a frame was found without call frame information: code that was made
 *           at run time by its frame pointer, or a function without any
 *           information by the word at the top of its stack.
 * @steps:   what is left of PROFIL_WALK_STEPS. A frame's first read for a rule
 *           is not counted: frames are.
 *
 * The rest is stack.c's own.
 */
struct profil_walk {
	const struct profil_objects	*objects;
	struct profil_rules		*rules;
	int				(*read)(void *ctx, u64 addr, void *to,
						size_t n);
	void				*ctx;
	struct profil_regs		regs;

	enum profil_end			end;
	bool				exact;
	bool				guessed;
	u32				steps;

	/* private: call frame information as it is read. */
	u64				window_at;
	u64				limit;
	u32				window_bytes;
	u32				next;
	u32				ready;
	u32				frame_steps;
	union {
		u8			window[PROFIL_WINDOW];
		/* Of a table, before an entry is opened. */
		struct profil_entry	entry[PROFIL_ENTRIES];
	};

	/* private: the object that the last search was in, and its table. */
	const struct profil_object	*object;
	u64				table;
	u32				entries;

	/* private: the last CIE, the frame's FDE, and their rows. */
	u64				cie;
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
	u8				nvalues;
	union {
		/* While the program of a row is run. */
		struct profil_row	remembered[PROFIL_ROWS];
		/* While the row is followed. */
		struct {
			struct profil_regs	caller;
			u64			value[PROFIL_VALUES];
		};
		/* While a rule is followed. */
		u64			word[PROFIL_SLOTS];
	};
};

/**
 * profil_rules_bytes() - memory that rules take.
 * @sets: a power of two.
 */
static inline size_t profil_rules_bytes(u32 sets)
{
	return sizeof(struct profil_rules) +
	       PROFIL_RULE_WAYS * sizeof(struct profil_rule) * sets;
}

/**
 * profil_walk_begin() - begin a walk step by step.
 * @walk: with @objects, @rules, @read, @ctx and @regs set, @regs.PC exact.
 */
void profil_walk_begin(struct profil_walk *walk);

/**
 * profil_walk_next() - from a frame to its caller's.
 * @walk: a walk that has begun and not ended.
 *
 * Return: PROFIL_END_NONE, and @walk->regs are the caller's; or why there is
 * none, which is also in @walk->end.
 */
enum profil_end profil_walk_next(struct profil_walk *walk);

/**
 * profil_walk_pc() - the address that tells where a frame is.
 * @walk: a walk.
 *
 * Return: PC; of a frame that has called another one, where PC is behind the
 * call and may be in another line or function, the call's last byte.
 */
static inline u64 profil_walk_pc(const struct profil_walk *walk)
{
	return walk->regs.reg[PROFIL_REG_PC] - 1 + walk->exact;
}

/**
 * profil_stack_walk() - all frames, from the innermost.
 * @walk: as for profil_walk_begin().
 * @pc:   out: profil_walk_pc() of each frame.
 * @max:  room in @pc, from 1 to PROFIL_STACK_FRAMES.
 *
 * Return: the number of frames, at least 1; @walk->end says why not more.
 */
u32 profil_stack_walk(struct profil_walk *walk, u64 *pc, u32 max);

#endif /* _PROFIL_STACK_H */
