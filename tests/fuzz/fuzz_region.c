// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * libFuzzer target: any regions, at any pcs, as the slow reference says.
 *
 * The input is read as numbers: up to 31 regions field by field, then pcs till
 * the end.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <linux/limits.h>

#include "region_reference.h"

#define MAX_REGIONS	31
#define MAX_PCS		64

struct input {
	const u8 *data;
	size_t size;
};

static u64 take_bytes(struct input *in, size_t n)
{
	u64 value = 0;

	if (n > in->size)
		n = in->size;
	memcpy(&value, in->data, n);
	in->data += n;
	in->size -= n;

	return value;
}

/* A number of any length in few bytes: 0, 1, 2 or all 8 of them, shifted. */
static u64 take_number(struct input *in)
{
	static const u8 lengths[] = { 0, 1, 2, 8 };
	u8 how = take_bytes(in, 1);

	return take_bytes(in, lengths[how >> 6]) << (how & 63);
}

/* 0 to n: values of 0 to n - 1 are good ones. */
static u8 take_choice(struct input *in, u8 n)
{
	return take_bytes(in, 1) % (n + 1);
}

static struct profil_region take_region(struct input *in)
{
	struct profil_region r = {
		.width		= 2 << take_choice(in, 3),
		.index		= take_choice(in, 3),
		.at_limit	= take_choice(in, 3),
		.on_fault	= take_choice(in, 2),
		.buf		= take_number(in),
		.size		= take_number(in),
		.offset		= take_number(in),
		.scale		= take_number(in),
		.limit		= take_number(in),
	};
	u8 options = take_bytes(in, 1);

	if (options & 1)
		r.pc_start = r.offset + take_number(in);
	if (options & 2)
		r.pc_end = r.offset + take_number(in);
	if (options & 4)
		r.flags = take_number(in);
	if (options & 8)
		r.reserved = take_number(in);

	return r;
}

static struct profil_region catch_all(const struct profil_region *like)
{
	return (struct profil_region) {
		.buf	= like->buf,
		.size	= like->size,
		.width	= like->width,
		.index	= like->index,
		.flags	= PROFIL_REGION_CATCH_ALL,
	};
}

static void check(bool ok, const char *what)
{
	if (ok)
		return;
	fprintf(stderr, "%s differs from the reference\n", what);
	abort();
}

static void check_next(const struct profil_region *r, u64 old)
{
	struct profil_map *map = build_map(r, 1);
	u64 got = 0, want = 0;

	old &= U64_MAX >> (64 - 8 * r->width);
	check(profil_counter_next(map->region, old, &got) ==
	      reference_next(r, old, &want) && got == want, "counter");
	free(map);
}

static void check_numbers(const struct profil_region *r, u64 number)
{
	check_next(r, number);
	check_next(r, r->limit);
	check_next(r, r->limit - 1);
}

int LLVMFuzzerTestOneInput(const u8 *data, size_t size);

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	struct input in = { .data = data, .size = size };
	u8 head = take_bytes(&in, 1);
	u32 i, n = head % (MAX_REGIONS + 1);
	struct profil_region r[MAX_REGIONS];
	u64 pc[MAX_PCS];
	size_t npcs = 0;

	for (i = 0; i < n; i++)
		r[i] = take_region(&in);
	if (n && head & 0x80)
		r[n / 2] = catch_all(&r[n / 2]);
	if (n && head & 0x40)
		r[0] = catch_all(&r[0]);
	while (in.size && npcs < MAX_PCS)
		pc[npcs++] = take_number(&in);

	check((profil_regions_check(r, n, no_pause) == 0) == reference_valid(r, n),
	      "validity");
	if (!reference_valid(r, n))
		return 0;

	check(reference_agrees(r, n, pc, npcs), "map");
	for (i = 0; i < n && i < npcs; i++)
		check_numbers(&r[i], pc[i]);

	return 0;
}
