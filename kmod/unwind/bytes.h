/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Reads call frame information: bytes, numbers and addresses.
 *
 * The process controls all of it. So each read is counted against a bound, each number
 * may have any value, and the first error stays: later reads return zeroes, up to the
 * end of the entry.
 */
#ifndef _PROFIL_CFI_BYTES_H
#define _PROFIL_CFI_BYTES_H

#include <linux/compiler.h>
#include <linux/minmax.h>
#include <linux/string.h>
#include <linux/types.h>

#include "unwind/unwind.h"

/* LSB 5.0 Core, "DWARF Exception Header Encoding". */
enum {
	PROFIL_PE_ABSPTR	= 0x00,
	PROFIL_PE_LEB128	= 0x01,
	PROFIL_PE_DATA2		= 0x02,
	PROFIL_PE_DATA4		= 0x03,
	PROFIL_PE_DATA8		= 0x04,
	PROFIL_PE_SIGNED	= 0x08,
	PROFIL_PE_FORMAT	= 0x0f,
	PROFIL_PE_PCREL		= 0x10,
	PROFIL_PE_DATAREL	= 0x30,
	PROFIL_PE_SDATA4	= PROFIL_PE_SIGNED | PROFIL_PE_DATA4,
};

void profil_bytes_fail(struct profil_unwind *walk, enum profil_unwind_end why);
void profil_bytes_seek(struct profil_unwind *walk, u64 at, u64 limit);
bool profil_bytes_fill(struct profil_unwind *walk, u32 n);
u64 profil_bytes_long_leb(struct profil_unwind *walk, bool is_signed, u64 value);
u64 profil_bytes_other_encoded(struct profil_unwind *walk, u8 format);

/* The address of the next byte. */
static __always_inline u64 profil_bytes_position(const struct profil_unwind *walk)
{
	return walk->window_at + walk->next;
}

static __always_inline bool profil_bytes_at_limit(const struct profil_unwind *walk)
{
	return unlikely(walk->next == walk->ready) &&
	       profil_bytes_position(walk) == walk->limit;
}

/* Reads end after @bytes from here. */
static __always_inline void profil_bytes_limit(struct profil_unwind *walk, u64 bytes)
{
	walk->limit = profil_bytes_position(walk) + bytes;
	walk->ready = min_t(u64, walk->window_bytes, walk->next + bytes);
	if (unlikely(walk->limit < bytes))
		profil_bytes_fail(walk, PROFIL_END_CFI);
}

/* Counts @n steps. Returns PROFIL_END_NONE unless that exceeds a bound. */
static __always_inline enum profil_unwind_end profil_bytes_count(struct profil_unwind *walk, u32 n)
{
	if (unlikely(walk->steps < walk->frame_steps + n))
		return walk->frame_steps ? PROFIL_END_OPS : PROFIL_END_STEPS;
	walk->steps -= n;
	return PROFIL_END_NONE;
}

/* The next @n bytes, at most 8. */
static __always_inline const u8 *profil_bytes_take(struct profil_unwind *walk, u32 n)
{
	static const u8 nothing[8];
	u32 in = walk->next;

	if (unlikely(walk->ready - in < n)) {
		if (!profil_bytes_fill(walk, n))
			return nothing;
		in = 0;
	}
	walk->next = in + n;
	return walk->window + in;
}

static __always_inline u8 profil_bytes_u8(struct profil_unwind *walk)
{
	return *profil_bytes_take(walk, 1);
}

static __always_inline u64
profil_bytes_fixed(struct profil_unwind *walk, u32 bytes, bool is_signed)
{
	u32 shift = 64 - 8 * bytes;
	u64 value = 0;

	memcpy(&value, profil_bytes_take(walk, bytes), bytes);
	return is_signed ? (u64)((s64)(value << shift) >> shift) : value;
}

static __always_inline u64 profil_bytes_uleb(struct profil_unwind *walk)
{
	u8 byte = profil_bytes_u8(walk);

	if (likely(!(byte & 0x80)))
		return byte;
	return profil_bytes_long_leb(walk, false, byte & 0x7f);
}

static inline u64 profil_bytes_sleb(struct profil_unwind *walk)
{
	u8 byte = profil_bytes_u8(walk);

	if (byte & 0x80)
		return profil_bytes_long_leb(walk, true, byte & 0x7f);
	return byte & 0x40 ? byte | ~0x7fULL : byte;
}

static __always_inline void profil_bytes_skip(struct profil_unwind *walk, u64 bytes)
{
	u64 at = profil_bytes_position(walk);

	if (likely(bytes <= walk->ready - walk->next))
		walk->next += bytes;
	else if (walk->limit - at < bytes)
		profil_bytes_fail(walk, PROFIL_END_CFI);
	else
		profil_bytes_seek(walk, at + bytes, walk->limit);
}

static __always_inline u64 profil_bytes_encoded(struct profil_unwind *walk, u8 format)
{
	/* The format that linkers write. */
	if (likely(format == PROFIL_PE_SDATA4))
		return profil_bytes_fixed(walk, 4, true);
	return profil_bytes_other_encoded(walk, format);
}

/* An address. 0 stays 0. */
static __always_inline u64 profil_bytes_address(struct profil_unwind *walk, u8 encoding)
{
	u64 from = profil_bytes_position(walk);
	u64 value = profil_bytes_encoded(walk, encoding & PROFIL_PE_FORMAT);

	switch (encoding & ~PROFIL_PE_FORMAT) {
	case 0:
		return value;
	case PROFIL_PE_PCREL:
		return value ? (profil_unwind_word)(from + value) : 0;
	}
	profil_bytes_fail(walk, PROFIL_END_UNKNOWN);
	return 0;
}

#endif /* _PROFIL_CFI_BYTES_H */
