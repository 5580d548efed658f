# vmtap: static probes for language VMs, and the command that reads them.
#
#   make            build/vmtap, build/toy, build/toy-noprobes, build/libvmtap.{a,so}
#   make demo       build, then show it at work on the toy VM
#   make check      build and run the tests (SAN=1: under ASan and UBSan)
#   make bench      measure, as ratios side by side
#   make install    PREFIX=/usr/local DESTDIR=
#
# V=1 shows commands. CC=clang builds with clang. VMTAP_NO_INSTALL=1 keeps every target
# from installing packages. Everything generated lies under build/.

VERSION := 0.1.0
SOVERSION := 0

PREFIX ?= /usr/local
DESTDIR ?=
BINDIR ?= $(PREFIX)/bin
LIBDIR ?= $(PREFIX)/lib
INCLUDEDIR ?= $(PREFIX)/include
DATADIR ?= $(PREFIX)/share/vmtap
MANDIR ?= $(PREFIX)/share/man

ifeq ($(origin CC),default)
CC := gcc
endif
DTRACE ?= dtrace
# Tools that run during the build; another compiler when cross-compiling.
HOSTCC ?= $(CC)
OPT ?= -O2 -g
WERROR ?= -Werror
CFLAGS ?=
LDFLAGS ?=

ifeq ($(SAN),1)
B := build/san
SANITIZE := -fsanitize=address,undefined -fno-sanitize-recover=undefined -fno-omit-frame-pointer
export VMTAP_SANITIZED := 1
else
B := build
endif

ifeq ($(V),1)
say = @:
Q :=
else
say = @echo " " $(1)
Q := @
endif

WARN := -Wall -Wextra $(WERROR)
ALL_CPPFLAGS := -Isrc -Iinclude -I$(B)/include -I$(B)/gen -D_GNU_SOURCE $(CPPFLAGS)
ALL_CFLAGS := -std=gnu11 $(OPT) $(WARN) -MMD -MP $(SANITIZE) $(CFLAGS)
# The library goes into other people's objects: position-independent, nothing exported but
# its interface, thread-local storage without a call.
LIB_CFLAGS := -fPIC -fvisibility=hidden -ftls-model=initial-exec
ifneq ($(filter x86_64% amd64%,$(shell $(CC) -dumpmachine)),)
FIRE_CFLAGS := -mno-red-zone
endif

# Providers of other runtimes, served from the events of probes/vm.d.
LIBRARY := $(sort $(wildcard src/d/library/*.d))
COMPAT := $(sort $(wildcard probes/compat/*.d))
CORE_DIRS := base wire contract program usdt d engine source
CORE_SOURCES := $(wildcard $(CORE_DIRS:%=src/%/*.c))
CORE_OBJECTS := $(CORE_SOURCES:src/%.c=$(B)/obj/%.o) $(B)/obj/gen/contracts.o $(B)/obj/gen/promise_table.o $(B)/obj/gen/library.o
CLI_SOURCES := $(wildcard src/cli/*.c src/cli/*/*.c)
CLI_OBJECTS := $(CLI_SOURCES:src/%.c=$(B)/obj/%.o) $(B)/obj/gen/scripts.o
# The compatible providers' objects come with it: a VM that opts in for one links its object.
PART_OBJECTS := $(B)/obj/shim/part.o $(B)/obj/gen/fire.o $(B)/obj/gen/words.o \
	$(COMPAT:probes/compat/%.d=$(B)/obj/gen/compat_%.o)
RUNTIME_SOURCES := $(filter-out src/shim/part.c,$(wildcard src/shim/*.c))
RUNTIME_OBJECTS := $(RUNTIME_SOURCES:src/%.c=$(B)/obj/%.o) $(B)/obj/gen/events.o \
	$(B)/obj/wire/wire_type.o $(B)/obj/wire/loss.o
TOY_SOURCES := $(wildcard examples/toy/*.c)
# The toy and the benchmarks opt in for every compatible provider (ALL_PROVIDERS= for none).
ALL_PROVIDERS := -DVMTAP_PROVIDER_HASKELLEVENT -DVMTAP_PROVIDER_RUBY -DVMTAP_PROVIDER_CCL
TOY_OBJECTS := $(TOY_SOURCES:examples/%.c=$(B)/obj/%.o)
TOY_PLAIN_OBJECTS := $(TOY_SOURCES:examples/toy/%.c=$(B)/obj/toy-noprobes/%.o)
SCRIPTS := $(sort $(wildcard probes/scripts/*.d))
MANUALS := $(wildcard src/man/*.[1-8])
LIBS_CORE := -lelf -ljansson

UNIT_SOURCES := $(wildcard tests/unit/test_*.c)
UNIT_TESTS := $(UNIT_SOURCES:tests/unit/%.c=$(B)/tests/%)
TOOL_SOURCES := $(wildcard tests/tools/*.c)
TOOLS := $(TOOL_SOURCES:tests/tools/%.c=$(B)/tests/tools/%)
FUZZ_SOURCES := $(wildcard tests/fuzz/fuzz_*.c)
FUZZERS := $(FUZZ_SOURCES:tests/fuzz/%.c=build/fuzz/%)
BENCH_SOURCES := $(wildcard tests/bench/*.c)
BENCHES := $(BENCH_SOURCES:tests/bench/%.c=$(B)/bench/%)

PRODUCTS := $(B)/vmtap $(B)/toy $(B)/toy-noprobes $(B)/libvmtap.a $(B)/libvmtap_probes.a \
	$(B)/libvmtap.so

.PHONY: all
all: $(PRODUCTS)

.DELETE_ON_ERROR:
.SECONDARY:

# ---- what must be there first ----

# The sets of packages that the goals need, seen to in one go: the script installs what is
# missing, or prints one line that names all of it.
empty :=
PACKAGE_SETS := build \
	$(if $(filter check check-% $(B)/tests/%,$(MAKECMDGOALS)),check) \
	$(if $(filter fuzz build/fuzz/%,$(MAKECMDGOALS)),fuzz) \
	$(if $(filter bench $(B)/bench/%,$(MAKECMDGOALS)),bench)
PACKAGES := $(B)/.packages-$(subst $(empty) $(empty),+,$(strip $(PACKAGE_SETS)))
$(PACKAGES): src/packages.sh
	@mkdir -p $(@D)
	@CC='$(CC)' sh src/packages.sh $(PACKAGE_SETS)
	@touch $@

# Objects are made anew when the compiler or its flags change.
FLAGS := $(CC) $(HOSTCC) $(ALL_CPPFLAGS) $(ALL_CFLAGS) $(LDFLAGS) $(ALL_PROVIDERS)
$(B)/flags: FORCE
	@mkdir -p $(@D)
	@echo '$(FLAGS)' | cmp -s - $@ || echo '$(FLAGS)' > $@
.PHONY: FORCE
FORCE:

BASE := $(B)/flags Makefile | $(PACKAGES)

# ---- generated from the contract ----

$(B)/include/vmtap_sites.h: probes/vm.d $(BASE)
	$(call say,DTRACE $@)
	@mkdir -p $(@D)
	$(Q)$(DTRACE) -h -s $< -o $@

# The words are 32 bits wide: the low half is the semaphore, the high half the stream's. The
# tool writes its temporary files where it runs, so it runs in a folder of its own.
$(B)/obj/gen/words.o: probes/vm.d $(BASE)
	$(call say,DTRACE $@)
	@mkdir -p $(@D)/words
	$(Q)here=$$(pwd) && cd $(@D)/words && CC='$(CC)' CFLAGS='-Dshort=int -fno-lto' \
		$(DTRACE) -G -s "$$here/$<" -o words.o
	$(Q)mv $(@D)/words/words.o $@

$(B)/host/%: ALL_CFLAGS := -std=gnu11 -O1 -g $(WARN)
CONTRACT_READER := $(wildcard src/contract/contract*.c) src/base/stability.c src/base/error.c
CONTRACTS := probes/vm.d $(COMPAT)
GENERATE_SOURCES := $(wildcard src/contract/tools/generator*.c) $(CONTRACT_READER) src/wire/wire_type.c
$(B)/host/generate: $(GENERATE_SOURCES) src/contract/tools/generator.h src/contract/contract.h src/base/error.h $(wildcard src/wire/*.h) $(BASE)
	$(call say,HOSTCC $@)
	@mkdir -p $(@D)
	$(Q)$(HOSTCC) -std=gnu11 -O1 -g $(WARN) -Isrc -D_GNU_SOURCE -o $@ $(GENERATE_SOURCES)

$(B)/host/embed: src/base/tools/embed.c $(BASE)
	$(call say,HOSTCC $@)
	@mkdir -p $(@D)
	$(Q)$(HOSTCC) -std=gnu11 -O1 -g $(WARN) -Isrc -D_GNU_SOURCE -o $@ $<

$(B)/include/vmtap_probes.h: probes/vm.d $(COMPAT) $(B)/host/generate
	$(call say,GEN $@)
	@mkdir -p $(@D)
	$(Q)$(B)/host/generate $< --header $@ $(COMPAT)

$(B)/gen/fire.c: probes/vm.d $(COMPAT) $(B)/host/generate
	$(call say,GEN $@)
	@mkdir -p $(@D)
	$(Q)$(B)/host/generate $< --fire $@ $(COMPAT)

$(B)/gen/events.c: probes/vm.d $(COMPAT) $(B)/host/generate
	$(call say,GEN $@)
	@mkdir -p $(@D)
	$(Q)$(B)/host/generate $< --events $@ $(COMPAT)

$(B)/gen/compat_%.c: probes/compat/%.d probes/vm.d $(B)/host/generate
	$(call say,GEN $@)
	@mkdir -p $(@D)
	$(Q)$(B)/host/generate probes/vm.d --compat $@ $<

# Named after the file, as the object is.
$(B)/include/vmtap_sites_%.h: probes/compat/%.d $(BASE)
	$(call say,DTRACE $@)
	@mkdir -p $(@D)
	$(Q)$(DTRACE) -h -s $< -o $@

PROMISE_SOURCES := src/contract/tools/promise_table.c $(CONTRACT_READER)
$(B)/host/promise: $(PROMISE_SOURCES) src/contract/contract.h src/base/stability.h $(BASE)
	$(call say,HOSTCC $@)
	@mkdir -p $(@D)
	$(Q)$(HOSTCC) -std=gnu11 -O1 -g $(WARN) -Isrc -D_GNU_SOURCE -o $@ $(PROMISE_SOURCES)

$(B)/gen/promise_table.c: $(CONTRACTS) $(B)/host/promise
	$(call say,GEN $@)
	@mkdir -p $(@D)
	$(Q)$(B)/host/promise $@ $(CONTRACTS)

$(B)/gen/scripts.c: $(SCRIPTS) $(B)/host/embed
	$(call say,GEN $@)
	@mkdir -p $(@D)
	$(Q)$(B)/host/embed $@ cli/scripts.h bundled_script $(SCRIPTS)

$(B)/gen/contracts.c: $(CONTRACTS) $(B)/host/embed
	$(call say,GEN $@)
	@mkdir -p $(@D)
	$(Q)$(B)/host/embed $@ contract/known.h known_contract $(CONTRACTS)

$(B)/gen/library.c: $(LIBRARY) $(B)/host/embed
	$(call say,GEN $@)
	@mkdir -p $(@D)
	$(Q)$(B)/host/embed $@ d/resolve_library.h d_library_text $(LIBRARY)

GENERATED := $(B)/include/vmtap_probes.h $(B)/include/vmtap_sites.h \
	$(COMPAT:probes/compat/%.d=$(B)/include/vmtap_sites_%.h)

# ---- objects ----

$(B)/obj/shim/%.o: EXTRA := $(LIB_CFLAGS)
$(B)/obj/gen/events.o $(B)/obj/wire/wire_type.o $(B)/obj/wire/loss.o: EXTRA := $(LIB_CFLAGS)
$(B)/obj/gen/fire.o $(B)/obj/gen/compat_%.o: EXTRA := $(LIB_CFLAGS) $(FIRE_CFLAGS)
$(B)/obj/toy/%.o: EXTRA := -pthread $(ALL_PROVIDERS)
$(B)/obj/toy-noprobes/%.o: EXTRA := -pthread -DVMTAP_DISABLE

$(B)/obj/%.o: src/%.c $(BASE) $(GENERATED)
	$(call say,CC $@)
	@mkdir -p $(@D)
	$(Q)$(CC) $(ALL_CPPFLAGS) $(ALL_CFLAGS) $(EXTRA) -c -o $@ $<

$(B)/obj/gen/%.o: $(B)/gen/%.c $(BASE) $(GENERATED)
	$(call say,CC $@)
	@mkdir -p $(@D)
	$(Q)$(CC) $(ALL_CPPFLAGS) $(ALL_CFLAGS) $(EXTRA) -c -o $@ $<

$(B)/obj/toy/%.o: examples/toy/%.c $(BASE) $(GENERATED)
	$(call say,CC $@)
	@mkdir -p $(@D)
	$(Q)$(CC) $(ALL_CPPFLAGS) $(ALL_CFLAGS) $(EXTRA) -c -o $@ $<

$(B)/obj/toy-noprobes/%.o: examples/toy/%.c $(BASE) $(GENERATED)
	$(call say,CC $@)
	@mkdir -p $(@D)
	$(Q)$(CC) $(ALL_CPPFLAGS) $(ALL_CFLAGS) $(EXTRA) -c -o $@ $<

# ---- products ----

$(B)/libcore.a: $(CORE_OBJECTS)
	$(call say,AR $@)
	$(Q)rm -f $@ && $(AR) rcs $@ $^

$(B)/libvmtap_probes.a: $(PART_OBJECTS)
	$(call say,AR $@)
	$(Q)rm -f $@ && $(AR) rcs $@ $^

$(B)/libvmtap.a: $(PART_OBJECTS) $(RUNTIME_OBJECTS)
	$(call say,AR $@)
	$(Q)rm -f $@ && $(AR) rcs $@ $^

$(B)/libvmtap.so: $(RUNTIME_OBJECTS) src/shim/libvmtap.map
	$(call say,LINK $@)
	$(Q)$(CC) -shared -Wl,-soname,libvmtap.so.$(SOVERSION) -Wl,--version-script=src/shim/libvmtap.map \
		$(OPT) $(SANITIZE) $(CFLAGS) $(LDFLAGS) -o $@ $(RUNTIME_OBJECTS) -pthread
	$(Q)ln -sf $(@F) $@.$(SOVERSION)

$(B)/vmtap: $(CLI_OBJECTS) $(B)/libcore.a
	$(call say,LINK $@)
	$(Q)$(CC) $(OPT) $(SANITIZE) $(CFLAGS) $(LDFLAGS) -o $@ $^ $(LIBS_CORE)

$(B)/toy: $(TOY_OBJECTS) $(B)/libvmtap.a
	$(call say,LINK $@)
	$(Q)$(CC) $(OPT) $(SANITIZE) $(CFLAGS) $(LDFLAGS) -o $@ $^ -pthread -lm

$(B)/toy-noprobes: $(TOY_PLAIN_OBJECTS)
	$(call say,LINK $@)
	$(Q)$(CC) $(OPT) $(SANITIZE) $(CFLAGS) $(LDFLAGS) -o $@ $^ -pthread -lm

# ---- tests ----

$(B)/tests/%: tests/unit/%.c $(B)/libcore.a $(B)/libvmtap.a $(GENERATED) $(BASE)
	$(call say,CC $@)
	@mkdir -p $(@D)
	$(Q)$(CC) $(ALL_CPPFLAGS) $(ALL_CFLAGS) -MF $@.dep $(LDFLAGS) -o $@ $< $(B)/libcore.a $(B)/libvmtap.a \
		$(LIBS_CORE) $$(pkg-config --cflags --libs check) -pthread

# Tests of the library read its stream by a reader of their own and call every probe.
$(B)/host/generate_calls: tests/shim/generate_calls.c $(CONTRACT_READER) \
		src/contract/contract.h src/base/error.h $(BASE)
	$(call say,HOSTCC $@)
	@mkdir -p $(@D)
	$(Q)$(HOSTCC) -std=gnu11 -O1 -g $(WARN) -Isrc -D_GNU_SOURCE -o $@ $(filter %.c,$^)

$(B)/gen/test_calls.h: probes/vm.d $(B)/host/generate_calls
	$(call say,GEN $@)
	@mkdir -p $(@D)
	$(Q)$(B)/host/generate_calls $< $@

$(B)/obj/tests/shim/%.o: tests/shim/%.c $(BASE) $(GENERATED)
	$(call say,CC $@)
	@mkdir -p $(@D)
	$(Q)$(CC) $(ALL_CPPFLAGS) $(ALL_CFLAGS) -c -o $@ $<

# Named here so that the rule below is found before the general one in a fresh build.
check-build: $(B)/obj/tests/shim/reader.o

$(B)/tests/test_shim_%: tests/unit/test_shim_%.c $(B)/obj/tests/shim/reader.o $(B)/gen/test_calls.h \
		tests/shim/fixture.h $(B)/libcore.a $(B)/libvmtap.a $(GENERATED) $(BASE)
	$(call say,CC $@)
	@mkdir -p $(@D)
	$(Q)$(CC) $(ALL_CPPFLAGS) -Itests $(ALL_CFLAGS) -MF $@.dep $(LDFLAGS) -o $@ $< \
		$(B)/obj/tests/shim/reader.o $(B)/libcore.a $(B)/libvmtap.a \
		$(LIBS_CORE) $$(pkg-config --cflags --libs check) -pthread

$(B)/tests/tools/%: tests/tools/%.c $(B)/libcore.a $(BASE) $(GENERATED)
	$(call say,CC $@)
	@mkdir -p $(@D)
	$(Q)$(CC) $(ALL_CPPFLAGS) $(ALL_CFLAGS) -MF $@.dep $(LDFLAGS) -o $@ $< $(B)/libcore.a $(LIBS_CORE) -pthread

.PHONY: check-build
check-build: $(PRODUCTS) $(UNIT_TESTS) $(TOOLS) $(BENCHES)

.PHONY: check
check: check-build
	@BUILD=$(B) CC='$(CC)' bash tests/run $(TESTS)

# A witness that cannot be installed is skipped, by name; NO_SKIP=1 has it fail.
.PHONY: check-witnesses
check-witnesses: check-build
	@CC='$(CC)' sh src/packages.sh witness || true
	@BUILD=$(B) CC='$(CC)' bash tests/run tests/witness/*.sh

# Fuzz targets are clang's and sanitized, whatever the rest is built with. What they share is
# compiled once; the control frames' target takes its pieces of the library.
FUZZ_SECONDS ?= 10
FUZZ_FLAGS := -std=gnu11 -O1 -g $(WARN) -MMD -MP -fno-sanitize-recover=undefined -Isrc -Iinclude \
	-Ibuild/include -Ibuild/gen -D_GNU_SOURCE
FUZZ_CORE := $(CORE_SOURCES:src/%.c=build/fuzz/obj/%.o) build/fuzz/obj/gen/contracts.o \
	build/fuzz/obj/gen/promise_table.o build/fuzz/obj/gen/library.o
FUZZ_CONTROL := $(patsubst %,build/fuzz/obj/shim/%.o,census client stamp control descriptor encode log_file queue name registry ring) \
	build/fuzz/obj/gen/events.o

build/fuzz/obj/%.o: src/%.c $(BASE) $(GENERATED)
	$(call say,FUZZCC $@)
	@mkdir -p $(@D)
	$(Q)clang $(FUZZ_FLAGS) -fsanitize=fuzzer-no-link,address,undefined -c -o $@ $<

build/fuzz/obj/gen/%.o: build/gen/%.c $(BASE) $(GENERATED)
	$(call say,FUZZCC $@)
	@mkdir -p $(@D)
	$(Q)clang $(FUZZ_FLAGS) -fsanitize=fuzzer-no-link,address,undefined -c -o $@ $<

build/fuzz/fuzz_control: $(FUZZ_CONTROL)
build/fuzz/%: tests/fuzz/%.c $(FUZZ_CORE)
	$(call say,FUZZCC $@)
	@mkdir -p $(@D)
	$(Q)clang $(FUZZ_FLAGS) -fsanitize=fuzzer,address,undefined -MF $@.dep -o $@ $(filter %.c %.o,$^) \
		$(LIBS_CORE) -pthread

.PHONY: fuzz
fuzz: $(FUZZERS)
	@BUILD=build FUZZ_SECONDS=$(FUZZ_SECONDS) bash tests/run_fuzz $(notdir $(FUZZERS))

$(B)/bench/%: tests/bench/%.c $(B)/libcore.a $(B)/libvmtap.a $(BASE) $(GENERATED)
	$(call say,CC $@)
	@mkdir -p $(@D)
	$(Q)$(CC) $(ALL_PROVIDERS) $(ALL_CPPFLAGS) $(ALL_CFLAGS) -MF $@.dep $(LDFLAGS) -o $@ $< $(B)/libcore.a $(B)/libvmtap.a \
		$(LIBS_CORE) -pthread

.PHONY: bench
bench: $(PRODUCTS) $(BENCHES)
	@BUILD=$(B) CC='$(CC)' bash tests/bench/run

.PHONY: demo
demo: $(PRODUCTS)
	@BUILD=$(B) bash examples/demo.sh

# ---- installing ----

# Folders may have spaces in their names, so every use is quoted. What is installed is found
# by where it lies, which therefore is an absolute path.
TO_BIN := "$(DESTDIR)$(BINDIR)"
TO_LIB := "$(DESTDIR)$(LIBDIR)"
TO_INCLUDE := "$(DESTDIR)$(INCLUDEDIR)"
TO_DATA := "$(DESTDIR)$(DATADIR)"
TO_MAN := "$(DESTDIR)$(MANDIR)"

.PHONY: check-folders
check-folders:
	@for folder in PREFIX="$(PREFIX)" BINDIR="$(BINDIR)" LIBDIR="$(LIBDIR)" \
		INCLUDEDIR="$(INCLUDEDIR)" DATADIR="$(DATADIR)" MANDIR="$(MANDIR)"; do \
		case $${folder#*=} in \
		/*) ;; \
		*) echo "$$folder: not an absolute path" >&2; exit 1 ;; \
		esac; done

.PHONY: install
install: check-folders $(PRODUCTS)
	$(call say,INSTALL "$(DESTDIR)$(PREFIX)")
	$(Q)install -d $(TO_BIN) $(TO_LIB)/pkgconfig $(TO_INCLUDE) $(TO_DATA)/scripts $(TO_DATA)/compat
	$(Q)install -m 755 $(B)/vmtap $(TO_BIN)/vmtap
	$(Q)install -m 644 include/vmtap.h $(B)/include/vmtap_probes.h $(TO_INCLUDE)/
	$(Q)install -m 644 $(B)/libvmtap.a $(B)/libvmtap_probes.a $(TO_LIB)/
	$(Q)install -m 755 $(B)/libvmtap.so $(TO_LIB)/libvmtap.so.$(VERSION)
	$(Q)ln -sf libvmtap.so.$(VERSION) $(TO_LIB)/libvmtap.so.$(SOVERSION)
	$(Q)ln -sf libvmtap.so.$(SOVERSION) $(TO_LIB)/libvmtap.so
	$(Q)printf '%s\n' "prefix=$(PREFIX)" "libdir=$(LIBDIR)" "includedir=$(INCLUDEDIR)" '' \
		'Name: vmtap' 'Description: Static probes for language VMs' 'Version: $(VERSION)' \
		'Cflags: -I"$${includedir}"' 'Libs: -L"$${libdir}" -lvmtap_probes -lvmtap' \
		'Libs.private: -pthread' > $(TO_LIB)/pkgconfig/vmtap.pc
	$(Q)chmod 644 $(TO_LIB)/pkgconfig/vmtap.pc
	$(Q)install -m 644 probes/vm.d $(TO_DATA)/
	$(Q)install -m 644 $(COMPAT) $(TO_DATA)/compat/
	$(Q)install -m 644 $(SCRIPTS) $(TO_DATA)/scripts/
	$(Q)for page in $(MANUALS); do \
		install -d $(TO_MAN)/man$${page##*.} && \
		install -m 644 $$page $(TO_MAN)/man$${page##*.}/ || exit 1; done
	$(Q)[ -n "$(DESTDIR)" ] || ldconfig 2>/dev/null || true

# Removes what install has put there, and folders that are the product's own once empty.
.PHONY: uninstall
uninstall: check-folders
	$(call say,UNINSTALL "$(DESTDIR)$(PREFIX)")
	$(Q)rm -f $(TO_BIN)/vmtap $(TO_INCLUDE)/vmtap.h $(TO_INCLUDE)/vmtap_probes.h
	$(Q)rm -f $(TO_LIB)/libvmtap.a $(TO_LIB)/libvmtap_probes.a $(TO_LIB)/libvmtap.so \
		$(TO_LIB)/libvmtap.so.$(SOVERSION) $(TO_LIB)/libvmtap.so.$(VERSION)
	$(Q)rm -f $(TO_LIB)/pkgconfig/vmtap.pc
	$(Q)cd $(TO_DATA) 2>/dev/null || exit 0; rm -f vm.d $(COMPAT:probes/%=%) $(SCRIPTS:probes/%=%)
	$(Q)for folder in $(TO_DATA)/compat $(TO_DATA)/scripts $(TO_DATA); do \
		[ ! -d "$$folder" ] || rmdir --ignore-fail-on-non-empty "$$folder"; done
	$(Q)for page in $(notdir $(MANUALS)); do rm -f $(TO_MAN)/man$${page##*.}/$$page; done

.PHONY: clean
clean:
	rm -rf build

-include $(shell find $(B) -name '*.d' -path '$(B)/obj/*' 2>/dev/null)
-include $(shell find build/fuzz/obj -name '*.d' 2>/dev/null) $(wildcard build/fuzz/*.dep)
-include $(wildcard $(B)/tests/*.dep $(B)/tests/tools/*.dep $(B)/bench/*.dep)
