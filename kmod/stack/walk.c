// SPDX-License-Identifier: GPL-2.0-only
/*
 * Walks the stack of a thread of this process: the current one on its way to user mode,
 * or one that waits there.
 *
 * Memory is read with faults off first. Absent pages are brought in, as a read of the
 * process would, but only a few in one walk: a later walk finds them present.
 */
#include <linux/build_bug.h>
#include <linux/ktime.h>
#include <linux/mm.h>
#include <linux/mutex.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/uaccess.h>

#include "compat.h"
#include "profile.h"
#include "stack/registers.h"
#include "stack/state.h"
#include "unwind/unwind.h"

/*
 * Most sets of rules: 4,096 rules, 128 KiB. A table begins with RULE_SETS_MIN, and is doubled
 * when full sets have lost some rules.
 */
#define RULE_SETS	(4096 / PROFIL_RULE_WAYS)
#define RULE_SETS_MIN	(RULE_SETS / 8)
/* Trails of walks that are kept, by the thread's id. */
#define TRAILS	8
/*
 * Of a profile's first walks only these few rules are kept, which are in memory that a walk
 * needs anyway. To clear the other memory takes as long as several walks, and many
 * processes end before they need it.
 */
#define FIRST_WALKS	4
#define FIRST_SETS	4
/* Most pages that a walk brings in, and its time to do so: half a fast tick. */
#define MAX_PAGES	32
#define MAX_NS	(500 * NSEC_PER_USEC)

/**
 * struct profil_unwinder - memory of one walk at a time, and what it keeps of earlier walks.
 * @walk:  the state of unwind/.
 * @rules: at first those of @few, and then from RULE_SETS_MIN to RULE_SETS of them; without
 *         any, none are kept.
 * @few:   rules of the first walks.
 * @passed: used during a walk with a trail; NULL: there are no trails yet.
 * @trail: each of one thread; NULL: there was none yet.
 * @poor:  number of walks that do not look for the memory of a trail.
 * @of_user: rules that the user's processes share; NULL there: none yet.
 * @shared: the same, once the walks use them.
 * @shares: in a walk: whether it may use them.
 * @checked: in a walk: the last object whose rules may be added to them.
 * @pages: number of pages that the walk may still bring in.
 * @until: when it may bring in no more, once it has brought in one.
 * @regs:  the thread's registers.
 * @frame: the result.
 */
struct profil_unwinder {
	struct profil_unwind	walk;
	struct profil_rules	rules;
	struct profil_rule	few[PROFIL_RULE_WAYS * FIRST_SETS];
	struct profil_passed	*passed;
	struct profil_trail	*trail[TRAILS];
	u32			poor;
	struct profil_shared_rules **of_user;
	struct profil_shared_rules *shared;
	enum { NOT_ASKED, SHARES, SHARES_NOT } shares;
	const struct profil_object *checked;
	unsigned int		pages;
	u64			until;
	struct pt_regs		*regs;
	u64			frame[PROFIL_STACK_FRAMES];
};

/* In the generation of objects, so that walks keep no rules for the other code. */
#define GENERATION_CODE32	BIT(31)

static const struct profil_unwind_objects no_objects = { .generation = 1 };

static void rules_free(struct profil_unwinder *unwinder)
{
	if (unwinder->rules.rule != unwinder->few)
		kvfree(unwinder->rules.rule);
}

/* Replace the rules by @sets that have all of them. Without memory, they ask for no more. */
static void rules_grow(struct profil_unwinder *unwinder, u32 sets)
{
	struct profil_rules new = {
		.mask = sets - 1, .losses = sets < RULE_SETS ? sets / 4 : 0,
	};

	BUILD_BUG_ON(PROFIL_RULE_WAYS * sizeof(struct profil_rule) * RULE_SETS > 131072);
	/* Then a set has room for its rules: see profil_rules_copy(). */
	if (WARN_ON_ONCE(sets > RULE_SETS || sets <= unwinder->rules.mask))
		return;
	new.rule = kvzalloc(profil_rules_bytes(sets), PROFIL_GFP_OPTIONAL);
	if (!new.rule)
		return;
	profil_rules_copy(&new, &unwinder->rules);
	rules_free(unwinder);
	unwinder->rules = new;
}

/* NULL: walks of 32-bit code have objects of their own. */
static const struct profil_table *table_of(const struct profil_unwind *walk)
{
	return walk->objects->generation & GENERATION_CODE32 ? NULL :
	       container_of(walk->objects, struct profil_table, objects);
}

static bool is_known(struct profil_unwind *walk, const struct profil_object *object, u64 pc)
{
	struct profil_unwinder *unwinder = walk->ctx;
	const struct profil_table *table = table_of(walk);
	bool shares;

	/* The thread does not change its user within a walk. */
	if (unwinder->shares == NOT_ASKED) {
		shares = table && profil_shared_rules_are_for(table);
		unwinder->shares = shares ? SHARES : SHARES_NOT;
	}
	return unwinder->shares == SHARES &&
	       profil_shared_rules_find(unwinder->shared, table, object, pc, &walk->made);
}

static void learned(struct profil_unwind *walk, const struct profil_object *object)
{
	struct profil_unwinder *unwinder = walk->ctx;

	if (unwinder->shares != SHARES)
		return;
	if (unwinder->checked != object &&
	    !profil_shared_rules_may_add(table_of(walk), object))
		return;
	unwinder->checked = object;
	profil_shared_rules_add(unwinder->shared, table_of(walk), object, &walk->made);
}

static const struct profil_sharing sharing = { .known = is_known, .learned = learned };

/* Let walks use the rules of the user's other processes, if there are any. */
static void use_shared(struct profil_unwinder *unwinder)
{
	if (!READ_ONCE(*unwinder->of_user))
		return;
	unwinder->shared = READ_ONCE(*unwinder->of_user);
	unwinder->walk.sharing = &sharing;
}

/* Add memory for the next walks. Without it, they use what there is, and ask for no more rules. */
static noinline void grow(struct profil_unwinder *unwinder)
{
	/* docs/security.md states it. Larger pieces are hard to find, and rounded up. */
	BUILD_BUG_ON(sizeof(*unwinder->passed) * PROFIL_STACK_FRAMES > 8192);
	if (unwinder->rules.rule != unwinder->few) {
		rules_grow(unwinder, 2 * (unwinder->rules.mask + 1));
		return;
	}
	if (WARN_ON_ONCE(unwinder->passed))
		return;
	unwinder->passed = kmalloc_array(PROFIL_STACK_FRAMES, sizeof(*unwinder->passed),
					 PROFIL_GFP_OPTIONAL);
	rules_grow(unwinder, RULE_SETS_MIN);
	profil_shared_rules_make(unwinder->of_user);
	use_shared(unwinder);
}

void profil_walk_free(struct profil_unwinder *unwinder)
{
	unsigned int i;

	if (!unwinder)
		return;
	for (i = 0; i < TRAILS; i++)
		kfree(unwinder->trail[i]);
	kfree(unwinder->passed);
	rules_free(unwinder);
	kfree(unwinder);
}

/* Faults are off, except in bring_in(). */
static __always_inline int read_words(u64 addr, void *to, size_t n)
{
	const u8 __user *at = u64_to_user_ptr(addr);
	u8 *out = to;
	size_t i = 0;

	/*
	 * On riscv64, words at any address may be emulated, which is not for the kernel's
	 * accesses; and each word by itself would switch access to user memory on and off.
	 */
	if (!IS_ENABLED(CONFIG_HAVE_EFFICIENT_UNALIGNED_ACCESS) && (addr % 8 || n != 8))
		return access_ok(at, n) && !__copy_from_user_inatomic(to, at, n) ? 0 : -EFAULT;
	if (!user_read_access_begin(at, n))
		return -EFAULT;
	profil_tags_ignore();
	/* A window. */
	for (; unlikely(i + 32 <= n); i += 32) {
		unsafe_get_user(*(u64 *)(out + i), (const u64 __user *)(at + i), fault);
		unsafe_get_user(*(u64 *)(out + i + 8), (const u64 __user *)(at + i + 8), fault);
		unsafe_get_user(*(u64 *)(out + i + 16), (const u64 __user *)(at + i + 16),
				fault);
		unsafe_get_user(*(u64 *)(out + i + 24), (const u64 __user *)(at + i + 24),
				fault);
	}
	/* Mostly whole words. */
	for (; i + 8 <= n; i += 8)
		unsafe_get_user(*(u64 *)(out + i), (const u64 __user *)(at + i), fault);
	for (; unlikely(i < n); i++)
		unsafe_get_user(out[i], at + i, fault);
	profil_tags_compare();
	user_read_access_end();
	return 0;
fault:
	profil_tags_compare();
	user_read_access_end();
	return -EFAULT;
}

/* Has the walk no time left to bring in pages? */
static bool is_late(struct profil_unwinder *unwinder)
{
	u64 now = ktime_get_ns();

	if (unwinder->pages == MAX_PAGES)
		unwinder->until = now + MAX_NS;
	return now >= unwinder->until;
}

/* Brings in a page, if the walk may still do so. */
static bool bring_in(struct profil_unwinder *unwinder, u64 addr, size_t n)
{
	int err;

	if (!unwinder->pages || addr + n < addr || is_late(unwinder))
		return false;
	unwinder->pages--;
	profil_faults_on();
	err = profil_page_in(current->mm, addr, n, false, PROFIL_TRY);
	profil_faults_off();
	return !err;
}

static noinline int read_absent(struct profil_unwinder *unwinder, u64 addr,
				void *to, size_t n)
{
	if (!bring_in(unwinder, addr, n))
		return -EFAULT;
	return read_words(addr, to, n);
}

static int read_memory(void *ctx, u64 addr, void *to, size_t n)
{
	if (likely(!read_words(addr, to, n)))
		return 0;
	return read_absent(ctx, addr, to, n);
}

/*
 * Steps of a binary search in entries of .eh_frame_hdr, in one access. It leaves those in an
 * absent page.
 */
static bool narrow(u64 table, s64 distance, u32 *low, u32 *high,
		   struct profil_cfi_entry *found)
{
	const struct profil_cfi_entry __user *entry = u64_to_user_ptr(table);
	u64 from = *low, to = *high, middle;
	bool has = false;
	s32 start;

	/* As above. */
	if (table % sizeof(start) || !user_read_access_begin(entry, to * sizeof(*entry)))
		return false;
	profil_tags_ignore();
	while (from + 1 < to) {
		middle = (from + to) / 2;
		unsafe_get_user(start, &entry[middle].start, fault);
		if (start > distance)
			to = middle;
		else
			from = middle;
	}
	if (to > from) {
		unsafe_get_user(found->start, &entry[from].start, fault);
		unsafe_get_user(found->fde, &entry[from].fde, fault);
		has = found->start <= distance;
	}
fault:
	profil_tags_compare();
	user_read_access_end();
	*low = from;
	*high = to;
	return has;
}

/*
 * All words are between the innermost frame's SP and the outermost one's, at most two a
 * frame. A word in an absent page counts as different; the page is not brought in.
 */
static u32 is_same(void *ctx, const struct profil_passed *frame, u32 n)
{
	const struct profil_unwinder *unwinder = ctx;
	const struct profil_passed *at = frame + n - 1;
	u64 word;

	if (!user_read_access_begin(u64_to_user_ptr(at->sp), frame->sp - at->sp))
		return at - frame;
	profil_tags_ignore();
	/* The outermost frame has no @fp_at, so only frames without one are looked at for it. */
	for (;; at--) {
		if (at->fp_at) {
			unsafe_get_user(word, (const u64 __user *)u64_to_user_ptr(at->fp_at),
					fault);
			if (unlikely(word != at[-1].fp))
				break;
		} else if (at == frame) {
			break;
		}
		unsafe_get_user(word, (const u64 __user *)u64_to_user_ptr(profil_passed_pc_at(at)),
				fault);
		if (unlikely(profil_unwind_return(&unwinder->walk, word) != at[-1].pc))
			break;
	}
fault:
	profil_tags_compare();
	user_read_access_end();
	return at - frame;
}

static void get_rest(struct profil_unwind *walk)
{
	profil_registers_get_rest(walk, container_of(walk, struct profil_unwinder, walk)->regs);
}

/*
 * @keep: keep rules and trails from walk to walk, after the first ones and if there is
 * memory. NULL: no memory for one walk.
 */
struct profil_unwinder *profil_walk_alloc(struct profil *p, bool keep)
{
	struct profil_unwinder *unwinder = kzalloc(sizeof(*unwinder), PROFIL_GFP_OPTIONAL);

	/* docs/security.md states the memory of stacks. */
	BUILD_BUG_ON(sizeof(*unwinder) > 4096);
	if (!unwinder)
		return NULL;
	unwinder->walk.read = read_memory;
	unwinder->walk.narrow = narrow;
	unwinder->walk.same = is_same;
	unwinder->walk.rest = get_rest;
	unwinder->walk.ctx = unwinder;
	unwinder->of_user = profil_shared_rules_of(p);
	use_shared(unwinder);
	if (!keep)
		return unwinder;
	unwinder->walk.grow = FIRST_WALKS + 1;
	unwinder->rules = (struct profil_rules){ .mask = FIRST_SETS - 1, .rule = unwinder->few };
	return unwinder;
}

/* The trail that @thread may use; NULL: no memory. */
static __always_inline struct profil_trail *trail_of(struct profil_unwinder *unwinder, u32 thread)
{
	struct profil_trail **trail = &unwinder->trail[thread % TRAILS];

	BUILD_BUG_ON(sizeof(**trail) > 4096);
	if (likely(*trail))
		return *trail;
	if (unwinder->poor) {
		unwinder->poor--;
		return NULL;
	}
	*trail = kzalloc(sizeof(**trail), PROFIL_GFP_OPTIONAL);
	if (!*trail)
		unwinder->poor = PROFIL_STACKS_POOR;
	return *trail;
}

/*
 * Let the walk use rules and trails of earlier walks. Returns the number of the record that
 * has the trail's frames, or 0. The walk may change them, so the trail forgets the number.
 */
static u64 use_kept(struct profil_unwinder *unwinder, u32 thread)
{
	struct profil_unwind *walk = &unwinder->walk;
	struct profil_trail *trail;
	u64 record;

	walk->trail = NULL;
	walk->rules = unwinder->rules.rule ? &unwinder->rules : NULL;
	if (unlikely(!unwinder->passed))
		return 0;
	trail = trail_of(unwinder, thread);
	if (unlikely(!trail) || !profil_trail_use(trail, thread))
		return 0;
	walk->trail = trail;
	walk->passed = unwinder->passed;
	record = trail->record;
	trail->record = 0;
	return record;
}

/* The functions of unwind/, which is compiled once more for 32-bit code. */
struct walker {
	void			(*begin)(struct profil_unwind *walk);
	enum profil_unwind_end	(*next)(struct profil_unwind *walk);
	u32			(*on)(struct profil_unwind *walk, u64 *pc, u32 max);
};

static const struct walker walker = {
	.begin = profil_unwind_begin, .next = profil_unwind_next, .on = profil_unwind_on,
};

/*
 * Signal handlers have run since the tick: walk out to its place. False: the place is
 * not on the stack.
 */
static noinline bool go_out(struct profil_unwind *walk, u64 ip, u64 sp,
			    const struct walker *by)
{
	unsigned int n;

	for (n = 0; n < PROFIL_STACK_FRAMES; n++) {
		if (by->next(walk) != PROFIL_END_NONE)
			return false;
		if (walk->exact && walk->regs.reg[PROFIL_REG_PC] == ip &&
		    walk->regs.reg[PROFIL_REG_SP] == sp) {
			/* It was set for frames of signals. */
			walk->guessed = false;
			return true;
		}
	}
	return false;
}

/* The number of frames; 0: the thread has left the place of the tick. */
static __always_inline u32 frames_from(struct profil_unwinder *unwinder,
				       const struct profil_walk_from *from,
				       const struct walker *by)
{
	struct profil_unwind *walk = &unwinder->walk;

	by->begin(walk);
	if (unlikely(walk->regs.reg[PROFIL_REG_PC] != from->ip ||
		     walk->regs.reg[PROFIL_REG_SP] != from->sp) &&
	    !go_out(walk, from->ip, from->sp, by))
		return 0;
	/* Uses the remaining steps. */
	return by->on(walk, unwinder->frame, PROFIL_STACK_FRAMES);
}

#ifdef PROFIL_MACHINE_X86_64
#define WALKS_CODE32	true

/* Without trails: is_same() compares words of 64-bit code. */
static noinline u32 walk_code32(struct profil_unwinder *unwinder,
				const struct profil_walk_from *from)
{
	static const struct walker walker_i386 = {
		.begin = profil_unwind_begin_i386, .next = profil_unwind_next_i386,
		.on = profil_unwind_on_i386,
	};
	struct profil_unwind *walk = &unwinder->walk;
	struct profil_unwind_objects objects = *walk->objects;
	u32 n;

	objects.generation |= GENERATION_CODE32;
	walk->objects = &objects;
	walk->trail = NULL;
	/* Of a CIE that 64-bit code had: its registers are others. */
	walk->cie_bytes = 0;
	profil_registers_get_i386(walk, unwinder->regs);
	n = frames_from(unwinder, from, &walker_i386);
	walk->cie_bytes = 0;
	/* They end with this function. */
	walk->objects = NULL;
	return n;
}
#else
#define WALKS_CODE32	false
static u32 walk_code32(struct profil_unwinder *unwinder, const struct profil_walk_from *from)
{
	return 0;
}
#endif

/* The stack is the PC alone. */
static struct profil_walked place_alone(struct profil_unwinder *unwinder, u64 ip,
					enum profil_stack_end end, u32 flags)
{
	unwinder->frame[0] = ip;
	return (struct profil_walked) {
		.nframes = 1, .frame = unwinder->frame, .end = end, .flags = flags,
	};
}

/**
 * profil_walk() - walk a stack. It may fault and sleep.
 * @unwinder: used by no other walk at the same time
 * @from:     where to begin
 * @regs:     the thread's registers in user mode
 * @walked:   out: the result
 */
void profil_walk(struct profil_unwinder *unwinder, const struct profil_walk_from *from,
		 struct pt_regs *regs, struct profil_walked *walked)
{
	struct profil_unwind *walk = &unwinder->walk;
	const struct profil_table *table = from->table;
	u64 record;
	u32 n;

	/* docs/security.md states both. */
	BUILD_BUG_ON(MAX_PAGES > 32 || MAX_NS > NSEC_PER_MSEC / 2);
	if (!WALKS_CODE32 && !profil_registers_are_64bit(regs)) {
		*walked = place_alone(unwinder, from->ip, PROFIL_STACK_END_CODE32, 0);
		return;
	}
	if (unlikely(walk->grow) && !--walk->grow)
		grow(unwinder);
	unwinder->pages = MAX_PAGES;
	unwinder->shares = NOT_ASKED;
	unwinder->checked = NULL;
	walk->objects = table ? &table->objects : &no_objects;
	record = use_kept(unwinder, from->thread);
	unwinder->regs = regs;
	profil_faults_off();
	if (likely(profil_registers_are_64bit(regs))) {
		profil_registers_get(walk, regs);
		n = frames_from(unwinder, from, &walker);
	} else {
		n = walk_code32(unwinder, from);
	}
	profil_faults_on();
	if (unlikely(!n)) {
		*walked = place_alone(unwinder, from->ip, PROFIL_STACK_END_MOVED,
				      PROFIL_STACK_MOVED);
		return;
	}
	BUILD_BUG_ON(PROFIL_END_BACKWARDS - 1 != (int)PROFIL_STACK_END_BACKWARDS);
	*walked = (struct profil_walked) {
		.nframes	= n,
		.flags		= walk->guessed ? PROFIL_STACK_GUESSED : 0,
		.end		= walk->end - PROFIL_END_OUTERMOST,
		.left		= walk->left,
		.frame		= unwinder->frame,
		.record		= record,
		.trail		= walk->trail && walk->trail->whole ? walk->trail : NULL,
	};
}
