# SPDX-License-Identifier: LGPL-2.1-or-later
# <linux/profil.h> and its like by their installed names, for the build: UAPI is
# these names, UAPI_LINKS what has to be there before anything is compiled. Included
# below the first target.

UAPI := linux/profil.h linux/profil_stacks.h
UAPI_LINKS := $(UAPI:%=$(O)/include/%)

$(UAPI_LINKS): $(O)/include/%: $(TOP)/include/uapi/%
	@mkdir -p $(@D)
	@ln -sf $< $@
