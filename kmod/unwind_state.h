/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What a walk from frame to frame knows: the one structure of all of unwind_*.c and
 * cfi_*.c, its bounds, and how it reads the process's memory.
 */
#ifndef _PROFIL_UNWIND_STATE_H
#define _PROFIL_UNWIND_STATE_H

#include <linux/compiler.h>
#include <linux/types.h>
#include <linux/profil.h>

#include "cfi_row.h"

/*
 * Most bytes of call frame information that are read for a frame, operations of
 * expressions, and reads: 3% of the rows of GCC's cc1 have more than 1,024
 * operations, the longest 13,358.
 */
#define PROFIL_CFI_OPS		32768

/* Most of these of a walk: some 300 us. */
#define PROFIL_UNWIND_STEPS	65536

/*
 * Rows that a frame's program may have remembered at a time: compilers have not
 * been seen to need more than 4.
 */
#define PROFIL_CFI_ROWS		6

/* Bytes of call frame information that are read at a time, */
#define PROFIL_CFI_WINDOW		64
/* or entries of .eh_frame_hdr. */
#define PROFIL_CFI_ENTRIES		(PROFIL_CFI_WINDOW / 8)

/* Values that an expression may have at a time. */
#define PROFIL_CFI_VALUES		16

/**
 * enum profil_unwind_end - why a walk has ended where it has.
 * @PROFIL_END_NONE:       it has not.
 * @PROFIL_END_OUTERMOST:  the stack is complete.
 * @PROFIL_END_FRAMES:     there are more frames than were asked for.
 * @PROFIL_END_STEPS:      PROFIL_UNWIND_STEPS are done.
 * @PROFIL_END_MEMORY:     memory could not be read.
 * @PROFIL_END_NO_OBJECT:  code in no object, and no frame pointer leads on.
 * @PROFIL_END_NO_TABLE:   an object without .eh_frame_hdr.
 * @PROFIL_END_TABLE:      its .eh_frame_hdr has another form than linkers make.
 * @PROFIL_END_NO_ROW:     code that no call frame information describes.
 * @PROFIL_END_CFI:        call frame information that makes no sense.
 * @PROFIL_END_UNKNOWN:    an operation or encoding outside the known ones.
 * @PROFIL_END_OPS:        more than PROFIL_CFI_OPS in a frame.
 * @PROFIL_END_ROWS:       more than PROFIL_CFI_ROWS remembered.
 * @PROFIL_END_REGISTER:   a register is needed whose value is lost.
 * @PROFIL_END_BACKWARDS:  the caller's frame would not be above its callee's.
 * @PROFIL_ENDS:           number of these.
 */
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
 * @reg:   by DWARF number. The last takes words that are of no register.
 * @known: bit n is set if @reg[n] has the frame's value.
 */
struct profil_unwind_regs {
	u64	reg[PROFIL_REGS + 1];
	u64	known;
};

struct profil_unwind_objects;
struct profil_unwind_passed;
struct profil_unwind_rules;
struct profil_unwind_trail;

/**
 * struct profil_unwind - a walk from frame to frame.
 * @objects: where code is.
 * @rules:   rules of earlier walks; NULL for none.
 * @read:    copies @n bytes of the process's memory at @addr, at any alignment,
 *           and returns 0; or something else. Not more than PROFIL_CFI_WINDOW. What
 *           it reads ahead does not cross into another 4 KiB.
 * @trail:   what the last walk of the thread, or of any, has passed; NULL for none.
 * @passed:  with @trail: room for PROFIL_STACK_FRAMES frames, of this walk alone.
 * @same:    with @trail: are the words still the same that lead from the innermost
 *           of @n frames, which is the last, to the first: of each frame's caller,
 *           PC in the word below the caller's SP, and FP at fp_at, if that is not 0?
 *           0: they are; or else the place of the innermost frame where they differ.
 * @ctx:     for @read and @same.
 * @regs:    the frame's registers. PC, SP and whatever else is known: after an
 *           interrupt all of them; in a system call those that calls preserve.
 *
 * These are set by the caller. After profil_unwind_frames(), or to be read between
 * profil_unwind_begin() and profil_unwind_next():
 *
 * @end:     why the walk has ended.
 * @exact:   PC is an instruction that was to be executed, and not the one
 *           behind a call.
 * @guessed: a frame was found without call frame information: code that was made
 *           at run time by its frame pointer, or a function without any
 *           information by the word at the top of its stack.
 * @steps:   what is left of PROFIL_UNWIND_STEPS. A frame's first read for a rule
 *           is not counted: frames are.
 *
 * The rest is theirs alone.
 */
struct profil_unwind {
	const struct profil_unwind_objects *objects;
	struct profil_unwind_rules	*rules;
	int				(*read)(void *ctx, u64 addr, void *to,
						size_t n);
	struct profil_unwind_trail	*trail;
	struct profil_unwind_passed	*passed;
	u32				(*same)(void *ctx,
						const struct profil_unwind_passed *frame,
						u32 n);
	void				*ctx;
	struct profil_unwind_regs	regs;

	enum profil_unwind_end		end;
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
		u8			window[PROFIL_CFI_WINDOW];
		/* Of a table, before an entry is opened. */
		struct {
			/* Where a function starts, and its FDE, */
			s32	start;
			/* from .eh_frame_hdr on. By ascending start. */
			s32	fde;
		} entry[PROFIL_CFI_ENTRIES];
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
	struct profil_cfi_row		row;
	struct profil_cfi_row		initial;
	/* The row's pcs, from the first to the last. */
	u64				row_first;
	u64				row_last;
	u8				nvalues;
	union {
		/* While the program of a row is run. */
		struct profil_cfi_row	remembered[PROFIL_CFI_ROWS];
		/* While the row is followed. */
		struct {
			struct profil_unwind_regs caller;
			u64			value[PROFIL_CFI_VALUES];
		};
		/* While a rule is followed. */
		u64			word[PROFIL_REG_SLOTS];
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

/*
 * Stacks grow down. A function that has been called has at least its return
 * address there; one that was interrupted may have taken it off (vfork).
 */
static __always_inline bool profil_unwind_is_above(const struct profil_unwind *walk, u64 sp)
{
	return sp + walk->exact > walk->regs.reg[PROFIL_REG_SP];
}

#endif /* _PROFIL_UNWIND_STATE_H */
