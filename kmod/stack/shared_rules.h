/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _PROFIL_SHARED_RULES_H
#define _PROFIL_SHARED_RULES_H

#include <linux/types.h>
#include <linux/uidgid.h>

struct profil;
struct profil_object;
struct profil_rule;
struct profil_shared_rules;
struct profil_table;

/**
 * struct profil_sharer - who shares rules.
 * @uid:     effective user id.
 * @user_ns: number of the user namespace.
 * @since:   start of the process namespace: later ones may have the number of an ended one.
 */
struct profil_sharer {
	kuid_t	uid;
	u32	user_ns;
	u64	since;
};

/* Objects of a table whose rules may be shared: the first ones. */
#define PROFIL_SHARED_OBJECTS	1024U

void profil_shared_rules_init(void);
void profil_shared_rules_identify(struct profil_table *table);
struct profil_shared_rules **profil_shared_rules_of(struct profil *p);
void profil_shared_rules_make(struct profil_shared_rules **shared);
void profil_shared_rules_free(struct profil_shared_rules *shared);
bool profil_shared_rules_are_for(const struct profil_table *table);
bool profil_shared_rules_find(struct profil_shared_rules *shared,
			      const struct profil_table *table,
			      const struct profil_object *object, u64 pc,
			      struct profil_rule *rule);
bool profil_shared_rules_may_add(const struct profil_table *table,
				 const struct profil_object *object);
void profil_shared_rules_add(struct profil_shared_rules *shared,
			     const struct profil_table *table,
			     const struct profil_object *object,
			     const struct profil_rule *rule);

#endif /* _PROFIL_SHARED_RULES_H */
