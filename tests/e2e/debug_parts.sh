#!/bin/bash
# VMTAP_DEBUG: each part that it names tells what it does, on standard error, and no other part does.
set -u
. tests/e2e/common

VMTAP_DEBUG=help run 0 trace
for part in compile target stream log merge engine record server; do
	has out "^$part +[a-z]"
done
VMTAP_DEBUG=stream,nonsense run 2 list "$TOY"
has err "no part is called 'nonsense'"

script='vm$target:::gc-end { @[arg0] = count(); }'
VMTAP_DEBUG=stream,server,compile,target,engine run 0 trace -q -c "$TOY examples/toy/programs/queens.toy" -n "$script"
for what in 'stream: .*connected' 'stream:   gc-end, .* strings 0x1$' 'stream: .*stream has ended' \
	'server [0-9]+: started' 'server [0-9]+: client [0-9]+ connected, 1 in all' \
	'server [0-9]+: client [0-9]+ left, 0 remain' 'server [0-9]+: ended' \
	'compile: the scripts need a source and \$target' 'compile: 1 clauses' \
	"target: command '.*' is process [0-9]+" 'engine: begins' 'engine: ends'; do
	has err "^vmtap: $what"
done
VMTAP_DEBUG=record run 0 record -o "$directory/log" -c "$TOY examples/toy/programs/queens.toy"
has err 'vmtap: record: .*log: opened$'
VMTAP_DEBUG=log run 0 trace -q --log "$directory/log" -n 'vm*:::gc-end { @ = count(); }'
has err 'vmtap: log: .*log: process [0-9]+ \(toy\), [0-9]+ probes$'
has err 'vmtap: log: .*log: read to its end marker$'

# nothing without it, and nothing of other parts
run 0 trace -q -c "$TOY examples/toy/programs/queens.toy" -n "$script"
grep -E '^vmtap: (stream|server|compile|target|engine)' "$directory/err" && fail "said something unasked"
VMTAP_DEBUG=merge run 0 trace -q -c "$TOY examples/toy/programs/queens.toy" -n "$script"
grep -E '^vmtap: (stream|server|compile|target|engine)' "$directory/err" && fail "another part said something"
exit 0
