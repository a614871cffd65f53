// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Decodes stack streams, as <linux/profil_stacks.h> describes them. There is no
 * other decoder. Also compiled into the tools.
 *
 * The stream is not trusted. The decoder reads nothing outside it. Its memory is
 * bounded by the stream's length: 8 bytes for each frame that a record holds, and
 * 100 for each thread.
 */
#include "stack_decoder.h"
#include "last_stacks.h"

#include <endian.h>
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#pragma GCC visibility push(default)
#include <libprofil.h>
#pragma GCC visibility pop

struct profil_stacks {
	const uint8_t	*stream;
	size_t		bytes;
	size_t		at;
	bool		damaged;

	/* From the record before. */
	bool		begun;
	uint32_t	thread;
	uint32_t	cpu;
	uint64_t	next;
	uint64_t	time_us;

	struct last_stacks lasts;

	uint64_t	single;		/* the frame of a stack of one */
	char		name[PROFIL_STACK_NAME_BYTES + 1];
};

/* The rest of a record. */
struct rest {
	const uint8_t	*at;
	const uint8_t	*end;
	const uint8_t	*readable;	/* the end of the stream */
	bool		damaged;
};

static uint64_t take_bytes(struct rest *rest)
{
	uint64_t n = 0;
	unsigned int shift;
	uint8_t byte;

	for (shift = 0; shift < 64 && rest->at < rest->end; shift += 7) {
		byte = *rest->at++;
		/* The tenth byte has one bit. */
		if (shift == 63 && byte > 1)
			break;
		n |= (uint64_t)(byte & 0x7f) << shift;
		if (!(byte & 0x80))
			return n;
	}
	rest->damaged = true;
	return 0;
}

/* Takes eight bytes at once if they are there: a stack has many numbers. */
static uint64_t take_number(struct rest *rest)
{
	uint64_t n, ends;

	if (rest->readable - rest->at < 8)
		return take_bytes(rest);
	memcpy(&n, rest->at, sizeof(n));
	n = le64toh(n);
	ends = ~n & 0x8080808080808080;
	if (!ends)
		return take_bytes(rest);
	rest->at += __builtin_ctzll(ends) / 8 + 1;
	if (rest->at > rest->end) {
		rest->at = rest->end;
		rest->damaged = true;
		return 0;
	}
	n &= (ends ^ (ends - 1)) & 0x7f7f7f7f7f7f7f7f;
	n = (n & 0x007f007f007f007f) | (n & 0x7f007f007f007f00) >> 1;
	n = (n & 0x00003fff00003fff) | (n & 0x3fff00003fff0000) >> 2;
	return (n & 0x000000000fffffff) | (n & 0x0fffffff00000000) >> 4;
}

static uint32_t take_number32(struct rest *rest)
{
	uint64_t n = take_number(rest);

	if (n > UINT32_MAX)
		rest->damaged = true;
	return n;
}

static uint64_t take_difference(struct rest *rest)
{
	uint64_t n = take_number(rest);

	return n >> 1 ^ -(n & 1);
}

static void reset(struct profil_stacks *stacks)
{
	libprofil_last_stacks_free(&stacks->lasts);
	stacks->begun = true;
	stacks->thread = stacks->cpu = 0;
	stacks->next = stacks->time_us = 0;
}

/*
 * Puts the frames into the thread's last stack, which a stack of one frame does not
 * replace. 0: damaged, or no memory.
 */
static uint32_t take_frames(struct profil_stacks *stacks, struct rest *rest,
			    struct profil_stack *stack)
{
	uint64_t keep = take_number(rest), new = take_number(rest), base = 0;
	uint64_t *outermost = &stacks->single;
	struct last_stack *last;
	uint32_t n, i;

	if (rest->damaged || keep > PROFIL_STACK_FRAMES ||
	    new > PROFIL_STACK_FRAMES - keep || !(keep + new)) {
		rest->damaged = true;
		return 0;
	}
	n = keep + new;
	last = libprofil_last_stacks_of(&stacks->lasts, stacks->thread);
	if (!last)
		return 0;
	if (keep > last->nframes) {
		rest->damaged = true;
		return 0;
	}
	if (n > 1 && !libprofil_last_stacks_reserve(last, n))
		return 0;
	if (keep)
		base = last->frame[last->room - (keep < last->nframes ? keep + 1 : keep)];
	if (n > 1)
		outermost = &last->frame[last->room - 1];
	else if (keep)
		*outermost = last->frame[last->room - 1];
	for (i = keep; i < n; i++) {
		base += take_difference(rest);
		*(outermost - i) = base;
	}
	if (rest->damaged)
		return 0;
	if (n > 1)
		last->nframes = n;
	stack->frame = outermost - (n - 1);
	return n;
}

static void take_name(struct profil_stacks *stacks, struct rest *rest,
		      struct profil_stack *stack)
{
	uint64_t n = take_number(rest);

	if (rest->damaged || n > PROFIL_STACK_NAME_BYTES ||
	    n > (size_t)(rest->end - rest->at)) {
		rest->damaged = true;
		return;
	}
	memcpy(stacks->name, rest->at, n);
	stacks->name[n] = '\0';
	rest->at += n;
	stack->name = stacks->name;
}

/* False: damaged, or no memory. */
static bool take_stack(struct profil_stacks *stacks, uint32_t head, struct rest *rest,
		       struct profil_stack *stack)
{
	uint64_t sample = stacks->next, count = 1;

	if (head & PROFIL_STACK_CPU)
		stacks->cpu = take_number32(rest);
	if (head & PROFIL_STACK_SAMPLE)
		sample += take_difference(rest);
	if (head & PROFIL_STACK_COUNT)
		count = take_number(rest) + 2;
	if (head & PROFIL_STACK_SPAN)
		stack->span_ns = take_number(rest) * 1000;
	if (head & PROFIL_STACK_SYSCALL)
		stack->syscall = take_number32(rest);
	if (head & PROFIL_STACK_CUT)
		stack->end = take_number32(rest);
	stacks->time_us += take_difference(rest);
	if (!count || (head & PROFIL_STACK_COUNT && count == 1))
		rest->damaged = true;
	stack->nframes = take_frames(stacks, rest, stack);
	stack->cpu = stacks->cpu;
	stack->sample = sample;
	stack->count = count;
	stack->time_ns = stacks->time_us * 1000;
	if (!(head & PROFIL_STACK_WAIT))
		stacks->next = sample + count;
	return stack->nframes;
}

static bool head_makes_sense(const struct profil_stacks *stacks, uint64_t head)
{
	const uint32_t with_name = PROFIL_STACK_RESET | PROFIL_STACK_THREAD |
				   PROFIL_STACK_NAME;

	if (head & ~(uint64_t)PROFIL_STACK_KNOWN)
		return false;
	if (head & PROFIL_STACK_NAME && head & ~with_name)
		return false;
	if (head & PROFIL_STACK_SPAN && !(head & PROFIL_STACK_COUNT))
		return false;
	if (head & PROFIL_STACK_WAIT ? head & (PROFIL_STACK_SAMPLE | PROFIL_STACK_KERNEL) :
				       head & PROFIL_STACK_RUNNABLE)
		return false;
	return stacks->begun || head & PROFIL_STACK_RESET;
}

/* 1, or -1 and errno. */
static int take_record(struct profil_stacks *stacks, struct rest *rest,
		       struct profil_stack *stack)
{
	uint64_t head = take_number(rest);
	bool done = true;

	memset(stack, 0, sizeof(*stack));
	errno = ENOMEM;
	if (rest->damaged || !head_makes_sense(stacks, head))
		goto damaged;
	if (head & PROFIL_STACK_RESET) {
		reset(stacks);
		if (take_number(rest) != PROFIL_STACKS_VERSION)
			goto damaged;
	}
	if (head & PROFIL_STACK_THREAD)
		stacks->thread = take_number32(rest);
	stack->thread = stacks->thread;
	stack->flags = head & (PROFIL_STACK_RESET | PROFIL_STACK_KERNEL |
			       PROFIL_STACK_SYSCALL | PROFIL_STACK_GUESSED |
			       PROFIL_STACK_MOVED | PROFIL_STACK_NAME |
			       PROFIL_STACK_WAIT | PROFIL_STACK_RUNNABLE);
	if (head & PROFIL_STACK_NAME)
		take_name(stacks, rest, stack);
	else
		done = take_stack(stacks, head, rest, stack);
	if (rest->damaged || (done && rest->at != rest->end))
		goto damaged;
	return done ? 1 : -1;
damaged:
	errno = EBADMSG;
	return -1;
}

struct profil_stacks *profil_stacks_open(const void *stream, size_t bytes)
{
	struct profil_stacks *stacks = calloc(1, sizeof(*stacks));

	if (stacks) {
		stacks->stream = stream;
		stacks->bytes = bytes;
	}
	return stacks;
}

int profil_stacks_next(struct profil_stacks *stacks, struct profil_stack *stack)
{
	struct rest rest = {
		.at	= stacks->stream + stacks->at,
		.end	= stacks->stream + stacks->bytes,
		.readable = stacks->stream + stacks->bytes,
	};
	uint64_t size;

	if (stacks->damaged) {
		errno = EBADMSG;
		return -1;
	}
	if (rest.at == rest.end || !*rest.at)
		return 0;
	size = take_number(&rest);
	if (rest.damaged || !size || size > (size_t)(rest.end - rest.at)) {
		errno = EBADMSG;
		goto damaged;
	}
	rest.end = rest.at + size;
	if (take_record(stacks, &rest, stack) < 0)
		goto damaged;
	stacks->at = rest.end - stacks->stream;
	return 1;
damaged:
	/* Later records refer to this one, so they cannot be decoded. */
	stacks->damaged = true;
	return -1;
}

size_t profil_stacks_offset(const struct profil_stacks *stacks)
{
	return stacks->at;
}

void libprofil_stacks_continue(struct profil_stacks *stacks, const void *rest,
			       size_t bytes)
{
	stacks->stream = rest;
	stacks->bytes = bytes;
	stacks->at = 0;
}

void profil_stacks_close(struct profil_stacks *stacks)
{
	if (!stacks)
		return;
	libprofil_last_stacks_free(&stacks->lasts);
	free(stacks);
}
