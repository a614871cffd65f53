/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* In place of kmod/compat.h: words of WORD_BITS, whose accesses the test sees. */
#ifndef _COUNTER_WORDS_H
#define _COUNTER_WORDS_H

#include <stdbool.h>
#include <stddef.h>
#include <errno.h>

#include <linux/compiler.h>
#include <linux/limits.h>
#include <linux/types.h>

#if WORD_BITS == 64
typedef u64 profil_word;
#else
typedef u32 profil_word;
#endif

#define profil_words_begin(word)	true
#define profil_words_end()		do { } while (0)
#define profil_tags_ignore()		do { } while (0)
#define profil_tags_compare()		do { } while (0)

int profil_word_load(profil_word *value, const profil_word __user *word);
int profil_word_cas(profil_word __user *word, profil_word *old, profil_word new);

#endif /* _COUNTER_WORDS_H */
