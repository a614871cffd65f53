# SPDX-License-Identifier: LGPL-2.1-or-later
# What the compiler is to say: WARNINGS of all, STRICT_WARNINGS of C that is installed,
# or runs in a guest.

# And to fail for, where it is worked on. From a tarball, as packages are built, the
# next compiler's warning is to stop nobody.
WERROR ?= $(if $(wildcard $(TOP)/.git),-Werror)

# clang does not know noclone and noipa, and does not do what those forbid.
WARNINGS := -Wall -Wextra $(WERROR) -Wno-unknown-attributes
STRICT_WARNINGS := $(WARNINGS) -Wmissing-prototypes -Wstrict-prototypes \
	-Wshadow -Wpointer-arith -Wundef
