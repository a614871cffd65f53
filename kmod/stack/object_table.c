// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tables of objects: where a process has code and call frame information. The call
 * that registers a table copies and checks it; the table never changes.
 */
#include <linux/build_bug.h>
#include <linux/err.h>
#include <linux/limits.h>
#include <linux/minmax.h>
#include <linux/mm.h>
#include <linux/overflow.h>
#include <linux/rcupdate.h>
#include <linux/slab.h>
#include <linux/uaccess.h>

#include "profile.h"
#include "request.h"
#include "stack/stack.h"
#include "stack/state.h"

static int check(const struct profil_object *object, u32 n)
{
	u64 end = 0;

	for (; n; n--, object++) {
		if (object->start < end || object->start >= object->end)
			return -EINVAL;
		end = object->end;
	}
	return 0;
}

/*
 * The table that @req describes, with a reference; NULL if it has no objects; or an
 * error pointer: EINVAL, E2BIG, EFAULT, ENOMEM; EINTR for a fatal signal.
 */
static struct profil_table *copy_table(const struct profil_object_table *req)
{
	struct profil_table *table;
	int err;

	might_sleep();
	if (req->reserved || (req->nobjects && req->object_size < PROFIL_OBJECT_SIZE_MIN))
		return ERR_PTR(-EINVAL);
	if (req->nobjects > PROFIL_OBJECTS_MAX ||
	    (req->nobjects && req->object_size > PROFIL_SIZE_MAX))
		return ERR_PTR(-E2BIG);
	if (!req->nobjects)
		return NULL;
	/* docs/security.md states the memory of a table. */
	BUILD_BUG_ON(sizeof(*table) > 56 || sizeof(*table->object) > 24 ||
		     PROFIL_SHARED_OBJECTS > 1024 ||
		     PROFIL_OBJECTS_MAX > 8192);
	table = kvmalloc(struct_size(table, object, req->nobjects) +
			 min(req->nobjects, PROFIL_SHARED_OBJECTS) * sizeof(*table->file),
			 GFP_KERNEL_ACCOUNT);
	if (!table)
		return ERR_PTR(-ENOMEM);
	kref_init(&table->ref);
	table->objects = (struct profil_unwind_objects){
		.object = table->object, .n = req->nobjects,
	};
	table->file = (void *)&table->object[req->nobjects];
	err = profil_copy_in_array(table->object, sizeof(*table->object),
				   u64_to_user_ptr(req->objects), req->nobjects,
				   req->object_size) ?:
	      check(table->object, req->nobjects);
	if (!err) {
		profil_shared_rules_identify(table);
		return table;
	}
	kvfree(table);
	return ERR_PTR(err);
}

/* The last reference is dropped. */
void profil_object_table_release(struct kref *ref)
{
	kvfree(container_of(ref, struct profil_table, ref));
}

/* Replace @p's table. 0: @p owns @table, which may be NULL; -ESTALE: @p is closed. */
static int set_table(struct profil *p, struct profil_table *table)
{
	int err = 0;

	raw_spin_lock_irq(&p->lock);
	if (p->stage == PROFIL_CLOSED) {
		err = -ESTALE;
		goto unlock;
	}
	/* 1 is the generation without a table. Walks of 32-bit code use the highest bit. */
	if (++p->generation > S32_MAX)
		p->generation = 2;
	if (table)
		table->objects.generation = p->generation;
	swap(p->table, table);
unlock:
	raw_spin_unlock_irq(&p->lock);
	if (!err)
		profil_object_table_put(table);
	return err;
}

/* PROFIL_IOC_OBJECTS: replace the table of the caller's profile, which is made if needed. */
int profil_object_table_replace(struct file *file, const void __user *arg)
{
	struct profil_object_table req;
	struct profil_table *table;
	struct profil *p;
	int err = profil_copy_in(&req, sizeof(req), PROFIL_OBJECT_TABLE_SIZE_MIN, arg) ?:
		  profil_admin_switch_check();

	if (err)
		return err;
	table = copy_table(&req);
	if (IS_ERR(table))
		return PTR_ERR(table);
	do {
		p = profil_mapping_get(file, false);
		if (IS_ERR(p)) {
			err = PTR_ERR(p);
			break;
		}
		err = set_table(p, table);
		profil_put(p);
	} while (err == -ESTALE);
	if (err)
		profil_object_table_put(table);
	return err;
}

/* A fork child has its parent's objects, also if it continues a thread's profile. */
void profil_object_table_inherit(struct profil *child, const struct mm_struct *from)
{
	const struct profil_process *process;
	struct profil *parent;

	rcu_read_lock();
	process = profil_find(from);
	parent = process ? rcu_dereference(process->profil) : NULL;
	rcu_read_unlock();
	/* The mmap write lock of @from keeps @parent. */
	if (!parent)
		return;
	raw_spin_lock_irq(&parent->lock);
	child->table = parent->table;
	child->generation = parent->generation;
	if (child->table)
		kref_get(&child->table->ref);
	raw_spin_unlock_irq(&parent->lock);
}
