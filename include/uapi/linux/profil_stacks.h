/* SPDX-License-Identifier: GPL-2.0-only WITH Linux-syscall-note */
/*
 * The stream of call stacks of a sample array: what @stacks of struct
 * profil_samples points to.
 *
 * It is a sequence of records, each a thread's stack at one or more ticks. They
 * come in the order in which the threads were on their way to user mode, not in
 * that of the ticks. Each depends on those before it. What is written is whole
 * records at any moment: one whose size is not there yet is not there. All
 * decoding is in libprofil: profil_stacks_open() of <libprofil.h>.
 *
 * A number is an unsigned LEB128: 7 bits a byte, the lowest first, bit 7 set in
 * all but the last byte; of at most 64 bits. A signed one is (n << 1) ^ (n >> 63)
 * as such a number ("zigzag"). Differences are modulo 2^64.
 *
 *	size		bytes of the record that follow; never 0. Its first byte is
 *			written last; a 0 in its place, or no room for the record
 *			that it promises, ends the stream.
 *	head		PROFIL_STACK_*: the sum of what is given or said
 *	version		if RESET: PROFIL_STACKS_VERSION
 *	thread		if THREAD: the thread's id, as gettid() returns it there;
 *			else it is that of the record before
 *	then, if NAME, and nothing else:
 *	length		of the thread's name, at most PROFIL_STACK_NAME_BYTES
 *	name		that many bytes: the thread's name from here on
 *	else:
 *	cpu		if CPU: that the first tick was on; else that of the sample
 *			record before
 *	sample		if SAMPLE, signed: number of the first tick's sample, less
 *			the sum of the number and the count in the sample record
 *			before; else that is 0. Sample @first_sample + i is element i of
 *			the array.
 *	count		if COUNT: ticks - 2; else it is 1 tick. The others are some
 *			of the samples after the first, not always the next ones:
 *			other threads' may lie between.
 *	span		if SPAN: microseconds from the first tick to the last; else 0
 *	syscall		if SYSCALL: the number of the system call that the ticks were
 *			in, or that the thread was to return from
 *	end		if CUT: enum profil_stack_end, not 0
 *	time		signed: microseconds of CLOCK_MONOTONIC of the first tick, less
 *			those of the sample record before
 *	keep		so many of the outermost frames are those of the thread's last
 *			stack
 *	new		so many frames follow; @keep + @new is from 1 to
 *			PROFIL_STACK_FRAMES
 *	@new pcs	from the outermost to the innermost; signed, less
 *			- the pc at the same place, counted from the outermost, in the
 *			  thread's last stack, for the first of them if @keep is not 0
 *			  and there is one
 *			- else the pc of the frame before it in the stack, its caller;
 *			  0 for the outermost
 *
 * A thread's last stack is that of its last record of more than one frame since
 * the last RESET. The innermost pc is exactly that of the sample array (of 8
 * bytes an element); a caller's is an address inside its call instruction, or
 * that which a signal has interrupted. RESET: nothing of earlier records is used,
 * what they left is 0 and no thread has a last stack. It is the first record of
 * each run, and of each fork child, whose stream begins at @stacks again.
 */
#ifndef _UAPI_LINUX_PROFIL_STACKS_H
#define _UAPI_LINUX_PROFIL_STACKS_H

/* Of the stream; @stacks of struct profil_features. */
#define PROFIL_STACKS_VERSION		1

/* A stack has no more frames than this. */
#define PROFIL_STACK_FRAMES	255
/* Nor a thread's name more bytes. */
#define PROFIL_STACK_NAME_BYTES		63

/* What a record has, or says. */
#define PROFIL_STACK_RESET		(1U << 0)
#define PROFIL_STACK_THREAD		(1U << 1)
#define PROFIL_STACK_CPU		(1U << 2)
#define PROFIL_STACK_SAMPLE		(1U << 3)
#define PROFIL_STACK_COUNT		(1U << 4)
/* Only with COUNT. */
#define PROFIL_STACK_SPAN		(1U << 5)
/* The ticks were in the kernel; without SYSCALL, in a fault or an exception. */
#define PROFIL_STACK_KERNEL		(1U << 6)
#define PROFIL_STACK_SYSCALL		(1U << 7)
/* Frames are missing at the outer end. */
#define PROFIL_STACK_CUT		(1U << 8)
/* Some frame was found without call frame information. */
#define PROFIL_STACK_GUESSED		(1U << 9)
/*
 * The thread's stack was another one when it was looked at: there is the pc of
 * the tick, and nothing more.
 */
#define PROFIL_STACK_MOVED		(1U << 10)
/* Not a stack, but the thread's name. */
#define PROFIL_STACK_NAME		(1U << 11)
#define PROFIL_STACK_KNOWN		((1U << 12) - 1)

/**
 * enum profil_stack_end - why a stack is not complete.
 * @PROFIL_STACK_END_COMPLETE:  it is.
 * @PROFIL_STACK_END_FRAMES:    there are more than PROFIL_STACK_FRAMES frames.
 * @PROFIL_STACK_END_STEPS:     it would have taken too long.
 * @PROFIL_STACK_END_MEMORY:    memory could not be read.
 * @PROFIL_STACK_END_NO_OBJECT: code in no object, and no frame pointer leads on.
 * @PROFIL_STACK_END_NO_TABLE:  an object without .eh_frame_hdr.
 * @PROFIL_STACK_END_TABLE:     its .eh_frame_hdr has another form than linkers
 *                              make.
 * @PROFIL_STACK_END_NO_ROW:    code that no call frame information describes.
 * @PROFIL_STACK_END_CFI:       call frame information that makes no sense.
 * @PROFIL_STACK_END_UNKNOWN:   an operation or encoding in it that is not known.
 * @PROFIL_STACK_END_OPS:       too many operations in a frame's.
 * @PROFIL_STACK_END_ROWS:      too many rows that it remembers.
 * @PROFIL_STACK_END_REGISTER:  a register is needed whose value is lost.
 * @PROFIL_STACK_END_BACKWARDS: the caller's frame would not be above its callee's.
 * @PROFIL_STACK_END_UNSEEN:    nobody looked: the thread was still in the kernel
 *                              when the profile stopped, or has exited.
 * @PROFIL_STACK_END_CODE32:    32-bit code.
 * @PROFIL_STACK_END_MOVED:     as PROFIL_STACK_MOVED says.
 *
 * There may be others in the future; no stack is complete but with 0.
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
