// SPDX-License-Identifier: LGPL-2.1-or-later
/* Attacks that cannot take the run with them; see attack.h. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "attack.h"
#include "device.h"

#define STDOUT		STDOUT_FILENO
/* Of the tests' own limit of five minutes: a result must be out before that. */
#define MOST_SECONDS	40
/* For what must come, on a machine that has other work. */
#define PATIENCE	60
#define DEATH_SECONDS	10
/* As linux/sched.h has it; in the flags of /proc/PID/stat. */
#define PF_EXITING	0x4

static unsigned int slower(void)
{
	const char *value = getenv("SLOWNESS");
	unsigned int factor = value ? (unsigned int)strtoul(value, NULL, 10) : 1;

	return factor ? factor : 1;
}

void pause_ms(unsigned int ms)
{
	struct timespec left = { .tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000L };

	while (nanosleep(&left, &left) != 0)
		;
}

static time_t now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec;
}

/* From the first call on. */
bool time_left(void)
{
	static time_t end;

	if (!end)
		end = now() + (time_t)(MOST_SECONDS / 2 * slower());
	return now() < end;
}

static bool wait_seconds(bool (*condition)(const void *arg), const void *arg,
			 unsigned int seconds)
{
	time_t end = now() + (time_t)(seconds * slower());

	do {
		if (condition(arg))
			return true;
		pause_ms(20);
	} while (now() < end);
	return condition(arg);
}

bool wait_for(bool (*condition)(const void *arg), const void *arg)
{
	return wait_seconds(condition, arg, PATIENCE);
}

struct attacker {
	pid_t pid;
	int *status;
};

static bool has_ended(const void *arg)
{
	const struct attacker *attacker = arg;

	return waitpid(attacker->pid, attacker->status, WNOHANG) == attacker->pid;
}

static void pass_on(int from)
{
	char text[4096];
	ssize_t n;

	while ((n = read(from, text, sizeof(text))) > 0)
		if (write(STDOUT, text, (size_t)n) != n)
			break;
}

__attribute__((noreturn)) static void give_up(int from, const char *why)
{
	pass_on(from);
	dprintf(STDOUT, "# %s\n", why);
	_exit(1);
}

/* Whoever cannot be killed must not keep our output open: it has a pipe. */
static pid_t start_attacker(void (*attack)(void), int *output)
{
	int ends[2];
	pid_t pid;

	if (pipe2(ends, O_NONBLOCK | O_CLOEXEC) != 0)
		return -1;
	pid = fork();
	if (pid == 0) {
		dup2(ends[1], STDOUT_FILENO);
		dup2(ends[1], STDERR_FILENO);
		attack();
		_exit(0);
	}
	close(ends[1]);
	*output = ends[0];
	return pid;
}

void bounded(void (*attack)(void))
{
	int status = 0, output = -1;
	struct attacker attacker = { .status = &status };

	attacker.pid = start_attacker(attack, &output);
	if (attacker.pid < 0)
		give_up(output, "no process to attack from");
	if (!wait_seconds(has_ended, &attacker, MOST_SECONDS)) {
		kill(attacker.pid, SIGKILL);
		if (!wait_seconds(has_ended, &attacker, DEATH_SECONDS))
			give_up(output, "the attacker survives SIGKILL");
		give_up(output, "the attack did not end before it was killed");
	}
	if (!WIFEXITED(status))
		give_up(output, "the attacker was killed by a signal");
	pass_on(output);
	close(output);
	/* Its own checks held, or it knows why it was skipped. */
	if (WEXITSTATUS(status) != 0)
		_exit(WEXITSTATUS(status));
}

/* The fields after the name, which may hold anything. */
static bool thread_stat(pid_t tid, char *state, unsigned long *flags)
{
	char path[64], text[1024], *end;

	snprintf(path, sizeof(path), "/proc/%d/stat", tid);
	if (read_file(path, text, sizeof(text)) != 0)
		return false;
	end = strrchr(text, ')');
	return end && sscanf(end + 1, " %c %*d %*d %*d %*d %*d %lu", state, flags) == 2;
}

char thread_state(pid_t tid)
{
	unsigned long flags;
	char state;

	return thread_stat(tid, &state, &flags) ? state : 0;
}

bool thread_exits(pid_t tid)
{
	unsigned long flags;
	char state;

	return !thread_stat(tid, &state, &flags) || (flags & PF_EXITING);
}

void *shared_with_children(size_t size)
{
	void *mem = mmap(NULL, size, PROT_READ | PROT_WRITE,
			 MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	if (mem == MAP_FAILED)
		give_up(-1, "no shared memory");
	return mem;
}
