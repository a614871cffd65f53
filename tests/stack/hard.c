// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * What makes stacks hard to walk, each once; with an argument, plain calls only. step_test
 * runs it an instruction at a time. Stacks other than the main one are static, so that they
 * are below it.
 */
#include <alloca.h>
#include <math.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

#define noinline	__attribute__((__noinline__, __noclone__))
#define barrier(p)	__asm__ volatile("" : : "r" (p) : "memory")

static volatile int sink;
static sigjmp_buf back;
static volatile char page[4096] __attribute__((aligned(4096)));
static char other_stack[4][32768] __attribute__((aligned(64)));

static noinline int leaf(int n)
{
	barrier(&n);
	return n + 1;
}

static noinline int recurse(int n)
{
	return n ? recurse(n - 1) + leaf(n) : leaf(0);
}

/* The frame has a size that only the frame pointer knows. */
static noinline int with_alloca(int n)
{
	char *memory = alloca(n);

	memset(memory, n, n);
	barrier(memory);
	return memory[n / 2] + leaf(n);
}

/* The frame is aligned: its CFA has to be read from it. */
static noinline int realigned(int n)
{
	char memory[64] __attribute__((aligned(64)));
	char *more = alloca(n);

	memset(memory, n, sizeof(memory));
	barrier(memory);
	barrier(more);
	return memory[n % 64] + with_alloca(n);
}

/* Uses all registers that calls preserve. */
static noinline int crowded(int a, int b, int c, int d, int e, int f, int g, int h)
{
	int i, sum = 0;

	for (i = 0; i < 3; i++)
		sum += leaf(a) * leaf(b) + leaf(c) * leaf(d) + leaf(e) * leaf(f) +
		       leaf(g) * leaf(h);
	return sum + a + b + c + d + e + f + g + h;
}

static noinline int tail_to(int n)
{
	barrier(&n);
	return crowded(n, 1, 2, 3, 4, 5, 6, 7) + recurse(2);
}

static noinline int tail_call(int n)
{
	leaf(n);
	return tail_to(n);
}

static noinline void __attribute__((__noreturn__)) never_back(int n)
{
	leaf(n);
	siglongjmp(back, 1);
}

/* The call is its last instruction, and what follows another function. */
static noinline void calls_noreturn(int n)
{
	leaf(n);
	never_back(n + 1);
}

static void jumps(void)
{
	if (!sigsetjmp(back, 1))
		calls_noreturn(1);
	if (!sigsetjmp(back, 0))
		with_alloca(100), calls_noreturn(2);
}

static int compare(const void *a, const void *b)
{
	return *(const int *)a - *(const int *)b + recurse(3) - 10;
}

static void callbacks(void)
{
	int n[] = { 5, 3, 9, 1, 7, 2 };

	qsort(n, sizeof(n) / sizeof(n[0]), sizeof(n[0]), compare);
	sink = n[0];
}

/* First calls, by way of the dynamic linker. */
static void linkage(void)
{
	char text[64];

	snprintf(text, sizeof(text), "%.3f %s %d", sin(0.5) + pow(2, 0.1), "x", 7);
	sink = (int)strtol(text, NULL, 10) + (int)strlen(text);
	sink += (int)(cbrt(3) + exp2(0.3)) + atoi("12") + abs(sink);
}

static void clocks(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	sink = (int)time(NULL);
}

static void on_second(int signal)
{
	recurse(2);
	sink = signal;
}

static void on_first(int signal)
{
	leaf(signal);
	raise(SIGUSR2);
	with_alloca(32);
}

static void on_jump(int signal)
{
	leaf(signal);
	siglongjmp(back, signal);
}

static void on_fault(int signal)
{
	leaf(signal);
	mprotect((void *)page, sizeof(page), PROT_READ | PROT_WRITE);
}

static void handle(int signal, void (*handler)(int), int flags)
{
	struct sigaction action = { .sa_handler = handler, .sa_flags = flags };

	sigaction(signal, &action, NULL);
}

static void signals(void)
{
	stack_t alternate = { .ss_sp = other_stack[0], .ss_size = sizeof(other_stack[0]) };

	sigaltstack(&alternate, NULL);
	handle(SIGUSR1, on_first, SA_ONSTACK);
	handle(SIGUSR2, on_second, 0);
	handle(SIGURG, on_jump, SA_ONSTACK);
	handle(SIGSEGV, on_fault, 0);
	raise(SIGUSR2);
	raise(SIGUSR1);
	if (!sigsetjmp(back, 1))
		raise(SIGURG);
	mprotect((void *)page, sizeof(page), PROT_NONE);
	recurse(page[0] = 3);
	alternate.ss_flags = SS_DISABLE;
	sigaltstack(&alternate, NULL);
}

static void *thread(void *argument)
{
	int n = *(int *)argument;

	crowded(n, n, n, n, n, n, n, n);
	realigned(40);
	return recurse(5) ? NULL : argument;
}

static void threads(void)
{
	pthread_t id[2];

	for (int i = 0; i < 2; i++)
		pthread_create(&id[i], NULL, thread, &i);
	for (int i = 0; i < 2; i++)
		pthread_join(id[i], NULL);
}

static ucontext_t here, there;

static void coroutine(void)
{
	for (int i = 0; i < 3; i++) {
		recurse(3);
		swapcontext(&there, &here);
	}
}

static noinline void resume(void)
{
	swapcontext(&here, &there);
}

static void coroutines(void)
{
	getcontext(&there);
	there.uc_stack.ss_sp = other_stack[2];
	there.uc_stack.ss_size = sizeof(other_stack[2]);
	there.uc_link = &here;
	makecontext(&there, coroutine, 0);
	for (int i = 0; i < 4; i++)
		resume();
}

static void child(void)
{
	pid_t pid = vfork();

	if (!pid)
		_exit(0);
	waitpid(pid, NULL, 0);
}

/* Pushes and pops that only call frame information tells of. */
int pushing(int n);
/* No information at all: its return address is on top of the stack. */
int bare(int n);

#ifdef __aarch64__
#define THREADS	0
__asm__(".pushsection .text\nbare: add w0, w0, #1\nnop\nret\n.popsection\n");
#elif defined(__riscv)
#define THREADS	0
__asm__(".pushsection .text\nbare: addi a0, a0, 1\nnop\nret\n.popsection\n");
#else
#define THREADS	1
#ifdef __i386__
#define REG(r)	"%e" #r
#else
#define REG(r)	"%r" #r
#endif
#define STRING(s)	#s
#define WORD(s)		STRING(s)
#define FUNCTION(name)	".globl " name "\n.type " name ", @function\n" name ":\n"

__asm__(".pushsection .text\n"
	FUNCTION("pushing")
	"	.cfi_startproc\n"
	"	push " REG(bx) "\n"
	"	.cfi_adjust_cfa_offset " WORD(__SIZEOF_POINTER__) "\n"
	"	.cfi_rel_offset " REG(bx) ", 0\n"
	"	mov " REG(sp) ", " REG(bx) "\n"
	"	.cfi_def_cfa_register " REG(bx) "\n"
	"	and $-64, " REG(sp) "\n"
	"	push $1\n"
	"	push $2\n"
	"	call leaf_for_asm\n"
	"	mov " REG(bx) ", " REG(sp) "\n"
	"	.cfi_def_cfa_register " REG(sp) "\n"
	"	pop " REG(bx) "\n"
	"	.cfi_adjust_cfa_offset -" WORD(__SIZEOF_POINTER__) "\n"
	"	.cfi_restore " REG(bx) "\n"
	"	ret\n"
	"	.cfi_endproc\n"
	FUNCTION("bare")
	"	lea 1(" REG(di) "), %eax\n"
	"	nop\n"
	"	ret\n"
	".popsection\n");

#endif

int leaf_for_asm(int n);

int leaf_for_asm(int n)
{
	return recurse(n & 1);
}

int main(int argc, char **argv)
{
	(void)argv;
	for (int i = 0; argc > 1 && i < 50; i++)
		callbacks();
	recurse(20);
	if (argc > 1)
		return 0;
	realigned(48);
	tail_call(3);
	jumps();
	callbacks();
	linkage();
	clocks();
	if (THREADS)
		pushing(1);
	bare(1);
	signals();
	if (THREADS)
		threads();
	coroutines();
	if (THREADS)
		child();
	return 0;
}
