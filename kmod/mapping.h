/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _PROFIL_MAPPING_H
#define _PROFIL_MAPPING_H

struct mm_struct;
struct profil;

extern const struct vm_operations_struct profil_vm_ops;

struct profil *profil_create(struct mm_struct *mm, unsigned long addr, bool own);
struct profil *profil_get_at(unsigned long addr);
int profil_mapping_init(void);
void profil_mapping_exit(void);

#endif /* _PROFIL_MAPPING_H */
