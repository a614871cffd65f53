// SPDX-License-Identifier: GPL-2.0-only
/* Finds the object of a pc, and, by its .eh_frame_hdr, the FDE. */
#include <linux/build_bug.h>
#include <linux/compiler.h>

#include "unwind/bytes.h"
#include "unwind/unwind.h"

const struct profil_object *profil_object_search(struct profil_unwind *walk, u64 pc)
{
	const struct profil_object *object = walk->objects->object;
	u32 low = 0, high = walk->objects->n;

	while (low < high) {
		u32 middle = low + (high - low) / 2;

		if (object[middle].start <= pc)
			low = middle + 1;
		else
			high = middle;
	}
	if (!low || pc >= object[low - 1].end)
		return NULL;
	walk->object = &object[low - 1];
	return walk->object;
}

/* .eh_frame_hdr as linkers make it: LSB 5.0 Core, "The .eh_frame_hdr section". */
struct hdr {
	u8	version;
	u8	frame_encoding;
	u8	count_encoding;
	u8	table_encoding;
	s32	frame;
	u32	count;
};

/* Can this table be searched? */
static bool is_searchable(const struct hdr *hdr)
{
	u8 frame = hdr->frame_encoding & PROFIL_PE_FORMAT & ~PROFIL_PE_SIGNED;

	return hdr->version == 1 && hdr->count_encoding == PROFIL_PE_DATA4 &&
	       hdr->table_encoding == (PROFIL_PE_DATAREL | PROFIL_PE_SDATA4) &&
	       frame == PROFIL_PE_DATA4;
}

/* Reads @n entries of the table, at most PROFIL_CFI_ENTRIES. */
static bool read_entries(struct profil_unwind *walk, u32 first, u32 n)
{
	enum profil_unwind_end why;

	why = profil_unwind_read(walk, walk->table + sizeof(struct hdr) +
				 (u64)sizeof(walk->entry[0]) * first,
				 walk->entry, n * sizeof(walk->entry[0]));
	if (why)
		profil_bytes_fail(walk, why);
	return !why;
}

/*
 * The last FDE that starts at or before pc. The last steps of the search use as many
 * entries as can be read at a time, unless @narrow has done them.
 */
static u64 search_table(struct profil_unwind *walk, u64 pc)
{
	u64 table = walk->table + sizeof(struct hdr);
	s64 distance = (s64)(pc - walk->table);
	u32 low = 0, high = walk->entries, i;

	/* Entry @low is the first one, or starts at or before pc; @high starts after pc. */
	for (;;) {
		u32 middle;

		if (walk->narrow && walk->narrow(table, distance, &low, &high, walk->entry))
			return walk->table + (u64)(s64)walk->entry[0].fde;
		if (high - low <= PROFIL_CFI_ENTRIES)
			break;
		middle = low + (high - low) / 2;
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
	profil_bytes_fail(walk, PROFIL_END_NO_ROW);
	return 0;
}

/* Opens a table that the last search did not use. */
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
		profil_bytes_fail(walk, why);
		return false;
	}
	walk->table = at;
	walk->entries = hdr.count;
	return true;
}

/*
 * The address of the last FDE that starts at or before @pc; 0: the walk has ended. @at is
 * the address of .eh_frame_hdr, mostly that of the last search; 0: there is none.
 */
u64 profil_object_fde(struct profil_unwind *walk, u64 at, u64 pc)
{
	if (unlikely(at != walk->table) && !open_table(walk, at))
		return 0;
	return search_table(walk, pc);
}
