/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What a fork does to the profile: the child has a file of its own. */
#ifndef PRELOAD_FORK_H
#define PRELOAD_FORK_H

/* Before it, and in the child. Both leave errno alone. */
void fork_prepare(void);
void fork_child(void);

#endif
