// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The log of the profile file. A record is valid once log_used covers it. Its disk
 * space is reserved before the record is written.
 */
#include "file_log.h"
#include "file_size.h"
#include "system.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <string.h>
#include <unistd.h>

/*
 * Together with the header, whole pages: of a start, and of a fork child beside what it copies.
 * Each page takes a process that ends soon 10,000 instructions.
 */
#define LOG_FIRST	8192
#define LOG_MORE	512
#define LOG_STEP	(60UL << 10)

/*
 * Reserves disk space for the log up to @end. Without it, writing to the log on a
 * full disk would kill the program with SIGBUS.
 */
static int reserve(struct file *file, int fd, uint64_t end)
{
	int error = system_allocate(fd, (off_t)(FILE_LOG_AT + end));

	if (error && error != EOPNOTSUPP && error != EINVAL)
		return error;
	file->reserved = end;
	return 0;
}

int file_log_reserve(struct file *file, int fd, uint64_t used)
{
	uint64_t end = used ? FILE_LOG_AT + used + LOG_MORE : LOG_FIRST;

	return reserve(file, fd, (end + FILE_PAGE - 1) / FILE_PAGE * FILE_PAGE - FILE_LOG_AT);
}

static size_t padded(size_t size)
{
	return (size + 7) & ~(size_t)7;
}

/* Reserves more for a long log, which is rare. */
static int extend(struct file *file)
{
	uint64_t size;
	int fd = file_open(file, &size);
	int error;

	if (fd < 0)
		return errno;
	error = reserve(file, fd, file->reserved + LOG_STEP);
	close(fd);
	return error;
}

/* Without objects, no samples have names: the last quarter is not for phases. */
static bool has_room(struct file *file, uint32_t type, size_t size)
{
	struct profile_header *header = file->header;
	uint64_t end = header->log_used + size, most = header->log_capacity;

	if (type == PROFILE_PHASE)
		most -= most / 4;
	if (end > most)
		return false;
	return end <= file->reserved ||
	       (size <= LOG_STEP && extend(file) == 0 && end <= file->reserved);
}

bool file_log_begin(struct file *file, int *state)
{
	unsigned int tries;

	/* Not here: a program does not expect it, and nobody would get the turn any more. */
	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, state);
	for (tries = 0; tries < 1000; tries++) {
		if (!atomic_flag_test_and_set(&file->writing))
			return true;
		sched_yield();
	}
	pthread_setcancelstate(*state, NULL);
	return false;
}

void file_log_end(struct file *file, int state)
{
	atomic_flag_clear(&file->writing);
	pthread_setcancelstate(state, NULL);
}

static void write_record(struct file *file, uint32_t type, uint64_t sample,
			 const void *first, size_t first_size,
			 const void *second, size_t second_size)
{
	size_t size = sizeof(struct profile_record) +
		      padded(first_size + second_size);
	struct profile_header *header = file->header;
	struct profile_record *record;

	if (!has_room(file, type, size)) {
		header->log_lost++;
		return;
	}
	record = (struct profile_record *)(void *)(file->log + header->log_used);
	record->type = type;
	record->size = (uint32_t)size;
	record->sample = sample;
	if (first_size)
		memcpy(record + 1, first, first_size);
	if (second_size)
		memcpy((char *)(record + 1) + first_size, second, second_size);
	/* If the program is killed before this, readers see no half record. */
	__atomic_store_n(&header->log_used, header->log_used + size,
			 __ATOMIC_RELEASE);
}

/* False: the record is lost. */
static bool take_turn(struct file *file, int *state)
{
	if (!file->header)
		return false;
	if (file_log_begin(file, state))
		return true;
	__atomic_add_fetch(&file->header->log_lost, 1, __ATOMIC_RELAXED);
	return false;
}

void file_log(struct file *file, uint32_t type, uint64_t sample,
	      const void *first, size_t first_size,
	      const void *second, size_t second_size)
{
	int state;

	if (!take_turn(file, &state))
		return;
	write_record(file, type, sample, first, first_size, second, second_size);
	file_log_end(file, state);
}

void file_log_phase(struct file *file, uint64_t sample, const char *name)
{
	uint64_t now;
	int state;

	if (!take_turn(file, &state))
		return;
	now = file_now_ns(CLOCK_MONOTONIC);
	write_record(file, PROFILE_PHASE, sample, &now, sizeof(now), name, strlen(name) + 1);
	file_log_end(file, state);
}

static void copy(struct file *file, const struct profile_record *from)
{
	struct profile_header *header = file->header;
	struct profile_record *record = (void *)(file->log + header->log_used);
	const uint64_t *words = (const void *)from;
	size_t i;

	if (!has_room(file, from->type, from->size)) {
		header->log_lost++;
		return;
	}
	for (i = 0; i < from->size / sizeof(*words); i++) {
		((uint64_t *)(void *)record)[i] = words[i];
		/* No memcpy(): in a fork child, its page takes longer than this. */
		__asm__ volatile("" : : : "memory");
	}
	record->sample = 0;
	__atomic_store_n(&header->log_used, header->log_used + from->size, __ATOMIC_RELEASE);
}

/* Copies them, or without @file only adds up their sizes. */
static uint64_t copy_all(struct file *file, const char *log, uint64_t used)
{
	const char *at = log, *end = at + used;
	const struct profile_record *record, *phase = NULL;
	uint64_t bytes = 0;

	for (; at < end; at += record->size) {
		record = (const void *)at;
		if (record->type == PROFILE_PHASE)
			phase = record;
		if (record->type == PROFILE_PHASE || record->type == PROFILE_TAKEN)
			continue;
		bytes += record->size;
		if (file)
			copy(file, record);
	}
	if (phase && file)
		copy(file, phase);
	return bytes + (phase ? phase->size : 0);
}

uint64_t file_log_copied(const char *log, uint64_t used)
{
	return copy_all(NULL, log, used);
}

void file_log_copy(struct file *file, const char *log, uint64_t used)
{
	/*
	 * There is one thread, and room is reserved. So nobody waits for the turn, and no open()
	 * can be cancelled.
	 */
	atomic_flag_test_and_set(&file->writing);
	copy_all(file, log, used);
	atomic_flag_clear(&file->writing);
}
