// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * step_test [-b N] PROGRAM: runs it an instruction at a time, and walks the stack before
 * each of them. With -b: it has no call frame information, so frames are guessed. N of
 * 1,000 stacks have to be complete, and no frame can join a trail.
 *
 * What the stack must be is known without call frame information: each call and
 * return of a thread is seen, and each signal. So a frame that is missing, wrong
 * or too many is found, at whatever instruction.
 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "step_machine.h"

#define MAX_CALLS	1024
#define MAX_STACKS	8
#define MAX_THREADS	8
#define MAX_OBJECTS	64
#define SETS		1024
#define AHEAD_BYTES	8192
#define FAR		32768
#define ANY_SLOT	U64_MAX
#define PC_MASK		((1ULL << 48) - 1)

/* At one step of so many, all threads walk with the same trail. */
#define SELDOM		101

/* Walks at one PC: the vdso reads a clock again if a tick has come in between. */
#define OFTEN		1000

/* Of 1,000 stacks, so many have to be complete. */
#define COMPLETE	995
/* Of so many guessed stacks, one may be wrong: an old return address may be on top. */
#define GUESSED		10000

/* A call that has not returned, or what a signal has interrupted. */
struct call {
	u64	slot;		/* of its return address; the interrupted SP */
	u64	pc;		/* behind the call; the interrupted one */
	bool	interrupted;
};

struct calls {
	struct call	call[MAX_CALLS];
	int		n;
	u64		sp;		/* when it was left */
	bool		made;		/* by the program: begins with anything */
};

struct thread {
	pid_t		tid;
	struct calls	stack[MAX_STACKS];
	int		nstacks;
	int		current;
	struct registers regs;
	u8		code[16];
	u8		ahead[AHEAD_BYTES];
	size_t		nahead;
};

static struct thread thread[MAX_THREADS];
static struct profil_object object[MAX_OBJECTS];
static struct profil_unwind_objects objects = { .object = object };
static struct profil_rules rules = { .mask = SETS - 1 };
static bool mapped;
static u32 walked[1 << 16];
static unsigned long steps, complete, contradictions, guessed, misguessed, jumps;
static unsigned long cut[PROFIL_ENDS], frames, skipped[sizeof(wrong_rows) / sizeof(wrong_rows[0])];
static u32 most_steps;
static struct profil_trail trail[MAX_THREADS], shared;
static unsigned long followed, joined, astray;

static ssize_t peek(pid_t tid, u64 addr, void *to, size_t n)
{
	struct iovec mine = { .iov_base = to, .iov_len = n };
	struct iovec its = { .iov_base = (void *)addr, .iov_len = n };

	return process_vm_readv(tid, &mine, 1, &its, 1, 0);
}

static u64 pc_of(const struct registers *regs)
{
	return regs->reg[PROFIL_REG_PC];
}

static u64 sp_of(const struct registers *regs)
{
	return regs->reg[PROFIL_REG_SP];
}

#ifdef NUMBER_REGISTER
#include "step_gdb.h"
#else
#include "step_ptrace.h"
#endif

/* The top of the stack is read once a step. */
static int read_thread(void *ctx, u64 addr, void *to, size_t n)
{
	const struct thread *t = ctx;
	u64 in = addr - sp_of(&t->regs);

	if (in < t->nahead && t->nahead - in >= n) {
		memcpy(to, t->ahead + in, n);
		return 0;
	}
	return peek(t->tid, addr, to, n) == (ssize_t)n ? 0 : -EFAULT;
}

static bool is_word(void *ctx, u64 addr, u64 wanted)
{
	profil_unwind_word word;

	return !read_thread(ctx, addr, &word, sizeof(word)) && word == wanted;
}

static u32 is_same(void *ctx, const struct profil_passed *frame, u32 n)
{
	const struct profil_passed *at;

	for (at = frame + n - 1; at != frame; at--)
		if (!is_word(ctx, profil_passed_pc_at(at), at[-1].pc) ||
		    (at->fp_at && !is_word(ctx, at->fp_at, at[-1].fp)))
			break;
	return at - frame;
}

static u64 word_at(const struct thread *t, u64 addr)
{
	profil_unwind_word word = 0;

	peek(t->tid, addr, &word, sizeof(word));
	return word;
}

/* Objects, as they are in memory. */

static bool add_object(pid_t pid, u64 base)
{
	struct profil_object *o = &object[objects.n];
	elf_segment header[16];
	elf_header elf;
	u64 bias = base;

	if (peek(pid, base, &elf, sizeof(elf)) != sizeof(elf) ||
	    memcmp(elf.e_ident, ELFMAG, SELFMAG) || elf.e_machine != MACHINE || elf.e_phnum > 16 ||
	    peek(pid, base + elf.e_phoff, header, elf.e_phnum * sizeof(header[0])) < 0)
		return false;
	*o = (struct profil_object) { .start = base };
	if (elf.e_type == ET_EXEC)
		bias = 0;
	for (int i = 0; i < elf.e_phnum; i++) {
		if (header[i].p_type == PT_GNU_EH_FRAME)
			o->eh_frame_hdr = bias + header[i].p_vaddr;
		if (header[i].p_type == PT_LOAD)
			o->end = bias + header[i].p_vaddr + header[i].p_memsz;
	}
	objects.n++;
	return true;
}

static void find_objects(pid_t pid)
{
	char path[64], line[512], name[256];
	unsigned long start, offset;
	FILE *maps;

	snprintf(path, sizeof(path), "/proc/%d/maps", pid);
	maps = fopen(path, "r");
	objects.n = 0;
	objects.generation++;
	while (maps && fgets(line, sizeof(line), maps)) {
		name[0] = '\0';
		/* lld's files may be mapped from their beginning twice. */
		if (sscanf(line, "%lx-%*x %*s %lx %*s %*s %255s", &start, &offset,
			   name) < 2 || offset || !name[0] ||
		    (objects.n && start < object[objects.n - 1].end))
			continue;
		if (objects.n < MAX_OBJECTS)
			add_object(pid, start);
	}
	if (maps)
		fclose(maps);
	mapped = false;
}

/* What calls, returns and signals have left on the stack. */

static struct calls *calls_of(struct thread *t)
{
	return &t->stack[t->current];
}

static void add_call(struct calls *calls, u64 slot, u64 pc, bool interrupted)
{
	if (calls->n == MAX_CALLS)
		abort();
	calls->call[calls->n++] = (struct call) { slot, pc, interrupted };
}

/* Calls whose return address is no longer on the stack are over. */
static void forget_calls(struct calls *calls, u64 sp)
{
	while (calls->n && calls->call[calls->n - 1].slot < sp)
		calls->n--;
}

/*
 * With the return address in a register, a call is over when its caller goes on, and all calls
 * from there are when longjmp() returns to another place.
 */
static void forget_returned(struct calls *calls, u64 sp, u64 pc, bool returns)
{
	int i;

	for (i = calls->n; i-- && (calls->call[i].slot == sp || calls->call[i].slot == ANY_SLOT); )
		if (calls->call[i].pc == pc && !calls->call[i].interrupted) {
			calls->n = i;
			return;
		}
	while (returns && calls->n && calls->call[calls->n - 1].slot + 1 <= sp + 1)
		calls->n--;
}

static void forget_signal(struct calls *calls)
{
	while (calls->n && !calls->call[calls->n - 1].interrupted)
		calls->n--;
	if (calls->n)
		calls->n--;
}

static bool is_interrupted(const struct calls *calls, u64 sp)
{
	for (int i = 0; i < calls->n; i++)
		if (calls->call[i].interrupted && calls->call[i].slot <= sp + FAR)
			return true;
	return false;
}

/* The program has changed to another stack: to one it has left, or a new one. */
static void change_stack(struct thread *t, u64 sp)
{
	int i;

	calls_of(t)->sp = sp_of(&t->regs);
	for (i = 0; i < t->nstacks; i++)
		if (i != t->current && t->stack[i].sp - sp + FAR < 2 * FAR)
			break;
	t->current = i;
	if (i < t->nstacks)
		return;
	if (i == MAX_STACKS)
		abort();
	t->stack[i].n = 0;
	t->stack[i].made = true;
	t->nstacks++;
}

static bool is_far(u64 a, u64 b)
{
	return a - b + FAR > 2 * FAR;
}

/* From the registers before an instruction to those after it. */
static void follow(struct thread *t, const struct registers *now)
{
	u64 sp = sp_of(now), pc = pc_of(&t->regs);
	struct calls *calls = calls_of(t);
	const u8 *code = t->code;

	if (is_syscall(code)) {
		mapped |= is_mapping(t->regs.number);
		if (is_return(t->regs.number)) {
			forget_signal(calls);
			return;
		}
		/* QEMU stops behind the next instruction. */
		if (PROFIL_HAS_LINK && pc_of(now) != pc + 4)
			code += 4;
	}
	if (!PROFIL_HAS_LINK && is_call(code) && sp == sp_of(&t->regs) - PROFIL_WORD) {
		add_call(calls, sp, word_at(t, sp), false);
		return;
	}
	if (PROFIL_HAS_LINK && is_call(code)) {
		add_call(calls, sp, now->reg[PROFIL_COLUMN_RA], false);
		return;
	}
	if (is_far(sp, sp_of(&t->regs)) && !is_interrupted(calls, sp))
		change_stack(t, sp);
	forget_calls(calls_of(t), sp);
	if (PROFIL_HAS_LINK)
		forget_returned(calls_of(t), sp, pc_of(now), is_ret(code));
}

/*
 * The kernel has put a frame on the stack that returns to the restorer. QEMU stops behind the
 * handler's first instruction, which may have moved SP.
 */
static void follow_signal(struct thread *t, const struct registers *now)
{
	struct calls *calls = calls_of(t);

	add_call(calls, sp_of(&t->regs), pc_of(&t->regs), true);
	if (PROFIL_HAS_LINK)
		add_call(calls, ANY_SLOT, now->reg[PROFIL_COLUMN_RA], false);
	else
		add_call(calls, sp_of(now), word_at(t, sp_of(now)), false);
}

/* The walk, and what it should have found. */

static void set_registers(struct profil_unwind *walk)
{
	const struct registers *regs = &((const struct thread *)walk->ctx)->regs;

	memcpy(walk->regs.reg, regs->reg, sizeof(regs->reg));
	walk->regs.known = (1ULL << PROFIL_REGS) - 1;
}

static u32 expected(const struct thread *t, u64 *pc)
{
	const struct calls *calls = &t->stack[t->current];
	u32 n = 0;

	pc[n++] = pc_of(&t->regs);
	for (int i = calls->n; i-- && n < PROFIL_STACK_FRAMES; )
		pc[n++] = calls->call[i].pc - !calls->call[i].interrupted;
	return n;
}

static bool agrees(const u64 *got, u32 n, const u64 *want, u32 nwant)
{
	for (u32 i = 0; i < n && i < nwant; i++)
		if (got[i] != want[i])
			return false;
	return true;
}

/*
 * In the last instructions of longjmp(), call frame information is that of where
 * it goes to: setjmp()'s caller, and its callers.
 */
static bool is_jump(const u64 *got, u32 n, const u64 *want, u32 nwant)
{
	return n > 2 && n <= nwant + 1 && got[0] == want[0] &&
	       !memcmp(got + 2, want + nwant - (n - 2), (n - 2) * sizeof(*got));
}

static void tell(const char *what, const struct profil_unwind *walk, const u64 *got,
		 u32 n, const u64 *want, u32 nwant)
{
	printf("# step %lu: %s (end %d)\n", steps, what, walk->end);
	for (u32 i = 0; i < n || i < nwant; i++) {
		u64 g = i < n ? got[i] : 0, w = i < nwant ? want[i] : 0;
		u32 o;

		for (o = 0; o < objects.n; o++)
			if ((g ? g : w) >= object[o].start && (g ? g : w) < object[o].end)
				break;
		printf("#   %2u %16llx %16llx  %u:%llx\n", i, g, w, o,
		       o < objects.n ? (g ? g : w) - object[o].start : 0);
	}
}

/* With what other walks have passed, a walk finds just what it finds without. */
static void walk_trail(struct thread *t, struct profil_trail *with,
		       const struct profil_unwind *without, const u64 *want, u32 nwant)
{
	static struct profil_passed passed[PROFIL_STACK_FRAMES];
	u64 got[PROFIL_STACK_FRAMES];
	struct profil_unwind walk = {
		.objects = &objects, .rules = &rules, .read = read_thread,
		.trail = with, .passed = passed, .same = is_same, .rest = set_registers, .ctx = t,
		.pc_mask = PC_MASK,
	};
	u32 n;

	/* Most of these walks need no other register. */
	set_registers(&walk);
	walk.regs.known &= PROFIL_REGS_SAVED | BIT_ULL(PROFIL_REG_SP) | BIT_ULL(PROFIL_REG_PC) |
			   BIT_ULL(PROFIL_COLUMN_RA);
	walk.regs.known |= PROFIL_KNOWN_LATER;
	with->missed = 1;
	n = profil_unwind_frames(&walk, got, PROFIL_STACK_FRAMES);
	followed++;
	joined += !with->missed;
	if (n == nwant && !memcmp(got, want, n * sizeof(*got)) &&
	    walk.end == without->end && walk.guessed == without->guessed)
		return;
	if (astray++ < 5)
		tell("another stack with a trail", &walk, got, n, want, nwant);
}

/* Is a frame in code that is known to have a wrong row? */
static bool is_skipped(const struct thread *t, const u64 *pc, u32 n)
{
	u8 code[512 + sizeof(wrong_rows[0].code)];

	for (u32 i = 0; i < n; i++) {
		for (int row = 0; wrong_rows[row].name; row++) {
			size_t bytes = wrong_rows[row].bytes, size = sizeof(wrong_rows[row].code);

			peek(t->tid, pc[i] - bytes, code, bytes + size);
			if (!memmem(code, bytes + size, wrong_rows[row].code, size))
				continue;
			skipped[row]++;
			return true;
		}
	}
	return false;
}

static void walk_stack(struct thread *t)
{
	u64 got[PROFIL_STACK_FRAMES], want[PROFIL_STACK_FRAMES + 1];
	static unsigned long told[PROFIL_ENDS];
	struct profil_unwind walk = {
		.objects = &objects, .rules = &rules, .read = read_thread, .ctx = t,
		.pc_mask = PC_MASK,
	};
	u32 n, nwant = expected(t, want);
	bool made = calls_of(t)->made, ok;
	ssize_t ahead = peek(t->tid, sp_of(&t->regs), t->ahead, AHEAD_BYTES);

	t->nahead = ahead > 0 ? ahead : 0;
	set_registers(&walk);
	n = profil_unwind_frames(&walk, got, PROFIL_STACK_FRAMES);
	walk_trail(t, &trail[t - thread], &walk, got, n);
	if (steps % SELDOM == 0)
		walk_trail(t, &shared, &walk, got, n);
	steps++;
	frames += n;
	guessed += walk.guessed;
	if (PROFIL_UNWIND_STEPS - walk.steps > most_steps)
		most_steps = PROFIL_UNWIND_STEPS - walk.steps;
	ok = agrees(got, n, want, nwant) && (n <= nwant || made) &&
	     (walk.end != PROFIL_END_OUTERMOST || n >= nwant);
	if ((!ok || walk.end != PROFIL_END_OUTERMOST) && is_skipped(t, want, nwant)) {
		steps--;
		frames -= n;
	} else if (!ok && got[0] == want[0] &&
		   (made || (!walk.guessed && is_jump(got, n, want, nwant)))) {
		jumps++;
		complete++;
	} else if (!ok && walk.guessed) {
		misguessed++;
	} else if (!ok) {
		if (contradictions++ < 5)
			tell("contradiction", &walk, got, n, want, nwant);
	} else if (walk.end == PROFIL_END_OUTERMOST) {
		complete++;
	} else if (cut[walk.end]++, told[walk.end]++ % 50 < 1) {
		tell("cut short", &walk, got, n, want, nwant);
	}
}

static struct thread *find_thread(pid_t tid)
{
	int i;

	for (i = 0; i < MAX_THREADS; i++)
		if (thread[i].tid == tid)
			return &thread[i];
	for (i = 0; i < MAX_THREADS; i++)
		if (!thread[i].tid)
			break;
	if (i == MAX_THREADS)
		abort();
	thread[i] = (struct thread) { .tid = tid, .nstacks = 1 };
	return &thread[i];
}

static void step(struct thread *t, int signal)
{
	get_registers(t->tid, &t->regs);
	peek(t->tid, pc_of(&t->regs), t->code, sizeof(t->code));
	if (mapped)
		find_objects(t->tid);
	if (!signal && walked[pc_of(&t->regs) & 0xffff]++ < OFTEN)
		walk_stack(t);
	resume(t->tid, signal);
}

/* A thread has stopped after a step, or before it gets a signal. */
static void stopped(struct thread *t, int signal, bool *delivered)
{
	struct registers now;

	get_registers(t->tid, &now);
	if (signal != SIGTRAP && signal != SIGSTOP) {
		follow(t, &now);
		*delivered = is_handled(t->tid, signal);
		step(t, signal);
		return;
	}
	if (*delivered)
		follow_signal(t, &now);
	else if (pc_of(&t->regs))
		follow(t, &now);
	*delivered = false;
	step(t, 0);
}

static int run(pid_t pid)
{
	static bool delivered[MAX_THREADS];
	int status, last = 0;
	pid_t tid;

	while ((tid = next_stop(&status)) > 0) {
		struct thread *t = find_thread(tid);

		if (!WIFSTOPPED(status)) {
			if (tid == pid)
				last = status;
			t->tid = 0;
			continue;
		}
		stopped(t, WSTOPSIG(status), &delivered[t - thread]);
	}
	return last;
}

int main(int argc, char **argv)
{
	unsigned long wanted = COMPLETE, all_skipped = 0;
	bool ok, same, bare = argc > 3 && !strcmp(argv[1], "-b");
	int status, i;
	pid_t pid;

	if (bare) {
		wanted = strtoul(argv[2], NULL, 10);
		argv += 2;
	}
	if (argc < 2)
		return 2;
	setvbuf(stdout, NULL, _IOLBF, 0);
	rules.rule = calloc(1, profil_rules_bytes(SETS));
	pid = start(argv + 1);
	mapped = true;
	step(find_thread(pid), 0);
	status = run(pid);
	printf("1..3\n");
	for (i = 0; i < PROFIL_ENDS; i++)
		if (cut[i])
			printf("# %lu stacks cut short: end %d\n", cut[i], i);
	for (i = 0; wrong_rows[i].name; all_skipped += skipped[i++])
		if (skipped[i])
			printf("# %lu stacks skipped: the rows of %s are wrong\n", skipped[i],
			       wrong_rows[i].name);
	printf("# %lu stacks, %lu callers: %lu complete (%.3f%%), %lu of jumps, %lu guessed, of these %lu wrong; %lu others wrong; at most %u steps\n",
	       steps, frames - steps, complete, 100.0 * complete / steps, jumps, guessed,
	       misguessed, contradictions, most_steps);
	ok = WIFEXITED(status) && !WEXITSTATUS(status) &&
	     !contradictions && misguessed <= (bare ? guessed / GUESSED : MISGUESSED) &&
	     jumps * 1000 < steps && all_skipped * 1000 <= steps * SKIPPED;
	printf("%s 1 - no stack contradicts its calls: %s\n", ok ? "ok" : "not ok", argv[1]);
	printf("%s 2 - of 1000 stacks, %lu are complete\n",
	       complete * 1000 >= steps * wanted ? "ok" : "not ok", wanted);
	printf("# %lu walks with a trail, %lu that joined it\n", followed, joined);
	/* Before main() none does: where the dynamic linker's stack ends is guessed. */
	same = !astray && (bare || joined * JOINED > followed);
	printf("%s 3 - with a trail a walk finds the same\n", same ? "ok" : "not ok");
	return !ok || complete * 1000 < steps * wanted || !same;
}
