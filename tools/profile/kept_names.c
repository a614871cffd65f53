// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Reads kept names. The file may have been made by anybody: each number is checked
 * before it is used, and a file with one wrong number is not used at all.
 */
#include "profile/kept_names.h"
#include "common/bisect.h"
#include "common/clean_text.h"
#include "common/memory.h"
#include "common/message.h"
#include "common/regular_file.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

struct kept_names {
	uint8_t		*contents;
	const char	**strings;	/* 0 is NULL */
	size_t		nstrings;
	struct kept_object	*objects;	/* by path */
	size_t		nobjects;
};

/* What is left of the contents. */
struct source {
	const uint8_t	*at, *end;
	struct kept_names *names;
	bool		bad;
};

static uint64_t take(struct source *source)
{
	uint64_t number = 0;
	unsigned int shift;

	for (shift = 0; shift < 64 && source->at < source->end; shift += 7) {
		uint8_t byte = *source->at++;

		number |= (uint64_t)(byte & 0x7f) << shift;
		if (!(byte & 0x80))
			return number;
	}
	source->bad = true;
	return 0;
}

/* A number up to @most. */
static uint64_t take_to(struct source *source, uint64_t most)
{
	uint64_t number = take(source);

	if (number <= most)
		return number;
	source->bad = true;
	return 0;
}

/* A number that is at least @base, and stored without it. */
static uint64_t take_from(struct source *source, uint64_t base)
{
	return base + take_to(source, UINT64_MAX - base);
}

/* Allocates an array. Each element takes at least @bytes, so a file bounds its size. */
static void *take_array(struct source *source, size_t *n, size_t bytes, size_t size)
{
	*n = take_to(source, (uint64_t)(source->end - source->at) / bytes);
	return allocate(*n * size);
}

static const char *take_string(struct source *source)
{
	return source->names->strings[take_to(source, source->names->nstrings - 1)];
}

static const char *take_text(struct source *source)
{
	const char *text = take_string(source);

	return text ? text : "";
}

static struct kept_line take_line(struct source *source)
{
	struct kept_line line = { .file = take_string(source) };

	line.number = (int)(uint32_t)take_to(source, UINT32_MAX);
	return line;
}

/* Strings are printed as they are. */
static bool is_clean(const char *text)
{
	char *clean = clean_text_line(text);
	bool same = !strcmp(text, clean);

	free(clean);
	return same;
}

static void take_strings(struct source *source)
{
	struct kept_names *names = source->names;
	size_t i;

	names->nstrings = 1 + take_to(source, (uint64_t)(source->end - source->at));
	names->strings = allocate(names->nstrings * sizeof(*names->strings));
	for (i = 1; i < names->nstrings && !source->bad; i++) {
		const uint8_t *end = memchr(source->at, 0,
					    (size_t)(source->end - source->at));

		names->strings[i] = (const char *)source->at;
		source->bad = !end || !is_clean(names->strings[i]);
		source->at = end ? end + 1 : source->end;
	}
}

static void take_functions(struct source *source, struct kept_object *object)
{
	uint64_t at = 0;
	size_t i;

	object->functions = take_array(source, &object->nfunctions, 5,
				       sizeof(*object->functions));
	for (i = 0; i < object->nfunctions && !source->bad; i++) {
		struct kept_function *function = &object->functions[i];

		function->start = take_from(source, at);
		at = function->end = take_from(source, function->start);
		function->first = function->start - take_to(source, function->start);
		function->last = take_from(source, function->end);
		function->name = take_string(source);
	}
}

static void take_frames(struct source *source, struct kept_object *object, size_t n)
{
	for (; n && !source->bad; n--) {
		struct kept_frame frame = { .name = n > 1 ? take_string(source) : NULL };

		source->bad |= n > 1 && !frame.name;
		frame.line = take_line(source);
		frame.declared = take_line(source);
		ensure(object->frames, object->nframes, object->frames_room);
		object->frames[object->nframes++] = frame;
	}
}

static void take_addresses(struct source *source, struct kept_object *object)
{
	uint64_t at = 0;
	size_t i;

	object->addresses = take_array(source, &object->naddresses, 6,
				       sizeof(*object->addresses));
	for (i = 0; i < object->naddresses && !source->bad; i++) {
		struct kept_address *address = &object->addresses[i];

		at = address->address = take_from(source, at);
		address->frame = object->nframes;
		address->n = take_from(source, 1);
		take_frames(source, object, address->n);
	}
}

static void take_object(struct source *source, struct kept_object *object)
{
	uint32_t i;

	object->path = take_text(source);
	object->build_id_size = (uint32_t)take_to(source, PROFILE_BUILD_ID_MAX);
	for (i = 0; i < object->build_id_size; i++)
		object->build_id[i] = (uint8_t)take_to(source, UINT8_MAX);
	object->inode = take(source);
	object->modified_ns = take(source);
	object->size = take(source);
	object->nsymbols = (uint32_t)take_to(source, UINT32_MAX);
	take_functions(source, object);
	take_addresses(source, object);
}

static void take_listing(struct source *source, struct kept_listing *listing)
{
	uint64_t at = 0;
	size_t i;

	listing->code = take_to(source, 1);
	listing->inlined = take_to(source, 1);
	listing->start = take(source);
	listing->name = take_text(source);
	listing->declared = take_line(source);
	listing->file = take_text(source);
	listing->lines = take_array(source, &listing->n, 2, sizeof(*listing->lines));
	for (i = 0; i < listing->n && !source->bad; i++) {
		at = listing->lines[i].at = take_from(source, at);
		listing->lines[i].text = take_text(source);
	}
}

static void take_listings(struct source *source)
{
	struct kept_names *names = source->names;
	uint64_t left = take(source);

	for (; left && names->nobjects && !source->bad; left--) {
		struct kept_object *object =
			&names->objects[take_to(source, names->nobjects - 1)];

		ensure(object->listings, object->nlistings, object->listings_room);
		object->listings[object->nlistings] = (struct kept_listing){ 0 };
		take_listing(source, &object->listings[object->nlistings++]);
	}
}

static void take_all(struct source *source)
{
	struct kept_names *names = source->names;
	size_t i;

	take_strings(source);
	names->objects = take_array(source, &names->nobjects, 8, sizeof(*names->objects));
	for (i = 0; i < names->nobjects && !source->bad; i++)
		take_object(source, &names->objects[i]);
	take_listings(source);
}

/* Returns false if the contents are not complete. */
static bool uncompress_file(int fd, uint8_t *contents, size_t size)
{
	z_stream stream = { .next_out = contents, .avail_out = (uInt)size };
	uint8_t buffer[65536];
	int result = Z_OK;
	ssize_t n = 0;

	if (inflateInit(&stream) != Z_OK)
		out_of_memory();
	while (result == Z_OK && (n = read(fd, buffer, sizeof(buffer))) > 0) {
		stream.next_in = buffer;
		stream.avail_in = (uInt)n;
		result = inflate(&stream, Z_NO_FLUSH);
	}
	inflateEnd(&stream);
	return result == Z_STREAM_END && !stream.avail_out;
}

/* Returns what is wrong, or NULL. */
static const char *read_file(struct kept_names *names, int fd)
{
	struct profile_names_header header;
	struct source source;

	if (read(fd, &header, sizeof(header)) != sizeof(header) ||
	    memcmp(header.magic, PROFILE_NAMES_MAGIC, sizeof(header.magic)))
		return "no names in it";
	if (header.byte_order != PROFILE_BYTE_ORDER)
		return "wrong byte order: made on another kind of machine";
	if (header.version != PROFILE_NAMES_VERSION)
		return "another version of profil made it";
	if (header.size > PROFILE_NAMES_MOST)
		return "damaged";
	names->contents = allocate(header.size + 1);
	if (!uncompress_file(fd, names->contents, header.size))
		return "damaged";
	source = (struct source){ names->contents, names->contents + header.size,
				  names, false };
	take_all(&source);
	return source.bad || source.at != source.end ? "damaged" : NULL;
}

static void forget(struct kept_names *names)
{
	size_t i, j;

	for (i = 0; i < names->nobjects; i++) {
		struct kept_object *object = &names->objects[i];

		for (j = 0; j < object->nlistings; j++)
			free(object->listings[j].lines);
		free(object->listings);
		free(object->functions);
		free(object->frames);
		free(object->addresses);
	}
	free(names->objects);
	free(names->strings);
	free(names->contents);
	*names = (struct kept_names){ 0 };
}

struct kept_names *kept_names_read(const char *directory)
{
	struct kept_names *names = allocate(sizeof(*names));
	char *path = format_text("%s" PROFILE_NAMES, directory);
	int fd = regular_file_open(path);
	const char *wrong = NULL;

	if (fd >= 0) {
		wrong = read_file(names, fd);
		close(fd);
	} else if (errno != ENOENT && errno != ENOTDIR) {
		wrong = strerror(errno);
	}
	if (wrong) {
		warn("%s: %s: its names are not used", path, wrong);
		forget(names);
	}
	free(path);
	return names;
}

struct kept_object *kept_names_find(const struct kept_names *names, const char *path,
				    const uint8_t *build_id, uint32_t build_id_size)
{
	struct kept_object *found = NULL;
	char *clean = clean_text(path);
	size_t i = bisect(j, names->nobjects, strcmp(names->objects[j].path, clean) < 0);

	for (; i < names->nobjects && !found && !strcmp(names->objects[i].path, clean); i++)
		if (names->objects[i].build_id_size == build_id_size &&
		    !memcmp(names->objects[i].build_id, build_id, build_id_size))
			found = &names->objects[i];
	free(clean);
	return found;
}

void kept_names_free(struct kept_names *names)
{
	forget(names);
	free(names);
}

bool kept_names_are_of(const struct kept_object *object, const struct stat *status)
{
	uint64_t modified = (uint64_t)status->st_mtim.tv_sec * 1000000000 +
			    (uint64_t)status->st_mtim.tv_nsec;

	for (; object; object = object->next)
		if (object->inode == status->st_ino && object->modified_ns == modified &&
		    object->size == (uint64_t)status->st_size)
			return true;
	return false;
}

const struct kept_frame *kept_names_frames(const struct kept_object *object,
					   uint64_t address, size_t *n)
{
	for (; object; object = object->next) {
		const struct kept_address *list = object->addresses;
		size_t i = bisect(j, object->naddresses, list[j].address < address);

		if (i < object->naddresses && list[i].address == address) {
			*n = list[i].n;
			return &object->frames[list[i].frame];
		}
	}
	*n = 0;
	return NULL;
}
