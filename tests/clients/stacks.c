// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * stacks SPARE FILE...: holds the stacks of profile files against their samples.
 *
 * The first sample of each record is that of its innermost pc; no pc is in more
 * records than it has samples, and all samples are in records, but for those that
 * the file says are in none, and SPARE more: what was on its way when the process
 * ended. Of one that was killed as many samples may be missing that have a stack.
 * Prints what there is, and what is wrong; 1 if anything is. Files that are no profiles
 * are passed over.
 */
#define _GNU_SOURCE
#include <libprofil.h>
#include <libprofil/profile_format.h>

#include <fcntl.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static struct profile_header header;
static uint64_t *pcs, nsamples;
/* Last samples whose stacks may be there although they are not: what was killed. */
static uint64_t unstored;
static char *stream;
static size_t stream_bytes;

static struct sums {
	uint64_t	records, resets, names, ticks, whole, samples, bytes;
} sums, total;

static bool failed;

static void wrong(const char *path, const char *what, uint64_t one, uint64_t other)
{
	printf("%s: %s: %" PRIu64 ", %" PRIu64 "\n", path, what, one, other);
	failed = true;
}

/* What there is of the samples or the stacks, which may be followed by holes. */
static void *take(int fd, uint64_t from, uint64_t room, size_t *bytes)
{
	off_t hole = lseek(fd, (off_t)from, SEEK_HOLE);
	char *to;

	*bytes = 0;
	if (hole >= 0 && lseek(fd, (off_t)from, SEEK_DATA) == (off_t)from)
		*bytes = (uint64_t)hole - from < room ? (uint64_t)hole - from : room;
	to = calloc(1, *bytes + 1);
	if (!to || pread(fd, to, *bytes, (off_t)from) != (ssize_t)*bytes)
		abort();
	return to;
}

static bool load(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	size_t bytes;

	if (fd < 0 || pread(fd, &header, sizeof(header), 0) != sizeof(header) ||
	    memcmp(header.magic, PROFILE_MAGIC, 8) || header.sample_width != 8)
		return false;
	if (!header.stacks_offset) {
		printf("%s: no stacks\n", path);
		close(fd);
		return false;
	}
	pcs = take(fd, header.samples_offset, header.capacity * 8, &bytes);
	nsamples = bytes / 8;
	while (nsamples && !pcs[nsamples - 1])
		nsamples--;
	stream = take(fd, header.stacks_offset, header.stacks_capacity, &stream_bytes);
	close(fd);
	return true;
}

static int by_number(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;

	return *x < *y ? -1 : *x > *y;
}

static void check_record(const char *path, const struct profil_stack *stack)
{
	if (stack->sample >= nsamples + unstored)
		wrong(path, "no such sample", stack->sample, nsamples);
	else if (stack->sample < nsamples && pcs[stack->sample] &&
		 pcs[stack->sample] != stack->frame[0])
		wrong(path, "another sample's stack", stack->sample, stack->frame[0]);
}

/* The pcs of all records, each as often as it has ticks. */
static uint64_t *read_records(const char *path, uint64_t *n)
{
	struct profil_stacks *stacks = profil_stacks_open(stream, stream_bytes);
	uint64_t *seen = calloc(nsamples + 1, sizeof(*seen)), i;
	struct profil_stack stack;
	int more;

	*n = 0;
	while ((more = profil_stacks_next(stacks, &stack)) == 1) {
		sums.records++;
		sums.resets += !!(stack.flags & PROFIL_STACK_RESET);
		sums.names += !!(stack.flags & PROFIL_STACK_NAME);
		if (stack.flags & PROFIL_STACK_NAME)
			continue;
		check_record(path, &stack);
		sums.ticks += stack.count;
		sums.whole += stack.end ? 0 : stack.count;
		for (i = 0; i < stack.count && *n < nsamples; i++)
			seen[(*n)++] = stack.frame[0];
	}
	if (more < 0)
		wrong(path, "damaged, of so many bytes",
		      profil_stacks_offset(stacks), stream_bytes);
	if (header.state == PROFILE_ENDED &&
	    profil_stacks_offset(stacks) < header.stack_bytes)
		wrong(path, "stacks are missing", profil_stacks_offset(stacks),
		      header.stack_bytes);
	/* What follows them is not of them. */
	sums.bytes = profil_stacks_offset(stacks);
	profil_stacks_close(stacks);
	return seen;
}

/* Both in order: each of @seen is one of the samples. */
static void compare(const char *path, uint64_t *seen, uint64_t n)
{
	uint64_t i = 0, j = 0, missing = 0;

	qsort(seen, n, sizeof(*seen), by_number);
	qsort(pcs, nsamples, sizeof(*pcs), by_number);
	while (i < n) {
		if (j < nsamples && pcs[j] < seen[i]) {
			j++;
		} else {
			missing += j == nsamples || pcs[j] != seen[i];
			j += j < nsamples && pcs[j] == seen[i];
			i++;
		}
	}
	/* A sample that was lost may have a stack. */
	for (j = 0; j < nsamples && !pcs[j]; j++)
		missing -= missing > 0;
	if (missing > unstored)
		wrong(path, "stacks without a sample", missing, n);
}

static void check(const char *path, uint64_t spare)
{
	uint64_t *seen, n;

	sums = (struct sums){ .records = 0 };
	if (!load(path))
		return;
	unstored = header.state == PROFILE_ENDED ? 0 : spare;
	seen = read_records(path, &n);
	printf("%s: state %u, %" PRIu64 " samples, %" PRIu64 " in %" PRIu64
	       " records of %zu bytes, %" PRIu64 " stackless; %" PRIu64
	       " complete, %" PRIu64 " resets, %" PRIu64 " names\n", path,
	       header.state, nsamples, sums.ticks, sums.records, stream_bytes,
	       header.stackless, sums.whole, sums.resets, sums.names);
	if (sums.ticks > nsamples + unstored)
		wrong(path, "more stacks than samples", sums.ticks, nsamples);
	if (sums.ticks + header.stackless + spare < nsamples)
		wrong(path, "samples without a stack",
		      nsamples - sums.ticks, header.stackless);
	compare(path, seen, n);
	total.samples += nsamples;
	total.ticks += sums.ticks;
	total.whole += sums.whole;
	total.names += sums.names;
	total.records += sums.records;
	total.bytes += sums.bytes;
	free(seen);
	free(pcs);
	free(stream);
}

int main(int argc, char **argv)
{
	int i;

	for (i = 2; i < argc; i++)
		check(argv[i], strtoull(argv[1], NULL, 10));
	printf("total: %" PRIu64 " ticks, %" PRIu64 " complete, %" PRIu64
	       " samples, %" PRIu64 " names, %" PRIu64 " records, %" PRIu64
	       " bytes\n", total.ticks, total.whole, total.samples, total.names,
	       total.records, total.bytes);
	return failed;
}
