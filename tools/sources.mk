# SPDX-License-Identifier: LGPL-2.1-or-later
# What the two programs are made of, for all that builds it: tools/Makefile, the
# unit tests and the fuzzers.

SHARED := reader/profile_file regular text tool
RUN := run/command run/profile_directory run/main $(SHARED)
# profil-report without its main().
REPORT_PARTS := report/annotate object/debug_files content/text_columns object/debug content/disassembly content/function_rows object/jit_map \
	profile/later_objects content/address_space content/listing object/demangled_name profile/pc_counts object/linkage_table profile/profile object/address_ranges formats/callgrind \
	formats/cpuprofile report/diff formats/folded formats/gmon formats/html \
	formats/json formats/pprof formats/text content/selection object/symbols object/unwind_table $(SHARED)
REPORT_LIBS := -ldw -lelf -lz -lprotobuf-c -liberty -ljansson
