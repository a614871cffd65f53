/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _PROFIL_FORK_H
#define _PROFIL_FORK_H

struct profil;

int profil_inherit(struct profil *child, struct profil *parent);

#endif /* _PROFIL_FORK_H */
