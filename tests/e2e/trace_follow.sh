#!/bin/bash
# trace --follow: the VMs that a command starts, from their first event to their last: under a shell,
# in the background, restarted, forked.
# tests: src/targets/vm_joins.c src/targets/child.c src/shim/server/start.c
set -u
. tests/e2e/common

export XDG_RUNTIME_DIR=$directory/runtime
mkdir -m 700 "$XDG_RUNTIME_DIR"
program=examples/toy/programs/queens.toy
ends='vm$target:::startup { printf("startup %d %s %d\n", pid, execname, pid == $target); }
	vm$target:::shutdown { printf("shutdown %d\n", pid); }'
count() { # how often, pattern
	[ "$(grep -cE -- "$2" "$directory/out")" = "$1" ] || fail "'$2' is not there $1 times"
}
no_sockets() {
	[ -z "$(ls "$XDG_RUNTIME_DIR/vmtap" 2>/dev/null)" ] || fail "sockets are left"
}

# a shell that runs one after the other; $target is the shell
run 0 trace -q --follow -c "sh -c '$TOY $program; $TOY $program; $TOY $program'" -n "$ends"
count 3 '^startup [0-9]+ toy 0$'
count 3 '^shutdown [0-9]+$'
[ "$(grep -oE '^startup [0-9]+' "$directory/out" | sort -u | wc -l)" = 3 ] || fail "the pids are the same"
no_sockets
# the command may be a VM itself
run 0 trace -q --follow -n "$ends" -- "$TOY" "$program"
count 1 '^startup [0-9]+ toy 1$'
# $target alone is still the command
run 0 trace -q --follow -c "sh -c '$TOY $program; true'" -n "$ends"'END { printf("target %d\n", $target); }'
count 1 '^target [0-9]+$'
# one that the command leaves behind, and that another command started: both are waited for
run 0 trace -q --follow -c "sh -c '(sleep 0.2; $TOY $program) & $TOY $program &'" -n "$ends"
count 2 '^startup'
count 2 '^shutdown'
# a program that runs another
run 0 trace -q --follow -n 'vm*:::shutdown { @[execname] = count(); }' -- env -u NOSUCH nice "$TOY" "$program"
has out '^  toy +1$'
# bundled scripts
run 0 trace stat --follow -c "sh -c 'exec $TOY $program'"
has_not err vmtap
# several VMs at once, merged: every event of each, in the order of time
run 0 trace -q --lossless --follow -c "sh -c '$TOY $program & $TOY $program & wait'" -n 'BEGIN { last = timestamp - timestamp; }
	vm$target:::method-entry { @calls[pid] = count(); @all = count(); }
	vm$target::: /timestamp < last/ { @wrong = count(); } vm$target::: { last = timestamp; }
	END { printa("calls %d %@d\n", @calls); printa("all %@d\n", @all); printa("wrong %@d\n", @wrong); }'
[ "$(grep -E '^calls' "$directory/out" | cut -d' ' -f3 | sort -u | wc -l)" = 1 ] || fail "other numbers of calls"
count 2 '^calls '
has_not out '^wrong'

# a command that is ended by the script: nothing that it has started lives on, no socket is left
cat >"$directory/pids.sh" <<SCRIPT
sh -c 'echo \$\$ >>$directory/pids; sleep 600; true' &
$TOY tests/toy/loop.toy &
echo \$! >>$directory/pids
echo \$\$ >>$directory/pids
wait
SCRIPT
run 5 trace -q --follow -c "sh $directory/pids.sh" -n 'vm$target:::method-entry { exit(5); }'
[ "$(wc -l <"$directory/pids")" = 3 ] || fail "the command has not started what it should"
for pid in $(cat "$directory/pids"); do
	kill -0 "$pid" 2>/dev/null && fail "process $pid outlives the trace"
done
no_sockets
# nor is one left if a signal ends the command together with the trace, as ^C in a terminal does
for how in "" --follow; do
	: >"$directory/out"
	# shellcheck disable=SC2086
	setsid "$VMTAP" trace -q $how -n 'vm*:::method-entry /!n++/ { printf("called\n"); }' -- "$TOY" tests/toy/loop.toy \
		>"$directory/out" 2>"$directory/err" &
	group=$!
	pids+=("$group")
	await "no event" grep -q called "$directory/out"
	kill -TERM -- "-$group"
	wait "$group" || fail "trace $how: status $?"
	no_sockets
done
: >"$directory/log"
setsid "$VMTAP" record -o "$directory/log" -c "$TOY tests/toy/loop.toy" 2>"$directory/err" &
group=$!
pids+=("$group")
await "nothing is recorded" test -s "$directory/log"
await "the recording goes on" eval "kill -TERM -- -$group; ! kill -0 $group"
wait "$group"
no_sockets
# one VM that is killed, after its first event has been heard of, ends its own stream only
run 0 trace -q --follow -c "sh -c '$TOY tests/toy/loop.toy & $TOY $program
	until test \$(grep -c ^startup $directory/out) = 2; do sleep 0.02; done; kill -9 %1 || kill -9 \$!; wait; $TOY $program'" -n "$ends"
count 3 '^startup'
count 2 '^shutdown'

# a server that forks its workers, each of which serves a stream, by itself or by the option
flags=()
[ "${VMTAP_SANITIZED:-0}" = 1 ] && flags=(-fsanitize=address,undefined)
$CC "${flags[@]}" -Iinclude -I"$BUILD/include" -o "$directory/prefork" tests/toy/prefork.c \
	"$BUILD/libvmtap_probes.a" "$BUILD/libvmtap.a" -pthread || fail "prefork.c"
workers='vm$target:::startup { printf("worker %d\n", arg0); @pids[pid] = count(); }
	vm$target:::shutdown /arg0/ { printf("end %d\n", arg0); } END { printa("pid %d\n", @pids); }'
for mode in start option; do
	run 0 trace -q --follow -n "$workers" -- "$directory/prefork" 5 $mode
	for worker in 1 2 3 4 5; do
		count 1 "^worker $worker$"
		count 1 "^end $worker$"
	done
	count 5 '^pid '
	no_sockets
done
run 0 trace -q --follow -n "$workers" -- "$directory/prefork" 2 none
count 0 '^worker'
# without the option nothing changes; with it, -p traces a worker
run 0 trace -q -n 'vm$target:::shutdown { printf("end %d\n", arg0); }' -- "$directory/prefork" 2 option
count 1 '^end 0$'

# A process that is running: what it starts from then on.
mkfifo "$directory/go"
sh -c "read -r word <'$directory/go'; $TOY tests/toy/loop.toy; true" >/dev/null &
shell=$!
pids+=("$shell")
"$VMTAP" trace --follow -p "$shell" >"$directory/out" 2>"$directory/err" -n '
	BEGIN { printf("begin\n"); }
	vm$target:::method-entry { printf("called %s %d\n", execname, pid); exit(4); }' &
tracer=$!
pids+=("$tracer")
await "the trace does not begin" grep -q begin "$directory/err" "$directory/out"
has err '^vmtap: no VM serves an event stream yet: waiting$'
echo go >"$directory/go"
wait "$tracer"
status=$?
[ "$status" = 4 ] || fail "-p --follow: status $status"
has out 'called toy [0-9]+$'
kill -9 "$(grep -oE 'called toy [0-9]+' "$directory/out" | cut -d' ' -f3)"

# VMs wait for a tracer that lives, and for no other
for tracer in 99999999 0 -1 x ''; do
	VMTAP_WAIT=tracer:$tracer timeout "${COMMAND_SECONDS:-300}" "$TOY" "$program" >/dev/null ||
		fail "VMTAP_WAIT=tracer:$tracer: status $?"
done

# without --follow, a command that has started others, and serves nothing itself, gets a hint
hint='^vmtap: the command has started other programs: --follow traces these too$'
run 3 trace -c "sh -c '$TOY $program; true'" -n "$ends"
has err '^vmtap: process [0-9]+ \(.*\) has ended without serving an event stream$'
has err "$hint"
run 3 trace gc_pause -- sh -c "$TOY $program; true"
has err "$hint"
# one that still runs when the wait is over
run 3 trace -c "sh -c 'sleep 600; true'" -n "$ends"
has err '^vmtap: process [0-9]+ \(.*\) serves no event stream: '
has err "$hint"
# one that has started nothing gets none, nor one that is followed
run 3 trace -c 'echo any' -n "$ends"
has_not err --follow
run 3 trace --follow -c "sh -c 'ls; true'" -n "$ends"
has_not err --follow
run 0 trace -q -c "$TOY $program" -n "$ends"
has_not err --follow

# nothing to trace, and wrong usage
run 3 trace --follow -c 'sh -c true' -n 'vm$target:::startup'
has err '^vmtap: process [0-9]+, and what it has started, have ended without serving an event stream$'
run 0 trace -q --follow -Z -c 'sh -c true' -n 'vm$target:::startup' -n 'END { printf("end\n"); }'
has out '^end$'
run 0 trace -q --follow -c 'echo any' -n 'BEGIN { printf("begin\n"); }'
[ "$(grep . "$directory/out" | xargs)" = 'begin any' ] || fail "a script without probes"
run 1 trace --follow -c "$TOY $program" -n 'vm$target:::start-up'
has err 'does not match any probes'
run 2 trace --follow -n 'vm$target:::startup'
has err '^vmtap trace: --follow follows what -c, -p or -- COMMAND gives$'
run 2 trace --follow --wait toy -n BEGIN
has err '^vmtap trace: only one of --wait NAME and --follow$'
run 2 trace --follow --log "$directory/x" -n BEGIN
