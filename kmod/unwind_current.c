// SPDX-License-Identifier: GPL-2.0-only
/*
 * The current thread's stack, walked on its way to user mode: unwind.c with the
 * thread's registers and memory.
 *
 * Memory is read with faults off first. What is not there is brought in as a read
 * of the process's own would, but only so much in one walk: what comes later in
 * the process's life finds it there.
 *
 * Layer: ground.
 */
#include <linux/ktime.h>
#include <linux/mm.h>
#include <linux/mutex.h>
#include <linux/sched.h>
#include <linux/sched/task_stack.h>
#include <linux/slab.h>
#include <linux/uaccess.h>
#include <asm/ptrace.h>
#include <asm/syscall.h>

#include "objects.h"
#include "page.h"
#include "unwind.h"
#include "unwind_current.h"
#include "unwind_trail.h"

/* Sets of rules: 4,096 of them, 128 KiB. */
#define PROFIL_UNWIND_SETS	(4096 / PROFIL_RULE_WAYS)
/* Threads whose last walks are kept. */
#define PROFIL_UNWIND_TRAILS	8
/* Pages that a walk brings in, and for how long it does: half a fast tick. */
#define PROFIL_UNWIND_PAGES	32
#define PROFIL_UNWIND_NS	(500 * NSEC_PER_USEC)

/**
 * struct profil_unwind_trails - what the last walks have passed.
 * @trail:  of a thread each.
 * @passed: in a walk.
 */
struct profil_unwind_trails {
	struct profil_unwind_trail	trail[PROFIL_UNWIND_TRAILS];
	struct profil_unwind_passed	passed[PROFIL_STACK_FRAMES];
};

/**
 * struct profil_unwinder - who walks.
 * @walk:   unwind.c's.
 * @rules:  of earlier walks, or NULL.
 * @trails: of the last ones, with @rules.
 * @pages:  that may still be brought in.
 * @until:  for so long.
 * @frame:  out.
 */
struct profil_unwinder {
	struct profil_unwind		walk;
	struct profil_unwind_rules	*rules;
	struct profil_unwind_trails	*trails;
	unsigned int			pages;
	u64				until;
	u64				frame[PROFIL_STACK_FRAMES];
};

/* NULL without memory. @rules: one that keeps rules from walk to walk. */
struct profil_unwinder *profil_unwinder_alloc(bool rules)
{
	struct profil_unwinder *unwinder = kzalloc(sizeof(*unwinder), GFP_KERNEL_ACCOUNT);

	/* docs/security.md says what stacks take. */
	BUILD_BUG_ON(sizeof(*unwinder) > 4096);
	BUILD_BUG_ON(sizeof(struct profil_unwind_rule) > 32);
	BUILD_BUG_ON(sizeof(*unwinder->trails) > 32768);
	if (!unwinder)
		return NULL;
	if (!rules)
		return unwinder;
	unwinder->rules = kvzalloc(profil_unwind_rules_bytes(PROFIL_UNWIND_SETS),
				   GFP_KERNEL_ACCOUNT);
	unwinder->trails = kvzalloc(sizeof(*unwinder->trails), GFP_KERNEL_ACCOUNT);
	if (unwinder->rules && unwinder->trails) {
		unwinder->rules->mask = PROFIL_UNWIND_SETS - 1;
		return unwinder;
	}
	profil_unwinder_free(unwinder);
	return NULL;
}

void profil_unwinder_free(struct profil_unwinder *unwinder)
{
	if (!unwinder)
		return;
	kvfree(unwinder->rules);
	kvfree(unwinder->trails);
	kfree(unwinder);
}

/* Faults are off, in all of a walk but here below. */
static __always_inline int profil_unwinder_words(u64 addr, void *to, size_t n)
{
	const u8 __user *at = u64_to_user_ptr(addr);
	u8 *out = to;
	size_t i = 0;

	if (!user_read_access_begin(at, n))
		return -EFAULT;
	/* Most often it is some words, and nothing more. */
	for (; i + 8 <= n; i += 8)
		unsafe_get_user(*(u64 *)(out + i), (const u64 __user *)(at + i), fault);
	for (; unlikely(i < n); i++)
		unsafe_get_user(out[i], at + i, fault);
	user_read_access_end();
	return 0;
fault:
	user_read_access_end();
	return -EFAULT;
}

/*
 * In task context, with interrupts on: KCSAN sees that these count what the user
 * copies of a tick count, too.
 */
static void profil_unwinder_faults_off(void)
{
	/* An interrupt between load and store has counted up and down by then. */
	data_race(({ pagefault_disable(); 0; }));
}

static void profil_unwinder_faults_on(void)
{
	/* As above. */
	data_race(({ pagefault_enable(); 0; }));
}

/* Not the end of the budget, and the page is there now? */
static bool profil_unwinder_bring_in(struct profil_unwinder *unwinder, u64 addr, size_t n)
{
	int err;

	if (!unwinder->pages || addr + n < addr || ktime_get_ns() >= unwinder->until)
		return false;
	unwinder->pages--;
	profil_unwinder_faults_on();
	err = profil_page_in_to_read(current->mm, addr, n);
	profil_unwinder_faults_off();
	return !err;
}

static noinline int profil_unwinder_read_absent(struct profil_unwinder *unwinder, u64 addr,
						void *to, size_t n)
{
	if (!profil_unwinder_bring_in(unwinder, addr, n))
		return -EFAULT;
	return profil_unwinder_words(addr, to, n);
}

static int profil_unwinder_read(void *ctx, u64 addr, void *to, size_t n)
{
	if (likely(!profil_unwinder_words(addr, to, n)))
		return 0;
	return profil_unwinder_read_absent(ctx, addr, to, n);
}

/*
 * All words are between the innermost frame's SP and the outermost one's, and no more
 * than two a frame. What is not there any more is not the same: it is not brought in.
 */
static u32 profil_unwinder_same(void *ctx, const struct profil_unwind_passed *frame, u32 n)
{
	const struct profil_unwind_passed *at = frame + n - 1;
	u64 differ, word;

	if (!user_read_access_begin(u64_to_user_ptr(at->sp), frame->sp - at->sp))
		return at - frame;
	for (; at != frame; at--) {
		unsafe_get_user(word, (const u64 __user *)u64_to_user_ptr(at[-1].sp - 8), fault);
		differ = word ^ at[-1].pc;
		if (at->fp_at) {
			unsafe_get_user(word, (const u64 __user *)u64_to_user_ptr(at->fp_at),
					fault);
			differ |= word ^ at[-1].fp;
		}
		if (unlikely(differ))
			break;
	}
fault:
	user_read_access_end();
	return at - frame;
}

static void profil_unwinder_trail(struct profil_unwinder *unwinder, u32 thread)
{
	struct profil_unwind_trail *trail;

	unwinder->walk.trail = NULL;
	if (!unwinder->trails)
		return;
	trail = &unwinder->trails->trail[thread % PROFIL_UNWIND_TRAILS];
	if (!profil_unwind_trail_use(trail, thread))
		return;
	unwinder->walk.trail = trail;
	unwinder->walk.passed = unwinder->trails->passed;
}

/* A system call leaves other values than its caller had in three of them. */
static void profil_unwinder_regs(struct profil_unwind_regs *to, struct pt_regs *regs)
{
	to->reg[0] = regs->ax;
	to->reg[1] = regs->dx;
	to->reg[2] = regs->cx;
	to->reg[3] = regs->bx;
	to->reg[4] = regs->si;
	to->reg[5] = regs->di;
	to->reg[PROFIL_REG_FP] = regs->bp;
	to->reg[PROFIL_REG_SP] = regs->sp;
	to->reg[8] = regs->r8;
	to->reg[9] = regs->r9;
	to->reg[10] = regs->r10;
	to->reg[11] = regs->r11;
	to->reg[12] = regs->r12;
	to->reg[13] = regs->r13;
	to->reg[14] = regs->r14;
	to->reg[15] = regs->r15;
	to->reg[PROFIL_REG_PC] = regs->ip;
	to->known = (1ULL << PROFIL_REGS) - 1;
	if (syscall_get_nr(current, regs) != -1)
		to->known &= ~(1ULL << 0 | 1ULL << 2 | 1ULL << 11);
}

/*
 * Signals have interrupted what the tick saw: go out to there. False: it is not on
 * the stack.
 */
static bool profil_unwinder_go_out(struct profil_unwind *walk, u64 ip, u64 sp)
{
	unsigned int n;

	for (n = 0; n < PROFIL_STACK_FRAMES; n++) {
		if (profil_unwind_next(walk) != PROFIL_END_NONE)
			return false;
		if (walk->exact && walk->regs.reg[PROFIL_REG_PC] == ip &&
		    walk->regs.reg[PROFIL_REG_SP] == sp) {
			/* That was said of the signals' frames. */
			walk->guessed = false;
			return true;
		}
	}
	return false;
}

/* Is the thread where the tick saw it, or can be followed to there? */
static bool profil_unwinder_find(struct profil_unwind *walk, u64 ip, u64 sp)
{
	return likely(walk->regs.reg[PROFIL_REG_PC] == ip &&
		      walk->regs.reg[PROFIL_REG_SP] == sp) ||
	       profil_unwinder_go_out(walk, ip, sp);
}

/* The number of frames; 0: the thread is somewhere else. */
static u32 profil_unwinder_found(struct profil_unwinder *unwinder,
				 const struct profil_unwind_from *from)
{
	profil_unwind_begin(&unwinder->walk);
	if (unlikely(!profil_unwinder_find(&unwinder->walk, from->ip, from->sp)))
		return 0;
	/* With what is left of the steps of one walk. */
	return profil_unwind_on(&unwinder->walk, unwinder->frame, PROFIL_STACK_FRAMES);
}

static void profil_unwinder_say(const struct profil_unwinder *unwinder, u32 n,
				struct profil_unwound *walked)
{
	const struct profil_unwind *walk = &unwinder->walk;

	/* The stream has unwind.c's numbers, from the one that is no reason on. */
	BUILD_BUG_ON(PROFIL_END_OUTERMOST != 1);
	BUILD_BUG_ON(PROFIL_END_FRAMES - 1 != (int)PROFIL_STACK_END_FRAMES);
	BUILD_BUG_ON(PROFIL_END_UNKNOWN - 1 != (int)PROFIL_STACK_END_UNKNOWN);
	BUILD_BUG_ON(PROFIL_END_BACKWARDS - 1 != (int)PROFIL_STACK_END_BACKWARDS);
	BUILD_BUG_ON(PROFIL_ENDS - 1 != PROFIL_STACK_END_BACKWARDS + 1);
	walked->nframes = n;
	walked->end = walk->end - PROFIL_END_OUTERMOST;
	if (walk->guessed)
		walked->flags |= PROFIL_STACK_GUESSED;
}

/**
 * profil_unwind_current() - the current thread's stack.
 * @unwinder: nobody else's at the time
 * @from:     where to begin
 * @walked:   out
 *
 * In the thread itself, which may fault.
 */
void profil_unwind_current(struct profil_unwinder *unwinder,
			   const struct profil_unwind_from *from,
			   struct profil_unwound *walked)
{
	const struct profil_table *table = from->table;
	struct profil_unwind_objects objects = {
		.object		= table ? table->object : NULL,
		.n		= table ? table->n : 0,
		.generation	= table ? table->generation : 1,
	};
	struct pt_regs *regs = task_pt_regs(current);
	u32 n;

	might_sleep();
	unwinder->frame[0] = from->ip;
	*walked = (struct profil_unwound) { .nframes = 1, .frame = unwinder->frame };
	if (!user_64bit_mode(regs)) {
		walked->end = PROFIL_STACK_END_CODE32;
		return;
	}
	unwinder->pages = PROFIL_UNWIND_PAGES;
	unwinder->until = from->now + PROFIL_UNWIND_NS;
	unwinder->walk.objects = &objects;
	unwinder->walk.rules = unwinder->rules;
	unwinder->walk.read = profil_unwinder_read;
	profil_unwinder_trail(unwinder, from->thread);
	unwinder->walk.same = profil_unwinder_same;
	unwinder->walk.ctx = unwinder;
	profil_unwinder_regs(&unwinder->walk.regs, regs);
	profil_unwinder_faults_off();
	n = profil_unwinder_found(unwinder, from);
	profil_unwinder_faults_on();
	if (n) {
		profil_unwinder_say(unwinder, n, walked);
		return;
	}
	walked->flags = PROFIL_STACK_MOVED;
	walked->end = PROFIL_STACK_END_MOVED;
}
