#!/bin/bash
# Every program that the kernel source can make of operands and demands passes the kernel's check.
# PLANS: how many are tried; SEED: from which on.
# tests: src/kernel/capture/plan.c src/kernel/capture/capture.c src/kernel/bpf/bpf_code.c
# limit: 900
set -u
. tests/e2e/common
seed=1 plans=1500
# Most of the time is the kernel's own: the tools built with sanitizers try others, and fewer.
[ "${VMTAP_SANITIZED:-0}" = 1 ] && seed=1501 plans=1000
"$BUILD/tests/tools/load_plans" "${SEED:-$seed}" "${PLANS:-$plans}" >"$directory/out" 2>"$directory/err"
status=$?
[ "$status" != 77 ] || { cat "$directory/out" && exit 77; }
[ "$status" = 0 ] || fail "a program is refused"
exit 0
