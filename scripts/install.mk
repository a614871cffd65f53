# SPDX-License-Identifier: LGPL-2.1-or-later
# install, uninstall and list, for a Makefile that has put into INSTALL_LIST what
# there is to install, as install_files and install_link make it, and where to
# begin into DESTDIR and PREFIX.

# As the GNU tools have it, or as others do.
prefix ?= /usr/local
PREFIX ?= $(prefix)
LIBDIR ?= $(PREFIX)/lib

# Each Makefile would take it from its own directory, and a blank ends it.
$(foreach v,PREFIX LIBDIR,$(if $(filter-out /%,$($v)),$(error $v=$($v) does not begin with \
	a /, or has a blank in it)))
$(if $(filter-out /%,$(firstword $(DESTDIR))),$(error DESTDIR=$(DESTDIR) does not begin with a /))

# $(call install_files,FILE...,DIRECTORY,MODE)
install_files = $(foreach file,$(1),$(file):$(2)/$(notdir $(file)):$(3))
# $(call install_link,NAME,DIRECTORY,TARGET)
install_link = >$(3):$(2)/$(1):link

# With $from, $to and $mode of each; $from of a link begins with ">".
each = set -e; for item in $(patsubst %,'%',$(INSTALL_LIST)); do \
	from="$${item%%:*}"; mode="$${item\#\#*:}"; \
	to="$${item\#*:}"; to="$(DESTDIR)$${to%:*}"; $(1); done

install: all
	@$(call each,if [ "$$mode" = link ]; then ln -sf "$${from#>}" "$$to"; \
		else install -D -m $$mode "$$from" "$$to"; fi)

uninstall:
	@$(call each,rm -f "$$to")
	@$(call each,$(TOP)/scripts/prune.sh "$(DESTDIR)" "$(PREFIX)" "$${to%/*}")

list:
	@$(call each,echo "$$to")

.PHONY: install uninstall list
