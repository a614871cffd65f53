// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * memory HOW: a program that does something to its own memory, then works, in
 * work(). What it does must succeed as it does without a profile.
 *
 *	locks	mlockall(), of what is there and what comes, then forks
 *	both	the same in two threads, often
 *	limited	the same as nobody, who may lock 12 MB; refused: 1 MB, which is too little
 *	full	mlockall() of what is there, without a free descriptor; then its child works
 *	handled	mlockall() while a signal handler starts the program's own profile
 *	ends	as full, but it can map nothing when its profile ends
 *	space	maps 50 GiB, limits its address space to 200 MB and takes 100 MB of it;
 *		a limit of NULL sets none, and succeeds
 *	unmaps	unmaps the page of /dev/profil
 *	unmaps-forks	after two threads: children work, one while the page's place is taken
 *	unmaps-all	and everything else that is not its own
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/resource.h>

#include "work.h"

WORK(before)
WORK(work)

static void die(const char *what)
{
	perror(what);
	exit(1);
}

static void set_limit(int resource, rlim_t now, rlim_t most)
{
	struct rlimit limit = { now, most };

	if (setrlimit(resource, &limit) < 0)
		die("setrlimit");
}

static void become_nobody(unsigned int locked_mb)
{
	set_limit(RLIMIT_MEMLOCK, locked_mb << 20, locked_mb << 20);
	if (setresuid(65534, 65534, 65534) < 0)
		die("setresuid");
}

/* The status file's line about locked memory, in KB. */
static long locked(void)
{
	FILE *status = fopen("/proc/self/status", "r");
	char line[256];
	long kb = -1;

	while (status && kb < 0 && fgets(line, sizeof(line), status))
		if (sscanf(line, "VmLck: %ld", &kb) != 1)
			kb = -1;
	if (status)
		fclose(status);
	return kb;
}

static void have_child_work(unsigned long n)
{
	fflush(stdout);
	if (fork() == 0) {
		before(n);
		exit(0);
	}
	wait(NULL);
}

static void lock(void)
{
	if (mlockall(MCL_CURRENT | MCL_FUTURE) < 0)
		die("mlockall");
	printf("%ld kB locked\n", locked());
	have_child_work(30000000);
}

static void profile_itself(int signal)
{
	static unsigned short counters[4096];

	(void)signal;
	profil(counters, sizeof(counters), (size_t)work, 0x10000);
}

static void *lock_often(void *unused)
{
	for (int i = 0; i < 60; i++)
		if (mlockall(MCL_CURRENT) < 0 || munlockall() < 0)
			die("mlockall");
	return unused;
}

static void take(size_t bytes)
{
	char *memory = malloc(bytes);

	if (!memory)
		die("malloc");
	memset(memory, 1, bytes);
	free(memory);
}

/* All mappings whose lines in /proc/self/maps have @text. Returns where the first one was. */
static void *unmap(const char *text)
{
	FILE *maps = fopen("/proc/self/maps", "r");
	unsigned long from[64] = { 0 }, to[64];
	char line[512];
	int n = 0;

	while (maps && n < 64 && fgets(line, sizeof(line), maps))
		if (strstr(line, text) && sscanf(line, "%lx-%lx", &from[n], &to[n]) == 2)
			n++;
	if (maps)
		fclose(maps);
	printf("%d unmapped\n", n);
	while (n--)
		munmap((void *)from[n], to[n] - from[n]);
	return (void *)from[0];
}

static void end_without_room(void)
{
	void *library = dlopen("libm.so.6", RTLD_NOW);

	if (!library || mlockall(MCL_CURRENT | MCL_FUTURE) < 0)
		die("mlockall");
	become_nobody(0);
	set_limit(RLIMIT_NOFILE, 3, 100);
	set_limit(RLIMIT_AS, 8UL << 30, 8UL << 30);
	/* The kernel cannot be told: there is no descriptor. */
	dlclose(library);
	set_limit(RLIMIT_NOFILE, 100, 100);
	munlockall();
	unmap("/dev/profil");
	have_child_work(160000000);
}

static void take_place_and_fork(void *page)
{
	have_child_work(160000000);
	mmap(page, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
	have_child_work(160000000);
}

int main(int argc, char **argv)
{
	const char *how = argc > 1 ? argv[1] : "";
	/* Volatile: libc declares the argument nonnull. */
	void *volatile none = NULL, *page = NULL;
	pthread_t other;

	/* So long that there are more samples than fit into a page. */
	before(160000000);
	if (!strcmp(how, "limited"))
		become_nobody(12);
	if (!strcmp(how, "refused"))
		become_nobody(1);
	if (!strcmp(how, "full"))
		set_limit(RLIMIT_NOFILE, 3, 100);
	if (!strcmp(how, "handled")) {
		signal(SIGALRM, profile_itself);
		ualarm(1000, 0);
	}
	if (!strcmp(how, "locks") || !strcmp(how, "limited"))
		lock();
	if ((!strcmp(how, "full") || !strcmp(how, "handled")) && mlockall(MCL_CURRENT) < 0)
		die("mlockall");
	if (!strcmp(how, "full")) {
		set_limit(RLIMIT_NOFILE, 100, 100);
		have_child_work(160000000);
	}
	if (!strcmp(how, "ends"))
		end_without_room();
	if (!strcmp(how, "both") || !strcmp(how, "unmaps-forks")) {
		pthread_create(&other, NULL, lock_often, NULL);
		lock_often(NULL);
		pthread_join(other, NULL);
	}
	if (!strcmp(how, "refused") && (mlockall(MCL_CURRENT) == 0 || errno != ENOMEM))
		die("mlockall");
	if (!strcmp(how, "space")) {
		if (setrlimit(RLIMIT_AS, none) < 0)
			die("setrlimit");
		if (munmap(mmap(NULL, 50UL << 30, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0),
			   50UL << 30) < 0)
			die("mmap");
		set_limit(RLIMIT_AS, 200 << 20, 200 << 20);
		take(100 << 20);
	}
	if (!strncmp(how, "unmaps", 6))
		page = unmap("/dev/profil");
	if (!strcmp(how, "unmaps-forks"))
		take_place_and_fork(page);
	if (!strcmp(how, "unmaps-all"))
		unmap(".out/");
	work(80000000);
	return 5;
}
