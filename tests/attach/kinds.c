// SPDX-License-Identifier: LGPL-2.1-or-later
#include "harness.h"
#include "kinds.h"

#include <elf.h>
#include <linux/futex.h>
#include <poll.h>
#include <pthread.h>
#include <spawn.h>
#include <stdint.h>
#include <sys/epoll.h>
#include <sys/ipc.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/sem.h>
#include <sys/select.h>
#include <sys/socket.h>

#define MS		15
#define THREADS		64
#define BLOCK		200000

struct shared *shared;

static const struct timespec moment = { .tv_nsec = MS * 1000000 };
static __thread int own[2];		/* what begin() has made */
static __thread volatile int handled;
static __thread int acknowledge;	/* a pipe to the sender of signals */
static __thread char *stack;

static void bad(const char *what, int line, int error)
{
	char text[sizeof(shared->error)];

	snprintf(text, sizeof(text), "line %d: %s (%s)", line, what, strerror(error));
	memcpy(shared->error, text, sizeof(text));
	_exit(1);
}

#define MUST(check)	do { if (!(check)) bad(#check, __LINE__, errno); } while (0)
#define MUST_FAIL(call, error)	MUST((call) == -1 && errno == (error))

static int64_t now(void)
{
	struct timespec at;

	clock_gettime(CLOCK_MONOTONIC, &at);
	return at.tv_sec * 1000000000LL + at.tv_nsec;
}

/* A call for something that never comes takes all of its time. */
#define MUST_WAIT(call, result, error) do {				\
	int64_t begun = now();						\
									\
	MUST((call) == (result) && (!(error) || errno == (error)));	\
	MUST(now() - begun >= MS * 1000000LL);				\
} while (0)

/* Integers, floating point and branches. */
static uint64_t sum(double *real)
{
	uint64_t value = 88172645463325252;

	*real = 1;
	for (int i = 0; i < 30000; i++) {
		value ^= value << 13;
		value ^= value >> 7;
		value ^= value << 17;
		*real = value & 1 ? *real * 1.0001 : *real / 1.00005 + (double)(value >> 60);
	}
	return value;
}

static void checksum(void)
{
	static uint64_t expected;
	static double expected_real;
	double real;
	uint64_t value = sum(&real);

	if (!expected) {
		expected_real = real;
		expected = value;
	}
	MUST(value == expected && real == expected_real);
}

static void make_pipe(void)
{
	MUST(pipe2(own, O_CLOEXEC) == 0);
}

static void sleeps(void)
{
	struct timespec left;

	MUST_WAIT(nanosleep(&moment, &left), 0, 0);
}

static void sleeps_until(void)
{
	int64_t until = now() + MS * 1000000;
	struct timespec at = { until / 1000000000, until % 1000000000 };

	MUST(clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &at, NULL) == 0);
	MUST(now() >= until);
}

static void polls(void)
{
	struct pollfd never = { .fd = own[0], .events = POLLIN };

	MUST_WAIT(poll(&never, 1, MS), 0, 0);
}

static void selects(void)
{
	struct timeval time = { .tv_usec = MS * 1000 };
	fd_set set;

	FD_ZERO(&set);
	FD_SET(own[0], &set);
	MUST_WAIT(select(own[0] + 1, &set, NULL, NULL, &time), 0, 0);
}

static void make_epoll(void)
{
	struct epoll_event event = { .events = EPOLLIN };

	make_pipe();
	own[1] = epoll_create1(0);
	MUST(epoll_ctl(own[1], EPOLL_CTL_ADD, own[0], &event) == 0);
}

static void waits_for_events(void)
{
	struct epoll_event event;
	int64_t begun = now();

	MUST(epoll_wait(own[1], &event, 1, MS) == 0);
	/* It counts in whole milliseconds of another clock. */
	MUST(now() - begun >= (MS - 1) * 1000000LL);
}

static void waits_for_word(void)
{
	int word = 0;

	MUST_WAIT(syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, 0, &moment), -1, ETIMEDOUT);
}

static void block(int signal)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, signal);
	MUST(pthread_sigmask(SIG_BLOCK, &set, NULL) == 0);
}

static void block_usr1(void)
{
	block(SIGUSR1);
}

static void waits_for_signal(void)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	MUST_WAIT(sigtimedwait(&set, NULL, &moment), -1, EAGAIN);
}

static void waits_for_semaphore(void)
{
	struct sembuf take = { .sem_op = -1 };
	int id = semget(IPC_PRIVATE, 1, 0600);

	MUST(id >= 0);
	MUST_WAIT(semtimedop(id, &take, 1, &moment), -1, EAGAIN);
	semctl(id, 0, IPC_RMID);
}

static void make_socket(void)
{
	struct timeval time = { .tv_usec = MS * 1000 };

	MUST(socketpair(AF_UNIX, SOCK_STREAM, 0, own) == 0);
	MUST(setsockopt(own[0], SOL_SOCKET, SO_RCVTIMEO, &time, sizeof(time)) == 0);
}

static void receives(void)
{
	char byte;

	MUST_FAIL(recv(own[0], &byte, 1, 0), EAGAIN);
}

/* Another process, which ends with this one. */
static int peer(void)
{
	int pid = fork();

	MUST(pid >= 0);
	if (pid == 0)
		prctl(PR_SET_PDEATHSIG, SIGKILL);
	return pid == 0;
}

static void start_writer(void)
{
	uint32_t number;

	make_pipe();
	if (!peer())
		return;
	for (number = 0; write(own[1], &number, sizeof(number)) > 0; number++)
		usleep(number % 3 * 500);
	_exit(0);
}

static void reads(void)
{
	static __thread uint32_t expected;
	uint32_t number;

	MUST(read(own[0], &number, sizeof(number)) == sizeof(number));
	MUST(number == expected++);
}

static char block_bytes[BLOCK];

/* Checks that nothing is missing, and nothing there twice. */
static void start_reader(void)
{
	static char bytes[BLOCK / 3];
	size_t i, at = 0;
	ssize_t size;

	for (i = 0; i < BLOCK; i++)
		block_bytes[i] = (char)(i % 251);
	make_pipe();
	if (!peer())
		return;
	while ((size = read(own[0], bytes, sizeof(bytes))) > 0) {
		for (i = 0; i < (size_t)size; i++, at = (at + 1) % BLOCK)
			MUST(bytes[i] == block_bytes[at]);
		usleep(300);
	}
	_exit(0);
}

static void writes(void)
{
	MUST(write(own[1], block_bytes, BLOCK) == BLOCK);
	usleep(2000);
}

/* What runs in the kernel, and stops for a signal. */
static void make_file(void)
{
	MUST((own[0] = memfd_create("file", 0)) >= 0);
}

static void allocates(void)
{
	MUST(posix_fallocate(own[0], 0, 32 << 20) == 0);
	MUST(ftruncate(own[0], 0) == 0);
}

static void draws(void)
{
	MUST(getrandom(block_bytes, BLOCK, 0) == BLOCK);
}

static void open_zero(void)
{
	MUST((own[0] = open("/dev/zero", O_RDONLY)) >= 0);
}

static void fills(void)
{
	MUST(read(own[0], block_bytes, BLOCK) == BLOCK);
}

static void handle(int signal)
{
	char byte = 0;
	int error = errno;

	(void)signal;
	handled++;
	MUST(write(acknowledge, &byte, 1) == 1);
	errno = error;
}

/* A process that sends @signal to this thread each time that the last one was handled. */
static void start_sender(int signal, int flags)
{
	struct sigaction action = { .sa_handler = handle, .sa_flags = flags };
	pid_t pid = getpid(), tid = gettid();
	int acknowledged[2];
	char byte;

	make_pipe();
	MUST(pipe2(acknowledged, O_CLOEXEC) == 0);
	acknowledge = acknowledged[1];
	MUST(sigaction(signal, &action, NULL) == 0);
	if (!peer())
		return;
	do {
		usleep(700);
		if (write(own[1], &byte, 1) < 0 || syscall(SYS_tgkill, pid, tid, signal))
			break;
	} while (read(acknowledged[0], &byte, 1) == 1);
	_exit(0);
}

static void start_restarting(void)
{
	start_sender(SIGUSR2, SA_RESTART);
}

/* The handler runs during the call, or before it; the call has its result. */
static void is_restarted(void)
{
	char byte;

	MUST(read(own[0], &byte, 1) == 1);
}

static void start_interrupting(void)
{
	block(SIGURG);
	start_sender(SIGURG, 0);
}

/* EINTR as often as a handler has run. */
static void is_interrupted(void)
{
	struct epoll_event event;
	int before = handled, fd;
	sigset_t none;

	pthread_sigmask(SIG_SETMASK, NULL, &none);
	sigdelset(&none, SIGURG);
	MUST_FAIL(sigsuspend(&none), EINTR);
	MUST(handled == before + 1);
	MUST_FAIL(ppoll(NULL, 0, NULL, &none), EINTR);
	MUST(handled == before + 2);
	fd = epoll_create1(EPOLL_CLOEXEC);
	MUST_FAIL(epoll_pwait(fd, &event, 1, -1, &none), EINTR);
	MUST(handled == before + 3);
	close(fd);
}

static void compute(int signal)
{
	(void)signal;
	checksum();
	handled++;
}

static void make_stack(void)
{
	struct sigaction action = { .sa_handler = compute, .sa_flags = SA_ONSTACK };
	stack_t alternate = { .ss_size = 65536 };

	stack = malloc(alternate.ss_size);
	alternate.ss_sp = stack;
	MUST(sigaltstack(&alternate, NULL) == 0);
	MUST(sigaction(SIGWINCH, &action, NULL) == 0);
}

static void computes_in_handler(void)
{
	int before = handled;

	MUST(pthread_kill(pthread_self(), SIGWINCH) == 0);
	MUST(handled == before + 1);
}

static void ignore_trap(int signal)
{
	(void)signal;
}

static void catch_traps(void)
{
	struct sigaction action = { .sa_handler = ignore_trap };

	MUST(sigaction(SIGTRAP, &action, NULL) == 0);
}

/* With the processor's trap flag, a SIGTRAP follows each instruction. */
static void steps(void)
{
	unsigned long left = 200;

	__asm__ volatile("lea	-128(%%rsp), %%rsp\n"
			 "	pushf\n"
			 "	orl	$0x100, (%%rsp)\n"
			 "	popf\n"
			 "1:	dec	%0\n"
			 "	jnz	1b\n"
			 "	pushf\n"
			 "	andl	$~0x100, (%%rsp)\n"
			 "	popf\n"
			 "	lea	128(%%rsp), %%rsp\n"
			 : "+r" (left) : : "cc", "memory");
	MUST(!left);
}

static void forks(void)
{
	int status, pid = fork();

	MUST(pid >= 0);
	if (pid == 0) {
		checksum();
		_exit(7);
	}
	MUST(waitpid(pid, &status, 0) == pid);
	MUST(WIFEXITED(status) && WEXITSTATUS(status) == 7);
}

static void spawns(void)
{
	char *arguments[] = { (char []){ "true" }, NULL };
	int status, pid;

	MUST(posix_spawn(&pid, "/bin/true", NULL, NULL, arguments, NULL) == 0);
	MUST(waitpid(pid, &status, 0) == pid && status == 0);
}

/* Nothing else may be there: no descriptor, no thread, no child. */
static void is_alone(void)
{
	int fd = dup(0);

	MUST(fd == own[0] || !own[0]);
	own[0] = fd;
	close(fd);
	MUST(unshare(CLONE_VM) == 0);
	MUST_FAIL(waitpid(-1, NULL, WNOHANG | __WALL), ECHILD);
	checksum();
}

static void fill_table(void)
{
	struct rlimit limit = { 16, 16 };

	MUST(setrlimit(RLIMIT_NOFILE, &limit) == 0);
	while (dup(0) >= 0)
		;
}

static void has_full_table(void)
{
	MUST_FAIL(dup(0), EMFILE);
	checksum();
}

/* Room for the stacks of some threads, no more. */
static void limit_space(void)
{
	struct rlimit limit = { 24 << 20, 24 << 20 };

	MUST(setrlimit(RLIMIT_AS, &limit) == 0);
}

static void lock_all(void)
{
	MUST(mlockall(MCL_CURRENT | MCL_FUTURE) == 0);
}

/* Each mapping of this file has 64 objects, as its header says. */
static void map_objects(void)
{
	struct {
		Elf64_Ehdr	header;
		Elf64_Phdr	segment[64];
	} file = { .header = {
		.e_ident = { ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64 },
		.e_phoff = sizeof(file.header), .e_phnum = 64,
		.e_phentsize = sizeof(file.segment[0]),
	} };
	int i;

	for (i = 0; i < 64; i++)
		file.segment[i] = (Elf64_Phdr){ PT_LOAD, PF_X, .p_vaddr = 64UL * i, .p_memsz = 64 };
	make_file();
	MUST(write(own[0], &file, sizeof(file)) == sizeof(file));
	for (i = 0; i < 5000; i++)
		MUST(mmap(NULL, 4096, PROT_EXEC, MAP_PRIVATE, own[0], 0) != MAP_FAILED);
}

#define ROW(name, begin, round, alone, tender)	{ begin, round, alone, tender },
const struct kind kinds[NKINDS] = { KINDS(ROW) };

static void *run(void *number)
{
	const struct kind *kind = &kinds[(intptr_t)number];

	if (kind->begin)
		kind->begin();
	while (!__atomic_load_n(&shared->stop, __ATOMIC_RELAXED)) {
		kind->round();
		__atomic_add_fetch(&shared->rounds[(intptr_t)number], 1, __ATOMIC_RELAXED);
	}
	return NULL;
}

void kinds_run(int kind)
{
	pthread_t threads[THREADS];
	int i, n = 0;

	if (kind >= 0) {
		run((void *)(intptr_t)kind);
		return;
	}
	/*
	 * fork(3) blocks it for a moment. If a child ends then, the kernel wakes another
	 * thread for it, which sees EINTR, also without profil.
	 */
	block(SIGCHLD);
	for (i = 0; n < THREADS; i = (i + 1) % NKINDS)
		if (!kinds[i].alone)
			MUST(pthread_create(&threads[n++], NULL, run, (void *)(intptr_t)i) == 0);
	for (i = 0; i < n; i++)
		pthread_join(threads[i], NULL);
}
