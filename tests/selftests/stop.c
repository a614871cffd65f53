// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Stopping is exact. When the call returns, the buffers have all counts, and nothing
 * writes to them any more.
 */
#include "setup.h"

#define POISON	0xa5

static bool all_poison(const void *memory, size_t size)
{
	const unsigned char *at = memory;

	return at[0] == POISON && memcmp(at, at + 1, size - 1) == 0;
}

/*
 * Poisons the buffer after each stop, and checks it before its next start. 16 buffers are
 * used in turn, so a late write shows at any time until then.
 */
static void poison_cycles(unsigned int cycles, unsigned int workers, bool samples)
{
	static unsigned char buffers[16][256];
	uint64_t counted = 0;

	memset(buffers, POISON, sizeof(buffers));
	start_workers(workers);
	for (unsigned int i = 0; i < cycles; i++) {
		unsigned char *buf = buffers[i % 16];
		struct profil_status st;

		if (!all_poison(buf, sizeof(buffers[0])))
			FAIL("cycle %u: written after the stop", i);
		memset(buf, 0, sizeof(buffers[0]));
		if (samples)
			CHECK_EQ(start_samples(buf, sizeof(buffers[0]) / 8, 8,
					       PROFIL_RATE_TICK), 0);
		else
			CHECK_EQ(start_region(everything(buf, 2, 2), PROFIL_RATE_TICK), 0);
		if (i % 8 == 0)
			hot_b(100000);
		st = stopped();
		if (samples)
			CHECK_EQ(st.nsamples, st.counted);
		else
			CHECK_EQ(counter(buf, 0, 2), st.counted);
		counted += st.counted;
		memset(buf, POISON, sizeof(buffers[0]));
	}
	end_workers();
	CHECK(all_poison(buffers, sizeof(buffers)));
	note("%llu ticks counted in %u cycles", (unsigned long long)counted, cycles);
	CHECK_GT(counted, 0);
}

TEST(buffer_is_never_written_after_a_stop)
{
	if (cpus() < 4)
		poison_cycles(1000, 2, false);
	else
		poison_cycles(slowness() == 1 ? 10000 : 500, 8, false);
}

CASE(sample_array_is_never_written_after_a_stop, poison_cycles(cpus() < 4 ? 500 : 1000, 8, true))

TEST(deferred_updates_are_in_the_buffer_when_stop_returns)
{
	uint64_t deferred = 0;

	for (int i = 0; i < 40; i++) {
		char *buf = private_memory(4096);
		struct profil_status st;

		CHECK_EQ(start_region(everything(buf, 4, 4), PROFIL_RATE_TICK), 0);
		/* Stop as soon as the first tick has come. */
		while (page()->ticks == 0)
			hot_a(500);
		st = stopped();
		CHECK_EQ(counter(buf, 0, 4), st.counted);
		deferred += st.deferred;
		CHECK_CALL(munmap(buf, 4096));
	}
	CHECK_GT(deferred, 0);
}
