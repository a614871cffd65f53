# SPDX-License-Identifier: LGPL-2.1-or-later
# The targets install, uninstall and list, for a Makefile that sets INSTALL_LIST with
# install_files and install_link. DESTDIR and PREFIX say where to install.

# Both spellings work: prefix, as in the GNU tools, and PREFIX.
prefix ?= /usr/local
PREFIX ?= $(prefix)
LIBDIR ?= $(PREFIX)/lib

# Each Makefile would take a relative path from its own directory; a blank ends a path.
$(foreach v,PREFIX LIBDIR,$(if $(filter-out /%,$($v)),$(error $v=$($v) does not begin with \
	a /, or has a blank in it)))
$(if $(filter-out /%,$(firstword $(DESTDIR))),$(error DESTDIR=$(DESTDIR) does not begin with a /))

# Whether an ordinary user installs onto the system itself.
AS_USER := $(if $(DESTDIR),,$(filter-out 0,$(shell id -u)))

# $(call install_files,FILE...,DIRECTORY,MODE)
install_files = $(foreach file,$(1),$(file):$(2)/$(notdir $(file)):$(3))
# $(call install_link,NAME,DIRECTORY,TARGET)
install_link = >$(3):$(2)/$(1):link

# Runs a command with $from, $to and $mode of each item; $from of a link begins with ">".
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
