// SPDX-License-Identifier: LGPL-2.1-or-later
/* libprofil/stack_samples.c and loaded_code.c: a program's own stacks. */
#include "kernel.h"

#include <dlfcn.h>
#include <sys/auxv.h>

/* Which nothing has loaded yet. */
#define LIBRARY		"libresolv.so.2"
#define FUNCTION	"ns_initparse"

static uint64_t array[1000];
static unsigned char stream[8192];

static struct profil_samples request(void)
{
	return (struct profil_samples){
		.size = sizeof(struct profil_samples), .rate = PROFIL_RATE_FAST,
		.buf = (uintptr_t)array, .nsamples = 1000, .width = 8, .first_sample = 7,
		.stacks = (uintptr_t)stream, .stacks_size = sizeof(stream),
	};
}

static bool is_followed(void *function)
{
	const struct profil_object *object = kernel_object_of((uintptr_t)function);

	return object && object->eh_frame_hdr;
}

TEST(the_kernel_knows_where_code_is_before_the_first_tick)
{
	struct profil_samples samples = request();
	unsigned long vdso = getauxval(AT_SYSINFO_EHDR);

	assert_success(profil_start_stacks(&samples));
	assert_int_equal(kernel.samples.tag, PROFIL_DIALECT_NONE);
	assert_int_equal(samples.page, (uintptr_t)&kernel.status);
	assert_int_equal(kernel.ncommands, 2);
	assert_int_equal(kernel.commands[0], PROFIL_IOC_OBJECTS);
	assert_int_equal(kernel.commands[1], PROFIL_IOC_SAMPLES);
	assert_true(is_followed(dlsym(RTLD_DEFAULT, "getpid")));
	assert_true(is_followed((void *)(uintptr_t)request));
	assert_true(!vdso || kernel_object_of(vdso));
	/* Only code. */
	assert_null(kernel_object_of((uintptr_t)array));
}

TEST(a_table_that_is_refused_starts_nothing)
{
	static const int errors[] = { EINVAL, EDQUOT, ENOMEM };
	struct profil_samples samples = request();

	for (size_t i = 0; i < ARRAY_SIZE(errors); i++) {
		kernel.objects_error = errors[i];
		fails(errors[i], profil_start_stacks(&samples));
	}
}

TEST(a_start_that_is_refused_says_why)
{
	struct profil_samples samples = request();
	struct profil_status status = { .size = sizeof(status) };

	start_fails_with_reason(profil_start_stacks(&samples));
	kernel.open_error = ENOENT;
	assert_errno(profil_update_objects(), ENODEV);
	assert_errno(profil_stop_stacks(&status), ENODEV);
}

TEST(what_is_loaded_later_is_told_when_asked)
{
	struct profil_samples samples = request();
	void *library, *function;

	assert_success(profil_start_stacks(&samples));
	library = dlopen(LIBRARY, RTLD_NOW | RTLD_LOCAL);
	assert_non_null(library);
	function = dlsym(library, FUNCTION);
	assert_non_null(function);
	assert_false(is_followed(function));
	assert_success(profil_update_objects());
	assert_true(is_followed(function));
	assert_int_equal(kernel.sample_starts, 1);
	dlclose(library);
	assert_success(profil_update_objects());
	assert_false(is_followed(function));
}

static void *loaded;

/* Another thread's dlopen(), which comes between the look and the answer. */
static void load_meanwhile(void)
{
	kernel.at_table = NULL;
	loaded = dlopen(LIBRARY, RTLD_NOW | RTLD_LOCAL);
	assert_non_null(loaded);
}

TEST(what_is_loaded_meanwhile_is_told_as_well)
{
	kernel.at_table = load_meanwhile;
	assert_success(profil_update_objects());
	assert_int_equal(kernel.tables, 2);
	assert_true(is_followed(dlsym(loaded, FUNCTION)));
	dlclose(loaded);
}

TEST(a_stop_of_nothing_is_none)
{
	struct profil_status status = { .size = sizeof(status), .mode = 77 };

	assert_success(profil_stop_stacks(&status));
	assert_int_equal(status.mode, PROFIL_MODE_NONE);
}

UNIT_MAIN("stacks", kernel_boot, kernel_halt, NULL, NULL)
