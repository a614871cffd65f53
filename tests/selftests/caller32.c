// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * A 32-bit caller of /dev/profil, for i386 and for x32. It has no libc, so it needs no
 * 32-bit libraries. On i386 it uses only int $0x80. compat.c runs it.
 */
#include <asm/unistd.h>
#include <linux/errno.h>
#include <linux/fcntl.h>
#include <linux/types.h>

#include "abi.h"

_Static_assert(sizeof(void *) == 4, "this is a 32-bit program");

#define TICKS	15

#ifdef __x86_64__
static long syscall3(long nr, long a, long b, long c)
{
	long long ret;

	/* Extend pointers with zeros. */
	__asm__ volatile("syscall" : "=a" (ret)
			 : "a" ((long long)nr), "D" ((long long)(unsigned long)a),
			   "S" ((long long)(unsigned long)b), "d" ((long long)(unsigned long)c)
			 : "rcx", "r11", "memory");
	return (long)ret;
}
#else
static long syscall3(long nr, long a, long b, long c)
{
	long ret;

	__asm__ volatile("int $0x80" : "=a" (ret) : "a" (nr), "b" (a), "c" (b), "d" (c) : "memory");
	return ret;
}
#endif

/* The compiler may use it for structures. */
void *memset(void *to, int byte, __SIZE_TYPE__ size);
void *memset(void *to, int byte, __SIZE_TYPE__ size)
{
	unsigned char *at = to;

	while (size--) {
		*at++ = (unsigned char)byte;
		__asm__ volatile("" : "+r" (at));
	}
	return to;
}

__attribute__((noreturn)) static void leave(int status)
{
	for (;;)
		syscall3(__NR_exit, status, 0, 0);
}

#define CHECK(cond) do {						\
	static const char text[] = "# caller32.c: not " #cond "\n";	\
									\
	if (!(cond)) {							\
		syscall3(__NR_write, 1, (long)text, sizeof(text) - 1);	\
		leave(1);						\
	}								\
} while (0)

static long device_ioctl(unsigned int cmd, void *arg)
{
	long fd = syscall3(__NR_open, (long)"/dev/profil", O_RDWR, 0);
	long ret;

	CHECK(fd >= 0);
	ret = syscall3(__NR_ioctl, fd, (long)cmd, (long)arg);
	syscall3(__NR_close, fd, 0, 0);
	return ret;
}

static const volatile struct profil_status *page;

static struct profil_region everything(void *buf, __u32 size, __u8 width)
{
	struct profil_region region = {
		.buf = (unsigned long)buf, .size = size, .width = width,
	};

	return region;
}

static long start_regions(const struct profil_region *regions, unsigned int n)
{
	struct profil_histogram request = {
		.size = sizeof(request), .regions = (unsigned long)regions, .nregions = n,
		.region_size = sizeof(*regions), .rate = PROFIL_RATE_TICK, .page = ~0ULL,
	};
	long ret = device_ioctl(PROFIL_IOC_HISTOGRAM, &request);

	if (ret)
		return ret;
	/* It is in the caller's reach. */
	CHECK(request.page && request.page >> 32 == 0);
	page = (const volatile void *)(unsigned long)request.page;
	CHECK(page->size == sizeof(*page));
	CHECK(page->state == PROFIL_STATE_ON);
	return 0;
}

static struct profil_status stopped(void)
{
	struct profil_status st = { .size = sizeof(st) };

	CHECK(device_ioctl(PROFIL_IOC_STOP, &st) == 0);
	CHECK(st.size == sizeof(st));
	CHECK(st.ticks == st.counted + st.outside + st.dropped);
	return st;
}

static void hot(unsigned long n)
{
	while (n--)
		__asm__ volatile("" : "+r" (n));
}

static void work(__u64 ticks)
{
	__u64 end = page->ticks + ticks;

	for (int i = 0; i < 200000 && page->ticks < end; i++)
		hot(10000);
	CHECK(page->ticks >= end);
}

static void histogram(void)
{
	__u64 buf = 0;
	struct profil_region region = everything(&buf, sizeof(buf), sizeof(buf));
	struct profil_status st;

	CHECK(start_regions(&region, 1) == 0);
	work(TICKS);
	st = stopped();
	CHECK(st.counted >= TICKS);
	CHECK(st.dropped == 0);
	CHECK(buf == st.counted);
}

static void beyond(void)
{
	struct profil_region region = everything((void *)0, 4096, 4);
	struct profil_samples request = {
		.size = sizeof(request), .buf = 0x100000000ULL - 4096, .nsamples = 1024, .width = 4,
	};

	region.buf = 0x100000000ULL;
	CHECK(start_regions(&region, 1) == -EFAULT);
	/* The end is, not the beginning. */
	region.buf -= 8192;
	region.size = 8196;
	CHECK(start_regions(&region, 1) == -EFAULT);
	CHECK(device_ioctl(PROFIL_IOC_SAMPLES, &request) == -EFAULT);
}

__attribute__((used, noreturn)) static void enter(void)
{
	histogram();
	beyond();
	leave(0);
}

__asm__(".globl _start\n"
	"_start:\n"
	"	xor %ebp, %ebp\n"
	"	and $-16, %esp\n"
	"	call enter\n");
