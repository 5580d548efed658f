# vmtap: static probes for language VMs, and the command that reads them.
#
#   make            build/vmtap, build/toy, build/toy-noprobes, build/libvmtap.{a,so}
#   make modules    build/modules, what traces unmodified runtimes; make lua: that for lua5.4 alone
#   make demo       build, then demonstrate it on the toy VM
#   make check      build and run the tests (SAN=1: under ASan and UBSan)
#   make survive    fail each call once, kill at each point, and print what was survived
#   make survive-planted
#                   plant bugs in copies of the sources, and show that make survive finds each
#   make differential COUNT=10000 SEED=1
#                   run random D programs with optimizations and without, over a log and over a
#                   stream; all must print the same
#   make bench      measure, and print ratios from one run
#   make install    PREFIX=/usr/local DESTDIR=
#   make deb        Debian packages, in build/deb
#
# V=1 shows commands. CC=clang builds with clang. VMTAP_NO_INSTALL=1 keeps every target
# from installing packages. All generated files are under build/.

VERSION := 0.1.0
SOVERSION := 0
# Its callers pass arguments without a compiler's check: new whenever a probe gets more arguments.
FFI_SOVERSION := 1

PREFIX ?= /usr/local
DESTDIR ?=
BINDIR ?= $(PREFIX)/bin
LIBDIR ?= $(PREFIX)/lib
INCLUDEDIR ?= $(PREFIX)/include
DATADIR ?= $(PREFIX)/share/vmtap
MANDIR ?= $(PREFIX)/share/man
BASHDIR ?= $(PREFIX)/share/bash-completion/completions
ZSHDIR ?= $(PREFIX)/share/zsh/site-functions
MODULEDIR ?= $(PREFIX)/lib/vmtap

ifeq ($(origin CC),default)
CC := gcc
endif
# What follows asks the compiler, so it must be there. If it cannot be installed, the goals say so.
ifneq ($(filter-out clean uninstall,$(or $(MAKECMDGOALS),all)),)
ifeq ($(shell command -v $(firstword $(CC))),)
$(shell CC='$(CC)' sh src/packages.sh build 1>&2 2>/dev/null)
endif
endif
DTRACE ?= dtrace
# Where libvmtap_ffi.so looks for libvmtap.so, besides the system's folders.
FFI_RPATH ?= -Wl,-rpath,'$$ORIGIN'
# The compiler's own linker, nm and objcopy, which know its target.
ifeq ($(origin LD),default)
LD := $(shell $(CC) -print-prog-name=ld)
endif
ifeq ($(origin NM),undefined)
NM := $(shell $(CC) -print-prog-name=nm)
endif
ifeq ($(origin OBJCOPY),undefined)
OBJCOPY := $(shell $(CC) -print-prog-name=objcopy)
endif
# Compiles tools that run during the build; set it to the build machine's when cross-compiling.
HOSTCC ?= $(CC)
# With sanitizers -O2 takes twice as long to compile, and the result is no faster.
OPT ?= $(if $(filter 1,$(SAN)),-O1,-O2) -g
WERROR ?= -Werror
CFLAGS ?=
LDFLAGS ?=

# The survival rig uses a build of its own, with test points (src/base/test_point.h).
ifeq ($(SURVIVE),1)
B := build/survive
CPPFLAGS += -DVMTAP_TEST_POINTS
else ifeq ($(SAN),1)
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

# musl-gcc does not look into the system's folders, where the kernel's headers and sys/sdt.h are.
ifneq ($(findstring musl,$(notdir $(CC))),)
ifeq ($(shell printf '\043include <sys/sdt.h>\n\043include <linux/futex.h>' | $(CC) -E - >/dev/null 2>&1 || echo no),no)
SYSTEM_HEADERS := -idirafter /usr/include -idirafter /usr/include/$(shell $(CC) -print-multiarch)
endif
endif

WARN := -Wall -Wextra $(WERROR)
ALL_CPPFLAGS := -Isrc -Iinclude -I$(B)/include -I$(B)/gen -D_GNU_SOURCE $(SYSTEM_HEADERS) $(CPPFLAGS)
ALL_CFLAGS := -std=gnu11 $(OPT) $(WARN) -MMD -MP $(SANITIZE) $(CFLAGS)
# The library is linked into other people's objects: it must be position-independent, export
# only its interface, access thread-local storage without a call, and be machine code that any
# linker can read.
LIB_CFLAGS := -DVMTAP_LIBRARY -fPIC -fvisibility=hidden -ftls-model=initial-exec -fno-lto
ifneq ($(filter x86_64% amd64%,$(shell $(CC) -dumpmachine)),)
FIRE_CFLAGS := -mno-red-zone
PAGE_BYTES := 4096
else
PAGE_BYTES := 65536
endif
WORDS_CFLAGS := -Dshort=int -fno-lto $(SYSTEM_HEADERS)
HOST_CFLAGS := -std=gnu11 -O1 -g $(WARN) -MMD -MP -Isrc -D_GNU_SOURCE

LIBRARY := $(sort $(wildcard src/d/library/*.d))
# Providers of other runtimes, served from the events of probes/vm.d.
COMPAT := $(sort $(wildcard probes/compat/*.d))
CORE_DIRS := base wire contract program usdt d engine source kernel targets
CORE_SOURCES := $(filter-out $(wildcard src/*/tools/*.c),$(wildcard $(CORE_DIRS:%=src/%/*.c) $(CORE_DIRS:%=src/%/*/*.c)))
CORE_OBJECTS := $(CORE_SOURCES:src/%.c=$(B)/obj/%.o) $(B)/obj/gen/contracts.o $(B)/obj/gen/promise_table.o $(B)/obj/gen/library.o \
	$(B)/obj/gen/system_calls.o
CLI_SOURCES := $(wildcard src/cli/*.c src/cli/*/*.c)
CLI_OBJECTS := $(CLI_SOURCES:src/%.c=$(B)/obj/%.o) $(B)/obj/gen/scripts.o $(B)/obj/gen/page.o
# The probe part: a member of the archive for each probe, so that a VM gets the sites that its code
# refers to, and one for each compatible provider; a VM that opts in to a provider links it.
PROBES := $(shell sed -nE 's/^[[:space:]]*probe ([a-z_0-9]+).*/\1/p' probes/vm.d | sed 's/__/_/g')
FIRE_OBJECTS := $(patsubst %,$(B)/obj/gen/fire_%.o,COMMON NAMES FIRES $(PROBES))
PART_OBJECTS := $(B)/obj/shim/core/part.o $(FIRE_OBJECTS) $(B)/obj/shim/core/fires.o $(B)/obj/shim/core/enter.o \
	$(B)/obj/shim/core/foreign.o $(B)/obj/gen/words.o \
	$(COMPAT:probes/compat/%.d=$(B)/obj/gen/compat_%.o)
RUNTIME_SOURCES := $(filter-out $(patsubst %,src/shim/core/%.c,part fires enter foreign),$(wildcard src/shim/*/*.c))
# Of the event format, what the library needs too.
RUNTIME_WIRE := $(B)/obj/wire/wire_type.o $(B)/obj/wire/loss.o $(B)/obj/wire/place.o
RUNTIME_OBJECTS := $(RUNTIME_SOURCES:src/%.c=$(B)/obj/%.o) $(RUNTIME_WIRE)
# Parts of the runtime that a VM contains only if it calls them (src/shim/core/extra.h), each a
# member of the archive: the name and what it consists of. The rest is one member.
EXTRAS := census sampler change walker
EXTRA_census := census census_delivery
EXTRA_sampler := sampler cpu_timer
EXTRA_change := change
EXTRA_walker := walker
extra_objects = $(foreach extra,$(1),$(EXTRA_$(extra):%=$(B)/obj/shim/extra/%.o))
RUNTIME_CORE := $(filter-out $(call extra_objects,$(EXTRAS)),$(RUNTIME_OBJECTS))
RUNTIME_MEMBERS := $(B)/obj/vmtap_runtime.o $(EXTRAS:%=$(B)/obj/vmtap_%.o)
# What runs neither for each event nor for each record is compiled for size.
RARE_OBJECTS := $(patsubst src/%.c,$(B)/obj/%.o,$(wildcard src/shim/server/*.c)) \
	$(patsubst %,$(B)/obj/shim/core/%.o,descriptor event_table ledger pause process registry ring_memory vm_call) \
	$(patsubst %,$(B)/obj/shim/stream/%.o,awaited control encode_own encode_types log_file missed) $(RUNTIME_WIRE)
TOY_SOURCES := $(wildcard examples/toy/*.c)
# The toy and the benchmarks opt in to every compatible provider (ALL_PROVIDERS= for none).
ALL_PROVIDERS := -DVMTAP_PROVIDER_HASKELLEVENT -DVMTAP_PROVIDER_RUBY -DVMTAP_PROVIDER_CCL
TOY_OBJECTS := $(TOY_SOURCES:examples/%.c=$(B)/obj/%.o)
TOY_PLAIN_OBJECTS := $(TOY_SOURCES:examples/toy/%.c=$(B)/obj/toy-noprobes/%.o)
# The bundled scripts, each with the parts that it includes.
SCRIPT_PARTS := $(wildcard probes/scripts/parts/*.d)
SCRIPTS := $(patsubst probes/%,$(B)/%,$(sort $(wildcard probes/scripts/*.d)))
# The tables of event types in vmtap-eventlog(5) are made during the build, and so are the sections
# of vmtap-scripts(7).
MADE_MANUALS := $(B)/man/vmtap-eventlog.5 $(B)/man/vmtap-scripts.7
MANUALS := $(filter-out $(MADE_MANUALS:$(B)/%=src/%),$(wildcard src/man/*.[1-8])) $(MADE_MANUALS)
LIBS_CORE = $(call if_header,libiberty/demangle.h,-liberty) $(call if_header,elfutils/libdw.h,-ldw) -lelf -ljansson $(call if_header,zstd.h,-lzstd)
# Of optional libraries those that are installed, asked when the command is linked.
if_header = $(shell printf '\043include <$(1)>\n' | $(CC) $(SYSTEM_HEADERS) -E - >/dev/null 2>&1 && echo $(2))
LIBS_COMMAND = $(LIBS_CORE) -lz $(call if_header,microhttpd.h,-lmicrohttpd) $(call if_header,ncursesw/curses.h,-lncursesw -ltinfo)

UNIT_SOURCES := $(wildcard tests/unit/test_*.c)
UNIT_TESTS := $(UNIT_SOURCES:tests/unit/%.c=$(B)/tests/%)
SHIM_TESTS := $(filter $(B)/tests/test_shim_%,$(UNIT_TESTS))
TOOL_SOURCES := $(wildcard tests/tools/*.c)
TOOLS := $(TOOL_SOURCES:tests/tools/%.c=$(B)/tests/tools/%)
FUZZ_SOURCES := $(wildcard tests/fuzz/fuzz_*.c)
FUZZERS := $(FUZZ_SOURCES:tests/fuzz/%.c=build/fuzz/%)
BENCH_SOURCES := $(wildcard tests/bench/*.c)
BENCHES := $(BENCH_SOURCES:tests/bench/%.c=$(B)/bench/%)

PRODUCTS := $(B)/vmtap $(B)/toy $(B)/toy-noprobes $(B)/libvmtap.a $(B)/libvmtap_probes.a \
	$(B)/libvmtap.so $(B)/libvmtap_ffi.so $(MADE_MANUALS)

.PHONY: all
all: $(PRODUCTS)

.DELETE_ON_ERROR:
.SECONDARY:

# ---- prerequisites ----

# The sets of packages that all goals together need. The script installs what is missing, or
# prints one line that names everything missing.
empty :=
PACKAGE_SETS := build \
	$(if $(filter check check-% $(B)/tests/%,$(MAKECMDGOALS)),check) \
	$(if $(filter fuzz build/fuzz/%,$(MAKECMDGOALS)),fuzz) \
	$(if $(filter bench $(B)/bench/%,$(MAKECMDGOALS)),bench) \
	$(if $(filter modules lua,$(MAKECMDGOALS)),modules) \
	$(if $(filter deb,$(MAKECMDGOALS)),deb)
PACKAGES := $(B)/.packages-$(subst $(empty) $(empty),+,$(strip $(PACKAGE_SETS)))
$(PACKAGES): src/packages.sh
	@mkdir -p $(@D)
	@CC='$(CC)' sh src/packages.sh $(PACKAGE_SETS)
	@touch $@

# Objects are rebuilt when the compiler or its flags change; programs and libraries are relinked
# when the list of their objects changes.
FLAGS := $(CC) $(HOSTCC) $(DTRACE) $(LD) $(NM) $(OBJCOPY) $(ALL_CPPFLAGS) $(ALL_CFLAGS) $(LDFLAGS) \
	$(LIB_CFLAGS) $(FIRE_CFLAGS) $(RARE_OBJECTS) \
	$(HOST_CFLAGS) $(WORDS_CFLAGS) $(PAGE_BYTES) $(ALL_PROVIDERS)
LISTS := $(CORE_OBJECTS) $(CLI_OBJECTS) $(PART_OBJECTS) $(RUNTIME_OBJECTS) $(RUNTIME_MEMBERS) $(TOY_OBJECTS) \
	$(LIBRARY) $(COMPAT) $(SCRIPTS)
$(B)/flags: FORCE
	@mkdir -p $(@D)
	@echo '$(FLAGS)' | cmp -s - $@ || echo '$(FLAGS)' > $@
$(B)/lists: FORCE
	@mkdir -p $(@D)
	@echo '$(LISTS)' | cmp -s - $@ || echo '$(LISTS)' > $@
.PHONY: FORCE
FORCE:

BASE := $(B)/flags | $(PACKAGES)

# ---- tools that run during the build ----

$(B)/host/obj/%.o: %.c $(BASE)
	$(call say,HOSTCC $@)
	@mkdir -p $(@D)
	$(Q)$(HOSTCC) $(HOST_CFLAGS) -c -o $@ $<

CONTRACT_READER := $(wildcard src/contract/contract*.c) src/base/stability.c src/base/error.c \
	src/base/clean_text.c src/base/utf8.c src/base/arena.c
host_objects = $(patsubst %.c,$(B)/host/obj/%.o,$(1))
$(B)/host/generate: $(call host_objects,src/contract/tools/generator.c $(wildcard src/contract/generator*.c) $(CONTRACT_READER) \
	src/wire/wire_type.c)
$(B)/host/promise: $(call host_objects,src/contract/tools/promise_table.c $(CONTRACT_READER))
$(B)/host/generate_calls: $(call host_objects,tests/shim/generate_calls.c $(CONTRACT_READER))
$(B)/host/embed: $(call host_objects,src/base/tools/embed.c)
$(B)/host/manual: $(call host_objects,src/contract/tools/manual_table.c \
	src/contract/generator_name.c $(CONTRACT_READER) \
	$(addprefix src/wire/,wire_type.c layout.c describe.c))
HOST_TOOLS := $(addprefix $(B)/host/,generate promise generate_calls embed manual)
$(HOST_TOOLS): $(B)/lists
	$(call say,HOSTLINK $@)
	$(Q)$(HOSTCC) $(HOST_CFLAGS) -o $@ $(filter %.o,$^)

# ---- generated from the contract ----

# Generators write to $(B)/new. A new file replaces the one in use only if it differs. An
# unchanged file keeps its time stamp, so nothing that depends on it is rebuilt.
NEW := $(B)/new
KEEP_SAME = @mkdir -p $(@D); cmp -s $< $@ || cp $< $@
$(B)/include/%.h: $(NEW)/include/%.h
	$(KEEP_SAME)
$(B)/gen/%: $(NEW)/gen/%
	$(KEEP_SAME)
$(B)/obj/gen/words.o: $(NEW)/words.o
	$(KEEP_SAME)

CONTRACT := probes/vm.d
CONTRACTS := $(CONTRACT) $(COMPAT)
$(NEW)/include/vmtap_sites.h: $(CONTRACT) $(BASE)
	$(call say,DTRACE $@)
	@mkdir -p $(@D)
	$(Q)$(DTRACE) -h -s $< -o $@

# Named after the file, like the object.
$(NEW)/include/vmtap_sites_%.h: probes/compat/%.d $(BASE)
	$(call say,DTRACE $@)
	@mkdir -p $(@D)
	$(Q)$(DTRACE) -h -s $< -o $@

# The words are 32 bits wide: the low half is the semaphore, the high half belongs to the stream.
# The tool writes temporary files to its working directory, so it runs in a folder of its own.
# The words begin a page. lld and mold put the end of one writable segment and the start of the
# next into the same page of the file, which is then mapped twice; a kernel tracer that was there
# before the program started would raise the words in the wrong one of the two mappings.
$(NEW)/words.o: $(CONTRACT) $(BASE)
	$(call say,DTRACE $@)
	@mkdir -p $(@D)/words
	$(Q)here=$$(pwd) && cd $(@D)/words && CC='$(CC)' CFLAGS='$(WORDS_CFLAGS)' \
		$(DTRACE) -G -s "$$here/$<" -o words.o
	$(Q)$(OBJCOPY) --set-section-alignment .probes=$(PAGE_BYTES) $(@D)/words/words.o $@

# generate CONTRACT --KIND OUTPUT COMPAT...
$(NEW)/include/vmtap_probes.h: GENERATE = --header
$(NEW)/gen/fire.c: GENERATE = --fire
$(NEW)/gen/definitions.c: GENERATE = --definitions
$(NEW)/include/vmtap_probes.h $(NEW)/gen/fire.c $(NEW)/gen/definitions.c: $(CONTRACTS) $(B)/host/generate $(B)/lists
	$(call say,GEN $@)
	@mkdir -p $(@D)
	$(Q)$(B)/host/generate $(CONTRACT) $(GENERATE) $@ $(COMPAT)

$(NEW)/gen/compat_%.c: probes/compat/%.d $(CONTRACT) $(B)/host/generate
	$(call say,GEN $@)
	@mkdir -p $(@D)
	$(Q)$(B)/host/generate $(CONTRACT) --compat $@ $<

$(NEW)/gen/promise_table.c: $(CONTRACTS) $(B)/host/promise $(B)/lists
	$(call say,GEN $@)
	@mkdir -p $(@D)
	$(Q)$(B)/host/promise $@ $(CONTRACTS)

# The numbers are those of the machine that vmtap is built for.
SYSTEM_CALLS := src/kernel/machine/system_calls.txt
$(NEW)/gen/system_calls.c: $(SYSTEM_CALLS) src/kernel/tools/system_calls.awk $(BASE)
	$(call say,GEN $@)
	@mkdir -p $(@D)
	$(Q)echo '#include <asm/unistd.h>' | $(CC) $(ALL_CPPFLAGS) -E -dM -x c - > $@.numbers
	$(Q)LC_ALL=C awk -f src/kernel/tools/system_calls.awk $@.numbers $(SYSTEM_CALLS) > $@

$(B)/scripts/%.d: probes/scripts/%.d $(SCRIPT_PARTS) src/base/tools/include_parts.awk
	@mkdir -p $(@D)
	$(Q)awk -f src/base/tools/include_parts.awk $< > $@

# embed OUTPUT HEADER STRUCT FILE...
$(NEW)/gen/scripts.c: EMBED = cli/scripts.h bundled_script
$(NEW)/gen/scripts.c: $(SCRIPTS)
$(NEW)/gen/contracts.c: EMBED = contract/known.h known_contract
$(NEW)/gen/contracts.c: $(CONTRACTS)
$(NEW)/gen/library.c: EMBED = d/compile_library.h d_library_text
$(NEW)/gen/library.c: $(LIBRARY)
$(NEW)/gen/page.c: EMBED = cli/export/page.h page_text
$(NEW)/gen/page.c: src/cli/export/page.html
$(NEW)/gen/scripts.c $(NEW)/gen/contracts.c $(NEW)/gen/library.c $(NEW)/gen/page.c: $(B)/host/embed $(B)/lists
	$(call say,GEN $@)
	@mkdir -p $(@D)
	$(Q)$(B)/host/embed $@ $(EMBED) $(filter %.d %.html,$^)

# The tests of the library call every probe.
$(NEW)/gen/test_calls.h: $(CONTRACT) $(B)/host/generate_calls
	$(call say,GEN $@)
	@mkdir -p $(@D)
	$(Q)$(B)/host/generate_calls $< $@

# manual CONTRACT PAGE OUTPUT
$(B)/man/vmtap-eventlog.5: $(CONTRACT) src/man/vmtap-eventlog.5 $(B)/host/manual
	$(call say,GEN $@)
	@mkdir -p $(@D)
	$(Q)$(B)/host/manual $(CONTRACT) src/man/vmtap-eventlog.5 $@

$(B)/man/vmtap-scripts.7: src/man/vmtap-scripts.7 $(SCRIPTS) src/base/tools/scripts_manual.awk $(B)/lists
	$(call say,GEN $@)
	@mkdir -p $(@D)
	$(Q)awk -f src/base/tools/scripts_manual.awk src/man/vmtap-scripts.7 $(SCRIPTS) > $@

# Generated headers that any file may include; they are made before the first object. Later
# builds use the dependencies that the compiler has recorded.
HEADERS := $(B)/include/vmtap_probes.h $(B)/include/vmtap_sites.h \
	$(COMPAT:probes/compat/%.d=$(B)/include/vmtap_sites_%.h)

# ---- objects ----

$(B)/obj/shim/%.o $(RUNTIME_WIRE): EXTRA := $(LIB_CFLAGS)
$(RARE_OBJECTS): EXTRA := $(LIB_CFLAGS) $(filter -Os,$(OPT:-O2=-Os))
$(B)/obj/gen/compat_%.o: EXTRA := $(LIB_CFLAGS) $(FIRE_CFLAGS)
$(FIRE_OBJECTS): EXTRA = $(LIB_CFLAGS) $(FIRE_CFLAGS) -DVMTAP_MEMBER -DVMTAP_MEMBER_$* -DVMTAP_$*_MEMBER
$(B)/obj/ffi/%.o: EXTRA := $(LIB_CFLAGS) -DVMTAP_EXPORT_PART
$(B)/obj/toy/%.o: EXTRA := -pthread $(ALL_PROVIDERS)
$(B)/obj/toy-noprobes/%.o: EXTRA := -pthread -DVMTAP_DISABLE

define compile
	$(call say,CC $@)
	@mkdir -p $(@D)
	$(Q)$(CC) $(ALL_CPPFLAGS) $(ALL_CFLAGS) $(EXTRA) -c -o $@ $<
endef
$(B)/obj/%.o: src/%.c $(BASE) $(HEADERS)
	$(compile)
$(FIRE_OBJECTS): $(B)/obj/gen/fire_%.o: $(B)/gen/fire.c $(BASE) $(HEADERS)
	$(compile)
$(B)/obj/gen/%.o: $(B)/gen/%.c $(BASE) $(HEADERS)
	$(compile)
$(B)/obj/ffi/%.o: src/shim/core/%.c $(BASE) $(HEADERS)
	$(compile)
$(B)/obj/toy/%.o: examples/toy/%.c $(BASE) $(HEADERS)
	$(compile)
$(B)/obj/toy-noprobes/%.o: examples/toy/%.c $(BASE) $(HEADERS)
	$(compile)
$(B)/obj/tests/shim/%.o: tests/shim/%.c $(BASE) $(HEADERS)
	$(compile)
$(B)/obj/tests/fuzz/%.o: tests/fuzz/%.c $(BASE) $(HEADERS)
	$(compile)

# ---- products ----

define archive
	$(call say,AR $@)
	$(Q)rm -f $@ && $(AR) rcs $@ $(filter %.o,$^)
endef
LINK = $(CC) $(OPT) $(SANITIZE) $(CFLAGS) $(LDFLAGS) -o $@

$(B)/libcore.a: $(CORE_OBJECTS) $(B)/lists
	$(archive)

$(B)/libvmtap_probes.a: $(PART_OBJECTS) $(B)/lists
	$(archive)

# In each member of the runtime only the interface is global: a VM may use any name without the
# prefix for its own. What extras use of the rest gets the prefix vmtap_internal_. The linker cannot
# do this alone: hidden names are still global within a static link. clang's table of symbols whose
# address is taken does not survive it.
$(B)/obj/internal_names: $(RUNTIME_OBJECTS) $(B)/lists
	$(call say,NM $@)
	$(Q)$(NM) -g --defined-only $(RUNTIME_CORE) | awk 'NF == 3 { print $$3 }' | grep -v '^vmtap_' | sort -u > $@.defined
	$(Q)$(NM) -u $(call extra_objects,$(EXTRAS)) | awk 'NF == 2 { print $$2 }' | sort -u | \
		comm -12 - $@.defined | sed 's/.*/& vmtap_internal_&/' > $@
	$(Q)rm -f $@.defined

define member
	$(call say,LD $@)
	$(Q)$(LD) -r -o $@.all $(filter %.o,$^)
	$(Q)$(OBJCOPY) --redefine-syms=$(B)/obj/internal_names $@.all
	$(Q)$(OBJCOPY) --wildcard --keep-global-symbol='vmtap_*' --remove-section=.llvm_addrsig $@.all $@
	$(Q)rm -f $@.all
endef
$(B)/obj/vmtap_runtime.o: $(RUNTIME_CORE) $(B)/obj/internal_names $(B)/lists
	$(member)
define extra_member
$(B)/obj/vmtap_$(1).o: $(call extra_objects,$(1)) $(B)/obj/internal_names $(B)/lists
	$$(member)
endef
$(foreach extra,$(EXTRAS),$(eval $(call extra_member,$(extra))))

$(B)/libvmtap.a: $(PART_OBJECTS) $(RUNTIME_MEMBERS) $(B)/lists
	$(archive)

$(B)/libvmtap.so: $(RUNTIME_MEMBERS) src/shim/libvmtap.map $(B)/lists
	$(call say,LINK $@)
	$(Q)$(LINK) -shared -Wl,-soname,libvmtap.so.$(SOVERSION) -Wl,--version-script=src/shim/libvmtap.map \
		$(RUNTIME_MEMBERS) -pthread
	$(Q)ln -sf $(@F) $@.$(SOVERSION)

# For languages that load shared libraries: a probe part of its own, whose functions it exports.
FFI_OBJECTS := $(addprefix $(B)/obj/ffi/,part.o fires.o foreign.o) $(B)/obj/shim/core/enter.o \
	$(FIRE_OBJECTS) $(B)/obj/gen/words.o
$(B)/libvmtap_ffi.so: $(FFI_OBJECTS) $(B)/libvmtap.so src/shim/libvmtap_ffi.map $(B)/lists
	$(call say,LINK $@)
	$(Q)$(LINK) -shared -Wl,-soname,libvmtap_ffi.so.$(FFI_SOVERSION) \
		-Wl,--version-script=src/shim/libvmtap_ffi.map $(FFI_RPATH) \
		-Wl,--no-as-needed $(FFI_OBJECTS) -L$(B) -lvmtap
	$(Q)ln -sf $(@F) $@.$(FFI_SOVERSION)

$(B)/vmtap: $(CLI_OBJECTS) $(B)/libcore.a $(B)/lists
	$(call say,LINK $@)
	$(Q)$(LINK) $(CLI_OBJECTS) $(B)/libcore.a $(LIBS_COMMAND)

$(B)/toy: $(TOY_OBJECTS) $(B)/libvmtap.a $(B)/lists
	$(call say,LINK $@)
	$(Q)$(LINK) $(TOY_OBJECTS) $(B)/libvmtap.a -pthread -lm

$(B)/toy-noprobes: $(TOY_PLAIN_OBJECTS) $(B)/lists
	$(call say,LINK $@)
	$(Q)$(LINK) $(TOY_PLAIN_OBJECTS) -pthread -lm

# ---- modules for runtimes ----

# Each is in the folder of the ABI that it is for, as it is installed. Those whose headers are missing
# are left out, with a line.
MODULES := $(B)/modules

# Debian's lua5.4, with a provider of its own. -z nodelete: lua_close() unloads modules, and the
# library's thread would run on.
LUA_SOURCES := $(wildcard src/modules/lua/*.c)
LUA_OBJECTS := $(LUA_SOURCES:src/%.c=$(B)/obj/%.o) $(B)/obj/gen/modules/lua/lua_probes.o
LUA_GENERATED := $(B)/gen/modules/lua
LUA_CPPFLAGS = -I$(LUA_GENERATED) $$(pkg-config --cflags-only-I lua5.4)
LUA_MODULE := $(MODULES)/lua5.4/vmtap.so
$(LUA_GENERATED)/lua_probes.h: src/modules/lua/lua.d $(B)/vmtap
	$(call say,GENERATE $@)
	@mkdir -p $(@D)
	$(Q)$(B)/vmtap generate -d $(@D) $<
$(LUA_GENERATED)/lua_probes.c: $(LUA_GENERATED)/lua_probes.h ;
$(B)/obj/modules/lua/%.o: private EXTRA = $(LIB_CFLAGS) -fno-plt $(LUA_CPPFLAGS)
$(B)/obj/modules/lua/%.o: src/modules/lua/%.c $(BASE) $(HEADERS) $(LUA_GENERATED)/lua_probes.h
	$(compile)
$(B)/obj/gen/modules/lua/%.o: private EXTRA = $(LIB_CFLAGS) $(LUA_CPPFLAGS) $(FIRE_CFLAGS)
$(B)/obj/gen/modules/lua/%.o: $(LUA_GENERATED)/%.c $(BASE) $(HEADERS)
	$(compile)
$(LUA_MODULE): $(LUA_OBJECTS) $(B)/libvmtap.a
	$(call say,LINK $@)
	@mkdir -p $(@D)
	$(Q)$(LINK) -shared -Wl,-z,nodelete -Wl,-z,now -Wl,--exclude-libs,ALL $(filter %.o %.a,$^) -pthread

.PHONY: lua modules
lua: $(LUA_MODULE)
modules: $(PRODUCTS)
	@if pkg-config --exists lua5.4; then $(MAKE) --no-print-directory lua; \
		else echo "  This build leaves out: the module for lua5.4 (liblua5.4-dev is missing)"; fi

# ---- tests ----

# The runtime with all its names, for tests of its parts; nothing else is linked with it.
$(B)/libruntime.a: $(RUNTIME_OBJECTS) $(B)/lists
	$(archive)
RUNTIME_TESTS := $(B)/tests/test_control $(SHIM_TESTS)

# A program made of one source file, linked with the objects and archives among its prerequisites
# and with LIBS.
define program
	$(call say,CC $@)
	@mkdir -p $(@D)
	$(Q)$(CC) $(EXTRA) $(ALL_CPPFLAGS) $(ALL_CFLAGS) -MF $@.dep $(LDFLAGS) -o $@ $< $(filter %.o %.a,$^) \
		$(LIBS_CORE) $(LIBS) -pthread
endef

# The main function that the unit programs share (tests/unit/unit_main.h).
$(B)/obj/tests/unit/%.o: tests/unit/%.c $(BASE) $(HEADERS)
	$(compile)
$(B)/libunit.a: $(B)/obj/tests/unit/unit_main.o $(B)/lists
	$(archive)

$(UNIT_TESTS): private LIBS = $$(pkg-config --cflags --libs check)
$(filter-out $(RUNTIME_TESTS),$(UNIT_TESTS)): $(B)/tests/%: tests/unit/%.c $(B)/libunit.a $(B)/libcore.a $(BASE) $(HEADERS)
	$(program)

# Tests of the library read its stream with a reader of their own, which numbers probes as the
# contract does: they ask for all of them.
$(RUNTIME_TESTS): private EXTRA := -Itests -Wl,-u,vmtap_fire
$(RUNTIME_TESTS): $(B)/tests/%: tests/unit/%.c $(B)/obj/tests/shim/reader.o $(B)/libunit.a $(B)/libcore.a \
		$(B)/libruntime.a $(B)/libvmtap_probes.a $(BASE) $(HEADERS) $(B)/gen/test_calls.h
	$(program)

$(TOOLS): $(B)/tests/tools/%: tests/tools/%.c $(B)/libcore.a $(BASE) $(HEADERS)
	$(program)

# Runs random D programs in several ways and compares. --wrap lets it plant bugs (see its head).
DIFFERENTIAL := $(B)/tests/differential
$(DIFFERENTIAL): private LIBS = -Wl,--wrap=d_node_binary -Wl,--wrap=machine_prepare \
	-Wl,--wrap=d_emit_cut -Wl,--wrap=source_request_of_program
$(DIFFERENTIAL): tests/fuzz/differential.c $(B)/obj/tests/fuzz/random_events.o \
		$(B)/obj/tests/fuzz/random_program.o $(B)/libcore.a $(BASE) $(HEADERS)
	$(program)

COUNT ?= 10000
SEED ?= 1
.PHONY: differential
differential: $(DIFFERENTIAL)
	@$(DIFFERENTIAL) --seed $(SEED) --count $(COUNT)

.PHONY: check-build
check-build: $(PRODUCTS) $(UNIT_TESTS) $(TOOLS) $(BENCHES) $(DIFFERENTIAL) $(B)/gen/definitions.c

# Some tests only: make check T='trace_ends test_shim_log d/printf', or T='trace_*'
.PHONY: check
check: check-build
	@BUILD=$(B) CC='$(CC)' bash tests/run $(patsubst %,'%',$(TESTS) $(T))

# Tests whose witness (another tool) cannot be installed are skipped; NO_SKIP=1 makes them fail.
.PHONY: check-witnesses
check-witnesses: check-build
	@CC='$(CC)' sh src/packages.sh witness || true
	@$(MAKE) --no-print-directory modules || true
	@BUILD=$(B) CC='$(CC)' bash tests/run tests/witness/*.sh

# Fuzz targets are always built with clang and sanitizers. What they share is compiled once;
# fuzz_control is also linked with the library's runtime.
FUZZ_SECONDS ?= 10
FUZZ_FLAGS := -std=gnu11 -O1 -g $(WARN) -MMD -MP -fno-sanitize-recover=undefined -Isrc -Iinclude \
	-Ibuild/include -Ibuild/gen -D_GNU_SOURCE
FUZZ_CORE := $(CORE_OBJECTS:$(B)/%=build/fuzz/%)
FUZZ_RUNTIME := $(RUNTIME_OBJECTS:$(B)/%=build/fuzz/%)

define fuzz_compile
	$(call say,FUZZCC $@)
	@mkdir -p $(@D)
	$(Q)clang $(FUZZ_FLAGS) -fsanitize=fuzzer-no-link,address,undefined -c -o $@ $<
endef
build/fuzz/obj/%.o: src/%.c $(BASE) $(HEADERS)
	$(fuzz_compile)
build/fuzz/obj/gen/%.o: build/gen/%.c $(BASE) $(HEADERS)
	$(fuzz_compile)

build/fuzz/fuzz_control: $(FUZZ_RUNTIME)
$(FUZZERS): build/fuzz/%: tests/fuzz/%.c $(FUZZ_CORE)
	$(call say,FUZZCC $@)
	@mkdir -p $(@D)
	$(Q)clang $(FUZZ_FLAGS) -fsanitize=fuzzer,address,undefined -MF $@.dep -o $@ $(filter %.c %.o,$^) \
		$(LIBS_CORE) -pthread

.PHONY: fuzz
fuzz: $(FUZZERS)
	@BUILD=build FUZZ_SECONDS=$(FUZZ_SECONDS) bash tests/run_fuzz $(notdir $(FUZZERS))

# The survival rig: vmtap's objects, with each function of the C library that can fail replaced by
# one of tests/survive/fault.c. The programs have fixed addresses, so a call site is named by its
# address.
FAULTS := $(B)/faults
$(FAULTS): tests/survive/fault_table.h
	@mkdir -p $(@D)
	$(Q)sed -nE 's/^FAULT(_OWN)?\(([A-Za-z0-9_]+),.*/\2 fault_\2/p' $< > $@
	$(Q)echo 'syscall fault_syscall' >> $@

define redirect
	$(call say,OBJCOPY $@)
	$(Q)$(OBJCOPY) --redefine-syms=$(FAULTS) $< $@
endef
$(B)/libvmtap_faulty.a: $(B)/libvmtap.a $(FAULTS)
	$(redirect)
$(B)/obj/command_faulty.o: $(B)/obj/command.o $(FAULTS)
	$(redirect)
$(B)/obj/command.o: $(CLI_OBJECTS) $(CORE_OBJECTS) $(B)/lists
	$(call say,LD $@)
	$(Q)$(LD) -r -o $@ $(CLI_OBJECTS) $(CORE_OBJECTS)
$(B)/obj/survive/%.o: tests/survive/%.c $(BASE) $(HEADERS)
	$(compile)
$(B)/obj/survive/%.o: EXTRA := -Itests
$(B)/trial: $(B)/obj/survive/trial.o $(B)/obj/survive/fault.o $(B)/obj/tests/shim/reader.o \
		$(B)/obj/wire/place.o \
		$(B)/libvmtap_faulty.a
	$(call say,LINK $@)
	$(Q)$(LINK) -no-pie $(filter %.o %.a,$^) -pthread
# The library as it is, but for test points; the tests' calls are its real users.
PROMISES := $(patsubst tests/survive/%.c,$(B)/obj/survive/%.o,$(wildcard tests/survive/promise*.c))
$(B)/obj/survive/promise_caller.o: $(B)/gen/test_calls.h
$(B)/promises: $(PROMISES) $(B)/obj/tests/shim/reader.o $(B)/libvmtap.a
	$(call say,LINK $@)
	$(Q)$(LINK) -Wl,-z,now $(filter %.o %.a,$^) -pthread
$(B)/obj/tests/shim/vm_lock.o: private EXTRA := -Itests
$(B)/vm_lock: $(B)/obj/tests/shim/vm_lock.o $(B)/obj/tests/shim/reader.o $(B)/libvmtap.a
	$(call say,LINK $@)
	$(Q)$(LINK) -rdynamic $(filter %.o %.a,$^) -pthread -ldl
$(B)/extension.so: tests/shim/extension.c $(B)/libvmtap_probes.a $(BASE) $(HEADERS)
	$(call say,CC $@)
	$(Q)$(CC) $(ALL_CPPFLAGS) $(ALL_CFLAGS) -fPIC -shared $(LDFLAGS) -o $@ $< $(B)/libvmtap_probes.a
$(B)/toy_faulty: $(TOY_OBJECTS) $(B)/obj/survive/fault.o $(B)/libvmtap_faulty.a
	$(call say,LINK $@)
	$(Q)$(LINK) -no-pie $(filter %.o %.a,$^) -pthread -lm
$(B)/soak: tests/survive/soak.c $(B)/libvmtap.a $(BASE) $(HEADERS)
	$(program)
$(B)/vmtap_faulty: $(B)/obj/command_faulty.o $(B)/obj/survive/fault.o
	$(call say,LINK $@)
	$(Q)$(LINK) -no-pie $(filter %.o,$^) $(LIBS_COMMAND)

$(B)/schedules: $(wildcard tests/survive/*) $(wildcard src/shim/*/*.[ch] src/wire/*.[ch]) \
		$(HEADERS) $(B)/gen/definitions.c $(BASE)
	$(call say,CC $@)
	$(Q)BUILD=$(B) CC='$(CC)' bash tests/survive/build_schedules $@

# SURVIVE_ARGUMENTS: see tests/survive/run --help.
.PHONY: survive survive-programs
survive-programs: $(PRODUCTS) $(addprefix $(B)/,trial promises vm_lock extension.so soak toy_faulty vmtap_faulty schedules)
survive:
	@$(MAKE) --no-print-directory SURVIVE=1 survive-programs
	@python3 tests/survive/run $(SURVIVE_ARGUMENTS)

# PLANTED_ARGUMENTS: see tests/survive/planted --help.
.PHONY: survive-planted
survive-planted:
	@$(MAKE) --no-print-directory SURVIVE=1 survive-programs
	@CC='$(CC)' python3 tests/survive/planted $(PLANTED_ARGUMENTS)

$(BENCHES): private EXTRA := $(ALL_PROVIDERS)
$(BENCHES): $(B)/bench/%: tests/bench/%.c $(B)/libcore.a $(B)/libvmtap.a $(BASE) $(HEADERS)
	$(program)

.PHONY: bench
bench: $(PRODUCTS) $(BENCHES)
	@BUILD=$(B) CC='$(CC)' bash tests/bench/run

.PHONY: demo
demo: $(PRODUCTS)
	@BUILD=$(B) bash examples/demo.sh

# ---- installing ----

# Folder names may contain spaces, so every use is quoted. Installed files refer to each other
# by path, so the folders must be absolute.
PUBLIC_HEADERS := $(addprefix include/,vmtap.h vmtap_guard.h vmtap_object.h vmtap_provider.h) \
	$(B)/include/vmtap_probes.h
TO_BIN := "$(DESTDIR)$(BINDIR)"
TO_LIB := "$(DESTDIR)$(LIBDIR)"
TO_INCLUDE := "$(DESTDIR)$(INCLUDEDIR)"
TO_DATA := "$(DESTDIR)$(DATADIR)"
TO_MAN := "$(DESTDIR)$(MANDIR)"
TO_BASH := "$(DESTDIR)$(BASHDIR)"
TO_ZSH := "$(DESTDIR)$(ZSHDIR)"
TO_MODULES := "$(DESTDIR)$(MODULEDIR)"

DEB_MAINTAINER ?= The vmtap authors <vmtap@packages.invalid>
.PHONY: deb
deb: $(PACKAGES)
	$(call say,DEB build/deb)
	$(Q)sh src/debian/package.sh build/deb $(VERSION) '$(DEB_MAINTAINER)'

.PHONY: check-folders
check-folders:
	@for folder in PREFIX="$(PREFIX)" BINDIR="$(BINDIR)" LIBDIR="$(LIBDIR)" \
		INCLUDEDIR="$(INCLUDEDIR)" DATADIR="$(DATADIR)" MANDIR="$(MANDIR)" \
		BASHDIR="$(BASHDIR)" ZSHDIR="$(ZSHDIR)" MODULEDIR="$(MODULEDIR)"; do \
		case $${folder#*=} in \
		/*) ;; \
		*) echo "$$folder: not an absolute path" >&2; exit 1 ;; \
		esac; done

# A linker takes the first library that defines a symbol. pkg-config --static prints Libs.private
# before what the required package adds, so the archive comes before -lvmtap, which is then not
# needed. Without --static only -lvmtap is there, the shared library.
#
# A VM that is linked by vmtap-runtime.pc finds the shared library also in a folder that the loader
# does not look into: the file gives its executable a run path, but only for such a folder. It is the
# first of the flags since pkgconf loses the quotes of blanks in one that follows another -Wl.
#
# INSTALL_STRIP=0 keeps the symbols for a debugger. Of the modules, those that have been built are
# installed.
STRIPPED := $(if $(filter 0,$(INSTALL_STRIP)),,-s)
.PHONY: install
install: check-folders $(PRODUCTS)
	$(call say,INSTALL "$(DESTDIR)$(PREFIX)")
	$(Q)install -d $(TO_BIN) $(TO_LIB)/pkgconfig $(TO_INCLUDE) $(TO_DATA)/scripts $(TO_DATA)/compat
	$(Q)install $(STRIPPED) -m 755 $(B)/vmtap $(TO_BIN)/vmtap
	$(Q)install -m 644 $(PUBLIC_HEADERS) $(TO_INCLUDE)/
	$(Q)install -m 644 $(B)/libvmtap.a $(B)/libvmtap_probes.a $(TO_LIB)/
	$(Q)install $(STRIPPED) -m 755 $(B)/libvmtap.so $(TO_LIB)/libvmtap.so.$(VERSION)
	$(Q)ln -sf libvmtap.so.$(VERSION) $(TO_LIB)/libvmtap.so.$(SOVERSION)
	$(Q)ln -sf libvmtap.so.$(SOVERSION) $(TO_LIB)/libvmtap.so
	$(Q)install $(STRIPPED) -m 755 $(B)/libvmtap_ffi.so $(TO_LIB)/libvmtap_ffi.so.$(VERSION)
	$(Q)ln -sf libvmtap_ffi.so.$(VERSION) $(TO_LIB)/libvmtap_ffi.so.$(FFI_SOVERSION)
	$(Q)ln -sf libvmtap_ffi.so.$(FFI_SOVERSION) $(TO_LIB)/libvmtap_ffi.so
	$(Q)printf '%s\n' "prefix=$(PREFIX)" "libdir=$(LIBDIR)" "includedir=$(INCLUDEDIR)" '' \
		'Name: vmtap' 'Description: Static probes for language VMs' 'Version: $(VERSION)' \
		'Requires: vmtap-runtime' 'Cflags: -I"$${includedir}"' \
		'Libs: -L"$${libdir}" -lvmtap_probes' 'Libs.private: -l:libvmtap.a -pthread' \
		> $(TO_LIB)/pkgconfig/vmtap.pc
	$(Q)path='-Wl,-rpath,"$${libdir}" '; \
	case "$(LIBDIR)" in /lib|/lib[/3-6]*|/usr/lib|/usr/lib[/3-6]*) path= ;; \
	*) ! PATH="$$PATH:/usr/sbin:/sbin" ldconfig -vNX 2>/dev/null | sed 's/:\( .*\)\{0,1\}$$//' | \
		grep -qxF -- "$(LIBDIR)" || path= ;; esac; \
	printf '%s\n' "prefix=$(PREFIX)" "libdir=$(LIBDIR)" '' \
		'Name: vmtap-runtime' 'Description: Runtime part of vmtap' 'Version: $(VERSION)' \
		'Libs: '"$$path"'-L"$${libdir}" -Wl,--push-state,--as-needed -lvmtap -Wl,--pop-state' \
		> $(TO_LIB)/pkgconfig/vmtap-runtime.pc
	$(Q)chmod 644 $(TO_LIB)/pkgconfig/vmtap.pc $(TO_LIB)/pkgconfig/vmtap-runtime.pc
	$(Q)install -m 644 probes/vm.d $(TO_DATA)/
	$(Q)install -m 644 $(COMPAT) $(TO_DATA)/compat/
	$(Q)install -m 644 $(SCRIPTS) $(TO_DATA)/scripts/
	$(Q)install -d $(TO_BASH) $(TO_ZSH)
	$(Q)install -m 644 src/cli/completion/vmtap.bash $(TO_BASH)/vmtap
	$(Q)install -m 644 src/cli/completion/_vmtap $(TO_ZSH)/_vmtap
	$(Q)for module in $(MODULES)/*/*.so; do \
		[ -e "$$module" ] || continue; \
		to=$(TO_MODULES)/$$(basename "$$(dirname "$$module")"); \
		install -d "$$to" && install $(STRIPPED) -m 644 "$$module" "$$to/" || exit 1; done
	$(Q)for page in $(MANUALS); do \
		install -d $(TO_MAN)/man$${page##*.} && \
		install -m 644 $$page $(TO_MAN)/man$${page##*.}/ || exit 1; done
	$(Q)[ -n "$(DESTDIR)" ] || ldconfig 2>/dev/null || true

# Removes what install installed, and the product's own folders if they are empty.
.PHONY: uninstall
uninstall: check-folders
	$(call say,UNINSTALL "$(DESTDIR)$(PREFIX)")
	$(Q)rm -f $(TO_BASH)/vmtap $(TO_ZSH)/_vmtap
	$(Q)rm -f $(TO_BIN)/vmtap $(addprefix $(TO_INCLUDE)/,$(notdir $(PUBLIC_HEADERS)))
	$(Q)rm -f $(TO_LIB)/libvmtap.a $(TO_LIB)/libvmtap_probes.a $(TO_LIB)/libvmtap.so \
		$(TO_LIB)/libvmtap.so.$(SOVERSION) $(TO_LIB)/libvmtap.so.$(VERSION) \
		$(TO_LIB)/libvmtap_ffi.so $(TO_LIB)/libvmtap_ffi.so.$(FFI_SOVERSION) \
		$(TO_LIB)/libvmtap_ffi.so.$(VERSION)
	$(Q)rm -f $(TO_LIB)/pkgconfig/vmtap.pc $(TO_LIB)/pkgconfig/vmtap-runtime.pc
	$(Q)rm -f $(TO_MODULES)/lua5.4/vmtap.so
	$(Q)for folder in $(TO_MODULES)/lua5.4 $(TO_MODULES); do \
		[ ! -d "$$folder" ] || rmdir --ignore-fail-on-non-empty "$$folder"; done
	$(Q)cd $(TO_DATA) 2>/dev/null || exit 0; rm -f vm.d $(COMPAT:probes/%=%) $(SCRIPTS:$(B)/%=%)
	$(Q)for folder in $(TO_DATA)/compat $(TO_DATA)/scripts $(TO_DATA); do \
		[ ! -d "$$folder" ] || rmdir --ignore-fail-on-non-empty "$$folder"; done
	$(Q)for page in $(notdir $(MANUALS)); do rm -f $(TO_MAN)/man$${page##*.}/$$page; done

.PHONY: clean
clean:
	rm -rf build

OBJECT_FOLDERS := $(wildcard $(B)/obj $(B)/host build/fuzz/obj)
-include $(if $(OBJECT_FOLDERS),$(shell find $(OBJECT_FOLDERS) -name '*.d'))
-include $(wildcard $(B)/tests/*.dep $(B)/tests/tools/*.dep $(B)/bench/*.dep build/fuzz/*.dep)
