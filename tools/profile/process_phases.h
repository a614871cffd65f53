/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The phases of processes, which programs name with profil_phase(). */
#ifndef PROCESS_PHASES_H
#define PROCESS_PHASES_H

#include "profile/profile.h"
#include "reader/profile_file.h"

/* Adds those in a file, which is of the last process. */
void process_phases_read(struct profile *profile, const struct profile_file *file);

/* The phase of a process at a time since 1970, or NULL. The next one begins at *@end. */
const struct phase *process_phases_at(const struct process *process, uint64_t time_ns,
				      uint64_t *end);

#endif
