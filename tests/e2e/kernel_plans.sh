#!/bin/bash
# Every program that the kernel source can make of operands and demands passes the kernel's check.
# PLANS: how many are tried; SEED: from which on.
set -u
. tests/e2e/common
"$BUILD/tests/tools/load_plans" "${SEED:-1}" "${PLANS:-3000}" >"$directory/out" 2>"$directory/err"
status=$?
[ "$status" != 77 ] || { cat "$directory/out" && exit 77; }
[ "$status" = 0 ] || fail "a program is refused"
exit 0
