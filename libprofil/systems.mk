# SPDX-License-Identifier: LGPL-2.1-or-later
# $(SYSTEMS): the systems in the table of dialects; $(call system_name,SYSTEM).
# $(LIBC): musl, which lacks headers for profil() and sprofil(), so its programs need
# those of include/musl; empty for a libc that has them.

DIALECTS_H := $(TOP)/include/libprofil/dialects.h
SYSTEMS := $(shell sed -n 's/^\tsystem.\([a-z0-9]*\),.*/\1/p' $(DIALECTS_H))
system_name = $(shell sed -n 's/^\tsystem.$(1), "\([^"]*\)".*/\1/p' $(DIALECTS_H))
# Test the compiler first: without one, LIBC stays empty.
has_header = $(CC) $(CPPFLAGS) $(CFLAGS) -fsyntax-only $(1) -x c /dev/null 2>/dev/null
LIBC := $(shell $(call has_header,) && ! $(call has_header,-include sys/profil.h) && \
	echo musl)
