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

static const char *suffix(const struct object *object)
{
	return object->kind == KIND_WAITING ? " waiting" : "";
}

void system_calls_add(struct function_table *table, const struct object *object)
{
	static const char *const none[KINDS] = {
		"[interrupt or fault]", "[fault or stop] waiting", "[waiting for a CPU]",
	};
	const struct system_call *call = object->kernel == 32 ? calls_32 : calls_64;

	table->unit = 1;
	function_table_add(table, KERNEL_FAULT, KERNEL_FAULT + 1, none[object->kind]);
	for (; call->name && object->kind != KIND_RUNNABLE; call++) {
		char *name = format_text("[%s]%s", call->name, suffix(object));

		function_table_add(table, KERNEL_CALL(call->number),
				   KERNEL_CALL(call->number) + 1, name);
		free(name);
	}
}

char *system_calls_name(const struct object *object, uint64_t address)
{
	return format_text("[syscall %" PRIu64 "]%s", address - KERNEL_CALL(0),
			   suffix(object));
}
