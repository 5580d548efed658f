#!/bin/bash
# Several processes in one trace: their events are in time order, $target is the first process,
# the trace ends when all have ended, and a stopped process does not delay the others.
set -u
. tests/e2e/common

programs=examples/toy/programs
# Each process has the same counts as when it is traced alone.
script='BEGIN { last = timestamp; }
vm*:::method-entry { @[pid == $target ? "first" : "second"] = count(); }
vm*:::method-entry /timestamp < last/ { disorder++; }
vm*:::method-entry /probeprov != strjoin("vm", lltostr(pid))/ { foreign++; }
vm*:::method-entry { last = timestamp; }
tick-100 { ticks++; }
END { printf("disorder %d foreign %d\n", disorder, foreign); }'
count() { # a program, traced alone
	run 0 trace --lossless -q -o "$directory/alone" -c "$TOY $programs/$1" -n 'vm$target:::method-entry { @ = count(); }'
	awk 'NF { print $1 }' "$directory/alone"
	rm "$directory/alone"
}
first=$(count queens.toy) || exit 1
second=$(count redefine.toy) || exit 1
run 0 trace --lossless -o "$directory/both" -x quiet=no -c "$TOY $programs/queens.toy" \
	-c "$TOY $programs/redefine.toy" -n "$script"
grep -qE "^ +first +$first\$" "$directory/both" || fail "first: not $first"
grep -qE "^ +second +$second\$" "$directory/both" || fail "second: not $second"
grep -q 'disorder 0 foreign 0' "$directory/both" || fail "disorder"
[ "$(grep -c '^dtrace: pid [0-9]* has exited$' "$directory/err")" = 2 ] || fail "ends are not reported"

cp tests/toy/loop.toy "$directory/loop.toy"
start_loop() { # sets pid
	"$TOY" "$directory/loop.toy" >/dev/null 2>&1 &
	pid=$!
	pids+=("$pid")
	await_stream "$pid"
}
start_loop
one=$pid
start_loop
two=$pid

# A stopped process delays neither the other's events nor ticks.
: >"$directory/out"
"$VMTAP" trace -q -p "$one" -p "$two" -n '
	vm'"$one"':::method-entry /!seen/ { seen = 1; printf("one\n"); }
	vm'"$two"':::method-entry { two++; }
	vm'"$two"':::method-entry /two == 1/ { printf("two\n"); }
	vm'"$two"':::method-entry /two == 300000/ { printf("more\n"); }
	tick-10 /two > 300000 && !told/ { told = 1; printf("tick\n"); }
	END { printf("end\n"); }' >"$directory/out" 2>"$directory/err" &
tracer=$!
pids+=("$tracer")
await "nothing of the first" grep -q one "$directory/out"
await "nothing of the second" grep -q two "$directory/out"
kill -STOP "$one"
await "events held back" grep -q more "$directory/out"
await "ticks held back" grep -q tick "$directory/out"
kill -CONT "$one"
# When one process ends, that is reported and the trace goes on; it ends with the last one.
kill -9 "$one"
await "the first one's end is not told" grep -q "process $one .*ended" "$directory/err"
kill -0 "$tracer" 2>/dev/null || fail "the trace has ended with its first target"
kill -9 "$two"
wait "$tracer" || fail "status $?"
has out '^end$'

run 2 trace -p $$ -p $$ -n BEGIN
has err 'is given twice'
run 2 trace -c true --log x -n BEGIN
has err 'a recording .* is traced alone'
# one that has nothing that is described is left out; if it is the only one, that is an error
run 0 trace -q -c "$TOY $programs/queens.toy" -p $$ -n 'vm*:::startup { printf("begins\n"); }'
has out '^begins$'
has err "process $$ .*; nothing of it is traced$"
# ... not if what belongs to no process shows it all the same
run 0 trace -q -c "$TOY $programs/queens.toy" -p $$ -n 'vm*:::startup { printf("begins\n"); exit(0); } profile-97 /0/ { }'
has err "process $$ .*serves no event stream"
has_not err 'nothing of it is traced'
run 3 trace -p $$ -n 'vm*:::startup'
has err "process $$ "
