// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * libFuzzer target: walks with hostile call frame information, registers and
 * stacks. Whatever they are, a walk ends within its bounds, and finds the same
 * with rules and trails that are kept as without, also after the stack has changed.
 *
 * The first byte says what the rest is: all of the object's data, header and
 * all; or the operations of four functions that are otherwise as they should
 * be, cut at each 0xff.
 */
#include "fuzz.h"
#include "unwind_image.h"

#define SETS	2

/* The stack: return addresses, pointers into itself, and other words. */
static void fill_stack(struct image *image, u32 seed)
{
	for (u32 i = 0; i < 256; i++) {
		seed = seed * 1664525 + 1013904223;
		switch (seed >> 30) {
		case 0:
			image->stack[i] = WORD((seed >> 8) % 512);
			break;
		case 1:
			image->stack[i] = seed >> 16;
			break;
		default:
			image->stack[i] = FUNCTION(seed >> 24 & 3) + (seed >> 8) % 256;
		}
	}
}

static void raw_image(struct image *image, const u8 *data, size_t size)
{
	image_init(image);
	memcpy(image->data, data, size);
	memcpy(image->text + (FUNCTION(0) - IMAGE_TEXT), data, size % 1024);
	/* Its table may well be found. */
	if (size && data[0] & 1)
		memcpy(image->data, "\1\x1b\3\x3b", 4);
}

static void functions_image(struct image *image, const u8 *data, size_t size)
{
	const u8 *end = data + size;

	image_init(image);
	for (int i = 0; i < 5; i++) {
		const u8 *next = data < end ? memchr(data, 0xff, end - data) : NULL;
		u32 n = (next ? next : end) - data;

		if (!i)
			image_cie(image, "zR", OPS(CIE));
		else
			image_function(image, data, n);
		/* Signals, too. */
		if (i == 2)
			image_cie(image, "zRS", OPS(CIE));
		if (i)
			data = next ? next + 1 : end;
	}
}

static void check(bool ok, const char *what)
{
	if (ok)
		return;
	fprintf(stderr, "%s\n", what);
	abort();
}

static u32 walk(struct image *image, u64 *pc, u8 where, struct profil_rules *rules)
{
	u32 n;

	memset(pc, 0, PROFIL_STACK_FRAMES * sizeof(*pc));
	image_registers(image, FUNCTION(where & 3) + (where >> 2), WORD(8),
			WORD(16 + (where & 63)));
	/* Signed. */
	if (PROFIL_HAS_LINK)
		image->walk.regs.reg[PROFIL_COLUMN_RA] =
			(FUNCTION(where >> 6) + (where & 0x3c)) | 5ULL << 48;
	image->walk.regs.known |= where & 1 ? PROFIL_KNOWN_THREAD : 0;
	image->walk.thread = WORD(where);
	image->walk.rules = rules;
	n = image_walk(image, pc, PROFIL_STACK_FRAMES);
	check(image->walk.end > PROFIL_END_NONE && image->walk.end < PROFIL_ENDS, "no end");
	check(n >= 1 && n <= PROFIL_STACK_FRAMES, "too many frames");
	check(image->walk.steps <= PROFIL_UNWIND_STEPS &&
	      image->reads <= PROFIL_UNWIND_STEPS - image->walk.steps + n,
	      "more reads than counted");
	return n;
}

/* Of a stack of which each time another word is different. */
static void walk_trails(struct image *image, u8 where, struct profil_rules *rules)
{
	static struct profil_trail trail;
	u64 cold[PROFIL_STACK_FRAMES], trailed[PROFIL_STACK_FRAMES];
	enum profil_unwind_end end;
	u32 n;

	memset(&trail, 0, sizeof(trail));
	for (u32 i = 0; i < 8; i++) {
		image->walk.trail = NULL;
		image->walk.cie_bytes = 0;
		n = walk(image, cold, where, rules);
		end = image->walk.end;
		image->walk.trail = &trail;
		if (end == PROFIL_END_STEPS)
			continue;
		walk(image, trailed, where + (i & 1), rules);
		/* To know another CIE, or not, changes the number of steps. */
		image->walk.cie_bytes = 0;
		check(walk(image, trailed, where, rules) == n, "another depth with a trail");
		check(image->walk.end == end, "another end with a trail");
		check(!memcmp(cold, trailed, sizeof(cold)), "another stack with a trail");
		if (i & 1)
			image->stack[(where * 7 + i * i) % 64] ^= i & 2 ? 8 : 256;
	}
	image->walk.trail = NULL;
}

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	static struct image image;
	static struct profil_rule rule[SETS * PROFIL_RULE_WAYS];
	struct profil_rules rules = { .mask = SETS - 1, .rule = rule };
	u64 cold[PROFIL_STACK_FRAMES], cached[PROFIL_STACK_FRAMES];
	enum profil_unwind_end end;
	u32 n;

	if (size < 3 || size > IMAGE_DATA_BYTES / 2)
		return 0;
	if (data[0] & 1)
		raw_image(&image, data + 2, size - 2);
	else
		functions_image(&image, data + 2, size - 2);
	fill_stack(&image, data[0] << 8 | data[1]);

	memset(rule, 0, sizeof(rule));
	n = walk(&image, cold, data[1], NULL);
	end = image.walk.end;
	for (int i = 0; i < 2 && end != PROFIL_END_STEPS; i++) {
		image.walk.cie_bytes = 0;
		check(walk(&image, cached, data[1], &rules) == n, "another depth");
		check(image.walk.end == end, "another end");
		check(!memcmp(cold, cached, sizeof(cold)), "another stack");
	}
	walk_trails(&image, data[1], &rules);
	return 0;
}
