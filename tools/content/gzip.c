// SPDX-License-Identifier: LGPL-2.1-or-later
#include "content/gzip.h"

#include <limits.h>
#include <zlib.h>

static bool deflate_to(FILE *out, z_stream *stream)
{
	static uint8_t buffer[65536];
	int result;

	do {
		stream->next_out = buffer;
		stream->avail_out = sizeof(buffer);
		result = deflate(stream, Z_FINISH);
		fwrite(buffer, 1, sizeof(buffer) - stream->avail_out, out);
	} while (result == Z_OK);
	return result == Z_STREAM_END;
}

bool gzip_write(FILE *out, uint8_t *bytes, size_t size)
{
	z_stream stream = { .next_in = bytes, .avail_in = (unsigned int)size };
	bool done;

	if (size > UINT_MAX ||
	    deflateInit2(&stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, 16 + MAX_WBITS,
			 8, Z_DEFAULT_STRATEGY) != Z_OK)
		return false;
	done = deflate_to(out, &stream);
	deflateEnd(&stream);
	return done;
}
