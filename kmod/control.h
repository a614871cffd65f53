/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _PROFIL_CONTROL_H
#define _PROFIL_CONTROL_H

struct profil;
struct profil_run;
struct profil_status;
struct profil_table;

int profil_start(struct profil *p, struct profil_run *run,
		 struct profil_status *last);
int profil_stop(struct profil *p, struct profil_status *last);
int profil_status_read(struct profil *p, struct profil_status *status);
int profil_set_table(struct profil *p, struct profil_table *table);

#endif /* _PROFIL_CONTROL_H */
