# SPDX-License-Identifier: LGPL-2.1-or-later
# What the two programs are made of, for all that builds it: tools/Makefile, the
# unit tests and the fuzzers.

SHARED := reader/profile_file regular text tool
RUN := run/command run/profile_directory run/main $(SHARED)
# profil-report without its main().
REPORT_PARTS := annotate beside columns debug disassembly functions jit \
	profile/later_objects layout listing names profile/pc_counts plt profile/profile ranges report_callgrind \
	report_cpuprofile report_diff report_folded report_gmon report_html \
	report_json report_pprof report_text select symbols unwind $(SHARED)
REPORT_LIBS := -ldw -lelf -lz -lprotobuf-c -liberty -ljansson
