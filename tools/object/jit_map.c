// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * A map has lines of "start size name" with hexadecimal numbers, in the order in which
 * the code was generated. Later code replaces earlier code at the same address.
 */
#include "object/jit_map.h"
#include "common/compare.h"
#include "common/memory.h"
#include "common/regular_file.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct entry {
	uint64_t	start, end;
	size_t		number;		/* of the line: later code has a higher one */
	char		*name;
};

struct entries {
	struct entry	*list;
	size_t		n, room;
};

/*
 * Removes V8's mark of the compiler, as in "~f" or "JS:*f file": interpreted and compiled
 * versions are one function. A regular expression may begin with one of these characters.
 */
static char *remove_mark(char *name)
{
	size_t tag = strspn(name, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz");
	char *mark = name[tag] == ':' ? name + tag + 1 : name;

	if (*mark && strchr("~*^+", *mark) && mark[1] && strncmp(name, "RegExp:", 7))
		memmove(mark, mark + 1, strlen(mark));
	return name;
}

static void add_line(struct entries *entries, char *line)
{
	uint64_t start, size;
	int name = 0;

	line[strcspn(line, "\n")] = '\0';
	if (sscanf(line, "%" SCNx64 " %" SCNx64 " %n", &start, &size, &name) != 2 ||
	    !name || !line[name] || !size || start + size < start)
		return;
	ensure(entries->list, entries->n, entries->room);
	entries->list[entries->n] = (struct entry){
		start, start + size, entries->n, copy_text(remove_mark(line + name))
	};
	entries->n++;
}

/*
 * Reads up to the first zero: text has none, and a huge hole may follow. Longer lines
 * than the buffer count as several.
 */
static void read_map(struct entries *entries, FILE *map)
{
	static char line[65536];
	bool goes_on = true;

	while (goes_on && fgets(line, sizeof(line), map)) {
		size_t length = strlen(line);

		goes_on = length == sizeof(line) - 1 ||
			  (length && line[length - 1] == '\n');
		add_line(entries, line);
	}
	fclose(map);
}

static int compare(const void *a, const void *b)
{
	const struct entry *x = a, *y = b;

	return compare_numbers(x->start, y->start) ?:
	       compare_numbers(x->number, y->number);
}

/* A heap of the entries that have begun, with the newest on top. */
struct heap {
	struct entry	**list;
	size_t		n;
};

static void swap(struct entry **a, struct entry **b)
{
	struct entry *entry = *a;

	*a = *b;
	*b = entry;
}

static void push(struct heap *heap, struct entry *entry)
{
	size_t i = heap->n++;

	heap->list[i] = entry;
	for (; i && heap->list[(i - 1) / 2]->number < heap->list[i]->number;
	     i = (i - 1) / 2)
		swap(&heap->list[i], &heap->list[(i - 1) / 2]);
}

static void pop(struct heap *heap)
{
	size_t i = 0, child;

	heap->list[0] = heap->list[--heap->n];
	for (; (child = 2 * i + 1) < heap->n; i = child) {
		if (child + 1 < heap->n &&
		    heap->list[child + 1]->number > heap->list[child]->number)
			child++;
		if (heap->list[i]->number > heap->list[child]->number)
			break;
		swap(&heap->list[i], &heap->list[child]);
	}
}

/* Adds the code from @at up to the next change. Returns true if there is more. */
static bool emit(struct heap *heap, uint64_t *at, uint64_t next,
		 jit_map_add *add, void *context)
{
	const struct entry *newest;
	uint64_t end;

	while (heap->n && heap->list[0]->end <= *at)
		pop(heap);
	if (!heap->n || *at >= next)
		return false;
	newest = heap->list[0];
	end = newest->end < next ? newest->end : next;
	add(context, *at, end, newest->name);
	*at = end;
	return true;
}

static void visit(struct entries *entries, jit_map_add *add, void *context)
{
	struct heap heap = { allocate(entries->n * sizeof(*heap.list)), 0 };
	size_t i = 0;

	while (i < entries->n) {
		uint64_t at = entries->list[i].start, next;

		for (; i < entries->n && entries->list[i].start == at; i++)
			push(&heap, &entries->list[i]);
		next = i < entries->n ? entries->list[i].start : UINT64_MAX;
		while (emit(&heap, &at, next, add, context))
			;
	}
	free(heap.list);
}

static FILE *open_in(const char *directory, const struct object *object)
{
	char *path = format_text("%s/perf-%u.map", directory, object->pid);
	FILE *map = regular_file_stream_of(path, object->owner);

	free(path);
	return map;
}

/* In /tmp it can be that of a later process with the same number. */
void jit_map_read(const struct object *object, jit_map_add *add, void *context)
{
	FILE *map = open_in(object->directory, object);
	struct entries entries = { 0 };
	size_t i;

	if (!map && !object->finished)
		map = open_in("/tmp", object);
	if (!map)
		return;
	read_map(&entries, map);
	if (entries.n)
		qsort(entries.list, entries.n, sizeof(*entries.list), compare);
	visit(&entries, add, context);
	for (i = 0; i < entries.n; i++)
		free(entries.list[i].name);
	free(entries.list);
}
