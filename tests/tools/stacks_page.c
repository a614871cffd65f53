// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * stacks_page DIRECTORY SAMPLES FUNCTIONS STACKS: makes a profile of so many
 * samples in so many different stacks of three processes, and writes DIRECTORY/page.html, report.txt and
 * folded.txt of it. Names are hostile, or very long; threads come and go, and one
 * process has samples without stacks. Equal arguments make equal profiles.
 */
#include "common/memory.h"
#include "content/calls_of_stacks.h"
#include "content/functions_of_places.h"
#include "content/report.h"
#include "formats/formats.h"
#include "profile/places.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define FIRST		0x10000
#define SIZE		64
#define PROCESSES	3
#define THREADS		6	/* of the first process */
#define DEEPEST		60
#define PERIOD		1000000
#define STARTED		1763757000000000000

static uint64_t seed = 88172645463325252;

/* From 0 to @n - 1. */
static uint64_t random_below(uint64_t n)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return (seed >> 11) % n;
}

/* --- functions ----------------------------------------------------------------------- */

static void print_name(FILE *map, unsigned int i)
{
	static const char *const hostile[] = {
		"</script><script>document.title = 'taken'</script>",
		"<img src=x onerror=\"document.title='taken'\">",
		"quotes\" ' ` ${document.title = 'taken'} \\u003c\\",
		"<!--<script>", "]]>&amp;&lt;", "right \xe2\x80\xae to left",
		"\xd7\xa9\xd7\x9c\xd7\x95\xd7\x9d(int, char)",
		"\xe6\x97\xa5\xe6\x9c\xac\xe8\xaa\x9e\xe3\x81\xae\xe9\x96\xa2\xe6\x95\xb0",
		"esc\x1b[2J\x7f", "__proto__", "constructor",
	};
	unsigned int j;

	if (i % 7 == 3 && i / 7 < length_of(hostile)) {
		fputs(hostile[i / 7], map);
	} else if (i == 5) {
		for (j = 0; j < 400; j++)
			fprintf(map, "std::map<std::string, k%u>::", j);
		fputs("operator[](int)", map);
	} else {
		fprintf(map, "%s_%u", i % 3 ? i % 2 ? "parse" : "visit_node" :
			"Table<int>::find(Key const&)", i);
	}
}

static void write_map(const char *directory, uint32_t pid, unsigned int functions)
{
	char *path = format_text("%s/perf-%" PRIu32 ".map", directory, pid);
	FILE *map = fopen(path, "we");
	unsigned int i;

	for (i = 0; i < functions; i++) {
		fprintf(map, "%x %x ", FIRST + i * SIZE, SIZE);
		print_name(map, i);
		fputc('\n', map);
	}
	fclose(map);
	free(path);
}

/* --- the profile --------------------------------------------------------------------- */

static uint32_t add_process(struct profile *profile, const char *directory,
			    uint32_t pid, const char *name)
{
	static char path[] = "[unknown]";
	struct object object = {
		.path = path, .pid = pid, .owner = getuid(),
		.directory = (char *)(uintptr_t)directory,
	};

	ensure(profile->processes, profile->nprocesses, profile->processes_room);
	profile->processes[profile->nprocesses++] = (struct process){
		.command = profile_find_command(profile, format_text("%s", name)),
		.pid = pid, .started_ns = STARTED + pid, .period_ns = PERIOD,
		.arguments = format_text("%s --many <b>", name),
	};
	return profile_find_object(profile, &object);
}

/* Numbers that look random, and are the same for the same ones. */
static uint64_t mix(uint64_t a, uint64_t b)
{
	uint64_t hash = (a * 0x9e3779b97f4a7c15 ^ b) * 0xd6e8feb86659fd93;

	return hash ^ hash >> 32;
}

/*
 * Stack @which of @all: those that are near each other have their outermost
 * callers in common, as the prefixes of their numbers; some functions call
 * themselves. The sample is at any address of the innermost one.
 */
static uint32_t make_stack(struct stacks *stacks, uint32_t object,
			   unsigned int functions, uint64_t which, uint64_t all)
{
	uint64_t deepest = 8 + mix(which, 1) % (DEEPEST - 8), depth, function = 0;
	uint32_t node = 0;

	for (depth = 0; depth < deepest; depth++) {
		uint64_t shift = 64 - (uint64_t)__builtin_clzll(all);
		uint64_t prefix = which >> (depth < shift ? shift - depth : 0);

		if (mix(prefix, depth) % 16)
			function = mix(prefix, depth + 100) % functions;
		node = stacks_node(stacks, node, object,
				   FIRST + function * SIZE + 4 * (depth % 3));
	}
	return stacks_node(stacks, node, object, FIRST + function * SIZE +
			   4 * random_below(SIZE / 4));
}

/* Few stacks have most samples, and others at another time. */
static uint64_t choose_stack(uint64_t phase, uint64_t all)
{
	uint64_t part = random_below(1 << 20);
	uint64_t rank = (part * part >> 20) * part >> 20;

	return (rank * all / (1 << 20) + phase * all / 16) % all;
}

static uint32_t kernel_object(struct profile *profile)
{
	static char path[] = "[kernel]";
	const struct object object = { .path = path, .kernel = 64 };

	return profile_find_object(profile, &object);
}

static void add_sample(struct stacks *stacks, uint64_t at, uint32_t thread,
		       uint32_t node, uint32_t samples)
{
	stacks_moment(stacks, &(struct moment){
		.time_ns = STARTED + at * PERIOD, .node = node, .thread = thread,
		.span_ns = (samples - 1) * (uint64_t)PERIOD, .samples = samples });
}

static void add_samples(struct profile *profile, const uint32_t *objects,
			uint64_t samples, unsigned int functions, uint64_t all)
{
	struct stacks *stacks = &profile->stacks;
	uint32_t kernel = kernel_object(profile), threads[THREADS + 1], i;
	uint64_t at;

	for (i = 0; i <= THREADS; i++) {
		threads[i] = stacks_thread(stacks, i / THREADS, 100 + i);
		stacks->threads[threads[i]].name = format_text(
			i % THREADS ? "worker/%u </script>" : i ? "sh" : "server", i);
	}
	for (at = 0; at < samples; at++) {
		uint64_t phase = at * 10 / samples;
		uint32_t who = random_below(2) ? 0 :
			(uint32_t)(phase + random_below(3)) % (THREADS + 1);
		uint32_t object = objects[who / THREADS], node;

		node = make_stack(stacks, object, functions,
				  choose_stack(phase + who % 3, all), all);
		if (!random_below(8))
			node = stacks_node(stacks, node, kernel,
				random_below(3) ? KERNEL_CALL(random_below(2)) :
				KERNEL_FAULT);
		/* Of some it is not known when they were. */
		if (!random_below(100))
			stacks_count(stacks, &(struct stack_count){
				node, threads[who], 1, PERIOD });
		else
			add_sample(stacks, at, threads[who], node, 1);
	}
	add_sample(stacks, samples / 2, threads[1],
		   stacks_node(stacks, 0, kernel, KERNEL_CALL(0)), 50);
}

static void make_report(struct report *report, const char *directory,
			uint64_t samples, unsigned int functions, uint64_t all)
{
	static const char *const names[PROCESSES] = { "server", "sh", "</script>" };
	uint32_t objects[PROCESSES], i;

	report->profile = allocate(sizeof(*report->profile));
	for (i = 0; i < PROCESSES; i++) {
		write_map(directory, i + 1, functions);
		objects[i] = add_process(report->profile, directory, i + 1, names[i]);
	}
	add_samples(report->profile, objects, samples, functions, all);
	places_add(report->profile,
		   &(struct place){ objects[2], 2, FIRST, 7, 7 * PERIOD });
	places_finish(report->profile);
	functions_of_places(&report->functions, report->profile);
	calls_of_stacks(&report->calls, report->profile, &report->functions);
}

static void write_report(const struct report *report, const char *directory,
			 const char *name, report_writer *write)
{
	char *path = format_text("%s/%s", directory, name);
	FILE *out = fopen(path, "we");

	if (!out || !write(report, out) || fclose(out))
		exit(1);
	free(path);
}

int main(int argc, char **argv)
{
	struct report report = { 0 };

	if (argc != 5)
		return 2;
	make_report(&report, argv[1], strtoull(argv[2], NULL, 10),
		    (unsigned int)strtoul(argv[3], NULL, 10),
		    strtoull(argv[4], NULL, 10));
	write_report(&report, argv[1], "page.html", report_html);
	write_report(&report, argv[1], "report.txt", report_text);
	write_report(&report, argv[1], "folded.txt", report_folded);
	return 0;
}
