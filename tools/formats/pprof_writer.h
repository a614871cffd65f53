/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Writes a pprof profile: a protocol buffer, compressed. Each message is written as soon
 * as it is complete, so that a large profile takes no more memory than a small one.
 */
#ifndef PPROF_WRITER_H
#define PPROF_WRITER_H

#include "common/hash_set.h"
#include "common/varints.h"
#include "profile/profile.h"
#include "profile/worker.h"

#include <stdio.h>
#include <zlib.h>

/* The fields of pprof's messages that profil writes. Names are not pprof's. */
enum { PPROF_TYPE = 1, PPROF_SAMPLE, PPROF_MAPPING, PPROF_LOCATION, PPROF_FUNCTION,
       PPROF_STRING, PPROF_TIME = 9, PPROF_DURATION, PPROF_PERIOD_TYPE, PPROF_PERIOD };
enum { UNIT_TYPE = 1, UNIT_UNIT };
enum { SAMPLE_LOCATIONS = 1, SAMPLE_VALUES, SAMPLE_LABEL };
enum { LABEL_KEY = 1, LABEL_TEXT, LABEL_NUMBER };
enum { MAPPING_ID = 1, MAPPING_START, MAPPING_LIMIT, MAPPING_OFFSET, MAPPING_FILE,
       MAPPING_BUILD_ID, MAPPING_HAS_FUNCTIONS, MAPPING_HAS_FILES, MAPPING_HAS_LINES,
       MAPPING_HAS_INLINES };
enum { LOCATION_ID = 1, LOCATION_MAPPING, LOCATION_ADDRESS, LOCATION_LINE };
enum { LINE_FUNCTION = 1, LINE_NUMBER };
enum { FUNCTION_ID = 1, FUNCTION_NAME, FUNCTION_SYSTEM_NAME, FUNCTION_FILE };

struct pprof_writer {
	FILE		*out;
	z_stream	stream;
	bool		failed;
	struct varints	bytes;		/* not compressed yet */
	struct varints	full;		/* what the thread compresses */
	struct worker	worker;
	struct pprof_string	**strings;
	size_t		nstrings, strings_room;
	void		*string_index;	/* tsearch() trees */
	void		*function_index;
	struct known_function *known;	/* the names and files of functions, in memory */
	size_t		nknown, known_room;
	struct hash_set	known_set;
	uint64_t	mappings, locations, functions;	/* written */
	/* Of the objects of the profile that is written now. */
	uint64_t	*bases;
	uint64_t	first;		/* mappings before them */
};

void pprof_writer_begin(struct pprof_writer *writer, FILE *out);

/* Adds a field to @message. Fields that are 0 are left out. */
void pprof_writer_number(struct varints *message, unsigned int field, uint64_t value);
void pprof_writer_part(struct varints *message, unsigned int field,
		       const struct varints *part);

/* Writes a field of the profile, and empties @message. */
void pprof_writer_put(struct pprof_writer *writer, unsigned int field,
		      struct varints *message);

/* The number of a string, which is copied. */
uint64_t pprof_writer_string(struct pprof_writer *writer, const char *text);

/* For a profile, first a mapping for each object, in order. Then locations. */
void pprof_writer_mapping(struct pprof_writer *writer,
			  const struct object *object, uint64_t base);
uint64_t pprof_writer_location(struct pprof_writer *writer,
			       struct profile *profile, uint32_t object,
			       uint64_t address);

/* Writes the strings, and ends. Returns false if anything failed. */
bool pprof_writer_end(struct pprof_writer *writer);

#endif
