// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Root's capabilities are dropped, too: with them, files of /proc that tell of other processes
 * could be opened.
 */
#include "object/source_file.h"
#include "common/message.h"
#include "object/sysroot.h"

#include <errno.h>
#include <grp.h>
#include <stdbool.h>
#include <string.h>
#include <unistd.h>

#define NO_GROUP	65534

static bool limited;
static uid_t limit;

void source_file_limit(uint32_t user)
{
	limited = true;
	limit = user;
}

static bool become(uid_t user)
{
	return setgroups(0, NULL) == 0 && setegid(NO_GROUP) == 0 && seteuid(user) == 0;
}

/* The supplementary groups stay away: root needs none. */
static void return_to(uid_t user, gid_t group)
{
	if (seteuid(user) < 0 || setegid(group) < 0)
		die("cannot be user %u again: %s", user, strerror(errno));
}

FILE *source_file_open(const char *path, uint32_t owner)
{
	const uid_t own = geteuid();
	const gid_t group = getegid();
	uid_t user = owner == own ? limit : owner;
	FILE *file = NULL;
	static bool told;

	if (!limited || user == own)
		return sysroot_source(path);
	if (become(user)) {
		file = sysroot_source(path);
	} else if (!told) {
		warn("no source is kept: cannot take the rights of user %u: %s", user,
		     strerror(errno));
		told = true;
	}
	return_to(own, group);
	return file;
}
