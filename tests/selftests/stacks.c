// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Call stacks of a sample array's ticks. Known stacks are found in user mode and in
 * system calls. Each tick is in one record, or counted as stackless, whatever happens to
 * threads and memory.
 */
#include "stream.h"

/* Counts frames of the recursion: the same return address, DEPTH times in a row. */
static unsigned int longest_repeat(const struct profil_stack *stack)
{
	unsigned int n = 1, most = 1;

	for (unsigned int i = 1; i < stack->nframes; i++) {
		n = stack->frame[i] == stack->frame[i - 1] ? n + 1 : 1;
		if (n > most)
			most = n;
	}
	return most;
}

#define STACKS	PARAMETERS "stacks"

static void switch_stacks_off(void)
{
	struct stream s = start_stream(STREAM_BYTES, PROFIL_RATE_TICK);
	struct stream other = new_stream(STREAM_BYTES);

	CHECK_CALL(write_file(STACKS, "N"));
	CHECK_EQ(start_stacks(&other, PROFIL_RATE_TICK), -EOPNOTSUPP);
	CHECK_EQ(features().stacks, 0);
	CHECK(work_for_ticks(10));
	CHECK_GE(stop_stacks(&s).stack_records, 1);
}

TEST(stacks_switched_off_are_refused_and_running_ones_go_on)
{
	needs_stacks();
	with_parameter(STACKS, "Y", switch_stacks_off);
	needs_stacks();
}

TEST(stacks_have_the_callers_of_each_tick)
{
	uint64_t complete = 0, deep = 0;
	struct profil_stack stack;
	struct stream s;

	NEEDS_WALKS();
	s = profiled(PROFIL_RATE_TICK, recurse_and_work);
	FOR_EACH_STACK(&s, s.size, &stack) {
		complete += stack.end ? 0 : stack.count;
		/* All but the last call are recurse()'s own. */
		deep += longest_repeat(&stack) == DEPTH ? stack.count : 0;
	}
	CHECK_GE(complete, most_of(TICKS));
	CHECK_GE(deep, most_of(TICKS));
}

#ifdef __arm__
TEST(stack_of_32_bit_code_is_its_pc)
{
	struct stream s = profiled(PROFIL_RATE_TICK, recurse_and_work);
	struct profil_stack stack;
	uint64_t n = 0;

	FOR_EACH_STACK(&s, s.size, &stack) {
		n += stack.count;
		CHECK_EQ(stack.end, PROFIL_STACK_END_CODE32);
		CHECK_EQ(stack.nframes, 1);
	}
	CHECK_GE(n, most_of(TICKS));
}
#endif

static void call_the_kernel(void)
{
	for (int i = 0; i < 2000000 && page()->ticks < 2 * TICKS; i++)
		hot_syscall(1);
}

TEST(stack_of_a_system_call_has_its_number)
{
	struct stream s = profiled(PROFIL_RATE_TICK, call_the_kernel);
	uint64_t in_kernel = 0, numbered = 0;
	struct profil_stack stack;

	FOR_EACH_STACK(&s, s.size, &stack) {
		if (!(stack.flags & PROFIL_STACK_KERNEL))
			continue;
		in_kernel += stack.count;
		if (stack.flags & PROFIL_STACK_SYSCALL && is_in(stack.frame[0], text_syscall()))
			numbered += stack.count;
	}
	CHECK_GE(in_kernel, TICKS / 4);
	CHECK_GE(numbered, in_kernel / 2);
}

static void touch_pages(void)
{
	size_t size = 8 << 20;

	for (int i = 0; i < 100000 && page()->ticks < TICKS; i++) {
		char *memory = private_memory(size);

		for (size_t at = 0; at < size && page()->ticks < TICKS; at += PAGE)
			((volatile char *)memory)[at] = 1;
		CHECK_CALL(munmap(memory, size));
	}
}

TEST(stack_of_a_page_fault_is_in_the_kernel_and_has_no_number)
{
	struct profil_stack stack;
	uint64_t faults = 0;
	struct stream s;

	/* On a machine that hardly runs, most ticks are late, and in the system calls. */
	for (unsigned int round = 0; round < 8 && faults < 3; round++) {
		s = profiled(PROFIL_RATE_FAST, touch_pages);
		FOR_EACH_STACK(&s, s.size, &stack)
			if (stack.flags & PROFIL_STACK_KERNEL &&
			    !(stack.flags & PROFIL_STACK_SYSCALL))
				faults += stack.count;
	}
	CHECK_GE(faults, 3);
}

static uint32_t thread_id(void)
{
	return (uint32_t)syscall(SYS_gettid);
}

static void *worker(void *id)
{
	static pthread_mutex_t turn = PTHREAD_MUTEX_INITIALIZER;

	*(uint32_t *)id = thread_id();
	prctl(PR_SET_NAME, "a worker");
	/* At once, one may have all the ticks while the host has the other's CPU. */
	pthread_mutex_lock(&turn);
	CHECK(work_for_ticks(3 * TICKS));
	pthread_mutex_unlock(&turn);
	return NULL;
}

TEST(threads_are_told_apart_and_have_their_names)
{
	struct stream s = start_stream(STREAM_BYTES, PROFIL_RATE_TICK);
	uint64_t ticks[2] = { 0 }, named[2] = { 0 };
	struct profil_stacks *stacks;
	struct profil_stack stack;
	pthread_t thread[2];
	uint32_t id[2];

	for (int i = 0; i < 2; i++)
		thread[i] = start_thread(worker, &id[i]);
	join_threads(thread, 2);
	stacks = open_stream(&s, stop_stacks(&s).stack_bytes);
	while (profil_stacks_next(stacks, &stack) == 1)
		for (int i = 0; i < 2; i++) {
			if (stack.thread != id[i])
				continue;
			if (stack.flags & PROFIL_STACK_NAME)
				named[i] += !strcmp(stack.name, "a worker");
			else
				ticks[i] += stack.count;
		}
	for (int i = 0; i < 2; i++) {
		CHECK_GE(ticks[i], TICKS / 2);
		CHECK_EQ(named[i], 1);
	}
}

static void handler(int sig)
{
	(void)sig;
	hot_a(20000);
}

static void signals(void)
{
	for (int i = 0; i < 100000 && page()->ticks < 4 * TICKS; i++)
		raise(SIGUSR1);
}

static void recurse_and_signal(void)
{
	recurse(DEPTH, signals);
}

TEST(stacks_go_through_signal_frames)
{
	uint64_t handling = 0, through = 0;
	struct profil_stack stack;
	struct stream s;

	NEEDS_WALKS();
	CHECK(signal(SIGUSR1, handler) != SIG_ERR);
	s = profiled(PROFIL_RATE_TICK, recurse_and_signal);
	FOR_EACH_STACK(&s, s.size, &stack) {
		if (!is_in(stack.frame[0], text_a()) || stack.flags & PROFIL_STACK_KERNEL)
			continue;
		handling += stack.count;
		if (longest_repeat(&stack) == DEPTH && !stack.end)
			through += stack.count;
	}
	CHECK_GE(through, 3);
	CHECK_GE(through, handling - handling / 10 - 2);
}

static void just_work(void)
{
	ticks_wanted = TICKS;
	do_ticks();
}

static void times_are_within_the_run(void)
{
	uint64_t last = now_ns() - 1000;
	struct stream s = profiled(PROFIL_RATE_TICK, just_work);
	struct profil_stack stack;

	FOR_EACH_STACK(&s, s.size, &stack) {
		CHECK_GE(stack.time_ns, last);
		last = stack.time_ns;
	}
	CHECK_LE(last, now_ns());
}

CASE(times_ascend_and_are_within_the_run, times_are_within_the_run())

TEST(times_are_those_of_the_time_namespace)
{
	NEEDS_ROOT();
	needs_stacks();
	if (unshare(CLONE_NEWTIME))
		SKIP("needs time namespaces");
	CHECK_EQ(write_file("/proc/self/timens_offsets", "monotonic 1000000 0"), 0);
	IN_CHILD {
		CHECK_GE(now_ns() / 1000000000, 1000000);
		times_are_within_the_run();
	}
}

TEST(fork_child_has_a_stream_of_its_own)
{
	struct stream s = {
		.array = private_memory(STREAM_SAMPLES * sizeof(uint64_t)),
		.bytes = private_memory(STREAM_BYTES), .size = STREAM_BYTES,
	};

	needs_stacks();
	NEEDS_WALKS();
	set_own_objects();
	profile(&s, PROFIL_RATE_TICK, just_work);
	IN_CHILD {
		struct profil_stacks *stacks;
		struct profil_stack stack;
		struct profil_status st;
		uint64_t sum = 0, deep = 0;

		recurse(DEPTH, do_ticks);
		CHECK_EQ(stop(&st), 0);
		stacks = open_stream(&s, st.stack_bytes);
		while (next_stack(stacks, &stack)) {
			sum += stack.count;
			CHECK_GE(stack.sample, FIRST_SAMPLE);
			deep += longest_repeat(&stack) == DEPTH;
		}
		CHECK_EQ(profil_stacks_offset(stacks), st.stack_bytes);
		CHECK_EQ(st.ticks, sum + st.stackless);
		CHECK_GE(deep, most_of(TICKS) / 2);
	}
	stop_stacks(&s);
}

/* Made code: a frame, then a call back to C. */
static void run_jit(void)
{
#ifdef __aarch64__
	/* stp x29, x30, [sp, #-16]!; mov x29, sp; blr x0; ldp x29, x30, [sp], #16; ret */
	static const unsigned int code[] = {
		0xa9bf7bfd, 0x910003fd, 0xd63f0000, 0xa8c17bfd, 0xd65f03c0 };
#elif defined(__riscv)
	/* The same with sp, s0 and ra, and "jalr a0". */
	static const unsigned long code[] = { 0x0800e022e4061141, 0x0141640260a29502, 0x8082 };
#elif defined(__i386__)
	/* The same with 32-bit registers, and "call *8(%ebp)". */
	static const unsigned char code[] = { 0x55, 0x89, 0xe5, 0xff, 0x55, 8, 0x5d, 0xc3 };
#else
	/* push %rbp; mov %rsp, %rbp; call *%rdi; pop %rbp; ret */
	static const unsigned char code[] = { 0x55, 0x48, 0x89, 0xe5, 0xff, 0xd7, 0x5d, 0xc3 };
#endif
	unsigned char *jit = private_memory(PAGE);

	CHECK_CALL(mprotect(jit, PAGE, PROT_READ | PROT_WRITE | PROT_EXEC));
	memcpy(jit, code, sizeof(code));
	__builtin___clear_cache((char *)jit, (char *)jit + sizeof(code));
	((void (*)(void (*)(void)))jit)(do_ticks);
}

static void recurse_and_run_jit(void)
{
	ticks_wanted = TICKS;
	recurse(DEPTH, run_jit);
}

TEST(code_in_no_object_is_followed_by_its_frame_pointer)
{
	struct profil_stack stack;
	uint64_t guessed = 0;
	struct stream s;

	NEEDS_WALKS();
	s = profiled(PROFIL_RATE_TICK, recurse_and_run_jit);
	FOR_EACH_STACK(&s, s.size, &stack)
		if (stack.flags & PROFIL_STACK_GUESSED && longest_repeat(&stack) == DEPTH)
			guessed += stack.count;
	CHECK_GE(guessed, most_of(TICKS));
}

#ifdef __x86_64__
/* More calls than there is room for their rules, in one function; each calls further(). */
#define CALLS		8192UL
#define CALLS_DEEP	40

void call(unsigned long n, unsigned long depth);
void further(unsigned long n, unsigned long depth);
extern const char calls[];

__asm__(".pushsection .text\n"
	"call:	.cfi_startproc\n"
	"	push %rdi\n"
	"	.cfi_adjust_cfa_offset 8\n"
	"	lea calls(%rip), %rax\n"
	"	lea (%rax, %rdi, 8), %rax\n"
	"	lea (%rax, %rdi, 8), %rax\n"
	"	jmp *%rax\n"
	"	.balign 16\n"
	"calls:	.rept 8192\n"
	"	call further\n"
	"	jmp 1f\n"
	"	.balign 16\n"
	"	.endr\n"
	"1:	pop %rdi\n"
	"	.cfi_adjust_cfa_offset -8\n"
	"	ret\n"
	"	.cfi_endproc\n"
	".popsection\n");

void further(unsigned long n, unsigned long depth)
{
	if (depth)
		call((n + 1) % CALLS, depth - 1);
	else
		CHECK(work_for_ticks(1));
	__asm__ volatile("" : : : "memory");
}

/* Every call, twice. */
static void wander(void)
{
	for (unsigned long n = 0; n < 2 * CALLS; n += CALLS_DEEP)
		call(n % CALLS, CALLS_DEEP - 1);
}

static bool wandered(const struct profil_stack *stack)
{
	unsigned long last = CALLS, n, deep = 0;

	for (unsigned int i = 0; i < stack->nframes; i++) {
		n = (stack->frame[i] - (uintptr_t)calls) / 16;
		if (n >= CALLS)
			continue;
		CHECK(last == CALLS || (n + 1) % CALLS == last);
		last = n;
		deep++;
	}
	return deep == CALLS_DEEP;
}

/* The table of rules grows as far as it may. */
TEST(thousands_of_callers_are_told_apart)
{
	uint64_t ticks = 0, whole = 0;
	struct profil_stack stack;
	struct stream s = profiled(PROFIL_RATE_FAST, wander);

	FOR_EACH_STACK(&s, s.size, &stack) {
		ticks += stack.count;
		whole += !stack.end && wandered(&stack) ? stack.count : 0;
	}
	CHECK_GE(ticks, 2 * CALLS / CALLS_DEEP);
	CHECK_GE(whole, most_of(ticks));
}
#endif

/* With it, the program's call frame information is not known. */
static void forget_objects(bool forget)
{
	struct own_objects own;

	own_objects_find(&own);
	if (forget)
		own_object_of(&own, (uintptr_t)recurse)->eh_frame_hdr = 0;
	CHECK_EQ(set_objects(own.object, own.n), 0);
}

static void (*volatile const hot[2])(unsigned long n) = { hot_a, hot_b };

/* From the same call: hot_a() with it, hot_b() without; each until it has had ticks often. */
static void alternate(void)
{
	unsigned int ticked[2] = { 0 };

	for (int i = 0; i < 200000 && page()->state == PROFIL_STATE_ON &&
	     (ticked[0] < 20 || ticked[1] < 20); i++) {
		forget_objects(i & 1);
		ticked[i & 1] += has_ticks_in(hot[i & 1], 20000);
	}
}

static void recurse_and_alternate(void)
{
	recurse(DEPTH, alternate);
}

/* Whatever a walk keeps for the next one. */
TEST(stack_is_found_by_the_objects_that_are_known)
{
	uint64_t known = 0, unknown = 0, cut = 0;
	struct profil_stack stack;
	struct stream s;

	NEEDS_WALKS();
	s = profiled(PROFIL_RATE_FAST, recurse_and_alternate);
	FOR_EACH_STACK(&s, s.size, &stack) {
		if (is_in(stack.frame[0], text_b())) {
			/* On arm64, it has frame pointers. */
			CHECK(stack.end ? longest_repeat(&stack) == 1 :
			      stack.flags & PROFIL_STACK_GUESSED);
			unknown += stack.count;
		} else if (is_in(stack.frame[0], text_a()) && stack.end) {
			cut += stack.count;
		} else if (is_in(stack.frame[0], text_a())) {
			CHECK_EQ(longest_repeat(&stack), DEPTH);
			known += stack.count;
		}
	}
	CHECK_GE(known, 10);
	CHECK_GE(unknown, 10);
	CHECK_LE(cut, known);
}

/* Makes the call frame information of this program useless. */
static void spoil(void)
{
	struct own_objects own;
	uintptr_t hdr;

	own_objects_find(&own);
	hdr = (uintptr_t)own_object_of(&own, (uintptr_t)recurse)->eh_frame_hdr;
	CHECK_CALL(mprotect((void *)(hdr & -PAGE), PAGE, PROT_READ | PROT_WRITE));
	*(volatile char *)hdr = 0;
}

/* @leaves: changes its user, after walks that met none of the callers. */
static uint64_t ticks_with_callers(bool leaves)
{
	struct stream s = new_stream(STREAM_BYTES), before = new_stream(STREAM_BYTES);
	struct profil_stack stack;
	uint64_t ticks = 0;

	if (leaves) {
		ticks_wanted = TICKS;
		profile(&before, PROFIL_RATE_TICK, do_ticks);
		stop_stacks(&before);
		CHECK_CALL(seteuid(65534));
	}
	profile(&s, PROFIL_RATE_TICK, recurse_and_work);
	stop_stacks(&s);
	FOR_EACH_STACK(&s, s.size, &stack)
		if (!stack.end && !(stack.flags & PROFIL_STACK_GUESSED))
			ticks += longest_repeat(&stack) == DEPTH ? stack.count : 0;
	return ticks;
}

enum { SPOILT = 1, BEFORE = 2, OTHER = 4, LATER = 8, ELSEWHERE = 16, CHANGED = 32, LAST = 64 };

static void prepare(unsigned int how)
{
	if (how & CHANGED)
		CHECK_CALL(chmod("/proc/self/exe", 0755));
	if (how & OTHER)
		CHECK_CALL(seteuid(65534));
	if (how & BEFORE)
		spoil();
	set_own_objects();
	if (how & SPOILT)
		spoil();
	if (how & LATER)
		CHECK_CALL(seteuid(65534));
	if (how & ELSEWHERE)
		CHECK_CALL(unshare(CLONE_NEWPID));
}

TEST(rules_are_shared_by_processes_of_a_user_that_have_the_same_file)
{
	const unsigned int how[] = {
		0, SPOILT, BEFORE, SPOILT | OTHER, SPOILT | LATER, SPOILT | ELSEWHERE,
		SPOILT | LAST, SPOILT | CHANGED,	/* the last: its rules are nobody's */
	};
	const unsigned int sharers = sizeof(long) == 8 ? 2 : 1;	/* 32-bit code has none. */

	NEEDS_ROOT();
	NEEDS_WALKS();
	/* Makes room for the rules, and keeps it. */
	profiled(PROFIL_RATE_TICK, recurse_and_work);
	for (unsigned int i = 0; i < sizeof(how) / sizeof(*how); i++)
		IN_CHILD {
			prepare(how[i]);
			/* A process that enters a pid namespace is not in it; its children are. */
			IN_CHILD
				CHECK_EQ(ticks_with_callers(how[i] & LAST) >= most_of(TICKS),
					 i < sharers);
		}
}

#define SETS		64
#define THREADS		400

static uint32_t wanted_sets = SETS / 4;
static pthread_mutex_t all_are_there = PTHREAD_MUTEX_INITIALIZER;
static volatile bool over;

static void work_and_call(void)
{
	hot_a(20000);
	hot_syscall(5);
}

/*
 * Of all threads, those do it that share a quarter of the entries. The others do not exit:
 * what ticks while it exits is stackless.
 */
static void *want_the_cpu(void *arg)
{
	pthread_mutex_lock(&all_are_there);
	pthread_mutex_unlock(&all_are_there);
	if (thread_id() % SETS >= wanted_sets)
		pause();
	while (!over)
		recurse(DEPTH, work_and_call);
	return arg;
}

/* A hundred of 400 run, or all. The scheduler's tick takes the CPU away. */
static void start_many(const struct stream *s, int threads)
{
	/*
	 * Its pages are there: no sample is dropped, and no stack is lost while a thread that
	 * exits, and has been preempted, has the mmap lock.
	 */
	memset(s->array, 0, STREAM_SAMPLES * sizeof(*s->array));
	memset(s->bytes, 0, 1 << 20);
	set_own_objects();
	pthread_mutex_lock(&all_are_there);
	for (int i = 0; i < threads; i++)
		CHECK_EQ(pthread_detach(start_thread(want_the_cpu, NULL)), 0);
	CHECK_EQ(start_flags(s, PROFIL_RATE_TICK, PROFIL_LAZY), 0);
	pthread_mutex_unlock(&all_are_there);
}

static void wait_for_ticks(uint64_t n)
{
	for (uint64_t end = page()->ticks + n; page()->ticks < end;)
		usleep(10000);
}

static void check_few_are_stackless(int threads)
{
	struct stream s = new_stream(STREAM_BYTES);
	uint64_t ticks, stackless;

	start_many(&s, threads);
	wait_for_ticks(2 * (uint64_t)threads);
	ticks = page()->ticks;
	stackless = page()->stackless;
	over = true;
	stop_stacks(&s);
	note("%llu of %llu stackless", (unsigned long long)stackless, (unsigned long long)ticks);
	CHECK_LE(stackless, ticks / 100);
}

TEST(threads_that_wait_for_a_cpu_leave_entries_to_the_others)
{
	check_few_are_stackless(THREADS);
}

TEST(a_thousand_threads_on_four_cpus_have_stacks)
{
	NEEDS_CPUS(4);
	wanted_sets = SETS;
	check_few_are_stackless(1000);
}

TEST(stop_walks_the_stacks_of_threads_that_wait_for_a_cpu)
{
	struct stream s = new_stream(STREAM_BYTES);
	uint64_t unseen = 0, in_a = 0, deep = 0;
	struct profil_stack stack;
	struct profil_status st;

	NEEDS_WALKS();
	start_many(&s, THREADS);
	wait_for_ticks(THREADS);
	st = accounted();
	over = true;
	check_stream(&s, &st);
	FOR_EACH_STACK(&s, st.stack_bytes, &stack) {
		unseen += stack.end == PROFIL_STACK_END_UNSEEN ? stack.count : 0;
		if (stack.end || !is_in(stack.frame[0], text_a()))
			continue;
		in_a += stack.count;
		deep += longest_repeat(&stack) == DEPTH ? stack.count : 0;
	}
	note("%llu of %llu not walked", (unsigned long long)unseen, (unsigned long long)st.ticks);
	CHECK_LE(unseen, st.ticks / 100);
	CHECK_GE(in_a, 1);
	CHECK_EQ(deep, in_a);
}
