// SPDX-License-Identifier: GPL-2.0-only
/*
 * The walker once more, for 32-bit programs on x86-64: the same files with the words and
 * registers of machine_i386.h, and with other names. So walks of 64-bit code have no
 * instruction for it. Both walkers have the same structures, but no walk may use rules of the
 * other one's: stack/walk.c gives them different generations.
 */
#ifdef __x86_64__

#define PROFIL_FOR_i386 1

#define profil_bytes_fail		profil_bytes_fail_i386
#define profil_bytes_fill		profil_bytes_fill_i386
#define profil_bytes_long_leb		profil_bytes_long_leb_i386
#define profil_bytes_other_encoded	profil_bytes_other_encoded_i386
#define profil_bytes_seek		profil_bytes_seek_i386
#define profil_cfi_look_up		profil_cfi_look_up_i386
#define profil_guess_by_fp		profil_guess_by_fp_i386
#define profil_guess_caller		profil_guess_caller_i386
#define profil_guess_is_behind_call	profil_guess_is_behind_call_i386
#define profil_object_fde		profil_object_fde_i386
#define profil_object_search		profil_object_search_i386
#define profil_row_follow		profil_row_follow_i386
#define profil_rule_make		profil_rule_make_i386
#define profil_rules_clear		profil_rules_clear_i386
#define profil_rules_copy		profil_rules_copy_i386
#define profil_trail_end		profil_trail_end_i386
#define profil_trail_fill		profil_trail_fill_i386
#define profil_trail_fp_at		profil_trail_fp_at_i386
#define profil_trail_join		profil_trail_join_i386
#define profil_trail_pass		profil_trail_pass_i386
#define profil_trail_use		profil_trail_use_i386
#define profil_unwind_begin		profil_unwind_begin_i386
#define profil_unwind_frames		profil_unwind_frames_i386
#define profil_unwind_next		profil_unwind_next_i386
#define profil_unwind_on		profil_unwind_on_i386

#include "unwind/bytes.c"
#include "unwind/object.c"
#include "unwind/cfi.c"
#include "unwind/row.c"
#include "unwind/guess_x86.c"
#include "unwind/rule.c"
#include "unwind/trail.c"
#include "unwind/unwind.c"

#endif
