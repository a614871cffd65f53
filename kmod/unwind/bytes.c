// SPDX-License-Identifier: GPL-2.0-only
/*
 * Reads call frame information: the rare cases. DWARF 5, 7.6, and LSB 5.0 Core, "DWARF
 * Exception Header Encoding", define the encoding of numbers.
 */
#include <linux/compiler.h>
#include <linux/minmax.h>

#include "unwind/bytes.h"

/* Bytes that are read ahead are in the same page. */
#define PAGE_BYTES	4096U

/* The first error stays. Nothing is read after it. */
void profil_bytes_fail(struct profil_unwind *walk, enum profil_unwind_end why)
{
	if (!walk->end)
		walk->end = why;
	walk->ready = walk->next;
	walk->limit = walk->window_at + walk->next;
}

/* Continues at @at, up to @limit. */
void profil_bytes_seek(struct profil_unwind *walk, u64 at, u64 limit)
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
		profil_bytes_fail(walk, PROFIL_END_CFI);
}

/*
 * Fills the window with at least the next @n bytes. The bytes are counted here, so
 * operations, at least a byte each, are not counted separately.
 */
bool profil_bytes_fill(struct profil_unwind *walk, u32 n)
{
	u64 at = profil_bytes_position(walk);
	u32 bytes = PAGE_BYTES - (at & (PAGE_BYTES - 1));
	enum profil_unwind_end why = PROFIL_END_CFI;

	/* A number may cross into another page. */
	bytes = min_t(u32, bytes, PROFIL_CFI_WINDOW);
	bytes = bytes < n ? n : bytes;
	walk->window_at = at;
	walk->next = 0;
	walk->window_bytes = 0;
	if (walk->limit - at >= n)
		why = profil_bytes_count(walk, bytes);
	if (!why && walk->read(walk->ctx, at, walk->window, bytes))
		why = PROFIL_END_MEMORY;
	if (why) {
		profil_bytes_fail(walk, why);
		return false;
	}
	walk->window_bytes = bytes;
	walk->ready = min_t(u64, bytes, walk->limit - at);
	return true;
}

/* DWARF 5, 7.6: up to ten bytes. Bits beyond the 64th are lost. */
u64 profil_bytes_long_leb(struct profil_unwind *walk, bool is_signed,
			  u64 value)
{
	unsigned int shift = 7;
	u8 byte;

	do {
		if (shift > 63) {
			profil_bytes_fail(walk, PROFIL_END_CFI);
			return 0;
		}
		byte = profil_bytes_u8(walk);
		value |= (u64)(byte & 0x7f) << shift;
		shift += 7;
	} while (byte & 0x80);

	if (is_signed && shift < 64 && (byte & 0x40))
		value |= ~0ULL << shift;
	return value;
}

u64 profil_bytes_other_encoded(struct profil_unwind *walk, u8 format)
{
	bool is_signed = format & PROFIL_PE_SIGNED;

	switch (format & ~PROFIL_PE_SIGNED) {
	case PROFIL_PE_ABSPTR:
		return profil_bytes_fixed(walk, PROFIL_WORD, false);
	case PROFIL_PE_DATA8:
		return profil_bytes_fixed(walk, 8, false);
	case PROFIL_PE_LEB128:
		return is_signed ? profil_bytes_sleb(walk) : profil_bytes_uleb(walk);
	case PROFIL_PE_DATA2:
		return profil_bytes_fixed(walk, 2, is_signed);
	case PROFIL_PE_DATA4:
		return profil_bytes_fixed(walk, 4, is_signed);
	}
	profil_bytes_fail(walk, PROFIL_END_UNKNOWN);
	return 0;
}
