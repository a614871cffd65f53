/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Records of the stream of stacks, as <linux/profil_stacks.h> describes them.
 *
 * Pure code without locks, allocation or access to user memory: the module and
 * the unit tests compile the same two files. What reads them is in libprofil.
 *
 * A record is made in a buffer first. Only when it has been written does it
 * count for those that follow:
 *
 *	n = profil_stack_encode(&encoder, last, &record, bytes);
 *	if (written(bytes, n))
 *		profil_stack_encoded(&encoder, last, &record);
 */
#ifndef _PROFIL_STACK_ENCODER_H
#define _PROFIL_STACK_ENCODER_H

#include <linux/types.h>
#include <linux/profil_stacks.h>

/* A number's most bytes, a record's, and those of its size. */
#define PROFIL_STACK_VARINT_BYTES	10
#define PROFIL_STACK_SIZE_BYTES		2
#define PROFIL_STACK_RECORD_BYTES	(PROFIL_STACK_SIZE_BYTES + \
					 12 * PROFIL_STACK_VARINT_BYTES + \
					 PROFIL_STACK_FRAMES * PROFIL_STACK_VARINT_BYTES)

/**
 * struct profil_stack_record - what a record says.
 * @flags:   PROFIL_STACK_KERNEL, SYSCALL, GUESSED, MOVED, NAME: that there is what
 *           they stand for. The others are added where they are needed.
 * @sample:  number of the first tick's sample.
 * @count:   ticks, at least 1.
 * @time_us: of the first, CLOCK_MONOTONIC.
 * @span_us: from there to the last.
 * @thread:  its id, as the process sees it.
 * @cpu:     of the first tick.
 * @syscall: with PROFIL_STACK_SYSCALL.
 * @end:     enum profil_stack_end.
 * @nframes: from 1 to PROFIL_STACK_FRAMES.
 * @frame:   from the innermost to the outermost.
 * @keep:    out: outermost frames that are the same as in the thread's last stack.
 * @name:    with PROFIL_STACK_NAME, which needs nothing else but @thread: zero-
 *           terminated; no more than PROFIL_STACK_NAME_BYTES of it are used.
 */
struct profil_stack_record {
	u32		flags;
	u64		sample;
	u64		count;
	u64		time_us;
	u64		span_us;
	u32		thread;
	u32		cpu;
	u32		syscall;
	u32		end;
	u32		nframes;
	u32		keep;
	const u64	*frame;
	const char	*name;
};

/**
 * struct profil_stack_encoder - what a record may refer to of those before it.
 * @begun:  there is one.
 * @thread: of the last record.
 * @cpu:    of the last record of a stack.
 * @next:   its sample's number, and its count.
 * @time_us: of its first tick.
 *
 * All zero to begin with: the next record is a RESET.
 */
struct profil_stack_encoder {
	bool	begun;
	u32	thread;
	u32	cpu;
	u64	next;
	u64	time_us;
};

/**
 * struct profil_stack_last - a thread's last stack, or none.
 * @nframes: 0: none. Whoever forgets what was here sets it to that; it costs
 *           bytes, and nothing else.
 * @frame:   from the innermost to the outermost.
 */
struct profil_stack_last {
	u32	nframes;
	u64	frame[PROFIL_STACK_FRAMES];
};

size_t profil_stack_encode(const struct profil_stack_encoder *stream,
			   const struct profil_stack_last *last,
			    struct profil_stack_record *record, u8 *to);
void profil_stack_encoded(struct profil_stack_encoder *stream,
			  struct profil_stack_last *last,
			   const struct profil_stack_record *record);

#endif /* _PROFIL_STACK_ENCODER_H */
