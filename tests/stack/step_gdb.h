/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Steps of another machine's program of one thread, which QEMU runs: by GDB's remote protocol.
 * QEMU's process has the program's memory at its own addresses. Signals have GDB's numbers.
 */
#include <sys/socket.h>
#include <sys/un.h>

#define GDB_SIGCHLD	20

static pid_t qemu;
static int gdb;
static char answer[4096];

static void ask(const char *packet)
{
	char sent[64];
	size_t n = 0;
	u8 sum = 0;

	for (const char *c = packet; *c; c++)
		sum += *c;
	/* Behind the acknowledgement of the last answer. */
	snprintf(sent, sizeof(sent), "+$%s#%02x", packet, sum);
	send(gdb, sent, strlen(sent), MSG_NOSIGNAL);
	while (n < 4 || answer[n - 3] != '#') {
		ssize_t got = recv(gdb, answer + n, sizeof(answer) - n, 0);

		/* QEMU has ended. */
		if (got <= 0) {
			answer[1] = 0;
			break;
		}
		n += got;
		/* The acknowledgement of the question. */
		if (answer[0] == '+')
			memmove(answer, answer + 1, --n);
	}
}

/* Bytes are in the order of memory. */
static u64 register_in_answer(int number)
{
	u64 value = 0;

	for (int i = 8; i--; ) {
		const char *at = answer + 1 + 16 * number + 2 * i;
		const char byte[] = { at[0], at[1], 0 };

		value = value << 8 | strtoul(byte, NULL, 16);
	}
	return value;
}

static void get_registers(pid_t tid, struct registers *to)
{
	char stop[sizeof(answer)];

	(void)tid;
	memcpy(stop, answer, sizeof(stop));
	ask("g");
	for (int i = 0; i < 32; i++) {
		u64 reg = profil_machine_reg(i);

		if (reg < PROFIL_REGS)
			to->reg[reg] = register_in_answer(i);
	}
	to->reg[PROFIL_REG_PC] = register_in_answer(32);
	to->number = register_in_answer(NUMBER_REGISTER);
	memcpy(answer, stop, sizeof(stop));
}

static bool is_handled(pid_t tid, int signal)
{
	(void)tid;
	return signal != GDB_SIGCHLD;
}

static void resume(pid_t tid, int signal)
{
	char packet[16] = "s";

	(void)tid;
	if (signal)
		snprintf(packet, sizeof(packet), "vCont;S%02x", signal);
	ask(packet);
}

/* As waitpid() has it. */
static pid_t next_stop(int *status)
{
	if (answer[1] == 'T') {
		*status = strtoul((char []){ answer[2], answer[3], 0 }, NULL, 16) << 8 | 0x7f;
		return qemu;
	}
	/* It ends when that is acknowledged. */
	send(gdb, "+", 1, MSG_NOSIGNAL);
	return waitpid(qemu, status, 0);
}

static pid_t start(char **argv)
{
	struct sockaddr_un name = { .sun_family = AF_UNIX };

	snprintf(name.sun_path, sizeof(name.sun_path), "/tmp/step_test.%d", getpid());
	qemu = fork();
	if (!qemu) {
		setenv("QEMU_GDB", name.sun_path, 1);
		execvp(argv[0], argv);
		_exit(127);
	}
	gdb = socket(AF_UNIX, SOCK_STREAM, 0);
	for (int i = 0; i < 500 && connect(gdb, (struct sockaddr *)&name, sizeof(name)); i++)
		usleep(20000);
	unlink(name.sun_path);
	ask("?");
	return qemu;
}
