/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The table of dialects: the rules on which systems differ while a profile runs.
 * Every other list of systems or dialects is made from this table, or
 * tests/lib/dialects.sh compares it with this table. libprofil/SYSTEM.c handles the
 * arguments of each system's calls.
 *
 * system(name, "what people call it")
 *	The pkg-config package libprofil-NAME gives a program the headers of
 *	include/NAME and the calls of libprofil/NAME.c. The rows of the system's
 *	dialects follow.
 *
 * dialect(tag, number, index, at_limit, limit, on_fault, mask, max, off, scale2,
 *	   bad_buffer, fewest, most)
 *	PROFIL_DIALECT_TAG is the number, which never changes. The other columns
 *	are fields of struct dialect (libprofil/dialect.h): mask, max and off are
 *	its scale_mask, scale_max and scale_off, fewest and most its min_ranges and
 *	max_ranges.
 *
 * tag(tag, number)
 *	A tag without histogram rules.
 */
#ifndef LIBPROFIL_DIALECTS_H
#define LIBPROFIL_DIALECTS_H

/* Expands the macros system, dialect and tag, each once per row of its kind. */
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
