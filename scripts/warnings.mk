# SPDX-License-Identifier: LGPL-2.1-or-later
# What the compiler is to say, and to fail for: WARNINGS of all, STRICT_WARNINGS of
# C that is installed, or runs in a guest.

WARNINGS := -Wall -Wextra -Werror
STRICT_WARNINGS := $(WARNINGS) -Wmissing-prototypes -Wstrict-prototypes \
	-Wshadow -Wpointer-arith -Wundef
