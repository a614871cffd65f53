// SPDX-License-Identifier: LGPL-2.1-or-later
/* Nearly everything that is read here is worth a warning: they say nothing. */
void __wrap_warn(const char *format, ...);

void __wrap_warn(const char *format, ...)
{
	(void)format;
}
