// SPDX-License-Identifier: GPL-2.0-only
/*
 * Call frame information as it is read, but for what is so short and so frequent
 * that it is in the header. DWARF 5, 7.6, and LSB 5.0 Core, "DWARF Exception Header
 * Encoding", say how numbers are encoded.
 *
 * Layer: ground.
 */
#include <linux/compiler.h>
#include <linux/minmax.h>

#include "cfi_bytes.h"

/* User memory is read ahead up to here: what has one byte has all. */
#define PAGE_BYTES	4096U

/* The first error stays, and ends what is read. */
void profil_cfi_fail(struct profil_unwind *walk, enum profil_unwind_end why)
{
	if (!walk->end)
		walk->end = why;
	walk->ready = walk->next;
	walk->limit = walk->window_at + walk->next;
}

/* Call frame information is read from @at on, and not behind @limit. */
void profil_cfi_seek(struct profil_unwind *walk, u64 at, u64 limit)
{
	u64 in = at - walk->window_at;

	if (in >= walk->window_bytes) {
		walk->window_at = at;
		walk->window_bytes = 0;
		in = 0;
	}
	walk->next = in;
	walk->ready = min_t(u64, walk->window_bytes, limit - walk->window_at);
	walk->limit = limit;
	if (unlikely(limit < at || walk->end))
		profil_cfi_fail(walk, PROFIL_END_CFI);
}

/*
 * Reads ahead, at least the next @n bytes, which are not in the window. Bytes are
 * counted here so that operations need not be: none of them is shorter.
 */
bool profil_cfi_fill_window(struct profil_unwind *walk, u32 n)
{
	u64 at = profil_cfi_position(walk);
	u32 bytes = PAGE_BYTES - (at & (PAGE_BYTES - 1));
	enum profil_unwind_end why = PROFIL_END_CFI;

	/* A number may itself cross into another page. */
	bytes = min_t(u32, bytes, PROFIL_CFI_WINDOW);
	bytes = bytes < n ? n : bytes;
	walk->window_at = at;
	walk->next = 0;
	walk->window_bytes = 0;
	if (walk->limit - at >= n)
		why = profil_cfi_count(walk, bytes);
	if (!why && walk->read(walk->ctx, at, walk->window, bytes))
		why = PROFIL_END_MEMORY;
	if (why) {
		profil_cfi_fail(walk, why);
		return false;
	}
	walk->window_bytes = bytes;
	walk->ready = min_t(u64, bytes, walk->limit - at);

	return true;
}

/* DWARF 5, 7.6. Up to ten bytes; what does not fit in 64 bits is lost. */
u64 profil_cfi_take_long_leb(struct profil_unwind *walk, bool is_signed,
			     u64 value)
{
	unsigned int shift = 7;
	u8 byte;

	do {
		if (shift > 63) {
			profil_cfi_fail(walk, PROFIL_END_CFI);
			return 0;
		}
		byte = profil_cfi_take_u8(walk);
		value |= (u64)(byte & 0x7f) << shift;
		shift += 7;
	} while (byte & 0x80);

	if (is_signed && shift < 64 && (byte & 0x40))
		value |= ~0ULL << shift;

	return value;
}

u64 profil_cfi_take_other_encoded(struct profil_unwind *walk, u8 format)
{
	switch (format) {
	case PROFIL_PE_ABSPTR:
	case PROFIL_PE_UDATA8:
	case PROFIL_PE_SDATA8:
		return profil_cfi_take_u64(walk);
	case PROFIL_PE_ULEB128:
		return profil_cfi_take_uleb(walk);
	case PROFIL_PE_SLEB128:
		return profil_cfi_take_sleb(walk);
	case PROFIL_PE_UDATA2:
		return profil_cfi_take_u16(walk);
	case PROFIL_PE_SDATA2:
		return (u64)(s16)profil_cfi_take_u16(walk);
	case PROFIL_PE_UDATA4:
		return profil_cfi_take_u32(walk);
	}
	profil_cfi_fail(walk, PROFIL_END_UNKNOWN);

	return 0;
}
