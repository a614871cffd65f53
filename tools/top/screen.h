/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The terminal, which is as before when this process ends, however it ends. */
#ifndef SCREEN_H
#define SCREEN_H

/* Ends this process, with a message, if there is no terminal that can show a screen. */
void screen_check(void);

void screen_begin(void);

/* Has no effect without a screen. */
void screen_end(void);

#endif
