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
#include <linux/bug.h>
#include <linux/build_bug.h>
#include <linux/cache.h>
#include <linux/cred.h>
#include <linux/fs.h>
#include <linux/init.h>
#include <linux/kernel.h>
#include <linux/minmax.h>
#include <linux/mm.h>
#include <linux/pid_namespace.h>
#include <linux/random.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/siphash.h>
#include <linux/slab.h>
#include <linux/spinlock.h>
#include <linux/user_namespace.h>

#include "compat.h"
#include "profile.h"
#include "stack/state.h"
#include "unwind/unwind.h"

/* 8,192 rules, 256 KiB. */
#define SETS		(8192 / PROFIL_RULE_WAYS)

/**
 * struct profil_shared_rules - rules of all of a user's processes.
 * @lock:  protects @rules; taken by threads only.
 * @rules: where start_of() says. Their generation is not used.
 */
struct profil_shared_rules {
	spinlock_t		lock;	/* of @rules */
	struct profil_rules	rules;
};

/* --- files ----------------------------------------------------------------------- */

/* Of identity(). */
static siphash_key_t key __ro_after_init;

/* At load: get_random_once() would patch kernel text when a process registers objects. */
void __init profil_shared_rules_init(void)
{
	get_random_bytes(&key, sizeof(key));
}

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

/* Has the caller registered the table, or one who shares its rules? */
bool profil_shared_rules_are_for(const struct profil_table *table)
{
	const struct profil_sharer *sharer = &table->sharer, is = caller();

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

	/* Where a span begins. */
	return round_down(siphash(is, sizeof(is), &key), (u64)PROFIL_RULE_SPAN) ?: PROFIL_RULE_SPAN;
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

void profil_shared_rules_free(struct profil_shared_rules *shared)
{
	if (!shared)
		return;
	kvfree(shared->rules.rule);
	kfree(shared);
}

static struct profil_shared_rules *alloc(void)
{
	struct profil_shared_rules *new = kzalloc(sizeof(*new), PROFIL_GFP_OPTIONAL);

	/* docs/security.md states it. The lock is large with PREEMPT_RT and lockdep. */
	BUILD_BUG_ON(SETS * PROFIL_RULE_WAYS * sizeof(*new->rules.rule) > 262144 ||
		     sizeof(*new) > 192);
	if (!new)
		return NULL;
	spin_lock_init(&new->lock);
	new->rules.mask = SETS - 1;
	new->rules.rule = kvzalloc(profil_rules_bytes(SETS), PROFIL_GFP_OPTIONAL);
	if (new->rules.rule)
		return new;
	kfree(new);
	return NULL;
}

/* A user's, if there is memory. They are freed with the user. */
void profil_shared_rules_make(struct profil_shared_rules **shared)
{
	struct profil_shared_rules *new;

	if (READ_ONCE(*shared))
		return;
	new = alloc();
	if (cmpxchg(shared, NULL, new))
		profil_shared_rules_free(new);
}

/* 0: its rules are not shared. */
static u64 file_in(const struct profil_table *table, const struct profil_object *object)
{
	size_t i = object - table->object;

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

/*
 * Where the rule of @pc is: after the number of the file, a hash. Rules are within one span of
 * an object, whose address ends with the same bits everywhere.
 */
static u64 start_of(u64 file, const struct profil_object *object, u64 pc)
{
	return file + pc - round_down(object->start, (u64)PROFIL_RULE_SPAN);
}

/* Get the rule of @pc from a table that is for the caller. False: there is none. */
bool profil_shared_rules_find(struct profil_shared_rules *shared,
			      const struct profil_table *table,
			      const struct profil_object *object, u64 pc,
			      struct profil_rule *rule)
{
	const struct profil_rule *found;
	u64 file = file_in(table, object), start = start_of(file, object, pc);

	if (!file)
		return false;
	spin_lock(&shared->lock);
	found = profil_rule_find(profil_rule_set(&shared->rules, start), start);
	if (found) {
		*rule = *found;
		rule->start += pc - start;
	}
	spin_unlock(&shared->lock);
	WARN_ON_ONCE(found && pc - rule->start >= rule->bytes);
	return found;
}

/* Add a rule, after profil_shared_rules_may_add() in this walk. It may replace another one. */
void profil_shared_rules_add(struct profil_shared_rules *shared,
			     const struct profil_table *table,
			     const struct profil_object *object,
			     const struct profil_rule *rule)
{
	struct profil_rule new = *rule;

	new.start = start_of(table->file[object - table->object], object, rule->start);
	spin_lock(&shared->lock);
	profil_rule_keep(profil_rule_set(&shared->rules, new.start), &new);
	spin_unlock(&shared->lock);
}
