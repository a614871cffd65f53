/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _PROFIL_LIMIT_H
#define _PROFIL_LIMIT_H

struct page;
struct profil;
struct profil_user;

struct profil_user *profil_limit_charge(void);
void profil_limit_uncharge(struct profil_user *user);

int profil_limit_check(void);
void profil_limit_recheck(struct profil *p);
void profil_limit_stop_all(void);

struct page *profil_limit_page(void);
int profil_limit_init(void);
void profil_limit_exit(void);

#endif /* _PROFIL_LIMIT_H */
