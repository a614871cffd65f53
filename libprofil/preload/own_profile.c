// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Programs that profile themselves. profil(), sprofil() and pcsample() use the
 * kernel, as in libprofil.so.1. Without the module, profil() and sprofil() are
 * libc's, as they would be without this library.
 *
 * An address space has one profile. While the program runs its own, this library takes
 * no samples, and the log says so. Each such call ends in an ioctl(), whether it comes
 * from this library, from libprofil.so.1 or from a copy linked into the program. The
 * ioctl() here notices it. The program never sees the status of the preload library's
 * profile. A per-thread profile runs beside that and takes only its thread's ticks.
 */
#include "begin.h"
#include "device_ioctl.h"
#include "file_log.h"
#include "memory.h"
#include "message.h"
#include "preload.h"

#include <errno.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/profil.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

/* libprofil's calls, under the names that the build gives them here. */
int kernel_profil(unsigned short *buf, size_t bufsiz, size_t offset,
		  unsigned int scale);
int kernel_sprofil(struct prof *profp, int profcnt, struct timeval *tvp,
		   unsigned int flags);
long kernel_pcsample(uintptr_t samples[], long nsamples);

EXPORT int profil(unsigned short *buf, size_t bufsiz, size_t offset,
		  unsigned int scale);
EXPORT long pcsample(uintptr_t samples[], long nsamples);

/* The program's own last profile, after it stopped. */
static struct profil_status stopped;

static void remember(const struct profil_status *status)
{
	memset(&stopped, 0, sizeof(stopped));
	memcpy(&stopped, status, status->size < sizeof(stopped) ?
				 status->size : sizeof(stopped));
}

/* The kernel has filled in status->size bytes. */
static void show_remembered(struct profil_status *status)
{
	uint32_t size = status->size;

	stopped.size = size < sizeof(stopped) ? size : sizeof(stopped);
	memcpy(status, &stopped, stopped.size);
}

static void program_starts(void)
{
	preload.taken = true;
	file_log(&preload.file, PROFILE_TAKEN, preload.sampler.base, NULL, 0,
		 NULL, 0);
}

static void program_stops(struct profil_status *status)
{
	if (preload.taken)
		remember(status);
	else
		show_remembered(status);
	stopped.nsamples = 0;
	preload.taken = false;
}

static long start_or_stop(int fd, unsigned long command, void *argument)
{
	bool stops = _IOC_NR(command) == _IOC_NR(PROFIL_IOC_STOP);
	bool ours = sampler_runs(&preload.sampler);
	long result;
	int error;

	if (ours)
		sampler_stop(&preload.sampler, fd);
	result = syscall(SYS_ioctl, fd, command, argument);
	error = errno;
	if (result == 0 && !stops)
		program_starts();
	if (result == 0 && stops)
		program_stops(argument);
	/* Resume our profile also if the program's start was refused. */
	if (stops ? result == 0 || ours : result != 0 && ours)
		preload_resume(fd);
	errno = error;
	return result;
}

static long report(int fd, unsigned long command, struct profil_status *status)
{
	long result = syscall(SYS_ioctl, fd, command, status);

	if (result == 0 && sampler_runs(&preload.sampler))
		show_remembered(status);
	return result;
}

/* is_of_thread() reads the flags of either request. */
_Static_assert(offsetof(struct profil_histogram, flags) ==
	       offsetof(struct profil_samples, flags), "flags of requests");

static bool is_of_thread(const void *argument)
{
	const struct profil_histogram *request = argument;

	return libprofil_memory_is_readable(&request->flags,
					    sizeof(request->flags)) &&
	       request->flags & PROFIL_THREAD;
}

/* Gets each command of the libprofil in here, and of ioctl() below. */
static int take_over(int fd, unsigned long command, void *argument)
{
	preload_begin();
	if (preload_has_file()) {
		switch (_IOC_NR(command)) {
		case _IOC_NR(PROFIL_IOC_HISTOGRAM):
		case _IOC_NR(PROFIL_IOC_SAMPLES):
			if (is_of_thread(argument))
				break;
			return (int)start_or_stop(fd, command, argument);
		case _IOC_NR(PROFIL_IOC_STOP):
			return (int)start_or_stop(fd, command, argument);
		case _IOC_NR(PROFIL_IOC_STATUS):
			return (int)report(fd, command, argument);
		}
	}
	return (int)syscall(SYS_ioctl, fd, command, argument);
}

/* Other drivers may use the same numbers. */
static bool is_device(int fd)
{
	struct stat device, status;
	int error = errno;
	bool is = fstat(fd, &status) == 0 && S_ISCHR(status.st_mode) &&
		  (stat(PROFIL_DEVICE, &device) < 0 ||
		   device.st_rdev == status.st_rdev);

	errno = error;
	return is;
}

EXPORT int ioctl(int fd, unsigned long command, ...)
{
	va_list arguments;
	void *argument;

	va_start(arguments, command);
	argument = va_arg(arguments, void *);
	va_end(arguments);
	if (_IOC_TYPE(command) == PROFIL_IOC_MAGIC && is_device(fd))
		return take_over(fd, command, argument);
	if (preload.next_ioctl)
		return preload.next_ioctl(fd, command, argument);
	return (int)syscall(SYS_ioctl, fd, command, argument);
}

/* Whether calls can use the kernel. */
static bool has_device(void)
{
	preload_begin();
	device_ioctl_take_over(take_over);
	return !preload.error;
}

static bool falls_back(void)
{
	if (has_device())
		return false;
	message_fallback(preload.why);
	return true;
}

EXPORT int profil(unsigned short *buf, size_t bufsiz, size_t offset,
		  unsigned int scale)
{
	if (falls_back())
		return NEXT(profil)(buf, bufsiz, offset, scale);
	return kernel_profil(buf, bufsiz, offset, scale);
}

EXPORT int sprofil(struct prof *profp, int profcnt, struct timeval *tvp,
		   unsigned int flags)
{
	if (falls_back())
		return NEXT(sprofil)(profp, profcnt, tvp, flags);
	return kernel_sprofil(profp, profcnt, tvp, flags);
}

EXPORT long pcsample(uintptr_t samples[], long nsamples)
{
	if (!has_device()) {
		errno = preload.error;
		return -1;
	}
	return kernel_pcsample(samples, nsamples);
}
