// SPDX-License-Identifier: LGPL-2.1-or-later
#include "common/output.h"
#include "common/message.h"

bool output_close(FILE *out)
{
	bool failed = ferror(out);

	failed |= fclose(out) != 0;
	if (failed)
		warn("cannot write all of the output");
	return !failed;
}
