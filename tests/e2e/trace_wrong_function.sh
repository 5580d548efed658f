#!/bin/bash
# A function that a process does not have is named, with what may have been meant, also if the
# process serves no event stream, or serves one that has other probes.
set -u
. tests/e2e/common
need_kernel

sleep 1000 &
pids+=($!)
"$TOY" tests/toy/loop.toy >"$directory/toy.out" 2>&1 &
toy=$!
pids+=("$toy")
await_stream "$toy"
for pid in "${pids[@]}"; do
	run 3 trace -q -p "$pid" -n 'pid$target:libc.so.6:mallocc:entry { @ = count(); }'
	has err "^vmtap: pid$pid:libc.so.6:mallocc:entry: no function mallocc in .* \(did you mean malloc\?\)\$"
	has_not err 'event stream|needs a process'
done
for pid in "${pids[@]}"; do
	run 3 trace -q -p "$pid" -n 'pid$target:libc:malocc:entry { @ = count(); }'
	has err "^vmtap: pid$pid:libc:malocc:entry: no function malocc in libc.* \\(did you mean malloc\\?\\)\$"
	run 3 trace -q -p "$pid" -n 'pid$target:libcc:malloc:entry { @ = count(); }'
	has err "^vmtap: pid$pid:libcc:malloc:entry: process $pid has not mapped libcc \\(did you mean libc[.-].*\\?\\)\$"
done
run 3 trace -q -p "$toy" -n 'vm$target:::method-entry, pid$target:toy:nosuch:entry { @ = count(); }'
has err ':nosuch:entry: no function nosuch in toy'
exit 0
