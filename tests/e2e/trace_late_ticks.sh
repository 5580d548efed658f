#!/bin/bash
# Ticks that take longer than the time between them: the trace does not fall behind for ever, and
# heeds a signal.
# tests: src/program/timer_probe.c
set -u
. tests/e2e/common

script='tick-1ms { @slow = count(); system("sleep 0.01; echo slow"); } tick-1s { printf("second\n"); }'
timeout 100 "$VMTAP" trace -w -q -n "$script" >"$directory/out" 2>"$directory/err" &
tracer=$!
pids+=($tracer)
ticked() { [ "$(grep -c slow "$directory/out")" -ge "$1" ]; }
await "nothing ticks" ticked 120 # the next 1,000 have been due for a while
kill -INT $tracer
before=$(grep -c slow "$directory/out")
wait $tracer || fail "the trace ends with another status"
after=$(grep -c slow "$directory/out")
[ $((after - before)) -lt 30 ] || fail "$((after - before)) ticks after the signal"

# Each probe's ticks go on, also those that are seldom.
run 0 trace -w -q -n "${script/printf(\"second\\n\"); \}/exit(0); \}}"
ticked 10 || fail "nothing ticks"
ticked 400 && fail "all ticks that were due by a second have fired"
exit 0
