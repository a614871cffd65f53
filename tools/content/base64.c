// SPDX-License-Identifier: LGPL-2.1-or-later
#include "content/base64.h"

void base64_write(const uint8_t *bytes, size_t n, FILE *out)
{
	static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
		"abcdefghijklmnopqrstuvwxyz0123456789+/";
	size_t i, j;

	for (i = 0; i < n; i += 3) {
		size_t left = n - i;
		uint32_t word = (uint32_t)bytes[i] << 16;

		if (left > 1)
			word |= (uint32_t)bytes[i + 1] << 8;
		if (left > 2)
			word |= bytes[i + 2];
		for (j = 0; j < 4; j++)
			fputc(j > left ? '=' : digits[word >> (18 - 6 * j) & 63],
			      out);
	}
}
