/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _PROFIL_CALLBACK_H
#define _PROFIL_CALLBACK_H

#include <linux/types.h>

struct profil;

void profil_callback_push(struct profil *p, bool user);

#endif /* _PROFIL_CALLBACK_H */
