// SPDX-License-Identifier: LGPL-2.1-or-later
/* Why a program ran without the preloaded library, judged by its file. */
#include "unit.h"
#include "run/program.h"
#include "synthetic.h"

#include <sys/xattr.h>

uid_t __wrap_geteuid(void);

static uid_t user;

uid_t __wrap_geteuid(void)
{
	return user;
}

static struct synthetic file;

static const char *program(mode_t mode)
{
	const char *path = synthetic_write(&file, "program", 100);

	assert_int_equal(chmod(path, mode), 0);
	return path;
}

static int clean(void **state)
{
	(void)state;
	remove(synthetic_path("program"));
	user = getuid();
	return 0;
}

TEST(a_plain_program_gives_no_reason)
{
	assert_null(program_privileges(program(0755)));
	assert_null(program_privileges("nonesuch"));
}

TEST(a_set_user_id_program_of_another_user_is_named)
{
	user = getuid() + 1;
	assert_string_equal(program_privileges(program(04755)),
			    "changes its user or group");
	user = getuid();
	assert_null(program_privileges(program(04755)));
}

/* CAP_NET_RAW, permitted and effective, as in linux/capability.h. */
TEST(file_capabilities_are_named)
{
	static const unsigned char capabilities[20] = { 1, 0, 0, 2, 0, 0x20 };
	const char *path = program(0755);

	if (setxattr(path, "security.capability", capabilities, sizeof(capabilities), 0) < 0)
		skip();
	user = 1000;
	assert_string_equal(program_privileges(path), "has file capabilities");
	/* They give root nothing, so its programs are preloaded. */
	user = 0;
	assert_null(program_privileges(path));
}

UNIT_MAIN("program", clean, NULL, NULL, clean)
