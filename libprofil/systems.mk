# SPDX-License-Identifier: LGPL-2.1-or-later
# The systems of the table of dialects: $(SYSTEMS), and $(call system_name,SYSTEM).
# And $(LIBC): musl, whose programs need headers of ours for profil() and sprofil(),
# as they do for another system's; nothing where libc has its own.

DIALECTS_H := $(TOP)/include/libprofil/dialects.h
SYSTEMS := $(shell sed -n 's/^\tsystem.\([a-z0-9]*\),.*/\1/p' $(DIALECTS_H))
system_name = $(shell sed -n 's/^\tsystem.$(1), "\([^"]*\)".*/\1/p' $(DIALECTS_H))
# A compiler that is not there tells nothing.
has_header = $(CC) $(CPPFLAGS) $(CFLAGS) -fsyntax-only $(1) -x c /dev/null 2>/dev/null
LIBC := $(shell $(call has_header,) && ! $(call has_header,-include sys/profil.h) && \
	echo musl)
