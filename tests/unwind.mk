# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Find the module's files by name, in any folder of kmod/.
vpath %.c $(TOP)/kmod $(wildcard $(TOP)/kmod/*/)

# UNWIND: the files of kmod/unwind/. They use no kernel interface, so tests on the host
# compile the same files as the module.
UNWIND	:= $(notdir $(filter unwind/%,$(patsubst %.o,%, \
	   $(shell grep '^profil-' $(TOP)/kmod/Kbuild))))
