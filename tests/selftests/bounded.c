// SPDX-License-Identifier: LGPL-2.1-or-later
/* Runs attacks so that the test run survives them; see bounded.h. */
#include "setup.h"
#include "bounded.h"

/* Longest attack. The result must be printed within a test's limit of five minutes. */
#define MOST_SECONDS	40
#define SECONDS(n)	((n) * 1000000000ULL * slowness())
/* Longest wait for an event that must come, in seconds, on a busy machine. */
#define PATIENCE	60
#define DEATH_SECONDS	10
/* From linux/sched.h. /proc/PID/stat shows it among the flags. */
#define PF_EXITING	0x4

/* The time begins with the first call. */
bool time_left(void)
{
	static uint64_t end;

	if (!end)
		end = now_ns() + SECONDS(MOST_SECONDS / 2);
	return now_ns() < end;
}

static bool wait_seconds(bool (*condition)(const void *arg), const void *arg, unsigned int seconds)
{
	uint64_t end = now_ns() + SECONDS(seconds);

	do {
		if (condition(arg))
			return true;
		sleep_ms(20);
	} while (now_ns() < end);
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
		if (write(STDOUT_FILENO, text, (size_t)n) != n)
			break;
}

__attribute__((noreturn)) static void give_up(int from, const char *why)
{
	pass_on(from);
	note("%s", why);
	_exit(1);
}

/* An attacker that cannot be killed must not keep our output open: it has a pipe. */
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
