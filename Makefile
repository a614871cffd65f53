# SPDX-License-Identifier: LGPL-2.1-or-later
#
# The front end for people; "make help" lists the targets. Kbuild has the facts about the
# module, and each other directory has its own Makefile.

TOP := $(abspath $(dir $(lastword $(MAKEFILE_LIST))))
# make splits a path at its blanks.
blank = $(if $(word 2,x$1x),$(error $2 "$(strip $1)" has a blank, which make cannot handle: $3))
$(call blank,$(TOP),the directory,move the sources)
include $(TOP)/VERSION

# O is the output directory, CACHE keeps downloads.
include $(TOP)/scripts/output.mk
CACHE ?= $(or $(XDG_CACHE_HOME),$(HOME)/.cache)/libprofil
kernels = $(shell sed -n 's/^$(1)_KERNELS="\(.*\)"/\1/p' $(TOP)/scripts/common.sh)
# K is the kernel of "make modules" and "make shell": one of these, or host.
KERNELS := $(foreach k,PACKAGED FURTHER BUILT,$(call kernels,$k))
K ?= 6.1
override O := $(abspath $(O))
export O CACHE

# The kernel of "make" and "make install": the running one, or that of KDIR.
MODULES ?= /lib/modules
RELEASE ?= $(if $(KDIR),$(shell KDIR='$(KDIR)' $(TOP)/scripts/kernel.sh release host),$(shell uname -r))
MODULEDIR ?= $(MODULES)/$(RELEASE)/extra
HEADERS := $(or $(KDIR),$(MODULES)/$(RELEASE)/build)
DEPS := $(TOP)/scripts/deps.sh
RUN := $(TOP)/tests/qemu/run.sh
# The input of the demo's first program.
DEMO_INPUT ?= $(wildcard $(TOP)/kmod/*.c $(TOP)/kmod/*/*.c $(TOP)/libprofil/*.c)
# Suites of tests/suite.sh, two at a time.
TESTS := $(TOP)/tests/run.pl
CHECK := guest:$(K):i guest:$(K):smp unit lib

all: lib tools module ## Build the library, the tools, and the module for kernel RELEASE

deps: ## Install the packages that "make" needs
	@RELEASE=$(RELEASE) $(DEPS) library tools headers

help: ## Print this list
	@sed -n 's/^\([a-z%-]*\):[^#]*## \(.*\)/  make \1\t\2/p' \
		$(MAKEFILE_LIST) | expand -t 24
	@echo "Variables: O=$(O)"
	@echo "           CACHE=$(CACHE)"
	@echo "           K=$(K) (kernel: $(KERNELS)); KDIR= and KERNEL= name your own"
	@echo "           RELEASE=$(RELEASE) (kernel to build and install the module for)"
	@echo "           PREFIX=/usr/local (or prefix=), DESTDIR=, V=1 (show commands)"
	@echo "           FILES= (programs and files for \"make shell\")"
	@echo "demo, check, check-all, test-NAME, compare, bench, rivals, pictures, lint, shell,"
	@echo "distcheck and kernel-patch install the packages that they need; other targets"
	@echo "print the missing ones."

quiet := $(if $(V),,-s)

lib:
	@$(DEPS) -n library
	@[ -e $(O)/lib/libprofil.so ] || \
		echo "Building the library and the tools: a minute. V=1 shows the commands."
	@$(MAKE) --no-print-directory $(quiet) -C libprofil all
	@$(MAKE) --no-print-directory $(quiet) -C libprofil/preload all

tools: ## Build the command profil
	@$(DEPS) -n tools
	@$(MAKE) --no-print-directory $(quiet) -C tools all

module:
	@if [ -e "$(HEADERS)/Makefile" ]; then \
		KDIR=$(HEADERS) $(TOP)/scripts/module.sh host; \
	else \
		echo "No module built: $(HEADERS) has no headers of kernel $(RELEASE)."; \
		echo "Install linux-headers-$(RELEASE) (try \"make deps\"), name another" \
			"kernel with RELEASE=, or build for a guest's kernel: make modules K=$(K)"; \
	fi

modules: ## Build the module for kernel K
	@$(DEPS) -n module
	@$(TOP)/scripts/kernel.sh fetch $(K)
	@$(TOP)/scripts/module.sh $(K)

demo: ## Profile three programs in a guest
	@$(DEPS) guest
	@echo "Building, then booting a virtual machine: a minute or two."
	@$(MAKE) --no-print-directory -s -C examples all
	@$(RUN) -i -o $(O)/demo -f $(O)/examples $(DEMO_INPUT:%=-f %) \
		-e EXAMPLES=$(O)/examples \
		-- $(TOP)/examples/demo.sh $(DEMO_INPUT)
	@echo "The results are in $(O)/demo: open profil.html in a browser."

# prepare.sh builds what the suites share before they run side by side.
check: ## Run the unit tests, and the selftests in two guests with kernel K
	@$(DEPS) unit guest
	@echo "Building, then testing: about 5 minutes on two CPUs."
	@$(TOP)/tests/prepare.sh $(K)
	@$(TESTS) $(CHECK) $(MORE)

check-all: ## Run all suites, for all kernels and machines: many hours
	@$(DEPS) all
	@$(TOP)/tests/prepare.sh $(K)
	@$(TESTS) $$($(TOP)/tests/suite.sh -a)

test-%: ## Run one suite: "tests/suite.sh -h" lists them
	@$(DEPS) unit guest
	@$(TESTS) $*

compare: ## Compare the call trees of profil, perf and gperftools
	@$(DEPS) compare
	@$(TESTS) compare

bench: ## Measure what profiling costs, in instructions, with kernel K
	@$(DEPS) guest
	@$(MAKE) --no-print-directory -s -C tests/bench run K=$(K)

rivals: ## Compare the costs of profil and other profilers
	@$(DEPS) rivals
	@$(TESTS) rivals

pictures: tools ## Draw the pictures of the documents, docs/flame.svg and docs/terminal.svg
	@$(DEPS) guest
	@$(TOP)/scripts/pictures.pl

lint: ## Run the static checks
	@$(DEPS) lint
	@$(TESTS) lint:all

# With the examples, to try profil on. FILES are programs and files of the user's.
shell: ## Open a shell in a guest, with the programs and files in FILES
	@$(DEPS) guest
	@echo "Building, then booting a virtual machine: a minute or two."
	@echo "What is in its directory /out at the end comes to $(O)/shell."
	@$(MAKE) --no-print-directory -s -C examples all
	@$(RUN) -s -k $(K) -o $(O)/shell -f $(O)/examples $(FILES:%=-f %)

# The installed path of the module for kernel RELEASE.
KO = $(DESTDIR)$(MODULEDIR)/profil.ko
remove_module = rm -f "$(KO)" && $(TOP)/scripts/prune.sh "$(DESTDIR)" "" "$(DESTDIR)$(MODULEDIR)"

# Parts that are not below PREFIX need root; DESTDIR takes everything.
privileged = [ -n "$(DESTDIR)" ] || [ "$$(id -u)" = 0 ]

install: all ## Install the library, the tools and, if it was built, the module
	@$(MAKE) --no-print-directory -C libprofil install
	@$(MAKE) --no-print-directory -C libprofil/preload install
	@$(MAKE) --no-print-directory -C tools install
	@if $(privileged); then $(MAKE) --no-print-directory install-module; else \
		echo "The module and its udev rule need root and are not installed:" \
			"sudo make install-module"; \
	fi

install-module: module ## Install only what needs root: the module, its udev rule, loading at boot
	@$(MAKE) --no-print-directory -C libprofil install INSTALL_LIST='$$(MODULE_LIST)'
	@if [ -e $(O)/$(RELEASE)/profil.ko ]; then \
		install -D -m 644 $(O)/$(RELEASE)/profil.ko "$(KO)" && \
		{ [ -n "$(DESTDIR)" ] || depmod -a $(RELEASE); }; \
	fi
	@[ -n "$(DESTDIR)" ] || ldconfig
	@[ -n "$(DESTDIR)" ] || [ -z "$(wildcard $(MODULES)/$(RELEASE)/updates/dkms/profil.ko*)" ] || \
		echo "DKMS has another module for kernel $(RELEASE), and modprobe loads that one." \
			"\"make dkms-install\" replaces it, \"make dkms-uninstall\" removes it."

uninstall: ## Remove what "make install" installed
	@$(MAKE) --no-print-directory -C libprofil uninstall
	@$(MAKE) --no-print-directory -C libprofil/preload uninstall
	@$(MAKE) --no-print-directory -C tools uninstall
	@! { $(privileged); } || { $(remove_module); }
	@[ -n "$(DESTDIR)" ] || ! { $(privileged); } || \
		{ [ ! -d $(MODULES)/$(RELEASE) ] || depmod -a $(RELEASE); ldconfig; }

# DESTDIR gets only the sources. DKMS= may have options for DKMS's directories. The
# variables of this make mean something else to a kernel's make.
DKMS ?= dkms
dkms = $(if $(DESTDIR),:,env -u MAKEFLAGS -u MFLAGS -u MAKELEVEL -u O $(DKMS))
# From "profil/1.0.0, KERNEL, MACHINE: installed", or from "profil, 1.0.0" of older versions.
dkms_versions = $(dkms) status -m profil | sed -n 's/^profil[/,] *\([^,: ]*\).*/\1/p' | sort -u

# DKMS does not install its module, but says so, if "make install" has put one of the same
# version there. So remove that one.
dkms-install: dkms-uninstall ## Have DKMS build the module for kernel RELEASE and future ones
	@$(MAKE) --no-print-directory -C packaging/dkms install
	@$(if $(DESTDIR),,$(remove_module))
	@$(dkms) add profil/$(VERSION)
	@$(dkms) install profil/$(VERSION) -k $(RELEASE) --kernelsourcedir $(HEADERS)

# All versions: another one would come back with the next kernel, and a later one would stay.
dkms-uninstall: ## Remove what "make dkms-install" installed, of any version, for all kernels
	@$(if $(DESTDIR),,$(DEPS) -n dkms)
	@$(dkms_versions) | while read -r version; do \
		$(dkms) remove profil/$$version --all </dev/null || \
			[ "$$version" != $(VERSION) ] || exit; \
		$(MAKE) --no-print-directory -C packaging/dkms VERSION="$$version" remove; \
	done
	@$(MAKE) --no-print-directory -C packaging/dkms uninstall

dist: ## Make the tarball of a release, libprofil-VERSION.tar.gz
	@$(TOP)/scripts/dist.sh

distcheck: ## Build, install and test the tarball
	@$(DEPS) module dkms
	@$(TESTS) dist:all

deb: ## Build Debian packages of the tarball, in O/deb
	@$(DEPS) -n deb
	@$(TOP)/scripts/deb.sh binary

CLEAN := $(O)
clean: ## Remove the output directory (downloads stay)

kernel-patch: ## Write the module as patches for kernel 6.12, in O/kernel-patch
	@$(DEPS) series
	@$(TOP)/scripts/kernel.sh fetch-source 6.12
	@$(TOP)/scripts/kernel_patch.sh check
	@echo "The series is in $(O)/kernel-patch."

distclean: clean ## Also remove the downloads and the built kernels
	@$(TOP)/scripts/kernel.sh clean all
	@$(TOP)/scripts/qemu.sh clean
	@$(TOP)/scripts/chroot.sh clean all

# tools is a directory, too.
.PHONY: all bench rivals pictures deps help lib tools module modules demo check check-all \
	compare lint shell install install-module uninstall dkms-install dkms-uninstall dist distcheck deb \
	kernel-patch clean distclean
