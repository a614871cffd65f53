// SPDX-License-Identifier: LGPL-2.1-or-later
#include "common/output.h"
#include "common/message.h"

#include <fcntl.h>
#include <unistd.h>

void output_begin(void)
{
	int fd;

	while ((fd = open("/dev/null", O_RDONLY | O_CLOEXEC)) >= 0 && fd <= STDERR_FILENO)
		;
	if (fd >= 0)
		close(fd);
}

bool output_close(FILE *out)
{
	bool failed = ferror(out);

	failed |= fclose(out) != 0;
	if (failed)
		warn("cannot write all of the output");
	return !failed;
}
