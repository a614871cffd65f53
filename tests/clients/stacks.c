// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * stacks SPARE FILE...: holds the stacks of profile files against their samples.
 *
 * The first sample of each record is that of its innermost pc; no pc is in more
 * records than it has samples, and all samples are in records, but for those that
 * the file says are in none, and SPARE more: what was on its way when the process
 * ended. Of one that was killed as many samples may be missing that have a stack. Prints what there is, and what is wrong; 1 if anything is. Files that are
 * no profiles are passed over.
 */
#define _GNU_SOURCE
#include <libprofil.h>
#include <libprofil/profile_format.h>

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static struct profile_header header;
static uint64_t *pcs, nsamples;
/* Last samples whose stacks may be there although they are not: what was killed. */
static uint64_t unstored;
static char *stream;
static size_t stream_bytes;

static struct sums {
	uint64_t	records, resets, names;
	uint64_t	ticks, whole, deep, kernel, guessed, moved;
	uint64_t	samples, bytes;
} sums, total;

/* Ticks by why their stacks are not complete. */
static uint64_t ends[256];

static bool failed;

static void wrong(const char *path, const char *what, uint64_t one, uint64_t other)
{
	printf("%s: %s: %" PRIu64 ", %" PRIu64 "\n", path, what, one, other);
	failed = true;
}

static void *take(int fd, uint64_t at, size_t bytes, size_t *got)
{
	char *to = calloc(1, bytes + 1);
	ssize_t n = to ? pread(fd, to, bytes, (off_t)at) : -1;

	*got = n < 0 ? 0 : (size_t)n;
	return to;
}

/* What there is of the samples and the stacks, which may be followed by holes. */
static uint64_t used(int fd, uint64_t from, uint64_t room, uint64_t size)
{
	off_t hole = lseek(fd, (off_t)from, SEEK_HOLE);

	if (from >= size || lseek(fd, (off_t)from, SEEK_DATA) != (off_t)from)
		return 0;
	if (hole < 0 || (uint64_t)hole > size)
		hole = (off_t)size;
	return (uint64_t)hole - from < room ? (uint64_t)hole - from : room;
}

static bool load(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct stat status;
	size_t got;

	if (fd < 0 || fstat(fd, &status) < 0 ||
	    pread(fd, &header, sizeof(header), 0) != sizeof(header) ||
	    memcmp(header.magic, PROFILE_MAGIC, 8) || header.sample_width != 8)
		return false;
	if (!header.stacks_offset) {
		printf("%s: no stacks\n", path);
		close(fd);
		return false;
	}
	pcs = take(fd, header.samples_offset,
		   used(fd, header.samples_offset, header.capacity * 8,
			(uint64_t)status.st_size), &got);
	nsamples = got / 8;
	while (nsamples && !pcs[nsamples - 1])
		nsamples--;
	stream = take(fd, header.stacks_offset,
		      used(fd, header.stacks_offset, header.stacks_capacity,
			   (uint64_t)status.st_size), &stream_bytes);
	close(fd);
	return true;
}

static void add(const struct profil_stack *stack)
{
	sums.ticks += stack->count;
	sums.whole += !stack->end ? stack->count : 0;
	ends[stack->end & 255] += stack->count;
	sums.deep += stack->nframes > 1 ? stack->count : 0;
	sums.kernel += stack->flags & PROFIL_STACK_KERNEL ? stack->count : 0;
	sums.guessed += stack->flags & PROFIL_STACK_GUESSED ? stack->count : 0;
	sums.moved += stack->flags & PROFIL_STACK_MOVED ? stack->count : 0;
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
	else if (stack->sample < nsamples && pcs[stack->sample] && pcs[stack->sample] != stack->frame[0])
		wrong(path, "another sample's stack", stack->sample,
		      stack->frame[0]);
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
		add(&stack);
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

static void print_ends(void)
{
	unsigned int i;

	for (i = 1; i < sizeof(ends) / sizeof(ends[0]); i++)
		if (ends[i])
			printf(", %" PRIu64 " end for reason %u", ends[i], i);
	printf("\n");
	memset(ends, 0, sizeof(ends));
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
	       " complete, %" PRIu64 " of several frames, %" PRIu64
	       " in the kernel, %" PRIu64 " guessed, %" PRIu64 " moved, %" PRIu64
	       " resets, %" PRIu64 " names", path, header.state, nsamples,
	       sums.ticks, sums.records, stream_bytes, header.stackless,
	       sums.whole, sums.deep, sums.kernel, sums.guessed, sums.moved,
	       sums.resets, sums.names);
	print_ends();
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
