/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The environment variables that profil(1) sets and describes:
 *
 *	PROFIL_DIRECTORY	directory of the files; default: profil.out
 *	PROFIL_RATE		fast (default), tick or clock
 *	PROFIL_SAMPLES		maximum samples in a file
 *	PROFIL_STACKS		0: no stacks
 *	PROFIL_WAITS		1: samples of waits as well, with stacks only
 *	PROFIL_CHILDREN		profile only the process with this pid
 *	PROFIL_QUIET		no messages about missing profiles
 *	PROFIL_PROCESS		pid of profil, which cuts the files if it outlives
 *				their programs
 */
#ifndef PRELOAD_ENVIRONMENT_H
#define PRELOAD_ENVIRONMENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* enum profil_rate. */
uint32_t environment_rate(void);

/* Stores the absolute path; 0 or an errno. */
int environment_directory(char *directory, size_t size);

/* Samples; 0: no limit. */
uint64_t environment_capacity(void);
bool environment_wants_stacks(void);
bool environment_wants_waits(void);

/* Whether to profile this process, and its fork children. */
bool environment_wants_this(void);
bool environment_wants_children(void);

/* The process of profil; 0: none. */
pid_t environment_run(void);

/* Whether there is no profil, or it ended before this program began. */
bool environment_is_unattended(void);

/* Whether messages are off; switches them off, also for programs that this one runs. */
bool environment_is_quiet(void);
void environment_be_quiet(void);

#endif
