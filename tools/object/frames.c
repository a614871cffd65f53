// SPDX-License-Identifier: LGPL-2.1-or-later
#include "object/frames.h"

static struct line line_of(const struct kept_line *kept)
{
	return (struct line){ (char *)(uintptr_t)kept->file, kept->number };
}

struct line frames_line(struct object *object, uint64_t address)
{
	struct symbols *symbols = symbols_open(object);
	const struct kept_frame *kept;
	size_t n;

	if (symbols->debug)
		return debug_info_line(symbols->debug, address - symbols->bias);
	kept = kept_names_frames(symbols->kept, address, &n);
	return n ? line_of(&kept[0].line) : (struct line){ NULL, 0 };
}

struct line frames_declaration(struct object *object, uint64_t address)
{
	struct symbols *symbols = symbols_open(object);
	const struct kept_frame *kept;
	size_t n;

	if (symbols->debug)
		return debug_info_declaration(symbols->debug,
					      address - symbols->bias);
	kept = kept_names_frames(symbols->kept, address, &n);
	return n ? line_of(&kept[n - 1].declared) : (struct line){ NULL, 0 };
}

/* The same as debug_info_calls(). */
static size_t kept_calls(const struct kept_object *object, uint64_t address,
			 struct frame frames[CALLS_MOST], struct line *line)
{
	size_t n, i;
	const struct kept_frame *kept = kept_names_frames(object, address, &n);

	for (i = 0; i + 1 < n && i < CALLS_MOST; i++) {
		frames[i].name = kept[i].name;
		frames[i].line = line_of(&kept[i].line);
		frames[i].declared = line_of(&kept[i].declared);
	}
	if (n)
		*line = line_of(&kept[n - 1].line);
	return i;
}

size_t frames_at(struct object *object, uint64_t address,
		 struct frame frames[FRAMES_MOST])
{
	const struct function *function = symbols_function(object, address);
	struct symbols *symbols = object->symbols;
	struct line line = frames_line(object, address);
	size_t n;

	if (symbols->debug)
		n = debug_info_calls(symbols->debug, address - symbols->bias,
				     frames, &line);
	else
		n = kept_calls(symbols->kept, address, frames, &line);
	frames[n].name = function->name;
	frames[n].line = line;
	frames[n].declared = (struct line){ NULL, 0 };
	return n + 1;
}

struct line frames_outer_line(struct object *object, uint64_t address)
{
	struct frame frames[FRAMES_MOST];
	size_t n = frames_at(object, address, frames);

	return frames[n - 1].line;
}
