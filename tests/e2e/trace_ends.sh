#!/bin/bash
# How a trace ends: by exit(), ^C, SIGTERM, when the target exits or is killed; and the messages
# when there is nothing to trace.
# tests: src/cli/trace/run.c src/cli/interrupts.c
set -u
. tests/e2e/common

cat >"$directory/loop.toy" <<'TOY'
class Worker
  def work(n)
    n + 1
  end
end
worker = Worker.new
n = 0
print("ready")
while true
  n = worker.work(n)
end
TOY
start_toy() {
	: >"$directory/toy"
	"$TOY" "$directory/loop.toy" >"$directory/toy" 2>&1 &
	pid=$!
	pids+=("$pid")
	await_stream "$pid"
}
entries='vm$target:::method-entry /n++ == 0/ { printf("first\n"); } vm$target:::method-entry { @[copyinstr(arg1)] = count(); } END { printf("end\n"); }'

# exit() in the script: its status, the process left running
start_toy
run 7 trace -q -p "$pid" -n 'vm$target:::method-entry { printf("%s\n", copyinstr(arg1)); exit(7); } END { printf("end\n"); }'
[ "$(cat "$directory/out")" = $'work\nend' ] || fail "exit(): output"
kill -0 "$pid" || fail "the process of -p was ended"
# stop(): the process stays stopped after the script has ended
is_stopped() {
	grep -qE '^State:[[:space:]]+T' "/proc/$pid/status"
}
run 0 trace -q -w -p "$pid" -n 'vm$target:::method-entry { stop(); exit(0); }'
await "stop() stops nothing" is_stopped
kill -CONT "$pid"
run 1 trace -w -n 'BEGIN { stop(); }'
has err 'stop\( \) needs a process that lives'

# ^C and SIGTERM: END runs, aggregations are printed, status 0
for signal in INT TERM; do
	: >"$directory/out"
	"$VMTAP" trace -q -p "$pid" -n "$entries" >"$directory/out" 2>"$directory/err" &
	tracer=$!
	pids+=("$tracer")
	await "no 'first' in $directory/out" grep -qE -- first "$directory/out"
	kill -"$signal" "$tracer"
	wait "$tracer"
	status=$?
	[ "$status" = 0 ] || fail "SIG$signal: status $status"
	has out '^end$'
	has out '^  work +[0-9]+$'
done

# --seconds ends it like exit(0), in the same order: also without a target, with a command, which ends
# with it, and for verbs that are traces; the process of -p goes on
run 0 trace -q --seconds 1 -p "$pid" -n "$entries"
has out '^end$'
has out '^  work +[0-9]+$'
[ "$(sed -n 1p "$directory/out")" = first ] || fail "--seconds: the output"
kill -0 "$pid" || fail "--seconds has ended the process"
run 0 trace -q --seconds=1 -n 'tick-10ms { @ticks = count(); } END { printf("end\n"); }'
has out '^end$'
has out '^ +[1-9][0-9]*$'
run 0 trace -q --seconds 1 -n 'vm$target:::startup { printf("%d\n", pid); } END { printf("end\n"); }' -c "$TOY $directory/loop.toy"
has out '^end$'
kill -0 "$(grep -m1 -xE '[0-9]+' "$directory/out")" 2>/dev/null && fail "--seconds leaves the command"
run 7 trace -q --seconds 1000 -n 'BEGIN { exit(7); }'
run 0 top --seconds 1 --interval 100 -p "$pid"
has out 'METHOD'
run 2 trace --seconds 0 -p "$pid" -n "$entries"
has err "vmtap trace: --seconds"
run 2 trace --seconds 1 --log "$directory/none" -n "$entries"
has err 'a recorded log has its own end'

# ^C is heeded while events come faster than a slow reader takes the output: what would take minutes
# is left out, with a line.
mkfifo "$directory/slow"
while read -r -N 2000 line; do sleep 0.01; done <"$directory/slow" &
pids+=("$!")
"$VMTAP" trace -q -p "$pid" -n 'vm$target:::method-entry { printf("%s %d\n", copyinstr(arg1), arg3); }
	vm$target:::method-entry /n++ == 100000/ { system("touch %s/flooded", $$1); }' -w "$directory" \
	>"$directory/slow" 2>"$directory/err" &
tracer=$!
pids+=("$tracer")
await "no flood" test -e "$directory/flooded"
kill -INT "$tracer"
timeout 15 tail --pid="$tracer" -f /dev/null || fail "^C is not heeded"
wait "$tracer" || fail "^C: status $?"
has err '^vmtap: the events come faster than they can be processed: the last ones before the signal are left out$'

# Nobody reads the output, or the messages: the first ^C says so, the second one ends the trace.
mkfifo "$directory/unread"
exec 8<>"$directory/unread"
is_writing() { # pid
	[[ $(cat "/proc/$1/wchan" 2>/dev/null) == *pipe_w* ]]
}
end_unread() { # what is not read; what its trace says after the first signal
	tracer=$!
	pids+=("$tracer")
	await "nothing is written: $1" is_writing "$tracer"
	kill -INT "$tracer"
	[ "$2" ] && await "no line: $1" grep -qs "$2" "$directory/err"
	[ "$2" ] || sleep 0.3 # two signals that are closer count as one
	kill -0 "$tracer" || fail "one signal ends a trace: $1"
	kill -INT "$tracer"
	timeout 15 tail --pid="$tracer" -f /dev/null || fail "^C is not heeded: $1"
	wait "$tracer"
	status=$?
	[ "$status" = 130 ] || fail "nobody reads: $1: status $status"
}
"$VMTAP" trace -q -n 'tick-1000 { printf("%1000s\n", "x"); }' \
	>"$directory/unread" 2>"$directory/err" 8<&- &
end_unread "the output" "nobody reads the output"
has err '^vmtap: ended before all of its output was written$'
"$VMTAP" trace -q -n 'tick-1000 { trace(*(int *)0); }' 2>"$directory/unread" >"$directory/out" 8<&- &
end_unread "the messages" ""
exec 8<&-

# Tracing ends with one newline, with -q and without aggregations too; ^C prints one more before
# END. Nothing is printed if nothing is traced.
expect_bytes() { # expected output, with a dot after it that keeps its last newlines
	[ "$(cat "$directory/out" && echo .)" = "$1" ] || fail "the newline at the end: $1"
}
run 0 trace -q -n 'BEGIN { printf("x"); exit(0); }'
expect_bytes $'x\n.'
run 1 trace -q -n 'BEGIN { printf("x"); exit(1); } END { printf("y"); }'
expect_bytes $'xy\n.'
run 0 trace -q -n 'BEGIN { @ = count(); printa("%@d", @); exit(0); }'
expect_bytes $'1\n.'
run 0 trace -q -c true -n 'BEGIN { printf("x"); }'
expect_bytes $'x\n.'
run 0 trace -q -o "$directory/ended" -n 'BEGIN { printf("x"); exit(0); }'
expect_bytes .
[ "$(cat "$directory/ended" && echo .)" = $'x\n.' ] || fail "the newline at the end of -o's file"
run 0 trace -e -n BEGIN
expect_bytes .
run 1 trace -q -n 'BEGIN { x y }'
expect_bytes .
: >"$directory/out"
"$VMTAP" trace -q -x switchrate=0 -n 'tick-100 /i++ == 0/ { printf("x"); } END { printf("y"); }' \
	>"$directory/out" 2>"$directory/err" &
tracer=$!
pids+=("$tracer")
await "no 'x' in $directory/out" grep -q x "$directory/out"
kill -INT "$tracer"
wait "$tracer" || fail "^C: status $?"
expect_bytes $'x\ny\n.'

# a killed target: everything is delivered, END, aggregations, status 0
: >"$directory/out"
"$VMTAP" trace -q -p "$pid" -n "$entries" >"$directory/out" 2>"$directory/err" &
tracer=$!
pids+=("$tracer")
await "no 'first' in $directory/out" grep -qE -- first "$directory/out"
kill -9 "$pid"
wait "$tracer"
status=$?
[ "$status" = 0 ] || fail "killed target: status $status"
has out '^end$'
has out '^  work +[0-9]+$'
has err "process $pid \(toy\) ended without closing"
wait "$pid" 2>/dev/null
for script in BEGIN 'vm$target:::startup'; do
	run 3 trace -p "$pid" -n "$script"
	has err "^vmtap: process $pid does not exist$"
done

# a command: its end ends the trace, its status does not become ours, its output goes where it went
run 0 trace -q -c "$TOY examples/toy/programs/queens.toy" -n 'vm$target:::startup,vm$target:::shutdown { printf("%s\n", probename); }'
has out '^startup$'
has out '^shutdown$'
run 0 trace -c "$TOY examples/toy/programs/queens.toy" -n 'vm$target:::shutdown { trace("x"); }'
has err "^dtrace: description 'vm\\\$target:::shutdown ' matched 1 probe$"
has err '^dtrace: pid [0-9]+ has exited$'
# a command whose probes the script does not use runs, too
run 0 trace -q -c "$TOY examples/toy/programs/queens.toy" -n 'BEGIN { printf("begin\n"); } END { printf("end\n"); }'
has out '^begin$'
has out '^first 04752613$'
has out '^end$'
# it is ended when the script exits first
run 4 trace -q -c "$TOY $directory/loop.toy" -n 'vm$target:::method-entry { printf("%d\n", $target); exit(4); }'
child=$(grep -E '^[0-9]+$' "$directory/out")
[ -n "$child" ] || fail "no \$target"
kill -0 "$child" 2>/dev/null && fail "the command outlived its trace"

# A script that asks for no events runs with any process: BEGIN fires before the program starts,
# END when it has ended.
run 3 trace -q -c 'echo program' -n 'BEGIN { printf("begin\n"); } END { printf("end\n"); exit(3); }'
[ "$(cat "$directory/out")" = $'begin\nprogram\nend' ] || fail "any program: order"
echo 'echo $$ $VMTAP_WAIT' >"$directory/pid.sh"
run 0 trace -q -c "sh $directory/pid.sh" -n 'BEGIN { printf("%d\n", $target); }'
[ "$(sed -n 1p "$directory/out")" = "$(sed -n 2p "$directory/out")" ] || fail "\$target is not its pid"
printf '#!/bin/sh\necho "$1" >%s\nkill -TERM $$\n' "$directory/words" >"$directory/script"
chmod +x "$directory/script"
run 0 trace -c "$directory/script  word more" -n 'tick-100 { i++; }'
[ "$(cat "$directory/words")" = word ] || fail "a script: its words"
has err '^dtrace: pid [0-9]+ terminated by SIGTERM$'
# the program runs until a tick has fired
mkfifo "$directory/ticked"
run 0 trace -w -c "head -n 1 $directory/ticked" -c true \
	-n "tick-1000 /i++ == 0/ { system(\"echo >$directory/ticked\"); } END { exit(i == 0); }"
[ "$(grep -c '^dtrace: pid [0-9]* has exited$' "$directory/err")" = 2 ] || fail "ends are not reported"
sleep 600 &
idle=$!
pids+=("$idle")
run 5 trace -q -p "$idle" -n 'BEGIN { printf("%d\n", $target); } tick-100 { exit(5); }'
[ "$(cat "$directory/out")" = "$idle" ] || fail "a process without a stream"
run 0 trace -w -p "$idle" -n 'BEGIN { trace($target); system("kill %d", $target); }'
has out " $idle\$"
has err "^dtrace: pid $idle (has exited|terminated by SIGTERM)$"
wait "$idle" 2>/dev/null
sleep 600 &
idle=$!
pids+=("$idle")
run 0 trace -p $$ -n 'BEGIN { exit($target == $1 ? 0 : 9); }' $$
# the program does not run if the script ends at once, is only compiled or listed, or has an error
run 6 trace -c "touch $directory/ran" -n 'BEGIN { exit(6); }'
run 0 trace -e -c "touch $directory/ran" -n 'BEGIN,tick-1s,dtrace:::'
run 0 trace -l -c "touch $directory/ran" -n 'BEGIN'
has out ' dtrace .* BEGIN$'
run 1 trace -w -c "touch $directory/ran" -n 'BEGIN { panic(); }'
# nor when it is wrong whatever the probes are, though it asks for some
run 1 trace -c "touch $directory/ran" -n 'BEGIN { nosuch; } vm$target:::startup { }'
has err 'failed to resolve nosuch'
run 1 trace -c "touch $directory/ran" -n 'vm$target:::startup { x y }'
has err 'syntax error near "y"'
run 1 trace -c "touch $directory/ran" -n 'vm$target:::startup' -n 'BEGIN { x y }'
has err '^dtrace: invalid probe specifier BEGIN \{ x y \}: syntax error near "y"'
[ -e "$directory/ran" ] && fail "the program ran"
# it is ended with the trace, by exit() and by ^C
run 4 trace -q -c 'sleep 600' -n 'BEGIN { printf("%d\n", $target); } tick-100 { exit(4); }'
kill -0 "$(cat "$directory/out")" 2>/dev/null && fail "the program outlived its trace"
"$VMTAP" trace -q -c 'sleep 600' -n 'BEGIN { printf("%d\n", $target); } END { printf("end\n"); }' \
	>"$directory/out" 2>"$directory/err" &
tracer=$!
pids+=("$tracer")
is_running() {
	[ "$(cat "/proc/$(sed -n 1p "$directory/out")/comm")" = sleep ]
}
await "the program does not run" is_running
kill -INT "$tracer"
wait "$tracer" || fail "^C: status $?"
has out '^end$'
kill -0 "$(sed -n 1p "$directory/out")" 2>/dev/null && fail "the program outlived its trace"
# descriptions that match nothing do not prevent this, if the script allows them
run 0 trace -Z -c 'echo program' -n 'vm$target:::gc-start'
has out '^program$'
has err 'has ended without serving an event stream$'
run 7 trace -q -p "$idle" -n '#pragma D option zdefs
	vm$target:::gc-start { trace(arg0); } BEGIN { exit(7); }'
is_silent || fail "-q and zdefs: said something"
# Why there are no probes comes before what follows from that.
run 1 trace -Z -p "$idle" -n 'vm$target:::gc-start { trace(args[0]); }'
[ "$(sed -n 1p "$directory/err" | grep -c 'serves no event stream')" = 1 ] || fail "-Z: the reason"
has err 'args\[ \] may not be referenced'
# with -Z or without, a stream that exists is followed
run 0 trace -Z -q -c "$TOY examples/toy/programs/queens.toy" -p "$idle" -n 'vm*:::shutdown { exit(0); }'
run 0 trace -q -c "$TOY examples/toy/programs/queens.toy" -p "$idle" -n 'vm*:::shutdown { exit(0); }'
has err "^vmtap: process $idle .*serves no event stream.*; nothing of it is traced$"

# targets that cannot be traced: one line each
one_line() { # pattern; another line may have a command that works
	[ "$(grep -cvE "^vmtap: '(sudo )?vmtap flame " "$directory/err")" = 1 ] || fail "more than one line"
	has err "$1"
}
startup='vm$target:::startup'
sleep 60 &
pid=$!
pids+=("$pid")
run 3 trace -p "$pid" -n "$startup"
one_line "^vmtap: process $pid \(.*\) serves no event stream: .*libvmtap"
run 3 trace -p "$pid" -l
one_line "^vmtap: process $pid \(.*\) serves no event stream: .*libvmtap"
run 3 trace -l -p "$pid" -n "$startup"
one_line "^vmtap: process $pid \(.*\) serves no event stream: .*libvmtap"
run 3 trace -p $$ -n "$startup"
one_line "^vmtap: process $$ \(.*\) serves no event stream"
run 3 trace -p "$idle" -n "$startup"
one_line "^vmtap: process $idle \(.*\) serves no event stream"
for script in BEGIN "$startup"; do
	run 3 trace -c /nonexistent/command -n "$script"
	one_line '^vmtap: /nonexistent/command: No such file'
	PATH=/usr/bin:/bin run 3 trace -c no-such-program-anywhere -n "$script"
	one_line '^vmtap: no-such-program-anywhere: No such file'
	run 3 trace -c "$directory/pid.sh" -n "$script"
	one_line "^vmtap: $directory/pid.sh: Permission denied$"
	run 3 trace -c "$directory" -n "$script"
	one_line "^vmtap: $directory: Permission denied$"
	run 2 trace -c ' ' -n "$script"
	has err '^vmtap trace: -c: the command to run is empty$'
	run 2 trace -p "$pid" -p "$pid" -n "$script"
	has err "^vmtap trace: -p $pid is given twice$"
done
# Only when the kernel is asked to run this does it say that it cannot.
printf '#!/nonexistent/interpreter\n' >"$directory/script"
run 3 trace -q -c "$directory/script" -n BEGIN
one_line "^vmtap: $directory/script: No such file"
run 3 trace -c true -n "$startup"
one_line '^vmtap: process [0-9]+ \(.*\) has ended without serving an event stream$'
# A zombie: a process that has ended and that nobody has waited for.
python3 -c 'import os, time
child = os.fork()
if child:
	print(child, flush=True)
	time.sleep(600)' >"$directory/zombie" &
pids+=("$!")
is_zombie() {
	zombie=$(cat "$directory/zombie") && grep -qE '^State:[[:space:]]+Z' "/proc/$zombie/status"
}
await "no zombie" is_zombie
for script in BEGIN "$startup"; do
	run 3 trace -p "$zombie" -n "$script"
	one_line "^vmtap: process $zombie \(python3.*\) has ended$"
done
# A stopped process can send no events, but a script that asks for none needs none.
kill -STOP "$pid"
is_stopped() {
	grep -qE '^State:[[:space:]]+T' "/proc/$pid/status"
}
await "it is not stopped" is_stopped
run 4 trace -q -p "$pid" -n 'BEGIN { printf("%d\n", $target); } tick-100 { exit(4); }'
has out "^$pid$"
is_silent || fail "a stopped process: said something"
kill -CONT "$pid"
# errors in scripts are reported whatever the target is
run 1 trace -p "$pid" -n 'BEGIN { x y }'
has err '^dtrace: invalid probe specifier'
run 1 trace -c true -n 'BEGIN { exit(nosuch); }'
has err 'failed to resolve nosuch'
run 2 trace -p 12x -n BEGIN
has err "'12x' is not a pid"
for verb in list check diff trace record log scripts; do
	run 0 help "$verb"
	has out "^Usage: vmtap $verb"
done
run 2 help nosuch
has err "'nosuch' is not a verb"
run 2 trace nosuchscript
has err "there is no script 'nosuchscript': 'vmtap scripts' lists"
echo 'BEGIN { exit(0); }' >"$directory/own.d"
run 2 trace "$directory/own.d"
has err "there is no script '$directory/own.d': the file of that name is run with -s$"
run 2 trace 4194305
has err "there is no script '4194305': a pid is given with -p$"
make_log /dev/stdin <<'EVENTS'
block 0
1000 method-entry "A" "a" "f" 1 1
end
EVENTS
run 2 trace "$directory/log"
has err "there is no script '$directory/log': a recording is given with --log$"
run 2 top "$directory/log"
has err "^vmtap: $directory/log is a recording, which has ended: 'vmtap flame $directory/log -o FILE' draws it, 'vmtap trace method_time --log $directory/log' prints a table of its methods$"
# what is named reads the log that it is
make_log /dev/stdin <<'EVENTS'
block 0
1000 gc-work
end
EVENTS
for words in "$directory/log" "--log $directory/log" "--log=$directory/log"; do
	# shellcheck disable=SC2086
	run 2 top $words
	has err "^vmtap: $directory/log is a recording, which has ended, and has neither calls nor samples: 'vmtap log $directory/log' counts its events$"
done
run 0 record --samples --lossless -o "$directory/log" -c "$TOY examples/toy/programs/binary_trees.toy 16"
run 2 top "$directory/log"
has err "'vmtap flame $directory/log -o FILE' draws its samples, 'vmtap flame --folded $directory/log -o -' prints them$"
run 0 flame --folded "$directory/log" -o -
has out 'Tree#count'
run 0 record -n 'vm*:::gc-end' --heap-profile=1ms --lossless -o "$directory/log" -c "$TOY examples/toy/programs/binary_trees.toy 16"
run 2 top "$directory/log"
has err "'vmtap heap $directory/log' shows how the heap grows in it$"
run 2 trace 'vm$target:::gc-end' -p 1
has err "there is no script 'vm.target:::gc-end': a clause is given with -n$"
run 1 trace -p "$$"
has err 'no probes specified'
run 1 trace -n 'vm1:::x { }'
has err '^dtrace: invalid probe specifier vm1:::x \{ \}: probe description vm1:::x does not match any probes'
run 1 trace -s /nonexistent.d
has err '^dtrace: failed to open /nonexistent.d: No such file'
run 1 trace -x nosuch -n BEGIN
has err '^dtrace: failed to set -x nosuch: Invalid option name$'

# without a target
run 1 trace gc_pause
has err '^dtrace: failed to compile script gc_pause: line [0-9]+: probe description vm0:::pause-begin does not match any probes \(\$target is 0 without -p, -c or --log\)'
run 5 trace -q -n 'BEGIN { printf("hello\n"); exit(5); }'
[ "$(cat "$directory/out")" = hello ] || fail "no target: output"
# Output to a file is appended. A closed pipe ends the trace: of a reader that has seen enough nothing is
# said, and where SIGPIPE is ignored, it is an error.
echo before >"$directory/file"
run 0 trace -q -o "$directory/file" -n 'BEGIN { printf("after\n"); exit(0); }'
[ "$(cat "$directory/file")" = $'before\nafter' ] || fail "-o does not append"
timeout "${COMMAND_SECONDS:-300}" "$VMTAP" trace -q -n 'tick-1000 { printf("line\n"); }' 2>"$directory/err" | head -n 1 >"$directory/out"
[ "${PIPESTATUS[0]}" = 141 ] || fail "a closed pipe does not end the trace"
is_silent || fail "a message to a reader that has seen enough"
(
	trap '' PIPE
	timeout "${COMMAND_SECONDS:-300}" "$VMTAP" trace -q -n 'tick-1000 { printf("line\n"); }' 2>"$directory/err" |
		head -n 1 >"$directory/out"
	[ "${PIPESTATUS[0]}" = 1 ]
) || fail "a closed pipe, where SIGPIPE is ignored"
has err 'failed to write to <stdout>: Broken pipe'
# also if simultaneous events print more than the output's buffer holds
VMTAP_LOG=$directory/many "$TOY" examples/toy/programs/queens.toy >/dev/null || fail "the toy's log"
# shellcheck disable=SC2016
timeout "${COMMAND_SECONDS:-300}" "$VMTAP" trace --log "$directory/many" \
	-n 'vm$target:::method-entry { trace(copyinstr(arg1)); }' 2>"$directory/err" | head -n 1 >"$directory/out"
[ "${PIPESTATUS[0]}" = 141 ] || fail "a closed pipe does not end the trace of a log"
has_not err 'Broken pipe'
# the reader of a list or of other output may close the pipe when it has read the lines it needs
(
	trap '' PIPE
	while echo; do :; done 2>/dev/null # until the reader has closed the pipe
	env --default-signal=PIPE "$VMTAP" trace -l 2>"$directory/err"
) | true
[ "${PIPESTATUS[0]}" = 141 ] || fail "a closed pipe does not end the list: status ${PIPESTATUS[0]}"
# of other tests' processes something may be said
has_not err "Broken pipe|standard output"

# another user's process, and root's view of it
if [ "$(id -u)" = 0 ] && command -v setpriv >/dev/null; then
	chmod 755 "$directory"
	start_toy
	cp "$VMTAP" "$directory/vmtap"
	setpriv --reuid=65534 --clear-groups "$directory/vmtap" trace -p "$pid" -n 'vm$target:::startup' \
		>"$directory/out" 2>"$directory/err"
	[ $? = 3 ] || fail "another user's process: status"
	has err "^vmtap: process $pid \(toy\) belongs to user .*: only that user and root can trace it$"
else
	echo "left out: another user's process: it needs root and setpriv"
fi
exit 0
