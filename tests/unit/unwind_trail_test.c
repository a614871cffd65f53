// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Trails: whatever becomes of the stack, of registers and of objects from one walk to
 * the next, a walk with the trail of those before finds just what it finds without.
 */
#include "unwind_image.h"
#include "unit.h"

/* Functions of the image. */
enum {
	OUTERMOST,	/* no caller */
	SAVES,		/* rbx and rbp, in a frame of 24 bytes */
	BY_FP,		/* rbp is its frame pointer */
	NOTHING,	/* calls, and that is all */
	ALIGNED,	/* CFA is *(rbp-8) */
	BY_RBX,		/* CFA is rbx+16 */
	SIGNAL,
	DEREF,		/* CFA is *(rsp+16) */
	BELOW,		/* rbp is saved below rsp */
	FORGETS,	/* rbp is lost */
	TWICE,		/* return address in the second word, too, and there it counts */
	FUNCTIONS,
	MADE = FUNCTIONS,	/* at run time: in no object, with a frame pointer */
};

#define MADE_CODE	(IMAGE_END + 0x1000)
#define TOP		4000U

/* As in trail.c. */
#define OTHERS		4
#define MISSES		4
#define SELDOM		16

struct frame {
	u32	function;
	u64	sp, fp;
};

static struct image image;
static struct profil_trail trail;
static struct frame frame[1024];
static u32 nframes;
static u64 got[PROFIL_STACK_FRAMES], want[PROFIL_STACK_FRAMES];
static u32 joined;

static u32 seed = 1;

static u32 any(u32 n)
{
	seed = seed * 1664525 + 1013904223;
	return (u32)((u64)n * seed >> 32);
}

static u64 *word(u64 addr)
{
	return &image.stack[(addr - IMAGE_STACK) / 8];
}

/* Of frame @i, behind its call. */
static u64 pc_of(u32 i)
{
	return frame[i].function == MADE ? MADE_CODE + 20 : FUNCTION(frame[i].function) + 20;
}

static void new_process(void)
{
	image_init(&image);
	image_cie(&image, "zR", OPS(CIE));
	image_function(&image, OPS("\x07\x10"));
	image_function(&image, OPS("\x0e\x18\x83\x02\x86\x03"));
	image_function(&image, OPS("\x86\x02\x0c\x06\x10"));
	image_function(&image, OPS(""));
	image_function(&image, OPS("\x0f\x03\x76\x78\x06\x10\x06\x02\x76\x00"));
	image_function(&image, OPS("\x0c\x03\x10"));
	image_cie(&image, "zRS", OPS(CIE));
	/* CFA is *(rsp+16); the pc at rsp+8, rsp at rsp+16, rbp at rsp+24. */
	image_function(&image, OPS("\x0f\x03\x77\x10\x06\x10\x10\x02\x77\x08"
				   "\x10\x07\x02\x77\x10\x10\x06\x02\x77\x18"));
	image_cie(&image, "zR", OPS(CIE));
	image_function(&image, OPS("\x0f\x03\x77\x10\x06"));
	image_function(&image, OPS("\x86\x03"));
	image_function(&image, OPS("\x07\x06"));
	image_function(&image, OPS("\x0e\x10\x90\x02"));
	memset(&trail, 0, sizeof(trail));
	frame[0] = (struct frame) { OUTERMOST, WORD(TOP), 0 };
	nframes = 1;
	joined = 0;
}

/* The last function calls another. Its frame has room for more. */
static void call(u32 function, u32 room)
{
	struct frame *of = &frame[nframes - 1], *to = &frame[nframes];
	u64 sp = of->sp - 8;

	*word(sp) = pc_of(nframes - 1);
	*to = (struct frame) { function, sp, of->fp };
	switch (function) {
	case SAVES:
		to->sp = sp - 16;
		*word(sp - 8) = any(1000);
		*word(sp - 16) = of->fp;
		/* It has another use for it. */
		to->fp = any(2) ? any(1000) : of->fp;
		break;
	case BY_FP:
	case MADE:
		to->fp = sp - 8;
		*word(sp - 8) = of->fp;
		to->sp = sp - 8 - 8 * room;
		break;
	case ALIGNED:
		to->fp = sp - 8;
		*word(sp - 8) = of->fp;
		*word(sp - 16) = sp + 8;
		to->sp = sp - 16 - 8 * room;
		break;
	case SIGNAL:
		/* It interrupts what would have called. */
		*word(sp) = of->fp;
		*word(sp - 8) = of->sp;
		*word(sp - 16) = pc_of(nframes - 1) + 1;
		to->sp = sp - 24;
		break;
	case DEREF:
		*word(sp - 8) = of->sp;
		to->sp = sp - 24;
		break;
	case BELOW:
		*word(sp - 16) = of->fp;
		break;
	case TWICE:
		*word(sp - 8) = *word(sp);
		to->sp = sp - 8;
		break;
	}
	nframes++;
}

static bool has_uncommon(void)
{
	for (u32 i = 0; i < nframes; i++)
		if (frame[i].function > BY_RBX)
			return true;
	return false;
}

static u32 walk_from(u64 pc, u64 sp, u64 fp, u64 *to, u32 max)
{
	memset(to, 0, PROFIL_STACK_FRAMES * sizeof(*to));
	image_registers(&image, pc, sp, fp);
	image.walk.regs.reg[3] = sp;
	return image_walk(&image, to, max);
}

static u32 assert_same_from(u64 pc, u64 sp, u64 fp, u32 max)
{
	enum profil_unwind_end end;
	u32 n, kept = trail.nframes;
	bool guessed;

	image.walk.trail = NULL;
	n = walk_from(pc, sp, fp, want, max);
	end = image.walk.end;
	guessed = image.walk.guessed;
	image.walk.trail = &trail;
	trail.missed = 1;
	assert_int_equal(walk_from(pc, sp, fp, got, max), n);
	assert_int_equal(image.walk.end, end);
	assert_int_equal(image.walk.guessed, guessed);
	assert_memory_equal(got, want, sizeof(got));
	/* None is compared twice. */
	assert_in_range(image.looks, 0, kept);
	joined += !trail.missed;
	return n;
}

/* From the innermost frame. */
static u32 assert_same(void)
{
	const struct frame *last = &frame[nframes - 1];

	return assert_same_from(pc_of(nframes - 1), last->sp, last->fp, PROFIL_STACK_FRAMES);
}

/* The stack is complete, and so many of its frames have been found by walking. */
static void assert_walked(u32 frames)
{
	assert_int_equal(assert_same(), nframes);
	assert_int_equal(image.walk.end, PROFIL_END_OUTERMOST);
	assert_int_equal(trail.npassed + 1, frames);
}

static void calls(u32 function, u32 n)
{
	while (n--)
		call(function, any(4));
}

/* Each word of the stack in turn, to whatever leads somewhere. */
static void change_any_word(void)
{
	const u64 value[] = { 0, 1, -1ULL, FUNCTION(SAVES) + 20, FUNCTION(BY_FP) + 20,
			FUNCTION(NOTHING) + 20, FUNCTION(OUTERMOST) + 20, FUNCTION(ALIGNED) + 20,
			WORD(TOP), IMAGE_END };
	u64 old;

	for (u64 addr = frame[nframes - 1].sp - 16; addr < WORD(TOP); addr += 8) {
		old = *word(addr);
		for (u32 i = 0; i < ARRAY_SIZE(value); i++) {
			assert_same();
			*word(addr) = value[i];
			assert_same();
			*word(addr) = old + 8;
			assert_same();
			*word(addr) = old - 16;
			assert_same();
			*word(addr) = old;
		}
	}
}

/* Also where a frame's way on depends on other words, or registers. */
TEST(any_word_of_any_frame_may_change)
{
	for (u32 function = SAVES; function < FUNCTIONS; function++) {
		new_process();
		call(NOTHING, 0);
		call(BY_FP, 2);
		call(function, 2);
		call(function == BELOW ? NOTHING : BY_FP, 0);
		assert_same();
		change_any_word();
	}
}

TEST(new_objects_end_a_trail)
{
	new_process();
	calls(NOTHING, 6);
	assert_walked(7);
	/* The same addresses, but another function: its frame is 8 bytes larger. */
	image_cie(&image, "zR", OPS(CIE));
	image.functions = NOTHING;
	image_function(&image, OPS("\x0e\x10"));
	image.functions = FUNCTIONS;
	image.objects.generation++;
	assert_int_not_equal(assert_same(), nframes);
	/* As after a start without objects. */
	image.objects.n = 0;
	image.objects.generation = 1;
	assert_int_equal(assert_same(), 1);
}

/* What is further out than a change is as before. */
TEST(only_what_has_changed_is_walked_again)
{
	new_process();
	calls(BY_FP, 80);
	assert_walked(81);
	for (u32 at = 1; at < 80; at++) {
		u64 *pc = word(frame[at].sp - 8), old = *pc;

		assert_walked(1);
		for (u32 i = 0; i < 4; i++) {
			*pc = old + 4 * !(i & 1);
			assert_int_equal(assert_same(), 81);
			assert_int_equal(trail.npassed, 80 - at);
		}
	}
}

static u32 uses(u32 thread, u32 n)
{
	u32 used = 0;

	while (n--)
		used += profil_trail_use(&trail, thread);
	return used;
}

TEST(a_trail_is_of_a_thread_as_long_as_it_has_walks)
{
	memset(&trail, 0, sizeof(trail));
	assert_int_equal(uses(7, 1), 0);
	for (u32 i = 0; i < 100; i++) {
		assert_int_equal(uses(7, 1), 1);
		trail.missed = 0;
		trail.nframes = 3;
		assert_int_equal(uses(15, OTHERS), 0);
	}
	assert_int_equal(trail.nframes, 3);
	assert_int_equal(uses(15, 1), 0);
	assert_int_equal(trail.nframes, 0);
	assert_int_equal(uses(15, 1), 1);
	assert_int_equal(uses(7, OTHERS), 0);
}

TEST(a_trail_that_is_not_met_is_seldom_looked_for)
{
	memset(&trail, 0, sizeof(trail));
	assert_in_range(uses(7, 1600), 200, 210);
	assert_int_equal(uses(7, SELDOM), 2);
	trail.missed = 0;
	assert_int_equal(uses(7, MISSES), MISSES);
}

TEST(memory_may_be_gone)
{
	const struct frame *last = &frame[30];

	new_process();
	calls(SAVES, 30);
	assert_walked(nframes);
	image.unreadable = frame[10].sp + 16;
	assert_same();
	assert_int_equal(image.walk.end, PROFIL_END_MEMORY);
	image.unreadable = 0;
	assert_walked(1);
	/* A register that no pc depends on is all that a walk would end for. */
	image.unreadable = frame[10].sp + 8;
	assert_int_equal(walk_from(pc_of(30), last->sp, last->fp, got, 255), nframes);
	assert_memory_equal(got, want, sizeof(got));
}

/* At the ends of the address space nothing is read round its corner. */
TEST(addresses_do_not_wrap)
{
	static const u64 sp[] = { 0, 8, 16, 24, 32, 64, -8ULL, -16ULL, -24ULL, -64ULL };

	new_process();
	for (u32 i = 0; i < ARRAY_SIZE(sp); i++)
		for (u32 j = 0; j < ARRAY_SIZE(sp); j++) {
			assert_same_from(FUNCTION(BY_FP) + 20, sp[i], sp[j], 255);
			assert_same_from(FUNCTION(SAVES) + 20, sp[i], sp[j], 255);
			assert_int_equal(trail.nframes, 0);
		}
}

/* Nor are words read that lie across others: on some machines, the kernel may not do so. */
TEST(a_stack_at_odd_addresses_has_no_trail)
{
	new_process();
	for (u64 i = 0, pc; i < 8; i++) {
		pc = FUNCTION(i < 7 ? NOTHING : OUTERMOST) + 20;
		memcpy((u8 *)&image.stack[8 + i] + 4, &pc, sizeof(pc));
	}
	for (u32 i = 0; i < 3; i++)
		assert_int_equal(assert_same_from(FUNCTION(NOTHING) + 20, WORD(8) + 4, 0, 255), 9);
}

/* Calls and returns, words that change and change back, new stacks. */
TEST(anything_may_happen_between_walks)
{
	u64 addr, old;

	new_process();
	for (u32 i = 0; i < 30000; i++) {
		if (any(1000) == 0) {
			nframes = 1;
			image.objects.generation++;
		}
		nframes -= any(nframes < 6 ? nframes : 6);
		while (any(4) && nframes < 200) {
			u32 function = any(8) ? any(ALIGNED) : SAVES + any(FUNCTIONS - 1);

			if (function == BY_RBX || !function)
				function = MADE;
			/* Further out they would have to be walked past for ever. */
			if (function > BY_RBX && has_uncommon())
				function = BY_FP;
			call(function, any(4));
		}
		assert_same_from(pc_of(nframes - 1), frame[nframes - 1].sp,
				 frame[nframes - 1].fp, any(4) ? PROFIL_STACK_FRAMES :
				 1 + any(PROFIL_STACK_FRAMES - 1));
		if (any(3))
			continue;
		addr = frame[nframes - 1].sp + 8ULL * any(64);
		if (addr >= WORD(TOP))
			continue;
		old = *word(addr);
		*word(addr) = any(2) ? frame[any(nframes)].fp : pc_of(any(nframes));
		assert_same();
		*word(addr) = old;
		if (any(2))
			assert_same();
	}
	assert_in_range(joined, 10000, -1U);
}

UNIT_MAIN("unwind_trail", NULL, NULL, NULL, NULL)
