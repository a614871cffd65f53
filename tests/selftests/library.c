// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * libprofil on the real module, called as programs call it. (Each argument's
 * rules are in the library's own tests.)
 */
#include <fcntl.h>
#include <libprofil.h>
#include <sys/profil.h>
#include <sys/time.h>

#include "harness.h"
#include "device.h"
#include "stream.h"
#include "work.h"

/* libc declares the buffer to be never null, and compilers believe it. */
static unsigned short *volatile nothing;

#define ONE_TO_ONE	0x10000

static unsigned short buf[512];

static void profile_a(void)
{
	memset(buf, 0, sizeof(buf));
	CHECK_CALL(profil(buf, sizeof(buf), text_a().lo, ONE_TO_ONE));
}

/* The library keeps the page's address to itself; so look at the status. */
static struct profil_status status(void)
{
	struct profil_status st;

	CHECK_EQ(get_status(&st), 0);
	return st;
}

static struct profil_status stopped(void)
{
	struct profil_status st;

	CHECK_CALL(profil(nothing, 0, 0, 0));
	st = status();
	CHECK_EQ(st.state, PROFIL_STATE_OFF);
	CHECK_NOTHING_LOST(&st);
	return st;
}

static void run_until(uint64_t ticks)
{
	for (int i = 0; i < 5000 && status().ticks < ticks; i++)
		hot_a(3000000);
	CHECK_GE(status().ticks, ticks);
}

TEST(profil_counts_until_it_is_called_with_a_null_buffer)
{
	struct profil_status st;

	profile_a();
	CHECK_EQ(status().state, PROFIL_STATE_ON);
	CHECK_EQ(status().period_ns, 1000000000 / sysconf(_SC_CLK_TCK));
	run_until(10);
	st = stopped();
	CHECK_GE(st.counted, 5);
	CHECK_EQ(sum(buf, 512, 2), st.counted);
	hot_a(10000000);
	CHECK_EQ(sum(buf, 512, 2), st.counted);
}

TEST(profil_get_status_reads_the_live_statistics)
{
	struct profil_status st = { .size = sizeof(st) }, kernels;

	CHECK_CALL(profil_get_status(&st));
	CHECK_EQ(st.mode, PROFIL_MODE_NONE);
	profile_a();
	run_until(5);
	CHECK_CALL(profil_get_status(&st));
	CHECK_EQ(st.mode, PROFIL_MODE_HISTOGRAM);
	CHECK_EQ(st.tag, PROFIL_DIALECT_GLIBC_PROFIL);
	CHECK_GE(st.ticks, 5);
	CHECK_LE(st.ticks, status().ticks);
	stopped();
	kernels = status();
	CHECK_CALL(profil_get_status(&st));
	CHECK_EQ(memcmp(&st, &kernels, sizeof(st)), 0);
}

TEST(profil_get_features_says_what_the_kernel_can_do)
{
	struct profil_features features = { .size = sizeof(features) }, kernels;

	CHECK_CALL(profil_get_features(&features));
	CHECK_EQ(get_features(&kernels), 0);
	CHECK_EQ(memcmp(&features, &kernels, sizeof(features)), 0);
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
	CHECK_LE(n, 64);
	for (long i = 0; i < n; i++)
		in_a += pcs[i] >= a.lo && pcs[i] < a.hi;
	CHECK_GE(in_a, most_of((uint64_t)n));
	for (long i = n; i < 64; i++)
		CHECK_EQ(pcs[i], 0);
}

TEST(profil_with_scale_0_or_1_stops_as_on_unix)
{
	for (unsigned int scale = 0; scale < 2; scale++) {
		profile_a();
		CHECK_EQ(status().state, PROFIL_STATE_ON);
		CHECK_CALL(profil(buf, sizeof(buf), text_a().lo, scale));
		CHECK_EQ(status().state, PROFIL_STATE_OFF);
	}
}

TEST(profil_with_scale_2_is_a_clock_in_the_first_counter)
{
	struct profil_status st;

	memset(buf, 0, sizeof(buf));
	CHECK_CALL(profil(buf, sizeof(buf), 0, 2));
	run_until(10);
	st = stopped();
	CHECK_EQ(buf[0], st.counted);
	CHECK_EQ(buf[0], st.ticks);
}

TEST(profil_leaves_no_descriptor_open_and_errno_alone)
{
	int before = CHECK_CALL(dup(0)), after;

	close(before);
	errno = EXDEV;
	profile_a();
	CHECK_EQ(profil(nothing, 0, 0, 0), 0);
	CHECK_EQ(errno, EXDEV);
	after = CHECK_CALL(dup(0));
	CHECK_EQ(before, after);
}

TEST(profil_that_fails_leaves_the_running_profile)
{
	/* The last page is the kernel's, for 32-bit callers too. */
	unsigned short *kernel = (unsigned short *)-4096L;

	profile_a();
	CHECK_FAILS(profil(kernel, 64, 0, ONE_TO_ONE), EFAULT);
	CHECK_FAILS(profil(buf, (size_t)-1, 0, ONE_TO_ONE), EINVAL);
	CHECK_EQ(status().state, PROFIL_STATE_ON);
	run_until(5);
	CHECK_EQ(stopped().counted, sum(buf, 512, 2));
}

TEST(profil_goes_on_in_a_fork_child)
{
	pid_t pid;

	profile_a();
	pid = FORK();
	if (pid == 0) {
		run_until(5);
		CHECK_GE(stopped().counted, 2);
		CHECK_GE(sum(buf, 512, 2), 2);
		_exit(0);
	}
	wait_ok(pid);
	CHECK_EQ(status().state, PROFIL_STATE_ON);
}

static void toggle(int signo)
{
	static volatile sig_atomic_t on;

	(void)signo;
	on = !on;
	if (on)
		profile_a();
	else
		CHECK_CALL(profil(nothing, 0, 0, 0));
}

TEST(profil_can_be_called_from_a_signal_handler)
{
	struct itimerval often = { { 0, 2000 }, { 0, 2000 } };

	CHECK(signal(SIGALRM, toggle) != SIG_ERR);
	CHECK_CALL(setitimer(ITIMER_REAL, &often, NULL));
	/* The handler comes in between the calls of the same kind here. */
	for (int i = 0; i < 300; i++) {
		struct profil_status st;

		CHECK_EQ(get_status(&st), 0);
		hot_a(20000);
	}
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
	struct profil_samples request = {
		.size		= sizeof(request),
		.rate		= PROFIL_RATE_TICK,
		.buf		= (uintptr_t)s->array,
		.nsamples	= STREAM_SAMPLES,
		.width		= 8,
		.stacks		= (uintptr_t)s->bytes,
		.stacks_size	= s->size,
		.first_sample	= FIRST_SAMPLE,
	};
	struct profil_status st = { .size = sizeof(st) };
	struct profil_stacks *stacks;
	struct profil_stack stack;
	uint64_t n = 0;

	CHECK_CALL(profil_start_stacks(&request));
	caller();
	CHECK_CALL(profil_stop_stacks(&st));
	CHECK_GE(st.ticks, 20);
	CHECK_ACCOUNTS(&st);
	check_stream(s, &st);
	stacks = open_stream(s, st.stack_bytes);
	while (next_stack(stacks, &stack))
		n += has_caller(&stack) ? stack.count : 0;
	profil_stacks_close(stacks);
	return n;
}

TEST(profil_start_stacks_stores_who_called)
{
	struct stream s = new_stream(STREAM_BYTES);

	NEEDS_CODE64();
	CHECK_GE(stacks_of_caller(&s), most_of(20));
	CHECK_EQ(status().state, PROFIL_STATE_OFF);
}

TEST(profil_start_stacks_of_a_fork_child_is_its_own)
{
	struct stream s = new_stream(STREAM_BYTES);
	pid_t pid;

	NEEDS_CODE64();
	CHECK_GE(stacks_of_caller(&s), most_of(20));
	pid = FORK();
	if (pid == 0) {
		s = new_stream(STREAM_BYTES);
		CHECK_GE(stacks_of_caller(&s), most_of(20));
		_exit(0);
	}
	wait_ok(pid);
}

/* As a program does that has loaded something; here, nothing has changed. */
TEST(profil_update_objects_leaves_the_profile_running)
{
	struct stream s = new_stream(STREAM_BYTES);
	struct profil_status st = { .size = sizeof(st) };

	set_own_objects();
	CHECK_EQ(start_stacks(&s, PROFIL_RATE_TICK), 0);
	for (int i = 0; i < 20; i++) {
		run_until(2 * (unsigned int)i + 2);
		CHECK_CALL(profil_update_objects());
	}
	CHECK_CALL(profil_stop_stacks(&st));
	check_stream(&s, &st);
}

TEST(profil_start_stacks_that_fails_leaves_the_running_profile)
{
	struct stream s = new_stream(STREAM_BYTES);
	struct profil_samples request = {
		.size		= sizeof(request),
		.buf		= (uintptr_t)s.array,
		.nsamples	= STREAM_SAMPLES,
		.width		= 8,
		.stacks		= (uintptr_t)s.bytes,
		.stacks_size	= PROFIL_STACKS_SIZE_MIN - 1,
	};

	profile_a();
	CHECK_FAILS(profil_start_stacks(&request), EINVAL);
	CHECK_FAILS(profil_start_stacks(NULL), EFAULT);
	CHECK_EQ(status().state, PROFIL_STATE_ON);
	CHECK_EQ(status().mode, PROFIL_MODE_HISTOGRAM);
}

TEST(sprofil_counts_each_range_and_the_rest_in_the_overflow_bin)
{
	unsigned short a[256] = { 0 }, b[256] = { 0 }, rest = 0;
	struct prof ranges[] = {
		{ a, sizeof(a), text_a().lo, ONE_TO_ONE },
		{ b, sizeof(b), text_b().lo, ONE_TO_ONE },
		{ &rest, sizeof(rest), 0, 2 },
	};
	struct timeval period = { 1, 1 };

	CHECK_CALL(sprofil(ranges, 3, &period, PROF_USHORT));
	CHECK_EQ(period.tv_sec, 0);
	CHECK_EQ(period.tv_usec, 1000000 / sysconf(_SC_CLK_TCK));
	/* A slow kernel ticks while the start returns, and between the calls. */
	while (sum(a, 256, 2) < 4)
		hot_a(300000);
	while (sum(b, 256, 2) < 4)
		hot_b(300000);
	for (unsigned int i = 0; i < 2000; i++)
		hot_wide(10);
	CHECK_CALL(sprofil(NULL, 0, NULL, 0));
	CHECK_EQ(status().state, PROFIL_STATE_OFF);
	CHECK_EQ(status().outside, 0);
	CHECK_EQ(sum(a, 256, 2) + sum(b, 256, 2) + rest, status().counted);
}

TEST(sprofil_counts_in_unsigned_ints)
{
	unsigned int counts[128] = { 0 };
	struct prof range = { counts, sizeof(counts), text_a().lo, ONE_TO_ONE };

	CHECK_CALL(sprofil(&range, 1, NULL, PROF_UINT));
	while (status().ticks < 8)
		hot_a(300000);
	CHECK_CALL(sprofil(NULL, 0, NULL, 0));
	CHECK_GE(sum(counts, 128, 4), 4);
	CHECK_EQ(sum(counts, 128, 4), status().counted);
}

TEST(sprofil_that_fails_leaves_the_running_profile)
{
	struct profil_features features;
	struct prof *ranges, range = { buf, sizeof(buf), text_a().lo, ONE_TO_ONE };

	CHECK_EQ(get_features(&features), 0);
	ranges = calloc(features.max_regions + 1, sizeof(*ranges));
	CHECK(ranges != NULL);
	for (unsigned int i = 0; i <= features.max_regions; i++)
		ranges[i] = range;
	profile_a();
	CHECK_FAILS(sprofil(&range, -1, NULL, 0), EINVAL);
	CHECK_FAILS(sprofil((struct prof *)16, 1, NULL, 0), EFAULT);
	CHECK_FAILS(sprofil(&range, 1, (struct timeval *)16, 0), EFAULT);
	CHECK_FAILS(sprofil(ranges, (int)features.max_regions + 1, NULL, 0), E2BIG);
	CHECK_EQ(status().state, PROFIL_STATE_ON);
	run_until(5);
	CHECK_EQ(stopped().counted, sum(buf, 512, 2));
}

/* 2^28 + 1 entries: in 32 bits their length in bytes is that of one. */
TEST(sprofil_of_more_entries_than_fit_into_memory_is_efault)
{
	struct prof range = { buf, sizeof(buf), text_a().lo, ONE_TO_ONE };

	profile_a();
	CHECK_FAILS(sprofil(&range, 0x10000001, NULL, 0), EFAULT);
	CHECK_EQ(status().state, PROFIL_STATE_ON);
}
