# SPDX-License-Identifier: LGPL-2.1-or-later
# O: the output directory. Makefiles remove their files there by name. With O empty or
# with a blank in it, these names would be wrong: /lib, or half of a path.

O ?= $(TOP)/build
ifneq ($(words $(O)),1)
$(error O="$(O)" is not usable: name one directory, without blanks)
endif
