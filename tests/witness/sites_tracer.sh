#!/bin/bash
# bpftrace attaches to the few sites of binaries that have no others (tests/e2e/sites_builds.sh):
# provider vm's and a provider's of their own, in a build by each compiler and linker and in those that
# drop or merge code. SITES_EVERY=1 takes all builds.
set -u
. tests/witness/bpftrace
need_bpftrace
[ "${SITES_EVERY:-0}" = 1 ] ||
	export EVERY_ONLY='@(gcc-bfd-pie|gcc-gold-gc|gcc-mold-no-pie|gcc-bfd-lto-gc|gcc-bfd-static-pie|clang-lld-pie|clang-lld-gc|clang-bfd-O0-now)'
[ "${SITES_EVERY:-0}" = 0 ] || export EVERY_ONLY='*-*-!(shared*)'
SITES_TRACER=1 bash tests/e2e/sites_builds.sh
