#!/bin/bash
# Traces of VMs that no pid names: every VM of this user (vm*:::...), and those of a program or a
# runtime (--wait). They join while the trace runs, and leave without ending it.
# tests: src/targets/find/vm_finder.c src/targets/vm_joins.c
set -u
. tests/e2e/common
alone "$0" "$@"

export XDG_RUNTIME_DIR=$directory/runtime
mkdir -m 700 "$XDG_RUNTIME_DIR"
# a program whose name no other VM on this machine has
name=t$$toy
cp "$TOY" "$directory/$name"
start() { # environment
	env "$@" "$directory/$name" tests/toy/loop.toy >/dev/null 2>&1 &
	pid=$!
	pids+=("$pid")
}
trace() { # arguments
	forget_output
	"$VMTAP" trace "$@" >"$directory/out" 2>"$directory/err" &
	tracer=$!
	pids+=("$tracer")
}
sees() { # pattern
	await "no '$1' in the output" grep -qE -- "$1" "$directory/out"
}
finish() { # signal
	kill -"$1" "$tracer"
	wait "$tracer"
	status=$?
	[ "$status" = 0 ] || fail "SIG$1: status $status"
}
forget() { # pid, signal
	kill -"${2:-9}" "$1"
	wait "$1" 2>/dev/null
}

# Every VM, those that serve already and those that start later. args[] have types from the start.
start A=b
first=$pid
await_stream "$first"
trace -q -n 'BEGIN { printf("begin\n"); }
	vm*:::method-entry /execname == "'"$name"'" && !seen[pid]/ {
		seen[pid] = 1; printf("%d calls %s\n", pid, stringof(args[1])); }
	vm*:::gc-end { printf("freed %d\n", args[3]); }
	tick-20ms { @ticks = count(); } END { printf("end\n"); }'
sees "^$first calls work$"
start A=b
second=$pid
sees "^$second calls work$"
# one outside the usual places is found, too
start VMTAP_SOCKET="$directory/elsewhere"
third=$pid
sees "^$third calls work$"
# those that die end their own streams only
forget "$first"
forget "$third" TERM
start A=b
fourth=$pid
sees "^$fourth calls work$"
finish INT
has out '^end$'
has out '^ +[0-9]+$'
for pid in "$first" "$second" "$third" "$fourth"; do
	[ "$(grep -c "^$pid calls" "$directory/out")" = 1 ] || fail "$pid: events more than once"
done
# its death is told, unless the script is quiet; one's pid and another's name keep them apart
trace -n 'vm*:::method-entry /pid == $1 && n++ == 0/ { trace("first"); }' -x nolibs "$second"
sees ' first'
forget "$second"
await "the death is not told" grep -q "^vmtap: process $second ($name) ended without closing its event stream$" "$directory/err"
finish TERM
forget "$fourth"

# listed
start A=b
await_stream "$pid"
run 0 trace -l -n 'vm*:::gc-end'
has out "^ +[0-9]+ +vm$pid +$name +gc-end$"
has_not out ' vm0 '
run 0 trace -q -n "vm*:$name::method-entry"' { printf("%d\n", pid); exit(0); }'
[ "$(grep . "$directory/out")" = "$pid" ] || fail "a module"
# a stopped VM does not hold up the others; it joins when it goes on
kill -STOP "$pid"
stopped=$pid
trace -q -n 'vm*:::method-entry /execname == "'"$name"'" && !seen[pid]/ { seen[pid] = 1; printf("%d\n", pid); }'
start A=b
sees "^$pid$"
kill -CONT "$stopped"
sees "^$stopped$"
finish INT
forget "$stopped"
forget "$pid"

# a process that listens there and never answers is left out, with one line
cat >"$directory/mute.py" <<'PYTHON'
import ctypes, os, socket, sys, threading, time
server = socket.socket(socket.AF_UNIX)
def serve():
    ctypes.CDLL(None).prctl(15, b"vmtap")  # PR_SET_NAME
    server.bind(f"{os.environ['XDG_RUNTIME_DIR']}/vmtap/{os.getpid()}")
    server.listen()
    time.sleep(600)
threading.Thread(target=serve).start()
PYTHON
python3 "$directory/mute.py" &
mute=$!
pids+=("$mute")
await "it does not listen" test -S "$XDG_RUNTIME_DIR/vmtap/$mute"
trace -q -n 'vm*:::method-entry /execname == "'"$name"'" && !seen[pid]/ { seen[pid] = 1; printf("%d\n", pid); }'
await "no line about it" grep -qE "^vmtap: process $mute .* has not declared its events within 1 seconds" "$directory/err"
# its socket appears anew, as that of another process with its number does in another pid namespace
mv "$XDG_RUNTIME_DIR/vmtap/$mute" "$directory/moved"
mv "$directory/moved" "$XDG_RUNTIME_DIR/vmtap/$mute"
start A=b
sees "^$pid$"
finish INT
[ "$(grep -c "process $mute" "$directory/err")" = 1 ] || fail "more than one line"
forget "$pid"
kill -9 "$mute"
# several that accept and never answer, at paths of their own, hold up neither the trace nor its end
sed -i 's|server.bind.*|server.bind(sys.argv[1])|; s|time.sleep(600)|[server.accept() for i in range(999)]|' "$directory/mute.py"
mutes=()
for i in 1 2 3 4 5 6; do
	python3 "$directory/mute.py" "$directory/mute$i" &
	mutes+=($!)
	pids+=($!)
	await "it does not listen" test -S "$directory/mute$i"
done
start A=b
trace -q -n 'BEGIN { printf("begun\n"); } vm*:::method-entry /!seen[pid]/ { seen[pid] = 1; printf("%d\n", pid); }'
sees '^begun$'
sees "^$pid$"
finish INT
forget "$pid"
kill -9 "${mutes[@]}"

# --wait: for one of this name, and again when it has been restarted
trace -n 'BEGIN { printf("target %d\n", $target); }
	vm$target:::method-entry /!seen[pid]/ { seen[pid] = 1; printf("%d calls\n", pid); } END { printf("end\n"); }' \
	--wait "$name" -q
await "it does not say that it waits" grep -q "^vmtap: waiting for '$name'$" "$directory/err"
start A=b
first=$pid
sees "^$first calls$"
has out "^target $first$"
forget "$first"
start A=b
second=$pid
sees "^$second calls$"
finish INT
has out '^end$'
# by the runtime, with a bundled script, for one that serves already
run 0 trace -q --wait toy -n 'vm$target:::method-entry /pid == '"$second"'/ { printf("%d\n", pid); exit(0); }'
[ "$(grep . "$directory/out")" = "$second" ] || fail "--wait toy"
run 0 trace method_count --wait "$name" -n 'tick-100ms { exit(0); }'
has out 'work'
# It waits for one that starts to listen later than its process.
forget "$second"
trace -q -n 'vm$target:::startup { printf("started\n"); exit(0); }' --wait "$name"
await "it does not say that it waits" grep -q "waiting for" "$directory/err"
sh -c "sleep 0.2; VMTAP_WAIT=1 exec $directory/$name examples/toy/programs/queens.toy" >/dev/null &
sees '^started$'
wait "$tracer" || fail "--wait: status $?"
wait

# -Z waits for what nobody knows; BEGIN and ticks do not wait
run 3 trace -q -Z -n 'BEGIN { printf("begin\n"); } nosuch*:::probe { trace(arg0); } tick-10ms { exit(3); }'
has out '^begin$'
# a misspelt probe is an error at once, whether or not a VM is there
run 1 trace -n 'vm*:::gc-edn'
has err 'probe description vm\*:::gc-edn does not match any probes'
run 1 trace -n 'vm*:::gc__end'
has err '\(the probe.s name is gc-end\)'
printf '#pragma D depends_on provider vm\nBEGIN { exit(6); }\nvm*:::gc-end { trace(args[3]); }\n' >"$directory/depends.d"
run 6 trace -q -s "$directory/depends.d"
mkdir "$directory/libraries"
printf '#pragma D depends_on provider vm\ninline int six = 6;\n' >"$directory/libraries/six.d"
run 6 trace -q -L "$directory/libraries" -n 'vm*:::gc-end { trace(six); } BEGIN { exit(six); }'
run 1 trace -n 'vm*:::gc-end { trace(args[9]); }'
has err 'args\[9\]'
run 1 trace -n 'nosuch*:::probe'
run 2 trace --wait toy -p 1 -n BEGIN
has err '^vmtap trace: --wait NAME says what to trace'
run 2 trace --wait '' -n BEGIN
run 2 trace --wait toy --wait other -n BEGIN
