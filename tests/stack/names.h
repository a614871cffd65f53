/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What tests print for the end of a walk. */
#ifndef _TESTS_STACK_NAMES_H
#define _TESTS_STACK_NAMES_H

static const char *const end_name[PROFIL_ENDS] = {
	[PROFIL_END_NONE]	= "not ended",
	[PROFIL_END_OUTERMOST]	= "outermost",
	[PROFIL_END_FRAMES]	= "too many frames",
	[PROFIL_END_STEPS]	= "too many steps",
	[PROFIL_END_MEMORY]	= "memory",
	[PROFIL_END_NO_OBJECT]	= "code in no object",
	[PROFIL_END_NO_TABLE]	= "object without a table",
	[PROFIL_END_TABLE]	= "another form of table",
	[PROFIL_END_NO_ROW]	= "code without a row",
	[PROFIL_END_CFI]	= "senseless call frame information",
	[PROFIL_END_UNKNOWN]	= "unknown operation",
	[PROFIL_END_OPS]	= "too many operations",
	[PROFIL_END_ROWS]	= "too many rows remembered",
	[PROFIL_END_REGISTER]	= "register lost",
	[PROFIL_END_BACKWARDS]	= "backwards",
};

#endif
