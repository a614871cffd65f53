/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Records of the stream of stacks, as <linux/profil_stacks.h> describes them.
 *
 * Pure code without locks, allocation or access to user memory: the module and
 * the unit tests compile the same two files. libprofil has the decoder.
 *
 * A record is encoded into a buffer first. Later records may refer to it once it
 * has been written:
 *
 *	n = profil_stack_encode(&encoder, last, &record, bytes);
 *	if (written(bytes, n))
 *		profil_stack_encoded(&encoder, last, &record);
 */
#ifndef _PROFIL_STACK_ENCODER_H
#define _PROFIL_STACK_ENCODER_H

#include <linux/types.h>
#include <linux/profil_stacks.h>

/* Most bytes of a number, of a record's size, and of a record. */
#define PROFIL_STACK_VARINT_BYTES	10
#define PROFIL_STACK_SIZE_BYTES		2
#define PROFIL_STACK_RECORD_BYTES	(PROFIL_STACK_SIZE_BYTES + \
					 12 * PROFIL_STACK_VARINT_BYTES + \
					 PROFIL_STACK_FRAMES * PROFIL_STACK_VARINT_BYTES)

/**
 * struct profil_stack_record - the contents of a record.
 * @flags:   PROFIL_STACK_KERNEL, SYSCALL, GUESSED, MOVED, NAME, WAIT, RUNNABLE. The encoder
 *           adds the others.
 * @sample:  number of the first tick's sample; not with PROFIL_STACK_WAIT.
 * @count:   ticks, or samples of waits; at least 1.
 * @time_us: CLOCK_MONOTONIC of the first tick.
 * @span_us: time from the first tick to the last.
 * @thread:  the thread's id, as the process sees it.
 * @cpu:     CPU of the first tick.
 * @syscall: with PROFIL_STACK_SYSCALL.
 * @end:     enum profil_stack_end.
 * @nframes: from 1 to PROFIL_STACK_FRAMES.
 * @frame:   from the innermost to the outermost.
 * @same:    number of outermost frames that are not in @frame, as they are the same as in
 *           the thread's last stack.
 * @keep:    out: outermost frames that are the same as in the thread's last stack.
 * @name:    with PROFIL_STACK_NAME, which needs only @thread besides. Zero-
 *           terminated; at most PROFIL_STACK_NAME_BYTES are used.
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
	u32		same;
	u32		keep;
	const u64	*frame;
	const char	*name;
};

/**
 * struct profil_stack_encoder - the fields of earlier records that a record refers to.
 * @begun:  there is an earlier record.
 * @thread: thread of the last record.
 * @cpu:    CPU of the last record of a stack.
 * @next:   sample's number plus count of the last one without PROFIL_STACK_WAIT.
 * @time_us: time of its first tick.
 *
 * Initially all zero: the next record is a RESET.
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
 * @nframes: 0: none. It may be set to 0 at any time; then the next record is longer.
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
