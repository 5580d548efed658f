#!/bin/bash
# A VM that is stopped while it is traced together with the kernel's events says nothing: ticks go on,
# and the trace ends when it is asked to.
set -u
. tests/e2e/common
need_kernel

cat >"$directory/loop.toy" <<'TOY'
n = 0
while true
  n = n + 1
end
TOY
"$TOY" "$directory/loop.toy" >/dev/null 2>&1 &
vm=$!
pids+=("$vm")
await_stream "$vm"
"$VMTAP" trace -q -x switchrate=10ms -p "$vm" -n 'BEGIN, tick-20ms { printf("tick\n"); }
	vm$target:::shutdown, syscall::getpgrp:entry { }' >"$directory/out" 2>"$directory/err" &
tracer=$!
pids+=("$tracer")
ticks() { # how many there must be
	[ "$(grep -c tick "$directory/out")" -ge "$1" ]
}
await "the trace does not begin" ticks 2
kill -STOP "$vm"
await "no tick while the VM is stopped" ticks 50
kill -INT "$tracer"
is_over() {
	! kill -0 "$tracer"
}
await "the trace does not end" is_over
wait "$tracer" || fail "status $?"
