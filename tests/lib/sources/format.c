/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A reader of the profile file of somebody else's, in strict C and C++. */
#include <libprofil/profile_format.h>
#include <string.h>
typedef char header_has_no_padding[sizeof(struct profile_header) == 208 ? 1 : -1];
typedef char path_is_at_its_end[sizeof(struct profile_object) == 72 ? 1 : -1];
int main(void)
{
	static struct profile_header header;
	const struct profile_object *object = 0;

	return object ? object->path[0] : memcmp(header.magic, PROFILE_MAGIC, sizeof(header.magic));
}
