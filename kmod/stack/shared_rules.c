// SPDX-License-Identifier: GPL-2.0-only
/*
 * Rules that all processes of a user share. Compilers, shells and what else ends after a
 * few samples would make the rules of the same code again and again.
 *
 * A rule is shared if code and call frame information are private mappings of one file which
 * the process has never written to, when it registers its objects and when the rule is made.
 * A process can change them while its walk reads them, or register a table of another place
 * in the file: then stacks of this user's other processes are wrong. Their walks read nothing
 * but their own memory, as with a wrong table of their own.
 */
#include <linux/build_bug.h>
#include <linux/cred.h>
#include <linux/fs.h>
#include <linux/hash.h>
#include <linux/kernel.h>
#include <linux/minmax.h>
#include <linux/mm.h>
#include <linux/once.h>
#include <linux/pid_namespace.h>
#include <linux/random.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/siphash.h>
#include <linux/slab.h>
#include <linux/spinlock.h>
#include <linux/string.h>
#include <linux/user_namespace.h>

#include "compat.h"
#include "profile.h"
#include "stack/state.h"
#include "unwind/unwind.h"

/* 8,192 rules, 320 KiB. */
#define SETS_BITS	11

/**
 * struct shared_rule - a rule of an object.
 * @file: of struct profil_table; 0: free.
 * @rule: its @start is the distance from origin_of().
 */
struct shared_rule {
	u64			file;
	struct profil_rule	rule;
};

/**
 * struct profil_shared_rules - rules of all of a user's processes.
 * @lock: protects @rule; taken by threads only.
 * @rule: in sets by file and distance, the oldest first.
 */
struct profil_shared_rules {
	spinlock_t		lock;	/* of @rule */
	struct shared_rule	rule[PROFIL_RULE_WAYS << SETS_BITS];
};

/* --- files ----------------------------------------------------------------------- */

/* Who the caller is, and where. */
static struct profil_sharer caller(void)
{
	struct profil_sharer is = {
		.uid = current_euid(), .user_ns = current_user_ns()->ns.inum,
	};

	/* The namespace has its init as long as the caller is in it. */
	rcu_read_lock();
	is.since = READ_ONCE(task_active_pid_ns(current)->child_reaper)->start_boottime;
	rcu_read_unlock();
	return is;
}

static bool is_caller(const struct profil_sharer *sharer)
{
	const struct profil_sharer is = caller();

	return uid_eq(sharer->uid, is.uid) && sharer->user_ns == is.user_ns &&
	       sharer->since == is.since;
}

/* Of the file, as it is now, the place in it, and who shares its rules. */
static u64 identity(const struct inode *inode, u64 offset, const struct profil_sharer *sharer)
{
	const struct timespec64 changed = inode_get_ctime(inode);
	const u64 is[] = {
		(uintptr_t)inode, inode->i_ino, (u64)i_size_read(inode),
		(u64)changed.tv_sec, (u64)changed.tv_nsec, offset,
		(u64)sharer->user_ns << 32 | __kuid_val(sharer->uid), sharer->since,
	};
	static siphash_key_t key;

	get_random_once(&key, sizeof(key));
	return siphash(is, sizeof(is), &key) ?: 1;
}

/* The mapping of a file that has the file's bytes; NULL: there is none. */
static const struct vm_area_struct *unchanged(unsigned long addr)
{
	const struct vm_area_struct *vma = vma_lookup(current->mm, addr);

	return vma && vma->vm_file && !READ_ONCE(vma->anon_vma) &&
	       !(vma->vm_flags & (VM_WRITE | VM_MAYSHARE)) ? vma : NULL;
}

static u64 file_of(const struct profil_object *object, const struct profil_sharer *sharer)
{
	const struct vm_area_struct *code = unchanged(object->start);
	const struct vm_area_struct *hdr = unchanged(object->eh_frame_hdr);

	if (!code || !hdr || object->end > code->vm_end ||
	    file_inode(code->vm_file) != file_inode(hdr->vm_file) ||
	    inode_is_open_for_write(file_inode(code->vm_file)))
		return 0;
	return identity(file_inode(code->vm_file),
			object->start - code->vm_start + ((u64)code->vm_pgoff << PAGE_SHIFT),
			sharer);
}

/* Sets the files of the caller's objects. */
void profil_shared_rules_identify(struct profil_table *table)
{
	u32 i;

	table->sharer = caller();
	table->nfiles = 0;
	if (mmap_read_lock_killable(current->mm))
		return;
	for (i = 0; i < min(table->objects.n, PROFIL_SHARED_OBJECTS); i++)
		table->file[i] = file_of(&table->object[i], &table->sharer);
	mmap_read_unlock(current->mm);
	table->nfiles = i;
}

/* --- rules ----------------------------------------------------------------------- */

/* A user's, if there is memory. They are freed with the user. */
void profil_shared_rules_make(struct profil_shared_rules **rules)
{
	struct profil_shared_rules *new;

	/* docs/security.md states it. */
	BUILD_BUG_ON(sizeof(*new) > 327680 + 128);
	if (READ_ONCE(*rules))
		return;
	new = kvzalloc(sizeof(*new), PROFIL_GFP_OPTIONAL);
	if (!new)
		return;
	spin_lock_init(&new->lock);
	if (cmpxchg(rules, NULL, new))
		kvfree(new);
}

/* Rules are within one span of an object, whose address ends with the same bits everywhere. */
static u64 origin_of(const struct profil_object *object)
{
	return round_down(object->start, (u64)PROFIL_RULE_SPAN);
}

/* 0: the caller does not share its rules. */
static u64 file_in(const struct profil_table *table, const struct profil_object *object)
{
	size_t i;

	if (!table || !is_caller(&table->sharer))
		return 0;
	i = object - table->object;
	return i < table->nfiles ? table->file[i] : 0;
}

/* May the caller add rules: has the object still the file that it had when it was registered? */
bool profil_shared_rules_may_add(const struct profil_table *table,
				 const struct profil_object *object)
{
	u64 file = file_in(table, object);
	bool may;

	if (!file || !mmap_read_trylock(current->mm))
		return false;
	may = file_of(object, &table->sharer) == file;
	mmap_read_unlock(current->mm);
	return may;
}

static struct shared_rule *set_of(struct profil_shared_rules *rules, u64 file, u64 distance)
{
	lockdep_assert_held(&rules->lock);
	return &rules->rule[PROFIL_RULE_WAYS *
			    hash_64(file + distance / PROFIL_RULE_SPAN, SETS_BITS)];
}

/* Get the rule of @pc. False: there is none. */
bool profil_shared_rules_find(struct profil_shared_rules *rules,
			      const struct profil_table *table,
			      const struct profil_object *object, u64 pc,
			      struct profil_rule *rule)
{
	u64 file = file_in(table, object), distance = pc - origin_of(object);
	const struct shared_rule *set;
	bool found = false;
	u32 i;

	if (!file)
		return false;
	spin_lock(&rules->lock);
	set = set_of(rules, file, distance);
	for (i = 0; i < PROFIL_RULE_WAYS && !found; i++) {
		found = set[i].file == file &&
			distance - set[i].rule.start < set[i].rule.bytes;
		if (found)
			*rule = set[i].rule;
	}
	spin_unlock(&rules->lock);
	if (found)
		rule->start += origin_of(object);
	return found;
}

/* Add a rule, after profil_shared_rules_may_add() in this walk. It may replace another one. */
void profil_shared_rules_add(struct profil_shared_rules *rules,
			     const struct profil_table *table,
			     const struct profil_object *object,
			     const struct profil_rule *rule)
{
	struct shared_rule *set, new = {
		.file = table->file[object - table->object], .rule = *rule,
	};
	u32 i = 0;

	new.rule.start -= origin_of(object);
	spin_lock(&rules->lock);
	set = set_of(rules, new.file, new.rule.start);
	while (i < PROFIL_RULE_WAYS && set[i].file)
		i++;
	if (i == PROFIL_RULE_WAYS)
		memmove(set, set + 1, --i * sizeof(*set));
	set[i] = new;
	spin_unlock(&rules->lock);
}
