// SPDX-License-Identifier: LGPL-2.1-or-later
/* In place of all the others, for machines whose registers they do not know. */
#include <stddef.h>

#include "attach/attach.h"
#include "attach/executed.h"
#include "common/message.h"

void attach_check(pid_t pid)
{
	die("cannot attach to process %d: -p works on x86-64 only: use profil COMMAND", pid);
}

struct attached attach_leave(void)
{
	return (struct attached){ .owner = 0 };
}

struct attached attach_run(const struct attach *attach)
{
	attach_check(attach->pid);
	return (struct attached){ .owner = 0 };
}

bool executed_seize(pid_t pid)
{
	attach_check(pid);
	return false;
}

const struct thread *executed_hold(void)
{
	return NULL;
}
