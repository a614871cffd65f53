// SPDX-License-Identifier: GPL-2.0-only
/*
 * Encodes records of the stream of stacks. The bytes of a record depend on the
 * records before it, so a record that could not be written is encoded again.
 */
#include <linux/build_bug.h>
#include <linux/minmax.h>
#include <linux/string.h>

#include "stack/encoder.h"

static u8 *put_number(u8 *to, u64 n)
{
	for (; n > 0x7f; n >>= 7)
		*to++ = n | 0x80;
	*to++ = n;
	return to;
}

/* @n - @base modulo 2^64, as a signed number. */
static u8 *put_difference(u8 *to, u64 n, u64 base)
{
	u64 difference = n - base;

	return put_number(to, difference << 1 ^ (u64)((s64)difference >> 63));
}

/* The number of outermost frames that are the same. */
static u32 frames_kept(const struct profil_stack_last *last,
		       const struct profil_stack_record *record)
{
	/* Frame n is n frames from the end. */
	const u64 *b = record->frame + record->nframes, *a;
	long n = -(long)record->same, end;

	if (!last)
		return 0;
	a = last->frame + last->nframes;
	end = -(long)min_t(u32, last->nframes, record->nframes);
	while (n != end && a[n - 1] == b[n - 1])
		n--;
	return -n;
}

static u8 *put_frames(u8 *to, const struct profil_stack_last *last,
		      struct profil_stack_record *record)
{
	u32 keep = frames_kept(last, record), i = record->nframes - keep;
	u64 base = 0;

	record->keep = keep;
	to = put_number(to, keep);
	to = put_number(to, i);
	if (keep)
		base = last->frame[last->nframes - keep - (keep < last->nframes)];
	while (i--) {
		to = put_difference(to, record->frame[i], base);
		base = record->frame[i];
	}
	return to;
}

static noinline u8 *put_name(u8 *to, const char *name)
{
	u32 n = strnlen(name, PROFIL_STACK_NAME_BYTES);

	to = put_number(to, n);
	memcpy(to, name, n);
	return to + n;
}

/* Flags for all fields of the record. */
static u32 record_head(const struct profil_stack_encoder *stream,
		       const struct profil_stack_record *record)
{
	u32 head = record->flags & (PROFIL_STACK_KERNEL | PROFIL_STACK_SYSCALL |
				    PROFIL_STACK_GUESSED | PROFIL_STACK_MOVED |
				    PROFIL_STACK_NAME | PROFIL_STACK_WAIT |
				    PROFIL_STACK_RUNNABLE);

	if (!stream->begun)
		head |= PROFIL_STACK_RESET;
	if (record->thread != stream->thread)
		head |= PROFIL_STACK_THREAD;
	if (head & PROFIL_STACK_NAME)
		return head & (PROFIL_STACK_RESET | PROFIL_STACK_THREAD |
			       PROFIL_STACK_NAME);
	if (record->cpu != stream->cpu)
		head |= PROFIL_STACK_CPU;
	if (!(head & PROFIL_STACK_WAIT) && record->sample != stream->next)
		head |= PROFIL_STACK_SAMPLE;
	if (record->count > 1)
		head |= PROFIL_STACK_COUNT;
	if (record->count > 1 && record->span_us)
		head |= PROFIL_STACK_SPAN;
	if (record->end)
		head |= PROFIL_STACK_CUT;
	return head;
}

/* Fields that most records do not have. */
#define SELDOM	(PROFIL_STACK_CPU | PROFIL_STACK_SAMPLE | PROFIL_STACK_COUNT | \
		 PROFIL_STACK_SPAN | PROFIL_STACK_SYSCALL | PROFIL_STACK_CUT)

static noinline u8 *put_seldom(u8 *to, u32 head, const struct profil_stack_encoder *stream,
			       const struct profil_stack_record *record)
{
	if (head & PROFIL_STACK_CPU)
		to = put_number(to, record->cpu);
	if (head & PROFIL_STACK_SAMPLE)
		to = put_difference(to, record->sample, stream->next);
	if (head & PROFIL_STACK_COUNT)
		to = put_number(to, record->count - 2);
	if (head & PROFIL_STACK_SPAN)
		to = put_number(to, record->span_us);
	if (head & PROFIL_STACK_SYSCALL)
		to = put_number(to, record->syscall);
	if (head & PROFIL_STACK_CUT)
		to = put_number(to, record->end);
	return to;
}

static u8 *put_stack(u8 *to, u32 head, const struct profil_stack_encoder *stream,
		     const struct profil_stack_last *last,
		     struct profil_stack_record *record)
{
	if (head & SELDOM)
		to = put_seldom(to, head, stream, record);
	to = put_difference(to, record->time_us, stream->time_us);
	return put_frames(to, last, record);
}

/**
 * profil_stack_encode() - the bytes of a record.
 * @stream: the state after the records before
 * @last:   the last stack of the record's thread; NULL: none
 * @record: the record; out: its @keep
 * @to:     out: the record; room for PROFIL_STACK_RECORD_BYTES
 *
 * Return: the record's length.
 */
size_t profil_stack_encode(const struct profil_stack_encoder *stream,
			   const struct profil_stack_last *last,
			   struct profil_stack_record *record, u8 *to)
{
	u32 head = record_head(stream, record);
	/* Most records are short, with a size of one byte. */
	u8 *body = to + 1, *at = body;
	size_t size, i;

	/* The size's two bytes. */
	BUILD_BUG_ON(PROFIL_STACK_RECORD_BYTES >= 1 << 14);
	at = put_number(at, head);
	if (head & PROFIL_STACK_RESET)
		at = put_number(at, PROFIL_STACKS_VERSION);
	if (head & PROFIL_STACK_THREAD)
		at = put_number(at, record->thread);
	if (head & PROFIL_STACK_NAME)
		at = put_name(at, record->name);
	else
		at = put_stack(at, head, stream, stream->begun ? last : NULL, record);

	size = at - body;
	if (unlikely(size > 0x7f))
		for (i = size; i--;)
			body[i + 1] = body[i];
	return put_number(to, size) - to + size;
}

/**
 * profil_stack_encoded() - update the state after a record has been written.
 * @stream: the state it was encoded with; out: the state after it
 * @last:   the last stack of the record's thread, or NULL; out: the record's stack
 * @record: the record
 */
void profil_stack_encoded(struct profil_stack_encoder *stream,
			  struct profil_stack_last *last,
			  const struct profil_stack_record *record)
{
	u32 i, n;

	stream->begun = true;
	stream->thread = record->thread;
	if (record->flags & PROFIL_STACK_NAME)
		return;
	stream->cpu = record->cpu;
	if (!(record->flags & PROFIL_STACK_WAIT))
		stream->next = record->sample + record->count;
	stream->time_us = record->time_us;
	/* A record of one frame says nothing about the thread's next stack. */
	if (!last || record->nframes < 2)
		return;
	n = record->nframes - record->keep;
	/* With the same number of frames, those that were kept are in place already. */
	if (record->nframes != last->nframes)
		memmove(last->frame + n, last->frame + last->nframes - record->keep,
			record->keep * sizeof(last->frame[0]));
	last->nframes = record->nframes;
	for (i = 0; i < n; i++)
		last->frame[i] = record->frame[i];
}
