#!/bin/bash
# How a command is given to trace and record (-c with quotes, --), a bundled script together with
# others, scripts from standard input, signals that come together, and a VM that is stopped.
# tests: src/targets/target_command.c src/targets/command_words.c src/cli/interrupts.c
set -u
. tests/e2e/common

program=examples/toy/programs/queens.toy

# -c takes its words as a shell does
words() { # what -c is given, the words it comes to, one a line
	run 0 trace -q -c "printf <%s>\\\\n $1" -n BEGIN
	[ "$(cat "$directory/out")" = "$2" ] || fail "-c $1: other words"
}
words "a  b" $'<a>\n<b>'
words "'a  b' c\"d e\"f" $'<a  b>\n<cd ef>'
words "'' \"\"" $'<>\n<>'
words "a\\ b 'c\\ d' \"e\\ f\\\"\\\\\"" $'<a b>\n<c\\ d>\n<e\\ f"\\>'
words "\$HOME * '\$x' a|b >" $'<$HOME>\n<*>\n<$x>\n<a|b>\n<>>'
words $'a\\\nb' '<ab>'
for verb in 'trace -n BEGIN' "record -o $directory/x"; do
	run 2 $verb -c "echo 'a"
	has err "^vmtap ${verb%% *}: -c: the command to run has no closing ': echo 'a$"
	run 2 $verb -c 'echo "a'
	has err 'has no closing ":'
	run 2 $verb -c 'echo a\'
	has err 'ends with a backslash'
	for nothing in '' '  ' "''"; do
		run 2 $verb -c "$nothing"
		has err '^vmtap .*: -c: the command to run is empty$'
	done
done

# -- COMMAND: its words as they are, options among them
run 0 trace -q -n 'vm$target:::shutdown { printf("%s\n", probename); }' -- "$TOY" --caps=1 "$program"
has out '^shutdown$'
run 0 trace -q -n 'BEGIN { printf("%s\n", $$1); }' argument -- printf '<%s>\n' 'a  b' -q
[ "$(cat "$directory/out")" = $'argument\n<a  b>\n<-q>' ] || fail "--: other words"
run 3 trace -n BEGIN -- "$directory/nosuch" x
has err "^vmtap: $directory/nosuch: No such file or directory$"
# with another target, they are arguments of the scripts
run 0 trace -q -c true -n 'BEGIN { printf("%s %s\n", $$1, $$2); }' one -- -2
has out '^one -2$'
# and so they are if the first is no program
run 0 trace -q -n 'BEGIN { printf("%s %s\n", $$1, $$2); exit(0); }' -- no-such-program -2
has out '^no-such-program -2$'
has_not err 'is not a program'
# a script that does not use them says what they were taken for
run 1 trace -n 'BEGIN { exit(0); }' -- no-such-program -2
has err "extraneous argument .-2. "
has err "^vmtap: 'no-such-program' is not a program in PATH, so the words after -- are arguments of the script, not a command$"
run 1 trace gc_pause -- no-such-program
has err "^vmtap: 'no-such-program' is not a program"
run 1 trace -n 'vm*:::gc-end { trace($$1); }' -- no-such-program -2
has err "^vmtap: 'no-such-program' is not a program"
run 1 trace -c true -n 'BEGIN { exit(0); }' -- no-such-program
has_not err 'is not a program'
run 0 record -o "$directory/record" -- "$TOY" --caps=1 "$program"
[ -s "$directory/record" ] || fail "record -- COMMAND: nothing recorded"
run 2 record -o "$directory/x" word -- "$TOY" "$program"
has err "^vmtap record: 'word' is one operand too many$"
run 2 record -o "$directory/x" -p 1 -- "$TOY" "$program"
has err 'operand too many$'
run 2 record -o "$directory/x" --
has err 'says what to record$'

# a bundled script with further clauses and files, and a script on standard input
run 0 trace gc_pause -n 'END { printf("mine\n"); }' -- "$TOY" "$program"
has out '^REASON +GENERATION '
[ "$(grep . "$directory/out" | tail -n 1)" = mine ] || fail "the clause does not come after the script"
echo 'END { printf("read\n"); }' >"$directory/script.d"
timeout "${COMMAND_SECONDS:-300}" "$VMTAP" trace stat -n 'END { printf("mine\n"); }' -s - \
	-c "$TOY $program" <"$directory/script.d" >"$directory/out" 2>"$directory/err" ||
	fail "-s -: status $?"
[ "$(grep . "$directory/out" | tail -n 2)" = $'mine\nread' ] || fail "-s -"
cat "$directory/script.d" | "$VMTAP" trace -q -s - -n 'BEGIN { exit(0); }' >"$directory/out" 2>&1
has out '^read$'
printf 'BEGIN { x y }' | "$VMTAP" trace -s - >"$directory/out" 2>&1 && fail "an error on standard input"
has out '^dtrace: failed to compile script -: line 1: syntax error near "y"'
# after a script, the name of one is an argument
run 0 trace -q -n 'BEGIN { printf("%s\n", $$1); exit(0); }' stat
has out '^stat$'
run 2 trace nosuch -p $$
has err "^vmtap: there is no script 'nosuch'"

is_stopped() { # every thread
	! grep -hE '^State:' "/proc/$pid/task"/*/status | grep -qvE 'T \(stopped\)'
}
stop() {
	kill -STOP "$pid"
	await "the process does not stop" is_stopped
}
# a target that does not answer, since it is stopped, is said to be
cat >"$directory/loop.toy" <<'TOY'
n = 0
while true
  n = n + 1
  s = "a" + "b"
end
TOY
"$TOY" "$directory/loop.toy" &
pid=$!
pids+=("$pid")
await_stream "$pid"
stopped="^vmtap: process $pid \(toy\) is stopped and cannot answer: .kill -CONT $pid. lets it go on$"
stop
run 3 trace -p "$pid" -n 'vm$target:::string-create'
has err "$stopped"
run 3 record -p "$pid" -o "$directory/x"
has err "$stopped"
kill -CONT "$pid"
VMTAP_SOCKET=$directory/socket "$TOY" "$directory/loop.toy" &
pid=$!
pids+=("$pid")
await_stream "$pid"
stop
run 3 trace --socket "$directory/socket" -n 'vm$target:::string-create'
has err "process $pid \(toy\) is stopped"
run 3 trace -p "$pid" -n 'vm$target:::string-create'
has err "process $pid \(toy\) is stopped"
kill -CONT "$pid"

# Two signals together are one: END runs and aggregations are printed.
start_trace() {
	: >"$directory/out"
	"$VMTAP" trace -q -p "$pid" >"$directory/out" 2>"$directory/err" -n '
		vm$target:::string-create /n++ == 0/ { printf("first\n"); }
		vm$target:::string-create { @ = count(); } END { printf("end\n"); }' &
	tracer=$!
	pids+=("$tracer")
	await "no 'first'" grep -q first "$directory/out"
}
start_trace
kill -INT "$tracer" && kill -TERM "$tracer" && kill -INT "$tracer"
wait "$tracer"
status=$?
[ "$status" = 0 ] || fail "two signals: status $status"
has out '^end$'
has out '^ +[0-9]+$'
# The second of two that are apart stops END at its next clause, and nothing is printed after it.
mkfifo "$directory/gate"
: >"$directory/out"
"$VMTAP" trace -q -w -x switchrate=0 -n "BEGIN { printf(\"begun\\n\"); }
	END { printf(\"one\\n\"); system(\"touch $directory/ends; cat $directory/gate\"); }
	END { printf(\"two\\n\"); @ = count(); }" >"$directory/out" 2>"$directory/err" &
tracer=$!
pids+=("$tracer")
await "it does not begin" grep -q begun "$directory/out"
kill -INT "$tracer"
await "no END" test -e "$directory/ends"
sleep 0.3 # signals that are closer together count as one
kill -INT "$tracer"
# The thread that reads signals has counted it, and waits for the next one.
is_counted() {
	! grep -qE '^ShdPnd:.*[2367abef]$' "/proc/$tracer/status" &&
		! grep -L poll "/proc/$tracer/task"/*/wchan | grep -qv "/task/$tracer/"
}
await "the second signal is not read" is_counted
: >"$directory/gate"
wait "$tracer"
has out '^one$'
has_not out 'two|[0-9]'
# The second of two that are apart stops at once, while the stopped VM is waited for. If the wait is
# over before the second signal counts, on a slow machine, END runs after one signal: tried again.
export VMTAP_DEBUG=engine
for try in {1..20}; do
	start_trace
	stop
	while kill -INT "$tracer" 2>/dev/null; do
		sleep 0.05
	done
	wait "$tracer"
	status=$?
	kill -CONT "$pid"
	[ "$status" = 0 ] || fail "^C twice: status $status"
	grep -q '^end$' "$directory/out" || exit 0
	has err 'ends after 1 signals$'
done
fail "^C twice: the second one has no effect, or the machine is too slow to tell"
