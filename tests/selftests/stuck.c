// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Processes whose mmap lock nobody can take: a thread that maps a file of a
 * FUSE server which does not answer sleeps with it, and cannot be killed. What
 * their profiles wait for must hold up nobody else, nor their own threads.
 */
#include <fcntl.h>
#include <linux/fuse.h>
#include <pthread.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#include "harness.h"
#include "attack.h"
#include "device.h"
#include "hook.h"
#include "stream.h"
#include "work.h"

#define PAGE		4096UL
#define DIRECTORY	"/tmp/selftest.fuse"
#define FILE_NAME	DIRECTORY "/file"
#define FILE_INODE	2

/* --- a server that reads requests, and never answers a read ----------------- */

struct reply {
	struct fuse_out_header header;
	union {
		struct fuse_init_out init;
		struct fuse_entry_out entry;
		struct fuse_attr_out attr;
		struct fuse_open_out open;
	} u;
};

static struct {
	int fd;
	pid_t pid;
	/* A read of the file has come: its page stays locked. */
	volatile bool *reading;
} server = { .fd = -1 };

static struct fuse_attr attributes(uint64_t inode)
{
	return (struct fuse_attr) {
		.ino = inode,
		.size = PAGE,
		.blocks = PAGE / 512,
		.mode = inode == FILE_INODE ? S_IFREG | 0666 : S_IFDIR | 0777,
		.nlink = 1,
		.blksize = PAGE,
	};
}

/* The bytes of the reply to a request, after its header; -1: none is given. */
static int answer(const struct fuse_in_header *in, const void *arg, struct reply *reply)
{
	const struct fuse_init_in *init = arg;
	const struct fuse_open_in *open_in = arg;

	switch (in->opcode) {
	case FUSE_INIT:
		reply->u.init = (struct fuse_init_out) {
			.major = FUSE_KERNEL_VERSION,
			.minor = init->minor < FUSE_KERNEL_MINOR_VERSION ?
				 init->minor : FUSE_KERNEL_MINOR_VERSION,
			.max_write = PAGE,
		};
		return sizeof(reply->u.init);
	case FUSE_LOOKUP:
		reply->u.entry = (struct fuse_entry_out) {
			.nodeid = FILE_INODE,
			.entry_valid = 1000,
			.attr_valid = 1000,
			.attr = attributes(FILE_INODE),
		};
		return sizeof(reply->u.entry);
	case FUSE_GETATTR:
		reply->u.attr = (struct fuse_attr_out) {
			.attr_valid = 1000,
			.attr = attributes(in->nodeid),
		};
		return sizeof(reply->u.attr);
	case FUSE_OPEN:
		/* Who opens it for both may go past the page cache, but not yet. */
		reply->u.open.open_flags = FOPEN_KEEP_CACHE;
		if ((open_in->flags & O_ACCMODE) == O_RDWR)
			reply->u.open.open_flags |= FOPEN_DIRECT_IO;
		return sizeof(reply->u.open);
	case FUSE_READ:
		*server.reading = true;
		return -1;
	case FUSE_FORGET:
	case FUSE_BATCH_FORGET:
	case FUSE_INTERRUPT:
		return -1;
	case FUSE_FLUSH:
	case FUSE_RELEASE:
		return 0;
	default:
		reply->header.error = -ENOSYS;
		return 0;
	}
}

__attribute__((noreturn)) static void serve(void)
{
	static union {
		struct fuse_in_header header;
		char bytes[FUSE_MIN_READ_BUFFER + PAGE];
	} request;

	for (;;) {
		ssize_t n = read(server.fd, &request, sizeof(request));
		struct reply reply = { .header.unique = request.header.unique };
		int bytes;

		if (n < 0 && errno != EINTR && errno != EAGAIN && errno != ENOENT)
			_exit(0);
		if (n < (ssize_t)sizeof(request.header))
			continue;
		bytes = answer(&request.header, request.bytes + sizeof(request.header),
			       &reply);
		if (bytes < 0)
			continue;
		reply.header.len = (uint32_t)(sizeof(reply.header) + (size_t)bytes);
		if (write(server.fd, &reply, reply.header.len) < 0 && errno == ENODEV)
			_exit(0);
	}
}

static bool is_true(const void *arg)
{
	return *(const volatile bool *)arg;
}

/* After that, who maps the file for direct I/O sleeps, with the mmap lock. */
static void start_server(void)
{
	char options[128];

	NEEDS_ROOT();
	server.reading = shared_with_children(sizeof(*server.reading));
	server.fd = open("/dev/fuse", O_RDWR | O_CLOEXEC);
	if (server.fd < 0)
		SKIP("no FUSE");
	mkdir(DIRECTORY, 0755);
	snprintf(options, sizeof(options),
		 "fd=%d,rootmode=40000,user_id=0,group_id=0,allow_other", server.fd);
	CHECK_CALL(mount("selftest", DIRECTORY, "fuse", MS_NOSUID | MS_NODEV, options));
	server.pid = FORK();
	if (server.pid == 0)
		serve();
	if (FORK() == 0) {
		char byte;
		int fd = CHECK_CALL(open(FILE_NAME, O_RDONLY));

		close(server.fd);
		/* Until the server is no more. */
		_exit(read(fd, &byte, 1) == 1);
	}
	CHECK(wait_for(is_true, (const void *)server.reading));
}

/* Every request fails, and all who waited go on. */
static void end_server(void)
{
	umount2(DIRECTORY, MNT_FORCE | MNT_DETACH);
	kill(server.pid, SIGKILL);
	close(server.fd);
	rmdir(DIRECTORY);
}

/* --- its victims ------------------------------------------------------------- */

struct victim {
	volatile pid_t mapper, stopper;
	volatile bool maps, goes_on, released;
	volatile uint64_t rounds;
};

static struct victim *victim;

static bool mapper_sleeps(const void *arg)
{
	const struct victim *v = arg;

	return v->maps && thread_state(v->mapper) == 'D';
}

static void *map_file(void *arg)
{
	int fd = CHECK_CALL(open(FILE_NAME, O_RDWR));

	(void)arg;
	victim->mapper = (pid_t)syscall(SYS_gettid);
	victim->maps = true;
	mmap(NULL, PAGE, PROT_READ, MAP_PRIVATE, fd, 0);
	return NULL;
}

/* A profile that counts in @buf what is in text b ... */
static void start_victim(struct victim *me, void *buf)
{
	close(server.fd);
	victim = me;
	CHECK_EQ(start_region(one_counter(buf, 4, 4, text_b()), PROFIL_RATE_TICK), 0);
}

/* ... and a thread that takes the mmap lock, and sleeps. */
static void take_mmap_lock(struct victim *me)
{
	pthread_t thread;

	CHECK_EQ(pthread_create(&thread, NULL, map_file, NULL), 0);
	CHECK(wait_for(mapper_sleeps, me));
}

/* A process with an update that waits for its mmap lock, which nobody gives. */
static void become_victim(struct victim *me)
{
	void *buf = mmap(NULL, PAGE, PROT_READ | PROT_WRITE,
			 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	start_victim(me, buf);
	/* Nothing else may be absent by then: all but the buffer is written to. */
	CHECK_CALL(mlockall(MCL_CURRENT));
	CHECK_EQ(page()->mode, PROFIL_MODE_HISTOGRAM);
	CHECK_CALL(munlock(buf, PAGE));
	CHECK_CALL(madvise(buf, PAGE, MADV_DONTNEED));
	take_mmap_lock(me);
	while (page()->ticks - page()->outside < 2)
		hot_b(10000);
	me->goes_on = true;
}

/* One with nothing that waits, but a child that has taken its run over. */
static void become_victim_that_has_forked(struct victim *me)
{
	static uint32_t counter;
	pid_t pid;

	start_victim(me, &counter);
	pid = FORK();
	if (pid == 0)
		_exit(page()->state != PROFIL_STATE_ON);
	wait_ok(pid);
	CHECK_CALL(mlockall(MCL_CURRENT));
	take_mmap_lock(me);
	CHECK_EQ(page()->deferred, 0);
}

static void work_as_victim(struct victim *me)
{
	become_victim(me);
	for (;;) {
		hot_b(10000);
		me->rounds++;
	}
}

static bool works_on(const void *arg)
{
	const struct victim *v = arg;

	return v->rounds > 100;
}

TEST(thread_whose_update_waits_for_an_mmap_lock_that_nobody_gives_goes_on)
{
	struct victim *v = shared_with_children(sizeof(*v));

	start_server();
	if (FORK() == 0)
		work_as_victim(v);
	CHECK(wait_for(works_on, v));
	CHECK_EQ(thread_state(v->mapper), 'D');
	end_server();
}

#define VICTIMS	264

struct victims {
	struct victim each[VICTIMS];
};

static int victims_that_go_on(const struct victims *v)
{
	int n = 0;

	for (int i = 0; i < VICTIMS; i++)
		n += v->each[i].goes_on;
	return n;
}

static bool all_go_on(const void *arg)
{
	return victims_that_go_on(arg) == VICTIMS;
}

static void count_in_a_fresh_page(void)
{
	uint32_t *buf = mmap(NULL, PAGE, PROT_READ | PROT_WRITE,
			     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	CHECK(buf != MAP_FAILED);
	CHECK_EQ(start_region(one_counter(buf, 4, 4, text_b()), PROFIL_RATE_TICK), 0);
	for (int i = 0; i < 20000 && page()->counted == 0; i++)
		hot_b(10000);
	/* Without a stop, which would do it itself. */
	CHECK_GT(page()->counted, 0);
	CHECK_EQ(page()->counted, buf[0]);
	_exit(0);
}

/* More than there are workers in any pool of the kernel's. */
TEST(updates_of_264_processes_whose_mmap_locks_are_held_keep_up_nobody_elses)
{
	struct victims *v = shared_with_children(sizeof(*v));
	pid_t pid;

	NEEDS_CPUS(2);
	start_server();
	for (int i = 0; i < VICTIMS; i++) {
		if (FORK() == 0) {
			become_victim(&v->each[i]);
			for (;;)
				pause();
		}
	}
	if (!wait_for(all_go_on, v))
		wait_for(all_go_on, v);
	CHECK_EQ(victims_that_go_on(v), VICTIMS);
	pid = FORK();
	if (pid == 0)
		count_in_a_fresh_page();
	wait_ok(pid);
	end_server();
}

static void *stop_it(void *arg)
{
	struct profil_status st;
	uint32_t other;

	victim->stopper = (pid_t)syscall(SYS_gettid);
	if (arg)
		start_region(everything(&other, 4, 4), PROFIL_RATE_TICK);
	else
		stop(&st);
	return NULL;
}

static bool stopper_waits(const void *arg)
{
	const struct victim *v = arg;
	char state = v->stopper ? thread_state(v->stopper) : 0;

	return state == 'D' || state == 'S';
}

static bool stopper_exits(const void *arg)
{
	const struct victim *v = arg;

	return thread_exits(v->stopper);
}

static void kill_who_stops(void (*become)(struct victim *), bool by_a_start)
{
	struct victim *v = shared_with_children(sizeof(*v));
	pid_t pid;

	start_server();
	pid = FORK();
	if (pid == 0) {
		static pthread_t thread;

		become(v);
		/* Its stack was there before the lock was taken. */
		stop_it(by_a_start ? &thread : NULL);
		for (;;)
			pause();
	}
	CHECK(wait_for(stopper_waits, v));
	CHECK_CALL(kill(pid, SIGKILL));
	CHECK(wait_for(stopper_exits, v));
	/* The one that has the lock is none of the profile's. */
	CHECK_EQ(thread_state(v->mapper), 'D');
	end_server();
	CHECK_EQ(waitpid(pid, NULL, 0), pid);
}

TEST(stop_that_waits_for_an_mmap_lock_that_nobody_gives_can_be_killed)
{
	kill_who_stops(become_victim, false);
}

TEST(replacing_start_that_waits_for_an_mmap_lock_that_nobody_gives_can_be_killed)
{
	kill_who_stops(become_victim, true);
}

/* Nobody can tell that the fork is not under way any more. */
TEST(stop_after_a_fork_that_waits_for_an_mmap_lock_that_nobody_gives_can_be_killed)
{
	kill_who_stops(become_victim_that_has_forked, false);
}

/* --- streams of stacks ------------------------------------------------------- */

static void stop_with_stream(void *stacks)
{
	static uint64_t array[4096];
	struct profil_samples request = {
		.rate		= PROFIL_RATE_TICK,
		.buf		= (uintptr_t)array,
		.nsamples	= 4096,
		.width		= 8,
		.stacks		= (uintptr_t)stacks,
		.stacks_size	= PAGE,
	};
	struct profil_status st;

	CHECK_EQ(start_array(&request), 0);
	CHECK(work_for_ticks(10));
	CHECK_EQ(stop(&st), 0);
	CHECK_ACCOUNTS(&st);
	CHECK_EQ(st.stackless, st.ticks);
	CHECK_EQ(st.stack_bytes, 0);
	_exit(0);
}

static bool has_ended(const void *arg)
{
	const pid_t *pid = arg;

	return thread_state(*pid) == 'Z';
}

/* Each read of its page fails, once the server has gone. */
TEST(stop_whose_stream_is_in_a_file_that_cannot_be_read_ends)
{
	void *stacks;
	pid_t pid;
	int fd;

	needs_stacks();
	start_server();
	fd = CHECK_CALL(open(FILE_NAME, O_RDONLY));
	stacks = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE, fd, 0);
	CHECK(stacks != MAP_FAILED);
	close(fd);
	end_server();
	pid = FORK();
	if (pid == 0)
		stop_with_stream(stacks);
	CHECK(wait_for(has_ended, &pid));
	wait_ok(pid);
}

static void in_user_mode(void)
{
	hot_b(10000);
}

#define BLOCK	(1 << 20)

static void in_the_kernel(void)
{
	static int zero = -1;
	static char *block;

	/* Of those who call this only: others lock all that they have, 264 times. */
	if (zero < 0) {
		zero = CHECK_CALL(open("/dev/zero", O_RDONLY));
		block = stream_memory(BLOCK);
	}
	CHECK_EQ(read(zero, block, BLOCK), BLOCK);
}

/* Ticks that cannot be written fill what there is room for; then all goes on. */
static void trace_while_the_lock_is_taken(struct victim *me, void (*work)(void))
{
	struct stream s = new_stream(16 * PAGE);
	uint64_t records;

	close(server.fd);
	victim = me;
	set_own_objects();
	CHECK_EQ(start_stacks(&s, PROFIL_RATE_FAST), 0);
	/* Nothing is absent by then but the stream, from its second page on. */
	work();
	CHECK_CALL(mlockall(MCL_CURRENT));
	CHECK_EQ(page()->mode, PROFIL_MODE_SAMPLES);
	CHECK_CALL(munlock(s.bytes, s.size));
	CHECK_CALL(madvise(s.bytes + PAGE, s.size - PAGE, MADV_DONTNEED));
	take_mmap_lock(me);
	while (page()->stackless < 20)
		work();
	me->goes_on = true;
	while (!me->released)
		work();
	records = page()->stack_records;
	for (uint64_t ticks = page()->ticks; page()->ticks < ticks + 20;)
		work();
	CHECK_GT(page()->stack_records, records);
	stop_stacks(&s);
	_exit(0);
}

static void have_stacks_again(void (*work)(void))
{
	struct victim *v = shared_with_children(sizeof(*v));
	pid_t pid;

	needs_stacks();
	start_server();
	pid = FORK();
	if (pid == 0)
		trace_while_the_lock_is_taken(v, work);
	CHECK(wait_for(is_true, (const void *)&v->goes_on));
	CHECK_EQ(thread_state(v->mapper), 'D');
	end_server();
	v->released = true;
	wait_ok(pid);
}

TEST(thread_whose_ticks_could_not_be_written_has_stacks_again)
{
	have_stacks_again(in_user_mode);
}

TEST(thread_in_the_kernel_whose_ticks_could_not_be_written_has_stacks_again)
{
	have_stacks_again(in_the_kernel);
}

/* The most pages that one callback has tried to bring in, as the kernel traced it. */
static int most_tries(void)
{
	size_t size = 1 << 20;
	char *text = stream_memory(size);
	int tries = 0, most = 0;

	CHECK_CALL(read_file(TRACING "/trace", text, size));
	for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n")) {
		if (strstr(line, ": profil_stack_callback"))
			tries = 0;
		else if (strstr(line, ": profil_page_in <-profil_stack_"))
			tries++;
		if (most < tries)
			most = tries;
	}
	munmap(text, size);
	return most;
}

TEST(thread_that_cannot_write_tries_three_times)
{
	struct victim *v = shared_with_children(sizeof(*v));
	int tries;

	needs_stacks();
	need_tracing();
	if (access(TRACING "/set_ftrace_filter", W_OK) != 0)
		SKIP("no function tracer");
	/* One after the other: they add up. */
	CHECK_EQ(write_file(TRACING "/set_ftrace_filter", "profil_page_in"), 0);
	CHECK_EQ(write_file(TRACING "/set_ftrace_filter", "profil_stack_callback"), 0);
	CHECK_EQ(write_file(TRACING "/current_tracer", "function"), 0);
	start_server();
	if (FORK() == 0)
		trace_while_the_lock_is_taken(v, in_user_mode);
	CHECK(wait_for(is_true, (const void *)&v->goes_on));
	tries = most_tries();
	CHECK_EQ(write_file(TRACING "/current_tracer", "nop"), 0);
	close(CHECK_CALL(open(TRACING "/set_ftrace_filter", O_WRONLY | O_TRUNC)));
	end_server();
	/* What was left, two pages ahead, and what is its own. */
	CHECK_GE(tries, 3);
	CHECK_LE(tries, 1 + 2 + 3);
}

/* --- tables that are replaced meanwhile -------------------------------------- */

#define HOLDERS		64

static struct {
	/* Whoever reads a byte from the first sets a table, and works. */
	int go[2], die[2];
	volatile bool ready;
	/* Those who do. */
	volatile pid_t tid[HOLDERS], shares;
} *holders;

#define MANY_BYTES	(PROFIL_OBJECTS_MAX * sizeof(struct profil_object))
static struct profil_object *many;

__attribute__((noreturn)) static void work_until_it_sleeps(int fd)
{
	char byte;

	CHECK_EQ(read(fd, &byte, 1), 1);
	CHECK_EQ(set_objects(many, PROFIL_OBJECTS_MAX), 0);
	for (;;)
		hot_b(10000);
}

static void *hold_table(void *tid)
{
	*(volatile pid_t *)tid = (pid_t)syscall(SYS_gettid);
	work_until_it_sleeps(holders->go[0]);
}

static int share_memory(void *arg)
{
	(void)arg;
	work_until_it_sleeps(holders->die[0]);
}

static void become_holders(void)
{
	static char stack[65536];
	struct stream s = new_stream(PAGE);
	pthread_t thread;
	int fd = CHECK_CALL(open(FILE_NAME, O_RDONLY));

	close(server.fd);
	s.bytes = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE, fd, 0);
	CHECK(s.bytes != MAP_FAILED);
	many = stream_memory(MANY_BYTES);
	for (unsigned int i = 0; i < PROFIL_OBJECTS_MAX; i++)
		many[i] = (struct profil_object) { .start = 2 * i, .end = 2 * i + 1 };
	for (int i = 0; i < HOLDERS; i++)
		CHECK_EQ(pthread_create(&thread, NULL, hold_table,
					(void *)&holders->tid[i]), 0);
	holders->shares = CHECK_CALL(clone(share_memory, stack + sizeof(stack),
					   CLONE_VM | SIGCHLD, NULL));
	/* From now on it sleeps at its first tick. */
	holders->ready = true;
	CHECK_EQ(start_stacks(&s, PROFIL_RATE_FAST), 0);
	for (;;)
		pause();
}

static bool so_many_sleep(const void *arg)
{
	const int *n = arg;
	int sleep = 0;

	for (int i = 0; i < HOLDERS; i++)
		sleep += holders->tid[i] && thread_state(holders->tid[i]) == 'D';
	return sleep >= *n;
}

/* False: one of them has had no tick that it sleeps for, and says where it is. */
static bool have_sleep(int n)
{
	CHECK_EQ(write(holders->go[1], "", 1), 1);
	if (wait_for(so_many_sleep, &n))
		return true;
	for (int i = 0; i < HOLDERS; i++)
		if (holders->tid[i] && !strchr("SD", thread_state(holders->tid[i])))
			note("of %d, thread %d is in state %c", n, i,
			     thread_state(holders->tid[i]));
	return false;
}

static bool sleeps(const void *arg)
{
	return thread_state(*(const pid_t *)arg) == 'D';
}

/* Who dies while it waits to write leaves what it had. */
static void have_one_leave(void)
{
	pid_t pid = holders->shares;

	CHECK_EQ(write(holders->die[1], "", 1), 1);
	CHECK(wait_for(sleeps, &pid));
	CHECK_CALL(kill(pid, SIGKILL));
	CHECK(wait_for(has_ended, &pid));
}

static uint64_t free_bytes(void)
{
	char text[4096];
	const char *at;

	CHECK_CALL(read_file("/proc/meminfo", text, sizeof(text)));
	at = strstr(text, "MemFree:");
	CHECK(at);
	return strtoull(at + strlen("MemFree:"), NULL, 10) * 1024;
}

/*
 * Each thread sets a table, and sleeps in what it does for its tick. False: one does
 * not, and there is nothing to be seen.
 */
static bool tables_are_replaced(bool left)
{
	uint64_t before;
	bool sleep;
	pid_t pid;

	holders = shared_with_children(sizeof(*holders));
	CHECK_CALL(pipe(holders->go));
	CHECK_CALL(pipe(holders->die));
	start_server();
	pid = FORK();
	if (pid == 0)
		become_holders();
	CHECK(wait_for(is_true, (const void *)&holders->ready));
	sleep = have_sleep(1);
	if (sleep && left)
		have_one_leave();
	before = free_bytes();
	for (int i = 2; sleep && i <= HOLDERS; i++)
		sleep = have_sleep(i);
	if (sleep)
		CHECK_LT(before - free_bytes(), HOLDERS * MANY_BYTES / 2);
	end_server();
	CHECK_CALL(kill(pid, SIGKILL));
	CHECK_EQ(waitpid(pid, NULL, 0), pid);
	return sleep;
}

/* One thread after the other has its tick there, and sleeps at once: most times. */
static void replace_tables(bool left)
{
	NEEDS_ICOUNT();
	for (int i = 0; i < 3; i++)
		if (tables_are_replaced(left))
			return;
	FAIL("they do not all sleep");
}

TEST(table_that_is_replaced_is_not_kept_by_who_waits_to_write)
{
	needs_stacks();
	replace_tables(false);
}

/* They write what was left first. */
TEST(table_that_is_replaced_is_not_kept_by_who_waits_to_write_what_was_left)
{
	needs_stacks();
	replace_tables(true);
}
