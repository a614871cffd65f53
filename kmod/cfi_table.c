// SPDX-License-Identifier: GPL-2.0-only
/*
 * .eh_frame_hdr: which FDE is a pc's. LSB 5.0 Core, "The .eh_frame_hdr section".
 *
 * Layer: ground.
 */
#include <linux/build_bug.h>
#include <linux/compiler.h>

#include "cfi_bytes.h"
#include "cfi_table.h"

/* .eh_frame_hdr as linkers make it: LSB 5.0 Core, "The .eh_frame_hdr section". */
struct hdr {
	u8	version;
	u8	frame_encoding;
	u8	count_encoding;
	u8	table_encoding;
	s32	frame;
	u32	count;
};

/* Is this the form whose table can be searched? */
static bool is_searchable(const struct hdr *hdr)
{
	u8 frame = hdr->frame_encoding & PROFIL_PE_FORMAT;

	return hdr->version == 1 && hdr->count_encoding == PROFIL_PE_UDATA4 &&
	       hdr->table_encoding == (PROFIL_PE_DATAREL | PROFIL_PE_SDATA4) &&
	       (frame == PROFIL_PE_UDATA4 || frame == PROFIL_PE_SDATA4);
}

/* @n entries of the table, at most PROFIL_CFI_ENTRIES. */
static bool read_entries(struct profil_unwind *walk, u32 first, u32 n)
{
	enum profil_unwind_end why;

	why = profil_unwind_read(walk, walk->table + sizeof(struct hdr) +
			      (u64)sizeof(walk->entry[0]) * first,
			walk->entry, n * sizeof(walk->entry[0]));
	if (why)
		profil_cfi_fail(walk, why);

	return !why;
}

/*
 * The FDE that is the last to start at or before pc. The last steps of the search
 * are done in as many entries as can be read at a time.
 */
static u64 search_table(struct profil_unwind *walk, u64 pc)
{
	s64 distance = (s64)(pc - walk->table);
	u32 low = 0, high = walk->entries, i;

	/* Entry @low is not behind pc, or the first; @high is behind it. */
	while (high - low > PROFIL_CFI_ENTRIES) {
		u32 middle = low + (high - low) / 2;

		if (!read_entries(walk, middle, 1))
			return 0;
		if (walk->entry[0].start > distance)
			high = middle;
		else
			low = middle;
	}
	if (high > low && !read_entries(walk, low, high - low))
		return 0;
	for (i = low > 0; i < high - low; i++)
		if (walk->entry[i].start > distance)
			break;
	if (i)
		return walk->table + (u64)(s64)walk->entry[i - 1].fde;
	profil_cfi_fail(walk, PROFIL_END_NO_ROW);

	return 0;
}

/* Another header than that of the last search. */
static noinline bool open_table(struct profil_unwind *walk, u64 at)
{
	enum profil_unwind_end why = PROFIL_END_NO_TABLE;
	struct hdr hdr;

	BUILD_BUG_ON(sizeof(struct hdr) != 12);
	BUILD_BUG_ON(sizeof(walk->entry) != sizeof(walk->window));
	if (at)
		why = profil_unwind_read(walk, at, &hdr, sizeof(hdr));
	if (!why && !is_searchable(&hdr))
		why = PROFIL_END_TABLE;
	if (why) {
		profil_cfi_fail(walk, why);
		return false;
	}
	walk->table = at;
	walk->entries = hdr.count;

	return true;
}

/**
 * profil_cfi_table_find() - the FDE of a pc.
 * @walk: a walk. Its table is that of the last search, most often.
 * @at:   address of .eh_frame_hdr; 0 for none.
 * @pc:   a pc of that object.
 *
 * Return: address of the last FDE that starts at or before the pc; or 0, and @walk
 * has ended.
 */
u64 profil_cfi_table_find(struct profil_unwind *walk, u64 at, u64 pc)
{
	if (unlikely(at != walk->table) && !open_table(walk, at))
		return 0;

	return search_table(walk, pc);
}
