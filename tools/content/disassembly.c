// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Runs objdump, because the libraries behind it have no stable interface. Each system
 * with a compiler has objdump.
 */
#include "content/disassembly.h"
#include "common/memory.h"

#include <fcntl.h>
#include <inttypes.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

/* Starts objdump with its output in *@out. Returns its pid, or -1. */
static pid_t run(char **arguments, FILE **out)
{
	posix_spawn_file_actions_t actions;
	int ends[2], error;
	pid_t pid;

	if (pipe(ends) < 0)
		return -1;
	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
	posix_spawn_file_actions_addclose(&actions, ends[0]);
	posix_spawn_file_actions_addclose(&actions, ends[1]);
	posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null",
					 O_WRONLY, 0);
	error = posix_spawnp(&pid, arguments[0], &actions, NULL, arguments,
			     environ);
	posix_spawn_file_actions_destroy(&actions);
	close(ends[1]);
	if (error) {
		close(ends[0]);
		return -1;
	}
	*out = fdopen(ends[0], "r");
	return pid;
}

/* "  401136:\tpush   %rbp" is an instruction; other lines are not. */
static void add_line(struct disassembly *disassembly, char *line)
{
	struct instruction instruction;
	int at = 0;

	line[strcspn(line, "\n")] = '\0';
	if (sscanf(line, " %" SCNx64 ":%n", &instruction.address, &at) != 1 ||
	    !at || line[at] != '\t')
		return;
	instruction.text = format_text("%s", line + at + 1);
	ensure(disassembly->lines, disassembly->n, disassembly->room);
	disassembly->lines[disassembly->n++] = instruction;
}

void disassembly_make(struct disassembly *disassembly, const char *file,
		      uint64_t start, uint64_t end)
{
	char *from = format_text("--start-address=0x%" PRIx64, start);
	char *to = format_text("--stop-address=0x%" PRIx64, end);
	char *arguments[] = {
		(char[]){ "objdump" }, (char[]){ "-dC" },
		(char[]){ "--no-show-raw-insn" }, from, to, (char[]){ "--" },
		(char *)(uintptr_t)file, NULL
	};
	char *line = NULL;
	size_t room = 0;
	FILE *out = NULL;
	pid_t pid;

	pid = run(arguments, &out);
	while (out && getline(&line, &room, out) > 0)
		add_line(disassembly, line);
	if (out)
		fclose(out);
	if (pid > 0)
		waitpid(pid, NULL, 0);
	free(line);
	free(from);
	free(to);
}

void disassembly_free(struct disassembly *disassembly)
{
	size_t i;

	for (i = 0; i < disassembly->n; i++)
		free(disassembly->lines[i].text);
	free(disassembly->lines);
	*disassembly = (struct disassembly){ 0 };
}
