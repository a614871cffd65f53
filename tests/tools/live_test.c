// SPDX-License-Identifier: LGPL-2.1-or-later
/* A file that grows while profil top reads it. Code is at 0x1000 to 0x2000. */
#include "unit.h"
#include "synthetic.h"
#include "top/live_file.h"

#include <linux/profil_stacks.h>

#define ROOM		20000	/* samples */
#define STACKS_AT	(SAMPLES_AT + 8 * ROOM)
#define MS		1000000ULL

static struct synthetic file;
static struct counts counts;
static struct live_file *live;
static uint64_t samples, stream;

static void put(const void *bytes, size_t n, uint64_t at)
{
	FILE *out = fopen(synthetic_path("prog.4711"), "r+");

	if (!out || fseek(out, (long)at, SEEK_SET) || fwrite(bytes, 1, n, out) != n || fclose(out))
		abort();
}

static int begin(void **state)
{
	(void)state;
	synthetic_begin(&file);
	file.header.capacity = ROOM;
	file.header.stacks_offset = STACKS_AT;
	file.header.stacks_capacity = 1 << 20;
	synthetic_object(&file, 0, "/none/first", 0x1000, 0x2000, 0);
	synthetic_write(&file, "prog.4711", file.size);
	put("", 1, STACKS_AT + (1 << 20));
	live = live_file_open(synthetic_path("prog.4711"), &counts);
	samples = stream = 0;
	return !live;
}

static int end(void **state)
{
	(void)state;
	live_file_close(live);
	counts_free(&counts);
	counts = (struct counts){ 0 };
	return 0;
}

static void add_samples(unsigned int n)
{
	const uint64_t pc = 0x1010;

	while (n--)
		put(&pc, 8, SAMPLES_AT + 8 * samples++);
}

/* Each of thread 7, one sample at 0x1010, called from 0x1020. */
static void add_stacks(unsigned int n)
{
	/* The size, head, version, thread, time, frames kept, new ones, and these. */
	static const uint8_t record[] = {
		9, PROFIL_STACK_RESET | PROFIL_STACK_THREAD, PROFIL_STACKS_VERSION, 7,
		0, 0, 2, 0xc0, 0x40, 0x1f,
	};

	for (; n--; stream += sizeof(record))
		put(record, sizeof(record), STACKS_AT + stream);
}

static void check(uint64_t time, uint64_t in_threads)
{
	live_file_read(live);
	live_file_read(live);
	assert_false(live->damaged);
	assert_int_equal(counts.time.all, time * MS);
	assert_int_equal(counts_total(&counts.functions[0]), time * MS);
	assert_int_equal(counts.threads ? counts.threads[0].time.all : 0, in_threads * MS);
}

TEST(each_read_counts_what_is_new_once)
{
	add_samples(1);
	check(1, 0);
	add_stacks(1);
	check(1, 1);
	add_samples(9000);
	add_stacks(9000);
	check(9001, 9001);
}

TEST(an_object_counts_from_its_sample_in_the_log_on)
{
	add_samples(1);
	check(1, 0);
	synthetic_object(&file, 2, "/none/second", 0x1000, 0x2000, 0);
	put(file.bytes, SAMPLES_AT, 0);
	add_samples(2);
	live_file_read(live);
	assert_int_equal(counts_self(&counts.functions[0]), 2 * MS);
	assert_int_equal(counts_self(&counts.functions[1]), 1 * MS);
}

UNIT_MAIN("live", begin, end, NULL, NULL)
