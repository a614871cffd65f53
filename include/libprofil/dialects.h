/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The table of dialects: what systems disagree on once a profile runs. All that
 * names systems or dialects is made from this table, or held against it by
 * tests/lib/dialects.sh; what is special about a call's arguments is in the file
 * that is named after the system. CONTRIBUTING.md adds a system step by step.
 *
 * system(name, "what people call it")
 *	There is libprofil-NAME for pkg-config: compiled with the headers of
 *	include/NAME, programs get the calls of libprofil/NAME.c. The rows of its
 *	dialects follow.
 *
 * dialect(tag, number, index, at_limit, limit, on_fault, mask, max, off, scale2,
 *	   bad_buffer, fewest, most)
 *	PROFIL_DIALECT_TAG is the number, which never changes. The rest is what
 *	struct dialect says of the field of that name, or whose name ends so.
 *
 * tag(tag, number)
 *	One that has no histogram rules.
 */
#ifndef LIBPROFIL_DIALECTS_H
#define LIBPROFIL_DIALECTS_H

/* LIBPROFIL_DIALECTS(system, dialect, tag): expands each for each of its rows. */
#define LIBPROFIL_DIALECTS(system, dialect, tag)			       \
	dialect(GLIBC_PROFIL, 1, ELEMENT, WRAP, 0, STOP_ALL,		       \
		ANY, ANY, 1, COUNTER_0, FAILS, 0, 0)			       \
	dialect(GLIBC_SPROFIL, 2, ELEMENT, SATURATE, 0, STOP_ALL,	       \
		ANY, ANY, 1, OVERFLOW_BIN, FAILS, 0, 0)			       \
	system(aix, "AIX")						       \
	dialect(AIX, 10, BYTE_UP, SATURATE, 0, STOP_ALL,		       \
		0xffff, ANY, 1, COUNTER_0, FAILS, 0, 0)			       \
	dialect(AIX_RANGES, 11, BYTE_UP, SATURATE, 0, STOP_ALL,		       \
		0xffff, ANY, 1, COUNTER_0, FAILS, 0, 0)			       \
	system(bsd, "the BSDs and macOS")				       \
	dialect(BSD, 5, BYTE_DOWN, WRAP, 0, STOP_ALL,			       \
		ANY, 0x10000, 0, ORDINARY, IS_OFF, 0, 0)		       \
	dialect(BSD_MAN, 12, ELEMENT, WRAP, 0, STOP_ALL,		       \
		ANY, 0x10000, 0, ORDINARY, IS_OFF, 0, 0)		       \
	system(hpux, "HP-UX")						       \
	dialect(HPUX, 7, BYTE_DOWN, SATURATE, 0, STOP_ALL,		       \
		ANY, ANY, 1, OVERFLOW_BIN, IS_OFF, 0, TUNABLE)		       \
	system(irix, "IRIX")						       \
	dialect(IRIX, 6, BYTE_DOWN, SATURATE, 0, STOP_REGION,		       \
		ANY, ANY, 1, OVERFLOW_BIN, IS_OFF, 1, TUNABLE)		       \
	system(solaris, "Solaris and illumos")				       \
	dialect(SOLARIS, 3, BYTE_DOWN, STOP, 32767, STOP_ALL,		       \
		ANY, ANY, 1, COUNTER_0, IS_OFF, 0, 0)			       \
	tag(PCSAMPLE, 4)						       \
	system(tru64, "Tru64 UNIX")					       \
	dialect(TRU64, 8, BYTE_DOWN, SATURATE, 0, STOP_ALL,		       \
		ANY, ANY, 1, COUNTER_0, IS_OFF, 0, 0)			       \
	dialect(TRU64_RANGES, 9, BYTE_DOWN, SATURATE, 0, STOP_REGION,	       \
		ANY, ANY, 1, COUNTER_0, IS_OFF, 0, 64)

#endif
