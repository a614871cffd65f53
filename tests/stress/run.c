// SPDX-License-Identifier: LGPL-2.1-or-later
/* See run.h. */
#include <getopt.h>
#include <stdarg.h>

#include "machine.h"
#include "run.h"

/* As many are told in full. */
#define MOST_TOLD	20

struct outcome *outcome;
struct run run;

static char who[64] = "main";
static unsigned int told, failures;

uint64_t chance_next(struct chance *c)
{
	uint64_t z = c->state += 0x9e3779b97f4a7c15U;

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9U;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebU;
	return z ^ (z >> 31);
}

unsigned int chance_of(struct chance *c, unsigned int n)
{
	return (unsigned int)(chance_next(c) >> 33) % n;
}

bool chance_one_in(struct chance *c, unsigned int n)
{
	return chance_of(c, n) == 0;
}

struct chance chance_from(uint64_t seed, uint64_t number)
{
	struct chance c = { .state = seed * 0x9e3779b97f4a7c15U + number };

	chance_next(&c);
	return c;
}

void outcome_init(void)
{
	outcome = mmap(NULL, sizeof(*outcome), PROT_READ | PROT_WRITE,
		       MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (outcome == MAP_FAILED)
		abort();
}

void did_many(unsigned int kind, uint64_t n)
{
	__atomic_fetch_add(&outcome->counts[kind], n, __ATOMIC_RELAXED);
}

void did(unsigned int kind)
{
	did_many(kind, 1);
}

bool did_ever(unsigned int kind)
{
	return __atomic_load_n(&outcome->counts[kind], __ATOMIC_RELAXED) != 0;
}

const char *not_done(const char *const *names)
{
	for (unsigned int i = 0; names[i]; i++)
		if (!did_ever(i) && names[i][0] != '(')
			return names[i];
	return NULL;
}

void outcome_name(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(who, sizeof(who), format, args);
	va_end(args);
}

void broken(const char *format, ...)
{
	char text[512];
	va_list args;

	if (__atomic_fetch_add(&outcome->broken, 1, __ATOMIC_RELAXED) >= MOST_TOLD)
		return;
	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	note("%s: %s", who, text);
}

void tap(bool ok, const char *format, ...)
{
	char text[256];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	failures += !ok;
	dprintf(STDOUT_FILENO, "%sok %u - %s\n", ok ? "" : "not ", ++told, text);
}

int tap_end(void)
{
	dprintf(STDOUT_FILENO, "1..%u\n", told);
	return failures != 0;
}

#define DEATH_SECONDS	60

static struct {
	pid_t pid;
	uint64_t number;
	bool killed;
} running[MOST_PROCESSES];

static void begin(int argc, char **argv)
{
	/* What processes of a run exec. */
	if (argc == 2 && strcmp(argv[1], "--nothing") == 0)
		exit(0);
	outcome_init();
	run.seed = now_ns() % 1000000;
	run.only = ALL_OF_THEM;
}

static void be(uint64_t number)
{
	outcome_name("process %llu of seed %llu", (unsigned long long)number,
		     (unsigned long long)run.seed);
	run.body(number);
	_exit(0);
}

int run_option(int argc, char **argv)
{
	char letters[16];
	int option;

	if (optind == 1)
		begin(argc, argv);
	snprintf(letters, sizeof(letters), "p:s:a:%s", run.letters);
	while ((option = getopt(argc, argv, letters)) != -1) {
		switch (option) {
		case 'p': run.processes = (unsigned int)strtoul(optarg, NULL, 0); break;
		case 's': run.seed = strtoull(optarg, NULL, 0); break;
		case 'a': run.only = strtoull(optarg, NULL, 0); break;
		case '?': goto wrong;
		default: return option;
		}
	}
	if (run.processes < 1 || run.processes > MOST_PROCESSES)
		goto wrong;
	if (run.only != ALL_OF_THEM)
		be(run.only);
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	return -1;
wrong:
	fprintf(stderr, "usage: %s\n1 to %u processes\n", run.usage, MOST_PROCESSES);
	exit(2);
}

static void start(unsigned int i)
{
	static uint64_t next;

	running[i].number = next++;
	running[i].killed = false;
	running[i].pid = fork();
	if (running[i].pid == 0) {
		setpgid(0, 0);
		be(running[i].number);
	}
}

static void ended(unsigned int i, int status)
{
	bool by_kill = WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL;

	if (status != 0 && !(by_kill && running[i].killed))
		broken("process %llu of seed %llu ended with %#x",
		       (unsigned long long)running[i].number, (unsigned long long)run.seed,
		       (unsigned int)status);
	/* What it left behind. */
	kill(-running[i].pid, SIGKILL);
	running[i].pid = 0;
}

/* Also those whose parents have died: they are ours then. False without any. */
static bool reap(void)
{
	int status;
	pid_t pid;

	while ((pid = waitpid(-1, &status, WNOHANG)) > 0)
		for (unsigned int i = 0; i < run.processes; i++)
			if (running[i].pid == pid)
				ended(i, status);
	return pid == 0;
}

void run_go_on(void)
{
	reap();
	for (unsigned int i = 0; i < run.processes; i++)
		if (running[i].pid <= 0)
			start(i);
}

void run_kill_one(struct chance *chance)
{
	unsigned int i = chance_of(chance, run.processes);

	if (running[i].pid <= 0)
		return;
	running[i].killed = true;
	run.kills += kill(chance_of(chance, 2) ? -running[i].pid : running[i].pid, SIGKILL) == 0;
}

static bool run_end_all(void)
{
	uint64_t end = now_ns() + DEATH_SECONDS * 1000000000ULL * slowness();

	for (unsigned int i = 0; i < run.processes; i++) {
		running[i].killed = true;
		if (running[i].pid > 0)
			kill(-running[i].pid, SIGKILL);
	}
	while (now_ns() < end) {
		if (!reap())
			return true;
		sleep_ms(20);
	}
	return false;
}

bool tap_outcome(const char *const *names)
{
	bool ended = run_end_all();
	const char *missing = not_done(names);

	for (unsigned int i = 0; names[i]; i++)
		note("%llu %s", (unsigned long long)outcome->counts[i], names[i]);
	tap(ended, "every process dies when it is killed");
	tap(!missing, "everything was done%s%s", missing ? ", but for " : "",
	    missing ? missing : "");
	tap(outcome->broken == 0, "no rule was broken");
	return ended;
}

void ended_well(pid_t pid, bool killed)
{
	int status;

	while (waitpid(pid, &status, 0) != pid)
		if (errno != EINTR)
			return;
	if (status != 0 && !(killed && WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL))
		broken("a child ended with %#x", (unsigned int)status);
}

/* Kept out of the caller's frame, which vfork() shares. */
__attribute__((noinline)) pid_t vfork_something(bool exec)
{
	static char *const argv[] = { (char *)"stress", (char *)"--nothing", NULL };
	pid_t pid = vfork();

	if (pid == 0) {
		if (exec)
			execve("/proc/self/exe", argv, environ);
		_exit(exec ? 1 : 0);
	}
	return pid;
}
