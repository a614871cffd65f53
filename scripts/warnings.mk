# SPDX-License-Identifier: LGPL-2.1-or-later
# What the compiler is to say, and to fail for: WARNINGS of all, STRICT_WARNINGS of
# C that is installed, or runs in a guest.

# clang does not know noclone and noipa, and does not do what those forbid.
WARNINGS := -Wall -Wextra -Werror -Wno-unknown-attributes
STRICT_WARNINGS := $(WARNINGS) -Wmissing-prototypes -Wstrict-prototypes \
	-Wshadow -Wpointer-arith -Wundef
