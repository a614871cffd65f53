// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * libprofil on the real module, also in 32-bit programs. Conformance tests check the
 * rules of each system's calls.
 */
#include <sys/profil.h>
#include <sys/time.h>

#include "stream.h"

#define ONE_TO_ONE	0x10000

static void run_until(uint64_t ticks)
{
	for (int i = 0; i < 5000 && status().ticks < ticks; i++)
		hot_a(3000000);
	CHECK_GE(status().ticks, ticks);
}

TEST(pcsample_stores_pcs_of_the_callers_width)
{
	static uintptr_t pcs[64];
	struct text a = text_a();
	long n, in_a = 0;

	CHECK_EQ(CHECK_CALL(pcsample(pcs, 64)), 0);
	run_until(10);
	n = CHECK_CALL(pcsample(pcs, 0));
	CHECK_GE(n, 10);
	for (long i = 0; i < n; i++)
		in_a += pcs[i] >= a.lo && pcs[i] < a.hi;
	CHECK_GE(in_a, most_of((uint64_t)n));
	CHECK_EQ(pcs[n], 0);
}

__attribute__((noinline, noclone, section("caller_text"))) static void caller(void)
{
	/* A slow kernel has ticked while the start returned. */
	run_until(status().ticks + 20);
	__asm__ volatile("" : : : "memory");
}

extern const char __start_caller_text[], __stop_caller_text[];

static bool has_caller(const struct profil_stack *stack)
{
	for (unsigned int i = 1; i < stack->nframes; i++)
		if (stack->frame[i] >= (uintptr_t)__start_caller_text &&
		    stack->frame[i] < (uintptr_t)__stop_caller_text)
			return true;
	return false;
}

/* Starts, has caller() work, stops; of how many ticks it is in the stacks. */
static uint64_t stacks_of_caller(const struct stream *s)
{
	struct profil_samples request = STACKS_OF(s, STREAM_SAMPLES, PROFIL_RATE_TICK);
	struct profil_status st = { .size = sizeof(st) };
	struct profil_stack stack;
	uint64_t n = 0;

	CHECK_CALL(profil_start_stacks(&request));
	caller();
	CHECK_CALL(profil_stop_stacks(&st));
	CHECK_GE(st.ticks, 20);
	CHECK_ACCOUNTS(&st);
	check_stream(s, &st);
	FOR_EACH_STACK(s, s->size, &stack)
		n += has_caller(&stack) ? stack.count : 0;
	return n;
}

TEST(profil_start_stacks_stores_who_called)
{
	struct stream s = new_stream(STREAM_BYTES);

	NEEDS_WALKS();
	CHECK_GE(stacks_of_caller(&s), most_of(20));
	CHECK_EQ(status().state, PROFIL_STATE_OFF);
}

/* As a program does that has loaded something; here, nothing has changed. */
TEST(profil_update_objects_leaves_the_profile_running)
{
	struct stream s = start_stream(STREAM_BYTES, PROFIL_RATE_TICK);
	struct profil_status st = { .size = sizeof(st) };

	for (int i = 0; i < 20; i++) {
		run_until(2 * (unsigned int)i + 2);
		CHECK_CALL(profil_update_objects());
	}
	CHECK_CALL(profil_stop_stacks(&st));
	check_stream(&s, &st);
}

/* 2^28 + 1 entries: in 32 bits their length in bytes is that of one. */
TEST(sprofil_of_more_entries_than_fit_into_memory_is_efault)
{
	static unsigned short buf[512];
	struct prof range = { buf, sizeof(buf), text_a().lo, ONE_TO_ONE };

	CHECK_CALL(sprofil(&range, 1, NULL, 0));
	CHECK_FAILS(sprofil(&range, 0x10000001, NULL, 0), EFAULT);
	CHECK_EQ(status().state, PROFIL_STATE_ON);
}

/* BSD's call, under its name in the library. */
int profil_bsd(char *samples, size_t size, unsigned long offset, unsigned int scale);

/* In 32 bits, futex(2) accepts the address. */
TEST(profil_of_a_buffer_above_user_space_turns_off)
{
	char *above = (char *)-4096L;

	CHECK_CALL(profil_bsd(above, 64, 0, ONE_TO_ONE));
	CHECK_EQ(status().state, PROFIL_STATE_OFF);
}
