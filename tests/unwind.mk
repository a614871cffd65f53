# SPDX-License-Identifier: LGPL-2.1-or-later
#
# UNWIND: the files of kmod/ that a walk from frame to frame is made of. They are pure:
# tests on the host compile them as the module does.
UNWIND	:= $(filter-out unwind_current,$(filter cfi_% unwind%,$(patsubst %.o,%, \
	   $(shell grep '^profil-' $(TOP)/kmod/Kbuild))))
