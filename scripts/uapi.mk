# SPDX-License-Identifier: LGPL-2.1-or-later
# Links for the build, so that <linux/profil.h> and <linux/profil_stacks.h> are found by
# their installed names. UAPI has the names; files to compile depend on UAPI_LINKS.
# Include this after the first target.

UAPI := linux/profil.h linux/profil_stacks.h
UAPI_LINKS := $(UAPI:%=$(O)/include/%)

$(UAPI_LINKS): $(O)/include/%: $(TOP)/include/uapi/%
	@mkdir -p $(@D)
	@ln -sf $< $@
