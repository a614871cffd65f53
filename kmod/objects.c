// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tables of objects: where code is and its call frame information, as a process
 * has registered it. Checked and copied in its own call; not changed after that.
 *
 * Layer: ground.
 */
#include <linux/err.h>
#include <linux/minmax.h>
#include <linux/mm.h>
#include <linux/overflow.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/uaccess.h>

#include "objects.h"

/* Objects between two looks for a fatal signal. */
#define PROFIL_OBJECTS_STEP	64U

static int profil_objects_copy_step(struct profil_object *to, const void __user *from,
				    u32 n, u32 size)
{
	int err = 0;

	for (; n && !err; n--, to++, from += size)
		err = copy_struct_from_user(to, sizeof(*to), from, size);
	return err;
}

static int profil_objects_copy(struct profil_object *to, const void __user *from,
			       u32 n, u32 size)
{
	u32 step;
	int err;

	for (; n; n -= step, to += step, from += (size_t)step * size) {
		step = min(n, PROFIL_OBJECTS_STEP);
		err = profil_objects_copy_step(to, from, step, size);
		if (err)
			return err;
		cond_resched();
		if (fatal_signal_pending(current))
			return -EINTR;
	}
	return 0;
}

static int profil_objects_check(const struct profil_object *object, u32 n)
{
	u64 end = 0;

	for (; n; n--, object++) {
		if (object->start < end || object->start >= object->end)
			return -EINVAL;
		end = object->end;
	}
	return 0;
}

/**
 * profil_table_copy() - the table that a process registers.
 * @req: the caller's, its objects still in the caller's memory
 *
 * Return: the table, with a reference; NULL if it has no objects; or an error
 * pointer: EINVAL, E2BIG, EFAULT, ENOMEM; EINTR for a fatal signal.
 */
struct profil_table *profil_table_copy(const struct profil_object_table *req)
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
	table = kvmalloc(struct_size(table, object, req->nobjects), GFP_KERNEL_ACCOUNT);
	if (!table)
		return ERR_PTR(-ENOMEM);
	kref_init(&table->ref);
	table->n = req->nobjects;
	err = profil_objects_copy(table->object, u64_to_user_ptr(req->objects), table->n,
				  req->object_size) ?:
	      profil_objects_check(table->object, table->n);
	if (!err)
		return table;
	kvfree(table);
	return ERR_PTR(err);
}

static void profil_table_release(struct kref *ref)
{
	kvfree(container_of(ref, struct profil_table, ref));
}

/* Drop a reference, if there is one; not in a tick. */
void profil_table_put(struct profil_table *table)
{
	might_sleep();
	if (table)
		kref_put(&table->ref, profil_table_release);
}
