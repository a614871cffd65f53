/* SPDX-License-Identifier: GPL-2.0-only WITH Linux-syscall-note */
/*
 * The stream of call stacks beside a sample array: @stacks of struct
 * profil_samples points to it.
 *
 * The stream is a sequence of records. A record is one thread's stack at one or more
 * ticks (a sample record), or the same for samples of a wait (a sample record with WAIT),
 * or a thread's name. Records are in the order in
 * which threads return to user mode, not in the order of the ticks. A record depends
 * on earlier ones. A reader never sees part of a record, because its size is written
 * last. libprofil has the only decoder: profil_stacks_open() of <libprofil.h>.
 *
 * A number is an unsigned LEB128 of at most 64 bits: 7 bits per byte, the lowest
 * first, with bit 7 set in all bytes but the last. A signed number n is stored as
 * (n << 1) ^ (n >> 63) ("zigzag"). Differences are modulo 2^64.
 *
 *	size		bytes of the record after this field; never 0. The first byte
 *			of the size is written last. The stream ends at a 0 in its
 *			place, or if the rest of the buffer is shorter than the size.
 *	head		sum of PROFIL_STACK_* flags: fields that follow, and facts
 *	version		if RESET: PROFIL_STACKS_VERSION
 *	thread		if THREAD: the thread's gettid(); else the same thread as in
 *			the record before
 *	then, in a record with NAME, only:
 *	length		bytes of the thread's name, at most PROFIL_STACK_NAME_BYTES
 *	name		the thread's name from here on, without a terminating zero
 *	and in a sample record:
 *	cpu		if CPU: CPU of the first tick; else as in the sample record
 *			before
 *	sample		if SAMPLE, signed: number of the first tick's sample, minus the
 *			expected number; else it is the expected number. That is the
 *			first sample's number in the sample record before, plus that
 *			record's number of ticks. Sample @first_sample + i is element i
 *			of the array.
 *	count		if COUNT: number of ticks minus 2; else there is 1 tick. The
 *			samples of the other ticks follow the first one, but samples of
 *			other threads may lie between them.
 *	span		if SPAN: microseconds from the first tick to the last; else 0
 *	syscall		if SYSCALL: number of the system call that the ticks were in,
 *			or that the thread was about to return from
 *	end		if CUT: enum profil_stack_end, not 0
 *	time		signed: CLOCK_MONOTONIC of the first tick in microseconds, minus
 *			that of the sample record before
 *	keep		number of outermost frames that equal those of the thread's
 *			last stack
 *	new		number of frames that follow; @keep + @new is from 1 to
 *			PROFIL_STACK_FRAMES
 *	@new pcs	from the outermost to the innermost. Each is signed: the pc
 *			minus a base. The base is:
 *			- for the first new pc, if @keep is not 0 and the thread's last
 *			  stack has a frame in the same place, counted from the
 *			  outermost: the pc of that frame;
 *			- for all other pcs: the pc of the caller, which is the frame
 *			  before; 0 for the outermost frame.
 *
 * In a record with WAIT, the samples are of time in which the thread did not run. They are
 * in no array: the record has no SAMPLE, its expected number is also that of the next
 * record, and the innermost pc is that to which the thread returns, equal to no element.
 * @count is the number of samples, less 2; @time and @span say when the first and the last
 * of them fell; @cpu is the CPU that the thread came back to, or had left if it still
 * waited when the profile stopped. @syscall is the system call in which it waited; without
 * SYSCALL, it waited in a page fault or another exception, or was preempted.
 *
 * A thread's last stack is its last one of more than one frame since the last RESET.
 * Without WAIT, the innermost pc equals the sample in the array (of 8 bytes per element).
 * A caller's pc is an address inside its call instruction, or the address at which a
 * signal interrupted it. A record with RESET uses no earlier record: all values from
 * records before are 0, and no thread has a last stack. The first record of each
 * run has RESET, and so has the first record of each fork child. A child's stream
 * begins at @stacks again.
 */
#ifndef _UAPI_LINUX_PROFIL_STACKS_H
#define _UAPI_LINUX_PROFIL_STACKS_H

/* Version of the stream, also @stacks of struct profil_features. */
#define PROFIL_STACKS_VERSION		1

/* Maximum frames of a stack. */
#define PROFIL_STACK_FRAMES		255
/* Maximum bytes of a thread's name. */
#define PROFIL_STACK_NAME_BYTES		63

/* Flags of @head. Those without a comment announce the field of that name. */
#define PROFIL_STACK_RESET		(1U << 0)
#define PROFIL_STACK_THREAD		(1U << 1)
#define PROFIL_STACK_CPU		(1U << 2)
#define PROFIL_STACK_SAMPLE		(1U << 3)
#define PROFIL_STACK_COUNT		(1U << 4)
/* Only together with COUNT. */
#define PROFIL_STACK_SPAN		(1U << 5)
/* The ticks were in the kernel; without SYSCALL, in a fault or an interrupt. Not with WAIT. */
#define PROFIL_STACK_KERNEL		(1U << 6)
#define PROFIL_STACK_SYSCALL		(1U << 7)
/* Frames are missing at the outer end. */
#define PROFIL_STACK_CUT		(1U << 8)
/* At least one frame was found without call frame information. */
#define PROFIL_STACK_GUESSED		(1U << 9)
/* The stack changed between tick and walk: the record has only the pc of the tick. */
#define PROFIL_STACK_MOVED		(1U << 10)
/* The record has a thread's name and no stack. */
#define PROFIL_STACK_NAME		(1U << 11)
/* The samples are of time in which the thread did not run: it slept, unless RUNNABLE. */
#define PROFIL_STACK_WAIT		(1U << 12)
/*
 * Only together with WAIT. The thread waited for a CPU: it was preempted, or left the CPU
 * without a reason to sleep. (The time from a wakeup to the CPU counts as sleep.)
 */
#define PROFIL_STACK_RUNNABLE		(1U << 13)
#define PROFIL_STACK_KNOWN		((1U << 14) - 1)

/**
 * enum profil_stack_end - why a stack is not complete.
 * @PROFIL_STACK_END_COMPLETE:  The stack is complete.
 * @PROFIL_STACK_END_FRAMES:    It has more than PROFIL_STACK_FRAMES frames.
 * @PROFIL_STACK_END_STEPS:     The walk would take too long.
 * @PROFIL_STACK_END_MEMORY:    Memory could not be read.
 * @PROFIL_STACK_END_NO_OBJECT: The code is in no object, and no frame pointer helps.
 * @PROFIL_STACK_END_NO_TABLE:  The object has no .eh_frame_hdr, and no frame pointer
 *                              helps.
 * @PROFIL_STACK_END_TABLE:     The object's .eh_frame_hdr does not have the form that
 *                              linkers make.
 * @PROFIL_STACK_END_NO_ROW:    No call frame information describes the code, and no frame
 *                              pointer helps.
 * @PROFIL_STACK_END_CFI:       The call frame information is invalid.
 * @PROFIL_STACK_END_UNKNOWN:   It has an unknown operation or encoding.
 * @PROFIL_STACK_END_OPS:       It has too many operations for one frame.
 * @PROFIL_STACK_END_ROWS:      It remembers too many rows.
 * @PROFIL_STACK_END_REGISTER:  It needs a register whose value is lost.
 * @PROFIL_STACK_END_BACKWARDS: The caller's frame would not be above its callee's.
 * @PROFIL_STACK_END_UNSEEN:    There was no walk: when the profile stopped, the thread was
 *                              in the kernel, and its registers may have been changing;
 *                              or a wait had not ended then.
 * @PROFIL_STACK_END_CODE32:    The code is 32-bit, and not on x86-64.
 * @PROFIL_STACK_END_MOVED:     See PROFIL_STACK_MOVED.
 *
 * Later versions may add values. Only 0 means that a stack is complete.
 */
enum profil_stack_end {
	PROFIL_STACK_END_COMPLETE	= 0,
	PROFIL_STACK_END_FRAMES		= 1,
	PROFIL_STACK_END_STEPS		= 2,
	PROFIL_STACK_END_MEMORY		= 3,
	PROFIL_STACK_END_NO_OBJECT	= 4,
	PROFIL_STACK_END_NO_TABLE	= 5,
	PROFIL_STACK_END_TABLE		= 6,
	PROFIL_STACK_END_NO_ROW		= 7,
	PROFIL_STACK_END_CFI		= 8,
	PROFIL_STACK_END_UNKNOWN	= 9,
	PROFIL_STACK_END_OPS		= 10,
	PROFIL_STACK_END_ROWS		= 11,
	PROFIL_STACK_END_REGISTER	= 12,
	PROFIL_STACK_END_BACKWARDS	= 13,
	PROFIL_STACK_END_UNSEEN		= 64,
	PROFIL_STACK_END_CODE32		= 65,
	PROFIL_STACK_END_MOVED		= 66
};

#endif /* _UAPI_LINUX_PROFIL_STACKS_H */
