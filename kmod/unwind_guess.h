/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _PROFIL_UNWIND_GUESS_H
#define _PROFIL_UNWIND_GUESS_H

#include <linux/types.h>

#include "unwind_state.h"

/* A frame that is found by its frame pointer is no larger: 1 MiB. */
#define PROFIL_UNWIND_FRAME_BYTES	0x100000U

/* No call frame information describes the frame. */
static inline bool profil_unwind_is_undescribed(enum profil_unwind_end why)
{
	return why == PROFIL_END_NO_TABLE || why == PROFIL_END_TABLE ||
	       why == PROFIL_END_NO_ROW;
}

bool profil_unwind_is_behind_call(struct profil_unwind *walk, u64 pc);
void profil_unwind_guess_by_fp(struct profil_unwind *walk);
void profil_unwind_guess(struct profil_unwind *walk);

#endif /* _PROFIL_UNWIND_GUESS_H */
