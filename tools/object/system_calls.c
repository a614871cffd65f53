// SPDX-License-Identifier: LGPL-2.1-or-later
#include "object/system_calls.h"
#include "common/memory.h"
#include "profile/profile.h"

#include <inttypes.h>
#include <stdlib.h>

struct system_call {
	uint64_t	number;
	const char	*name;
};

/* calls_64 and calls_32, generated from the headers of this machine. */
#include "system_calls_64.h"
#include "system_calls_32.h"

void system_calls_add(struct function_table *table, uint32_t bits)
{
	const struct system_call *call = bits == 32 ? calls_32 : calls_64;

	table->unit = 1;
	function_table_add(table, KERNEL_FAULT, KERNEL_FAULT + 1, "[interrupt or fault]");
	for (; call->name; call++) {
		char *name = format_text("[%s]", call->name);

		function_table_add(table, KERNEL_CALL(call->number),
				   KERNEL_CALL(call->number) + 1, name);
		free(name);
	}
}

char *system_calls_name(uint64_t address)
{
	return format_text("[syscall %" PRIu64 "]", address - KERNEL_CALL(0));
}
