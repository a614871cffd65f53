// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Trails: whatever becomes of the stack, of registers and of objects from one walk to
 * the next, a walk with the trail of those before finds just what it finds without.
 */
#include <stdlib.h>
#include <string.h>

#include "unwind_image.h"
#include "unwind_trail.h"
#include "unit.h"

#define OPS(s)		(s), sizeof(s) - 1

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

struct frame {
	u32	function;
	u64	sp;
	u64	fp;
};

static struct image image;
static struct profil_unwind_trail trail;
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
	image_cie(&image, "zR", OPS(CIE_X86_64));
	image_function(&image, OPS("\x07\x10"));
	image_function(&image, OPS("\x0e\x18\x83\x02\x86\x03"));
	image_function(&image, OPS("\x86\x02\x0c\x06\x10"));
	image_function(&image, OPS(""));
	image_function(&image, OPS("\x0f\x03\x76\x78\x06\x10\x06\x02\x76\x00"));
	image_function(&image, OPS("\x0c\x03\x10"));
	image_cie(&image, "zRS", OPS(CIE_X86_64));
	/* CFA is *(rsp+16); the pc at rsp+8, rsp at rsp+16, rbp at rsp+24. */
	image_function(&image, OPS("\x0f\x03\x77\x10\x06\x10\x10\x02\x77\x08"
				   "\x10\x07\x02\x77\x10\x10\x06\x02\x77\x18"));
	image_cie(&image, "zR", OPS(CIE_X86_64));
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
	u32 i;

	for (i = 0; i < nframes; i++)
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

static void test_frames_that_were_passed_are_not_walked_again(void **state)
{
	u32 reads;

	(void)state;
	new_process();
	calls(SAVES, 3);
	calls(BY_FP, 3);
	calls(NOTHING, 3);
	assert_walked(10);
	reads = image.reads;
	/* The innermost is not a caller's frame, its caller was passed. */
	assert_walked(1);
	assert_in_range(image.reads, 1, reads / 4);
	/* Other callees of the same. */
	nframes -= 4;
	calls(SAVES, 2);
	assert_walked(2);
	calls(BY_FP, 2);
	assert_walked(3);
	nframes = 4;
	assert_walked(1);
}

/* Each word of the stack in turn, to whatever leads somewhere. */
static void change_any_word(void)
{
	const u64 value[] = { 0, 1, -1ULL, FUNCTION(SAVES) + 20, FUNCTION(BY_FP) + 20,
			FUNCTION(NOTHING) + 20, FUNCTION(OUTERMOST) + 20,
			FUNCTION(ALIGNED) + 20, WORD(TOP), IMAGE_END };
	u64 addr, old;
	u32 i;

	for (addr = frame[nframes - 1].sp - 16; addr < WORD(TOP); addr += 8) {
		old = *word(addr);
		for (i = 0; i < ARRAY_SIZE(value); i++) {
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

static void test_any_word_may_change(void **state)
{
	u32 i;

	(void)state;
	new_process();
	for (i = 0; i < 5; i++) {
		call(SAVES, 0);
		call(BY_FP, 2);
		call(NOTHING, 0);
		call(BY_FP, 0);
	}
	change_any_word();
	assert_in_range(joined, 500, -1U);
}

/* Also where a frame's way on depends on other words, or registers. */
static void test_any_word_of_any_frame_may_change(void **state)
{
	u32 function;

	(void)state;
	for (function = SAVES; function < FUNCTIONS; function++) {
		new_process();
		call(NOTHING, 0);
		call(BY_FP, 2);
		call(function, 2);
		call(function == BELOW ? NOTHING : BY_FP, 0);
		assert_same();
		change_any_word();
	}
}

/* One that is not known is none, whatever its value. */
static void test_a_frame_pointer_that_is_lost(void **state)
{
	(void)state;
	new_process();
	call(BY_FP, 2);
	call(NOTHING, 0);
	call(NOTHING, 0);
	assert_walked(4);
	nframes = 2;
	call(FORGETS, 0);
	call(NOTHING, 0);
	assert_int_equal(assert_same(), 3);
	assert_int_equal(image.walk.end, PROFIL_END_REGISTER);
	nframes = 2;
	call(NOTHING, 0);
	call(NOTHING, 0);
	assert_walked(1);
}

/* The same return address at the same place, and another frame above. */
static void test_a_frame_pointer_that_skips_frames(void **state)
{
	u64 old;
	u32 i;

	(void)state;
	new_process();
	calls(BY_FP, 20);
	call(NOTHING, 0);
	for (i = 2; i < 20; i++) {
		u64 *saved = word(frame[20].fp);

		assert_walked(i == 2 ? nframes : 1);
		old = *saved;
		*saved = frame[20 - i].fp;
		assert_int_equal(assert_same(), nframes - i + 1);
		*saved = old;
		/* Of a frame further out as well. */
		assert_same();
		saved = word(frame[12].fp);
		old = *saved;
		*saved = frame[any(12)].fp;
		assert_same();
		*saved = old;
		assert_same();
	}
}

static void test_registers_may_be_others(void **state)
{
	const struct frame *last;
	u32 i;

	(void)state;
	new_process();
	calls(BY_FP, 8);
	calls(NOTHING, 8);
	last = &frame[nframes - 1];
	for (i = 0; i < 64; i++) {
		assert_same();
		assert_same_from(pc_of(nframes - 1), last->sp + 8 * i, last->fp, 255);
		assert_same();
		assert_same_from(pc_of(nframes - 1), last->sp, last->fp + 8 * i, 255);
		assert_same();
		assert_same_from(pc_of(i % nframes), last->sp, last->fp, 255);
		assert_same_from(pc_of(i % nframes), last->sp + i, last->fp, 255);
	}
}

static void test_new_objects_end_a_trail(void **state)
{
	static const u8 other[] = "\x0e\x10";

	(void)state;
	new_process();
	calls(NOTHING, 6);
	assert_walked(7);
	/* The same addresses, but another function: its frame is 8 bytes larger. */
	image_cie(&image, "zR", OPS(CIE_X86_64));
	image.functions = NOTHING;
	image_function(&image, other, sizeof(other) - 1);
	image.functions = FUNCTIONS;
	image.objects.generation++;
	assert_int_not_equal(assert_same(), nframes);
	/* As after a start without objects. */
	image.objects.n = 0;
	image.objects.generation = 1;
	assert_int_equal(assert_same(), 1);
}

/* Frames on their inner side are walked each time, those further out are not. */
static void test_what_is_no_common_rule_is_walked(void **state)
{
	static const u32 uncommon[] = { ALIGNED, MADE, SIGNAL };
	u32 i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(uncommon); i++) {
		new_process();
		calls(SAVES, 4);
		/* So that code in no object has one above it. */
		call(BY_FP, 0);
		call(uncommon[i], 2);
		call(BY_FP, 1);
		call(NOTHING, 0);
		assert_same();
		assert_int_equal(image.walk.end, PROFIL_END_OUTERMOST);
		assert_int_equal(trail.nframes, uncommon[i] == SIGNAL ? 5 : 6);
		assert_same();
		assert_int_equal(trail.nframes, uncommon[i] == SIGNAL ? 5 : 6);
		assert_int_equal(joined, 1);
		assert_int_equal(image.walk.guessed, uncommon[i] == MADE);
		/* Where it goes on from. */
		*word(frame[5].sp - 8) += 1;
		assert_same();
	}
}

/* The caller's frame is where a register is that nothing compares. */
static void test_a_frame_by_another_register(void **state)
{
	u64 *rbx;

	(void)state;
	new_process();
	calls(NOTHING, 3);
	call(BY_RBX, 0);
	call(SAVES, 0);
	rbx = word(frame[5].sp + 8);
	*rbx = frame[3].sp - 16;
	call(NOTHING, 0);
	assert_int_equal(assert_same(), 7);
	*rbx = frame[2].sp - 16;
	assert_int_equal(assert_same(), 6);
	*rbx = WORD(TOP);
	assert_same();
	*rbx = frame[3].sp - 16;
	assert_int_equal(assert_same(), 7);
}

static void test_a_stack_that_ends_anyhow_is_not_kept(void **state)
{
	(void)state;
	new_process();
	calls(NOTHING, 6);
	*word(frame[1].sp) = 0;
	assert_same();
	assert_int_equal(image.walk.end, PROFIL_END_OUTERMOST);
	assert_int_equal(trail.nframes, 0);
	*word(frame[1].sp) = IMAGE_END + 0x1000;
	assert_same();
	assert_int_equal(image.walk.end, PROFIL_END_NO_OBJECT);
	assert_int_equal(trail.nframes, 0);
}

static void test_frames_are_as_many_as_there_is_room_for(void **state)
{
	const struct frame *last;
	u32 i;

	(void)state;
	new_process();
	calls(SAVES, 30);
	last = &frame[nframes - 1];
	for (i = 1; i < 34; i++) {
		assert_same();
		assert_int_equal(trail.nframes, 30);
		assert_same_from(pc_of(nframes - 1), last->sp, last->fp, i);
		assert_int_equal(image.walk.end, i < 31 ? PROFIL_END_FRAMES :
						 PROFIL_END_OUTERMOST);
	}
}

/* Of more than a trail has room for, and than a stack may have. */
static void test_the_outer_frames_of_a_deep_stack_are_kept(void **state)
{
	(void)state;
	new_process();
	calls(NOTHING, PROFIL_TRAIL_FRAMES);
	assert_walked(nframes);
	assert_int_equal(trail.nframes, PROFIL_TRAIL_FRAMES);
	assert_walked(1);
	calls(NOTHING, 5);
	assert_walked(6);
	assert_walked(6);
	calls(BY_FP, PROFIL_STACK_FRAMES - nframes);
	assert_same();
	assert_int_equal(image.walk.end, PROFIL_END_OUTERMOST);
	assert_same();
	calls(NOTHING, 1);
	assert_same();
	assert_int_equal(image.walk.end, PROFIL_END_FRAMES);
	assert_same();
	nframes = 10;
	assert_same();
	/* All of it at once. */
	memset(&trail, 0, sizeof(trail));
	nframes = 1;
	calls(NOTHING, 250);
	assert_same();
	assert_int_equal(image.walk.end, PROFIL_END_OUTERMOST);
	joined = 0;
	assert_same();
	assert_int_equal(joined, 1);
}

static void test_the_outermost_frames_are_kept_of_any_stack(void **state)
{
	u32 n, kept;

	(void)state;
	for (n = 1; n < 250; n++) {
		new_process();
		calls(NOTHING, n);
		assert_walked(n + 1);
		kept = n < PROFIL_TRAIL_FRAMES ? n : PROFIL_TRAIL_FRAMES;
		assert_int_equal(trail.nframes, kept);
		assert_walked(n + 1 - kept);
		assert_int_equal(trail.nframes, kept);
	}
}

/* What is further out than a change is as before. */
static void test_only_what_has_changed_is_walked_again(void **state)
{
	u32 i, at;

	(void)state;
	new_process();
	calls(BY_FP, 80);
	assert_walked(81);
	for (at = 1; at < 80; at++) {
		u64 *pc = word(frame[at].sp - 8), old = *pc;

		assert_walked(1);
		for (i = 0; i < 4; i++) {
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
		used += profil_unwind_trail_use(&trail, thread);
	return used;
}

static void test_a_trail_is_of_a_thread_as_long_as_it_has_walks(void **state)
{
	u32 i;

	(void)state;
	memset(&trail, 0, sizeof(trail));
	assert_int_equal(uses(7, 1), 0);
	for (i = 0; i < 100; i++) {
		assert_int_equal(uses(7, 1), 1);
		trail.missed = 0;
		trail.nframes = 3;
		assert_int_equal(uses(15, PROFIL_TRAIL_OTHERS), 0);
	}
	assert_int_equal(trail.nframes, 3);
	assert_int_equal(uses(15, 1), 0);
	assert_int_equal(trail.nframes, 0);
	assert_int_equal(uses(15, 1), 1);
	assert_int_equal(uses(7, PROFIL_TRAIL_OTHERS), 0);
}

static void test_a_trail_that_is_not_met_is_seldom_looked_for(void **state)
{
	(void)state;
	memset(&trail, 0, sizeof(trail));
	assert_in_range(uses(7, 1600), 200, 210);
	assert_int_equal(uses(7, PROFIL_TRAIL_SELDOM), 2);
	trail.missed = 0;
	assert_int_equal(uses(7, PROFIL_TRAIL_MISSES), PROFIL_TRAIL_MISSES);
}

static void test_memory_may_be_gone(void **state)
{
	const struct frame *last;

	(void)state;
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
	last = &frame[nframes - 1];
	assert_int_equal(walk_from(pc_of(30), last->sp, last->fp, got, 255), nframes);
	assert_memory_equal(got, want, sizeof(got));
}

/* At the ends of the address space nothing is read round its corner. */
static void test_addresses_do_not_wrap(void **state)
{
	static const u64 sp[] = { 0, 8, 16, 24, 32, 64, -8ULL, -16ULL, -24ULL, -64ULL };
	u32 i, j;

	(void)state;
	new_process();
	for (i = 0; i < ARRAY_SIZE(sp); i++)
		for (j = 0; j < ARRAY_SIZE(sp); j++) {
			assert_same_from(FUNCTION(BY_FP) + 20, sp[i], sp[j], 255);
			assert_same_from(FUNCTION(SAVES) + 20, sp[i], sp[j], 255);
			assert_int_equal(trail.nframes, 0);
		}
}

/* Only words between both stack pointers are read again, and none at 0. */
static void test_where_a_frame_pointer_is_said_to_be(void **state)
{
	static const struct {
		u64 sp, cfa;
		s8 word;	/* from the CFA; 0: not saved */
		u64 at;
	} c[] = {
		{ 1000, 1040, -2, 1024 }, { 1000, 1040, -5, 1000 }, { 1000, 1040, 0, 0 },
		{ 1000, 1040, -6, 1 }, { 1000, 1040, -7, 1 }, { 1004, 1040, -5, 1 },
		{ 1000, 1008, 0, 0 }, { 1000, 1007, 0, 1 }, { 1000, 1001, 0, 1 },
		{ 1000, 1000, 0, 1 }, { 1000, 1007, -2, 1 }, { 0, 16, -2, 1 },
		{ 0, 24, -2, 8 }, { 8, 16, -3, 1 }, { -8ULL, 8, -2, -8ULL },
		{ -8ULL, -4ULL, -2, 1 },
	};
	struct profil_unwind_regs regs = { .known = (1ULL << PROFIL_REGS) - 1 };
	u32 i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(c); i++) {
		struct profil_unwind_rule rule = {
			.cfa_reg = PROFIL_REG_SP, .cfa_offset = c[i].cfa - c[i].sp,
			.restored = 1 << PROFIL_REG_PC, .lowest = c[i].word ?: -1,
		};

		memset(rule.word, PROFIL_REGS, sizeof(rule.word));
		rule.word[PROFIL_REG_SLOTS - 1] = PROFIL_REG_PC;
		regs.reg[PROFIL_REG_SP] = c[i].sp;
		if (c[i].word) {
			rule.word[PROFIL_REG_SLOTS + c[i].word] = PROFIL_REG_FP;
			rule.restored |= 1 << PROFIL_REG_FP;
		}
		assert_int_equal(profil_unwind_trail_fp_at(&regs, &rule), c[i].at);
	}
}

/* Calls and returns, words that change and change back, new stacks. */
static void test_anything_may_happen_between_walks(void **state)
{
	u64 addr, old;
	u32 i;

	(void)state;
	new_process();
	for (i = 0; i < 30000; i++) {
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
		assert_same();
		if (any(3))
			continue;
		addr = frame[nframes - 1].sp + 8ULL * any(64);
		if (addr >= WORD(TOP))
			continue;
		old = *word(addr);
		*word(addr) = any(2) ? frame[any(nframes)].fp :
				       pc_of(any(nframes));
		assert_same();
		*word(addr) = old;
		if (any(2))
			assert_same();
	}
	assert_in_range(joined, 10000, -1U);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_frames_that_were_passed_are_not_walked_again),
		cmocka_unit_test(test_any_word_may_change),
		cmocka_unit_test(test_any_word_of_any_frame_may_change),
		cmocka_unit_test(test_a_frame_pointer_that_is_lost),
		cmocka_unit_test(test_a_frame_pointer_that_skips_frames),
		cmocka_unit_test(test_registers_may_be_others),
		cmocka_unit_test(test_new_objects_end_a_trail),
		cmocka_unit_test(test_what_is_no_common_rule_is_walked),
		cmocka_unit_test(test_a_frame_by_another_register),
		cmocka_unit_test(test_a_stack_that_ends_anyhow_is_not_kept),
		cmocka_unit_test(test_frames_are_as_many_as_there_is_room_for),
		cmocka_unit_test(test_the_outer_frames_of_a_deep_stack_are_kept),
		cmocka_unit_test(test_the_outermost_frames_are_kept_of_any_stack),
		cmocka_unit_test(test_only_what_has_changed_is_walked_again),
		cmocka_unit_test(test_a_trail_is_of_a_thread_as_long_as_it_has_walks),
		cmocka_unit_test(test_a_trail_that_is_not_met_is_seldom_looked_for),
		cmocka_unit_test(test_memory_may_be_gone),
		cmocka_unit_test(test_addresses_do_not_wrap),
		cmocka_unit_test(test_where_a_frame_pointer_is_said_to_be),
		cmocka_unit_test(test_anything_may_happen_between_walks),
	};

	return cmocka_run_group_tests_name("unwind_trail", tests, NULL, NULL);
}
