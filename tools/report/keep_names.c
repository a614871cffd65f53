// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Looks up each address as reports do, and writes the answers; profil-file(5) describes
 * the file. profile/kept_names.c reads it.
 */
#include "report/keep_names.h"
#include "common/clean_text.h"
#include "common/compare.h"
#include "common/hash_set.h"
#include "common/memory.h"
#include "common/varints.h"
#include "common/message.h"
#include "content/listing.h"
#include "object/frames.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

/* The code of so many functions is kept, if they have a share of the samples. */
#define LISTINGS_MOST	20
#define LISTING_SHARE	100	/* one in 100 */

/* A list of numbers, as bytes. */
struct numbers {
	struct varints	list;
	size_t		count;	/* of its elements, which can be several numbers each */
};

struct address {
	uint32_t	object;
	uint64_t	address;
};

struct keeper {
	const struct report	*report;
	char		**strings;	/* number 1 is the first */
	size_t		nstrings, strings_room;
	struct hash_set	string_set;
	uint32_t	*numbers;	/* 1 + the number of each object in the file */
	struct numbers	objects, listings;
	/* Of the object at hand: */
	struct numbers	functions, addresses;
	uint64_t	last;		/* of addresses */
};

/* --- numbers and strings ---------------------------------------------------------- */

static void put(struct numbers *numbers, uint64_t number)
{
	varints_add(&numbers->list, number);
}

static void put_bytes(struct numbers *numbers, const void *bytes, size_t n)
{
	varints_append(&numbers->list, bytes, n);
}

/* Appends the count of a list and then the list, and empties the list. */
static void put_list(struct numbers *numbers, struct numbers *list)
{
	put(numbers, list->count);
	put_bytes(numbers, list->list.bytes, list->list.n);
	list->list.n = list->count = 0;
}

struct wanted_string {
	char		**strings;
	const char	*text;
};

static bool is_string(const void *context, uint32_t i)
{
	const struct wanted_string *wanted = context;

	return !strcmp(wanted->strings[i], wanted->text);
}

/* The number of a string; 0 stands for none. */
static uint32_t string(struct keeper *keeper, const char *text)
{
	const struct wanted_string wanted = { keeper->strings, text };
	uint32_t *slot;

	if (!text)
		return 0;
	hash_set_reserve(&keeper->string_set, keeper->nstrings);
	slot = hash_set_find(&keeper->string_set, hash_set_mix_text(0, text), is_string,
			     &wanted);
	if (!*slot) {
		ensure(keeper->strings, keeper->nstrings, keeper->strings_room);
		keeper->strings[keeper->nstrings++] = copy_text(text);
		*slot = (uint32_t)keeper->nstrings;
	}
	return *slot;
}

/* --- objects -------------------------------------------------------------------------- */

static void put_line(struct keeper *keeper, struct numbers *numbers,
		     const struct line *line)
{
	put(numbers, string(keeper, line->file));
	put(numbers, (uint32_t)line->number);
}

/* Adds an address if a line of it is known. */
static void put_frames(struct keeper *keeper, struct object *object, uint64_t address)
{
	struct numbers *numbers = &keeper->addresses;
	struct frame frames[FRAMES_MOST];
	size_t n = frames_at(object, address, frames), i;

	frames[n - 1].declared = frames_declaration(object, address);
	if (n == 1 && !frames[0].line.file && !frames[0].line.number &&
	    !frames[0].declared.file)
		return;
	put(numbers, address - keeper->last);
	put(numbers, n - 1);
	for (i = 0; i < n; i++) {
		if (i + 1 < n)
			put(numbers, string(keeper, frames[i].name));
		put_line(keeper, numbers, &frames[i].line);
		put_line(keeper, numbers, &frames[i].declared);
	}
	numbers->count++;
	keeper->last = address;
}

static void put_function(struct keeper *keeper, const struct function *function,
			 uint64_t after)
{
	struct numbers *numbers = &keeper->functions;

	put(numbers, function->start - after);
	put(numbers, function->end - function->start);
	put(numbers, function->start - function->first);
	put(numbers, function->last - function->end);
	put(numbers, function->known ? string(keeper, function->name) : 0);
	numbers->count++;
}

static void add_addresses(struct keeper *keeper, struct object *object,
			  const struct address *addresses, size_t n)
{
	uint64_t after = 0;
	size_t i;

	keeper->last = 0;
	for (i = 0; i < n; i++) {
		const struct function *function =
			symbols_function(object, addresses[i].address);

		if (!i || function->start >= after) {
			put_function(keeper, function, after);
			after = function->end;
		}
		put_frames(keeper, object, addresses[i].address);
	}
}

/* The identity of the file; that of the kept names if these were used. */
static void put_identity(struct numbers *numbers, const struct object *object)
{
	const struct kept_object *kept = object->symbols->kept;
	struct stat status = { 0 };
	uint32_t i;

	put(numbers, object->build_id_size);
	for (i = 0; i < object->build_id_size; i++)
		put(numbers, object->build_id[i]);
	if (!kept && object->symbols->file.path)
		stat(object->symbols->file.path, &status);
	put(numbers, kept ? kept->inode : status.st_ino);
	put(numbers, kept ? kept->modified_ns :
	    (uint64_t)status.st_mtim.tv_sec * 1000000000 + (uint64_t)status.st_mtim.tv_nsec);
	put(numbers, kept ? kept->size : (uint64_t)status.st_size);
	put(numbers, kept ? kept->nsymbols : object_file_symbols(&object->symbols->file));
}

static void put_object(struct keeper *keeper, uint32_t number,
		       const struct address *addresses, size_t n)
{
	struct object *object = &keeper->report->profile->objects[number];

	if (!symbols_known(object))
		return;
	add_addresses(keeper, object, addresses, n);
	put(&keeper->objects, string(keeper, object->shown));
	put_identity(&keeper->objects, object);
	put_list(&keeper->objects, &keeper->functions);
	put_list(&keeper->objects, &keeper->addresses);
	keeper->numbers[number] = (uint32_t)++keeper->objects.count;
}

static int compare_addresses(const void *a, const void *b, void *context)
{
	const struct object *objects = context;
	const struct address *x = a, *y = b;

	return (x->object == y->object ? 0 :
		strcmp(objects[x->object].shown, objects[y->object].shown)) ?:
	       compare_numbers(x->object, y->object) ?:
	       compare_numbers(x->address, y->address);
}

/*
 * The start of the function at a node of a wait, if this report has no row for it; else
 * the node itself.
 */
static struct address start_of(const struct report *report, size_t node)
{
	const struct stack_node *at = &report->profile->stacks.nodes[node];
	struct object *object = &report->profile->objects[at->object];

	return (struct address){ at->object, report->functions.frames.of_node[node] ?
		at->address : symbols_function(object, at->address)->first };
}

/* All that reports look up: samples, callers, and the starts of functions. */
static struct address *collect(const struct report *report, size_t *n)
{
	const struct profile *profile = report->profile;
	const struct stacks *stacks = &profile->stacks;
	struct address *list;
	size_t i, at = 0;

	list = allocate((profile->nplaces + 2 * stacks->nnodes + report->functions.n) *
			sizeof(*list));
	for (i = 0; i < profile->nplaces; i++)
		list[at++] = (struct address){ profile->places[i].object,
					       profile->places[i].address };
	for (i = 1; i < stacks->nnodes; i++)
		list[at++] = (struct address){ stacks->nodes[i].object,
					       stacks->nodes[i].address };
	for (i = 1; i < stacks->nnodes && profile->has_waits; i++)
		list[at++] = start_of(report, i);
	for (i = 0; i < report->functions.n; i++)
		list[at++] = (struct address){ report->functions.rows[i].object,
					       report->functions.rows[i].start };
	if (at)
		qsort_r(list, at, sizeof(*list), compare_addresses, profile->objects);
	for (*n = i = 0; i < at; i++)
		if (!*n || list[*n - 1].object != list[i].object ||
		    list[*n - 1].address != list[i].address)
			list[(*n)++] = list[i];
	return list;
}

/* Objects are in order of their paths, as these are kept. */
static void add_objects(struct keeper *keeper)
{
	size_t n, i, end;
	struct address *list = collect(keeper->report, &n);

	for (i = 0; i < n; i = end) {
		for (end = i; end < n && list[end].object == list[i].object;)
			end++;
		put_object(keeper, list[i].object, &list[i], end - i);
	}
	free(list);
}

/* --- listings ------------------------------------------------------------------------- */

static void put_listing(struct keeper *keeper, const struct row *row, bool code,
			const struct listing *listing)
{
	struct numbers *numbers = &keeper->listings;
	uint64_t last = 0;
	size_t i;

	put(numbers, keeper->numbers[row->object] - 1);
	put(numbers, code);
	put(numbers, row->inlined);
	put(numbers, row->start);
	put(numbers, string(keeper, row->inlined ? row->name : NULL));
	put_line(keeper, numbers, &row->declared);
	put(numbers, string(keeper, listing->file));
	put(numbers, listing->n);
	for (i = 0; i < listing->n; i++) {
		const struct listing_line *line = &listing->lines[i];
		uint64_t at = code ? line->address : (uint64_t)line->number;

		put(numbers, at - last);
		put(numbers, string(keeper, line->text));
		last = at;
	}
	numbers->count++;
}

static void add_listings(struct keeper *keeper)
{
	const struct report *report = keeper->report;
	size_t i;

	for (i = 0; i < report->functions.n && i < LISTINGS_MOST; i++) {
		const struct row *row = &report->functions.rows[i];
		struct listing listing = { 0 };

		if (row->samples < report->profile->samples / LISTING_SHARE)
			break;
		if (!keeper->numbers[row->object])
			continue;
		if (listing_source(&listing, report, row))
			put_listing(keeper, row, false, &listing);
		listing_free(&listing);
		if (listing_code(&listing, report, row))
			put_listing(keeper, row, true, &listing);
		listing_free(&listing);
	}
}

/* --- the file ------------------------------------------------------------------------- */

static bool write_new(const char *path, mode_t mode,
		      const struct profile_names_header *header,
		      const uint8_t *bytes, size_t size)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
	FILE *file = fd < 0 ? NULL : fdopen(fd, "w");
	bool written;

	if (!file)
		return false;
	written = fwrite(header, sizeof(*header), 1, file) == 1 &&
		  fwrite(bytes, size, 1, file) == 1;
	return !fclose(file) && written;
}

/* The file gets its name when it is complete. Returns 0 or an errno. */
static int write_file(const char *directory, mode_t mode, const struct numbers *contents)
{
	const struct profile_names_header header = {
		.magic = PROFILE_NAMES_MAGIC, .version = PROFILE_NAMES_VERSION,
		.byte_order = PROFILE_BYTE_ORDER, .size = contents->list.n,
	};
	char *path = format_text("%s/" PROFILE_NAMES, directory);
	char *new = format_text("%s/." PROFILE_NAMES ".%d", directory, (int)getpid());
	uLongf size = compressBound(contents->list.n);
	uint8_t *bytes = allocate(size);
	int error = 0;

	if (compress2(bytes, &size, contents->list.bytes, contents->list.n, Z_BEST_COMPRESSION) != Z_OK)
		out_of_memory();
	if (!write_new(new, mode, &header, bytes, size) || rename(new, path) < 0) {
		error = errno;
		unlink(new);
	}
	free(bytes);
	free(new);
	free(path);
	return error;
}

/* Strings come first, as all numbers of strings are known only at the end. */
static void join(struct keeper *keeper, struct numbers *contents)
{
	size_t i;

	put(contents, keeper->nstrings);
	for (i = 0; i < keeper->nstrings; i++) {
		char *clean = clean_text_line(keeper->strings[i]);

		put_bytes(contents, clean, strlen(clean) + 1);
		free(clean);
	}
	put_list(contents, &keeper->objects);
	put_list(contents, &keeper->listings);
}

static void release(struct keeper *keeper)
{
	size_t i;

	for (i = 0; i < keeper->nstrings; i++)
		free(keeper->strings[i]);
	free(keeper->strings);
	hash_set_free(&keeper->string_set);
	free(keeper->numbers);
	varints_free(&keeper->functions.list);
	varints_free(&keeper->addresses.list);
	varints_free(&keeper->objects.list);
	varints_free(&keeper->listings.list);
}

bool keep_names(const struct report *report, const char *directory)
{
	struct keeper keeper = { .report = report };
	struct numbers contents = { 0 };
	mode_t mode = 0644 & ~report->profile->withheld;
	int error;

	keeper.numbers = allocate(report->profile->nobjects * sizeof(*keeper.numbers));
	add_objects(&keeper);
	add_listings(&keeper);
	join(&keeper, &contents);
	release(&keeper);
	error = contents.list.n > PROFILE_NAMES_MOST ? EFBIG :
		write_file(directory, mode, &contents);
	varints_free(&contents.list);
	if (error)
		warn("%s: cannot keep names: %s", directory, strerror(error));
	return !error;
}
