/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What the tests use of cmocka, where there is no cmocka: for a libc or a machine
 * that this system is not of. One file a program. Output is TAP, and a test that
 * fails ends there.
 */
#ifndef TESTS_CMOCKA_H
#define TESTS_CMOCKA_H

#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct CMUnitTest {
	const char	*name;
	void		(*test_func)(void **state);
	int		(*setup_func)(void **state);
	int		(*teardown_func)(void **state);
	void		*initial_state;
};

#define cmocka_unit_test(f)	{ #f, f, NULL, NULL, NULL }
#define cmocka_unit_test_setup_teardown(f, setup, teardown)	\
	{ #f, f, setup, teardown, NULL }

enum { CMOCKA_FAILED = 1, CMOCKA_SKIPPED };

/* Weak, as tests of several files share it. */
__attribute__((weak)) jmp_buf cmocka_out;

#define print_message(...)	printf(__VA_ARGS__)
#define skip()			longjmp(cmocka_out, CMOCKA_SKIPPED)
#define fail()			cmocka_fail(__FILE__, __LINE__, "fail()")
#define fail_msg(...)		(printf("# " __VA_ARGS__), puts(""), fail())

__attribute__((noreturn, unused))
static void cmocka_fail(const char *file, int line, const char *what)
{
	printf("# %s:%d: not so: %s\n", file, line, what);
	longjmp(cmocka_out, CMOCKA_FAILED);
}

__attribute__((unused))
static void cmocka_compare(const char *file, int line, const char *what,
			   uintmax_t a, uintmax_t b, int equal)
{
	if ((a == b) == equal)
		return;
	printf("# %#jx %s %#jx\n", a, equal ? "is not" : "is", b);
	cmocka_fail(file, line, what);
}

__attribute__((unused))
static int cmocka_is_in_range(uintmax_t x, uintmax_t from, uintmax_t to)
{
	return x >= from && x <= to;
}

#define assert_that(what, condition)	\
	((condition) ? (void)0 : cmocka_fail(__FILE__, __LINE__, what))
#define assert_true(x)		assert_that(#x, x)
#define assert_false(x)		assert_that("not " #x, !(x))
#define assert_null(x)		assert_that(#x " is null", (x) == NULL)
#define assert_non_null(x)	assert_that(#x " is not null", (x) != NULL)
#define assert_int_equal(a, b)	\
	cmocka_compare(__FILE__, __LINE__, #a " == " #b, (uintmax_t)(a), (uintmax_t)(b), 1)
#define assert_int_not_equal(a, b)	\
	cmocka_compare(__FILE__, __LINE__, #a " != " #b, (uintmax_t)(a), (uintmax_t)(b), 0)
#define assert_ptr_equal(a, b)		assert_int_equal((uintptr_t)(a), (uintptr_t)(b))
#define assert_string_equal(a, b)	assert_that(#a " is " #b, !strcmp(a, b))
#define assert_memory_equal(a, b, n)	assert_that(#a " is " #b, !memcmp(a, b, n))
#define assert_in_range(x, from, to)						\
	assert_that(#x " is from " #from " to " #to,				\
		    cmocka_is_in_range(x, from, to))

/* Runs one of these, if there is one, and says what it has come to: 0 is good. */
__attribute__((unused))
static int cmocka_run(void (*test)(void **), int (*fixture)(void **), void **state)
{
	switch (setjmp(cmocka_out)) {
	case 0:			break;
	case CMOCKA_SKIPPED:	return CMOCKA_SKIPPED;
	default:		return CMOCKA_FAILED;
	}
	if (test)
		test(state);
	return fixture && fixture(state) ? CMOCKA_FAILED : 0;
}

__attribute__((unused))
static int cmocka_run_test(const struct CMUnitTest *test, void *group)
{
	void *state = test->initial_state ? test->initial_state : group;
	int result = cmocka_run(NULL, test->setup_func, &state);

	if (!result)
		result = cmocka_run(test->test_func, NULL, &state);
	if (cmocka_run(NULL, test->teardown_func, &state))
		return CMOCKA_FAILED;
	return result;
}

__attribute__((unused))
static int cmocka_run_tests(const char *name, const struct CMUnitTest *tests,
			    size_t n, int (*setup)(void **), int (*teardown)(void **))
{
	static const char *const verdicts[] = { "ok", "not ok", "ok" };
	void *group = NULL;
	int failed = 0;

	if (cmocka_run(NULL, setup, &group))
		return 1;
	printf("TAP version 13\n1..%zu\n# %s\n", n, name);
	for (size_t i = 0; i < n; i++) {
		int result = cmocka_run_test(&tests[i], group);

		failed += result == CMOCKA_FAILED;
		printf("%s %zu - %s%s\n", verdicts[result], i + 1, tests[i].name,
		       result == CMOCKA_SKIPPED ? " # SKIP" : "");
		fflush(stdout);
	}
	return failed + (cmocka_run(NULL, teardown, &group) != 0);
}

#define cmocka_run_group_tests_name(name, tests, setup, teardown)	\
	cmocka_run_tests(name, tests, sizeof(tests) / sizeof((tests)[0]), \
			 setup, teardown)
#define cmocka_run_group_tests(tests, setup, teardown)	\
	cmocka_run_group_tests_name(#tests, tests, setup, teardown)

#endif
