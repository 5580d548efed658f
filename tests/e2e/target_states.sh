#!/bin/bash
# The states of a target, as VMTAP_DEBUG=target shows them: of commands that are started when their
# events are opened, or held, or started only after BEGIN, and of processes that run already. No event
# happens in a state that the table does not have it in, whatever verb opens the target.
# tests: src/targets/target_state.c src/targets/target_process.c src/targets/targets.c
. tests/e2e/common
export VMTAP_DEBUG=target
program=examples/toy/programs/queens.toy

# Compares the events of the target, which is the first that has any.
passes() { # events, e.g. "create start enable end"
	local first
	has_not err 'which cannot be'
	first=$(sed -nE 's/^vmtap: target: process ([0-9]+): [a-z]+ -> [a-z]+$/\1/p' "$directory/err" | head -n 1)
	[ "$(sed -nE "s/^vmtap: target: process $first: [a-z]+ -> ([a-z]+)\$/\1/p" "$directory/err" | xargs)" = "$1" ] ||
		fail "not the events $1"
}

# nothing is opened for it, so it starts after BEGIN, or never
run 0 trace -q -c true -n BEGIN
passes 'create enable release end'
run 0 trace -q -c true -c true -n 'BEGIN { exit(0); }'
passes 'create enable end'
run 0 trace -l -c true -n BEGIN
passes 'create end'
# the library of the program waits for us
run 0 trace -q --via=stream -c "$TOY $program" -n 'vm$target:::startup'
passes 'create start enable end'
run 0 trace -q --via=stream --follow -c "$TOY $program" -n 'vm$target:::startup'
passes 'create start enable end'
run 3 trace -q --via=stream -c true -n 'vm$target:::startup'
passes 'create start end'
run 1 trace -q --via=stream -c "$TOY $program" -n 'vm$target:::nosuch'
passes 'create start end'
# its program cannot be started
printf '#!/nonexistent/interpreter\n' >"$directory/script"
chmod +x "$directory/script"
run 3 trace -q --via=stream -c "$directory/script" -n 'vm$target:::startup'
passes 'create end'
run 3 trace -q -c "$directory/script" -n BEGIN
passes 'create enable end'
run 0 record -o "$directory/log" -c "$TOY $program"
passes 'create start enable end'
# a recording is no process
run 0 trace -q --log "$directory/log" -n 'vm*:::startup'
has_not err 'target: process [0-9]+:'

# one that runs already keeps running
"$TOY" tests/toy/loop.toy >/dev/null 2>&1 &
vm=$!
pids+=("$vm")
await_stream "$vm"
run 0 trace -q -p "$vm" -n 'BEGIN { exit(0); }'
passes 'find enable end'
run 0 trace -q -p "$vm" -n 'vm$target:::method-entry { exit(0); }'
passes 'find enable end'
run 0 trace -l -p "$vm" -n 'vm$target:::method-entry'
passes 'find end'
run 0 flame --folded --seconds 1 "$vm" -o -
passes 'find enable end'
run 0 heap --once "$vm"
passes 'find enable end'
run 3 trace -q -p 999999999 -n 'vm$target:::startup'
has_not err 'which cannot be'
kill -0 "$vm" || fail "the process has been ended"

# the kernel traces it: it is held where it begins, and goes on when its probes are enabled
"$VMTAP" trace --via=kernel -l -p $$ >"$directory/out" 2>"$directory/err" </dev/null
if grep -q 'allows no BPF program' "$directory/err"; then
	echo "left out: commands that are held: the kernel allows no BPF program"
	exit 0
fi
run 0 trace -q --via=kernel -c "$TOY $program" -n 'vm$target:::startup'
passes 'create start hold enable release end'
run 0 trace -q --via=kernel --follow -c "$TOY $program" -n 'vm$target:::startup'
passes 'create start hold enable release end'
# the shell has no such probe: it goes on, and is held again at what it executes
run 0 trace -q --via=kernel -c "sh -c 'exec $TOY $program'" -n 'vm$target:::startup'
has_not err 'which cannot be'
has err 'held -> resume$'
has err 'held -> enable$'
has err 'enabled -> release$'
run 0 trace -q --via=kernel -p "$vm" -n 'vm$target:::method-entry { exit(0); }'
passes 'find enable end'
exit 0
