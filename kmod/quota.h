/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _PROFIL_QUOTA_H
#define _PROFIL_QUOTA_H

struct profil_user;

struct profil_user *profil_quota_charge(void);
void profil_quota_uncharge(struct profil_user *user);

#endif /* _PROFIL_QUOTA_H */
