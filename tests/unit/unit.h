/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * cmocka, and lists that make themselves: a file is TEST(name) { ... } and so on, and
 * at its end UNIT_MAIN(), which runs them in this order.
 */
#ifndef _UNIT_H
#define _UNIT_H

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

/* As gcc says it, which has both since 14. */
#if defined(__has_feature) && !defined(__SANITIZE_ADDRESS__)
#if __has_feature(address_sanitizer)
#define __SANITIZE_ADDRESS__
#endif
#endif

#define ARRAY_SIZE(a)	(sizeof(a) / sizeof((a)[0]))

/* cmocka passes over the entries that are empty. */
#define UNIT_TESTS	64

#define TEST_WITH(fn, setup, teardown)					\
	static void fn(void **state);					\
	__attribute__((constructor)) static void unit_add_##fn(void)	\
	{								\
		unit_add((struct CMUnitTest){ #fn, fn, setup, teardown, NULL });	\
	}								\
	static void fn(void **state __attribute__((unused)))

#define TEST(fn)	TEST_WITH(fn, NULL, NULL)

/* A test of one call, whose arguments are what differs. */
#define CASE(fn, call)	TEST(fn) { call; }

/* @setup and @teardown are around each TEST(), @before and @after around all. */
#define UNIT_MAIN(group, setup, teardown, before, after)		\
	int main(void)							\
	{								\
		unit_default(setup, teardown);				\
		return cmocka_run_group_tests_name(group, unit_test, before, after); \
	}

/* In headers of tests' parts nobody uses it. */
static struct CMUnitTest unit_test[UNIT_TESTS] __attribute__((unused));

static inline void unit_add(struct CMUnitTest test)
{
	unsigned int i = 0;

	while (i < UNIT_TESTS && unit_test[i].test_func)
		i++;
	assert_in_range(i, 0, UNIT_TESTS - 1);
	unit_test[i] = test;
}

static inline void unit_default(CMFixtureFunction setup, CMFixtureFunction teardown)
{
	for (unsigned int i = 0; i < UNIT_TESTS && unit_test[i].test_func; i++)
		if (!unit_test[i].setup_func) {
			unit_test[i].setup_func = setup;
			unit_test[i].teardown_func = teardown;
		}
}

#endif /* _UNIT_H */
