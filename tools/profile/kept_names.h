/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The names that were kept with the profiles of a directory, from the file profil.names;
 * profil-file(5) describes it. An object has those of each directory that it is in.
 */
#ifndef KEPT_NAMES_H
#define KEPT_NAMES_H

#include <libprofil/profile_format.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>

/* A part of a function; see object/function_table.h. */
struct kept_function {
	uint64_t	start, end;
	uint64_t	first, last;
	const char	*name;		/* NULL: made from the address */
};

struct kept_line {
	const char	*file;		/* NULL: unknown */
	int		number;
};

/* An inlined call or, as the last of an address, the function itself. */
struct kept_frame {
	const char	*name;		/* of an inlined function */
	struct kept_line line;
	struct kept_line declared;
};

struct kept_address {
	uint64_t	address;
	size_t		frame, n;	/* its frames, innermost first */
};

struct kept_listing_line {
	uint64_t	at;		/* number of a source line, or address */
	const char	*text;
};

/* The source or the instructions of a function. */
struct kept_listing {
	bool		code;
	bool		inlined;
	uint64_t	start;		/* of the function; inlined: 0 */
	const char	*name;		/* of an inlined function */
	struct kept_line declared;	/* the same */
	const char	*file;
	struct kept_listing_line *lines;
	size_t		n;
};

struct kept_object {
	const char	*path;
	uint8_t		build_id[PROFILE_BUILD_ID_MAX];
	uint32_t	build_id_size;
	uint64_t	inode, modified_ns, size;	/* of its file; 0: none */
	uint32_t	nsymbols;			/* in the file */
	struct kept_function	*functions;	/* by address */
	size_t			nfunctions;
	struct kept_frame	*frames;
	size_t			nframes, frames_room;
	struct kept_address	*addresses;	/* with lines, by address */
	size_t			naddresses;
	struct kept_listing	*listings;
	size_t			nlistings, listings_room;
	uint32_t		user;		/* the profile's object that has them, + 1; 0: none */
	struct kept_object	*next;		/* the same object in another directory */
};

/*
 * The names in @directory, whose path ends with a slash. Without a file, or after a
 * message if it is damaged, there are none.
 */
struct kept_names *kept_names_read(const char *directory);

/* The object in it, or NULL. */
struct kept_object *kept_names_find(const struct kept_names *names, const char *path,
				    const uint8_t *build_id, uint32_t build_id_size);
void kept_names_free(struct kept_names *names);

/* Whether names of @object were kept for the file of @status. */
bool kept_names_are_of(const struct kept_object *object, const struct stat *status);

/* The frames at @address, innermost first, and their number; NULL and 0 if there are none. */
const struct kept_frame *kept_names_frames(const struct kept_object *object,
					   uint64_t address, size_t *n);

#endif
