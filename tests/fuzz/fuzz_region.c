// SPDX-License-Identifier: LGPL-2.1-or-later
/* libFuzzer target: the rounds of region_map_test, with numbers from the input. */
#include "fuzz.h"
#include "region_rounds.h"

static const u8 *data;
static size_t left;

/* In few bytes; zeros at the end. */
static u64 any(u64 n)
{
	size_t bytes = !n ? 8 : n <= 256 ? 1 : n <= 65536 ? 2 : n <= U32_MAX ? 4 : 8;
	u64 value = 0;

	if (bytes > left)
		bytes = left;
	memcpy(&value, data, bytes);
	data += bytes;
	left -= bytes;
	return n ? value % n : value;
}

int LLVMFuzzerTestOneInput(const u8 *bytes, size_t size)
{
	data = bytes;
	left = size;
	one_round(any(MAX_PCS + 1));
	return 0;
}
