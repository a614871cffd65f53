# SPDX-License-Identifier: LGPL-2.1-or-later
# O: the output directory. A Makefile has its files in OUT there, and "make clean" removes
# that, or what it names in CLEAN. With O empty or with a blank in it, these names would be
# wrong: /lib, or half of a path.

O ?= $(TOP)/build
ifneq ($(words $(O)),1)
$(error O="$(O)" is not usable: name one directory, without blanks)
endif

CLEAN = $(OUT)
clean:
	rm -rf $(CLEAN)
.PHONY: clean
# The first target is the Makefile's own.
.DEFAULT_GOAL :=
