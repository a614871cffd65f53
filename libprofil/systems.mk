# SPDX-License-Identifier: LGPL-2.1-or-later
# The systems of the table of dialects: $(SYSTEMS), and $(call system_name,SYSTEM).

DIALECTS_H := $(TOP)/include/libprofil/dialects.h
SYSTEMS := $(shell sed -n 's/^\tsystem.\([a-z0-9]*\),.*/\1/p' $(DIALECTS_H))
system_name = $(shell sed -n 's/^\tsystem.$(1), "\([^"]*\)".*/\1/p' $(DIALECTS_H))
