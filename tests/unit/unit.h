/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* cmocka, and what the headers of all its versions need before them. */
#ifndef _UNIT_H
#define _UNIT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

/* As gcc says it, which has both since 14. */
#if defined(__has_feature) && !defined(__SANITIZE_ADDRESS__)
#if __has_feature(address_sanitizer)
#define __SANITIZE_ADDRESS__
#endif
#endif

#define ARRAY_SIZE(a)	(sizeof(a) / sizeof((a)[0]))

#endif /* _UNIT_H */
