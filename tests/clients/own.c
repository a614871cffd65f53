// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * own HOW: works in before(), then profiles itself for a while, in during(), then
 * works in after(); and says what it has counted.
 *
 *	profil		by profil(), as it would without us; and the SIGPROF that came
 *	pcsample	by the function that it finds when it is preloaded
 *	moncontrol	as gdb and gcl do, without -pg; after() in the midst of it
 *	arcs		more calls between functions than libc has room for
 *	thread		by the device, and only one of its threads
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <sys/gmon.h>
#include <sys/ioctl.h>
#include <linux/profil.h>

#include "work.h"

extern char __executable_start, etext;

/* libc has it, but no header of its own declares it. */
void moncontrol(int mode);
void _mcount(unsigned long caller);

WORK(before)
WORK(during)
WORK(after)

static volatile sig_atomic_t signals;

static void count(int signal)
{
	(void)signal;
	signals = signals + 1;
}

static int by_profil(void)
{
	size_t text = (size_t)(&etext - &__executable_start), i;
	unsigned short *buffer = calloc(text, 2);
	unsigned long samples = 0;
	/* libc declares that it must not be null, though that is how it stops. */
	unsigned short *volatile nothing = NULL;

	signal(SIGPROF, count);
	before(20000000);
	if (profil(buffer, 2 * text, (size_t)&__executable_start, 0x10000))
		return 1;
	during(100000000);
	profil(nothing, 0, 0, 0);
	after(20000000);
	for (i = 0; i < text; i++)
		samples += buffer[i];
	printf("%lu samples %d signals\n", samples, (int)signals);
	return 0;
}

static int by_pcsample(void)
{
	static uintptr_t samples[10000];
	long (*pcsample)(uintptr_t *, long) =
		(long (*)(uintptr_t *, long))dlsym(RTLD_DEFAULT, "pcsample");
	long earlier, n, i, good = 0;

	if (!pcsample)
		return 1;
	before(20000000);
	earlier = pcsample(samples, 10000);
	during(100000000);
	n = pcsample(NULL, 0);
	after(20000000);
	for (i = 0; i < n; i++)
		good += samples[i] != 0;
	printf("%ld before, %ld samples\n", earlier, good);
	return n != good;
}

static int by_moncontrol(void)
{
	monstartup((unsigned long)&__executable_start, (unsigned long)&etext);
	/* libc ignores a second call. */
	monstartup((unsigned long)after, (unsigned long)after + 4);
	for (int i = 0; i < 10; i++) {
		during(2000000);
		moncontrol(0);
		after(2000000);
		moncontrol(1);
	}
	moncontrol(0);
	_mcleanup();
	return 0;
}

/* On x86-64, _mcount() finds the caller in the frame. */
static __attribute__((noinline)) void *make_arcs(unsigned long caller)
{
	#define SEVEN(call) call; call; call; call; call; call; call
	SEVEN(SEVEN(_mcount(caller)));
	SEVEN(_mcount(caller));
	return __builtin_frame_address(0);
}

static __attribute__((noinline)) int by_arcs(void)
{
	monstartup((unsigned long)by_arcs, (unsigned long)by_arcs + 1024);
	make_arcs((unsigned long)by_arcs);
	_mcleanup();
	return 0;
}

/* Returns NULL if all is well. */
static void *profile_thread(void *argument)
{
	static uint32_t counter;
	int device = open("/dev/profil", O_RDWR | O_CLOEXEC);
	struct profil_status status = { .size = sizeof(status) };
	struct profil_thread mine = { .size = sizeof(mine), .status = (uintptr_t)&status };
	struct profil_region all = {
		.buf = (uintptr_t)&counter, .size = sizeof(counter),
		.width = sizeof(counter), .flags = PROFIL_REGION_CATCH_ALL,
	};
	struct profil_histogram request = {
		.size = sizeof(request), .rate = PROFIL_RATE_TICK, .flags = PROFIL_THREAD,
		.regions = (uintptr_t)&all, .nregions = 1, .region_size = sizeof(all),
	};

	if (ioctl(device, PROFIL_IOC_HISTOGRAM, NULL) != -1 ||
	    ioctl(device, PROFIL_IOC_HISTOGRAM, &request))
		return argument;
	during(100000000);
	if (ioctl(device, PROFIL_IOC_THREAD_STOP, &mine))
		return argument;
	after(100000000);
	return status.counted == counter && counter > 5 ? NULL : argument;
}

static int by_thread(char **argv)
{
	pthread_t thread;
	void *bad;

	before(100000000);
	return pthread_create(&thread, NULL, profile_thread, argv) ||
	       pthread_join(thread, &bad) || bad;
}

int main(int argc, char **argv)
{
	const char *how = argc > 1 ? argv[1] : "";

	if (!strcmp(how, "profil"))
		return by_profil();
	if (!strcmp(how, "pcsample"))
		return by_pcsample();
	if (!strcmp(how, "moncontrol"))
		return by_moncontrol();
	if (!strcmp(how, "arcs"))
		return by_arcs();
	return by_thread(argv);
}
