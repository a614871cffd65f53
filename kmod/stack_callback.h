/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _PROFIL_STACK_CALLBACK_H
#define _PROFIL_STACK_CALLBACK_H

struct callback_head;

void profil_stack_callback(struct callback_head *work);

#endif /* _PROFIL_STACK_CALLBACK_H */
