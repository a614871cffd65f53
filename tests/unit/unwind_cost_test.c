// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * What a walk costs, in machine instructions: of this program's own stack, whose
 * call frame information is the compiler's and libc's.
 */
#define _GNU_SOURCE
#include <signal.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

#include <linux/compiler.h>

#include "unwind/unwind.h"
#include "own_objects.h"
#include "unit.h"

/* Of gcc, which kernels are compiled with. clang's are a fifth more. */
#ifdef __clang__
#define AT_MOST(n)		((n) * 5 / 4)
#else
#define AT_MOST(n)		(n)
#endif
/* A stack of 16 frames, from nothing and from rules that are kept. */
#define COLD_INSTRUCTIONS	AT_MOST(20000)
#define CACHED_INSTRUCTIONS	AT_MOST(2000)
/* All of the stack again, some ten frames more, where the walk before has passed. */
#define TRAILED_INSTRUCTIONS	AT_MOST(1000)
/* All of it once more, where it is left for the next walk. */
#define LEFT_INSTRUCTIONS	AT_MOST(5000)

#define FRAMES		16
#define SETS		256

static struct own_objects own;
static struct profil_unwind_objects objects = { .object = own.object, .generation = 1 };
static struct profil_rules rules = { .mask = SETS - 1 };
static struct profil_unwind_regs here;
static u64 pc[PROFIL_STACK_FRAMES];
static u32 most = FRAMES;
static struct profil_unwind walk;
static u32 frames, reads;

/* As the module reads: word by word. */
static int read_own(void *ctx, u64 addr, void *to, size_t n)
{
	size_t i;

	(void)ctx;
	reads++;
	for (i = 0; i + 8 <= n; i += 8)
		memcpy((u8 *)to + i, (void *)(addr + i), 8);
	for (; i < n; i++)
		((u8 *)to)[i] = ((u8 *)addr)[i];
	return 0;
}

static void be_stepped(void (*call)(void))
{
	if (ptrace(PTRACE_TRACEME, 0, NULL, NULL))
		_exit(1);
	raise(SIGSTOP);
	call();
	raise(SIGSTOP);
	_exit(0);
}

/* Instructions from one SIGSTOP of a child to the next; 0 without ptrace. */
static int steps_between_stops(pid_t pid)
{
	int status, n = 0;

	if (waitpid(pid, &status, 0) != pid || !WIFSTOPPED(status))
		return 0;

	do {
		n++;
		if (ptrace(PTRACE_SINGLESTEP, pid, NULL, NULL))
			return 0;
		if (waitpid(pid, &status, 0) != pid || !WIFSTOPPED(status))
			return 0;
	} while (WSTOPSIG(status) != SIGSTOP);

	kill(pid, SIGKILL);
	waitpid(pid, &status, 0);
	return n;
}

/*
 * Instructions of a call in a child process, which is stepped through, and of what is
 * around it; 0 if there is no ptrace().
 */
static int steps(void (*call)(void))
{
	pid_t pid;

	fflush(NULL);
	pid = fork();
	if (pid < 0)
		return 0;
	if (!pid)
		be_stepped(call);

	return steps_between_stops(pid);
}

static void begin(void)
{
	walk.objects = &objects;
	walk.rules = &rules;
	walk.read = read_own;
	walk.regs = here;
}

static u32 is_same(void *ctx, const struct profil_passed *frame, u32 n)
{
	const struct profil_passed *at;

	(void)ctx;
	for (at = frame + n - 1; at != frame; at--)
		if (*(u64 *)(at[-1].sp - 8) != at[-1].pc ||
		    (at->fp_at && *(u64 *)at->fp_at != at[-1].fp))
			break;
	return at - frame;
}

static void walk_stack(void)
{
	begin();
	frames = profil_unwind_frames(&walk, pc, most);
}

/* Only what a walk needs before it begins. */
static void walk_nothing(void)
{
	begin();
}

static void get_registers(const ucontext_t *context)
{
	static const int greg[PROFIL_REGS] = {
		REG_RAX, REG_RDX, REG_RCX, REG_RBX, REG_RSI, REG_RDI, REG_RBP,
		REG_RSP, REG_R8, REG_R9, REG_R10, REG_R11, REG_R12, REG_R13,
		REG_R14, REG_R15, REG_RIP,
	};

	for (int i = 0; i < PROFIL_REGS; i++)
		here.reg[i] = context->uc_mcontext.gregs[greg[i]];
	here.known = (1ULL << PROFIL_REGS) - 1;
}

static int cold, cached, left, trailed;

/* Not part of innermost(), whose rules are to be the same whatever is measured. */
static noinline void measure(void)
{
	int around;

	cold = steps(walk_stack);
	walk_stack();
	assert_int_equal(frames, FRAMES);
	cached = steps(walk_stack);
	around = steps(walk_nothing);
	cold -= around;
	cached -= around;
	walk.trail = calloc(1, sizeof(*walk.trail));
	walk.passed = calloc(PROFIL_STACK_FRAMES, sizeof(*walk.passed));
	walk.same = is_same;
	most = PROFIL_STACK_FRAMES;
	walk_stack();
	assert_in_range(frames, FRAMES + 1, PROFIL_STACK_FRAMES);
	walk.trail->nframes = 0;
	left = steps(walk_stack) - around;
	walk_stack();
	trailed = steps(walk_stack) - around;
	assert_int_equal(walk.end, PROFIL_END_OUTERMOST);
	free(walk.trail);
	free(walk.passed);
	walk.trail = NULL;
}

static noinline int innermost(int a)
{
	static ucontext_t context;

	getcontext(&context);
	get_registers(&context);
	measure();
	return a;
}

/* Different functions, with one register to save or all of them. */
#define LEVEL(name, next)						\
static noinline int name(int a)						\
{									\
	int b = next(a);						\
									\
	__asm__ volatile("" : "+r" (b));				\
	return b + a;							\
}

#define LARGE_LEVEL(name, next)						\
static noinline int name(int a)						\
{									\
	int b = a, c = a, d = a, e = a, f = a, g;			\
									\
	HIDE_ALL();							\
	g = next(a);							\
	HIDE_ALL();							\
	return g + 0 * (a + b + c + d + e + f);				\
}

#define HIDE_ALL()							\
	__asm__ volatile("" : "+r" (a), "+r" (b), "+r" (c), "+r" (d), "+r" (e), "+r" (f))

LARGE_LEVEL(level_13, innermost)
LEVEL(level_12, level_13)
LARGE_LEVEL(level_11, level_12)
LEVEL(level_10, level_11)
LARGE_LEVEL(level_9, level_10)
LEVEL(level_8, level_9)
LARGE_LEVEL(level_7, level_8)
LEVEL(level_6, level_7)
LARGE_LEVEL(level_5, level_6)
LEVEL(level_4, level_5)
LARGE_LEVEL(level_3, level_4)
LEVEL(level_2, level_3)
LARGE_LEVEL(level_1, level_2)
LEVEL(level_0, level_1)

TEST(a_stack_of_16_frames)
{
	own_objects_find(&own);
	objects.n = own.n;
	rules.rule = calloc(1, profil_rules_bytes(SETS));
	level_0(0);
	free(rules.rule);
	if (cold <= 0 || cached <= 0)
		skip();
	print_message("# instructions of a stack of %u frames: cold %d, cached %d; of all %u to leave a trail %d, with it %d\n",
		      FRAMES, cold, cached, frames, left, trailed);
	assert_in_range(cold, 1, COLD_INSTRUCTIONS);
	assert_in_range(cached, 1, CACHED_INSTRUCTIONS);
	assert_in_range(left, 1, LEFT_INSTRUCTIONS);
	assert_in_range(trailed, 1, TRAILED_INSTRUCTIONS);
}

UNIT_MAIN("unwind_cost", NULL, NULL, NULL, NULL)
