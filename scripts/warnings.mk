# SPDX-License-Identifier: LGPL-2.1-or-later
# Compiler warnings: WARNINGS for all C, STRICT_WARNINGS for C that is installed or runs
# in a guest.

# Warnings are errors in a git checkout only: a newer compiler's warning must not break
# the build from a tarball.
WERROR ?= $(if $(wildcard $(TOP)/.git),-Werror)

# clang does not know the attributes noclone and noipa, and does not need them.
WARNINGS := -Wall -Wextra $(WERROR) -Wno-unknown-attributes
STRICT_WARNINGS := $(WARNINGS) -Wmissing-prototypes -Wstrict-prototypes \
	-Wshadow -Wpointer-arith -Wundef
