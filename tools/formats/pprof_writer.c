// SPDX-License-Identifier: LGPL-2.1-or-later
#include "formats/pprof_writer.h"
#include "common/clean_text.h"
#include "common/compare.h"
#include "common/memory.h"
#include "object/frames.h"

#include <search.h>
#include <stdlib.h>
#include <string.h>

#define BYTES_MOST	262144	/* to compress at once */

/* --- bytes ---------------------------------------------------------------------- */

static void compress_bytes(struct pprof_writer *writer, struct varints *bytes, int flush)
{
	static uint8_t buffer[65536];
	z_stream *stream = &writer->stream;
	int result = Z_OK;

	stream->next_in = bytes->bytes;
	stream->avail_in = (uInt)bytes->n;
	do {
		stream->next_out = buffer;
		stream->avail_out = sizeof(buffer);
		result = deflate(stream, flush);
		fwrite(buffer, 1, sizeof(buffer) - stream->avail_out, writer->out);
	} while (result == Z_OK && !stream->avail_out);
	writer->failed |= result != (flush == Z_FINISH ? Z_STREAM_END : Z_OK) &&
			  result != Z_BUF_ERROR;
	bytes->n = 0;
}

static void *compress_full(void *context)
{
	struct pprof_writer *writer = context;

	compress_bytes(writer, &writer->full, Z_NO_FLUSH);
	return NULL;
}

/* Compresses the bytes in a thread, while more are made. */
static void begin_compressing(struct pprof_writer *writer)
{
	struct varints empty;

	worker_end(&writer->worker);
	empty = writer->full;
	writer->full = writer->bytes;
	writer->bytes = empty;
	worker_begin(&writer->worker, compress_full, writer);
}

void pprof_writer_begin(struct pprof_writer *writer, FILE *out)
{
	*writer = (struct pprof_writer){ .out = out };
	if (deflateInit2(&writer->stream, Z_BEST_SPEED, Z_DEFLATED, 16 + MAX_WBITS, 8,
			 Z_DEFAULT_STRATEGY) != Z_OK)
		out_of_memory();
	pprof_writer_string(writer, "");
}

#define WIRE_NUMBER	0
#define WIRE_BYTES	2

void pprof_writer_number(struct varints *message, unsigned int field, uint64_t value)
{
	if (!value)
		return;
	varints_add(message, field << 3 | WIRE_NUMBER);
	varints_add(message, value);
}

static void add_bytes(struct varints *message, unsigned int field, const void *bytes,
		      size_t n)
{
	varints_add(message, field << 3 | WIRE_BYTES);
	varints_add(message, n);
	varints_append(message, bytes, n);
}

void pprof_writer_part(struct varints *message, unsigned int field,
		       const struct varints *part)
{
	add_bytes(message, field, part->bytes, part->n);
}

static void put_bytes(struct pprof_writer *writer, unsigned int field, const void *bytes,
		      size_t n)
{
	add_bytes(&writer->bytes, field, bytes, n);
	if (writer->bytes.n >= BYTES_MOST)
		begin_compressing(writer);
}

void pprof_writer_put(struct pprof_writer *writer, unsigned int field,
		      struct varints *message)
{
	put_bytes(writer, field, message->bytes, message->n);
	message->n = 0;
}

/* --- strings and functions ------------------------------------------------------- */

struct pprof_string {
	uint64_t	number;
	const char	*text;
	char		copy[];
};

static int compare_strings(const void *a, const void *b)
{
	return strcmp(((const struct pprof_string *)a)->text,
		      ((const struct pprof_string *)b)->text);
}

uint64_t pprof_writer_string(struct pprof_writer *writer, const char *text)
{
	const struct pprof_string wanted = { .text = text };
	struct pprof_string *string, **found;

	found = tfind(&wanted, &writer->string_index, compare_strings);
	if (found)
		return (*found)->number;
	string = allocate(sizeof(*string) + strlen(text) + 1);
	string->text = strcpy(string->copy, text);
	string->number = writer->nstrings;
	if (!tsearch(string, &writer->string_index, compare_strings))
		out_of_memory();
	ensure(writer->strings, writer->nstrings, writer->strings_room);
	writer->strings[writer->nstrings++] = string;
	return string->number;
}

struct function_key {
	uint64_t	name, file, id;
};

static int compare_functions(const void *a, const void *b)
{
	const struct function_key *x = a, *y = b;

	return compare_numbers(x->name, y->name) ?: compare_numbers(x->file, y->file);
}

static void put_function(struct pprof_writer *writer, const struct function_key *key)
{
	struct varints message = { 0 };

	pprof_writer_number(&message, FUNCTION_ID, key->id);
	pprof_writer_number(&message, FUNCTION_NAME, key->name);
	pprof_writer_number(&message, FUNCTION_SYSTEM_NAME, key->name);
	pprof_writer_number(&message, FUNCTION_FILE, key->file);
	pprof_writer_put(writer, PPROF_FUNCTION, &message);
	varints_free(&message);
}

static uint64_t find_function(struct pprof_writer *writer, const struct frame *frame)
{
	struct function_key *key = allocate(sizeof(*key)), **found;
	char *file = clean_text(frame->line.file ? frame->line.file : "");

	key->name = pprof_writer_string(writer, frame->name);
	key->file = pprof_writer_string(writer, file);
	free(file);
	found = tsearch(key, &writer->function_index, compare_functions);
	if (!found)
		out_of_memory();
	if (*found != key) {
		free(key);
		return (*found)->id;
	}
	key->id = ++writer->functions;
	put_function(writer, key);
	return key->id;
}

/* Strings of names and files stay where they are, so that most are not compared. */
struct known_function {
	const char	*name, *file;
	uint64_t	id;
};

/* The wanted function is stored behind the others. */
static bool is_known(const void *context, uint32_t i)
{
	const struct pprof_writer *writer = context;
	const struct known_function *x = &writer->known[i];
	const struct known_function *y = &writer->known[writer->nknown];

	return x->name == y->name && x->file == y->file;
}

static uint64_t function_id(struct pprof_writer *writer, const struct frame *frame)
{
	const char *name = frame->name, *file = frame->line.file;
	uint64_t hash = hash_set_mix(hash_set_mix(0, (uintptr_t)name), (uintptr_t)file);
	uint32_t *slot;

	hash_set_reserve(&writer->known_set, writer->nknown);
	ensure(writer->known, writer->nknown, writer->known_room);
	writer->known[writer->nknown] = (struct known_function){ name, file, 0 };
	slot = hash_set_find(&writer->known_set, hash, is_known, writer);
	if (!*slot) {
		writer->known[writer->nknown].id = find_function(writer, frame);
		*slot = (uint32_t)++writer->nknown;
	}
	return writer->known[*slot - 1].id;
}

/* --- mappings and locations ------------------------------------------------------- */

void pprof_writer_mapping(struct pprof_writer *writer,
			  const struct object *object, uint64_t base)
{
	char build_id[2 * PROFILE_BUILD_ID_MAX + 1] = "";
	struct varints message = { 0 };
	unsigned int i;

	for (i = 0; i < object->build_id_size; i++)
		sprintf(build_id + 2 * (size_t)i, "%02x", object->build_id[i]);
	pprof_writer_number(&message, MAPPING_ID, ++writer->mappings);
	if (object->low < object->high) {
		pprof_writer_number(&message, MAPPING_START, base + object->low);
		pprof_writer_number(&message, MAPPING_LIMIT, base + object->high);
		pprof_writer_number(&message, MAPPING_OFFSET, object->offset);
	}
	pprof_writer_number(&message, MAPPING_FILE,
			    pprof_writer_string(writer, object->shown));
	pprof_writer_number(&message, MAPPING_BUILD_ID,
			    pprof_writer_string(writer, build_id));
	for (i = MAPPING_HAS_FUNCTIONS; i <= MAPPING_HAS_INLINES; i++)
		pprof_writer_number(&message, i, 1);
	pprof_writer_put(writer, PPROF_MAPPING, &message);
	varints_free(&message);
}

uint64_t pprof_writer_location(struct pprof_writer *writer,
			       struct profile *profile, uint32_t object,
			       uint64_t address)
{
	struct frame frames[FRAMES_MOST];
	size_t n = frames_at(&profile->objects[object], address, frames), i;
	struct varints message = { 0 }, line = { 0 };

	pprof_writer_number(&message, LOCATION_ID, ++writer->locations);
	pprof_writer_number(&message, LOCATION_MAPPING, writer->first + object + 1);
	pprof_writer_number(&message, LOCATION_ADDRESS, writer->bases[object] + address);
	for (i = 0; i < n; i++) {
		line.n = 0;
		pprof_writer_number(&line, LINE_FUNCTION,
				    function_id(writer, &frames[i]));
		pprof_writer_number(&line, LINE_NUMBER, (uint64_t)frames[i].line.number);
		pprof_writer_part(&message, LOCATION_LINE, &line);
	}
	pprof_writer_put(writer, PPROF_LOCATION, &message);
	varints_free(&message);
	varints_free(&line);
	return writer->locations;
}

static void ignore(void *node)
{
	(void)node;
}

bool pprof_writer_end(struct pprof_writer *writer)
{
	size_t i;

	tdestroy(writer->string_index, ignore);
	tdestroy(writer->function_index, free);
	for (i = 0; i < writer->nstrings; i++) {
		const char *text = writer->strings[i]->text;

		put_bytes(writer, PPROF_STRING, text, strlen(text));
		free(writer->strings[i]);
	}
	free(writer->strings);
	free(writer->known);
	hash_set_free(&writer->known_set);
	worker_end(&writer->worker);
	compress_bytes(writer, &writer->bytes, Z_FINISH);
	deflateEnd(&writer->stream);
	varints_free(&writer->bytes);
	varints_free(&writer->full);
	return !writer->failed;
}
