// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * In the style of an IRIX program that measures its shared objects: one region for
 * the text of each, and an overflow bin for the rest. dl_iterate_phdr() replaces
 * IRIX's list of objects.
 *
 *	irix-libs [rounds]
 */
#define _GNU_SOURCE
#include <sys/time.h>
#include <sys/profil.h>
#include <sys/times.h>
#include <link.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAXOBJS	30
#define SCALE	0x100			/* one counter per 1024 bytes of text */

static struct prof regions[MAXOBJS + 1];
static const char *names[MAXOBJS + 1];
static int nregions;
static unsigned int overflow;

static void
add_region(const char *name, __psunsigned_t start, size_t bytes)
{
	struct prof *p = &regions[nregions];

	p->pr_off = start;
	p->pr_scale = SCALE;
	p->pr_size = (unsigned)(bytes / 1024 + 1) * sizeof(unsigned int);
	p->pr_base = calloc(p->pr_size, 1);
	names[nregions++] = name;
}

/* The vdso has no path: its samples go into the overflow bin. */
static int
add_object(struct dl_phdr_info *info, size_t size, void *unused)
{
	const char *slash = strrchr(info->dlpi_name, '/');
	const char *name = slash ? slash + 1 : nregions ? NULL : "program";
	int i;

	(void)size;
	(void)unused;
	for (i = 0; name && i < info->dlpi_phnum && nregions < MAXOBJS; i++)
		if (info->dlpi_phdr[i].p_type == PT_LOAD &&
		    (info->dlpi_phdr[i].p_flags & PF_X))
			add_region(name, info->dlpi_addr +
				   info->dlpi_phdr[i].p_vaddr,
				   info->dlpi_phdr[i].p_memsz);
	return 0;
}

static void
start(void)
{
	struct timeval tick;
	struct prof *last;

	dl_iterate_phdr(add_object, NULL);
	last = &regions[nregions];
	last->pr_base = &overflow;
	last->pr_size = sizeof(overflow);
	last->pr_off = 0;
	last->pr_scale = 2;
	names[nregions++] = "elsewhere";
	if (sprofil(regions, nregions, &tick, PROF_UINT) < 0) {
		perror("sprofil");
		exit(1);
	}
	printf("tick %ld us\n", tick.tv_sec * 1000000L + tick.tv_usec);
}

static void
report(void)
{
	struct prof off = { NULL, 0, 0, 0 };
	unsigned long total = 0;
	struct tms tms;
	int i;

	sprofil(&off, 1, NULL, PROF_UINT);
	times(&tms);
	for (i = 0; i < nregions; i++) {
		const unsigned int *counter = regions[i].pr_base;
		unsigned long sum = 0;
		size_t n;

		for (n = 0; n < regions[i].pr_size / sizeof(*counter); n++)
			sum += counter[n];
		printf("%6lu  %s\n", sum, names[i]);
		total += sum;
	}
	printf("total %lu of %ld\n", total, (long)(tms.tms_utime + tms.tms_stime));
}

/* --- the work: in the program, in libm, in libc, and in the vdso ------------- */

static unsigned char data[1 << 16];
static volatile double result;

static int
compare(const void *a, const void *b)
{
	return *(const unsigned char *)a - *(const unsigned char *)b;
}

static void
work(int round)
{
	struct timeval now;
	unsigned int i, random = round;

	for (i = 0; i < sizeof(data); i++)
		data[i] = (random = random * 1103515245 + 12345) >> 16;
	qsort(data, sizeof(data) / 16, 1, compare);
	for (i = 0; i < 20000; i++)
		result += sin(i * 0.001) * exp(-(double)i / 20000);
	for (i = 0; i < 60000; i++)
		gettimeofday(&now, NULL);
}

int
main(int argc, char **argv)
{
	int round, rounds = argc > 1 ? atoi(argv[1]) : 100;

	start();
	for (round = 0; round < rounds; round++)
		work(round);
	report();
	return 0;
}
