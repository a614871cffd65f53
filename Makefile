# SPDX-License-Identifier: LGPL-2.1-or-later
#
# The human front end; "make help" lists what it can do. Facts about the
# module are in Kbuild, each other directory has a Makefile of its own.

TOP := $(abspath $(dir $(lastword $(MAKEFILE_LIST))))
# make takes what has a blank in it for two.
blank = $(if $(word 2,x$1x),$(error $2 "$(strip $1)" has a blank in it, and make cannot have that: \
	$3))
$(call blank,$(TOP),the directory,move the sources)
include $(TOP)/VERSION

# Where everything goes that is built, and where downloads are kept.
include $(TOP)/scripts/output.mk
CACHE ?= $(or $(XDG_CACHE_HOME),$(HOME)/.cache)/libprofil
kernels = $(shell sed -n 's/^$(1)_KERNELS="\(.*\)"/\1/p' $(TOP)/scripts/common.sh)
# Kernel of "make modules" and "make shell": one of these, or host.
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
# What the first program of the demo works on.
DEMO_INPUT ?= $(wildcard $(TOP)/kmod/*.c $(TOP)/libprofil/*.c)
SUITE := $(TOP)/tests/suite.sh

all: lib tools module ## The library, the tools, and the module for kernel RELEASE

deps: ## Install the packages that "make" needs
	@RELEASE=$(RELEASE) $(DEPS) library tools headers

help: ## This list
	@sed -n 's/^\([a-z-]*\):[^#]*## \(.*\)/  make \1\t\2/p' \
		$(MAKEFILE_LIST) | expand -t 24
	@echo "Variables: O=$(O)"
	@echo "           CACHE=$(CACHE)"
	@echo "           K=$(K) (kernel: $(KERNELS)), KDIR= and KERNEL= for one of your own"
	@echo "           RELEASE=$(RELEASE) (kernel to build the module for, and to install it)"
	@echo "           PREFIX=/usr/local (or prefix=), DESTDIR="
	@echo "What is called check, compare, demo, bench, performance, coverage, lint, distcheck,"
	@echo "kernel-patch or shell installs the packages that it needs; the rest says what is missing."

lib:
	@$(DEPS) -n library
	@$(MAKE) --no-print-directory -C libprofil all
	@$(MAKE) --no-print-directory -C libprofil/preload all

tools: ## The command profil
	@$(DEPS) -n tools
	@$(MAKE) --no-print-directory -C tools all

module:
	@if [ -e "$(HEADERS)/Makefile" ]; then \
		KDIR=$(HEADERS) $(TOP)/scripts/module.sh host; \
	else \
		echo "No module built: there are no headers of kernel" \
			"$(RELEASE) in $(HEADERS)."; \
		echo "Install linux-headers-$(RELEASE) (\"make deps\" does, if" \
			"it can), name another kernel with RELEASE=, or build" \
			"for a guest's: make modules K=$(K)"; \
	fi

modules: ## The module for kernel K
	@$(DEPS) -n module
	@$(TOP)/scripts/kernel.sh fetch $(K)
	@$(TOP)/scripts/module.sh $(K)

demo: ## Three programs profiled in a guest
	@$(DEPS) guest
	@$(MAKE) --no-print-directory -s -C examples all
	@$(RUN) -i -o $(O)/demo -f $(O)/examples $(DEMO_INPUT:%=-f %) \
		-e EXAMPLES=$(O)/examples \
		-- $(TOP)/examples/demo.sh $(DEMO_INPUT)
	@echo "The results are in $(O)/demo."

check: ## Unit tests, and the selftests in guests with kernel K
	@$(DEPS) unit guest
	@$(SUITE) unit lib guest:$(K):i guest:$(K):4

check-clients: ## Programs profiled in a guest, and the viewers of profiles
	@$(DEPS) clients
	@$(SUITE) tools clients

compare: ## The call trees of profil, perf and gperftools, of the same programs
	@$(DEPS) compare
	@$(SUITE) compare

check-kernels: ## The suites of all kernels that CI has no time for
	@$(DEPS) guest m32 clang patched
	@$(SUITE) $$($(TOP)/tests/kernels.sh -l)

check-debug: ## The selftests, and the runner's, with the debug kernel
	@$(DEPS) debug
	@$(SUITE) guest:debug:4 runner:debug

coverage: ## Which lines of the module the suites of the debug kernel run
	@$(DEPS) debug
	@rm -rf $(O)/coverage/data
	@COVERAGE=$(O)/coverage/data $(SUITE) -k guest:debug:4 \
		faultinj:debug iofuzz:debug stress:debug
	@$(TOP)/scripts/coverage.sh $(O)/coverage/data

check-races: ## The selftests, and the runner's, with the kernel that sees races
	@$(DEPS) debug
	@$(SUITE) guest:kcsan:4 runner:kcsan

check-stress: ## Stress, fuzzing and fault injection, with the debug kernel
	@$(DEPS) debug
	@$(SUITE) stress:debug iofuzz:debug faultinj:debug

check-model: ## All states of a model of the deferral
	@$(DEPS) model
	@$(SUITE) model

bench: ## What profiling costs, in instructions, with kernel K
	@$(DEPS) guest
	@$(MAKE) --no-print-directory -s -C tests/bench run K=$(K)

performance: ## The same beside other profilers; draws docs/performance.svg
	@$(DEPS) rivals
	@$(MAKE) --no-print-directory -s -C tests/bench rivals
	@$(TOP)/tests/bench/compare.sh draw

check-runner: ## The tests of the guest runner
	@$(DEPS) guest
	@$(SUITE) runner

table: ## README.md's table of results, with what was run since
	@$(TOP)/tests/table.sh

lint: ## Static checks of everything
	@$(DEPS) lint
	@$(SUITE) lint

# With a program that knows nothing of it, to try profil on.
shell: ## An interactive guest
	@$(DEPS) guest
	@$(MAKE) --no-print-directory -s -C examples all
	@$(RUN) -s -k $(K) -f $(O)/examples

# The module for kernel RELEASE, as "make install" puts it there.
KO = $(DESTDIR)$(MODULEDIR)/profil.ko
remove_module = rm -f "$(KO)" && $(TOP)/scripts/prune.sh "$(DESTDIR)" "" "$(DESTDIR)$(MODULEDIR)"

install: all ## Install the library, the tools and, if it was built, the module
	@$(MAKE) --no-print-directory -C libprofil install
	@$(MAKE) --no-print-directory -C libprofil/preload install
	@$(MAKE) --no-print-directory -C tools install
	@if [ -e $(O)/$(RELEASE)/profil.ko ]; then \
		install -D -m 644 $(O)/$(RELEASE)/profil.ko "$(KO)" && \
		{ [ -n "$(DESTDIR)" ] || depmod -a $(RELEASE); }; \
	fi
	@[ -n "$(DESTDIR)" ] || ldconfig
	@[ -n "$(DESTDIR)" ] || [ -z "$(wildcard $(MODULES)/$(RELEASE)/updates/dkms/profil.ko*)" ] || \
		echo "DKMS has a module for kernel $(RELEASE), and that is the one which is" \
			"loaded: \"make dkms-install\" renews it, \"make dkms-uninstall\" removes it."

uninstall: ## Remove what "make install" installed
	@$(MAKE) --no-print-directory -C libprofil uninstall
	@$(MAKE) --no-print-directory -C libprofil/preload uninstall
	@$(MAKE) --no-print-directory -C tools uninstall
	@$(remove_module)
	@[ -n "$(DESTDIR)" ] || { depmod -a $(RELEASE); ldconfig; }

# DESTDIR gets the sources and no more. DKMS= may say where DKMS has its files. What
# this make has set for others means something else to a kernel's.
DKMS ?= dkms
dkms = $(if $(DESTDIR),:,env -u MAKEFLAGS -u MFLAGS -u MAKELEVEL -u O $(DKMS))
# Of "profil/1.0.0, KERNEL, MACHINE: installed", or as older ones have it "profil, 1.0.0".
dkms_versions = $(dkms) status -m profil | sed -n 's/^profil[/,] *\([^,: ]*\).*/\1/p' | sort -u

# DKMS calls its own installed, and does not install it, where "make install" has put one
# of the same version.
dkms-install: dkms-uninstall ## Have DKMS build the module for kernel RELEASE and those to come
	@$(MAKE) --no-print-directory -C packaging/dkms install
	@$(if $(DESTDIR),,$(remove_module))
	@$(dkms) add profil/$(VERSION)
	@$(dkms) install profil/$(VERSION) -k $(RELEASE) --kernelsourcedir $(HEADERS)

# Another version would come back with the next kernel, and a later one would stay.
dkms-uninstall: ## Remove what "make dkms-install" installed, of any version, for all kernels
	@$(if $(DESTDIR),,$(DEPS) -n dkms)
	@$(dkms_versions) | while read -r version; do \
		$(dkms) remove profil/$$version --all </dev/null || \
			[ "$$version" != $(VERSION) ] || exit; \
		$(MAKE) --no-print-directory -C packaging/dkms VERSION="$$version" remove; \
	done
	@$(MAKE) --no-print-directory -C packaging/dkms uninstall

dist: ## The tarball of a release, libprofil-VERSION.tar.gz
	@$(TOP)/scripts/dist.sh

distcheck: ## That what is in the tarball builds, installs and passes its tests
	@$(DEPS) unit tools module dkms abi
	@$(SUITE) dist abi

deb: ## Debian's packages of what "make dist" makes, in O/deb
	@$(DEPS) -n deb
	@$(TOP)/scripts/deb.sh binary

rpm: ## RPM's packages of the same, with what is installed here, in O/rpm
	@$(DEPS) -n rpm
	@$(TOP)/scripts/rpm.sh binary

alpine: ## What Alpine's abuild makes packages of, in O/alpine
	@$(TOP)/scripts/alpine.sh

check-packages: ## Debian's are built, installed, tried and purged in clean systems; as root
	@$(DEPS) packages
	@$(SUITE) packages:bookworm packages:trixie

clean: ## Remove all that was built (downloads stay)
	rm -rf $(O)

kernel-patch: ## The module as patches to a kernel's source, 6.12's, in O/kernel-patch
	@$(DEPS) series
	@$(TOP)/scripts/kernel.sh fetch-source 6.12
	@$(TOP)/scripts/kernel_patch.sh check
	@echo "The series is in $(O)/kernel-patch."

distclean: clean ## Remove the downloads and the kernels built, too
	@$(TOP)/scripts/kernel.sh clean all
	@$(TOP)/scripts/qemu.sh clean
	@$(TOP)/scripts/chroot.sh clean all

# tools is a directory, too.
.PHONY: all bench performance deps help lib tools module modules demo check check-clients compare \
	check-kernels check-debug check-races check-stress check-model coverage \
	check-runner table lint shell install uninstall dkms-install dkms-uninstall \
	dist distcheck deb rpm alpine check-packages kernel-patch clean distclean
