# SPDX-License-Identifier: LGPL-2.1-or-later
# The sources of the two programs, for tools/Makefile, the unit tests and the
# fuzzers. Files of a directory are in order: each includes only earlier ones.

TOOLS := $(abspath $(dir $(lastword $(MAKEFILE_LIST))))

common := memory hash_set sort_keys varints clean_text progress message output regular_file usage \
	end_signals limits
reader := profile_header profile_file profile_extents profile_samples \
	profile_stream
# It sets registers, so it is for one machine.
attach := $(if $(filter x86_64-%,$(shell $(CC) -dumpmachine)),target interrupted thread \
	candidates trampoline remote handover code_map frame_index recording \
	executed attach,absent)
run := program options own_files command visit_files jit_dump kept_map previous_profile profile_cut \
	profile_directory preparation outcome follow switch attachment rotation main

profile := worker kept_names stacks profile waits places pc_counts later_objects segments \
	process_objects process_names process_phases stack_records records_ahead stack_loader load_path
object := sysroot source_file debuginfod address_ranges demangled_name debug_files debug_units \
	debug_scopes debug_info object_file jit_map linkage_table unwind_table \
	symbol_table function_table system_calls symbols frames
content := name_pattern address_space text_columns functions row_maker \
	frames_of_stacks functions_of_places call_builder calls_of_stacks reached identities \
	merged_calls \
	call_edges timeline time_range phases selection source_lines titles totals table \
	disassembly listing
# First the parts that writers share, then the writers, then the table of writers.
formats := pprof_writer json_text html_value \
	html_function html_bins html_tree html_stacks
formats += $(filter-out $(formats) format_table,$(sort \
	$(patsubst $(TOOLS)/formats/%.c,%,$(wildcard $(TOOLS)/formats/*.c)))) format_table
serve := peer job server main
top := counts live_file live_profile recorder screen view top
report := annotate keep_names change diff tree diff_tree groups options shortened_file main

files = $(foreach d,$(1),$($(d):%=$(d)/%))

PROFIL := $(call files,common reader attach run)
PROFIL_REPORT := $(call files,common reader profile object content formats top report)
PROFIL_SERVE := $(call files,common serve)
# Parts of libprofil that profil and profil-report contain.
PROFIL_LIBRARY_PARTS := memory $(addprefix preload/,file file_log file_size file_room \
	file_create start_request)
LIBRARY_PARTS := preload/gmon_out last_stacks stack_decoder
REPORT_LIBS := -pthread -ldw -lelf -lz -liberty -ljansson -lcapstone -lncursesw -lm
SERVE_LIBS := -lmicrohttpd
