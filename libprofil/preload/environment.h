/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What the environment asks for; profil(1) sets it, and describes it:
 *
 *	PROFIL_DIRECTORY	where the files go; default: profil.out
 *	PROFIL_RATE		fast (default), tick or clock
 *	PROFIL_SAMPLES		most samples in a file
 *	PROFIL_STACKS		0: no stacks
 *	PROFIL_CHILDREN		only the process with this number
 *	PROFIL_QUIET		no messages about profiles that are not made
 *	PROFIL_PROCESS		number of profil, which cuts the files if it lives
 *				longer than what it has started
 */
#ifndef PRELOAD_ENVIRONMENT_H
#define PRELOAD_ENVIRONMENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* enum profil_rate. */
uint32_t environment_rate(void);

/* The path, absolute; 0 or an errno. */
int environment_directory(char *directory, size_t size);

/* Samples; 0: as many as there may be. */
uint64_t environment_capacity(void);
bool environment_wants_stacks(void);

/* Whether this process is to be profiled, and those that it forks. */
bool environment_wants_this(void);
bool environment_wants_children(void);

/* Whether profil has ended before this program has begun. */
bool environment_is_unattended(void);

/* Nothing is said any more; nor by the programs that this one runs. */
bool environment_is_quiet(void);
void environment_be_quiet(void);

#endif
