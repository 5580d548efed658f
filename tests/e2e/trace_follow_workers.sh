#!/bin/bash
# trace, top, serve -p --follow: what the workers of a server do right after fork(). They wait for the
# tracer of their parent, and what they do before it comes, if they do not wait for that long, is
# counted.
# tests: src/targets/vm_joins.c src/targets/find/listener.c src/shim/server/start.c
set -u
. tests/e2e/common

export XDG_RUNTIME_DIR=$directory/runtime
mkdir -m 700 "$XDG_RUNTIME_DIR"
flags=() workers=50
# With sanitizers fork() takes so long that of more workers at once some would not answer within the
# second that the tracer waits for each.
[ "${VMTAP_SANITIZED:-0}" = 1 ] && flags=(-fsanitize=address,undefined) workers=12
$CC "${flags[@]}" -Iinclude -I"$BUILD/include" -o "$directory/prefork" tests/toy/prefork.c \
	"$BUILD/libvmtap_probes.a" "$BUILD/libvmtap.a" -pthread || fail "prefork.c"
counts='vm$target:::startup { @started = count(); } vm$target:::gc-idle { @fired = count(); }
	vm$target:::shutdown /arg0/ { @ended = count(); }
	vm$target:::gc-work { @work = count(); } vm$target:::gc-work /!seen[pid]++/ { printf("here %d\n", arg0); }
	END { printa("started %@d\n", @started); printa("fired %@d\n", @fired); printa("ended %@d\n", @ended);
		printa("work %@d\n", @work); }'
start() { # the program's arguments
	"$directory/prefork" "$@" &
	server=$!
	pids+=("$server")
	await_stream "$server"
}
drops() { # from $directory/err
	grep -oE '^dtrace: [0-9]+ drop' "$directory/err" | awk '{n += $2} END {print n + 0}'
}

# Each of them starts its stream by itself, in fork(), or in fork() and without a thread.
for mode in start option turns; do
	start $workers $mode 1000
	run 0 trace -q --follow -p "$server" -n "$counts"
	wait "$server" || fail "$mode: status $?"
	has out "^started $workers\$"
	has out "^fired ${workers}000\$"
	has out "^ended $workers\$"
	[ "$(drops)" = 0 ] || fail "$mode: events are lost"
done

# Two tracers: the workers wait for both.
start 10 option 1000 "$directory/two"
for i in 1 2; do
	"$VMTAP" trace -q --follow -p "$server" -n "$counts"' BEGIN { printf("begun\n"); }' \
		>"$directory/out$i" 2>"$directory/err" &
	pids+=($!)
	tracers[i]=$!
	await "tracer $i does not begin" grep -q begun "$directory/out$i"
done
touch "$directory/two.go" "$directory/two.end"
for i in 1 2; do
	wait "${tracers[i]}" || fail "tracer $i: status $?"
	grep -q '^fired 10000$' "$directory/out$i" || fail "tracer $i: $(cat "$directory/out$i")"
done
wait "$server"

# No client can make this one's workers wait, and the other one's workers wait for a tracer that is
# stopped, but not for ever: what they fire meanwhile is counted.
for mode in refuse option; do
	start 5 $mode 1000 "$directory/$mode"
	forget_output
	"$VMTAP" trace -q --follow -p "$server" -n "$counts"' BEGIN { printf("begun\n"); }' \
		>"$directory/out" 2>"$directory/err" &
	tracer=$!
	pids+=("$tracer")
	await "the trace does not begin" grep -q begun "$directory/out"
	[ $mode = option ] && kill -STOP "$tracer"
	touch "$directory/$mode.go"
	all_fired() { [ "$(wc -l <"$directory/$mode.fired")" = 5 ]; }
	await "$mode: the workers wait for ever" all_fired
	kill -CONT "$tracer"
	all_here() { [ "$(grep -c '^here' "$directory/out")" = 5 ]; }
	await "$mode: the workers are not traced" all_here
	touch "$directory/$mode.end"
	wait "$tracer" || fail "$mode: status $?"
	wait "$server"
	has out '^ended 5$'
	got=$(awk '/^[a-z]+ [0-9]+$/ && !/^here/ {n += $2} END {print n + 0}' "$directory/out")
	fired=$(awk '{n += $1} END {print n + 5 * (1000 + 2)}' "$directory/$mode.work")
	[ $((got + $(drops))) = "$fired" ] || fail "$mode: $got events and $(drops) drops, but $fired were fired"
	[ $mode = refuse ] || [ "$(drops)" -gt 5000 ] || fail "$mode: $(drops) drops"
done

# Workers that fork and end, as daemons do, before the tracer has seen their children.
start 5 orphans 1000 "$directory/orphans"
forget_output
"$VMTAP" trace -q --follow -p "$server" -n "$counts"' BEGIN { printf("begun\n"); }' \
	>"$directory/out" 2>"$directory/err" &
tracer=$!
pids+=("$tracer")
await "the trace does not begin" grep -q begun "$directory/out"
touch "$directory/orphans.go"
all_workers() { [ "$(grep -c '^here' "$directory/out")" = 5 ]; }
await "the workers are not traced" all_workers
kill -STOP "$tracer"
touch "$directory/orphans.apart"
all_fired() { [ "$(wc -l <"$directory/orphans.fired")" = 5 ]; }
await "the orphans wait for ever" all_fired
kill -CONT "$tracer"
all_orphans() { [ "$(grep -c '^here' "$directory/out")" = 10 ]; }
await "the orphans are not traced" all_orphans
touch "$directory/orphans.end"
wait "$tracer" || fail "orphans: status $?"
wait "$server"
has out '^ended 5$'
got=$(awk '/^[a-z]+ [0-9]+$/ && !/^here/ {n += $2} END {print n + 0}' "$directory/out")
fired=$(awk '{n += $1} END {print n + 5 * (1 + 1000 + 2)}' "$directory/orphans.work")
[ $((got + $(drops))) = "$fired" ] || fail "orphans: $got events and $(drops) drops, but $fired were fired"

# Many that are made at once and end soon: some end before the tracer has come to them. Each event is
# delivered or counted.
for mode in start option turns refuse; do
	start 300 $mode 200
	run 0 trace -q --follow -p "$server" -n "$counts"
	wait "$server" || fail "$mode: status $?"
	got=$(awk '/^[a-z]+ [0-9]+$/ {n += $2} END {print n + 0}' "$directory/out")
	has_not err 'ended without closing|not been ended in order'
	[ $((got + $(drops))) = $((300 * 202)) ] || fail "$mode: $got events and $(drops) drops, but 60600 were fired"
done

# Workers that end by _exit() or are killed: each of them is said, since its last events may be missing.
for mode in leave die; do
	start 30 $mode 1000
	run 0 trace -q --follow -p "$server" -n "$counts"
	wait "$server" || fail "$mode: status $?"
	said=$(grep -cE '^vmtap: process [0-9]+ \(prefork\) ended without closing its event stream$' "$directory/err")
	more=$(sed -nE 's/^vmtap: ([0-9]+) more streams have not been ended in order: .*/\1/p' "$directory/err")
	# On a busy machine a worker may not get a processor for as long as the tracer waits for it. That
	# is said of it, also if it is traced later.
	late=$(grep -cE '^vmtap: process [0-9]+ \(prefork\) has not .* within [0-9]+ seconds: it may be stopped$' "$directory/err")
	[ "$late" -gt 0 ] || [ "$said" = 10 ] || fail "$mode: $said lines"
	all=$((said + more + late))
	[ "$all" = 30 ] || { [ "$late" -gt 0 ] && [ "$all" -gt 30 ]; } ||
		fail "$mode: $said, $more and $late of 30 workers are said"
done

# top and serve follow in the same way.
echo 'vm$target:::gc-idle { @fired["events"] = count(); }' >"$directory/idle.d"
start 20 option 500
run 0 top --plain --interval 3600000 --follow -s "$directory/idle.d" -n 'END { printa("%s %@d\n", @fired); }' -p "$server"
wait "$server"
has out 'events 10000$'
"$VMTAP" serve --listen 127.0.0.1:0 -n 'BEGIN { exit(0); }' 2>&1 | grep -q 'not in this build' &&
	echo "left out: serve: not in this build" && exit 0
command -v python3 >/dev/null || { echo "left out: serve: there is no python3 to read it" && exit 0; }
start 20 option 500 "$directory/served"
"$VMTAP" serve --listen 127.0.0.1:0 --interval 20 --follow -p "$server" -s "$directory/idle.d" \
	>"$directory/out" 2>"$directory/err" &
pids+=($!)
await "no address" grep -q 'serving http' "$directory/err"
url=$(sed -n 's/^vmtap: serving //p' "$directory/err")
touch "$directory/served.go"
page() {
	python3 -c 'import sys, urllib.request; print(urllib.request.urlopen(sys.argv[1]).read().decode())' "$url" \
		>"$directory/page"
	grep -qE '[ }]10000(\.0)?$' "$directory/page"
}
all_served() { [ "$(wc -l <"$directory/served.fired")" = 20 ]; }
await "the workers wait for ever" all_served
await "serve has not all events: $(cat "$directory/page" 2>/dev/null)" page
touch "$directory/served.end"
wait "$server"
