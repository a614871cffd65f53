/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * WORK(name): a function to be found in a profile. It shares no counter of gmon.out with
 * another one: gprof would divide that between them.
 */
#ifndef _CLIENTS_WORK_H
#define _CLIENTS_WORK_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static volatile unsigned long sink;

#define WORK(name)							\
static __attribute__((noinline, noipa, aligned(16)))			\
void name(unsigned long n)						\
{									\
	for (unsigned long i = 0; i < n; i++)				\
		sink += i;						\
}

#endif /* _CLIENTS_WORK_H */
