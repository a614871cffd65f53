/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The parts of a pprof profile. Equal parts are written once. */
#ifndef PPROF_WRITER_H
#define PPROF_WRITER_H

#include "profile/profile.h"
#include "pprof.pb-c.h"

/* A list of pointers, as protobuf-c expects it. */
struct pprof_list {
	void	**items;
	size_t	n, room;
};

struct pprof_writer {
	PprofProfile		profile;
	struct pprof_list	samples, mappings, locations, functions, strings;
	struct pprof_list	owned;		/* memory to free */
	void			*string_index;	/* tsearch() trees */
	void			*function_index;
	/* Of the objects of the profile that is written now. */
	uint64_t		*bases;
	uint64_t		first;		/* mappings before them */
};

void *pprof_writer_append(struct pprof_list *list, void *item);

/* Zeroed memory, freed by pprof_writer_release(). */
void *pprof_writer_get(struct pprof_writer *writer, size_t size);

#define pprof_writer_message(writer, type, init)				\
	({								\
		type *message_ = pprof_writer_get(writer, sizeof(type));	\
									\
		init(message_);						\
		message_;						\
	})

/* @text is not copied, and must live until the profile is written. */
int64_t pprof_writer_string(struct pprof_writer *writer, const char *text);

/* For a profile, first a mapping for each object, in order. Then locations. */
void pprof_writer_mapping(struct pprof_writer *writer,
			  const struct object *object, uint64_t base);
uint64_t pprof_writer_location(struct pprof_writer *writer,
			       struct profile *profile, uint32_t object,
			       uint64_t address);

void pprof_writer_release(struct pprof_writer *writer);

#endif
