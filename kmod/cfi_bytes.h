/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Call frame information as it is read: bytes, numbers and addresses.
 *
 * What is read belongs to the process and may be anything. So each operation
 * and each read is counted against a bound, every number is used as if it were
 * random, and an error is sticky: what reads on after it reads zeroes, to the end
 * of the entry.
 */
#ifndef _PROFIL_CFI_BYTES_H
#define _PROFIL_CFI_BYTES_H

#include <linux/compiler.h>
#include <linux/minmax.h>
#include <linux/string.h>
#include <linux/types.h>

#include "unwind_state.h"

/* LSB 5.0 Core, "DWARF Exception Header Encoding". */
enum {
	PROFIL_PE_ABSPTR	= 0x00,
	PROFIL_PE_ULEB128	= 0x01,
	PROFIL_PE_UDATA2	= 0x02,
	PROFIL_PE_UDATA4	= 0x03,
	PROFIL_PE_UDATA8	= 0x04,
	PROFIL_PE_SLEB128	= 0x09,
	PROFIL_PE_SDATA2	= 0x0a,
	PROFIL_PE_SDATA4	= 0x0b,
	PROFIL_PE_SDATA8	= 0x0c,
	PROFIL_PE_FORMAT	= 0x0f,
	PROFIL_PE_PCREL	= 0x10,
	PROFIL_PE_DATAREL	= 0x30,
};

void profil_cfi_fail(struct profil_unwind *walk, enum profil_unwind_end why);
void profil_cfi_seek(struct profil_unwind *walk, u64 at, u64 limit);
bool profil_cfi_fill_window(struct profil_unwind *walk, u32 n);
u64 profil_cfi_take_long_leb(struct profil_unwind *walk, bool is_signed, u64 value);
u64 profil_cfi_take_other_encoded(struct profil_unwind *walk, u8 format);

/* Where in memory the next byte is. */
static __always_inline u64 profil_cfi_position(const struct profil_unwind *walk)
{
	return walk->window_at + walk->next;
}

static __always_inline bool profil_cfi_is_at_limit(const struct profil_unwind *walk)
{
	return unlikely(walk->next == walk->ready) &&
	       profil_cfi_position(walk) == walk->limit;
}

/* What is read from here on ends after so many bytes. */
static __always_inline void profil_cfi_limit_to(struct profil_unwind *walk, u32 bytes)
{
	walk->limit = profil_cfi_position(walk) + bytes;
	walk->ready = min_t(u64, walk->window_bytes, walk->next + (u64)bytes);
	if (unlikely(walk->limit < bytes))
		profil_cfi_fail(walk, PROFIL_END_CFI);
}

/* So many steps more: may they be done? */
static __always_inline enum profil_unwind_end profil_cfi_count(struct profil_unwind *walk, u32 n)
{
	if (unlikely(walk->steps < walk->frame_steps + n))
		return walk->frame_steps ? PROFIL_END_OPS : PROFIL_END_STEPS;
	walk->steps -= n;

	return PROFIL_END_NONE;
}

/* The next @n bytes, at most 8. */
static __always_inline const u8 *profil_cfi_take(struct profil_unwind *walk, u32 n)
{
	static const u8 nothing[8];
	u32 in = walk->next;

	if (unlikely(walk->ready - in < n)) {
		if (!profil_cfi_fill_window(walk, n))
			return nothing;
		in = 0;
	}
	walk->next = in + n;

	return walk->window + in;
}

static __always_inline u8 profil_cfi_take_u8(struct profil_unwind *walk)
{
	return *profil_cfi_take(walk, 1);
}

static inline u16 profil_cfi_take_u16(struct profil_unwind *walk)
{
	u16 value;

	memcpy(&value, profil_cfi_take(walk, sizeof(value)), sizeof(value));
	return value;
}

static inline u32 profil_cfi_take_u32(struct profil_unwind *walk)
{
	u32 value;

	memcpy(&value, profil_cfi_take(walk, sizeof(value)), sizeof(value));
	return value;
}

static inline u64 profil_cfi_take_u64(struct profil_unwind *walk)
{
	u64 value;

	memcpy(&value, profil_cfi_take(walk, sizeof(value)), sizeof(value));
	return value;
}

static __always_inline u64 profil_cfi_take_uleb(struct profil_unwind *walk)
{
	u8 byte = profil_cfi_take_u8(walk);

	if (likely(!(byte & 0x80)))
		return byte;

	return profil_cfi_take_long_leb(walk, false, byte & 0x7f);
}

static inline u64 profil_cfi_take_sleb(struct profil_unwind *walk)
{
	u8 byte = profil_cfi_take_u8(walk);

	if (byte & 0x80)
		return profil_cfi_take_long_leb(walk, true, byte & 0x7f);

	return byte & 0x40 ? byte | ~0x7fULL : byte;
}

static __always_inline void profil_cfi_skip(struct profil_unwind *walk, u64 bytes)
{
	u64 at = profil_cfi_position(walk);

	if (likely(bytes <= walk->ready - walk->next))
		walk->next += bytes;
	else if (walk->limit - at < bytes)
		profil_cfi_fail(walk, PROFIL_END_CFI);
	else
		profil_cfi_seek(walk, at + bytes, walk->limit);
}

static __always_inline u64 profil_cfi_take_encoded(struct profil_unwind *walk, u8 format)
{
	/* What linkers write. */
	if (likely(format == PROFIL_PE_SDATA4))
		return (u64)(s32)profil_cfi_take_u32(walk);

	return profil_cfi_take_other_encoded(walk, format);
}

/* An address; 0 is not relative to anything. */
static __always_inline u64 profil_cfi_take_address(struct profil_unwind *walk, u8 encoding)
{
	u64 from = profil_cfi_position(walk);
	u64 value = profil_cfi_take_encoded(walk, encoding & PROFIL_PE_FORMAT);

	switch (encoding & ~PROFIL_PE_FORMAT) {
	case 0:
		return value;
	case PROFIL_PE_PCREL:
		return value ? from + value : 0;
	}
	profil_cfi_fail(walk, PROFIL_END_UNKNOWN);

	return 0;
}

#endif /* _PROFIL_CFI_BYTES_H */
