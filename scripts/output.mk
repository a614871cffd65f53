# SPDX-License-Identifier: LGPL-2.1-or-later
# Where everything goes that is built: O. Makefiles remove what they have put there
# by its name, which is not to be another one's: /lib, or the half of a path.

O ?= $(TOP)/build
ifneq ($(words $(O)),1)
$(error O= is to be one directory without blanks in its name, not "$(O)")
endif
