// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * A program that profiles itself. For three seconds of CPU time, it counts and
 * sorts the words of a file, compresses the file, and checks the result. Then it
 * prints in which of its functions the time went.
 *
 *   selfprof FILE
 */
#include <libprofil.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "symbols.h"

/* Keeps each function in the table under its own name. */
#define NOINLINE	__attribute__((noinline, noclone))

#define CPU_TIME	(3 * CLOCKS_PER_SEC)

#define BUCKETS		(1U << 16)	/* 16 bits of hash */
#define WINDOW		(1U << 16)	/* how far back a match may lie */
#define CHAIN		1024		/* candidates looked at per position */
#define SHORTEST	3U
#define LONGEST		258U

struct text {
	unsigned char	*bytes;
	size_t		size;
};

struct word {
	const unsigned char	*start;
	size_t			length;
	unsigned long		count;
};

/* Words */

NOINLINE static unsigned int hash_word(const unsigned char *s, size_t length)
{
	unsigned int hash = 2166136261U;

	for (size_t i = 0; i < length; i++)
		hash = (hash ^ s[i]) * 16777619U;
	return hash;
}

static int is_letter(unsigned char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

/* Returns the number of different words; stops before the table is full. */
NOINLINE static size_t count_words(const struct text *in, struct word *table)
{
	size_t i = 0, words = 0;

	while (i < in->size && words < BUCKETS / 2) {
		size_t length = 0;
		unsigned int slot;

		while (i + length < in->size && is_letter(in->bytes[i + length]))
			length++;
		if (length == 0) {
			i++;
			continue;
		}
		slot = hash_word(in->bytes + i, length) % BUCKETS;
		while (table[slot].count &&
		       (table[slot].length != length ||
			memcmp(table[slot].start, in->bytes + i, length) != 0))
			slot = (slot + 1) % BUCKETS;
		words += table[slot].count == 0;
		table[slot].start = in->bytes + i;
		table[slot].length = length;
		table[slot].count++;
		i += length;
	}
	return words;
}

NOINLINE static void sift_down(struct word *heap, size_t i, size_t n)
{
	while (2 * i + 1 < n) {
		size_t child = 2 * i + 1;
		struct word swap = heap[i];

		if (child + 1 < n && heap[child + 1].count < heap[child].count)
			child++;
		if (swap.count <= heap[child].count)
			return;
		heap[i] = heap[child];
		heap[child] = swap;
		i = child;
	}
}

/* Sorts by descending count, without the empty slots of the table. */
NOINLINE static void sort_words(struct word *words)
{
	size_t n = 0;

	for (size_t i = 0; i < BUCKETS; i++)
		if (words[i].count)
			words[n++] = words[i];
	for (size_t i = n / 2; i-- > 0;)
		sift_down(words, i, n);
	for (size_t end = n; end-- > 1;) {
		struct word swap = words[0];

		words[0] = words[end];
		words[end] = swap;
		sift_down(words, 0, end);
	}
}

/* Compression: literal runs and (distance, length) pairs, after Ziv, Lempel. */

struct matcher {
	const struct text	*in;
	int			head[BUCKETS];
	int			previous[WINDOW];
};

NOINLINE static unsigned int hash_position(const unsigned char *s)
{
	return ((s[0] << 16 | s[1] << 8 | s[2]) * 2654435761U) >> 16;
}

NOINLINE static void remember(struct matcher *m, size_t at)
{
	unsigned int hash;

	if (at + SHORTEST > m->in->size)
		return;
	hash = hash_position(m->in->bytes + at);
	m->previous[at % WINDOW] = m->head[hash];
	m->head[hash] = (int)at;
}

/* Most of the work is here, and the profile must show that. */
NOINLINE static size_t longest_match(const struct matcher *m, size_t at,
				     size_t *distance)
{
	const unsigned char *s = m->in->bytes;
	size_t limit = m->in->size - at, best = 0;
	int candidate;

	if (limit < SHORTEST)
		return 0;
	if (limit > LONGEST)
		limit = LONGEST;
	candidate = m->head[hash_position(s + at)];
	for (int i = 0; i < CHAIN && candidate >= 0; i++) {
		size_t length = 0;

		if (at - (size_t)candidate >= WINDOW)
			break;
		while (length < limit && s[(size_t)candidate + length] == s[at + length])
			length++;
		if (length > best) {
			best = length;
			*distance = at - (size_t)candidate;
		}
		if (best == limit)
			break;
		candidate = m->previous[(size_t)candidate % WINDOW];
	}
	return best >= SHORTEST ? best : 0;
}

/* Writes a literal byte, or 4 bytes for a match: 0xff, length - SHORTEST, distance. */
NOINLINE static size_t compress(const struct text *in, unsigned char *out)
{
	struct matcher *m = malloc(sizeof(*m));
	size_t written = 0, at = 0;

	if (!m)
		return 0;
	m->in = in;
	memset(m->head, 0xff, sizeof(m->head));
	while (at < in->size) {
		size_t distance = 0;
		size_t length = longest_match(m, at, &distance);

		if (length) {
			out[written++] = 0xff;
			out[written++] = (unsigned char)(length - SHORTEST);
			out[written++] = (unsigned char)(distance >> 8);
			out[written++] = (unsigned char)distance;
		} else {
			out[written++] = in->bytes[at];
			if (in->bytes[at] == 0xff) {
				/* Distance 0 means a literal 0xff. */
				memset(out + written, 0, 3);
				written += 3;
			}
			length = 1;
		}
		while (length--)
			remember(m, at++);
	}
	free(m);
	return written;
}

/* Whether decompressing gives the original text. */
NOINLINE static int comes_back(const struct text *in, const unsigned char *out,
			       size_t written)
{
	unsigned char *copy = malloc(in->size + LONGEST);
	size_t size = 0, i = 0;
	int same;

	if (!copy)
		return 0;
	while (i < written && size <= in->size) {
		size_t distance, length;

		if (out[i] != 0xff) {
			copy[size++] = out[i++];
			continue;
		}
		length = out[i + 1] + SHORTEST;
		distance = (size_t)out[i + 2] << 8 | out[i + 3];
		i += 4;
		if (distance == 0) {
			copy[size++] = 0xff;
			continue;
		}
		for (; length > 0; length--, size++)
			copy[size] = copy[size - distance];
	}
	same = size == in->size && memcmp(copy, in->bytes, size) == 0;
	free(copy);
	return same;
}

static int read_file(const char *name, struct text *in)
{
	FILE *file = fopen(name, "rb");
	long size;

	if (!file)
		return -1;
	if (fseek(file, 0, SEEK_END) == 0 && (size = ftell(file)) > 0) {
		rewind(file);
		in->bytes = malloc((size_t)size);
		if (in->bytes)
			in->size = fread(in->bytes, 1, (size_t)size, file);
	}
	fclose(file);
	return in->size ? 0 : -1;
}

static void describe(const struct text *in, const struct word *words,
		     size_t different, size_t written)
{
	printf("%zu bytes, %zu different words, most often:", in->size,
	       different);
	for (size_t i = 0; i < 5 && i < different; i++)
		printf(" %.*s", (int)words[i].length,
		       (const char *)words[i].start);
	printf("\ncompressed to %zu bytes and back\n", written);
}

static int work(const struct text *in)
{
	struct word *words = malloc(BUCKETS * sizeof(*words));
	unsigned char *out = malloc(4 * in->size);
	size_t different = 0, written = 0;
	int ok = words && out;

	while (ok && clock() < CPU_TIME) {
		memset(words, 0, BUCKETS * sizeof(*words));
		different = count_words(in, words);
		sort_words(words);
		written = compress(in, out);
		ok = comes_back(in, out, written);
	}
	if (ok)
		describe(in, words, different, written);
	free(words);
	free(out);
	return ok ? 0 : -1;
}

int main(int argc, char **argv)
{
	uintptr_t start = (uintptr_t)__executable_start;
	size_t size = (uintptr_t)etext - start;
	unsigned short *counters = calloc(size / 2 + 1, sizeof(*counters));
	struct text in = { NULL, 0 };
	struct profil_status status = { .size = sizeof(status) };
	int result;
	long sum;

	if (argc != 2 || !counters || read_file(argv[1], &in) < 0) {
		fprintf(stderr, "usage: selfprof FILE\n");
		return 2;
	}

	/* One counter for 2 bytes of text: scale 0x10000. */
	if (profil(counters, size, start, 0x10000) < 0) {
		perror("selfprof: profil");
		return 2;
	}
	result = work(&in);
	if (profil_get_status(&status) < 0 || profil(counters, 0, 0, 0) < 0) {
		perror("selfprof: profil");
		return 2;
	}

	printf("%llu ticks of %llu us, %llu in this program's code\n",
	       (unsigned long long)status.ticks,
	       (unsigned long long)status.period_ns / 1000,
	       (unsigned long long)status.counted);
	sum = symbols_print(counters, size / 2, start);
	free(in.bytes);
	free(counters);
	return result < 0 || sum <= 0;
}
