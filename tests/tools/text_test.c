// SPDX-License-Identifier: LGPL-2.1-or-later
/* Text of others: names, and lines of source. */
#include "unit.h"
#include "common/clean_text.h"
#include "content/name_pattern.h"
#include "object/demangled_name.h"

TEST(text_of_others_is_cleaned)
{
	static const struct { const char *text, *clean; } cases[] = {
		{ "plain \"a\\b~",	"plain \"a\\b~" },
		{ "line\nend\x7f\t",	"line\\x0aend\\x7f\\x09" },
		{ "\x1b[31mred",	"\\x1b[31mred" },
		{ "\xc3\xa9",		"\xc3\xa9" },		{ "\xe9t\xe9",	"\xc3\xa9t\xc3\xa9" },
		{ "\xc2\x9b" "1m",	"\\x9b1m" },		{ "\x9b",	"\\x9b" },
		{ "\xc3",		"\xc3\x83" },		{ "\xc0\x8a",	"\xc3\x80\\x8a" },
		{ "\xed\xa0\x80",	"\xc3\xad\xc2\xa0\\x80" },	{ "",		"" },
		{ "\xf0\x9f\x98\x80",	"\xf0\x9f\x98\x80" },	{ "a\xe2\x80\xae" "b",	"a\\u202eb" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		char *clean = clean_text(cases[i].text);

		assert_string_equal(clean, cases[i].clean);
		free(clean);
	}
}

TEST(a_line_of_source_has_its_tabs)
{
	char *clean = clean_text_line("\tint\tx;\x1b");

	assert_string_equal(clean, "\tint\tx;\\x1b");
	free(clean);
}

TEST(patterns_match_functions_as_people_write_them)
{
	static const struct { const char *pattern, *name; bool matches; } cases[] = {
		{ "f",		"f(int) [clone .cold]",	true },
		{ "f",	"ff(int)",	false },	{ "f*",	"g(f*)",	false },
		{ "A::operator()", "A::operator()(int) const",	true },
		{ "A::operator()", "A::operator()",		true },
		{ "A::operator",   "A::operator()",		false },
		{ "(anonymous namespace)::f", "(anonymous namespace)::f(int)",	true },
		{ "(anonymous namespace)::f", "(anonymous namespace)::f",	true },
		{ "main::{lambda(int)#1}::operator()",
		  "main::{lambda(int)#1}::operator()(int) const",		true },
		{ "max<int>",	"int max<int>(int, int)",	true },
		{ "max",	"int max<int>(int, int)",	true },	{ "int", "int max<int>()", false },
		{ "std::sort",	"void std::sort<A<B>*, (C)1>(A<B>*, A<B>*)",	true },
		{ "A::g",	"A<int (*)(char)>::g()",	true },
		{ "operator new", "operator new(unsigned long)",	true },
		{ "A::operator int", "A::operator int() const",	true },
		{ "operator<<",	"S& operator<< <S>(S&, char)",	true },
		{ "A::operator->", "A<int>::operator->() const",	true },
		{ "/^re+ad$/",	"read",	true },		{ "/^re+ad$/",	"reads",	false },
		{ "/a|b/",	"xbx(int)",		true },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct name_pattern *pattern = name_pattern_make(cases[i].pattern);

		if (name_pattern_matches_function(pattern, cases[i].name) != cases[i].matches)
			fail_msg("%s, %s", cases[i].pattern, cases[i].name);
		name_pattern_free(pattern);
	}
	assert_null(name_pattern_make("/(/"));
}

TEST(names_are_demangled)
{
	static const struct { const char *symbol, *name; } cases[] = {
		{ "main", "main" },	{ "_DTi16", "_DTi16" },	{ "_RNvC6_123foo3bar",	"123foo::bar" },
		{ "_ZN4work3SumImE5up_toEm",	"work::Sum<unsigned long>::up_to(unsigned long)" },
		{ "_ZN4core3fmt5write17h0123456789abcdefE", "core::fmt::write" },	{ "_DT_", "_DT_" },
		{ "_D1d3fibFiZm.isra.0", "d.fib(int) [clone .isra.0]" }, { "_Zbroken", "_Zbroken" },
		{ "_DTi16_D1d3fibFiZm",	"thunk to d.fib(int)" }, { "_DThn16_1d3fibFiZm", "thunk to d.fib(int)" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		char *name = demangled_name(cases[i].symbol);

		assert_string_equal(name, cases[i].name);
		free(name);
	}
}

UNIT_MAIN("text", NULL, NULL, NULL, NULL)
