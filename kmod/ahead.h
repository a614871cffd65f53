/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _PROFIL_AHEAD_H
#define _PROFIL_AHEAD_H

#include "page.h"

struct profil;

void profil_ahead(struct profil *p, enum profil_patience patience);

#endif /* _PROFIL_AHEAD_H */
