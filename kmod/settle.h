/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _PROFIL_SETTLE_H
#define _PROFIL_SETTLE_H

#include "page.h"

struct profil;

int profil_settle(struct profil *p, enum profil_patience patience);

#endif /* _PROFIL_SETTLE_H */
