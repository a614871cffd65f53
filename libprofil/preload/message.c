// SPDX-License-Identifier: LGPL-2.1-or-later
/* Messages of the preload library, one line each. */
#include "message.h"

#include <errno.h>
#include <linux/profil.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

void message(const char *format, ...)
{
	static const char name[] = "libprofil-preload: ";
	char line[512];
	int length = sizeof(name) - 1;
	va_list arguments;
	ssize_t written;

	memcpy(line, name, sizeof(name));
	va_start(arguments, format);
	length += vsnprintf(line + length, sizeof(line) - (size_t)length - 1,
			    format, arguments);
	va_end(arguments);
	if (length > (int)sizeof(line) - 2)
		length = sizeof(line) - 2;
	line[length++] = '\n';
	/* A closed stderr cannot be reported. */
	written = write(STDERR_FILENO, line, (size_t)length);
	(void)written;
}

const char *message_open_error(int error)
{
	switch (error) {
	case ENOENT:
	case ENOTDIR:
		return "not there: the kernel module profil is not loaded (try: modprobe profil), or the device is missing in this container or root directory";
	case ENXIO:
	case ENODEV:
		return "the kernel module profil is not loaded (try: modprobe profil)";
	case EACCES:
		return "Permission denied (see FILES in profil(4))";
	default:
		return strerror(error);
	}
}

const char *message_start_error(int error)
{
	switch (error) {
	case EDQUOT:
		return "this user has as many profiles as the module's max_profiles allows (stop one, or raise that parameter)";
	case EACCES:
		return "the fast rate is not allowed any more (the module's restrict_fastprof is Y), and a file has one rate";
	case EPERM:
		return "the administrator has switched profiling off (the module's parameter enabled is N)";
	default:
		return strerror(error);
	}
}

void message_fallback(const char *why)
{
	static bool said;

	if (said)
		return;
	said = true;
	message(PROFIL_DEVICE ": %s: libc profiles with SIGPROF instead", why);
}
