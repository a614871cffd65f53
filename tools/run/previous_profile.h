/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The profile that a directory has when a command begins. It waits in DIR/.old until the
 * command has ended. If there are new samples, it becomes DIR.old, in the place of an
 * older one. Else it comes back: a command that fails at once costs no profile.
 */
#ifndef PREVIOUS_PROFILE_H
#define PREVIOUS_PROFILE_H

#include <stdbool.h>

/*
 * Puts the profiles of @directory, whose path is @path, aside, with their copies of maps.
 * Profiles that a process still writes to stay. Returns 0 or an errno; ENOTEMPTY if there
 * are other files and no profile: their owner would have to pick the profiles out.
 */
int previous_profile_hold(int directory, const char *path);

/*
 * Removes the profiles of @directory, which profil has made itself, that no process writes
 * to, with their names and copies of maps. Removes also what is left of damaged, empty and
 * unfinished profiles, and names and copies of maps without a profile. Returns whether no
 * other process had locked one of them.
 */
bool previous_profile_remove_all(int directory);

/* Decides about what this process has put aside. Returns whether it came back. */
bool previous_profile_settle(int directory, const char *path);

#endif
