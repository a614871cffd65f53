/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _PROFIL_CLOCK_STANDIN_H
#define _PROFIL_CLOCK_STANDIN_H

#include <linux/types.h>

bool profil_standin_begin(void);
void profil_standin_end(void);

#endif /* _PROFIL_CLOCK_STANDIN_H */
