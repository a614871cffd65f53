# SPDX-License-Identifier: LGPL-2.1-or-later
# What the two programs are made of, for all that builds it: tools/Makefile, the
# unit tests and the fuzzers. A directory's files are from the ground up: each
# includes what stands before it here.

TOOLS := $(abspath $(dir $(lastword $(MAKEFILE_LIST))))

common := memory hash_set clean_text message output path regular_file usage
reader := profile_header profile_file profile_extents profile_samples \
	profile_stream profile_cut
run := options own_files program command profile_directory preparation outcome \
	main

profile := stacks profile places pc_counts later_objects segments process_objects \
	process_names stack_records stack_loader load_file load_path
object := sysroot address_ranges demangled_name debug_files debug_units \
	debug_scopes debug_info object_file jit_map linkage_table unwind_table \
	symbol_table function_table system_calls symbols frames
content := address_space base64 gzip text_columns stack_frames functions row_maker \
	frames_of_stacks functions_of_places call_tree call_builder calls_of_stacks \
	callers_of_functions call_edges timeline time_range selection titles totals \
	disassembly listing
# What writers share, the writers, which know formats.h and their own parts, and the
# table that names them.
formats := json_stacks pprof_writer html_json html_packed html_groups \
	html_function html_bins html_tree html_stacks
formats += $(filter-out $(formats) format_table,$(sort \
	$(patsubst $(TOOLS)/formats/%.c,%,$(wildcard $(TOOLS)/formats/*.c)))) format_table
report := annotate change identities diff tree diff_tree groups options shortened_file main

files = $(foreach d,$(1),$($(d):%=$(d)/%))

PROFIL := $(call files,common reader run)
PROFIL_REPORT := $(call files,common reader profile object content formats report)
# Of libprofil, compiled into profil-report.
LIBRARY_PARTS := preload/gmon_out last_stacks stack_decoder
REPORT_LIBS := -ldw -lelf -lz -lprotobuf-c -liberty -ljansson -lm
