// SPDX-License-Identifier: LGPL-2.1-or-later
#include "run/previous_profile.h"
#include "common/memory.h"
#include "common/message.h"
#include "reader/profile_file.h"
#include "reader/profile_samples.h"
#include "reader/profile_stream.h"
#include "run/kept_map.h"
#include "run/profile_cut.h"
#include "run/visit_files.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#define HELD	".old"
#define HIDDEN_NAMES	"." PROFILE_NAMES "."

/* Directories in it while profiles move into it, and out of it: profil can be killed. */
#define FILLING	".filling"
#define LEAVING	".leaving"

struct contents {
	bool	profiles;
	bool	samples;	/* in profiles that no process writes to */
	bool	live;
	bool	others;
};

/*
 * Whether a file that was not read as a profile is something else. An empty file may
 * become a profile, and one that this user cannot read may be another user's.
 */
static bool is_other(int directory, const char *name)
{
	struct stat status;

	return fstatat(directory, name, &status, AT_SYMLINK_NOFOLLOW) == 0 &&
	       !(S_ISREG(status.st_mode) && !status.st_size) &&
	       faccessat(directory, name, R_OK, 0) == 0;
}

static int visit_again(int directory, file_visitor *visit, void *context)
{
	return lseek(directory, 0, SEEK_SET) < 0 ? errno :
						   visit_files(directory, visit, context);
}

static void look(int directory, const char *name, void *context)
{
	struct contents *contents = context;
	struct profile_file file;

	if (!profile_file_peek(&file, directory, name)) {
		contents->others |= is_other(directory, name);
		return;
	}
	contents->profiles = true;
	if (profile_file_is_live(&file))
		contents->live = true;
	else if (profile_samples_end(&file) > file.header.samples_offset ||
		 profile_stream_any(&file))
		contents->samples = true;
	profile_file_close(&file);
}

/* To the directory *@to; without one, the file is removed. */
static void move(int directory, const char *name, const int *to)
{
	if (to)
		renameat(directory, name, *to, name);
	else
		unlinkat(directory, name, 0);
}

/* What a profil that was killed has not finished, or a process that was. */
static void finish(int directory, const struct profile_file *file)
{
	if (!file->header.unattended)
		kept_map_take(directory, file);
	profile_cut(directory, file, profile_samples_end(file));
}

/* Moves a profile, and its copy of a map, if no process still writes to it. */
static void move_profile(int directory, const char *name, void *to)
{
	struct profile_file file;
	char map[32];

	if (!profile_file_peek(&file, directory, name))
		return;
	if (!profile_file_is_live(&file)) {
		if (to)
			finish(directory, &file);
		snprintf(map, sizeof(map), "perf-%u.map", file.header.pid);
		move(directory, name, to);
		move(directory, map, to);
		move(directory, PROFILE_NAMES, to);
	}
	profile_file_close(&file);
}

static int open_directory(int at, const char *path)
{
	return openat(at, path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
}

/*
 * Removes the profiles that no process writes to, with their names and copies of maps.
 * Other files stay. Returns 0 or an errno.
 */
static int remove_profiles(int directory)
{
	return visit_again(directory, move_profile, NULL);
}

/* What a full disk, or a kill, can leave of a file. */
static bool begins_as(int fd, const char *magic)
{
	char bytes[8];
	ssize_t n = pread(fd, bytes, sizeof(bytes), 0);

	return n >= 0 && !memcmp(bytes, magic, (size_t)n);
}

/* NAME.PID */
static bool is_profile_name(const char *name)
{
	const char *dot = strrchr(name, '.');

	return dot && dot[1] && !dot[1 + strspn(dot + 1, "0123456789")];
}

static bool is_ours(int fd, const char *name)
{
	struct stat status;
	unsigned int pid;
	int end = 0;

	if (fstat(fd, &status) < 0 || !S_ISREG(status.st_mode))
		return false;
	if (!strcmp(name, PROFILE_NAMES))
		return begins_as(fd, PROFILE_NAMES_MAGIC);
	sscanf(name, "perf-%u.map%n", &pid, &end);
	return (end && !name[end]) || (is_profile_name(name) && begins_as(fd, PROFILE_MAGIC));
}

/* A new file has such a name until it is complete: the process that made it was killed. */
static bool is_unfinished(int fd, const char *name)
{
	struct stat status;

	return fstat(fd, &status) == 0 && S_ISREG(status.st_mode) && is_profile_name(name) &&
	       begins_as(fd, strncmp(name, HIDDEN_NAMES, strlen(HIDDEN_NAMES)) ?
			 PROFILE_MAGIC : PROFILE_NAMES_MAGIC);
}

/* By a process that writes to it, or a reader that wants to keep it. */
static bool is_locked(int fd)
{
	const struct profile_file file = { .fd = fd, .header.state = PROFILE_ENDED };

	return profile_file_is_live(&file) ||
	       (flock(fd, LOCK_SH | LOCK_NB) < 0 && errno == EWOULDBLOCK);
}

static void remove_ours(int directory, const char *name, void *locked)
{
	int fd = openat(directory, name,
			O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW | O_NOCTTY);

	if (fd < 0)
		return;
	if (*name == '.' ? is_unfinished(fd, name) : is_ours(fd, name)) {
		if (is_locked(fd))
			*(bool *)locked = true;
		else
			unlinkat(directory, name, 0);
	}
	close(fd);
}

bool previous_profile_remove_all(int directory)
{
	bool locked = false;

	visit_again(directory, remove_ours, &locked);
	lseek(directory, 0, SEEK_SET);
	visit_files_hidden(directory, remove_ours, &locked);
	return !locked;
}

/* An empty DIR/.old; -1 with errno. */
static int make_held(int directory)
{
	int held;

	if (mkdirat(directory, HELD, 0755) < 0 && errno != EEXIST)
		return -1;
	held = open_directory(directory, HELD);
	if (held >= 0)
		remove_profiles(held);
	return held;
}

/* -1 with errno. */
static int make_old(const char *name)
{
	return mkdir(name, 0755) < 0 && errno != EEXIST ? -1 :
							   open_directory(AT_FDCWD, name);
}

static bool has(int held, const char *mark)
{
	return faccessat(held, mark, F_OK, 0) == 0;
}

static void note(int directory, const char *name, void *any)
{
	(void)directory;
	(void)name;
	*(bool *)any = true;
}

static bool has_files(int held)
{
	bool any = false;

	visit_again(held, note, &any);
	return any;
}

/* Of a profile that is aside, whatever else of it is there. */
static void move_file(int held, const char *name, void *to)
{
	move(held, name, to);
}

/* Gives back what @held has. */
static void restore(int directory, int held)
{
	/* Files without samples. */
	remove_profiles(directory);
	visit_again(held, move_file, &directory);
}

/* Moves the files of @held to @old, which is emptied before the first of them comes. */
static void move_to_old(int held, int old)
{
	if (!has(held, LEAVING))
		remove_profiles(old);
	mkdirat(held, LEAVING, 0700);
	visit_again(held, move_file, &old);
	unlinkat(held, LEAVING, AT_REMOVEDIR);
}

static void keep(const char *path, int held)
{
	char *whole = realpath(path, NULL);
	char *name = format_text("%s.old", whole ? whole : path);
	int old = has_files(held) ? make_old(name) : -1;
	int error = errno;

	if (old >= 0) {
		move_to_old(held, old);
		close(old);
		error = EXDEV;
	}
	if (has_files(held))
		warn("%s: %s: the previous profile is in %s/" HELD, name,
		     strerror(error), path);
	free(name);
	free(whole);
}

/* A profil was killed while it put a profile aside. */
static void take_back(int directory, int held)
{
	visit_again(held, move_file, &directory);
	unlinkat(held, FILLING, AT_REMOVEDIR);
}

/* Also what a profil has left that was killed. */
static bool settle(int directory, const char *path)
{
	struct contents contents = { .profiles = false };
	int held = open_directory(directory, HELD);
	bool succeeded;

	if (held < 0)
		return false;
	if (has(held, FILLING))
		take_back(directory, held);
	visit_again(directory, look, &contents);
	succeeded = contents.samples || contents.live;
	if (succeeded)
		keep(path, held);
	else
		restore(directory, held);
	close(held);
	/* It stays if something is left in it. */
	unlinkat(directory, HELD, AT_REMOVEDIR);
	return !succeeded;
}

/* This process has put a profile aside. */
static bool holds;

int previous_profile_hold(int directory, const char *path)
{
	struct contents contents = { .profiles = false };
	int held, error;

	settle(directory, path);
	error = visit_again(directory, look, &contents);
	if (error)
		return error;
	if (contents.others && !contents.profiles)
		return ENOTEMPTY;
	if (!contents.samples)
		return remove_profiles(directory);
	holds = true;
	held = make_held(directory);
	if (held < 0)
		return errno;
	mkdirat(held, FILLING, 0700);
	error = visit_again(directory, move_profile, &held);
	if (!error)
		unlinkat(held, FILLING, AT_REMOVEDIR);
	close(held);
	return error;
}

bool previous_profile_settle(int directory, const char *path)
{
	return holds && settle(directory, path);
}
