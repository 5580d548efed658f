#!/bin/bash
# The ends of a trace: exit(), ^C, SIGTERM, the target's exit and its death, and what is said
# when there is nothing to trace.
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
	# it serves its stream before it runs the program
	local tries=0
	until "$VMTAP" trace -p "$pid" -n 'BEGIN { exit(0); }' >/dev/null 2>&1; do
		tries=$((tries + 1))
		[ "$tries" -lt 1000 ] || fail "the toy VM serves no stream"
		sleep 0.01
	done
}
entries='vm$target:::method-entry /n++ == 0/ { printf("first\n"); } vm$target:::method-entry { @[copyinstr(arg1)] = count(); } END { printf("end\n"); }'

# exit() in the script: its status, the process left running
start_toy
run 7 trace -q -p "$pid" -n 'vm$target:::method-entry { printf("%s\n", copyinstr(arg1)); exit(7); } END { printf("end\n"); }'
[ "$(cat "$directory/out")" = $'work\nend' ] || fail "exit(): output"
kill -0 "$pid" || fail "the process of -p was ended"
# stop(): the process stays so when the script has ended
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

# killed: everything delivered, END, aggregations, status 0
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
run 3 trace -p "$pid" -n BEGIN
has err "^vmtap: process $pid does not exist$"

# a command: its end ends the trace, its status is not ours, its output is its own
run 0 trace -q -c "$TOY examples/toy/programs/queens.toy" -n 'vm$target:::startup,vm$target:::shutdown { printf("%s\n", probename); }'
has out '^startup$'
has out '^shutdown$'
run 0 trace -c "$TOY examples/toy/programs/queens.toy" -n 'vm$target:::shutdown { trace("x"); }'
has err "^dtrace: description 'vm\\\$target:::shutdown' matched 1 probe$"
has err '^dtrace: pid [0-9]+ has exited$'
# one that the script wants no probes of runs, too
run 0 trace -q -c "$TOY examples/toy/programs/queens.toy" -n 'BEGIN { printf("begin\n"); } END { printf("end\n"); }'
has out '^begin$'
has out '^first 04752613$'
has out '^end$'
# it is ended when the script exits first
run 4 trace -q -c "$TOY $directory/loop.toy" -n 'vm$target:::method-entry { printf("%d\n", $target); exit(4); }'
child=$(grep -E '^[0-9]+$' "$directory/out")
[ -n "$child" ] || fail "no \$target"
kill -0 "$child" 2>/dev/null && fail "the command outlived its trace"

# what cannot be traced, in one line each
sleep 60 &
pid=$!
pids+=("$pid")
run 3 trace -p "$pid" -n BEGIN
has err "^vmtap: process $pid \(.*\) serves no event stream: .*libvmtap"
run 3 trace -c /nonexistent/command -n BEGIN
has err '^vmtap: /nonexistent/command: No such file'
run 3 trace -c true -n BEGIN
has err '^vmtap: process [0-9]+ \(.*\) has ended without serving an event stream$'
run 2 trace -p 12x -n BEGIN
has err "'12x' is not a pid"
for verb in list check diff trace record log scripts; do
	run 0 help "$verb"
	has out "^Usage: vmtap $verb"
done
run 2 help nosuch
has err "'nosuch' is not a verb"
run 2 trace nosuchscript
has err "there is no script 'nosuchscript'"
run 1 trace -p "$$"
has err 'no probes specified'
run 1 trace -n 'vm1:::x { }'
has err '^dtrace: invalid probe specifier vm1:::x \{ \}: probe description vm1:::x does not match any probes'
run 1 trace -s /nonexistent.d
has err '^dtrace: failed to open /nonexistent.d: No such file'
run 1 trace -x nosuch -n BEGIN
has err '^dtrace: failed to set -x nosuch: Invalid option name$'

# without a target
run 5 trace -q -n 'BEGIN { printf("hello\n"); exit(5); }'
[ "$(cat "$directory/out")" = hello ] || fail "no target: output"
# output to a file is appended; a reader that has gone is an error
echo before >"$directory/file"
run 0 trace -q -o "$directory/file" -n 'BEGIN { printf("after\n"); exit(0); }'
[ "$(cat "$directory/file")" = $'before\nafter' ] || fail "-o does not append"
timeout 60 "$VMTAP" trace -q -n 'tick-1000 { printf("line\n"); }' 2>"$directory/err" | head -n 1 >"$directory/out"
[ "${PIPESTATUS[0]}" = 1 ] || fail "a closed pipe does not end the trace"
has err 'failed to write to <stdout>: Broken pipe'

# another user's process, and root's view of it
if [ "$(id -u)" = 0 ] && command -v setpriv >/dev/null; then
	chmod 755 "$directory"
	start_toy
	cp "$VMTAP" "$directory/vmtap"
	setpriv --reuid=65534 --clear-groups "$directory/vmtap" trace -p "$pid" -n BEGIN \
		>"$directory/out" 2>"$directory/err"
	[ $? = 3 ] || fail "another user's process: status"
	has err "^vmtap: process $pid \(toy\) belongs to user .*: only that user and root can trace it$"
fi
exit 0
