// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * A slot has an owner tag, registers, and code. The zeroes behind the vdso's contents
 * have room for some slots. The code uses no stack, since other data may lie below the
 * stack pointer, and it leaves the flags alone.
 *
 * The tag is the thread that may be in the slot. It remains if profil is killed; the
 * slot is then used again only when that thread is in no slot, and in no signal handler
 * that returns to one. A thread that is in one is not used: what it continues with may be
 * in another slot.
 */
#include "attach/trampoline.h"

#include <stdint.h>
#include <string.h>
#include <unistd.h>

#define ROOM	TRAMPOLINE_ROOM
#define STACK_MOST	(8UL << 20)	/* of a stack that is searched */

/* The registers that the system call and the code change. */
struct slot {
	char		magic[8];
	uint64_t	tag;
	uint64_t	rdi, rsi, rdx, r10, r8, r9, rcx, r11, rax, rip;
	uint64_t	mask;		/* of its signals */
};

/*
 * The first call is clone, with signals blocked: else a new thread that runs without us
 * could get one, and run a handler on the stack of the other thread. The second call is
 * rt_sigprocmask. jrcxz tests a register without a change of the flags.
 */
__asm__(".pushsection .rodata\n"
	".balign 16\n"
	"attach_slot:\n"
	"	.ascii	\"PROFIL-2\"\n"
	"	.quad	0\n"
	"1:	.fill	11, 8, 0\n"
	"attach_clone:\n"
	"	syscall\n"
	"	mov	%rax, %rcx\n"
	"	jrcxz	attach_exit\n"
	"	mov	$14, %eax\n"
	"	mov	$2, %edi\n"
	"	lea	1b+80(%rip), %rsi\n"
	"	mov	$0, %edx\n"
	"	mov	$8, %r10d\n"
	"	syscall\n"
	"	mov	1b(%rip), %rdi\n"
	"	mov	1b+8(%rip), %rsi\n"
	"	mov	1b+16(%rip), %rdx\n"
	"	mov	1b+24(%rip), %r10\n"
	"	mov	1b+32(%rip), %r8\n"
	"	mov	1b+40(%rip), %r9\n"
	"	mov	1b+48(%rip), %rcx\n"
	"	mov	1b+56(%rip), %r11\n"
	"	mov	1b+64(%rip), %rax\n"
	"	jmp	*1b+72(%rip)\n"
	"attach_call:\n"
	"	syscall\n"
	"attach_exit:\n"
	"	xor	%edi, %edi\n"
	"	mov	$60, %eax\n"
	"	syscall\n"
	"	jmp	attach_exit\n"
	"attach_slot_end:\n"
	".popsection\n");

extern const char attach_slot[], attach_clone[], attach_call[], attach_exit[],
	attach_slot_end[];

static unsigned long offset_of(const char *label)
{
	return (uintptr_t)label - (uintptr_t)attach_slot;
}

static size_t code_bytes(void)
{
	return offset_of(attach_slot_end);
}

static bool is_zero(const char *bytes)
{
	size_t i;

	for (i = 0; i < TRAMPOLINE_BYTES; i++)
		if (bytes[i])
			return false;
	return true;
}

static bool is_slot(const char *bytes)
{
	return !memcmp(bytes, attach_slot, sizeof(((struct slot *)0)->magic));
}

static pid_t tag_of(const char *bytes)
{
	struct slot slot;

	memcpy(&slot, bytes, sizeof(slot));
	return (pid_t)slot.tag;
}

static void set(struct trampoline *trampoline, unsigned long slot)
{
	trampoline->slot = slot;
	trampoline->clone = slot + offset_of(attach_clone);
	trampoline->call = slot + offset_of(attach_call);
	trampoline->exit = slot + offset_of(attach_exit);
}

bool trampoline_has(int memory, unsigned long end, const struct thread *thread)
{
	unsigned long slot = thread->own.rip & ~(TRAMPOLINE_BYTES - 1);
	char bytes[TRAMPOLINE_BYTES];

	return slot < end && end - slot <= ROOM &&
	       pread(memory, bytes, sizeof(bytes), (off_t)slot) == sizeof(bytes) &&
	       is_slot(bytes);
}

bool trampoline_awaits(int memory, unsigned long slot, const struct thread *thread)
{
	unsigned long at = thread->own.rsp & ~7UL, end = at + STACK_MOST, words[1024];
	ssize_t i, size;

	for (; at < end; at += (unsigned long)size) {
		size = pread(memory, words, sizeof(words), (off_t)at);
		if (size < (ssize_t)sizeof(words[0]))
			break;
		for (i = 0; i < size / (ssize_t)sizeof(words[0]); i++)
			if (words[i] - slot < TRAMPOLINE_BYTES)
				return true;
	}
	return false;
}

bool trampoline_claim(struct trampoline *trampoline, int memory, unsigned long end,
		      bool (*busy)(void *context, pid_t tid, unsigned long slot),
		      void *context)
{
	unsigned long begin = end - ROOM, at;
	char tail[ROOM];

	if (pread(memory, tail, sizeof(tail), (off_t)begin) != sizeof(tail))
		return false;
	for (at = ROOM; at; at -= TRAMPOLINE_BYTES) {
		set(trampoline, begin + at - TRAMPOLINE_BYTES);
		if (is_zero(tail + at - TRAMPOLINE_BYTES))
			return true;
		if (!is_slot(tail + at - TRAMPOLINE_BYTES))
			break;
		if (!tag_of(tail + at - TRAMPOLINE_BYTES))
			return true;
	}
	/* No slot is free, but their threads may have gone. */
	for (; at < ROOM; at += TRAMPOLINE_BYTES) {
		set(trampoline, begin + at);
		if (!busy(context, tag_of(tail + at), trampoline->slot))
			return true;
	}
	return false;
}

static void put(const struct trampoline *trampoline, const struct thread *thread,
		const void *bytes, size_t from, size_t to)
{
	uint64_t word;

	for (; from < to; from += sizeof(word)) {
		memcpy(&word, (const char *)bytes + from, sizeof(word));
		thread_put_word(thread, trampoline->slot + from, word);
	}
}

/* What makes it a slot, and its tag, first: this process can be killed meanwhile. */
void trampoline_write(const struct trampoline *trampoline, const struct thread *thread)
{
	struct user_regs_struct own = thread_resumed(thread);
	char bytes[TRAMPOLINE_BYTES] = "";
	struct slot slot = {
		.tag = (uint64_t)thread->tid,
		.rdi = own.rdi, .rsi = own.rsi, .rdx = own.rdx, .r10 = own.r10,
		.r8 = own.r8, .r9 = own.r9, .rcx = own.rcx, .r11 = own.r11,
		.rax = own.rax, .rip = own.rip, .mask = thread->mask,
	};

	memcpy(bytes, attach_slot, code_bytes());
	memcpy(slot.magic, attach_slot, sizeof(slot.magic));
	memcpy(bytes, &slot, sizeof(slot));
	put(trampoline, thread, bytes, 0, (code_bytes() + 7) & ~7UL);
}

void trampoline_free(const struct trampoline *trampoline, const struct thread *thread)
{
	thread_put_word(thread, trampoline->slot + sizeof(uint64_t), 0);
}
