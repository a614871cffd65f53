// SPDX-License-Identifier: LGPL-2.1-or-later
#include "object/frames.h"

static struct debug_units *open_debug(struct object *object)
{
	struct symbols *symbols = symbols_open(object);
	Dwarf *dwarf;

	if (symbols->has_debug || !symbols->file.module)
		return symbols->debug;
	symbols->has_debug = true;
	dwarf = object_file_debug(&symbols->file, &symbols->bias);
	if (dwarf)
		symbols->debug = debug_units_open(dwarf);
	return symbols->debug;
}

struct line frames_line(struct object *object, uint64_t address)
{
	struct debug_units *debug = open_debug(object);

	return debug ? debug_info_line(debug, address - object->symbols->bias) :
		       (struct line){ NULL, 0 };
}

struct line frames_declaration(struct object *object, uint64_t address)
{
	struct debug_units *debug = open_debug(object);

	return debug ? debug_info_declaration(debug,
					      address - object->symbols->bias) :
		       (struct line){ NULL, 0 };
}

size_t frames_at(struct object *object, uint64_t address,
		 struct frame frames[FRAMES_MOST])
{
	const struct function *function = symbols_function(object, address);
	struct debug_units *debug = open_debug(object);
	struct line line = frames_line(object, address);
	size_t n = 0;

	if (debug)
		n = debug_info_calls(debug, address - object->symbols->bias,
				     frames, &line);
	frames[n].name = function->name;
	frames[n].line = line;
	frames[n].declared = (struct line){ NULL, 0 };
	return n + 1;
}
