// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Counters that several CPUs count in, in every order of their accesses.
 *
 * Runs kmod/counter.c, whose accesses to words come here. A CPU runs until it
 * wants to access memory; then another one may go first. So the state of all
 * is what is in memory and what each CPU has been answered since its tick
 * began, and every state that can be reached is visited once. Besides CPUs
 * there is what else happens to memory: pages go and come back, neighbours in
 * the same word are written, other CPUs count many ticks at once.
 *
 * WORD_BITS says how wide a compare-and-swap of user memory is.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "counter.h"
#include "unit.h"

#define CPUS		3
#define ANSWERS		160
#define BASE		0x4ff0U
#define BYTES		32U
#define PAGE		0x5000U	/* where the second page begins */
#define BURST		300

typedef unsigned __int128 u128;

struct answer {
	s32 status;
	u64 value;
};

/* A CPU: its ticks, and what it has been answered since the last one began. */
struct cpu {
	u64 carry;		/* where one is left to do, or 0 */
	u8 ticks;		/* still to come */
	u8 n;
	struct answer answer[ANSWERS];
};

struct state {
	u8 mem[BYTES];
	bool absent[2];
	u8 leaves;		/* times that a page may still go */
	u8 pokes;		/* writes of neighbours still to come */
	u8 bursts;
	u16 begun;		/* ticks, with those that have been refused */
	u16 counted;
	u16 stored;
	struct cpu cpu[CPUS];
};

/* What is run. */
struct scene {
	unsigned int width, at_limit, cpus, ticks, leaves, pokes, bursts;
	u64 addr, limit, start;
};

static struct profil_region_compiled counter;
static const struct scene *scene;

/* What has been seen, over all scenes: a test of nothing is none. */
static struct {
	u64 states, ends, carries, late, again, faults, overflows, saturated;
} seen;

static void show(const struct state *s, const char *what)
{
	unsigned int i;

	fprintf(stderr, "%s: width %u at %#llx, start %#llx, limit %#llx (%u), "
		"%u ticks counted, %u stored\nmemory", what, scene->width, scene->addr,
		scene->start, counter.limit, scene->at_limit, s->counted, s->stored);
	for (i = 0; i < BYTES; i++)
		fprintf(stderr, " %02x", s->mem[i]);
	fprintf(stderr, "\n");
	abort();
}

/* The CPU that runs, and what it wants and has not been answered yet. */
static struct state *now;
static struct cpu *running;
static unsigned int answered;
static bool at_once, restless;
static unsigned int swaps;
static jmp_buf waits;

struct want {
	bool swap;
	u64 addr, old, new;
};

static struct want wanted;

/* The bit of all neighbours that is theirs. */
static void write_neighbours(struct state *s)
{
	unsigned int i;

	for (i = 0; i < BYTES; i++)
		if (BASE + i < scene->addr || BASE + i >= scene->addr + scene->width)
			s->mem[i] ^= 0x80;
}

static struct answer access_memory(struct state *s, const struct want *want)
{
	u8 *at = s->mem + (want->addr - BASE);
	struct answer answer = { 0 };
	profil_word new = (profil_word)want->new, found;

	assert_true(want->addr % sizeof(found) == 0);
	assert_true(want->addr >= BASE && want->addr + sizeof(found) <= BASE + BYTES);
	if (s->absent[want->addr >= PAGE]) {
		seen.faults++;
		return (struct answer) { .status = -EFAULT };
	}
	swaps += want->swap;
	if (restless && want->swap)
		write_neighbours(s);
	memcpy(&found, at, sizeof(found));
	answer.value = found;
	if (want->swap && found != (profil_word)want->old)
		answer.status = -EAGAIN;
	else if (want->swap)
		memcpy(at, &new, sizeof(new));
	return answer;
}

static struct answer ask(const struct want *want)
{
	if (at_once)
		return access_memory(now, want);
	if (answered < running->n)
		return running->answer[answered++];
	wanted = *want;
	longjmp(waits, 1);
}

int profil_word_load(profil_word *value, const profil_word __user *word)
{
	struct want want = { .addr = (uintptr_t)word };
	struct answer answer = ask(&want);

	*value = (profil_word)answer.value;
	return answer.status;
}

int profil_word_cas(profil_word __user *word, profil_word *old, profil_word new)
{
	struct want want = {
		.swap = true, .addr = (uintptr_t)word, .old = *old, .new = new,
	};
	struct answer answer = ask(&want);

	if (answer.status == -EAGAIN)
		*old = (profil_word)answer.value;
	return answer.status;
}

void pagefault_disable(void)
{
}

void pagefault_enable(void)
{
}

long copy_from_user_nofault(void *to, const void *from, size_t bytes)
{
	(void)to, (void)from, (void)bytes;
	return -EFAULT;
}

long copy_to_user_nofault(void *to, const void *from, size_t bytes)
{
	(void)to, (void)from, (void)bytes;
	return -EFAULT;
}

static u64 value_of(const struct state *s)
{
	u64 value = 0;

	memcpy(&value, s->mem + (scene->addr - BASE), scene->width);
	return value;
}

/* What a tick that is answered with @verdict has done. */
static void end_of_tick(struct state *s, struct cpu *cpu, int verdict, u64 carry)
{
	cpu->n = 0;
	switch (verdict) {
	case PROFIL_COUNT_CARRY:
		seen.late++;
		cpu->carry = carry;
		/* fallthrough */
	case PROFIL_COUNT_STORE:
		s->stored++;
		s->counted++;
		break;
	case PROFIL_COUNT_SATURATED:
	case PROFIL_COUNT_STOP:
		seen.saturated++;
		s->counted++;
		/* All that have begun are enough, or it was too early. */
		if ((u128)scene->start + s->begun <= counter.limit)
			show(s, "at its limit too early");
		if (counter.at_limit == PROFIL_LIMIT_WRAP ||
		    (verdict == PROFIL_COUNT_STOP) != (counter.at_limit == PROFIL_LIMIT_STOP))
			show(s, "the wrong verdict");
		break;
	case -EAGAIN:
		seen.again++;
		break;
	case -EFAULT:
		break;
	default:
		show(s, "no verdict");
	}
}

static void end_of_carry(struct cpu *cpu, int verdict, u64 carry)
{
	cpu->n = 0;
	seen.carries++;
	seen.overflows += verdict == PROFIL_COUNT_SATURATED || verdict == PROFIL_COUNT_STOP;
	cpu->carry = verdict < 0 ? carry : 0;
}

static bool has_more(const struct cpu *cpu)
{
	return cpu->ticks || cpu->carry || cpu->n;
}

/* Runs the CPU up to its next access: false if there is none before its end. */
static bool run(struct state *s, struct cpu *cpu)
{
	u64 carry = cpu->carry;
	int verdict;

	now = s;
	running = cpu;
	answered = 0;
	if (setjmp(waits))
		return true;
	if (cpu->carry) {
		verdict = profil_counter_carry(&counter, &carry);
		end_of_carry(cpu, verdict, carry);
	} else {
		verdict = profil_counter_add(&counter, scene->addr, &carry);
		end_of_tick(s, cpu, verdict, carry);
	}
	return false;
}

/* One access of a CPU, and all it does then without another. */
static void step(struct state *s, struct cpu *cpu)
{
	if (!cpu->carry && !cpu->n) {
		cpu->ticks--;
		s->begun++;
	}
	if (!run(s, cpu))
		show(s, "a tick without an access");
	assert_true(cpu->n < ANSWERS);
	cpu->answer[cpu->n++] = access_memory(s, &wanted);
	run(s, cpu);
}

/* Other CPUs count, all between two accesses of ours. */
static void burst(struct state *s)
{
	struct cpu cpu = { 0 };
	u64 carry = 0;
	int i, verdict;

	s->bursts--;
	now = s;
	at_once = true;
	for (i = 0; i < BURST; i++) {
		s->begun++;
		verdict = profil_counter_add(&counter, scene->addr, &carry);
		end_of_tick(s, &cpu, verdict, carry);
		if (verdict < 0 || cpu.carry)
			show(s, "refused without a reason");
	}
	at_once = false;
}

/* The states that have been visited, by 128 bits of hash. */
static u128 *visited;
static size_t nvisited, room;

static u128 hash(const struct state *s)
{
	static const u128 prime = ((u128)1 << 88) + 0x13b;
	u128 h = ((u128)0x6c62272e07bb0142ULL << 64) + 0x62b821756295c58dULL;
	const u8 *p = (const u8 *)s;
	unsigned int i;
	size_t k;

	for (k = 0; k < offsetof(struct state, cpu); k++)
		h = (h ^ p[k]) * prime;
	for (i = 0; i < scene->cpus; i++) {
		const struct cpu *cpu = &s->cpu[i];

		h = (h ^ cpu->carry ^ (u64)cpu->ticks << 32 ^ (u64)cpu->n << 40) * prime;
		for (k = 0; k < cpu->n; k++) {
			h = (h ^ (u32)cpu->answer[k].status) * prime;
			h = (h ^ cpu->answer[k].value) * prime;
			h ^= h >> 61;
		}
	}
	return h ? h : 1;
}

static void remember(u128 h)
{
	size_t i = (size_t)h & (room - 1);

	while (visited[i])
		i = (i + 1) & (room - 1);
	visited[i] = h;
	nvisited++;
}

static void more_room(void)
{
	u128 *old = visited;
	size_t i, n = room;

	room = room ? 2 * room : 1 << 16;
	nvisited = 0;
	visited = calloc(room, sizeof(*visited));
	assert_non_null(visited);
	for (i = 0; i < n; i++)
		if (old[i])
			remember(old[i]);
	free(old);
}

static bool is_new(const struct state *s)
{
	u128 h = hash(s);
	size_t i;

	if (2 * (nvisited + 1) > room)
		more_room();
	for (i = (size_t)h & (room - 1); visited[i]; i = (i + 1) & (room - 1))
		if (visited[i] == h)
			return false;
	remember(h);
	return true;
}

/* Does each part but the top one end at its largest value at the limit? */
static bool limit_is_even(void)
{
	u64 top = (scene->addr + scene->width - 1) % (WORD_BITS / 8) + 1;
	u64 below = top < scene->width ? 8 * (scene->width - top) : 0;

	return !(~counter.limit & ((1ULL << below) - 1));
}

/* What holds at every moment. */
static void check_now(const struct state *s)
{
	u64 value = value_of(s);
	unsigned int i;

	for (i = 0; i < BYTES; i++)
		if ((BASE + i < scene->addr || BASE + i >= scene->addr + scene->width) &&
		    (s->mem[i] & 0x7f) != i)
			show(s, "a neighbour was written");
	if (counter.at_limit == PROFIL_LIMIT_WRAP || scene->start > counter.limit)
		return;
	if (value > counter.limit && limit_is_even())
		show(s, "above its limit");
	if (value > (u128)scene->start + s->begun)
		show(s, "more than there were ticks");
}

/* What holds when nobody counts any more. */
static void check_end(const struct state *s)
{
	u128 want = (u128)scene->start + s->counted;
	u64 max = U64_MAX >> (64 - 8 * scene->width);

	seen.ends++;
	/* Too far, and then the page went: that is not mended. */
	if (scene->leaves && !limit_is_even() && want > counter.limit &&
	    value_of(s) > counter.limit && value_of(s) <= want)
		return;
	if (counter.at_limit == PROFIL_LIMIT_WRAP)
		want &= max;
	else if (scene->start >= counter.limit)
		want = scene->start;
	else if (want > counter.limit)
		want = counter.limit;
	if (value_of(s) != (u64)want)
		show(s, "not what was counted");
	if ((u128)scene->start + s->stored < want && counter.at_limit != PROFIL_LIMIT_WRAP)
		show(s, "more than was stored");
	if ((s->mem[0] >> 7) != ((scene->pokes - s->pokes) & 1))
		show(s, "a neighbour's own write was lost");
}

/* What there is of a state; most answers have not been given. */
static void copy(struct state *to, const struct state *from)
{
	unsigned int i;

	memcpy(to, from, offsetof(struct state, cpu));
	for (i = 0; i < scene->cpus; i++)
		memcpy(&to->cpu[i], &from->cpu[i], offsetof(struct cpu, answer) +
		       from->cpu[i].n * sizeof(struct answer));
}

static void visit(const struct state *s);

static void visit_cpus(const struct state *s)
{
	unsigned int i;

	for (i = 0; i < scene->cpus; i++) {
		struct state next;

		if (!has_more(&s->cpu[i]))
			continue;
		copy(&next, s);
		step(&next, &next.cpu[i]);
		visit(&next);
	}
}

static void visit_pages(const struct state *s)
{
	unsigned int i;

	for (i = 0; i < 2; i++) {
		struct state next;

		if (!s->absent[i] && !s->leaves)
			continue;
		copy(&next, s);
		next.absent[i] = !s->absent[i];
		next.leaves -= next.absent[i];
		visit(&next);
	}
}

static void visit_neighbours(const struct state *s)
{
	struct state next;

	copy(&next, s);
	next.pokes--;
	write_neighbours(&next);
	visit(&next);
}

static void visit_burst(const struct state *s)
{
	struct state next;

	copy(&next, s);
	burst(&next);
	visit(&next);
}

static void visit(const struct state *s)
{
	bool ended = true;
	unsigned int i;

	if (!is_new(s))
		return;
	seen.states++;
	check_now(s);
	for (i = 0; i < scene->cpus; i++)
		ended = ended && !has_more(&s->cpu[i]);
	if (ended) {
		check_end(s);
		return;
	}
	visit_cpus(s);
	visit_pages(s);
	if (s->pokes)
		visit_neighbours(s);
	if (s->bursts && !s->absent[0] && !s->absent[1])
		visit_burst(s);
}

static void set(struct state *s, const struct scene *new)
{
	unsigned int i;

	scene = new;
	counter = (struct profil_region_compiled) {
		.buf = scene->addr, .width = (u8)scene->width,
		.limit = scene->limit ? scene->limit : U64_MAX >> (64 - 8 * scene->width),
		.at_limit = (u8)scene->at_limit,
	};
	*s = (struct state) {
		.leaves = (u8)new->leaves, .pokes = (u8)new->pokes,
		.bursts = (u8)new->bursts,
	};
	for (i = 0; i < BYTES; i++)
		s->mem[i] = (u8)i;
	memcpy(s->mem + (scene->addr - BASE), &scene->start, scene->width);
	for (i = 0; i < scene->cpus; i++)
		s->cpu[i].ticks = (u8)scene->ticks;
}

static void play(const struct scene *new)
{
	struct state s;

	set(&s, new);
	if (visited)
		memset(visited, 0, room * sizeof(*visited));
	nvisited = 0;
	visit(&s);
}

/* Bits of a counter that are below the first end of a word in it. */
static unsigned int low_bits(u64 addr, unsigned int width)
{
	unsigned int bits = WORD_BITS - addr % (WORD_BITS / 8) * 8;

	return bits < 8 * width ? bits : 8 * width;
}

/* Counters in one word, in two and in three, with a page's end between them. */
static void everywhere(void (*test)(struct scene *scene, unsigned int low))
{
	static const struct place {
		unsigned int width, before;
	} places[] = {
		{ 2, 8 }, { 2, 1 }, { 4, 6 }, { 4, 3 }, { 8, 8 }, { 8, 7 }, { 8, 2 },
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(places); i++) {
		struct scene s = {
			.width = places[i].width, .addr = PAGE - places[i].before,
		};

		test(&s, low_bits(s.addr, s.width));
	}
}

/* Values from which @ticks more get to where something happens. */
static void with_starts(struct scene *s, const u64 *top, size_t n, unsigned int low)
{
	u64 max = low < 64 ? (1ULL << low) - 1 : U64_MAX;
	size_t i;

	for (i = 0; i < n; i++)
		for (u64 less = 0; less < 2; less++) {
			s->start = (low < 64 ? top[i] << low : 0) | (max - less);
			s->start &= U64_MAX >> (64 - 8 * s->width);
			play(s);
		}
}

static void wraps(struct scene *s, unsigned int low)
{
	static const u64 tops[] = { 0, 0x7f, U64_MAX };

	s->at_limit = PROFIL_LIMIT_WRAP;
	s->limit = 0;
	with_starts(s, tops, ARRAY_SIZE(tops), low);
}

static void wrapping(struct scene *s, unsigned int low)
{
	s->cpus = 3, s->ticks = 1;
	wraps(s, low);
	s->cpus = 2, s->ticks = 2;
	wraps(s, low);
}

static void test_counters_that_wrap(void **state)
{
	(void)state;
	everywhere(wrapping);
}

/* Limits at, and next to, where a carry is. */
static void limits(struct scene *s, unsigned int low)
{
	u64 max = U64_MAX >> (64 - 8 * s->width);
	u64 end = low < 64 ? (1ULL << low) - 1 : U64_MAX;
	const u64 at[] = { max, end, end + 1, end + 2, end - 1, (end << 1) + 1 };
	size_t i;

	for (i = 0; i < ARRAY_SIZE(at); i++) {
		s->limit = at[i] & max;
		if (!s->limit)
			continue;
		for (u64 less = 0; less < 2; less++) {
			s->start = s->limit > less ? s->limit - less : 0;
			play(s);
		}
	}
	/* One that was above the limit before is left alone. */
	s->limit = 5;
	s->start = max - 1;
	play(s);
}

static void at_limits(struct scene *s, unsigned int low)
{
	s->at_limit = PROFIL_LIMIT_SATURATE;
	s->cpus = 3, s->ticks = 1;
	limits(s, low);
	s->at_limit = PROFIL_LIMIT_STOP;
	s->cpus = 2, s->ticks = 2;
	limits(s, low);
}

static void test_counters_at_their_limits(void **state)
{
	(void)state;
	everywhere(at_limits);
}

static void losing_pages(struct scene *s, unsigned int low)
{
	s->cpus = 2, s->ticks = 1, s->leaves = 2;
	wraps(s, low);
	s->leaves = 1;
	s->at_limit = PROFIL_LIMIT_SATURATE;
	limits(s, low);
}

static void test_pages_that_go_and_come_back(void **state)
{
	(void)state;
	everywhere(losing_pages);
}

static void with_neighbours(struct scene *s, unsigned int low)
{
	s->cpus = 2, s->ticks = 1, s->pokes = 2;
	wraps(s, low);
}

static void test_neighbours_that_are_written(void **state)
{
	(void)state;
	everywhere(with_neighbours);
}

/* So many ticks during one that more carries are due before its own is done. */
static void in_bursts(struct scene *s, unsigned int low)
{
	u64 end = low < 64 ? (1ULL << low) - 1 : U64_MAX;

	s->cpus = 2, s->ticks = 1, s->bursts = 2;
	wraps(s, low);
	if (low > 8)
		return;
	s->at_limit = PROFIL_LIMIT_SATURATE;
	for (s->limit = 2 * end; s->limit < 2 * end + 4; s->limit++)
		for (s->start = end - 1; s->start <= end + 1; s->start++)
			play(s);
	s->leaves = 1, s->limit = 2 * end + 1, s->start = end;
	play(s);
	s->leaves = 0;
}

static void test_bursts_of_ticks_on_other_cpus(void **state)
{
	(void)state;
	everywhere(in_bursts);
}

/* A word that never is what it was a moment ago. */
static void never_at_rest(struct scene *s, unsigned int low)
{
	struct state state;
	u64 carry = 0;
	int verdict;

	/* The lowest word has no neighbours. */
	if (low == WORD_BITS)
		return;
	for (s->start = 0xfe; s->start <= 0xff; s->start++) {
		set(&state, s);
		now = &state;
		at_once = restless = true;
		swaps = 0;
		verdict = profil_counter_add(&counter, s->addr, &carry);
		at_once = restless = false;
		if (swaps > 2 * PROFIL_CAS_TRIES)
			show(&state, "more tries than there are");
		if (verdict != -EAGAIN || value_of(&state) != s->start)
			show(&state, "not put off");
	}
}

static void test_end_of_the_tries(void **state)
{
	(void)state;
	everywhere(never_at_rest);
}

static void test_all_of_it_has_happened(void **state)
{
	(void)state;
	printf("# %d-bit words: %llu states, %llu ends, %llu carries put off, "
	       "%llu answered later, %llu too many, %llu ticks put off, %llu at the limit\n", WORD_BITS,
	       seen.states, seen.ends, seen.late, seen.carries, seen.overflows,
	       seen.again, seen.saturated);
	assert_true(seen.states && seen.ends && seen.late && seen.carries);
	assert_true(seen.overflows && seen.again && seen.faults && seen.saturated);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_counters_that_wrap),
		cmocka_unit_test(test_counters_at_their_limits),
		cmocka_unit_test(test_pages_that_go_and_come_back),
		cmocka_unit_test(test_neighbours_that_are_written),
		cmocka_unit_test(test_bursts_of_ticks_on_other_cpus),
		cmocka_unit_test(test_end_of_the_tries),
		cmocka_unit_test(test_all_of_it_has_happened),
	};

	return cmocka_run_group_tests_name("counter_order", tests, NULL, NULL);
}
