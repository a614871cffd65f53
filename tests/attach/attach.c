// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Attaches to programs of all kinds, again and again, and kills what attaches at any
 * moment. Each program checks all that it does, and says at its end whether it was right.
 *
 * Environment: ROUNDS and KILLS, how often for each kind; PROFIL, the command, which
 * needs the module: without it only the system calls of other processes are tested; LOUD,
 * to show what is said.
 */
#include "harness.h"
#include "kinds.h"

#include <libprofil/profile_format.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/file.h>
#include <sys/mount.h>
#include <sys/ptrace.h>

#define ALL		(-1)
#define OUTPUT		"profil.out"

static int number_of(const char *name, int standard)
{
	const char *value = getenv(name);

	return value ? atoi(value) : standard;
}

static int rounds(void) { return number_of("ROUNDS", 1); }
static int kills(void) { return number_of("KILLS", 4); }

static const char *beside(const char *name)
{
	static char path[4096];
	ssize_t n = readlink("/proc/self/exe", path, sizeof(path) - 64);
	char *slash;

	CHECK(n > 0);
	path[n] = '\0';
	slash = strrchr(path, '/');
	strcpy(slash + 1, name);
	return path;
}

static const char *command(void)
{
	const char *name = getenv("PROFIL");

	if (!name || access("/dev/profil", R_OK | W_OK) < 0)
		SKIP("no module");
	return name;
}

/* --- Programs ------------------------------------------------------------------------ */

static long progress(int kind)
{
	long sum = 0;

	for (int i = 0; i < NKINDS; i++)
		if (kind == ALL || kind == i)
			sum += __atomic_load_n(&shared->rounds[i], __ATOMIC_RELAXED);
	return sum;
}

static void wait_for_progress(int kind, int pid)
{
	long before = progress(kind);
	int i, status;

	for (i = 0; i < 60000 && progress(kind) == before; i++) {
		if (waitpid(pid, &status, WNOHANG) == pid)
			FAIL("the program has ended, status %#x: %s",
			     (unsigned int)status, shared->error);
		usleep(1000);
	}
	CHECK_GT(progress(kind), before);
}

/* A program that has done @become, and ends without other calls, which a filter may forbid. */
static int start_special(void (*become)(void), int kind)
{
	int pid;

	shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE,
		      MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	CHECK(shared != MAP_FAILED);
	pid = FORK();
	if (pid == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		if (become)
			become();
		kinds_run(kind);
		syscall(SYS_exit, 0);
	}
	wait_for_progress(kind, pid);
	return pid;
}

static int start_program(int kind)
{
	return start_special(NULL, kind);
}

/* It went on until now, all was right, and nothing of ours is left in it. */
static void end_program(int kind, int pid)
{
	int status;

	wait_for_progress(kind, pid);
	shared->stop = 1;
	CHECK_EQ(waitpid(pid, &status, 0), pid);
	if (status)
		FAIL("status %#x: %s", (unsigned int)status, shared->error);
}

/* --- What attaches ------------------------------------------------------------------- */

static uid_t user;	/* who runs commands */

/* Runs words, in a group of its own. What it says goes to @output, or nowhere. */
__attribute__((format(printf, 2, 3)))
static int start(int output, const char *format, ...)
{
	char line[4096], *word[16], *at = line;
	int pid = FORK(), null, n = 0;
	va_list list;

	if (pid)
		return pid;
	va_start(list, format);
	vsnprintf(line, sizeof(line), format, list);
	va_end(list);
	while (n < 16 && (word[n] = strsep(&at, " ")))
		n++;
	setpgid(0, 0);
	CHECK_CALL(setresuid(user, user, user));
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	null = open("/dev/null", O_RDWR);
	if (output >= 0 || !getenv("LOUD"))
		dup2(output >= 0 ? output : null, STDERR_FILENO);
	dup2(null, STDOUT_FILENO);
	execv(word[0], word);
	_exit(127);
}

static int start_borrow(int pid, int times)
{
	return start(-1, "%s %d %d", beside("borrow"), pid, times);
}

static int start_profil(int pid, const char *options, int output)
{
	return start(output, "%s -p %d -q --no-names -o " OUTPUT "%s", command(), pid, options);
}

static int status_of(int pid)
{
	int status;

	CHECK_EQ(waitpid(pid, &status, 0), pid);
	CHECK(WIFEXITED(status));
	return WEXITSTATUS(status);
}

/* At a moment that differs each time, in microseconds up to @most. */
static void kill_after(int pid, int most)
{
	int status;

	setpgid(pid, pid);
	usleep((unsigned int)(random() % most));
	kill(-pid, SIGKILL);
	CHECK_EQ(waitpid(pid, &status, 0), pid);
}

/* How long a session takes here, about. */
static int session_us(int pid)
{
	struct timespec from, to;

	clock_gettime(CLOCK_MONOTONIC, &from);
	status_of(start_borrow(pid, 3));
	clock_gettime(CLOCK_MONOTONIC, &to);
	return (int)((to.tv_sec - from.tv_sec) * 1000000 + (to.tv_nsec - from.tv_nsec) / 1000);
}

/* Where the process maps a file of profil, or 0. */
static unsigned long profile_at(int pid)
{
	char path[64], line[4096];
	unsigned long found = 0;
	FILE *maps;

	snprintf(path, sizeof(path), "/proc/%d/maps", pid);
	maps = fopen(path, "r");
	CHECK(maps);
	while (!found && fgets(line, sizeof(line), maps))
		if (strstr(line, OUTPUT) || strstr(line, "/dev/profil"))
			found = strtoul(line, NULL, 16);
	fclose(maps);
	return found;
}

/* A full address space, or a write that never leaves a gap, may be refused. */
static int may_refuse(int kind)
{
	return kind == KIND_write || kind == KIND_limited;
}

/*
 * What borrow(1) is killed at between two of its own system calls, these programs can
 * notice: EINTR where the kernel restarts nothing, or a thread for a moment. profil does
 * this work in a process that is not killed with it.
 */
static int is_tender(int kind)
{
	return kind == ALL || kinds[kind].tender;
}

static void borrow(int kind)
{
	int i, status, most, pid = start_program(kind);

	for (i = 0; i < rounds(); i++) {
		status = status_of(start_borrow(pid, 10));
		if (status && (status != 1 || !may_refuse(kind)))
			FAIL("status %d: %s", status, shared->error);
	}
	most = session_us(pid);
	for (i = 0; i < kills() && !is_tender(kind); i++)
		kill_after(start_borrow(pid, 1000000), most);
	end_program(kind, pid);
}

/* Profiles, is killed while it profiles, and profiles again. */
static void attach(int kind)
{
	char path[64];
	int i, status, pid, fd;

	command();
	pid = start_program(kind);
	for (i = 0; i < rounds() / 8 + 1; i++) {
		status = status_of(start_profil(pid, " -d 0.2", -1));
		CHECK(status == 0 || (status == 125 && may_refuse(kind)));
		CHECK(!profile_at(pid));
	}
	for (i = 0; i < kills() / 10 + 1; i++)
		kill_after(start_profil(pid, "", -1), 300000);
	/* The process that is not killed with it has the lock for as long as it needs. */
	snprintf(path, sizeof(path), "/proc/%d", pid);
	fd = CHECK_CALL(open(path, O_RDONLY));
	CHECK_CALL(flock(fd, LOCK_EX));
	close(fd);
	status = status_of(start_profil(pid, " -d 0.2", -1));
	CHECK(status == 0 || (status == 125 && may_refuse(kind)));
	CHECK(!profile_at(pid) || may_refuse(kind));
	end_program(kind, pid);
}

#define BORROWED(name, ...)	CASE(borrowed_##name##_is_right, borrow(KIND_##name))
#define PROFILED(name)	CASE(profiled_##name##_is_right, attach(KIND_##name))

KINDS(BORROWED)
CASE(borrowed_threads_is_right, borrow(ALL))
PROFILED(checksum)
PROFILED(epoll)
PROFILED(fork)
PROFILED(full)
PROFILED(limited)
PROFILED(locked)
PROFILED(objects)
CASE(profiled_threads_is_right, attach(ALL))

/* --- Other states of a process ------------------------------------------------------- */

/* The status of a command that fails, and has said these words. */
static int failure_of(int pid, int output, const char *words)
{
	int status = status_of(pid);
	char text[1024] = "";

	CHECK_GE(pread(output, text, sizeof(text) - 1, 0), 0);
	if (!status || !strstr(text, words))
		FAIL("status %d, said: %s", status, text);
	close(output);
	return status;
}

/* By borrow, that user @by runs. */
static void must_refuse(int pid, uid_t by, const char *words)
{
	int output = memfd_create("output", 0);

	user = by;
	failure_of(start(output, "%s %d", beside("borrow"), pid), output, words);
	user = 0;
}

#define NOBODY	65534

static void become_nobody(void)
{
	CHECK_CALL(setresuid(NOBODY, NOBODY, NOBODY));
	/* Which that has changed. */
	prctl(PR_SET_DUMPABLE, 1);
}

static void become_protected(void)
{
	CHECK_CALL(setresuid(NOBODY, NOBODY, NOBODY));
	prctl(PR_SET_DUMPABLE, 0);
}

/* Kills a thread for all that a session does. */
static void become_filtered(void)
{
	static struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_clone, 4, 0),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_close_range, 3, 0),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_mmap, 2, 0),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_socket, 1, 0),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
	};
	struct sock_fprog program = { sizeof(code) / sizeof(code[0]), code };

	CHECK_CALL(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0));
	CHECK_CALL(prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program));
}

static void become_filtered_nobody(void)
{
	become_nobody();
	become_filtered();
}

static void become_strict(void)
{
	CHECK_CALL(prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT));
}

static void become_preloaded(void)
{
	int fd = CHECK_CALL(open("/tmp/libprofil-preload.so", O_RDWR | O_CREAT, 0600));

	CHECK_CALL(write(fd, "", 1));
	CHECK(mmap(NULL, 1, PROT_READ, MAP_PRIVATE, fd, 0) != MAP_FAILED);
}

static void become_traced(void)
{
	CHECK_CALL(ptrace(PTRACE_TRACEME, 0, NULL, NULL));
}

static void refused(void (*become)(void), uid_t by, const char *words)
{
	int pid = start_special(become, KIND_checksum);

	must_refuse(pid, by, words);
	end_program(KIND_checksum, pid);
}

CASE(strict_seccomp_is_refused, refused(become_strict, 0, "strict mode"))
CASE(filter_is_refused_to_users, refused(become_filtered_nobody, NOBODY, "has a seccomp filter"))
CASE(other_users_process_is_refused, refused(become_nobody, 1, "another user"))
CASE(protected_process_is_refused, refused(become_protected, NOBODY, "protects its memory"))
CASE(traced_process_is_refused, refused(become_traced, 0, "is traced by process"))
CASE(preloaded_process_is_refused, refused(become_preloaded, 0, "already profiled"))

/* As root: the filter rests meanwhile. */
TEST(filtered_process_is_right)
{
	int i, pid = start_special(become_filtered, KIND_checksum);

	for (i = 0; i < rounds(); i++)
		CHECK_EQ(status_of(start_borrow(pid, 10)), 0);
	end_program(KIND_checksum, pid);
}

TEST(processes_without_a_program_are_refused)
{
	int pid = FORK();

	if (pid == 0)
		_exit(0);
	CHECK_CALL(waitid(P_PID, (id_t)pid, NULL, WEXITED | WNOWAIT));
	must_refuse(pid, 0, "has ended");
	must_refuse(2, 0, "thread of the kernel");
	must_refuse(99999999, 0, "no process");
}

static char state_of(int pid)
{
	char path[64], text[512];
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/stat", pid);
	fd = CHECK_CALL(open(path, O_RDONLY));
	text[CHECK_CALL(read(fd, text, sizeof(text) - 1))] = '\0';
	close(fd);
	return strrchr(text, ')')[2];
}

static void stays_stopped(int kind)
{
	int i, k, status, pid = start_program(kind);
	long before;

	CHECK_CALL(kill(pid, SIGSTOP));
	CHECK_EQ(waitpid(pid, &status, WUNTRACED), pid);
	before = progress(kind);
	for (i = 0; i < rounds(); i++) {
		CHECK_EQ(status_of(start_borrow(pid, 5)), 0);
		/* The kernel stops it again, and needs a moment. */
		for (k = 0; k < 1000 && state_of(pid) != 'T'; k++)
			usleep(1000);
		CHECK_EQ(state_of(pid), 'T');
	}
	CHECK_EQ(progress(kind), before);
	CHECK_CALL(kill(pid, SIGCONT));
	end_program(kind, pid);
}

CASE(process_stopped_in_poll_stays_stopped, stays_stopped(KIND_poll))
CASE(process_stopped_in_futex_stays_stopped, stays_stopped(KIND_futex))
CASE(process_stopped_anywhere_stays_stopped, stays_stopped(KIND_checksum))

/* A SIGSTOP may meet our thread: it stops the process, and ends no session. */
TEST(process_stopped_and_continued_all_the_time_is_right)
{
	int kind = KIND_checksum, pid = start_program(kind), sender = FORK(), status;

	while (sender == 0)
		if (kill(pid, SIGSTOP) || kill(pid, SIGCONT))
			_exit(0);
	CHECK_EQ(status_of(start_borrow(pid, 60 * rounds())), 0);
	CHECK_CALL(kill(sender, SIGKILL));
	CHECK_EQ(waitpid(sender, &status, 0), sender);
	CHECK_CALL(kill(pid, SIGCONT));
	end_program(kind, pid);
}

/* Executes itself so many times. */
static int execute(long times)
{
	char text[24];

	if (!times)
		return 0;
	snprintf(text, sizeof(text), "%ld", times - 1);
	execl("/proc/self/exe", "attach", "--role", "again", text, (char *)NULL);
	return 1;
}

ROLE(again)
{
	return execute(atol(argv[argc - 1]));
}

/* Whatever the session meets: the old program, the new one, or what is between. */
TEST(process_that_executes_programs_is_right)
{
	int status, done, pid = FORK();

	if (pid == 0)
		_exit(execute(100L * rounds()));
	do
		status_of(start_borrow(pid, 100));
	while ((done = waitpid(pid, &status, WNOHANG)) == 0);
	CHECK_EQ(done, pid);
	CHECK_EQ(status, 0);
}

TEST(second_profil_is_refused)
{
	int first, pid, output = memfd_create("output", 0);

	command();
	pid = start_program(KIND_checksum);
	first = start_profil(pid, "", -1);
	while (!profile_at(pid))
		usleep(10000);
	CHECK_EQ(failure_of(start_profil(pid, " -d 1", output), output,
			    "already profiled by another profil -p"), 125);
	CHECK_CALL(kill(first, SIGINT));
	CHECK_EQ(status_of(first), 0);
	CHECK(!profile_at(pid));
	end_program(KIND_checksum, pid);
}

/* --- Profiles ------------------------------------------------------------------------ */

/* With names, without -q. */
static void profile(int pid, const char *seconds)
{
	CHECK_EQ(status_of(start(-1, "%s -d %s -o " OUTPUT " -p %d", command(), seconds, pid)), 0);
}

/* The samples of a function in the last profile, in percent. */
static double share_of(const char *function)
{
	char line[1024], name[256];
	double share, found = 0;
	FILE *report;

	snprintf(line, sizeof(line), "%s report %s 2>/dev/null", command(), OUTPUT);
	report = popen(line, "r");
	CHECK(report);
	while (fgets(line, sizeof(line), report))
		if (sscanf(line, " %lf%% %*s %*s %*s %255s", &share, name) == 2 &&
		    !strcmp(name, function))
			found += share;
	pclose(report);
	return found;
}

/* As the process itself may: writes to the header in its mapping. */
static void spoil(int pid, uint64_t used, uint64_t capacity)
{
	off_t at = (off_t)(profile_at(pid) + offsetof(struct profile_header, log_capacity));
	uint64_t log[] = { capacity, used };	/* which are side by side */
	char path[64];
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/mem", pid);
	fd = CHECK_CALL(open(path, O_RDWR));
	CHECK_EQ(pwrite(fd, log, 16, at), 16);
	close(fd);
}

/* Which loads its library when that is said. */
static int start_late(int output)
{
	char link[64], path[4096] = "";
	int pid;

	command();
	unlink("go");
	pid = start(output, "%s go", beside("late"));
	snprintf(link, sizeof(link), "/proc/%d/exe", pid);
	while (strcmp(path, beside("late")))
		path[CHECK_CALL(readlink(link, path, sizeof(path) - 1))] = '\0';
	return pid;
}

static void say_go(void)
{
	close(open("go", O_CREAT | O_WRONLY, 0600));
}

/* profil can enter the program only when that has written all. */
TEST(libraries_loaded_later_have_names_and_whole_stacks)
{
	char all[100000];
	int ends[2], said[2], pid, first;
	size_t n = 0;

	CHECK_CALL(pipe(ends));
	CHECK_CALL(pipe(said));
	pid = start_late(ends[1]);
	first = start_profil(pid, " -d 15", said[1]);
	while (!profile_at(pid))
		usleep(10000);
	/* A twelfth of what 15 s can have. */
	while (system("$PROFIL report " OUTPUT " 2>/dev/null | "
		      "awk '/ samples, / { n = $1 } END { exit n < 1200 }'"))
		usleep(100000);
	say_go();
	CHECK_GT(read(said[0], all, sizeof(all)), 0);
	while (n < sizeof(all))
		n += (size_t)CHECK_CALL(read(ends[0], all, sizeof(all) - n));
	CHECK_EQ(status_of(first), 0);
	CHECK_GT(share_of("work_of_program"), 5);
	CHECK_GT(share_of("work_of_library"), 50);
	CHECK(!profile_at(pid));
	CHECK_EQ(system("$PROFIL report " OUTPUT " | awk '/with all callers/ "
			"{ known = $1 > $9 } END { exit !known }'"), 0);
	CHECK_CALL(kill(pid, SIGKILL));
}

/*
 * A process can write to its mapping, and may cut the file: profil goes on, and believes
 * nothing that is there.
 */
static void meets_hostile(uint64_t used, uint64_t capacity, bool cut)
{
	int pid = start_late(-1), first = start_profil(pid, " -d 3", -1);

	while (!profile_at(pid))
		usleep(10000);
	usleep(500000);
	if (cut)
		CHECK_EQ(system("truncate -s 4096 " OUTPUT "/late.*"), 0);
	else
		spoil(pid, used, capacity);
	say_go();
	CHECK_EQ(status_of(first), 0);
	if (!cut)
		CHECK_GT(share_of("work_of_library"), 5);
	CHECK_CALL(kill(pid, SIGKILL));
}

CASE(log_that_ends_before_the_file_is_ignored, meets_hostile(-(1UL << 20), ~0UL, false))
CASE(log_that_ends_far_behind_the_file_is_ignored, meets_hostile(1UL << 40, ~0UL, false))
CASE(cut_file_does_not_end_profil, meets_hostile(0, 0, true))

/* Its own memory: nobody waits for it. Its filter forbids more than those of containers. */
ROLE(jailed)
{
	static struct shared own;

	become_filtered();
	close(open("/ready", O_CREAT | O_WRONLY, 0600));
	shared = &own;
	kinds_run(KIND_checksum);
	return 0;
}

/* A process with all namespaces, and a root directory without /dev/profil. */
static void enter_jail(void)
{
	char line[4200];

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	CHECK_CALL(mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL));
	CHECK_CALL(mount("jail", "/mnt", "tmpfs", 0, NULL));
	snprintf(line, sizeof(line), "cp %s /mnt && mkdir -m 1777 /mnt/tmp && "
		 "echo 1000 10 generated >/mnt/tmp/perf-1.map", beside("attach"));
	CHECK_EQ(system(line), 0);
	CHECK_CALL(chroot("/mnt"));
	CHECK_CALL(chdir("/"));
	execl("/attach", "/attach", "--role", "jailed", (char *)NULL);
	_exit(1);
}

TEST(process_in_a_container_is_profiled)
{
	char path[128];
	int pid, own = CHECK_CALL(open("/proc/self/ns/pid", O_RDONLY));
	int clock = CHECK_CALL(open("/proc/self/ns/time", O_RDONLY)), offsets;

	command();
	CHECK_CALL(unshare(CLONE_NEWPID | CLONE_NEWTIME));
	offsets = CHECK_CALL(open("/proc/self/timens_offsets", O_WRONLY | O_CLOEXEC));
	CHECK_GT(dprintf(offsets, "monotonic 9999 0"), 0);
	pid = FORK();
	if (pid == 0) {
		CHECK_CALL(unshare(CLONE_NEWNS | CLONE_NEWNET | CLONE_NEWIPC | CLONE_NEWUTS));
		enter_jail();
	}
	snprintf(path, sizeof(path), "/proc/%d/root/ready", pid);
	while (access(path, F_OK) < 0)
		usleep(10000);
	/* profil itself is not to be in the new namespace. */
	CHECK_CALL(setns(own, 0));
	CHECK_CALL(setns(clock, 0));
	profile(pid, "1");
	CHECK_GT(share_of("sum"), 50);
	CHECK_EQ(system("$PROFIL report --to=999 " OUTPUT), 0);
	snprintf(path, sizeof(path), "cd " OUTPUT " && test -r perf-%d.map && "
		 "test $(od -An -tu4 -j144 -N4 *.%d) = 2", pid, pid);
	CHECK_EQ(system(path), 0);
	CHECK_EQ(waitpid(pid, NULL, WNOHANG), 0);
	CHECK_CALL(kill(pid, SIGKILL));
}
