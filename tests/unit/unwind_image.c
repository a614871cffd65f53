// SPDX-License-Identifier: LGPL-2.1-or-later
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "unwind_image.h"

#define TABLE_BYTES	(12 + 8 * IMAGE_FUNCTIONS)

#ifdef PROFIL_MACHINE_ARM64
/* blr x0; bl to 64 bytes before it; and what handlers of signals return to. */
static const u32 CALL[] = { 0xd63f0000, 0x97fffff0, 0xd2801168, 0xd4000001 };
#define COLUMN_RA	30
#elif defined(PROFIL_MACHINE_RISCV64)
/* jalr a0; jal to 64 bytes before it. What handlers return to is in no function with rows. */
static const u32 CALL[] = { 0x000500e7, 0xfc1ff0ef };
#define COLUMN_RA	1
#else
static const u8 CALL[] = { 0xff, 0xd0 };
#define COLUMN_RA	(PROFIL_WORD == 4 ? 8 : PROFIL_REG_PC)
#endif

static const u8 *image_at(const struct image *image, u64 addr, size_t n)
{
	const struct { u64 at; const void *bytes; size_t n; } piece[] = {
		{ IMAGE_TEXT, image->text, sizeof(image->text) },
		{ IMAGE_DATA, image->data, sizeof(image->data) },
		{ IMAGE_STACK, image->stack, sizeof(image->stack) },
	};

	if (image->unreadable && image->unreadable - addr < n)
		return NULL;
	for (size_t i = 0; i < sizeof(piece) / sizeof(piece[0]); i++)
		if (addr - piece[i].at < piece[i].n && piece[i].n - (addr - piece[i].at) >= n)
			return (const u8 *)piece[i].bytes + (addr - piece[i].at);
	return NULL;
}

static int image_read(void *ctx, u64 addr, void *to, size_t n)
{
	struct image *image = ctx;
	const u8 *from = image_at(image, addr, n);
	u64 here = (u64)__builtin_frame_address(0);

	if (n > PROFIL_UNWIND_READ)
		abort();
	if (here < image->deepest)
		image->deepest = here;
	image->reads++;
	if (!from)
		return -EFAULT;
	memcpy(to, from, n);
	return 0;
}

static const struct image *narrowed;

static bool image_narrow(u64 table, s64 distance, u32 *low, u32 *high, struct profil_cfi_entry *found)
{
	for (;;) {
		u32 middle = *low + (*high - *low) / 2;
		const u8 *at = image_at(narrowed, table + sizeof(*found) * middle, sizeof(*found));

		if (!at)
			return false;
		memcpy(found, at, sizeof(*found));
		if (*high - *low < 2)
			return *high > *low && found->start <= distance;
		*(found->start > distance ? high : low) = middle;
	}
}

static bool image_word_is(struct image *image, u64 addr, profil_unwind_word wanted)
{
	const u8 *at = image_at(image, addr, sizeof(wanted));

	return at && !memcmp(at, &wanted, sizeof(wanted));
}

/* What may be read is between the first frame's SP and the last one's. */
static u32 image_same(void *ctx, const struct profil_passed *frame, u32 n)
{
	const struct profil_passed *at, *last = frame + n - 1;
	u64 bytes = frame->sp - last->sp;

	if (!n || n > PROFIL_TRAIL_FRAMES || frame->fp_at)
		abort();
	for (at = last; at != frame; at--) {
		u64 pc = profil_passed_pc_at(at) - last->sp, fp = at->fp_at - last->sp;

		((struct image *)ctx)->looks++;
		if (at[-1].sp <= at->sp || pc >= bytes || bytes - pc < PROFIL_WORD ||
		    at[-1].sp % PROFIL_WORD || at->fp_at % PROFIL_WORD ||
		    (at->fp_at && (fp >= bytes || bytes - fp < PROFIL_WORD)))
			abort();
		if (!image_word_is(ctx, profil_passed_pc_at(at), at[-1].pc) ||
		    (at->fp_at && !image_word_is(ctx, at->fp_at, at[-1].fp)))
			break;
	}
	return at - frame;
}

static void image_bytes(struct image *image, const void *bytes, u32 n)
{
	if (image->bytes + n > sizeof(image->data))
		abort();
	memcpy(image->data + image->bytes, bytes, n);
	image->bytes += n;
}

static void image_u8(struct image *image, u8 value)
{
	image_bytes(image, &value, sizeof(value));
}

static void image_u32(struct image *image, u32 value)
{
	image_bytes(image, &value, sizeof(value));
}

void image_init(struct image *image)
{
	static const u8 head[4] = { 1, 0x1b, 0x03, 0x3b };

	memset(image, 0, sizeof(*image));
	image->object = (struct profil_object) {
		.start = IMAGE_TEXT, .end = IMAGE_END, .eh_frame_hdr = IMAGE_DATA,
	};
	image->objects = (struct profil_unwind_objects) {
		.object = &image->object, .n = 1, .generation = 1,
	};
	for (size_t i = 0; i < sizeof(image->text); i += sizeof(CALL))
		memcpy(image->text + i, CALL, sizeof(CALL));
	image_bytes(image, head, sizeof(head));
	image->bytes = TABLE_BYTES;
	image->walk.objects = &image->objects;
	image->walk.read = image_read;
	image->walk.passed = image->passed;
	image->walk.same = image_same;
	image->walk.ctx = image;
	image->walk.pc_mask = (1ULL << 48) - 1;
}

/* An entry's length is known at its end. */
static void image_close(struct image *image, u32 at)
{
	u32 bytes;

	while (image->bytes % 8 != 4)
		image_u8(image, 0);
	bytes = image->bytes - at - 4;
	memcpy(image->data + at, &bytes, sizeof(bytes));
}

void image_cie(struct image *image, const char *letters, const void *ops, u32 n)
{
	const char *letter;

	image->cie = image->bytes;
	image_u32(image, 0);
	image_u32(image, 0);
	image_u8(image, 1);
	image_bytes(image, letters, strlen(letters) + 1);
	image_u8(image, 1);
	image_u8(image, 0x80 - PROFIL_WORD);
	image_u8(image, COLUMN_RA);
	if (letters[0] == 'z')
		image_u8(image, (strchr(letters, 'R') ? 1 : 0) + (strchr(letters, 'L') ? 1 : 0) +
				(strchr(letters, 'P') ? 5 : 0));
	for (letter = letters; *letter; letter++) {
		if (*letter == 'R' || *letter == 'L')
			image_u8(image, 0x1b);
		if (*letter == 'P')
			image_bytes(image, "\x1b\1\2\3\4", 5);
	}
	image_bytes(image, ops, n);
	image_close(image, image->cie);
}

static void image_entry(struct image *image, u64 start, u64 fde)
{
	s32 entry[2] = { start - IMAGE_DATA, fde - IMAGE_DATA };
	u32 at = 12 + 8 * image->functions++;

	memcpy(image->data + at, entry, sizeof(entry));
	memcpy(image->data + 8, &image->functions, sizeof(image->functions));
}

void image_function(struct image *image, const void *ops, u32 n)
{
	u64 start = FUNCTION(image->functions);
	u32 at = image->bytes;

	image_u32(image, 0);
	image_u32(image, image->bytes - image->cie);
	image_u32(image, start - (IMAGE_DATA + image->bytes));
	image_u32(image, FUNCTION_BYTES);
	if (image->data[image->cie + 9] == 'z')
		image_u8(image, 0);
	image_bytes(image, ops, n);
	image_close(image, at);
	image_entry(image, start, IMAGE_DATA + at);
}

void image_registers(struct image *image, u64 pc, u64 sp, u64 fp)
{
	struct profil_unwind_regs *regs = &image->walk.regs;

	for (int i = 0; i < PROFIL_REGS; i++)
		regs->reg[i] = i;
	regs->reg[PROFIL_REG_PC] = pc;
	regs->reg[PROFIL_REG_SP] = sp;
	regs->reg[PROFIL_REG_FP] = fp;
	regs->known = (1ULL << PROFIL_REGS) - 1;
}

u32 image_walk(struct image *image, u64 *pc, u32 max)
{
	image->reads = 0;
	image->looks = 0;
	image->outside = (u64)__builtin_frame_address(0);
	image->deepest = image->outside;
	image->walk.narrow = image_narrow;
	narrowed = image;
	return profil_unwind_frames(&image->walk, pc, max);
}
